//! Lines with checksums: JSON, a blank and the CRC-32 of the JSON as eight hexadecimal digits.

/// A line with its checksum and its end.
pub(crate) fn checked(json: &[u8]) -> Vec<u8> {
    let sum = crc32fast::hash(json);
    [json, format!(" {sum:08x}\n").as_bytes()].concat()
}

/// The contents of such a line, without its end; `None` if the checksum is wrong.
pub(crate) fn unchecked(line: &[u8]) -> Option<&[u8]> {
    let (json, sum) = line.split_at_checked(line.len().checked_sub(9)?)?;
    (*sum == *format!(" {:08x}", crc32fast::hash(json)).as_bytes()).then_some(json)
}
