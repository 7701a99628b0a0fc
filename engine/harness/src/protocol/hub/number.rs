//! Numbers as Hub clients write them.

use super::error::HubError;

/// The largest time we keep, in seconds (about thirty years); larger ones mean "no limit".
pub(super) const MAX_SECONDS: f64 = 1e9;

/// An integer: an optional sign and digits. Numbers beyond 64 bits are cut to the nearest that
/// fits, because a client that asks for more nodes than can be counted means "very many".
pub(super) fn integer(name: &str, text: &str) -> Result<i64, HubError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(HubError::bad_number(name, text, "an integer"));
    }
    let beyond = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    Ok(text.parse().unwrap_or(beyond))
}

/// A real number: sign, exponent and a missing fraction are fine, and the decimal separator may
/// be a comma, since one GUI formats numbers in the computer's locale. Always finite.
///
/// # Errors
/// If it is none.
pub fn real(name: &str, text: &str) -> Result<f64, HubError> {
    let bad = || HubError::bad_number(name, text, "a number");
    // Words such as `nan` and `infinity` are not numbers here.
    if text.len() > 100
        || !text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b',' | b'e' | b'E'))
    {
        return Err(bad());
    }
    let number: f64 = text.replacen(',', ".", 1).parse().map_err(|_| bad())?;
    Ok(number.clamp(-MAX_SECONDS.powi(2), MAX_SECONDS.powi(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        for (text, value) in
            [("0", 0), ("007", 7), ("-5", -5), ("+5", 5), ("99999999999999999999", i64::MAX)]
        {
            assert_eq!(integer("n", text), Ok(value));
        }
        for text in ["", "-", "1.5", "0x10", "ten", "1 2", "--1", "1e3", "１"] {
            assert!(integer("n", text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn reals() {
        for (text, value) in [
            ("9", 9.0),
            ("9.", 9.0),
            (".5", 0.5),
            ("-0.05", -0.05),
            ("+1.5", 1.5),
            ("1e-05", 1e-5),
            ("291,587", 291.587),
            ("1e400", 1e18),
            ("-1e400", -1e18),
        ] {
            assert_eq!(real("t", text), Ok(value), "{text}");
        }
        for text in ["", "-", ".", ",", "nan", "inf", "1.2.3", "1,2,3", "1:30", "0x1", "e5", "1e"] {
            assert!(real("t", text).is_err(), "{text:?}");
        }
    }
}
