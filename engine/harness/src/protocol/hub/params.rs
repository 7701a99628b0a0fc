//! The engine's parameters: the one table for Hub, which declares and sets them, and for built-in
//! players of a match.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use meerslag_files::with_causes;
use movegen::{DrawRules, Variant};

use super::error::{HubError, quotable};
use super::line::LineWriter;
use super::number;
use egdb::DatabaseOptions;
use meerslag_book::{Book, BookOptions};
use meerslag_search::eval::Evaluation;
use meerslag_search::{EngineOptions, PlayingLevel};
use movegen::Score;

/// Other spellings of international draughts that clients send for `variant`.
const FROM_POSITION: &str = "fromposition";

/// More than a search in the same process needs: between us and the clock are pipes, a GUI, often a
/// network, and a scheduler that may be busy. Scan keeps the same time.
const DEFAULT_MOVE_OVERHEAD: Duration = Duration::from_millis(100);

/// `tt-size` of a table of one mebibyte: it counts powers of two of 16-byte entries.
const TT_SIZE_OF_1_MIB: i64 = 16;

/// Playing levels.
const LEVELS: RangeInclusive<i64> = PlayingLevel::MIN as i64..=PlayingLevel::MAX as i64;

/// One parameter.
struct Parameter {
    name: &'static str,
    field: Field,
}

/// The type of a parameter, how it is read from [`Params`], and how it is changed.
enum Field {
    Bool(fn(&Params) -> bool, fn(&mut Params, bool)),
    Integer(RangeInclusive<i64>, fn(&Params) -> i64, fn(&mut Params, i64)),
    /// In seconds.
    Time(RangeInclusive<f64>, fn(&Params) -> Duration, fn(&mut Params, Duration)),
    /// The error says what was expected.
    Text(fn(&Params) -> &str, fn(&mut Params, &str) -> Result<(), String>),
    /// One of several words, which are separated by blanks.
    Choice(fn() -> String, fn(&Params) -> &str, fn(&mut Params, &str) -> Result<(), String>),
}

impl Parameter {
    const fn new(name: &'static str, field: Field) -> Parameter {
        Parameter { name, field }
    }
}

/// All parameters, in order of declaration.
const PARAMETERS: [Parameter; 19] = {
    use Field::{Bool, Choice, Integer, Text, Time};
    const MAX_PIECES: i64 = DatabaseOptions::MAX_PIECES as i64;
    const MAX_DRAW: i64 = EngineOptions::MAX_DRAW_SCORE as i64;
    const MAX_CACHE: i64 = DatabaseOptions::MAX_CACHE_MIB as i64;
    [
        Parameter::new(
            Params::VARIANT,
            Choice(variants, |p| p.variant.hub_name(), Params::set_variant),
        ),
        Parameter::new("book", Bool(|p| p.book, |p, on| p.book = on)),
        Parameter::new("book-ply", Integer(0..=20, |p| p.book_ply, |p, n| p.book_ply = n)),
        Parameter::new(
            "book-margin",
            Integer(0..=100, |p| p.book_margin, |p, n| p.book_margin = n),
        ),
        Parameter::new("book-file", Text(|p| &p.book_file, Params::set_book_file)),
        Parameter::new("ponder", Bool(|p| p.ponder, |p, on| p.ponder = on)),
        Parameter::new("threads", Integer(1..=16, |p| p.threads, |p, n| p.threads = n)),
        // 1 MiB to 16 GiB.
        Parameter::new(
            "tt-size",
            Integer(TT_SIZE_OF_1_MIB..=30, Params::tt_size, Params::set_tt_size),
        ),
        Parameter::new("bb-size", Integer(0..=MAX_PIECES, |p| p.bb_size, |p, n| p.bb_size = n)),
        Parameter::new("bb-path", Text(|p| &p.bb_path, Params::set_bb_path)),
        Parameter::new(
            "bb-cache-mb",
            Integer(0..=MAX_CACHE, |p| p.bb_cache_mb, |p, n| p.bb_cache_mb = n),
        ),
        Parameter::new("hash-mb", Integer(1..=16_384, |p| p.hash_mb, |p, n| p.hash_mb = n)),
        Parameter::new(
            "move-overhead",
            Time(0.0..=5.0, |p| p.move_overhead, |p, t| p.move_overhead = t),
        ),
        Parameter::new(
            "safety-time",
            Time(0.1..=86_400.0, |p| p.safety_time, |p, t| p.safety_time = t),
        ),
        Parameter::new(
            "draw-rules",
            Choice(rule_sets, |p| p.draw_rules.name(), Params::set_draw_rules),
        ),
        Parameter::new(
            "draw-score",
            Integer(-MAX_DRAW..=MAX_DRAW, |p| p.draw_score, |p, n| p.draw_score = n),
        ),
        Parameter::new("show-wdl", Bool(|p| p.show_wdl, |p, on| p.show_wdl = on)),
        Parameter::new("eval-file", Text(|p| &p.eval_file, Params::set_eval_file)),
        Parameter::new("level", Integer(LEVELS, |p| p.level, |p, n| p.level = n)),
    ]
};

