//! `meerslag egdb stats`.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use ::egdb::SubId;
use ::egdb::{Database, DbType, Slice};
use clap::{Args, ValueEnum};
use egdb_build::survey::{Counts, Longest, Options, Progress, SideSurvey, SurveyError, survey};
use movegen::Color;
use movegen::words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::Failure;
use super::super::databases::{FoldersArgs, ReadingArgs};
use super::super::failure::Ends;
use super::super::interrupt::Interrupt;
use super::super::json::{self, Record};
use super::super::progress::Bar;
use super::super::streams::{only_print, stdout};
use super::super::terminal;
use super::selection::SelectionArgs;

const EXAMPLES: &str = "\
Examples:
  meerslag egdb stats --egdb db
  meerslag egdb stats --egdb db --pieces 4 --format markdown > statistics.md
  meerslag egdb stats --egdb /data/wld --egdb /data/dtw --slices 2110,1111 --json

For every slice and side to move, over all legal positions: wins, losses and draws for the side \
to move, positions with a capture, the longest win and loss in plies to the end of the game \
(dtw), the greatest distance to conversion (mtc, exact also below 10, which is not stored) with \
the first position of each, and the bits of compressed data a position takes in each database. A \
slice is written as four digits: black men, black kings, white men, white kings; of a slice and \
its twin with colours exchanged only one is stored, and if they are the same only Black to move.

JSON: one object a line for each slice and side to move.";

/// Count wins, losses and draws of all positions, and find the longest
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct StatsArgs {
    #[command(flatten)]
    folders: FoldersArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    /// How to print
    #[arg(long, default_value = "text")]
    format: Format,
    /// Print JSON objects, one a line, instead of text
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    reading: ReadingArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// Tables for the terminal
    Text,
    /// A Markdown page
    Markdown,
}

/// The positions of a slice with one side to move.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct SurveyRecord {
    slice: String,
    /// The side to move, `W` or `B`.
    side: char,
    positions: u64,
    wins: u64,
    losses: u64,
    draws: u64,
    /// Only if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<u64>,
    captures: u64,
    longest_dtw_win: Option<u32>,
    longest_dtw_loss: Option<u32>,
    longest_mtc: Option<u32>,
    longest_dtw_win_fen: Option<String>,
    longest_dtw_loss_fen: Option<String>,
    longest_mtc_fen: Option<String>,
    /// Compressed data by type of database.
    bytes: BTreeMap<String, u64>,
    bits_per_position: BTreeMap<String, f64>,
}

impl Record for SurveyRecord {
    const TYPE: &'static str = "slice";
}

impl SurveyRecord {
    /// Without the sizes of databases.
    pub(super) fn of(s: &SideSurvey) -> SurveyRecord {
        let number = |longest: Option<Longest>| longest.map(|longest| longest.number);
        let counts = s.counts;
        SurveyRecord {
            slice: s.slice.to_string(),
            side: s.side.letter(),
            positions: counts.positions(),
            wins: counts.wins,
            losses: counts.losses,
            draws: counts.draws,
            unknown: Some(counts.unknown).filter(|&n| n > 0),
            captures: counts.captures,
            longest_dtw_win: number(counts.longest_dtw_win),
            longest_dtw_loss: number(counts.longest_dtw_loss),
            longest_mtc: number(counts.longest_mtc),
            longest_dtw_win_fen: fen(s, counts.longest_dtw_win),
            longest_dtw_loss_fen: fen(s, counts.longest_dtw_loss),
            longest_mtc_fen: fen(s, counts.longest_mtc),
            bytes: BTreeMap::new(),
            bits_per_position: BTreeMap::new(),
        }
    }
}

/// A survey with what is beside the positions.
struct SurveyRow {
    survey: SideSurvey,
    /// Compressed bytes by database.
    bytes: Vec<Option<u64>>,
}

pub(super) fn run(args: &StatsArgs) -> Result<(), Failure> {
    only_print();
    let interrupt = Interrupt::catch(|| {})?;
    let probe = args.reading.options(args.folders.paths()).open()?;
    let mut databases = probe.databases().to_vec();
    databases.sort_by_key(|database| match database.db_type() {
        DbType::Dtw => 2,
        DbType::Mtc => 1,
        _ => 0,
    });
    let options = Options {
        max_pieces: args.selection.pieces,
        slices: args.selection.slices(),
        threads: args.selection.threads,
    };
    let bar = Bar::new("positions");
    let mut page = Page {
        format: (!args.json).then_some(args.format),
        databases: &databases,
        rows: Vec::new(),
        is_first: true,
        is_partial: false,
    };
    let mut failed = Ok(());
    let progress = |at: Progress| {
        bar.show(at.done, at.all, || format!(" {}", at.slice));
        !interrupt.is_pressed()
    };
    let each = |result: &SideSurvey| {
        let row = SurveyRow { survey: *result, bytes: bytes_of(&databases, result) };
        if failed.is_ok() {
            failed = bar.suspend(|| page.add(row));
        }
    };
    let is_complete = survey(&probe, &options, progress, each);
    drop(bar);
    failed?;
    page.is_partial = !matches!(is_complete, Ok(true));
    page.finish_group()?;
    if is_complete? {
        Ok(())
    } else {
        Err(Failure::interrupted("the sums are those of the part that was read"))
    }
}

