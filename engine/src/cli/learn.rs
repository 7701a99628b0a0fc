//! `meerslag learn`: from an empty folder to an evaluation, generation after generation.

use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ::egdb::storage::Existing;
use clap::Args;
use egdb::DatabaseOptions;
use meerslag_harness::runner::stats::Decision;
use meerslag_harness::runner::{
    Abort, Adjudication, EngineSpec, Format, MatchConfig, MatchEnd, MatchResults, MatchRun,
    SprtConfig, Standing, StateFile, TimeControl, Workers, openings, run as run_match,
};
use meerslag_learn::{
    DataSet, Filter, OpeningMix, SelfPlay, Shard, Source, Training, checkpoint_path,
};
use meerslag_search::counted;
use meerslag_search::eval::{EvalKind, Evaluation, Provenance, Weights};
use meerslag_study::record::today;

use movegen::DrawRules;
use schemars::JsonSchema;
use serde::Serialize;

use super::interrupt::Interrupt;
use super::json::{self, Record};
use super::selfplay::{Meter, SelfPlayRecord};
use super::streams::stdout;
use super::{Failure, shell};

/// Learn an evaluation from nothing: play, fit, match, generation after generation
///
/// The first generation plays with material only. Each one is fitted to the games of all, and
/// accepted if it beats the last accepted one in a match; the next plays with what was accepted
/// last. The same command goes on where it ended. The folder then holds the games and the weights
/// of each generation, the matches, and the best weights as accepted.weights.
#[derive(Args, Debug)]
pub(super) struct LearnArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Generations
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    generations: u32,
    /// Games of each generation
    #[arg(long, value_name = "N", default_value_t = 60_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// Nodes for each move of these games
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// The kind of evaluation: material, p8 or p12
    #[arg(long, value_name = "KIND", default_value = "p8", value_parser = super::train::kind)]
    kind: EvalKind,
    /// The most pairs of games in the match of a generation; it ends earlier when it is decided
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pairs: u32,
    /// Nodes for each move of the match
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    match_nodes: u64,
    /// Games at the same time; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::threads::<256>)]
    threads: usize,
    /// Other games for another number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print a JSON object for each step
    #[arg(long)]
    json: bool,
}

/// A step of `learn`.
#[derive(Serialize, JsonSchema)]
pub(super) struct GenerationRecord {
    generation: Option<u32>,
    #[serde(flatten)]
    step: Step,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Step {
    /// Games were played.
    Played(SelfPlayRecord),
    /// Weights were fitted.
    Fitted {
        /// Games they are fitted to.
        games: u64,
        /// Positions of these.
        positions: u64,
        /// Loss of the games held out.
        held_out: f64,
    },
    /// The weights were matched.
    Matched {
        games: usize,
        /// The weights they were matched against.
        opponent: String,
        /// The interval of 95 percent; `null` if there is none.
        elo_low: Option<f64>,
        elo_high: Option<f64>,
        /// Whether the next games are played with them.
        is_accepted: bool,
    },
    /// All is done.
    Best {
        /// The best weights.
        weights: String,
        /// The file they were copied to.
        file: String,
    },
}

impl Record for GenerationRecord {
    const TYPE: &'static str = "generation";
}

impl fmt::Display for GenerationRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(generation) = self.generation {
            write!(f, "generation {generation}: ")?;
        }
        match &self.step {
            Step::Played(played) => played.fmt(f),
            Step::Fitted { games, positions, held_out } => {
                let positions = counted(*positions, "position");
                write!(f, "{}, {positions}, loss {held_out:.4}", counted(*games, "game"))
            }
            Step::Matched { games, opponent, elo_low, elo_high, is_accepted } => {
                write!(f, "{} against {opponent}, ", counted(*games, "game"))?;
                if let (Some(low), Some(high)) = (elo_low, elo_high) {
                    write!(f, "Elo {low:+.0} to {high:+.0}: ")?;
                }
                f.write_str(if *is_accepted { "accepted" } else { "not accepted" })
            }
            Step::Best { weights, file } => write!(f, "{weights} is the best: {file}"),
        }
    }
}

