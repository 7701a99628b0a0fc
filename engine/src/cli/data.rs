//! `meerslag data`: files of games of self-play.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use meerslag_learn::{Contents, Filter, PlayedGame, Sample, StoreError, files, merge};
use meerslag_search::counted;
use movegen::notation::pdn::{
    Annotation, Comment, GameResult, PdnGame, Ply, WriteOptions, write_game,
};
use movegen::random::Random;
use movegen::{Color, Square};

use schemars::JsonSchema;
use serde::Serialize;

use super::Failure;
use super::filter::FilterArgs;
use super::json::{self, Record};
use super::streams::{note, stdout};

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
        filter: FilterArgs,
    },
    /// Read everything and say what is damaged; exit status 1 if something is
    Check {
        #[command(flatten)]
        input: Input,
    },
    /// Put the parts of a run together: the file that one process would have written
    Merge {
        /// The files of all parts, or folders with them
        #[command(flatten)]
        input: Input,
        /// Folder for the merged file; done again, what has come since is added to it
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
        /// Other positions for another number
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        filter: FilterArgs,
    },
    /// All games as text
    Export {
        #[command(flatten)]
        input: Input,
        /// The form
        #[arg(long, value_enum, default_value_t = Form::Pdn)]
        format: Form,
    },
}

#[derive(Args, Debug)]
struct Input {
    /// Folders or files of games
    #[arg(required = true, value_name = "DIR")]
    paths: Vec<PathBuf>,
    /// Print JSON objects, one a line, instead of text
    #[arg(long)]
    json: bool,
}

/// Games of self-play, as far as a command counts them.
#[derive(Serialize, JsonSchema, Default)]
pub(super) struct GamesRecord {
    games: u64,
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
    /// What is counted.
    table: &'static str,
    /// The row.
    name: String,
    count: u64,
    /// Of all games, or of all positions, 0 to 1.
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

impl Input {
    fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut all = Vec::new();
        for path in &self.paths {
            all.extend(files(path).map_err(input_error)?);
        }
        Ok(all)
    }

    /// Calls `see` with each game; returns the number of bytes that are no good block.
    fn for_each(
        &self,
        mut see: impl FnMut(&Contents, &PlayedGame) -> io::Result<()>,
    ) -> Result<u64, Failure> {
        let mut damaged = 0;
        for file in self.files()? {
            let mut contents = Contents::open(&file).map_err(input_error)?;
            while let Some(games) = contents.next_games().map_err(input_error)? {
                for game in &games {
                    see(&contents, game)?;
                }
            }
            if contents.skipped() > 0 {
                let bytes = contents.skipped();
                note(format_args!("{}: {bytes} damaged bytes left out", file.display()));
            }
            damaged += contents.skipped();
        }
        Ok(damaged)
    }
}

fn input_error(error: StoreError) -> Failure {
    Failure::Input(error.into())
}

impl DataArgs {
    /// See [`super::Command::only_prints`].
    pub(super) const fn only_prints(&self) -> bool {
        match self.command {
            DataCommand::Stats { .. } | DataCommand::Sample { .. } | DataCommand::Export { .. } => {
                true
            }
            DataCommand::Check { .. } | DataCommand::Merge { .. } => false,
        }
    }
}

