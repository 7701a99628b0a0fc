//! Matches in this process. Everything about their description is in this file.

use std::io;
use std::path::Path;
use std::sync::Arc;

use meerslag_files::with_causes;
use meerslag_harness::runner::{
    Abort, Conditions, Contest, Director, EngineSpec, Format, GameLogs, KeptLogs, MatchConfig,
    MatchEnd, MatchError, MatchEvent, MatchGame, MatchPage, MatchResults, StateFile,
    TournamentConfig, WorkerReport, Workers, run, tail_text,
};
use meerslag_study::openings;
use movegen::notation::pdn::{GameResult, PdnGame, PdnReader, WriteOptions, game_to_string};
use serde_json::Value;

/// A match to be played.
pub struct Match {
    pub config: Contest,
    workers: Workers,
}

/// A match that has been played, or has ended before that.
pub struct Played {
    pub config: Contest,
    pub end: Result<MatchEnd, MatchError>,
    pub results: MatchResults,
    /// In the order of their ends, with their moves.
    pub games: Vec<MatchGame>,
    /// What was reported about engines, in the words of the command line.
    pub notes: Vec<String>,
}

impl Match {
    /// A pair from a two-move ballot, with each game in its turn.
    #[track_caller]
    pub fn new(engines: &[&str], control: &str) -> Match {
        let engines = engines.iter().map(|text| EngineSpec::parse(text).expect(text));
        let conditions = Conditions {
            event: "test".to_owned(),
            engines: engines.collect(),
            time_control: Some(control.parse().expect(control)),
            random_plies: Some(0),
            ..Conditions::default()
        };
        let (pairs, rest) = (Some(1), MatchConfig::default());
        let config = Contest::Match(MatchConfig { conditions, pairs, ..rest });
        let workers = Workers::new(1);
        Match { config, workers }
    }

    /// With another description.
    pub fn with(mut self, change: impl FnOnce(&mut MatchConfig)) -> Match {
        if let Contest::Match(config) = &mut self.config {
            change(config);
        }
        self
    }

    /// As a double round-robin in rounds.
    pub fn in_rounds(mut self) -> Match {
        self.config = Contest::Tournament(TournamentConfig {
            conditions: (*self.config).clone(),
            format: Format::RoundRobin,
            rounds: None,
            games: 2,
            deciding: 3,
            break_seconds: 0,
        });
        self
    }

    pub fn pairs(self, pairs: u32) -> Match {
        self.with(|config| config.pairs = Some(pairs))
    }

    /// Games end after this many moves of each player.
    pub fn max_moves(self, moves: u32) -> Match {
        self.with(|config| config.conditions.adjudication.max_moves = moves)
    }

    /// From these openings, or FEN lines.
    pub fn openings(self, name: &str) -> Match {
        let openings = openings::by_name(name);
        let openings = openings.unwrap_or_else(|| openings::from_fens(name).expect(name));
        self.with(|config| config.conditions.openings = openings)
    }

    pub fn at_once(mut self, games: usize) -> Match {
        self.workers.concurrency = games;
        self
    }

    /// With a log of each game in this folder.
    pub fn logs(mut self, folder: &Path, keep: KeptLogs) -> Match {
        self.workers.logs = Some(GameLogs { folder: folder.to_owned(), keep });
        self
    }

    /// Why this match cannot be.
    #[track_caller]
    pub fn refused(self) -> String {
        with_causes(&self.config.check().expect_err("it can be played"))
    }

    /// Plays all games.
    #[track_caller]
    pub fn play(self) -> Played {
        let played = self.start();
        if let Err(error) = &played.end {
            panic!("{error}");
        }
        played
    }

    /// Plays all games of a match that keeps its state in this file.
    #[track_caller]
    pub fn play_with_state(self, path: &Path) -> Played {
        self.config.check().expect("it can be played");
        let state = StateFile::create(path, &self.config, "test", &Default::default());
        self.go(&Arc::new(Abort::new()), Some(state.expect("the folder is there")))
    }

