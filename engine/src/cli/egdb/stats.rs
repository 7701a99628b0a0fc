//! `meerslag egdb stats`.

use std::io::Write;

use ::egdb::{DbType, Probe, Slice};
use anyhow::anyhow;
use clap::{Args, ValueEnum};
use egdb_build::SliceSelection;
use egdb_build::endings::EndingTables;
use egdb_build::survey::{
    Counts, Distances, RulesCounts, SideSurvey, SurveyError, SurveyOptions, survey,
};
use movegen::Variant;
use movegen::words::counted;

use super::super::databases::FoldersArgs;
use super::super::failure::Ends;
use super::super::interrupt::Interrupt;
use super::super::progress::Bar;
use super::super::source::VariantArgs;
use super::super::streams::{only_print, stdout};
use super::super::{Failure, json, terminal};

const EXAMPLES: &str = "\
Examples:
  meerslag egdb stats --egdb db
  meerslag egdb stats --egdb db --pieces 4 --format markdown > statistics.md
  meerslag egdb stats --egdb /data/wld --egdb /data/dtw --slices 2110,1111 --json
  meerslag egdb stats --egdb db --pieces 4 --distances
  meerslag egdb stats --egdb db --slices 1311 --distances --without-captures
  meerslag egdb stats --egdb db --variant killer
  meerslag egdb stats --variant frisian";

/// Count wins, losses and draws of all positions, and find the longest
///
/// For every slice and side to move, over all legal positions: wins, losses and draws for the side
/// to move, positions with a capture, the longest win and loss in plies to the end of the game
/// (dtw), the greatest distance to conversion (mtc, exact also below 10, which is not stored) with
/// the first position of each, and the bits of compressed data a position takes in each database. A
/// slice is written as four digits: black men, black kings, white men, white kings; of a slice and
/// its twin with colours exchanged only one is stored, and if they are the same only Black to move.
///
/// With values under the draw rules also: wins and losses that a draw by counting stops, with the
/// counter at 0 and with one ply left, and the most plies that one needs until the counter begins
/// again or the game ends.
///
/// With '--without-captures' only positions in which neither side could capture if it were to move are
/// counted: files hold their values, so this is many times as fast. Distances to conversion below 10
/// and wins stopped with one ply left are then not known.
///
/// In another game of the board without '--egdb', endings of up to three pieces are solved first, which
/// takes seconds: in Frisian with seven moves for two kings against one and with the three-move rule,
/// counting positions in which no king has moved.
///
/// JSON: one object a line for each slice and side to move.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct StatsArgs {
    #[command(flatten)]
    folders: FoldersArgs,
    #[command(flatten)]
    selection: SliceSelection,
    #[command(flatten)]
    options: SurveyOptions,
    /// How to print
    #[arg(long, default_value = "text")]
    format: Format,
    /// Print JSON objects, one a line, instead of text
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// Tables for the terminal
    Text,
    /// A Markdown page
    Markdown,
}

pub(super) fn run(args: &StatsArgs) -> Result<(), Failure> {
    only_print();
    let interrupt = Interrupt::catch(|| {})?;
    let FoldersArgs { dirs, variant: VariantArgs { variant } } = &args.folders;
    let is_solved = dirs.is_empty() && !variant.is_international();
    let probe = if is_solved { Probe::new() } else { args.folders.open()? };
    let bar = Bar::new("positions");
    let mut page = Page::new(args, &probe);
    let mut failed: Result<(), Failure> = Ok(());
    let each = |side: SideSurvey| {
        if failed.is_ok() {
            failed = bar.suspend(|| {
                let mut out = stdout();
                if args.json {
                    json::write(&mut out, &side)?;
                } else {
                    page.add(side, &mut out)?;
                }
                Ok(out.flush()?)
            });
        }
    };
    let progress = |at: egdb_build::survey::Progress| {
        bar.show(at.done, at.all, || format!(" {}", at.slice));
        !interrupt.is_pressed()
    };
    let is_complete = if is_solved {
        solve(*variant, &args.selection, each).map(|()| true)
    } else {
        survey(&probe, &args.selection, args.options, progress, each).map_err(Failure::from)
    };
    drop(bar);
    failed?;
    page.is_partial = !matches!(is_complete, Ok(true));
    page.finish_group(&mut stdout())?;
    if is_complete? {
        return Ok(());
    }
    Err(Failure::interrupted("the sums are those of the part that was read"))
}