pub(super) fn run(args: &DataArgs) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(stdout());
    match &args.command {
        DataCommand::Stats { input, filter } => stats(input, &filter.filter(), &mut out)?,
        DataCommand::Check { input } => {
            let mut games = 0u64;
            let damaged = input.for_each(|_, _| {
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
            let merged = merge(&input.files()?, folder).map_err(|error| match error {
                StoreError::Io { ref path, .. } if path.starts_with(folder) => Failure::run(error),
                error => input_error(error),
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
            for sample in sample(input, &filter.filter(), *count, *seed)? {
                let (result, score) = (sample.result, f64::from(sample.score) / 100.0);
                if input.json {
                    let (fen, result) = (sample.position.to_fen(), f64::from(result));
                    json::write(&mut out, &SampleRecord { fen, result, score })?;
                    continue;
                }
                writeln!(out, "{}\t{result}\t{score:.2}", sample.position.to_fen())?;
            }
        }
        DataCommand::Export { input, format } => {
            let mut number = 0;
            input.for_each(|contents, game| {
                number += 1;
                match format {
                    Form::Pdn => {
                        let pdn = pdn(game, number, &contents.header().evaluation);
                        write_game(&mut out, &pdn, &WriteOptions::default())
                    }
                    Form::Text => text(game, &mut out),
                }
            })?;
        }
    }
    out.flush()?;
    Ok(())
}

fn stats(input: &Input, filter: &Filter, out: &mut impl Write) -> Result<(), Failure> {
    let mut tables: [BTreeMap<(usize, String), u64>; 6] = Default::default();
    let (mut games, mut plies, mut taken) = (0u64, 0u64, 0u64);
    let mut samples: Vec<Sample> = Vec::new();
    let mut count = |table: usize, order: usize, name: String| {
        *tables[table].entry((order, name)).or_default() += 1;
    };
    input.for_each(|contents, game| {
        games += 1;
        plies += game.plies.len() as u64;
        count(0, 0, game.opening.name().to_owned());
        count(1, 0, GameResult::of_white(game.white).as_str().to_owned());
        count(2, 0, game.end.name().to_owned());
        samples.clear();
        filter.beyond(contents.header().database_pieces).samples(game, 1.0, &mut samples);
        taken += samples.len() as u64;
        for sample in &samples {
            let steps = |color| -> u32 {
                let row = |s: Square| {
                    u32::from(if color == Color::White { s.row() } else { 9 - s.row() })
                };
                sample.position.men(color).into_iter().map(row).sum()
            };
            let steps = ((steps(Color::White) + steps(Color::Black)) / 50).min(5) as usize;
            count(3, 5 - steps, format!("{}-{}", steps * 50, steps * 50 + 49));
            let pieces = sample.position.piece_count() as usize / 5;
            count(4, 9 - pieces.min(9), format!("{}-{}", pieces * 5, pieces * 5 + 4));
            let score = usize::from(sample.score.unsigned_abs()) / 50;
            count(5, score, format!("{:.1}-{:.1}", score as f64 / 2.0, score as f64 / 2.0 + 0.5));
        }
        Ok(())
    })?;
    if input.json {
        let (plies, positions) = (Some(plies), Some(taken));
        json::write(out, &GamesRecord { games, plies, positions, ..GamesRecord::default() })?;
    } else {
        let counts = [counted(games, "game"), counted(plies, "ply"), counted(taken, "position")];
        writeln!(out, "{} to train with", counts.join(", "))?;
    }
    let heads =
        ["opening", "White's result", "end", "steps to promotion", "pieces", "score in men"];
    for (index, (table, head)) in tables.iter().zip(heads).enumerate() {
        if !input.json {
            writeln!(out, "\n{head}")?;
        }
        let all = if index < 3 { games } else { taken };
        for ((_, name), count) in table {
            let share = *count as f64 / all.max(1) as f64;
            if input.json {
                let (name, share) = (name.clone(), json::rounded(share, 4));
                json::write(out, &CountRecord { table: head, name, count: *count, share })?;
                continue;
            }
            let percent = 100.0 * share;
            writeln!(out, "  {name:16} {count:>10} {percent:5.1} %")?;
        }
    }
    Ok(())
}

/// Any of the positions with the same probability.
fn sample(input: &Input, filter: &Filter, count: usize, seed: u64) -> Result<Vec<Sample>, Failure> {
    let mut random = Random::new(seed);
    let (mut chosen, mut found) = (Vec::new(), 0u64);
    let mut samples = Vec::new();
    input.for_each(|contents, game| {
        samples.clear();
        filter.beyond(contents.header().database_pieces).samples(game, 1.0, &mut samples);
        for &sample in &samples {
            found += 1;
            if chosen.len() < count {
                chosen.push(sample);
            } else if let Some(place) = chosen.get_mut(random.below_u64(found) as usize) {
                *place = sample;
            }
        }
        Ok(())
    })?;
    Ok(chosen)
}

fn pdn(game: &PlayedGame, number: u64, player: &str) -> PdnGame {
    let mut pdn = PdnGame::new(game.start);
    pdn.tags.set("Event", "Self-play");
    pdn.tags.set("Round", &number.to_string());
    pdn.tags.set("White", player);
    pdn.tags.set("Black", player);
    pdn.tags.set("Termination", game.end.name());
    for (position, ply) in game.positions() {
        let Some(played) = ply else { break };
        let mut ply = Ply::from(played.mv);
        if let Some(score) = played.score {
            let white = match position.side_to_move() {
                Color::White => score,
                Color::Black => -score,
            };
            let text = format!("[%eval {:.2}]", f64::from(white.hundredths()) / 100.0);
            ply.after.push(Annotation::Comment(Comment::new(&text)));
        }
        pdn.line.plies.push(ply);
    }
    pdn.result = GameResult::of_white(game.white);
    pdn
}

fn text(game: &PlayedGame, out: &mut impl Write) -> io::Result<()> {
    write!(
        out,
        "{}\t{}\t{}\t",
        game.start.to_fen(),
        GameResult::of_white(game.white).as_str(),
        game.end.name()
    )?;
    for (index, ply) in game.plies.iter().enumerate() {
        let space = if index == 0 { "" } else { " " };
        match ply.score {
            Some(score) => write!(out, "{space}{} {}", ply.mv, score.hundredths())?,
            None => write!(out, "{space}{} -", ply.mv)?,
        }
    }
    writeln!(out)
}