    /// Why the match is given up.
    #[track_caller]
    pub fn failure(self) -> String {
        let played = self.start();
        with_causes(&played.end.expect_err("it is played"))
    }

    /// Plays until all is played, or until something fails.
    #[track_caller]
    pub fn start(self) -> Played {
        self.config.check().expect("it can be played");
        self.go(&Arc::new(Abort::new()), None)
    }

    /// Plays until all is played or this returns.
    #[track_caller]
    pub fn start_until(self, end: impl FnOnce() + Send) -> Played {
        self.config.check().expect("it can be played");
        let abort = Arc::new(Abort::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                end();
                abort.set();
            });
            self.go(&abort, None)
        })
    }

    fn go(self, abort: &Arc<Abort>, mut state: Option<StateFile>) -> Played {
        let Match { config, workers } = self;
        let mut results = MatchResults::new(&config, Vec::new());
        let (mut games, mut notes) = (Vec::new(), Vec::new());
        let mut observe = |event: MatchEvent<'_>| -> io::Result<()> {
            match event {
                MatchEvent::Game(results) => games.extend(results.games().last().cloned()),
                MatchEvent::Report(WorkerReport::Complaint { engine, text }) => {
                    let engine = &config.engines[*engine].name;
                    notes.push(format!("engine '{engine}' reports an error: {text}"));
                }
                MatchEvent::Report(WorkerReport::SlowStart { engine, missing, tail }) => {
                    let engine = &config.engines[*engine].name;
                    let tail = tail_text(tail);
                    notes.push(format!("engine '{engine}' is slow to start: {missing}{tail}"));
                }
                _ => {}
            }
            Ok(())
        };
        let director = Director::new(abort);
        let end = run(&config, &workers, &mut state, &mut results, &director, &mut observe);
        Played { config, end, results, games, notes }
    }
}

impl Played {
    fn name(&self, engine: usize) -> &str {
        &self.config.engines[engine].name
    }

    pub fn white(&self, game: &MatchGame) -> &str {
        self.name(game.pairing.white)
    }

    pub fn black(&self, game: &MatchGame) -> &str {
        self.name(game.pairing.black)
    }

    /// The engine that has lost a game.
    #[track_caller]
    pub fn loser(&self, game: &MatchGame) -> &str {
        match game.result() {
            GameResult::WhiteWins => self.black(game),
            GameResult::BlackWins => self.white(game),
            other => panic!("nobody has lost: {other}"),
        }
    }

    /// How the games have ended, in words.
    pub fn ends(&self) -> Vec<String> {
        self.games.iter().map(|game| game.termination.to_string()).collect()
    }

    /// The table, as programs get it.
    pub fn table(&self) -> Value {
        let record = self.results.standings().to_record(&self.config);
        serde_json::to_value(record).unwrap()
    }

    /// The line of the table with this engine.
    pub fn standing(&self, name: &str) -> Value {
        let table = self.table();
        let lines = table["engines"].as_array().unwrap();
        lines.iter().find(|line| line["name"] == name).unwrap().clone()
    }

    /// The games as they are read from their PDN.
    pub fn pdn(&self) -> Vec<PdnGame> {
        let options = WriteOptions::default();
        let text = |game: &MatchGame| game_to_string(&game.to_pdn(&self.config), &options);
        let text: String = self.games.iter().map(text).collect();
        PdnReader::new(text.as_bytes()).map(Result::unwrap).collect()
    }

    /// The page, in English.
    pub fn page(&self) -> String {
        let mut page = MatchPage::new(Vec::new(), "test".to_owned());
        self.games.iter().for_each(|game| page.add(&self.config, game));
        page.to_html(&self.config, &self.results, "en", None).unwrap()
    }
}

/// Why a game has ended, in words.
pub fn why(game: &MatchGame) -> String {
    game.termination.to_string()
}
