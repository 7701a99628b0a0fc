//! Reads lines of any length; runs in its own thread.

use std::io::{self, BufRead};
use std::ops::ControlFlow;

/// Longest line that is kept, in bytes. Longer ones are read to their end and refused, so that a
/// stream without line ends cannot fill the memory.
pub const MAX_LINE: usize = 64 << 20;

/// The reader's reports.
#[derive(Debug)]
pub(super) enum Input {
    /// A line without its line end.
    Line(String),
    /// A line longer than [`MAX_LINE`] was skipped.
    TooLong,
}

/// Reads lines and hands them on, until the input ends or nobody wants more.
pub(super) fn read_lines(
    mut input: impl BufRead,
    mut hand_on: impl FnMut(Input) -> ControlFlow<()>,
) {
    let mut buffer = Vec::new();
    while let Ok(Some(line)) = read_line(&mut input, &mut buffer, MAX_LINE) {
        if hand_on(line).is_break() {
            break;
        }
    }
}

/// One line; `None` at the end of the input. A last line without a line end counts as a line.
fn read_line(
    input: &mut impl BufRead,
    buffer: &mut Vec<u8>,
    limit: usize,
) -> io::Result<Option<Input>> {
    buffer.clear();
    let mut length = 0;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        let end = available.iter().position(|&b| b == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        length += part.len();
        if length <= limit {
            buffer.extend_from_slice(part);
        }
        let at_end_of_input = available.is_empty();
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if at_end_of_input && length == 0 {
            return Ok(None);
        }
        if end.is_some() || at_end_of_input {
            break;
        }
    }
    if length > limit {
        *buffer = Vec::new();
        return Ok(Some(Input::TooLong));
    }
    // Bytes that are not UTF-8 count as ordinary characters: the replacement character is one.
    Ok(Some(Input::Line(String::from_utf8_lossy(buffer).into_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut bytes: &[u8], limit: usize) -> Vec<String> {
        let mut buffer = Vec::new();
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut bytes, &mut buffer, limit).unwrap() {
            lines.push(match line {
                Input::Line(text) => text,
                Input::TooLong => "(too long)".to_owned(),
            });
        }
        lines
    }

    #[test]
    fn line_ends_and_the_last_line() {
        assert_eq!(lines(b"hub\ninit\r\n\nquit", 100), ["hub", "init\r", "", "quit"]);
        assert_eq!(lines(b"", 100), [""; 0]);
        assert_eq!(lines(b"a\xffb\n", 100), ["a\u{fffd}b"]);
    }

    #[test]
    fn long_lines_are_skipped_whole() {
        assert_eq!(lines(b"12345\n123456\n1\n", 5), ["12345", "(too long)", "1"]);
        let small_buffer = io::BufReader::with_capacity(2, &b"123456789\nok"[..]);
        let mut count = 0;
        read_lines(small_buffer, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(count, 2);
    }
}
