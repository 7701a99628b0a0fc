//! The engine's parameters as Hub declares and sets them.

use std::ops::RangeInclusive;
use std::time::Duration;

use movegen::DrawRules;

use super::error::HubError;
use super::line::LineWriter;
use super::number;
use crate::eval::{Evaluation, WeightsError};
use crate::{DatabaseOptions, EngineOptions};

/// Spellings of international draughts that clients send for `variant`.
const NORMAL: [&str; 4] = ["normal", "standard", "international", "fromposition"];

const BOOK_PLY: RangeInclusive<i64> = 0..=20;
const BOOK_MARGIN: RangeInclusive<i64> = 0..=100;
const THREADS: RangeInclusive<i64> = 1..=16;
/// Powers of two of 16-byte entries: 1 MiB to 16 GiB.
const TT_SIZE: RangeInclusive<i64> = 16..=30;
const BB_SIZE: RangeInclusive<i64> = 0..=DatabaseOptions::MAX_PIECES as i64;
const BB_CACHE_MB: RangeInclusive<i64> = 0..=DatabaseOptions::MAX_CACHE_MIB as i64;
const HASH_MB: RangeInclusive<i64> = 1..=16_384;
/// Seconds.
const MOVE_OVERHEAD: RangeInclusive<f64> = 0.0..=5.0;
/// Seconds. More than a search in the same process needs: between us and the clock are pipes, a
/// GUI, often a network, and a scheduler that may be busy. Scan keeps as much.
const DEFAULT_MOVE_OVERHEAD: f64 = 0.1;
/// Seconds.
const SAFETY_TIME: RangeInclusive<f64> = 0.1..=86_400.0;

/// `tt-size` of a table of one mebibyte.
const TT_SIZE_OF_1_MIB: i64 = 16;

/// All names, in the order in which they are declared.
const NAMES: [&str; 15] = [
    "variant",
    "book",
    "book-ply",
    "book-margin",
    "ponder",
    "threads",
    "tt-size",
    "bb-size",
    "bb-path",
    "bb-cache-mb",
    "hash-mb",
    "move-overhead",
    "safety-time",
    "draw-rules",
    "eval-file",
];

/// The values of all parameters. They are shown by `hub` and changed by `set-param`.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// Use the opening book. No effect yet.
    pub book: bool,
    /// Number of first plies with randomised book choice. No effect yet.
    pub book_ply: i64,
    /// Amount of randomness in the book choice. No effect yet.
    pub book_margin: i64,
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
    /// Time kept back at each move for the way to and from the GUI, in seconds.
    pub move_overhead: f64,
    /// Longest thinking time, in seconds, when `go think` comes without any `level`.
    pub safety_time: f64,
    /// The reading of the draw rules that the search believes in.
    pub draw_rules: DrawRules,
    /// The file of the evaluation's weights, as it was named; empty for those in the program.
    pub eval_file: String,
    /// What was in that file.
    pub evaluation: Evaluation,
}

impl Default for Params {
    fn default() -> Params {
        let options = EngineOptions::default();
        Params {
            book: true,
            book_ply: 4,
            book_margin: 4,
            ponder: false,
            threads: options.threads as i64,
            hash_mb: options.hash_mib as i64,
            bb_size: 5,
            bb_path: String::new(),
            bb_cache_mb: 0,
            move_overhead: DEFAULT_MOVE_OVERHEAD,
            safety_time: 60.0,
            draw_rules: options.draw_rules,
            eval_file: String::new(),
            evaluation: options.evaluation,
        }
    }
}

impl Params {
    /// Changes one parameter. Unknown names are ignored, as the protocol demands; numbers
    /// outside the range are set to its nearer end.
    ///
    /// # Errors
    /// If a known parameter gets a value of the wrong kind; nothing is changed then.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), HubError> {
        match name {
            "variant" => variant(text)?,
            "book" => self.book = boolean(name, text)?,
            "book-ply" => self.book_ply = integer(name, text, &BOOK_PLY)?,
            "book-margin" => self.book_margin = integer(name, text, &BOOK_MARGIN)?,
            "ponder" => self.ponder = boolean(name, text)?,
            "threads" => self.threads = integer(name, text, &THREADS)?,
            "tt-size" => {
                self.hash_mb = 1 << (integer(name, text, &TT_SIZE)? - TT_SIZE_OF_1_MIB);
            }
            "bb-size" => self.bb_size = integer(name, text, &BB_SIZE)?,
            "bb-path" => text.clone_into(&mut self.bb_path),
            "bb-cache-mb" => self.bb_cache_mb = integer(name, text, &BB_CACHE_MB)?,
            "hash-mb" => self.hash_mb = integer(name, text, &HASH_MB)?,
            "move-overhead" => self.move_overhead = real(name, text, &MOVE_OVERHEAD)?,
            "draw-rules" => self.draw_rules = draw_rules(text)?,
            "eval-file" => {
                let error =
                    |e: WeightsError| HubError::bad_value(name, text, format!("weights: {e}"));
                self.evaluation = Evaluation::named(text).map_err(error)?;
                text.clone_into(&mut self.eval_file);
            }
            "safety-time" => self.safety_time = real(name, text, &SAFETY_TIME)?,
            _ => {}
        }
        Ok(())
    }

    /// Whether there is a parameter of this name.
    #[must_use]
    pub fn is_known(&self, name: &str) -> bool {
        NAMES.contains(&name)
    }

    /// The `param` lines that declare the parameters with their current values.
    #[must_use]
    pub fn declarations(&self) -> Vec<String> {
        // The table need not be a power of two: declare the largest one that fits.
        let tt_size = TT_SIZE_OF_1_MIB + i64::from(self.hash_mb.ilog2());
        vec![
            // `values` comes last in the line: one client takes all after the last `=`.
            param("variant", "normal", "enum").quoted("values", "normal").finish(),
            param("book", self.book, "bool").finish(),
            int("book-ply", self.book_ply, &BOOK_PLY),
            int("book-margin", self.book_margin, &BOOK_MARGIN),
            param("ponder", self.ponder, "bool").finish(),
            int("threads", self.threads, &THREADS),
            int("tt-size", tt_size, &TT_SIZE),
            int("bb-size", self.bb_size, &BB_SIZE),
            param("bb-path", &self.bb_path, "string").finish(),
            int("bb-cache-mb", self.bb_cache_mb, &BB_CACHE_MB),
            int("hash-mb", self.hash_mb, &HASH_MB),
            number("move-overhead", self.move_overhead, &MOVE_OVERHEAD),
            number("safety-time", self.safety_time, &SAFETY_TIME),
            param("draw-rules", self.draw_rules, "enum").quoted("values", &rule_sets()).finish(),
            param("eval-file", &self.eval_file, "string").finish(),
        ]
    }

    /// What of this the engine itself wants to know.
    #[must_use]
    pub fn engine_options(&self) -> EngineOptions {
        EngineOptions {
            hash_mib: self.hash_mb as usize,
            threads: self.threads as usize,
            move_overhead: Duration::from_secs_f64(self.move_overhead),
            ponder: self.ponder,
            draw_rules: self.draw_rules,
            databases: DatabaseOptions {
                pieces: self.bb_size as u8,
                folders: DatabaseOptions::folder_list(&self.bb_path),
                cache_mib: self.bb_cache_mb as usize,
            },
            evaluation: self.evaluation.clone(),
        }
    }
}