/// The values of all parameters. They are shown by `hub` and changed by `set-param`.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// The game of the positions.
    pub variant: Variant,
    /// Play moves from the opening book.
    pub book: bool,
    /// Number of first plies with randomised book choice.
    pub book_ply: i64,
    /// How much worse than the best a randomly chosen move may be, in hundredths of a man.
    pub book_margin: i64,
    /// The file of the book, as it was named; empty for that in the program.
    pub book_file: String,
    /// The book in that file.
    pub opened_book: Option<Arc<Book>>,
    /// The GUI may ask to ponder; the engine then plans to use more of its time.
    pub ponder: bool,
    /// Search threads.
    pub threads: i64,
    /// Transposition table in MiB. `tt-size` is a second face of the same number.
    pub hash_mb: i64,
    /// Largest piece count of the endgame databases; below 2 none are used.
    pub bb_size: i64,
    /// Folders of the endgame databases, see [`DatabaseOptions::folder_list`]; empty for those in the program.
    pub bb_path: String,
    /// Memory for the databases' blocks in MiB; 0 maps the files.
    pub bb_cache_mb: i64,
    /// Time kept back at each move for the way to and from the GUI.
    pub move_overhead: Duration,
    /// Longest thinking time when `go think` comes without any `level`.
    pub safety_time: Duration,
    /// The reading of the draw rules that the search believes in.
    pub draw_rules: DrawRules,
    /// The value of a draw to the engine, in hundredths of a man.
    pub draw_score: i64,
    /// `info` lines have the chances of a win, a draw and a loss.
    pub show_wdl: bool,
    /// The file of the evaluation's weights, as it was named; empty for those in the program.
    pub eval_file: String,
    /// The contents of that file.
    pub evaluation: Evaluation,
    /// How strongly the engine plays, see [`PlayingLevel`].
    pub level: i64,
}

impl Default for Params {
    fn default() -> Params {
        let options = EngineOptions::default();
        Params {
            variant: Variant::International,
            book: true,
            book_ply: BookOptions::DEFAULT.0.into(),
            book_margin: BookOptions::DEFAULT.1.into(),
            book_file: String::new(),
            opened_book: Some(Book::built_in()),
            ponder: false,
            threads: options.threads as i64,
            hash_mb: options.hash_mib as i64,
            bb_size: 5,
            bb_path: String::new(),
            bb_cache_mb: 0,
            move_overhead: DEFAULT_MOVE_OVERHEAD,
            safety_time: Duration::from_secs(60),
            draw_rules: options.draw_rules,
            draw_score: options.draw_score.hundredths().into(),
            show_wdl: false,
            eval_file: String::new(),
            evaluation: options.evaluation,
            level: options.level.number().into(),
        }
    }
}

impl Params {
    /// The parameter that names the rules of the game.
    pub(crate) const VARIANT: &'static str = "variant";

