//! From an empty folder to an evaluation: games are played, weights fitted to them, and matched
//! against the last accepted ones, generation after generation.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, value_parser};
use egdb::DatabaseOptions;
use meerslag_files::Existing;
use meerslag_harness::runner::stats::{Decision, Sprt};
use meerslag_harness::runner::{
    Abort, Adjudication, Conditions, ConfigError, Contest, Director, EngineSpec, MatchConfig,
    MatchEnd, MatchError, MatchEvent, MatchResults, MatchRun, Standing, Standings, StateError,
    StateFile, TimeControl, Workers, run as run_match,
};
use meerslag_search::eval::{EvalKind, Evaluation, Provenance, Weights, WeightsError};
use meerslag_study::Shard;
use meerslag_study::openings;
use movegen::Variant;
use movegen::json::rounded;
use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

use super::data::{DataSet, Source};
use super::error::TrainError;
use super::relabel::Relabel;
use super::sample::Filter;
use super::selfplay::{GamesProgress, SelfPlay, SelfPlayError};
use super::settings::Training;
use super::store::StoreError;
use super::train::{TrainingRun, checkpoint_path};

/// The name of the built-in evaluation that knows only material.
const MATERIAL: &str = "material";
/// New weights whose match ran out of games are accepted if they are better with this probability.
const ACCEPTED_PROBABILITY: f64 = 0.95;
/// The Elo differences between which the sequential test of a match decides.
const SPRT_ELO: (f64, f64) = (0.0, 10.0);
/// The error rates of that test.
const SPRT_ERROR: f64 = 0.05;
/// Games of a match end as draws after this many moves.
const MAX_MATCH_MOVES: u32 = 300;

/// A run of several generations.
///
/// The first generation plays with material only. Each one is fitted to all games so far, and
/// accepted if it beats the last accepted one in a match. The next generation plays with the last
/// accepted one. In the folder, generation N has its games in `genN`, its weights in `genN.weights`
/// and its match in `genN.match.jsonl`.
#[derive(Clone, Debug, Args)]
pub struct Generations {
    /// The folder
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Generations
    #[arg(long = "generations", value_name = "N", default_value_t = 4,
          value_parser = value_parser!(u32).range(1..=1000))]
    pub count: u32,
    /// Games of each generation
    #[arg(long, value_name = "N", default_value_t = 60_000,
          value_parser = value_parser!(u64).range(1..=1_000_000_000))]
    pub games: u64,
    /// The game: international, killer, breakthrough, losing, frisian or frysk
    #[arg(long, value_name = "NAME", default_value_t)]
    pub variant: Variant,
    /// Nodes for each move of these games
    #[arg(long, value_name = "N", default_value_t = 500,
          value_parser = value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: u64,
    /// The kind of evaluation: material or p8
    #[arg(long, value_name = "KIND", default_value = "p8")]
    pub kind: EvalKind,
    /// The most pairs of games in the match of a generation; it ends earlier when it is decided
    #[arg(long, value_name = "N", default_value_t = 2_000,
          value_parser = value_parser!(u32).range(1..=10_000_000))]
    pub pairs: u32,
    /// Nodes for each move of the match
    #[arg(long, value_name = "N", default_value_t = 20_000,
          value_parser = value_parser!(u64).range(1..=1_000_000_000))]
    pub match_nodes: u64,
    /// Seed: another number gives other games
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Games at the same time.
    #[arg(skip = 1usize)]
    pub threads: usize,
    /// The [`Provenance::command`] of new weights.
    #[arg(skip)]
    pub command: String,
    /// The [`Provenance::date`] of new weights.
    #[arg(skip)]
    pub date: String,
}

/// A step of a run, with the number of its generation from 0.
#[derive(Clone, PartialEq, Debug)]
pub enum GenerationStep {
    /// Games are being played.
    Playing(GamesProgress),
    /// The games of the generation are complete.
    Played(GamesProgress),
    /// Weights were fitted.
    Fitted(FittedWeights),
    /// The weights were matched.
    Matched(MatchedWeights),
}

/// Weights that were fitted to games.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct FittedWeights {
    /// Games they are fitted to.
    pub games: u64,
    /// Positions of these.
    pub positions: u64,
    /// Loss of the games held out.
    pub held_out: f64,
}