/// Solves endings in memory, for games without files.
fn solve(
    variant: Variant,
    selection: &SliceSelection,
    mut each: impl FnMut(SideSurvey),
) -> Result<(), Failure> {
    let most = EndingTables::MAX_PIECES;
    let pieces = selection.max_pieces.unwrap_or(most);
    if pieces > most || selection.slices.iter().any(|slice| slice.pieces() > most) {
        return Err(Failure::Input(anyhow!("without --egdb up to {most} pieces are solved")));
    }
    let wanted: Vec<Slice> = selection.slices.iter().map(|slice| slice.stored_twin()).collect();
    drop(EndingTables::solve(variant, pieces, true, |side| {
        if wanted.is_empty() || wanted.contains(&side.slice) {
            each(side);
        }
    }));
    Ok(())
}

impl Ends for SurveyError {
    fn is_input(&self) -> bool {
        !matches!(self, SurveyError::Threads(_) | SurveyError::Probe(_))
    }
}

/// The output, piece count by piece count.
struct Page<'p> {
    format: Format,
    probe: &'p Probe,
    types: Vec<DbType>,
    without_captures: bool,
    /// Of one piece count.
    rows: Vec<SideSurvey>,
    is_first: bool,
    /// The work was stopped within this piece count.
    is_partial: bool,
}

