//! Games of a PDN file, one at a time.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::BufRead;

use super::comment::Comment;
use super::encoding::{Encoding, Encodings};
use super::game::{Annotation, PdnGame, Tags, Variation};
use super::kind::{Kind, OtherGame, TAGS, is_translation};
use super::raw::{RawGame, RawReader, is_unknown};
use super::resolve::Resolver;
use super::result::GameResult;
use super::text::one_line;
use super::token::LOOK_AHEAD;
use super::warning::{
    MAX_WARNINGS, ParsePdnError, PdnWarning, PdnWarningKind, WarningSummary, Warnings,
};
use crate::notation::fen::{Fen, ParseFenError, StrandedMen, position_of};
use crate::notation::moves::MoveText;
use crate::notation::text::is_dash;
use crate::position::Position;
use crate::setup::Setup;
use crate::variant::Variant;

/// The tag, of our own, of a game whose moves end before the text they were read from.
const TRUNCATED: &str = "Truncated";

/// How to read a PDN file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadOptions {
    /// Crown men on their promotion row in a `FEN` tag instead of refusing the game.
    pub promote_stranded_men: bool,
    /// Recognise games that repeat an earlier one (start and moves). Costs about 16 bytes a game
    /// for as long as the reader lives; without it memory does not depend on the file at all.
    pub find_duplicates: bool,
    /// The encoding; without one it is recognised place by place.
    pub encoding: Option<Encoding>,
    /// The game: games of other kinds are skipped. A game whose tags do not say its kind counts as
    /// one of this.
    pub variant: Variant,
    /// Read the games of all variants, each by its own rules, instead of skipping them.
    pub all_variants: bool,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            promote_stranded_men: false,
            find_duplicates: true,
            encoding: None,
            variant: Variant::International,
            all_variants: false,
        }
    }
}

/// The findings in a file so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Games of any kind, the skipped ones too.
    pub games: u64,
    /// Games with moves that were read whole and are not duplicates.
    pub used: u64,
    /// Games whose main line ends early: by an illegal move, a null move or unreadable text.
    pub truncated: u64,
    /// Games of other types, which are skipped.
    pub other_type: u64,
    /// Games without a move; those without tags as well are skipped.
    pub empty: u64,
    /// Games with the start and the moves of an earlier one.
    pub duplicates: u64,
    /// Moves with more than one reading that fits the rest of the game.
    pub ambiguous: u64,
    /// Men crowned in start positions.
    pub promoted: u64,
    /// All warnings, including those that are not kept with a game.
    pub warnings: u64,
}

/// Reads the games of a PDN file in turn.
///
/// An iterator: each item is a game or, once, the error that ended the input. Games of other
/// types and empty ones are skipped and counted.
pub struct PdnReader<'a> {
    raw: RawReader<'a>,
    options: ReadOptions,
    counters: Counters,
    seen: HashSet<u64>,
    warnings: WarningSummary,
    is_done: bool,
}

