//! PDN 3.0 in one strict form.

use std::io::{self, Write};

use super::game::{Annotation, PdnGame, Tags, Variation};
use super::kind::Kind;
use super::raw::is_unknown;
use super::result::GameResult;
use super::text::{PARAGRAPH, one_line};
use crate::color::Color;
use crate::notation::fen::Fen;
use crate::notation::moves::format_move;
use crate::position::Position;
use crate::variant::Variant;

/// Lines of move text are shorter than this many characters.
const LINE: usize = 80;

/// How to write a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WriteOptions {
    /// End the move text with `*` as PDN 3.0 wants it, instead of with the result.
    pub star_terminator: bool,
    /// Only tags, moves and `*`, for readers such as Hub 2.1: no comments, NAGs, variations,
    /// counters in the FEN, or set-ups (the moves end before the first set-up).
    pub plain: bool,
}

/// Tags that every game has, in writing order, with the value for "unknown".
const ALWAYS: [(&str, &str); 6] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
];

/// Tags that follow the result if they are known.
const IF_KNOWN: [&str; 5] =
    ["WhiteType", "BlackType", "TimeControl", "TimeControlWhite", "TimeControlBlack"];

/// Tags that the writer sets itself, and the first one, which begins the next game if it comes again.
const OWN: [&str; 6] = ["Event", "Result", "GameType", "SetUp", "FEN", "PlyCount"];

/// Writes a game, followed by an empty line.
///
/// The tags come in the usual order, unknown ones after the known. A `Result` tag keeps its text
/// (`1-0`, `12-8`, `remise`) unless it contradicts a known result. Without a tag, and at the end of
/// the moves, the result has the two-point form. The FEN has lidraughts' counters if the game has
/// them. A capture is written long only where its short form is ambiguous.
///
/// # Errors
/// If the output fails.
pub fn write_game(out: &mut impl Write, game: &PdnGame, options: &WriteOptions) -> io::Result<()> {
    out.write_all(game_to_string(game, options).as_bytes())
}

/// The text that [`write_game`] writes.
#[must_use]
pub fn game_to_string(game: &PdnGame, options: &WriteOptions) -> String {
    let mut text = tags_to_string(game, options);
    text.push('\n');
    let mut movetext = WrittenMove::new(text);
    let tag = game.tags.get("Result").unwrap_or_default();
    let number = game.move_number.filter(|_| !options.plain).unwrap_or(1);
    movetext.line(game.start, number, &game.line, options);
    // If the tag cannot be read, the end of the moves has the result.
    let is_said = is_unknown(tag) || GameResult::parse(tag).is_some();
    let is_star = is_said && (options.star_terminator || options.plain);
    let end = if is_star { "*" } else { result(game).as_str() };
    movetext.word(end);
    movetext.flush();
    movetext.text.push_str("\n\n");
    movetext.text
}

/// The result; where it is not known, that of the tag.
fn result(game: &PdnGame) -> GameResult {
    let tag = || game.tags.get("Result").and_then(GameResult::parse);
    let result = Some(game.result).filter(|result| *result != GameResult::Unknown);
    result.or_else(tag).unwrap_or_default()
}

/// The tags of a game as [`write_game`] writes them, before the empty line.
#[must_use]
pub fn tags_to_string(game: &PdnGame, options: &WriteOptions) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = one_line(value).replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!("[{name} \"{value}\"]\n"));
    };
    for (name, unknown) in ALWAYS {
        tag(name, game.tags.get(name).filter(|v| !v.is_empty()).unwrap_or(unknown));
    }
    let says = |name: &str, is_so: &dyn Fn(&str) -> bool, or: &'static str| {
        game.tags.get(name).filter(|value| is_so(value)).unwrap_or(or).to_owned()
    };
    let result = result(game);
    let is_result =
        |text: &str| !is_unknown(text) && GameResult::parse(text).is_none_or(|said| said == result);
    tag("Result", &says("Result", &is_result, result.as_str()));
    for name in IF_KNOWN {
        if let Some(value) = game.tags.get(name) {
            tag(name, value);
        }
    }
    let variant = game.start.variant();
    let fitting = |text: &str| Kind::read(text).variant() == Some(variant);
    let number = match variant {
        Variant::Frisian => "40,W,10,10,N2,0",
        _ => variant.game_type(),
    };
    tag("GameType", &says("GameType", &fitting, number));
    let is_told = game.tags.get("Variant").is_some_and(fitting);
    if variant != Variant::International && !is_told {
        tag("Variant", variant.title());
    }
    let fen = if options.plain { Fen::from(&game.start) } else { game.start_fen() };
    let fen = fen.to_string_with_counters();
    if fen != Position::initial_of(variant).to_fen() {
        tag("SetUp", "1");
        tag("FEN", &fen);
    }
    tag("PlyCount", &plies(&game.line, options).to_string());
    if let Some(value) = game.tags.get("Termination") {
        tag("Termination", value);
    }
    let known: Vec<&str> = ALWAYS.iter().map(|(name, _)| *name).chain(IF_KNOWN).collect();
    let is_among = |name: &str, names: &[&str]| names.iter().any(|n| n.eq_ignore_ascii_case(name));
    let mut written: Vec<&str> = Vec::new();
    for (name, value) in game.tags.iter().filter(|(name, _)| Tags::is_name(name)) {
        let is_known = is_among(name, &known) || is_among(name, &["Termination"]);
        if is_among(name, &OWN) || (is_known && !is_among(name, &written)) {
            written.push(name);
        } else {
            tag(name, value);
        }
    }
    text
}