    /// Changes one parameter as a client of the protocol does. Unknown names are ignored, and
    /// numbers outside the range are set to its nearer end.
    ///
    /// # Errors
    /// If a known parameter gets a value of the wrong kind; nothing is changed then.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), HubError> {
        match find(name) {
            Some(parameter) => self.assign(parameter, text, true),
            None => Ok(()),
        }
    }

    /// Changes one parameter typed by a user: nothing is ignored or corrected.
    ///
    /// # Errors
    /// If there is no such parameter, or the value is of the wrong kind or out of range; nothing is
    /// changed then.
    pub fn set_exactly(&mut self, name: &str, text: &str) -> Result<(), HubError> {
        let parameter = find(name).ok_or_else(|| HubError::UnknownParam {
            name: quotable(name),
            names: PARAMETERS.map(|parameter| parameter.name).join(", "),
        })?;
        self.assign(parameter, text, false)
    }

    fn assign(
        &mut self,
        parameter: &Parameter,
        text: &str,
        is_clamped: bool,
    ) -> Result<(), HubError> {
        let bad = |expected: String| HubError::bad_value(parameter.name, text, expected);
        match &parameter.field {
            Field::Bool(_, set) => {
                set(self, boolean(text).ok_or_else(|| bad("true or false".to_owned()))?);
            }
            Field::Integer(range, _, set) => {
                let (min, max) = (*range.start(), *range.end());
                let number = number::integer(parameter.name, text).ok();
                let number = number.filter(|n| is_clamped || range.contains(n));
                let number =
                    number.ok_or_else(|| bad(format!("an integer from {min} to {max}")))?;
                set(self, number.clamp(min, max));
            }
            Field::Time(range, _, set) => {
                let (min, max) = (*range.start(), *range.end());
                let number = number::real(parameter.name, text).ok();
                let number = number.filter(|n| is_clamped || range.contains(n));
                let number = number.ok_or_else(|| bad(format!("a number from {min} to {max}")))?;
                set(self, Duration::from_secs_f64(number.clamp(min, max)));
            }
            Field::Text(_, set) | Field::Choice(_, _, set) => set(self, text).map_err(bad)?,
        }
        Ok(())
    }

    /// Whether there is a parameter of this name.
    #[must_use]
    pub fn is_known(&self, name: &str) -> bool {
        find(name).is_some()
    }

    /// The `param` lines that declare the parameters with their current values.
    #[must_use]
    pub fn declarations(&self) -> Vec<String> {
        PARAMETERS.iter().map(|parameter| self.declaration(parameter)).collect()
    }

    fn declaration(&self, parameter: &Parameter) -> String {
        let line = LineWriter::new("param").arg("name", parameter.name);
        match &parameter.field {
            Field::Bool(get, _) => line.arg("value", get(self)).arg("type", "bool"),
            Field::Integer(range, get, _) => line
                .arg("value", get(self))
                .arg("type", "int")
                .arg("min", range.start())
                .arg("max", range.end()),
            Field::Time(range, get, _) => line
                .arg("value", get(self).as_secs_f64())
                .arg("type", "real")
                .arg("min", range.start())
                .arg("max", range.end()),
            Field::Text(get, _) => line.arg("value", get(self)).arg("type", "string"),
            // `values` comes last in the line: one client takes all after the last `=`.
            Field::Choice(values, get, _) => {
                line.arg("value", get(self)).arg("type", "enum").quoted("values", &values())
            }
        }
        .finish()
    }

    /// The table need not be a power of two: the largest one that fits.
    fn tt_size(&self) -> i64 {
        TT_SIZE_OF_1_MIB + i64::from(self.hash_mb.ilog2())
    }

    fn set_tt_size(&mut self, size: i64) {
        self.hash_mb = 1 << (size - TT_SIZE_OF_1_MIB);
    }

    /// The error for a game that is not known here.
    pub(crate) fn no_variant(text: &str) -> HubError {
        HubError::bad_value(Params::VARIANT, text, format!("one of {}", variants()))
    }

    fn set_variant(&mut self, text: &str) -> Result<(), String> {
        let variant = match text {
            FROM_POSITION => Variant::International,
            _ => text.parse().map_err(|_| format!("one of {}", variants()))?,
        };
        self.evaluation = weights(&self.eval_file, variant)?;
        self.variant = variant;
        Ok(())
    }

    fn set_bb_path(&mut self, text: &str) -> Result<(), String> {
        text.clone_into(&mut self.bb_path);
        Ok(())
    }

    fn set_book_file(&mut self, text: &str) -> Result<(), String> {
        let book = Book::named(text).map_err(|error| format!("a book: {}", with_causes(&error)))?;
        self.opened_book = Some(book);
        text.clone_into(&mut self.book_file);
        Ok(())
    }

    fn set_draw_rules(&mut self, text: &str) -> Result<(), String> {
        self.draw_rules = text.parse().map_err(|_| format!("one of {}", rule_sets()))?;
        Ok(())
    }

    fn set_eval_file(&mut self, text: &str) -> Result<(), String> {
        self.evaluation = weights(text, self.variant)?;
        text.clone_into(&mut self.eval_file);
        Ok(())
    }

    /// These parameters as engine options.
    #[must_use]
    pub fn engine_options(&self) -> EngineOptions {
        EngineOptions {
            hash_mib: self.hash_mb as usize,
            threads: self.threads as usize,
            move_overhead: self.move_overhead,
            ponder: self.ponder,
            draw_rules: self.draw_rules,
            draw_score: Score::new(self.draw_score as i32),
            databases: DatabaseOptions {
                pieces: self.bb_size as u8,
                folders: DatabaseOptions::folder_list(&self.bb_path),
                cache_mib: self.bb_cache_mb as usize,
                variant: self.variant,
            },
            evaluation: self.evaluation.clone(),
            level: PlayingLevel::new(self.level as u8).unwrap_or_default(),
            book: self.opened_book.clone().filter(|_| self.book).map(|book| BookOptions {
                book,
                plies: self.book_ply as u32,
                margin: self.book_margin as i32,
            }),
        }
    }
}