impl<'a> PdnReader<'a> {
    /// A reader with the usual options.
    pub fn new(input: impl BufRead + Send + 'a) -> PdnReader<'a> {
        PdnReader::with_options(input, ReadOptions::default())
    }

    /// A reader with these options.
    pub fn with_options(input: impl BufRead + Send + 'a, options: ReadOptions) -> PdnReader<'a> {
        let mut raw = RawReader::new(input);
        if let Some(encoding) = options.encoding {
            raw.lexer.chars.set_encoding(encoding);
        }
        PdnReader {
            raw,
            options,
            counters: Counters::default(),
            seen: HashSet::new(),
            warnings: WarningSummary::default(),
            is_done: false,
        }
    }

    /// The findings so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The warnings so far, added up, including those of skipped games.
    pub fn warnings(&self) -> &WarningSummary {
        &self.warnings
    }

    /// The encodings of the text so far.
    pub fn encodings(&self) -> Encodings {
        self.raw.lexer.chars.encodings()
    }

    /// The line reached, from 1.
    pub fn line(&self) -> u64 {
        self.raw.lexer.place().line
    }

    /// The next game of a kind that is read.
    fn next_game(&mut self) -> Option<PdnGame> {
        loop {
            let mut raw = self.raw.read()?;
            if raw.is_empty() {
                // Separators in a row, or text without a game.
                self.counters.empty += u64::from(raw.end.is_some());
                if let Some((place, name, value)) = raw.tags.pop() {
                    let kind = PdnWarningKind::TextSkipped(format!("[{name} \"{value}\"]"));
                    raw.warnings.push(PdnWarning::at(place, kind));
                }
                if !raw.line.lead.is_empty() {
                    let text = raw.line.to_text().chars().take(LOOK_AHEAD).collect();
                    let kind = PdnWarningKind::TextSkipped(text);
                    raw.warnings.push(PdnWarning::at(raw.place, kind));
                }
                self.add_up(raw.warnings);
                continue;
            }
            self.counters.games += 1;
            match variant_of(&mut raw, &self.options) {
                Ok(variant) => return Some(self.resolve(raw, variant)),
                Err(other) => {
                    self.counters.other_type += 1;
                    let kind = PdnWarningKind::OtherGameType(other);
                    raw.warnings.push(PdnWarning::at(raw.place, kind));
                    self.add_up(raw.warnings);
                }
            }
        }
    }

    /// Counts the warnings of a game; returns those that it keeps.
    fn add_up(&mut self, warnings: Warnings) -> Vec<PdnWarning> {
        self.counters.warnings += warnings.summary.count();
        self.warnings.merge(warnings.summary);
        warnings.first
    }

    fn resolve(&mut self, mut raw: RawGame, variant: Variant) -> PdnGame {
        let mut warnings = std::mem::take(&mut raw.warnings);
        let (fen, bad_start) = match self.start(&raw, variant, &mut warnings) {
            Ok(fen) => (fen, None),
            Err(warning) => (None, Some(warning)),
        };
        let (start, fen) = match fen {
            Some((start, fen)) => (start, Some(fen)),
            None => (Position::initial_of(variant), None),
        };
        let result = result(&raw, &mut warnings);
        let raw_fen = raw.tag("FEN").map(|(_, text)| text.to_owned());
        let mut tags = Tags::new();
        let mut marked = None;
        for (place, name, value) in raw.tags {
            if name.eq_ignore_ascii_case(TRUNCATED) && marked.is_none() {
                let kind = PdnWarningKind::MarkedTruncated(value.clone());
                marked = Some(PdnWarning::at(place, kind));
            }
            tags.push(name, value);
        }
        // Tags in other languages are found under the standard name, too.
        for (standard, _) in TAGS {
            if tags.get(standard).is_none_or(is_unknown) {
                let found = tags.iter().find(|(name, _)| is_translation(name, standard));
                let value = found.map(|(_, value)| value.to_owned());
                value.into_iter().for_each(|value| tags.set(standard, &value));
            }
        }
        // The result at the end of the game fills a tag without one.
        if let Some((_, end, text)) = &raw.end
            && *end != GameResult::Unknown
            && tags.get("Result").is_none_or(is_unknown)
        {
            tags.set("Result", text);
        }
        let mut resolver = Resolver::new();
        let (line, stopped) = if bad_start.is_some() {
            // Moves from an unknown position are kept as text, and so is the FEN, since it cannot
            // be written as a tag.
            let fen = raw_fen.unwrap_or_default();
            let comment = Comment::new(&format!("FEN \"{fen}\" {}", raw.line.to_text()));
            (Variation { lead: vec![Annotation::Comment(comment)], plies: Vec::new() }, bad_start)
        } else {
            let resolved = resolver.line(start, raw.line);
            (resolved.line, resolved.stopped)
        };
        warnings.append(resolver.warnings);
        let truncated = stopped.or(raw.abandoned);
        if let Some(warning) = &truncated
            && !warnings.first.contains(warning)
        {
            warnings.push(warning.clone());
        }
        // A game that an earlier reader cut off needs no warning in this file.
        let truncated = truncated.or(marked);
        if let Some(why) = truncated.as_ref().filter(|_| tags.get(TRUNCATED).is_none()) {
            tags.set(TRUNCATED, &one_line(&why.to_string()));
        }
        let mut warnings = self.add_up(warnings);
        warnings.sort_by_key(|w| (w.line, w.column));
        let mut game = PdnGame {
            tags,
            start,
            halfmoves: fen.as_ref().and_then(|f| f.halfmoves),
            move_number: fen.as_ref().and_then(|f| f.move_number),
            line,
            result,
            truncated,
            is_duplicate: false,
            warnings,
            first_line: raw.place.line,
        };
        self.counters.ambiguous += resolver.ambiguous;
        self.count(&mut game);
        game
    }

    fn count(&mut self, game: &mut PdnGame) {
        let has_moves = !game.line.plies.is_empty();
        if has_moves && self.options.find_duplicates {
            let mut hasher = DefaultHasher::new();
            game.start.hash(&mut hasher);
            game.line.moves().for_each(|m| m.hash(&mut hasher));
            game.is_duplicate = !self.seen.insert(hasher.finish());
        }
        self.counters.duplicates += u64::from(game.is_duplicate);
        self.counters.truncated += u64::from(game.truncated.is_some());
        self.counters.empty += u64::from(!has_moves && game.truncated.is_none());
        self.counters.used +=
            u64::from(has_moves && game.truncated.is_none() && !game.is_duplicate);
    }

    /// The start position, from the `FEN` tag if there is one.
    fn start(
        &mut self,
        raw: &RawGame,
        variant: Variant,
        warnings: &mut Warnings,
    ) -> Result<Option<(Position, Fen)>, PdnWarning> {
        let Some((place, text)) = raw.tag("FEN").filter(|(_, text)| !is_unknown(text)) else {
            return Ok(None);
        };
        let stranded = if self.options.promote_stranded_men {
            StrandedMen::Promote
        } else {
            StrandedMen::Refuse
        };
        let read = || -> Result<(Fen, Position), ParseFenError> {
            let fen = Fen::parse_with(text, stranded)?;
            let position = position_of(&fen, variant, text)?;
            Ok((fen, position))
        };
        match read() {
            Ok((fen, position)) => {
                for &odd in fen.warnings.iter().take(MAX_WARNINGS) {
                    warnings.push(PdnWarning::at(place, PdnWarningKind::Fen(odd)));
                }
                self.counters.promoted += u64::from(fen.promoted);
                Ok(Some((position, fen)))
            }
            Err(error) => Err(PdnWarning::at(place, PdnWarningKind::BadFen(error))),
        }
    }
}

impl Iterator for PdnReader<'_> {
    type Item = Result<PdnGame, ParsePdnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let game = self.next_game();
        if game.is_none() {
            self.is_done = true;
            let line = self.line();
            let source = self.raw.lexer.take_error()?;
            return Some(Err(ParsePdnError::Io { line, source }));
        }
        game.map(Ok)
    }
}