impl Ends for SurveyError {
    fn is_input(&self) -> bool {
        !matches!(self, SurveyError::Threads(_) | SurveyError::Probe(_))
    }
}

fn bytes_of(databases: &[Arc<Database>], result: &SideSurvey) -> Vec<Option<u64>> {
    let of = |database: &Arc<Database>| {
        let count = result.slice.subslices(database.db_type().subslice_length()) as u32;
        let id = |sub| SubId { slice: result.slice, sub, side: result.side };
        let list: Vec<u64> = (0..count).filter_map(|sub| database.sub_bytes(id(sub))).collect();
        (!list.is_empty()).then(|| list.into_iter().sum())
    };
    databases.iter().map(of).collect()
}

/// The output, piece count by piece count; JSON line by line.
struct Page<'d> {
    /// `None` for JSON.
    format: Option<Format>,
    databases: &'d [Arc<Database>],
    /// Of one piece count.
    rows: Vec<SurveyRow>,
    is_first: bool,
    /// The work was stopped within this piece count.
    is_partial: bool,
}

impl Page<'_> {
    fn add(&mut self, row: SurveyRow) -> Result<(), Failure> {
        if self.format.is_none() {
            let mut out = stdout();
            json::write(&mut out, &self.record(&row))?;
            return Ok(out.flush()?);
        }
        let pieces = row.survey.slice.pieces();
        if self.rows.first().is_some_and(|first| first.survey.slice.pieces() != pieces) {
            self.finish_group()?;
        }
        self.rows.push(row);
        Ok(())
    }

    fn finish_group(&mut self) -> Result<(), Failure> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut out = stdout();
        match self.format {
            None => {}
            Some(Format::Text) => self.text(&mut out)?,
            Some(Format::Markdown) => self.markdown(&mut out)?,
        }
        self.rows.clear();
        self.is_first = false;
        Ok(out.flush()?)
    }

    fn record(&self, row: &SurveyRow) -> SurveyRecord {
        let mut record = SurveyRecord::of(&row.survey);
        for (database, &size) in self.databases.iter().zip(&row.bytes) {
            if let Some(size) = size {
                let name = database.db_type().name().to_owned();
                record.bytes.insert(name.clone(), size);
                let per_position = bits(size, row.survey.counts.positions());
                record.bits_per_position.insert(name, json::rounded(per_position, 4));
            }
        }
        record
    }

    fn columns(&self) -> impl Iterator<Item = String> {
        let names = self.databases.iter().map(|db| format!("{} bits", db.db_type().name()));
        let fixed = ["slice", "", "positions", "win %", "loss %", "draw %", "capture %"];
        let longest = ["win", "loss", "mtc"];
        fixed.into_iter().chain(longest).map(str::to_owned).chain(names)
    }

    /// The cells of a row, percentages with this many digits.
    fn cells(&self, row: &SurveyRow, digits: usize) -> Vec<String> {
        let SideSurvey { slice, side, counts } = row.survey;
        let positions = counts.positions();
        let share = |n: u64| format!("{:.digits$}", percent(n, positions));
        let mut cells = vec![slice.to_string(), letter(side).to_string(), positions.to_string()];
        cells.extend([counts.wins, counts.losses, counts.draws, counts.captures].map(share));
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let longest = longest(&counts).into_iter();
        cells.extend(longest.map(|(_, it)| or_dash(it.map(|it| it.number.to_string()))));
        let bytes = row.bytes.iter();
        cells.extend(bytes.map(|size| or_dash(size.map(|n| format!("{:.4}", bits(n, positions))))));
        cells
    }

    fn pieces(&self) -> u8 {
        self.rows[0].survey.slice.pieces()
    }

    /// The sums of the piece count.
    fn total(&self) -> Vec<String> {
        let counts = self.rows.iter().map(|row| row.survey.counts);
        let sum = counts.fold(Counts::default(), |sum, counts| sum.merged(&counts));
        let positions = sum.positions();
        let mut slices: Vec<Slice> = self.rows.iter().map(|row| row.survey.slice).collect();
        slices.dedup();
        let share = |n: u64| percent(n, positions);
        let mut lines = Vec::new();
        if self.is_partial {
            lines.push("INTERRUPTED: only the slices listed here are in these sums".to_owned());
        }
        lines.push(format!(
            "{} pieces, {}: {positions} positions, {} wins ({:.2} %), {} losses ({:.2} %), {} draws \
             ({:.2} %), {} captures ({:.2} %)",
            self.pieces(),
            counted(slices.len() as u64, "slice"),
            sum.wins,
            share(sum.wins),
            sum.losses,
            share(sum.losses),
            sum.draws,
            share(sum.draws),
            sum.captures,
            share(sum.captures)
        ));
        if sum.unknown > 0 {
            lines.push(format!("{} positions without a value", sum.unknown));
        }
        let longest: Vec<String> = longest(&sum)
            .into_iter()
            .filter_map(|(name, longest)| Some(format!("{name} {}", longest?.number)))
            .collect();
        if !longest.is_empty() {
            lines.push(longest.join(", "));
        }
        let is_whole = slices.iter().copied().eq(Slice::stored(self.pieces()));
        for database in self.databases.iter().filter(|_| is_whole) {
            let (name, bytes) = (database.db_type().name(), database.file_bytes(self.pieces()));
            if bytes > 0 {
                let bits = bits(bytes, positions);
                lines.push(format!("{name}: {bytes} bytes of files, {bits:.4} bits a position"));
            }
        }
        lines
    }

    fn text(&self, out: &mut impl Write) -> Result<(), Failure> {
        if !self.is_first {
            writeln!(out)?;
        }
        writeln!(
            out,
            "{} pieces: shares of all positions in percent; longest win, loss, distance to\n\
             conversion; bits a position",
            self.pieces()
        )?;
        let names = self.databases.iter().map(|db| format!(" {}", db.db_type().name()));
        let fixed =
            ["slice", "", " positions", " win", " loss", " draw", " capt", " win", " loss", " mtc"];
        let heading: Vec<String> = fixed.into_iter().map(str::to_owned).chain(names).collect();
        let heading: Vec<&str> = heading.iter().map(String::as_str).collect();
        let rows: Vec<_> = self.rows.iter().map(|row| self.cells(row, 1)).collect();
        out.write_all(terminal::table(&heading, &rows).as_bytes())?;
        writeln!(out)?;
        for row in &self.rows {
            let SideSurvey { slice, side, counts } = row.survey;
            for (name, longest) in longest(&counts) {
                if let Some(fen) = fen(&row.survey, longest) {
                    writeln!(out, "{slice} {}  {name:<13} {fen}", letter(side))?;
                }
            }
        }
        for line in self.total() {
            writeln!(out, "{}", terminal::folded(&line, terminal::width()))?;
        }
        Ok(())
    }

    fn markdown(&self, out: &mut impl Write) -> Result<(), Failure> {
        if self.is_first {
            writeln!(out, "# Statistics of endgame databases\n")?;
            writeln!(out, "{}", MARKDOWN_HEAD.trim_end())?;
        }
        writeln!(out, "\n## {} pieces\n", self.pieces())?;
        for line in self.total() {
            writeln!(out, "- {line}")?;
        }
        let columns: Vec<String> = self.columns().collect();
        writeln!(out, "\n| {} |", columns.join(" | "))?;
        let rules: Vec<&str> =
            (0..columns.len()).map(|k| if k < 2 { "---" } else { "---:" }).collect();
        writeln!(out, "| {} |", rules.join(" | "))?;
        for row in &self.rows {
            writeln!(out, "| {} |", self.cells(row, 2).join(" | "))?;
        }
        let has_longest = |row: &&SurveyRow| {
            longest(&row.survey.counts).iter().any(|(_, longest)| longest.is_some())
        };
        let mut rows = self.rows.iter().filter(has_longest).peekable();
        if rows.peek().is_some() {
            writeln!(out, "\n| slice | | longest win | longest loss | greatest mtc |")?;
            writeln!(out, "| --- | --- | --- | --- | --- |")?;
        }
        for row in rows {
            let SideSurvey { slice, side, counts } = row.survey;
            let cells =
                longest(&counts).map(|(_, longest)| match (longest, fen(&row.survey, longest)) {
                    (Some(longest), Some(fen)) => format!("{}: `{fen}`", longest.number),
                    _ => "-".to_owned(),
                });
            writeln!(out, "| {slice} | {} | {} |", letter(side), cells.join(" | "))?;
        }
        Ok(())
    }
}

