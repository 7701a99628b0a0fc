//! The column `text`: the moves of a game with their comments, variations and glyphs, packed; and
//! its main line, read beside the coded moves.

use std::io;

use movegen::notation::format_move;
use movegen::{Fen, Move, Position};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::get_frame_content_size;

use super::coding::{Replay, Step};

/// Texts of up to this many bytes are unpacked in one piece.
const USUAL: u64 = 1 << 24;

/// Packs a text, with a checksum.
pub(crate) fn pack(text: &str) -> io::Result<Vec<u8>> {
    let mut compressor = Compressor::new(3)?;
    compressor.include_checksum(true)?;
    compressor.compress(text.as_bytes())
}

/// Whether a packed text has a checksum; those of version 1 have none.
pub(crate) fn has_checksum(packed: &[u8]) -> bool {
    packed.get(4).is_some_and(|flags| flags & 4 != 0)
}

/// Unpacks texts, one after another.
pub(crate) struct Unpacker(io::Result<Decompressor<'static>>);

impl Unpacker {
    pub(crate) fn new() -> Unpacker {
        Unpacker(Decompressor::new())
    }

    /// A text; `None` if it is damaged.
    pub(crate) fn unpack(&mut self, packed: &[u8]) -> Option<String> {
        let size = get_frame_content_size(packed).ok()?.filter(|&size| size <= USUAL);
        let bytes = match (&mut self.0, size) {
            (Ok(decompressor), Some(size)) => decompressor.decompress(packed, size as usize),
            _ => zstd::decode_all(packed),
        };
        String::from_utf8(bytes.ok()?).ok()
    }
}

/// A move of the main line with its annotations.
pub(crate) struct AnnotatedMove<'t> {
    pub(crate) before: Position,
    pub(crate) mv: Move,
    pub(crate) glyphs: Vec<u32>,
    pub(crate) comments: Vec<&'t str>,
    pub(crate) is_set_up_after: bool,
}

/// The moves of a text that the writer of PDN made, without its tags.
pub(crate) fn without_tags(text: &str) -> Option<&str> {
    text.split_once("\n\n").map(|(_, moves)| moves)
}

/// Reads the main line of a text that the writer of PDN made, beside the coded moves, much faster
/// than a reader of any PDN can. False if it disagrees with them, or has another form.
pub(crate) fn follow<'t>(
    text: &'t str,
    start: Position,
    moves: &[u8],
    see: &mut dyn FnMut(&AnnotatedMove<'t>),
) -> bool {
    (|| -> Option<()> {
        let (text, _end) = without_tags(text)?.trim_end().rsplit_once(char::is_whitespace)?;
        let mut replay = Replay::raw(start, moves);
        let mut last: Option<AnnotatedMove<'t>> = None;
        let mut words = Words(text);
        while let Some(word) = words.next()? {
            match word {
                Word::Move(written) => {
                    if let Some(annotated) = &last {
                        see(annotated);
                    }
                    let before = *replay.position();
                    let Step::Move(mv) = replay.advance_by_step()? else { return None };
                    if !is_written(&before, mv, written) {
                        return None;
                    }
                    let annotated = last.get_or_insert_with(|| AnnotatedMove {
                        before,
                        mv,
                        glyphs: Vec::new(),
                        comments: Vec::new(),
                        is_set_up_after: false,
                    });
                    (annotated.before, annotated.mv, annotated.is_set_up_after) =
                        (before, mv, false);
                    annotated.glyphs.clear();
                    annotated.comments.clear();
                }
                Word::Glyph(glyph) => last.as_mut()?.glyphs.push(glyph),
                Word::Comment(comment) => {
                    if let Some(annotated) = &mut last {
                        annotated.comments.push(comment);
                    }
                }
                Word::SetUp(fen) => {
                    let variant = replay.position().variant();
                    let position = fen.parse::<Fen>().ok()?.position().ok()?.with_variant(variant);
                    if replay.advance_by_step()? != Step::SetUp(position) {
                        return None;
                    }
                    if let Some(annotated) = &mut last {
                        annotated.is_set_up_after = true;
                    }
                }
            }
        }
        if let Some(annotated) = &last {
            see(annotated);
        }
        (replay.advance_by_step().is_none() && !replay.is_damaged()).then_some(())
    })()
    .is_some()
}

/// Whether a move has this text.
fn is_written(before: &Position, mv: Move, written: &str) -> bool {
    let sign = if mv.is_capture() { 'x' } else { '-' };
    let squares = written
        .split_once(sign)
        .and_then(|(from, to)| Some((from.parse::<u8>().ok()?, to.parse::<u8>().ok()?)));
    match squares {
        Some(squares) => squares == (mv.from().number(), mv.to().number()),
        None => written == format_move(before, mv),
    }
}

enum Word<'t> {
    Move(&'t str),
    Glyph(u32),
    Comment(&'t str),
    SetUp(&'t str),
}

/// The words of a main line: no numbers of moves, no variations.
struct Words<'t>(&'t str);

impl<'t> Words<'t> {
    /// The next one; `Some(None)` at the end, `None` if it cannot be read.
    fn next(&mut self) -> Option<Option<Word<'t>>> {
        loop {
            self.0 = self.0.trim_ascii_start();
            let Some(&first) = self.0.as_bytes().first() else { return Some(None) };
            if first == b'(' {
                self.pass_variation()?;
                continue;
            }
            if first == b'{' {
                let (comment, rest) = self.0[1..].split_once('}')?;
                self.0 = rest;
                return Some(Some(Word::Comment(comment)));
            }
            if let Some(fen) = self.0.strip_prefix("/FEN \"") {
                let (fen, rest) = fen.split_once("\"/")?;
                self.0 = rest;
                return Some(Some(Word::SetUp(fen)));
            }
            let end = self.0.bytes().position(|byte| byte.is_ascii_whitespace());
            let (word, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
            self.0 = rest;
            if let Some(glyph) = word.strip_prefix('$') {
                return Some(Some(Word::Glyph(glyph.parse().ok()?)));
            }
            if !word.ends_with('.') {
                return Some(Some(Word::Move(word)));
            }
        }
    }

    fn pass_variation(&mut self) -> Option<()> {
        let mut depth = 0;
        let mut bytes = self.0.bytes().enumerate();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'{' => drop(bytes.find(|(_, byte)| *byte == b'}')?),
                b'(' => depth += 1,
                b')' if depth == 1 => {
                    self.0 = &self.0[at + 1..];
                    return Some(());
                }
                b')' => depth -= 1,
                _ => {}
            }
        }
        None
    }
}
