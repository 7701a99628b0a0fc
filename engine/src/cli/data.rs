//! `meerslag data`: files of games of self-play.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use meerslag_learn::{
    CountTable, Filter, GamesHeader, PlayedGame, RandomSamples, Statistics, StoreError, files,
    merge, read_games, to_pdn, write_line,
};
use movegen::Variant;
use movegen::notation::pdn::{WriteOptions, write_game};
use movegen::words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use super::Failure;
use super::failure::Ends;
use super::json::{self, Record};
use super::streams::{note, only_print, stdout};

/// Look at games of self-play
///
/// Damaged blocks are left out with a message.
#[derive(Args, Debug)]
pub(super) struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Subcommand, Debug)]
enum DataCommand {
    /// Games by opening, result, end and length; positions by phase, material and score
    Stats {
        #[command(flatten)]
        input: Input,
        #[command(flatten)]
        filter: Filter,
    },
    /// Read everything and report damage; exit status 1 if there is any
    Check {
        #[command(flatten)]
        input: Input,
    },
    /// Merge the parts of a run into the file that one process would have written
    Merge {
        /// The files of all parts, or folders with them
        #[command(flatten)]
        input: Input,
        /// Folder for the merged file; merging again adds what has come since
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Some of the positions that training takes, as FEN, White's result, White's score
    Sample {
        #[command(flatten)]
        input: Input,
        /// How many
        #[arg(long, value_name = "N", default_value_t = 10)]
        count: usize,
        /// Seed: another number takes other positions
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        filter: Filter,
    },
    /// All games as text
    Export {
        #[command(flatten)]
        files: Files,
        /// The form
        #[arg(long, value_enum, default_value_t = Form::Pdn)]
        format: Form,
    },
}

#[derive(Args, Debug)]
struct Files {
    /// Folders or files of games
    #[arg(required = true, value_name = "DIR")]
    paths: Vec<PathBuf>,
}

#[derive(Args, Debug)]
struct Input {
    #[command(flatten)]
    files: Files,
    /// Print JSON objects, one a line, instead of text
    #[arg(long)]
    json: bool,
}

/// Games of self-play, as counted by a command.
#[derive(Serialize, JsonSchema, Default)]
pub(super) struct GamesRecord {
    games: u64,
    /// Which game of the board it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<Variant>,
    /// Games that occurred before, which are in no other number.
    #[serde(skip_serializing_if = "Option::is_none")]
    copies: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u64>,
    /// Positions that training takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged_bytes: Option<u64>,
    /// The file that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Games left out, because a part before them ends too early.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
}

impl Record for GamesRecord {
    const TYPE: &'static str = "games";
}

/// A row of the statistics of games.
#[derive(Serialize, JsonSchema)]
pub(super) struct CountRecord {
    /// The row's name.
    table: &'static str,
    /// The row.
    name: String,
    count: u64,
    /// The share of all games, or of all positions, 0 to 1.
    share: f64,
}

impl Record for CountRecord {
    const TYPE: &'static str = "count";
}

/// A position to train with.
#[derive(Serialize, JsonSchema)]
pub(super) struct SampleRecord {
    fen: String,
    /// White's result: 1 won, 0.5 drawn, 0 lost.
    result: f64,
    /// White's score in men.
    score: f64,
}

impl Record for SampleRecord {
    const TYPE: &'static str = "sample";
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Form {
    /// Games with scores as comments
    Pdn,
    /// A line for each game: FEN, result, end, moves with scores
    Text,
}

impl Files {
    /// Calls `see` with each game; returns the number of bytes that are in no intact block.
    fn for_each(
        &self,
        mut see: impl FnMut(&GamesHeader, PlayedGame) -> io::Result<()>,
    ) -> Result<u64, Failure> {
        read_games(
            &self.paths,
            None,
            |header, game| Ok(see(header, game)?),
            |file, bytes| {
                note(format_args!("{}: {bytes} damaged bytes left out", file.display()));
            },
        )
    }
}

impl Ends for StoreError {
    fn is_input(&self) -> bool {
        true
    }
}

pub(super) fn run(args: &DataArgs) -> Result<(), Failure> {
    if !matches!(args.command, DataCommand::Check { .. } | DataCommand::Merge { .. }) {
        only_print();
    }
    let mut out = io::BufWriter::new(stdout());
    match &args.command {
        DataCommand::Stats { input, filter } => stats(input, *filter, &mut out)?,
        DataCommand::Check { input } => {
            let mut games = 0u64;
            let damaged = input.files.for_each(|_, _| {
                games += 1;
                Ok(())
            })?;
            if input.json {
                let damaged_bytes = Some(damaged);
                json::write(
                    &mut out,
                    &GamesRecord { games, damaged_bytes, ..GamesRecord::default() },
                )?;
            } else {
                let (games, damaged) = (counted(games, "game"), counted(damaged, "damaged byte"));
                writeln!(out, "{games}, {damaged}")?;
            }
            out.flush()?;
            if damaged > 0 {
                return Err(Failure::Run(anyhow::anyhow!("some files are damaged")));
            }
        }
        DataCommand::Merge { input, out: folder } => {
            let mut parts = Vec::new();
            for path in &input.files.paths {
                parts.extend(files(path)?);
            }
            let merged = merge(&parts, folder).map_err(|error| match error {
                StoreError::Io { ref path, .. } if path.starts_with(folder) => Failure::run(error),
                error => error.into(),
            })?;
            if input.json {
                let record = GamesRecord {
                    games: merged.games as u64,
                    file: Some(merged.file.display().to_string()),
                    left_out: Some(merged.left_out as u64),
                    ..GamesRecord::default()
                };
                json::write(&mut out, &record)?;
            } else {
                let games = counted(merged.games, "game");
                writeln!(out, "{games}: {}", merged.file.display())?;
            }
            if merged.left_out > 0 {
                let games = counted(merged.left_out, "game");
                note(format_args!("{games} left out: a part before them ends too early"));
            }
        }
        DataCommand::Sample { input, count, seed, filter } => {
            let mut samples = RandomSamples::new(*filter, *count, *seed);
            input.files.for_each(|header, game| {
                samples.add(header, &game);
                Ok(())
            })?;
            for sample in samples.chosen() {
                let (result, score) = (sample.result, f64::from(sample.score) / 100.0);
                if input.json {
                    let (fen, result) = (sample.position.to_fen(), f64::from(result));
                    json::write(&mut out, &SampleRecord { fen, result, score })?;
                    continue;
                }
                writeln!(out, "{}\t{result}\t{score:.2}", sample.position.to_fen())?;
            }
        }
        DataCommand::Export { files, format } => {
            let mut number = 0;
            files.for_each(|header, game| {
                number += 1;
                match format {
                    Form::Pdn => {
                        let pdn = to_pdn(&game, number, &header.evaluation);
                        write_game(&mut out, &pdn, &WriteOptions::default())
                    }
                    Form::Text => write_line(&game, &mut out),
                }
            })?;
        }
    }
    out.flush()?;
    Ok(())
}

fn stats(input: &Input, filter: Filter, out: &mut impl Write) -> Result<(), Failure> {
    let mut statistics = Statistics::new(filter);
    input.files.for_each(|header, game| {
        statistics.add(header, &game);
        Ok(())
    })?;
    let (games, copies) = (statistics.games(), statistics.copies());
    let (plies, taken) = (statistics.plies(), statistics.positions());
    if input.json {
        let (copies, plies, positions) = (Some(copies), Some(plies), Some(taken));
        let variant = Some(statistics.variant());
        let record =
            GamesRecord { games, variant, copies, plies, positions, ..GamesRecord::default() };
        json::write(out, &record)?;
    } else {
        let counts = [counted(games, "game"), counted(plies, "ply"), counted(taken, "position")];
        writeln!(out, "{} to train with", counts.join(", "))?;
        if !statistics.variant().is_international() {
            writeln!(out, "game: {}", statistics.variant())?;
        }
        if copies > 0 {
            writeln!(out, "{} of games before, left out", counted(copies, "copy"))?;
        }
    }
    for CountTable { heading, total, rows } in statistics.tables() {
        if !input.json {
            writeln!(out, "\n{heading}")?;
        }
        for (name, count) in rows {
            let share = count as f64 / total.max(1) as f64;
            if input.json {
                let (name, share) = (name.to_owned(), json::rounded(share, 4));
                json::write(out, &CountRecord { table: heading, name, count, share })?;
                continue;
            }
            let percent = 100.0 * share;
            writeln!(out, "  {name:16} {count:>10} {percent:5.1} %")?;
        }
    }
    Ok(())
}