const MARKDOWN_HEAD: &str = "\
Written by `meerslag egdb stats --format markdown`. All legal positions of a slice with one side to
move are counted, captures included; win and loss are those of the side to move. A slice is written
as four digits: black men, black kings, white men, white kings. Of a slice and its twin with colours
exchanged only one is listed, and if they are the same only Black to move.

The columns `win` and `loss` have the longest win and loss in plies to the end of the game, `mtc`
the greatest distance to conversion in the convention of the Kingsrow databases; a dash stands where
there is none or none was counted. The last columns are bits of compressed data a position.
";

fn letter(side: Color) -> char {
    side.letter().to_ascii_lowercase()
}

fn bits(bytes: u64, positions: u64) -> f64 {
    bytes as f64 * 8.0 / positions.max(1) as f64
}

fn percent(part: u64, all: u64) -> f64 {
    part as f64 * 100.0 / all.max(1) as f64
}

fn fen(survey: &SideSurvey, longest: Option<Longest>) -> Option<String> {
    Some(survey.example(&longest?)?.to_fen())
}

/// The greatest numbers, by name.
fn longest(counts: &Counts) -> [(&'static str, Option<Longest>); 3] {
    [
        ("longest win", counts.longest_dtw_win),
        ("longest loss", counts.longest_dtw_loss),
        ("greatest mtc", counts.longest_mtc),
    ]
}