impl Page<'_> {
    fn new<'p>(args: &StatsArgs, probe: &'p Probe) -> Page<'p> {
        let there = |it: &DbType| probe.databases().iter().any(|db| db.db_type() == *it);
        let types = DbType::ALL.into_iter().filter(there).collect();
        Page {
            format: args.format,
            probe,
            types,
            without_captures: args.options.without_captures,
            rows: Vec::new(),
            is_first: true,
            is_partial: false,
        }
    }

    fn add(&mut self, side: SideSurvey, out: &mut impl Write) -> Result<(), Failure> {
        if self.rows.first().is_some_and(|first| first.slice.pieces() != side.slice.pieces()) {
            self.finish_group(out)?;
        }
        self.rows.push(side);
        Ok(())
    }

    fn finish_group(&mut self, out: &mut impl Write) -> Result<(), Failure> {
        let Some(first) = self.rows.first() else { return Ok(()) };
        let pieces = first.slice.pieces();
        match self.format {
            Format::Text => self.text(pieces, out)?,
            Format::Markdown => self.markdown(pieces, out)?,
        }
        self.rows.clear();
        self.is_first = false;
        Ok(())
    }

    /// The rows of the table, percentages with this many digits.
    fn table(&self, digits: usize) -> Vec<Vec<String>> {
        let row = |row: &SideSurvey| {
            let SideSurvey { positions, counts, .. } = row;
            let share = |n: u64| format!("{:.digits$}", percent(n, *positions));
            let mut cells = vec![row.slice.to_string(), letter(row), positions.to_string()];
            cells.extend([counts.wins, counts.losses, counts.draws, counts.captures].map(share));
            cells.extend(longest(counts).map(|(_, number)| or_dash(number)));
            let bits = self.types.iter().map(|it| row.bits_per_position.get(it.name()));
            cells.extend(bits.map(|bits| or_dash(bits.map(|bits| format!("{bits:.4}")))));
            cells
        };
        self.rows.iter().map(row).collect()
    }

    /// The sums of the piece count.
    fn total(&self, pieces: u8) -> Vec<String> {
        let counts = self.rows.iter().map(|row| &row.counts);
        let sum = counts.fold(Counts::default(), Counts::merged);
        let positions = sum.positions();
        let all: u64 = self.rows.iter().map(|row| row.slice.size()).sum();
        let mut slices: Vec<Slice> = self.rows.iter().map(|row| row.slice).collect();
        slices.dedup();
        let mut lines = Vec::new();
        if self.is_partial {
            lines.push("INTERRUPTED: only the slices listed here are in these sums".to_owned());
        }
        let counts = [
            (sum.wins, "wins"),
            (sum.losses, "losses"),
            (sum.draws, "draws"),
            (sum.captures, "captures"),
        ];
        let counts = counts.map(|(n, what)| format!("{n} {what} ({:.2} %)", percent(n, positions)));
        let (slice_count, counts) = (counted(slices.len(), "slice"), counts.join(", "));
        let which = if self.without_captures { " without captures" } else { "" };
        lines.push(format!(
            "{pieces} pieces, {slice_count}: {positions} positions{which}, {counts}"
        ));
        if sum.unknown > 0 {
            lines.push(format!("{} positions without a value", sum.unknown));
        }
        let longest: Vec<String> = longest(&sum)
            .into_iter()
            .filter_map(|(name, number)| Some(format!("{name} {}", number?)))
            .collect();
        if !longest.is_empty() {
            lines.push(longest.join(", "));
        }
        if let Some(rules) = &sum.rules {
            let RulesCounts { cursed_wins, blessed_losses, .. } = rules;
            let last = rules.last_cursed_wins.zip(rules.last_blessed_losses);
            let last = last.map_or_else(String::new, |(wins, losses)| {
                format!(", with one ply left {wins} wins and {losses} losses")
            });
            lines.push(format!(
                "stopped by the draw rules: {cursed_wins} wins and {blessed_losses} losses{last}"
            ));
        }
        if slices.iter().copied().eq(Slice::stored(pieces)) {
            for database in self.probe.databases() {
                let (name, bytes) = (database.db_type().name(), database.file_bytes(pieces));
                let bits = bytes as f64 * 8.0 / all as f64;
                if bytes > 0 {
                    lines
                        .push(format!("{name}: {bytes} bytes of files, {bits:.4} bits a position"));
                }
            }
        }
        lines
    }

    fn text(&self, pieces: u8, out: &mut impl Write) -> Result<(), Failure> {
        if !self.is_first {
            writeln!(out)?;
        }
        writeln!(
            out,
            "{pieces} pieces: shares of the positions in percent; longest win, loss, distance to\n\
             conversion; bits a position",
        )?;
        let names: Vec<String> = self.types.iter().map(|it| format!(" {}", it.name())).collect();
        let fixed =
            ["slice", "", " positions", " win", " loss", " draw", " capt", " win", " loss", " mtc"];
        let heading: Vec<&str> =
            fixed.into_iter().chain(names.iter().map(String::as_str)).collect();
        writeln!(out, "{}", terminal::table(&heading, &self.table(1)))?;
        for row in &self.rows {
            for ((name, _), fen) in longest(&row.counts).into_iter().zip(fens(row)) {
                if let Some(fen) = fen {
                    writeln!(out, "{} {}  {name:<13} {fen}", row.slice, letter(row))?;
                }
            }
        }
        for (heading, rows) in self.more_tables() {
            writeln!(out, "\n{}", terminal::table(&heading, &rows))?;
        }
        for line in self.total(pieces) {
            writeln!(out, "{}", terminal::folded(&line, terminal::width()))?;
        }
        Ok(())
    }

    /// What the draw rules stop, and numbers by distances; each with its heading.
    fn more_tables(&self) -> Vec<(Vec<&'static str>, Vec<Vec<String>>)> {
        let place = |row: &SideSurvey| vec![row.slice.to_string(), letter(row)];
        let (mut stopped, mut distances) = (Vec::new(), Vec::new());
        for row in &self.rows {
            if let Some(rules) = &row.counts.rules {
                let at_first = [rules.cursed_wins, rules.blessed_losses].map(|n| n.to_string());
                let at_last = [rules.last_cursed_wins, rules.last_blessed_losses].map(or_dash);
                let counts = at_first.into_iter().chain(at_last);
                let longest = or_dash(rules.longest.map(u32::from));
                stopped.push(place(row).into_iter().chain(counts).chain([longest]).collect());
            }
            let Some(Distances { wins, losses }) = &row.counts.distances else { continue };
            for half in 0..wins.len().max(losses.len()) {
                for (list, plies) in [(losses, 2 * half), (wins, 2 * half + 1)] {
                    if let Some(&count) = list.get(half).filter(|&&count| count > 0) {
                        let what = if plies % 2 == 0 { "loss" } else { "win" };
                        let cells = [what.to_owned(), plies.to_string(), count.to_string()];
                        distances.push(place(row).into_iter().chain(cells).collect());
                    }
                }
            }
        }
        let of_rules =
            vec!["slice", "", " wins", " losses", " last wins", " last losses", " longest"];
        let of_distances = vec!["slice", "", "value", " plies", " positions"];
        let tables = [(of_rules, stopped), (of_distances, distances)];
        tables.into_iter().filter(|(_, rows)| !rows.is_empty()).collect()
    }

    fn markdown(&self, pieces: u8, out: &mut impl Write) -> Result<(), Failure> {
        if self.is_first {
            write!(out, "{MARKDOWN_HEAD}")?;
        }
        writeln!(out, "\n## {pieces} pieces\n")?;
        for line in self.total(pieces) {
            writeln!(out, "- {line}")?;
        }
        write!(
            out,
            "\n| slice | | positions | win % | loss % | draw % | capture % | win | loss | mtc |"
        )?;
        for db_type in &self.types {
            write!(out, " {} bits |", db_type.name())?;
        }
        writeln!(out, "\n| --- | --- |{}", " ---: |".repeat(8 + self.types.len()))?;
        for row in self.table(2) {
            writeln!(out, "| {} |", row.join(" | "))?;
        }
        let mut rows = self.rows.iter().filter(|row| fens(row).iter().any(Option::is_some));
        let mut heading = "\n| slice | | longest win | longest loss | greatest mtc |\n\
                           | --- | --- | --- | --- | --- |\n";
        rows.try_for_each(|row| {
            let longest = longest(&row.counts).into_iter().zip(fens(row));
            let cells: Vec<String> = longest
                .map(|((_, number), fen)| {
                    or_dash(number.zip(fen).map(|(number, fen)| format!("{number}: `{fen}`")))
                })
                .collect();
            let heading = std::mem::take(&mut heading);
            let (slice, side) = (row.slice, letter(row));
            writeln!(out, "{heading}| {slice} | {side} | {} |", cells.join(" | "))
        })?;
        for (heading, rows) in self.more_tables() {
            let heading: Vec<&str> = heading.into_iter().map(str::trim).collect();
            writeln!(out, "\n| {} |\n|{}", heading.join(" | "), " --- |".repeat(heading.len()))?;
            for row in rows {
                writeln!(out, "| {} |", row.join(" | "))?;
            }
        }
        Ok(())
    }
}