fn param(name: &str, value: impl std::fmt::Display, kind: &str) -> LineWriter {
    LineWriter::new("param").arg("name", name).arg("value", value).arg("type", kind)
}

fn int(name: &str, value: i64, range: &RangeInclusive<i64>) -> String {
    param(name, value, "int").arg("min", range.start()).arg("max", range.end()).finish()
}

fn number(name: &str, value: f64, range: &RangeInclusive<f64>) -> String {
    param(name, value, "real").arg("min", range.start()).arg("max", range.end()).finish()
}

fn variant(text: &str) -> Result<(), HubError> {
    if NORMAL.contains(&text) {
        return Ok(());
    }
    Err(HubError::bad_value("variant", text, "normal, the only variant this engine plays"))
}

fn draw_rules(text: &str) -> Result<DrawRules, HubError> {
    text.parse()
        .map_err(|_| HubError::bad_value("draw-rules", text, format!("one of {}", rule_sets())))
}

/// The names of all rule sets, separated by blanks.
fn rule_sets() -> String {
    DrawRules::ALL.map(DrawRules::name).join(" ")
}

fn boolean(name: &str, text: &str) -> Result<bool, HubError> {
    // Python clients send `True`.
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(HubError::bad_value(name, text, "true or false")),
    }
}

fn integer(name: &str, text: &str, range: &RangeInclusive<i64>) -> Result<i64, HubError> {
    let (min, max) = (*range.start(), *range.end());
    number::integer(name, text)
        .map(|n| n.clamp(min, max))
        .map_err(|_| HubError::bad_value(name, text, format!("an integer from {min} to {max}")))
}

fn real(name: &str, text: &str, range: &RangeInclusive<f64>) -> Result<f64, HubError> {
    let (min, max) = (*range.start(), *range.end());
    number::real(name, text)
        .map(|n| n.clamp(min, max))
        .map_err(|_| HubError::bad_value(name, text, format!("a number from {min} to {max}")))
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
        assert_eq!(names, NAMES);
        for line in lines {
            let mut params = Params::default();
            let (name, value) = (line.value("name").unwrap(), line.value("value").unwrap());
            params.set(name, value).unwrap();
            assert_eq!(params, Params::default(), "the declared value of {name} changes nothing");
            if line.has("max") {
                for (text, end) in [("1000000000", "max"), ("-1000000000", "min")] {
                    params.set(name, text).unwrap();
                    let declared = params.declarations();
                    let index = NAMES.iter().position(|n| *n == name).unwrap();
                    let again = Line::parse(&declared[index]).unwrap().unwrap();
                    assert_eq!(again.value("value"), line.value(end), "{name} clamped to {end}");
                }
            }
            if name != "bb-path" {
                assert!(params.set(name, "rubbish").is_err(), "{name}");
                assert!(params.set(name, "").is_err() || name == "eval-file", "{name}");
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
        assert!(params.declarations()[6].contains("name=tt-size value=22 "));
    }

    #[test]
    fn variants() {
        let mut params = Params::default();
        for text in NORMAL {
            params.set("variant", text).unwrap();
        }
        for text in ["killer", "bt", "breakthrough", "frisian", "losing", "Normal", ""] {
            let error = params.set("variant", text).unwrap_err().to_string();
            assert!(error.contains("variant") && error.contains("normal"), "{error}");
        }
        assert!(params.declarations()[0].contains("value=normal"));
    }

    #[test]
    fn unknown_names_are_ignored() {
        let mut params = Params::default();
        params.set("initial-time", "180").unwrap();
        params.set("gui-colour", "").unwrap();
        assert_eq!(params, Params::default());
    }
}