/// How many moves of the line are written.
fn plies(line: &Variation, options: &WriteOptions) -> usize {
    let sets_up = |list: &[Annotation]| list.iter().any(|a| matches!(a, Annotation::SetUp(_)));
    if !options.plain {
        line.plies.len()
    } else if sets_up(&line.lead) {
        0
    } else {
        let first = line.plies.iter().position(|p| sets_up(&p.after));
        first.map_or(line.plies.len(), |i| i + 1)
    }
}

/// Characters of a command that is not broken; longer ones do not fit into a line with the braces.
const LONGEST_COMMAND: usize = LINE - 4;

/// The words of a comment, each command a word.
fn whole_commands(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    // Words since a command began that has not ended.
    let mut open: Option<usize> = None;
    for word in text.split_whitespace() {
        words.push(word.to_owned());
        let is_begun = word.rfind("[%").is_some_and(|at| !word[at..].contains(']'));
        if let Some(first) = open
            && word.contains(']')
        {
            open = None;
            let command = words[first..].join(" ");
            if command.chars().count() <= LONGEST_COMMAND {
                words.truncate(first);
                words.push(command);
            }
        }
        if is_begun {
            open = Some(words.len() - 1);
        }
    }
    words
}

struct WrittenMove {
    text: String,
    /// Characters in the current line.
    column: usize,
    /// The last word, which may still get closing parentheses, and whether a line may break
    /// before it.
    pending: (String, bool),
    /// Opening parentheses that the next word starts with.
    opening: usize,
    /// Whether the next move must have its number, also if it is Black's.
    must_number: bool,
}

impl WrittenMove {
    /// Move text after what is already written.
    fn new(text: String) -> WrittenMove {
        let pending = (String::new(), true);
        WrittenMove { text, column: 0, pending, opening: 0, must_number: true }
    }

    /// Adds a word after a blank, or on a new line if there is no room.
    fn word(&mut self, word: &str) {
        self.add(word, true);
    }

    fn add(&mut self, word: &str, may_break: bool) {
        self.flush();
        let opening = "(".repeat(std::mem::take(&mut self.opening));
        self.pending = (opening + word, may_break);
    }

    fn flush(&mut self) {
        let (word, may_break) = std::mem::take(&mut self.pending);
        if word.is_empty() {
            return;
        }
        let length = word.chars().count();
        if self.column > 0 {
            if may_break && self.column + 1 + length >= LINE {
                self.text.push('\n');
                self.column = 0;
            } else {
                self.text.push(' ');
                self.column += 1;
            }
        }
        self.text.push_str(&word);
        self.column += length;
    }

    /// Ends the line, and leaves the next one empty.
    fn paragraph(&mut self) {
        self.flush();
        self.text.push_str(PARAGRAPH);
        self.column = 0;
    }

    /// Adds a comment; it is broken at blanks, but not within a command such as `[%emt 0:00:04]`,
    /// nor before a word with a meaning at the start of a line.
    fn comment(&mut self, text: &str) {
        let text: String = text
            .chars()
            .map(|c| match c {
                '{' => '(',
                '}' => ')',
                c => c,
            })
            .collect();
        let paragraphs: Vec<Vec<String>> = text.split(PARAGRAPH).map(whole_commands).collect();
        let last = paragraphs.iter().map(Vec::len).sum::<usize>();
        let mut number = 0;
        for paragraph in &paragraphs {
            for (at, word) in paragraph.iter().enumerate() {
                let open = if number == 0 { "{" } else { "" };
                number += 1;
                let close = if number == last { "}" } else { "" };
                if at == 0 && number > 1 {
                    self.paragraph();
                }
                let is_plain = word.starts_with("[%") || !word.starts_with(['%', '[']);
                self.add(&format!("{open}{word}{close}"), is_plain || number == 1);
            }
        }
        if last == 0 {
            return;
        }
        self.must_number = true;
    }

    fn annotations(
        &mut self,
        before: Position,
        number: u32,
        position: &mut Position,
        list: &[Annotation],
    ) {
        let mut base = before;
        let mut base_number = number;
        for annotation in list {
            match annotation {
                Annotation::Comment(comment) => self.comment(&comment.text),
                Annotation::Variation(line) => {
                    self.variation(base, base_number, line);
                    self.must_number = true;
                }
                Annotation::SetUp(next) => {
                    self.word(&format!("/FEN \"{}\"/", next.to_fen()));
                    *position = *next;
                    base = *next;
                    base_number = number.saturating_add(1);
                    self.must_number = true;
                }
            }
        }
    }

    fn variation(&mut self, start: Position, number: u32, line: &Variation) {
        self.opening += 1;
        self.must_number = true;
        self.line(start, number, line, &WriteOptions::default());
        if self.opening > 0 {
            // Nothing was written inside.
            self.opening -= 1;
        } else {
            self.pending.0.push(')');
        }
    }

    fn line(&mut self, start: Position, mut number: u32, line: &Variation, options: &WriteOptions) {
        let mut position = start;
        if !options.plain {
            self.annotations(start, number, &mut position, &line.lead);
        }
        for ply in &line.plies[..plies(line, options)] {
            let before = position;
            let side = before.side_to_move();
            if side == Color::White {
                self.word(&format!("{number}."));
            } else if self.must_number {
                self.word(&format!("{number}..."));
            }
            self.must_number = false;
            self.word(&format_move(&before, ply.mv));
            position = before.after(ply.mv);
            if !options.plain {
                for nag in &ply.nags {
                    self.word(&format!("${nag}"));
                }
                self.annotations(before, number, &mut position, &ply.after);
            }
            if side == Color::Black || position.side_to_move() == Color::White {
                number = number.saturating_add(1);
            }
        }
    }
}
