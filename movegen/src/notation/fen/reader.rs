//! The tolerant reader behind [`Fen::parse_with`].

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::notation::letters::{Alphabet, read_letters};
use crate::notation::text::{is_dash, is_move_sign};
use crate::piece::{Kind, Piece};
use crate::setup::Setup;
use crate::square::Square;
use crate::variant::KingRun;

use super::{Fen, FenErrorKind, FenWarning, ParseFenError, StrandedMen};

/// A character of the text with its byte offset; URL escapes count as one character.
#[derive(Clone, Copy)]
struct Letter {
    c: char,
    offset: usize,
}

pub(super) struct Reader<'a> {
    text: &'a str,
    letters: Vec<Letter>,
    next: usize,
    stranded: StrandedMen,
    used: Bitboard,
    fen: Fen,
}

/// Text that may surround a FEN: quotes, brackets and slashes of tags and of pasted text.
const fn is_wrapper(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '`'
            | '\u{201c}'
            | '\u{201d}'
            | '\u{2018}'
            | '\u{2019}'
            | '\\'
            | '/'
            | '['
            | ']'
            | '('
            | ')'
            | '{'
            | '}'
            | '<'
            | '>'
    )
}

/// Blanks, the underscore of URLs, and a byte order mark.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '_' || c == '\u{feff}'
}