/// The game by whose rules to read, or the kind of one that is to be skipped.
fn variant_of(raw: &mut RawGame, options: &ReadOptions) -> Result<Variant, OtherGame> {
    let wanted = options.variant;
    let is_said = |name| raw.tag(name).is_some_and(|(_, value)| Kind::read(value) != Kind::Unknown);
    let says_nothing = !is_said("GameType") && !is_said("Variant");
    let found = not_international(raw);
    let variant = match found {
        Some(other) => other.variant(),
        None if says_nothing => Some(wanted),
        None => Some(Variant::International),
    };
    let is_read = |it: &Variant| options.all_variants || *it == wanted;
    let read = (!options.all_variants).then_some(wanted);
    let other = OtherGame { read, ..found.unwrap_or(OtherGame::INTERNATIONAL) };
    variant.filter(is_read).ok_or(other)
}

/// The kind of a game that is not international draughts.
fn not_international(raw: &mut RawGame) -> Option<OtherGame> {
    let tag = |name| raw.tag(name).filter(|(_, value)| !is_unknown(value));
    let kind = |name| tag(name).map(|(_, value)| Kind::read(value));
    let game_type = kind("GameType");
    if let Some(Kind::Other(variant)) = kind("Variant")
        && !matches!(game_type, Some(Kind::Other(_)))
    {
        return Some(variant);
    }
    match game_type {
        None => {}
        Some(Kind::International) => return None,
        Some(Kind::Other(other)) if other != OtherGame::SMALL || is_small(raw) => {
            return Some(other);
        }
        Some(_) => {
            let warning = tag("GameType").map(|(place, value)| {
                PdnWarning::at(place, PdnWarningKind::BadGameType(value.to_owned()))
            });
            warning.into_iter().for_each(|warning| raw.warnings.push(warning));
        }
    }
    other_by_squares(raw)
}