/// The name of the built-in evaluation that knows only material.
const MATERIAL: &str = "material";

pub(super) fn run(args: &LearnArgs) -> Result<(), Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let abort = Arc::new(Abort::new());
    let (flag, end) = (Arc::clone(&stop), Arc::clone(&abort));
    Interrupt::catch(move || {
        flag.store(true, Ordering::Relaxed);
        end.set();
    })?;
    let learning = Learning { args, stop, abort };
    let mut accepted = MATERIAL.to_owned();
    for generation in 0..args.generations {
        learning.play(generation, &accepted)?;
        let weights = learning.fit(generation)?;
        if learning.is_better(generation, &weights, &accepted)? {
            accepted = weights;
        }
    }
    if accepted == MATERIAL {
        let message = "no generation has beaten material only: more games are needed";
        return Err(Failure::Run(anyhow::anyhow!(message)));
    }
    let best = args.folder.join("accepted.weights");
    evaluation(&accepted)?.weights().write(&best, Existing::Replace).map_err(Failure::run)?;
    learning.tell(None, Step::Best { weights: accepted, file: best.display().to_string() })
}

fn evaluation(name: &str) -> Result<Evaluation, Failure> {
    Evaluation::named(name).map_err(Failure::run)
}

struct Learning<'a> {
    args: &'a LearnArgs,
    stop: Arc<AtomicBool>,
    abort: Arc<Abort>,
}

