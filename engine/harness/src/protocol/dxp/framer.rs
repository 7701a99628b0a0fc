//! From bytes to messages, however the network has cut them.

use thiserror::Error;

/// The longest message that is read, in bytes; the standard allows 127.
pub const MAX_MESSAGE: usize = 4096;

/// A peer that sends no NUL: the connection is useless from then on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("a message of more than {MAX_MESSAGE} bytes")]
pub struct TooLong;

/// Collects bytes until a message is complete.
#[derive(Clone, Debug, Default)]
pub struct Framer(Vec<u8>);

impl Framer {
    /// Takes bytes as they arrive and hands out each complete message as it is, without its NUL.
    ///
    /// # Errors
    /// If a message gets too long; complete messages before it have been handed out.
    pub fn push(&mut self, bytes: &[u8], mut message: impl FnMut(&[u8])) -> Result<(), TooLong> {
        for &byte in bytes {
            if byte != 0 {
                if self.0.len() == MAX_MESSAGE {
                    return Err(TooLong);
                }
                self.0.push(byte);
                continue;
            }
            message(&self.0);
            self.0.clear();
        }
        Ok(())
    }

    /// The bytes of an incomplete message.
    #[must_use]
    pub fn rest(&self) -> &[u8] {
        &self.0
    }

    /// The text of a message: without line ends around it, and with `?` for bytes that are not
    /// ASCII; `None` if it is empty.
    #[must_use]
    pub fn text(message: &[u8]) -> Option<String> {
        let ascii = message.iter().map(|&b| if b.is_ascii() { char::from(b) } else { '?' });
        let text: String = ascii.collect();
        let text = text.trim_matches(['\r', '\n']);
        (!text.is_empty()).then(|| text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &[u8] = b"E00\0\0\r\nCa b\0M0012061100\0\nK1\0";

    fn pieces(cuts: &[&[u8]]) -> Vec<String> {
        let mut framer = Framer::default();
        let mut messages = Vec::new();
        for part in cuts {
            framer.push(part, |m| messages.extend(Framer::text(m))).unwrap();
        }
        messages
    }

    /// Cut at every byte, and every pair of bytes: always the same messages.
    #[test]
    fn cuts_make_no_difference() {
        let whole = pieces(&[STREAM]);
        assert_eq!(whole, ["E00", "Ca b", "M0012061100", "K1"]);
        for first in 0..=STREAM.len() {
            for second in first..=STREAM.len() {
                let parts = [&STREAM[..first], &STREAM[first..second], &STREAM[second..]];
                assert_eq!(pieces(&parts), whole);
            }
        }
        let single: Vec<&[u8]> = STREAM.chunks(1).collect();
        assert_eq!(pieces(&single), whole);
    }

    #[test]
    fn endless_messages_are_refused() {
        let mut framer = Framer::default();
        let mut count = 0;
        assert_eq!(framer.push(&[b'x'; MAX_MESSAGE], |_| count += 1), Ok(()));
        assert_eq!(framer.push(b"\0E00\0", |_| count += 1), Ok(()));
        assert_eq!(framer.push(&[b'x'; MAX_MESSAGE + 1], |_| count += 1), Err(TooLong));
        assert_eq!((count, framer.rest()), (2, &[b'x'; MAX_MESSAGE][..]));
        assert_eq!(pieces(&[b"C\xff\xc3\xa9\0"]), ["C???"]);
    }
}