/// Whether all moves stay on the squares to 32.
fn is_small(raw: &RawGame) -> bool {
    let written = raw.line.plies.iter().filter_map(|ply| ply.written.as_ref().ok());
    written.flat_map(|written| &written.squares).all(|square| square.number() <= 32)
}

/// The kind of a game on the board of 8x8, as far as the squares tell.
fn other_by_squares(raw: &RawGame) -> Option<OtherGame> {
    let fen = raw.tag("FEN").filter(|(_, text)| !is_unknown(text)).map(|(_, text)| text);
    if fen.is_some_and(|text| text.matches('/').count() == 7) {
        return Some(OtherGame::CHESS);
    }
    let start = fen.map(|text| text.parse::<Fen>().map(|fen| fen.setup));
    let is_on_small = |setup: &Setup| setup.occupied().into_iter().all(|s| s.number() <= 32);
    if !is_small(raw) || matches!(&start, Some(Ok(setup)) if !is_on_small(setup)) {
        return None;
    }
    let plies = &raw.line.plies;
    let mut written = plies.iter().filter_map(|ply| ply.written.as_ref().ok());
    let Some(first) = written.next() else {
        // Squares with letters belong to small boards. On our board, a side of ten men or more
        // cannot stand on squares up to 32 alone.
        let is_full = matches!(&start, Some(Ok(setup)) if setup.occupied().len() >= 18);
        return (raw.has_letters || is_full).then_some(OtherGame::SMALL);
    };
    // Moves without a capture have both squares on one diagonal; a single one may be a slip.
    let is_playable_there = || {
        let quiet = plies.iter().filter(|ply| ply.text.contains(is_dash));
        let mut quiet = quiet.filter_map(|ply| ply.written.as_ref().ok());
        quiet.clone().count() > 1 && quiet.all(MoveText::is_diagonal_on_small)
    };
    match start {
        // English draughts: Black, who sits at the low numbers, begins.
        None => match first.squares[0].number() {
            9..=12 => Some(OtherGame::ENGLISH),
            21..=24 if is_playable_there() => Some(OtherGame::SMALL),
            _ => None,
        },
        Some(Ok(setup)) => {
            let is_ours = setup.position().is_ok_and(|p| !first.candidates(&p).is_empty());
            (setup.occupied().len() >= 18 || !is_ours && is_playable_there())
                .then_some(OtherGame::SMALL)
        }
        Some(Err(_)) => None,
    }
}

/// The result of tag and terminator.
fn result(raw: &RawGame, warnings: &mut Warnings) -> GameResult {
    let end = raw.end.as_ref().map_or(GameResult::Unknown, |(_, result, _)| *result);
    let Some((place, value)) = raw.tag("Result").filter(|(_, value)| !is_unknown(value)) else {
        return end;
    };
    let Some(tag) = GameResult::parse(value) else {
        warnings.push(PdnWarning::at(place, PdnWarningKind::BadResult(value.to_owned())));
        return end;
    };
    if let Some((place, ..)) = raw.end
        && end != tag
        && end != GameResult::Unknown
    {
        warnings.push(PdnWarning::at(place, PdnWarningKind::ResultMismatch { tag, end }));
    }
    tag
}