/// A match of new weights.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct MatchedWeights {
    /// Games of the match.
    pub games: usize,
    /// The weights they were matched against.
    pub opponent: String,
    /// The low end of the interval of 95 percent of the Elo difference, to two digits; `null` if
    /// there is none.
    pub elo_low: Option<f64>,
    /// The high end.
    pub elo_high: Option<f64>,
    /// Whether the next games are played with them.
    pub is_accepted: bool,
}

/// The result of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BestWeights {
    /// The weights that were accepted last.
    pub weights: String,
    /// The file they were copied to, `accepted.weights` in the folder.
    pub file: PathBuf,
}

/// Why a run of generations ends early.
#[derive(Debug, Error)]
pub enum GenerationsError {
    /// The signal to stop was given. A run with the same settings continues from here.
    #[error("stopped; what was played and fitted is kept")]
    Stopped,
    /// Nothing was learned.
    #[error("no generation has beaten material only: more games are needed")]
    NothingLearned,
    /// Playing games.
    #[error(transparent)]
    SelfPlay(#[from] SelfPlayError),
    /// Reading games.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Fitting weights.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// Reading or writing weights.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The settings of a match.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The state file of a match.
    #[error(transparent)]
    State(#[from] StateError),
    /// Playing a match.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// A file name that cannot be passed to an engine.
    #[error("{0}: not UTF-8")]
    Name(PathBuf),
    /// The caller's report failed.
    #[error(transparent)]
    Report(#[from] io::Error),
}

/// What `observe` gets: the generation and the step.
type StepObserver<'a> = &'a mut dyn FnMut(u32, GenerationStep) -> io::Result<()>;

impl Generations {
    /// Plays, fits and matches what is missing in the folder. Calls `observe` with each step,
    /// including those done before; its error ends the run.
    ///
    /// # Errors
    /// [`GenerationsError::Stopped`] when `stop` is given, [`GenerationsError::NothingLearned`] if
    /// no weights were accepted; else the step that fails.
    pub fn run(
        &self,
        stop: &Abort,
        observe: StepObserver<'_>,
    ) -> Result<BestWeights, GenerationsError> {
        let mut accepted = MATERIAL.to_owned();
        for generation in 0..self.count {
            self.play(generation, &accepted, stop, observe)?;
            let weights = self.fit(generation, stop, observe)?;
            if self.is_better(generation, &weights, &accepted, stop, observe)? {
                accepted = weights;
            }
        }
        if accepted == MATERIAL {
            return Err(GenerationsError::NothingLearned);
        }
        let file = self.folder.join("accepted.weights");
        Evaluation::named(&accepted, self.variant)?.weights().write(&file, Existing::Replace)?;
        Ok(BestWeights { weights: accepted, file })
    }

    fn games_folder(&self, generation: u32) -> PathBuf {
        self.folder.join(format!("gen{generation}"))
    }

    /// Plays the games of a generation.
    fn play(
        &self,
        generation: u32,
        player: &str,
        stop: &Abort,
        observe: StepObserver<'_>,
    ) -> Result<(), GenerationsError> {
        let selfplay = SelfPlay {
            games: self.games,
            nodes: self.nodes,
            seed: self.seed + u64::from(generation),
            variant: self.variant,
            openings: None,
            relabel: Relabel::default(),
            shard: Shard::WHOLE,
            threads: self.threads,
            databases: DatabaseOptions::default(),
            evaluation: Evaluation::named(player, self.variant)?,
        };
        let mut observed = Ok(());
        let mut report = |progress| {
            if observed.is_ok() {
                observed = observe(generation, GenerationStep::Playing(progress));
            }
        };
        let done = selfplay.run(&self.games_folder(generation), stop.flag(), &mut report)?;
        observed?;
        if stop.is_set() {
            return Err(GenerationsError::Stopped);
        }
        Ok(observe(generation, GenerationStep::Played(done))?)
    }

    /// Fits weights to the games of all generations so far; returns the name of their file.
    fn fit(
        &self,
        generation: u32,
        stop: &Abort,
        observe: StepObserver<'_>,
    ) -> Result<String, GenerationsError> {
        let file = self.folder.join(format!("gen{generation}.weights"));
        let sources: Vec<Source> =
            (0..=generation).map(|number| Source::new(&self.games_folder(number))).collect();
        let data = DataSet::open(&sources, &Filter::default())?;
        // The scores of the first games are material only, and tell little.
        let result_share = if generation == 0 { 1.0 } else { 0.5 };
        let training = Training { kind: self.kind, result_share, ..Training::default() };
        let provenance = self.provenance(generation, &file, &data);
        let mut held_out = 0.0;
        let run = TrainingRun {
            training: &training,
            data: &data,
            threads: self.threads,
            checkpoint: &checkpoint_path(&file),
            stop: stop.flag(),
        };
        let trained = run.run(&provenance, &mut |_, epoch, _| held_out = epoch.held_out)?;
        let Some((weights, _)) = trained else { return Err(GenerationsError::Stopped) };
        weights.write(&file, Existing::Replace)?;
        let positions = weights.provenance().positions;
        let fitted = FittedWeights { games: data.games, positions, held_out };
        observe(generation, GenerationStep::Fitted(fitted))?;
        file.into_os_string().into_string().map_err(|name| GenerationsError::Name(name.into()))
    }

    /// Existing weights keep their command and date: their name in a match depends on the whole
    /// file.
    fn provenance(&self, generation: u32, file: &Path, data: &DataSet) -> Provenance {
        let written = Weights::read(file).ok().map(|weights| weights.provenance().clone());
        let (command, date) = match written.filter(|written| written.data == data.hash) {
            Some(written) => (written.command, written.date),
            None => (self.command.clone(), self.date.clone()),
        };
        Provenance { generation, command, date, ..Provenance::default() }
    }

    /// Whether the new weights win the match against the old ones.
    fn is_better(
        &self,
        generation: u32,
        new: &str,
        old: &str,
        stop: &Abort,
        observe: StepObserver<'_>,
    ) -> Result<bool, GenerationsError> {
        let path = self.folder.join(format!("gen{generation}.match.jsonl"));
        let config = self.config(new, old)?;
        let (mut state, config, mut results) = if path.exists() {
            let resumed = StateFile::resume(&path)?;
            // The folder may have moved, and its weights with it.
            let engines = config.engines.clone();
            let mut config = resumed.config;
            config.engines = engines;
            (Some(resumed.state), config, resumed.results)
        } else {
            let state = StateFile::create(&path, &config, "", &MatchRun::default())?;
            let results = MatchResults::new(&config, Vec::new());
            (Some(state), config, results)
        };
        let workers = Workers::new(self.threads);
        let ignore = &mut |_: MatchEvent<'_>| Ok(());
        let end =
            run_match(&config, &workers, &mut state, &mut results, &Director::new(stop), ignore)?;
        if end == MatchEnd::Stopped {
            return Err(GenerationsError::Stopped);
        }
        let standings = results.standings();
        let is_accepted = is_accepted(standings);
        let elo = new_weights(standings).and_then(Standing::rating).and_then(|it| it.elo);
        observe(
            generation,
            GenerationStep::Matched(MatchedWeights {
                games: standings.games(),
                opponent: old.to_owned(),
                elo_low: elo.map(|elo| rounded(elo.low, 2)),
                elo_high: elo.map(|elo| rounded(elo.high, 2)),
                is_accepted,
            }),
        )?;
        Ok(is_accepted)
    }

    fn config(&self, new: &str, old: &str) -> Result<Contest, ConfigError> {
        let engine = |name: &str, file: &str| {
            let mut spec = EngineSpec::parse(&format!("builtin name={name}"))?;
            spec.params.insert("eval-file".to_owned(), file.to_owned());
            Ok::<_, ConfigError>(spec)
        };
        let nodes: TimeControl = format!("nodes={}", self.match_nodes).parse()?;
        // From the start alone four plies give thousands of positions.
        let (openings, random_plies) = match self.variant {
            Variant::International => (openings::three_move_ballots(), None),
            _ => (Vec::new(), Some(4)),
        };
        let mut conditions = Conditions {
            event: "Generations".to_owned(),
            variant: self.variant,
            engines: vec![engine("new", new)?, engine("old", old)?],
            time_control: Some(nodes),
            openings,
            random_plies,
            seed: Some(self.seed),
            adjudication: Adjudication { max_moves: MAX_MATCH_MOVES, ..Adjudication::default() },
            margin: Duration::ZERO,
            ..Conditions::default()
        };
        conditions.play_variant();
        let (elo0, elo1) = SPRT_ELO;
        let sprt = Sprt { elo0, elo1, alpha: SPRT_ERROR, beta: SPRT_ERROR, is_logistic: false };
        let (pairs, sprt) = (Some(self.pairs), Some(sprt));
        let config =
            Contest::Match(MatchConfig { conditions, pairs, sprt, ..MatchConfig::default() });
        config.check()?;
        Ok(config)
    }
}

/// The line of the new weights, the first engine of a match.
fn new_weights(standings: &Standings) -> Option<&Standing> {
    standings.engine(0)
}

/// Whether the new weights have won the match. If the match reached its last game undecided, the
/// weights that are likely better win.
fn is_accepted(standings: &Standings) -> bool {
    match standings.sprt() {
        Some((_, Decision::AcceptH1)) => true,
        Some((_, Decision::AcceptH0)) => false,
        _ => new_weights(standings).and_then(Standing::rating).is_some_and(|rating| {
            match rating.superiority {
                Some(probability) => probability >= ACCEPTED_PROBABILITY,
                // All points were won: there is no finite Elo difference.
                None => rating.elo.is_some_and(|elo| elo.value == f64::INFINITY),
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn generations(folder: &TempDir) -> Generations {
        Generations {
            folder: folder.path().to_owned(),
            count: 1,
            games: 128,
            nodes: 20,
            variant: Variant::International,
            kind: EvalKind::Material,
            pairs: 2,
            match_nodes: 20,
            threads: 2,
            seed: 1,
            command: "a test".to_owned(),
            date: "2026.01.02".to_owned(),
        }
    }

    /// The names of the steps of a run, except games being played, and how it ended.
    fn steps(run: &Generations) -> (Vec<GenerationStep>, Result<BestWeights, GenerationsError>) {
        let mut steps = Vec::new();
        let done = run.run(&Abort::new(), &mut |generation, step| {
            assert_eq!(generation, 0);
            if !matches!(step, GenerationStep::Playing(_)) {
                steps.push(step);
            }
            Ok(())
        });
        (steps, done)
    }

    #[test]
    fn each_step_is_told_and_done_once() {
        let folder = TempDir::new().unwrap();
        let run = generations(&folder);
        let (first, done) = steps(&run);
        let [GenerationStep::Played(played), fitted, matched] = &first[..] else {
            panic!("{first:?}")
        };
        assert_eq!((played.before, played.games, played.of), (0, 128, 128));
        assert!(
            matches!(
                fitted,
                GenerationStep::Fitted(FittedWeights { games: 128, positions: 1.., .. })
            ),
            "{fitted:?}"
        );
        let GenerationStep::Matched(matched) = matched else { panic!("{matched:?}") };
        let MatchedWeights { games, opponent, is_accepted, .. } = matched;
        assert!((1..=4).contains(games) && opponent == "material", "{matched:?}");
        match done {
            Ok(best) => assert!(*is_accepted && best.file.exists()),
            Err(error) => {
                assert!(!is_accepted && matches!(error, GenerationsError::NothingLearned));
            }
        }
        let weights = folder.path().join("gen0.weights");
        let provenance = Weights::read(&weights).unwrap().provenance().clone();
        assert_eq!((&*provenance.command, &*provenance.date), ("a test", "2026.01.02"));

        // On another day nothing is done again, and the weights keep their date.
        let (second, _) = steps(&Generations { date: "2026.01.03".to_owned(), ..run.clone() });
        let again = GamesProgress { before: 128, ..*played };
        assert_eq!(second[0], GenerationStep::Played(again));
        assert_eq!(second[1..], first[1..]);
        assert_eq!(Weights::read(&weights).unwrap().provenance(), &provenance);

        // In another place a match that was interrupted finds the weights there.
        let state = folder.path().join("gen0.match.jsonl");
        let text = std::fs::read_to_string(&state).unwrap();
        std::fs::write(&state, text.split_inclusive('\n').next().unwrap()).unwrap();
        let other = TempDir::new().unwrap();
        let moved = other.path().join("moved");
        std::fs::rename(folder.path(), &moved).unwrap();
        let (third, _) = steps(&Generations { folder: moved, ..run });
        assert_eq!(third[2], first[2]);
    }

    #[test]
    fn a_stopped_run_and_an_observer_that_fails_end_it() {
        let folder = TempDir::new().unwrap();
        let run = generations(&folder);
        let stop = Abort::new();
        stop.set();
        let stopped = run.run(&stop, &mut |_, _| Ok(()));
        assert!(matches!(stopped, Err(GenerationsError::Stopped)), "{stopped:?}");
        let failed = run.run(&Abort::new(), &mut |_, _| Err(io::ErrorKind::BrokenPipe.into()));
        assert!(matches!(failed, Err(GenerationsError::Report(_))), "{failed:?}");
        assert!(!folder.path().join("gen0.weights").exists());
    }
}