const MARKDOWN_HEAD: &str = "\
# Statistics of endgame databases

Written by `meerslag egdb stats --format markdown`. All legal positions of a slice with one side to
move are counted, or only those without captures where it says so; win and loss are those of the side
to move. A slice is written as four digits: black men, black kings, white men, white kings. Of a slice
and its twin with colours exchanged only one is listed, and if they are the same only Black to move.

The columns `win` and `loss` have the longest win and loss in plies to the end of the game, `mtc`
the greatest distance to conversion in the convention of the Kingsrow databases; a dash stands where
there is none or none was counted. The last columns are bits of compressed data a position.

Where the values under the draw rules are counted: wins and losses that a draw by counting stops, with
the counter at 0 and (`last`) with one ply left, and the most plies that one needs until the counter
begins again or the game ends; a dash stands for less than ten.
";

fn letter(row: &SideSurvey) -> String {
    row.side.letter().to_lowercase().to_string()
}

fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn percent(part: u64, all: u64) -> f64 {
    part as f64 * 100.0 / all.max(1) as f64
}

/// The greatest numbers, by name.
fn longest(counts: &Counts) -> [(&'static str, Option<u32>); 3] {
    [
        ("longest win", counts.longest_dtw_win),
        ("longest loss", counts.longest_dtw_loss),
        ("greatest mtc", counts.longest_mtc),
    ]
    .map(|(name, longest)| (name, longest.map(u32::from)))
}

/// The positions of the greatest numbers.
fn fens(row: &SideSurvey) -> [Option<&String>; 3] {
    let SideSurvey { longest_dtw_win_fen, longest_dtw_loss_fen, longest_mtc_fen, .. } = row;
    [longest_dtw_win_fen, longest_dtw_loss_fen, longest_mtc_fen].map(Option::as_ref)
}