/// Splits into letters and decodes `%3A` and the like.
fn letters_of(text: &str) -> Vec<Letter> {
    let mut letters = Vec::new();
    let mut rest = text.char_indices();
    while let Some((offset, mut c)) = rest.next() {
        if c == '%' {
            let hex = text.get(offset + 1..offset + 3).filter(|h| h.is_ascii());
            let code = hex.and_then(|h| u8::from_str_radix(h, 16).ok()).filter(u8::is_ascii);
            if let Some(code) = code {
                c = char::from(code);
                rest.nth(1);
            }
        }
        letters.push(Letter { c, offset });
    }
    letters
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, stranded: StrandedMen) -> Reader<'a> {
        Reader {
            text,
            letters: letters_of(text),
            next: 0,
            stranded,
            used: Bitboard::EMPTY,
            fen: Fen::from(Setup::empty(Color::White)),
        }
    }

    fn peek(&self) -> Option<char> {
        self.letters.get(self.next).map(|l| l.c)
    }

    /// The next letter in upper case, blanks skipped.
    fn peek_upper(&mut self) -> Option<char> {
        self.skip_while(is_blank);
        self.peek().map(|c| c.to_ascii_uppercase())
    }

    fn skip_while(&mut self, skip: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&skip) {
            self.next += 1;
        }
    }

    fn offset(&self) -> usize {
        self.letters.get(self.next).map_or(self.text.len(), |l| l.offset)
    }

    fn error_at(&self, kind: FenErrorKind, offset: usize) -> ParseFenError {
        ParseFenError::at(kind, self.text, offset)
    }

    fn error(&self, kind: FenErrorKind) -> ParseFenError {
        self.error_at(kind, self.offset())
    }

    pub(super) fn read(mut self) -> Result<Fen, ParseFenError> {
        self.strip();
        if self.peek().is_none() {
            return Err(self.error(FenErrorKind::Empty));
        }
        if !self.letters[self.next..].iter().any(|l| l.c == ':') {
            self.read_letter_string()?;
        } else {
            self.read_turn()?;
            self.read_fields()?;
        }
        Ok(self.fen)
    }

    /// Takes off the tag name, quotes and brackets at both ends.
    fn strip(&mut self) {
        let is_fen = |w: &[Letter]| {
            w.iter().zip("FEN".chars()).all(|(l, name)| l.c.eq_ignore_ascii_case(&name))
        };
        self.skip_while(|c| is_blank(c) || is_wrapper(c));
        while self.letters[self.next..].get(..3).is_some_and(is_fen) {
            self.next += 3;
            self.skip_while(|c| is_blank(c) || is_wrapper(c) || c == ':' || c == '=');
        }
        let end = self.letters.iter().rposition(|l| !is_blank(l.c) && !is_wrapper(l.c));
        self.letters.truncate(end.map_or(0, |i| i + 1).max(self.next));
    }

    /// The 51-character strings of Hub (`wbWBe`) and DXP (`wzWZe`).
    fn read_letter_string(&mut self) -> Result<(), ParseFenError> {
        let letters = &self.letters[self.next..];
        let is_position_letter =
            |l: &Letter| matches!(l.c, 'w' | 'b' | 'W' | 'B' | 'e' | 'z' | 'Z');
        if letters.len() != 51 {
            let looks_like_one = letters.len() > 10 && letters.iter().all(is_position_letter);
            let (kind, at) = if looks_like_one {
                (FenErrorKind::WrongLength(letters.len()), letters.len().min(51))
            } else if matches!(letters[0].c, 'W' | 'w' | 'B' | 'b' | '?') {
                (FenErrorKind::ExpectedColon, 1)
            } else {
                (FenErrorKind::ExpectedTurn, 0)
            };
            let offset = letters.get(at).map_or(self.text.len(), |l| l.offset);
            return Err(self.error_at(kind, offset));
        }
        let alphabet = if letters.iter().any(|l| matches!(l.c, 'z' | 'Z')) {
            Alphabet::DXP
        } else {
            Alphabet::HUB
        };
        let characters = letters.iter().map(|l| (l.offset, l.c));
        let mut setup = read_letters(self.text, characters, alphabet, self.stranded)?;
        match self.stranded {
            StrandedMen::Promote => self.fen.promoted = setup.promote_stranded_men(),
            StrandedMen::Refuse | StrandedMen::Keep => {
                for color in Color::ALL {
                    let men = setup.men[color.index()] & Bitboard::promotion_row(color);
                    let warning = |square| FenWarning::ManOnPromotionRow { color, square };
                    self.fen.warnings.extend(men.into_iter().map(warning));
                }
            }
        }
        self.fen.setup = setup;
        Ok(())
    }

    fn read_turn(&mut self) -> Result<(), ParseFenError> {
        self.fen.setup.side = match self.peek_upper() {
            Some('W') => Color::White,
            Some('B') => Color::Black,
            Some('?') => {
                self.fen.warnings.push(FenWarning::UnknownTurn);
                Color::White
            }
            _ => return Err(self.error(FenErrorKind::ExpectedTurn)),
        };
        self.next += 1;
        match self.peek_upper() {
            Some(':') => Ok(()),
            _ => Err(self.error(FenErrorKind::ExpectedColon)),
        }
    }

    /// Everything after the turn: fields that start with a colon.
    fn read_fields(&mut self) -> Result<(), ParseFenError> {
        let mut lists = [false; 2];
        let mut fields = 0;
        while self.peek_upper() == Some(':') {
            self.next += 1;
            fields += 1;
            let offset = self.offset();
            match self.peek_upper() {
                // An empty field, as in `W::`.
                Some(':' | '.') => {}
                None if fields > 1 => {}
                None => return Err(self.error(FenErrorKind::ExpectedList)),
                Some(letter @ ('W' | 'B')) => {
                    let color = if letter == 'W' { Color::White } else { Color::Black };
                    if std::mem::replace(&mut lists[color.index()], true) {
                        return Err(self.error_at(FenErrorKind::RepeatedColor(color), offset));
                    }
                    self.next += 1;
                    self.read_list(color)?;
                }
                Some('H') => self.fen.halfmoves = Some(self.read_counter(self.fen.halfmoves)?),
                Some('F') => self.fen.move_number = Some(self.read_counter(self.fen.move_number)?),
                Some('+') => self.read_runs()?,
                Some(c) if c.is_ascii_digit() || c == 'K' => {
                    return Err(self.error(FenErrorKind::ExpectedColor));
                }
                Some(c) if c.is_alphabetic() => {
                    let found = self.peek().unwrap_or(c);
                    return Err(self.error(FenErrorKind::UnknownColor(found)));
                }
                Some(c) => return Err(self.error(FenErrorKind::UnexpectedCharacter(c))),
            }
            if self.peek_upper() == Some('.') && self.read_dot(lists)? {
                return Ok(());
            }
        }
        match self.peek() {
            None => Ok(()),
            Some(c) => Err(self.error(FenErrorKind::UnexpectedCharacter(c))),
        }
    }

    /// A dot ends the text, unless the next field follows it. Returns whether it ended. Text after
    /// it is only dropped if it cannot be part of the position: both sides are complete, and it is
    /// a word or a numbered move.
    fn read_dot(&mut self, lists: [bool; 2]) -> Result<bool, ParseFenError> {
        let dot = self.next;
        self.next += 1;
        match self.peek_upper() {
            None => return Ok(true),
            Some(':') => return Ok(false),
            Some(_) => {}
        }
        if lists != [true; 2] || !self.is_remark() {
            self.next = dot;
            return Err(self.error(FenErrorKind::UnexpectedCharacter('.')));
        }
        let offset = self.offset();
        self.fen.warnings.push(FenWarning::TextAfterDot { offset });
        self.next = self.letters.len();
        Ok(true)
    }

    /// Whether the rest is not a list of squares: it begins with a word, or with a move after its
    /// number (`1. 28-22`).
    fn is_remark(&self) -> bool {
        let rest = self.letters[self.next..].iter().map(|l| l.c).skip_while(|&c| is_wrapper(c));
        let rest: String = rest.collect();
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        if number.len() == rest.len() {
            let word: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            return word.chars().filter(|c| c.is_alphabetic()).count() > 1;
        }
        let moves = number.trim_start_matches(['.', '…']);
        let is_number = moves.len() < number.len();
        let square = moves.trim_start_matches(is_blank);
        let after = square.trim_start_matches(|c: char| c.is_ascii_digit());
        is_number
            && after.len() < square.len()
            && after.trim_start_matches(is_blank).starts_with(is_move_sign)
    }

    /// King moves in a row, Black's first: `+0+228` if White's king on 28 has moved twice.
    fn read_runs(&mut self) -> Result<(), ParseFenError> {
        let offset = self.offset();
        for color in [Color::Black, Color::White] {
            let digits: String = self.letters[self.next..].iter().map(|l| l.c).skip(1).collect();
            let length = if digits.starts_with('0') { 1 } else { 3 };
            let number = digits.get(..length).and_then(|text| text.parse::<u16>().ok());
            let run = number.filter(|_| self.peek() == Some('+')).and_then(|number| match number {
                0 => Some(None),
                _ => {
                    let (moves, square) = ((number / 100) as u8, Square::new((number % 100) as u8));
                    let is_counted = (1..=KingRun::LIMIT).contains(&moves);
                    square.filter(|_| is_counted).map(|square| Some(KingRun { square, moves }))
                }
            });
            let bad = || self.error_at(FenErrorKind::BadKingRuns, offset);
            self.fen.king_runs[color.index()] = run.ok_or_else(bad)?;
            self.next += 1 + length;
        }
        Ok(())
    }

    fn read_counter(&mut self, known: Option<u32>) -> Result<u32, ParseFenError> {
        let letter = self.peek().unwrap_or('H');
        let start = self.offset();
        self.next += 1;
        let bad = self.error_at(FenErrorKind::BadCounter(letter), start);
        match (known, self.read_digits()) {
            (None, Some(Some(n))) => Ok(n),
            _ => Err(bad),
        }
    }

    /// A run of digits: `None` without one, `Some(None)` if it is above 32 bits.
    fn read_digits(&mut self) -> Option<Option<u32>> {
        self.skip_while(is_blank);
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            let so_far: Option<u32> = value.unwrap_or(Some(0));
            value = Some(so_far.and_then(|v| v.checked_mul(10)?.checked_add(digit)));
            self.next += 1;
        }
        value
    }

    /// The items of one side's list, up to a colon, a dot or the end.
    fn read_list(&mut self, color: Color) -> Result<(), ParseFenError> {
        loop {
            self.skip_while(|c| is_blank(c) || c == ',' || c == ';');
            match self.peek() {
                None | Some(':' | '.') => return Ok(()),
                Some(_) => self.read_item(color)?,
            }
        }
    }

    /// `n`, `Kn`, `n-m`, `Kn-m`, or the same with `G`, `P` for ghosts.
    fn read_item(&mut self, color: Color) -> Result<(), ParseFenError> {
        let start = self.offset();
        let prefix = self.read_prefix();
        let first = self.read_square(prefix.is_some())?;
        self.skip_while(is_blank);
        let mut last = first;
        if self.peek().is_some_and(is_dash) {
            self.next += 1;
            self.skip_while(is_blank);
            let second = self.offset();
            let other = self.read_prefix();
            last = self.read_square(true)?;
            if other.is_some() && other != prefix {
                return Err(self.error_at(FenErrorKind::MixedRange, second));
            }
            if last < first {
                return Err(self.error_at(FenErrorKind::ReversedRange(first, last), start));
            }
        }
        for square in Square::all().filter(|s| (first..=last).contains(s)) {
            self.put(prefix, color, square, start)?;
        }
        Ok(())
    }

    fn put(
        &mut self,
        prefix: Option<char>,
        color: Color,
        square: Square,
        offset: usize,
    ) -> Result<(), ParseFenError> {
        let kind = match prefix {
            Some('G') => {
                self.fen.warnings.push(FenWarning::Ghost { kind: Kind::Man, square });
                return Ok(());
            }
            Some('P') => {
                self.fen.warnings.push(FenWarning::Ghost { kind: Kind::King, square });
                return Ok(());
            }
            Some(_) => Kind::King,
            None => Kind::Man,
        };
        if self.used.contains(square) {
            return Err(self.error_at(FenErrorKind::SquareUsedTwice(square), offset));
        }
        self.used = self.used.with(square);
        let mut piece = Piece { color, kind };
        if kind == Kind::Man && Bitboard::promotion_row(color).contains(square) {
            match self.stranded {
                StrandedMen::Refuse => {
                    let kind = FenErrorKind::ManOnPromotionRow { color, square };
                    return Err(self.error_at(kind, offset));
                }
                StrandedMen::Keep => {
                    self.fen.warnings.push(FenWarning::ManOnPromotionRow { color, square });
                }
                StrandedMen::Promote => {
                    self.fen.promoted += 1;
                    piece.kind = Kind::King;
                }
            }
        }
        self.fen.setup.put(piece, square);
        Ok(())
    }

    fn read_prefix(&mut self) -> Option<char> {
        let letter = self.peek()?.to_ascii_uppercase();
        if matches!(letter, 'K' | 'G' | 'P') {
            self.next += 1;
            Some(letter)
        } else {
            None
        }
    }

    /// A square number; `needed` says that a letter or a dash before it requires one.
    fn read_square(&mut self, needed: bool) -> Result<Square, ParseFenError> {
        self.skip_while(is_blank);
        let start = self.offset();
        match self.read_digits() {
            Some(number) => {
                let number = number.unwrap_or(u32::MAX);
                u8::try_from(number)
                    .ok()
                    .and_then(Square::new)
                    .ok_or_else(|| self.error_at(FenErrorKind::SquareOutOfRange(number), start))
            }
            None if needed => Err(self.error(FenErrorKind::ExpectedSquare)),
            None => {
                let found = self.peek().unwrap_or(' ');
                Err(self.error(FenErrorKind::UnexpectedCharacter(found)))
            }
        }
    }
}