impl Learning<'_> {
    fn folder(&self, generation: u32) -> PathBuf {
        self.args.folder.join(format!("gen{generation}"))
    }

    /// Says what has been done.
    fn tell(&self, generation: Option<u32>, step: Step) -> Result<(), Failure> {
        let record = GenerationRecord { generation, step };
        let mut out = stdout();
        if self.args.json {
            json::write(&mut out, &record)?;
        } else {
            writeln!(out, "{record}")?;
        }
        Ok(out.flush()?)
    }

    fn interrupted() -> Failure {
        Failure::interrupted("what was played and fitted is kept; the same command goes on")
    }

    fn is_stopped(&self) -> Result<(), Failure> {
        if self.stop.load(Ordering::Relaxed) { Err(Learning::interrupted()) } else { Ok(()) }
    }

    /// Plays the games of a generation.
    fn play(&self, generation: u32, player: &str) -> Result<(), Failure> {
        let selfplay = SelfPlay {
            games: self.args.games,
            nodes: self.args.nodes,
            seed: self.args.seed + u64::from(generation),
            openings: OpeningMix::default(),
            shard: Shard::WHOLE,
            threads: self.args.threads,
            databases: DatabaseOptions::default(),
            evaluation: evaluation(player)?,
        };
        let mut meter = Meter::new();
        let done = selfplay
            .run(&self.folder(generation), &self.stop, &mut |progress| meter.show(progress))
            .map_err(Failure::run)?;
        self.is_stopped()?;
        self.tell(Some(generation), Step::Played(meter.finish(done)))
    }

    /// Fits weights to the games of all generations so far; returns the name of their file.
    fn fit(&self, generation: u32) -> Result<String, Failure> {
        let file = self.args.folder.join(format!("gen{generation}.weights"));
        let sources: Vec<Source> =
            (0..=generation).map(|number| Source::new(&self.folder(number))).collect();
        let data = DataSet::open(&sources, &Filter::default()).map_err(Failure::run)?;
        // The scores of the first games, which are those of material only, say little.
        let result_share = if generation == 0 { 1.0 } else { 0.5 };
        let kind = self.args.kind.name().to_owned();
        let training = Training { kind, result_share, ..Training::default() };
        // Weights that are there already keep their name: it depends on the whole file.
        let written = Weights::read(&file).ok().map(|weights| weights.provenance().clone());
        let (command, date) = match written.filter(|written| written.data == data.hash) {
            Some(written) => (written.command, written.date),
            None => (shell::quoted(&shell::arguments()), today()),
        };
        let provenance = Provenance { generation, command, date, ..Provenance::default() };
        let mut held_out = 0.0;
        let trained = training
            .run(
                &data,
                self.args.threads,
                &checkpoint_path(&file),
                &self.stop,
                &provenance,
                &mut |_, epoch, _| held_out = epoch.held_out,
            )
            .map_err(Failure::run)?;
        let Some((weights, _)) = trained else { return Err(Learning::interrupted()) };
        weights.write(&file, Existing::Replace).map_err(Failure::run)?;
        let positions = weights.provenance().positions;
        self.tell(Some(generation), Step::Fitted { games: data.games, positions, held_out })?;
        file.into_os_string()
            .into_string()
            .map_err(|name| Failure::Run(anyhow::anyhow!("{}: not UTF-8", name.display())))
    }

    /// Whether the new weights win the match against the old ones.
    fn is_better(&self, generation: u32, new: &str, old: &str) -> Result<bool, Failure> {
        let path = self.args.folder.join(format!("gen{generation}.match.jsonl"));
        let (mut state, config, mut results) = if path.exists() {
            let resumed = StateFile::resume(&path).map_err(Failure::run)?;
            (Some(resumed.state), resumed.config, resumed.results)
        } else {
            let config = self.config(new, old)?;
            let state = StateFile::create(&path, &config, "", &MatchRun::default())
                .map_err(Failure::run)?;
            let results = MatchResults::new(&config, Vec::new());
            (Some(state), config, results)
        };
        let workers = Workers { concurrency: self.args.threads, cpus: Vec::new() };
        let observe = &mut |_: meerslag_harness::runner::MatchEvent<'_>| Ok(());
        let end = run_match(&config, &workers, &mut state, &mut results, &self.abort, observe)
            .map_err(Failure::run)?;
        if end == MatchEnd::Stopped {
            return Err(Learning::interrupted());
        }
        let standings = results.standings();
        let rating = standings.engine(0).and_then(Standing::rating);
        // A match that ran out of games undecided says at least which one is likely ahead.
        let is_better = match standings.sprt() {
            Some((_, Decision::AcceptH1)) => true,
            Some((_, Decision::AcceptH0)) => false,
            _ => rating.is_some_and(|rating| match rating.superiority {
                Some(probability) => probability >= 0.95,
                None => rating.elo.is_some_and(|elo| elo.value == f64::INFINITY),
            }),
        };
        let elo = rating.and_then(|rating| rating.elo);
        self.tell(
            Some(generation),
            Step::Matched {
                games: standings.games(),
                opponent: old.to_owned(),
                elo_low: elo.map(|elo| json::rounded(elo.low, 2)),
                elo_high: elo.map(|elo| json::rounded(elo.high, 2)),
                is_accepted: is_better,
            },
        )?;
        Ok(is_better)
    }

    fn config(&self, new: &str, old: &str) -> Result<MatchConfig, Failure> {
        let engine = |name: &str, file: &str| {
            let mut spec = EngineSpec::parse(&format!("builtin name={name}"))
                .map_err(|error| Failure::Run(error.into()))?;
            spec.params.insert("eval-file".to_owned(), file.to_owned());
            Ok::<_, Failure>(spec)
        };
        let nodes: TimeControl =
            format!("nodes={}", self.args.match_nodes).parse().map_err(Failure::run)?;
        let openings = openings::three_move_ballots();
        let config = MatchConfig {
            event: "Generations".to_owned(),
            engines: vec![engine("new", new)?, engine("old", old)?],
            time_control: Some(nodes),
            pairs: self.args.pairs as usize,
            openings,
            random_plies: MatchConfig::RANDOM_PLIES,
            seed: Some(self.args.seed),
            sprt: Some(SprtConfig {
                elo0: 0.0,
                elo1: 10.0,
                alpha: 0.05,
                beta: 0.05,
                is_logistic: false,
            }),
            format: Format::RoundRobin,
            draw_rules: DrawRules::default(),
            adjudication: Adjudication { max_moves: Some(300), ..Adjudication::default() },
            egdb: Vec::new(),
            margin: Duration::ZERO,
        };
        config.check().map_err(|error| Failure::Run(error.into()))?;
        Ok(config)
    }
}