fn find(name: &str) -> Option<&'static Parameter> {
    const ALL: &[Parameter] = &PARAMETERS;
    ALL.iter().find(|parameter| parameter.name == name)
}

/// The evaluation of this name for a game.
fn weights(name: &str, variant: Variant) -> Result<Evaluation, String> {
    Evaluation::named(name, variant).map_err(|error| format!("weights: {}", with_causes(&error)))
}

/// The names of all variants as Scan declares them, separated by blanks. Frysk! is Frisian there.
fn variants() -> String {
    use Variant::{Breakthrough, Frisian, International, Killer, Losing};
    [International, Killer, Breakthrough, Frisian, Losing].map(Variant::hub_name).join(" ")
}

/// The names of all rule sets, separated by blanks.
fn rule_sets() -> String {
    DrawRules::ALL.map(DrawRules::name).join(" ")
}

fn boolean(text: &str) -> Option<bool> {
    // Python clients send `True`.
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::Line;
    use super::*;

    #[test]
    fn every_parameter_is_declared_with_what_it_accepts() {
        let declared = Params::default().declarations();
        let lines: Vec<Line> = declared.iter().map(|l| Line::parse(l).unwrap().unwrap()).collect();
        let names: Vec<_> = lines.iter().map(|l| l.value("name").unwrap()).collect();
        assert_eq!(names, PARAMETERS.map(|parameter| parameter.name));
        for line in &lines {
            let mut params = Params::default();
            let (name, value) = (line.value("name").unwrap(), line.value("value").unwrap());
            params.set(name, value).unwrap();
            assert_eq!(params, Params::default(), "the declared value of {name} changes nothing");
            if line.has("max") {
                for (text, end) in [("1000000000", "max"), ("-1000000000", "min")] {
                    params.set(name, text).unwrap();
                    let declared = params.declarations();
                    let index = names.iter().position(|n| *n == name).unwrap();
                    let again = Line::parse(&declared[index]).unwrap().unwrap();
                    assert_eq!(again.value("value"), line.value(end), "{name} clamped to {end}");
                    let before = params.clone();
                    let error = params.set_exactly(name, text).unwrap_err().to_string();
                    assert!(error.contains("from") && params == before, "{name}: {error}");
                }
            }
            if name != "bb-path" {
                assert!(params.set(name, "rubbish").is_err(), "{name}");
                assert!(
                    params.set(name, "").is_err() || name == "eval-file" || name == "book-file",
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn both_faces_of_the_table_size() {
        let mut params = Params::default();
        params.set("tt-size", "24").unwrap();
        assert_eq!(params.hash_mb, 256, "2^24 entries of 16 bytes");
        assert_eq!(params.engine_options().hash_mib, 256);
        params.set("hash-mb", "100").unwrap();
        assert!(params.declarations()[7].contains("name=tt-size value=22 "));
    }

    #[test]
    fn variants() {
        let mut params = Params::default();
        for (text, name) in [
            ("killer", "killer"),
            ("bt", "bt"),
            ("breakthrough", "bt"),
            ("frisian", "frisian"),
            ("frysk", "frisian"),
            ("losing", "losing"),
            ("antidraughts", "losing"),
            ("fromposition", "normal"),
            ("standard", "normal"),
            ("normal", "normal"),
        ] {
            params.set("variant", text).unwrap();
            assert!(params.declarations()[0].contains(&format!("value={name} ")), "{text}");
        }
        for text in ["russian", "8x8", ""] {
            let error = params.set("variant", text).unwrap_err().to_string();
            assert!(error.contains("variant") && error.contains("normal killer bt"), "{error}");
        }
        assert!(params.declarations()[0].ends_with("values=\"normal killer bt frisian losing\""));
    }

    #[test]
    fn unknown_names_are_ignored() {
        let mut params = Params::default();
        params.set("initial-time", "180").unwrap();
        params.set("gui-colour", "").unwrap();
        assert_eq!(params, Params::default());
        let error = params.set_exactly("hash-mbb", "64").unwrap_err().to_string();
        assert!(error.starts_with("unknown parameter hash-mbb, expected variant, "), "{error}");
    }
}
