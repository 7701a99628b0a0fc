//! The engine plays against itself.
//!
//! Each game depends only on the settings, the seed and its number: the player's memory is cleared
//! before it. Threads take whole blocks of games; they write them one after another in the order of
//! their numbers, so a file is byte for byte the same for any number of threads.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use clap::{Args, value_parser};
use egdb::error::ProbeError;
use movegen::{Color, Game, Move, Position, Variant, Wld};
use parking_lot::{Condvar, Mutex};
use thiserror::Error;

use super::game::{End, PlayedGame, PlayedPly};
use super::opening::{self, NumberedPlies, OpeningMix, SelfplayOpening};
use super::referee;
use super::relabel::{self, ChosenPosition, ChosenPositions, Relabel};
use super::store::{BLOCK_GAMES, GamesHeader, Store, StoreError};
use egdb::{DatabaseOptions, Probe};
use meerslag_search::eval::Evaluation;
use meerslag_search::{Control, Engine, EngineError, EngineOptions, Limits, STACK_BYTES};
use meerslag_study::Shard;
use movegen::Score;
use movegen::random::Random;

/// The players' transposition table. Small, since it is cleared for each game.
const HASH_MIB: usize = 1;
/// The games for [`GamesHeader::play`], and the most nodes for each of their moves.
const FINGERPRINT_GAMES: u64 = 4;
const FINGERPRINT_NODES: u64 = 1_000;
/// A start is rejected if a search of one of these depths finds one side ahead by more than this,
/// in hundredths of a man.
const CHECKS: [(u32, i32); 2] = [(2, 200), (6, 100)];
/// Starts from the middle of a game: numbered plies, this many of quick play, two random ones.
const MIDDLE_PLIES: std::ops::Range<usize> = 10..50;
/// Quick play gets one node in this many.
const QUICK_SHARE: u64 = 8;

/// What to play.
#[derive(Clone, Debug, Args)]
pub struct SelfPlay {
    /// Games of the whole run; rounded up to a multiple of 32
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=1_000_000_000))]
    pub games: u64,
    /// Nodes for each move
    #[arg(long, value_name = "N", default_value_t = 1_000,
          value_parser = value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: u64,
    /// Seed: another number gives other games
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// The game: international, killer, breakthrough, losing, frisian or frysk
    #[arg(long, value_name = "NAME", default_value_t)]
    pub variant: Variant,
    /// How often games begin in each way: random plies from the start, a three-move ballot with
    /// random plies, the middle of a quick game, an endgame of scattered pieces with kings, or an
    /// unbalanced opening [default: start=50,ballot=33,middle=9,endgame=8; in other games than the
    /// international one start=80,middle=12,endgame=8]
    #[arg(long, value_name = "MIX")]
    pub openings: Option<OpeningMix>,
    /// Play one of N equal parts of the run, counted from 1
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    pub shard: Shard,
    /// Positions that are searched instead.
    #[command(flatten)]
    pub relabel: Relabel,
    /// Players at the same time.
    #[arg(skip = 1usize)]
    pub threads: usize,
    /// Endgame databases, for exact results.
    #[arg(skip)]
    pub databases: DatabaseOptions,
    /// The players' evaluation.
    #[arg(skip)]
    pub evaluation: Evaluation,
}

/// The progress of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GamesProgress {
    /// Games in the file.
    pub games: u64,
    /// Games in the file at the start of this process.
    pub before: u64,
    /// Games to play.
    pub of: u64,
}

/// Why self-play ends early.
#[derive(Debug, Error)]
pub enum SelfPlayError {
    /// The file of games.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The players.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The endgame databases.
    #[error("endgame databases: {0}")]
    Probe(#[from] ProbeError),
    /// Too few positions to relabel.
    #[error("too few positions to search: {BLOCK_GAMES} are needed")]
    NoPositions,
    /// No databases for exact positions.
    #[error("exact positions need endgame databases of three pieces")]
    NoDatabases,
    /// Databases and some openings are of one game.
    #[error("{0} are of the international game")]
    OtherGame(&'static str),
    /// A player's thread cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
}

/// The threads' shared state.
struct BlockSchedule {
    /// The next block to be played.
    next: u64,
    /// The next block to be written.
    written: u64,
    failure: Option<SelfPlayError>,
}

impl SelfPlay {
    /// Plays the games that are missing in the folder. Calls `progress` from time to time; ends
    /// early when `stop` is set, with all finished blocks in the file.
    ///
    /// # Errors
    /// If the file cannot be written or belongs to other settings, or the databases fail.
    pub fn run(
        &self,
        folder: &Path,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(GamesProgress),
    ) -> Result<GamesProgress, SelfPlayError> {
        self.check()?;
        let databases = if self.variant.is_international() {
            self.databases.open().map_err(EngineError::from)?
        } else {
            Probe::new()
        };
        let mut players = Vec::new();
        for _ in 0..self.threads.max(1) {
            players.push(SelfplayPlayer::new(self, &databases)?);
        }
        let positions = match self.relabel.relabel[..] {
            [] => None,
            _ => Some(self.relabel.positions(self.games, self.seed, self.variant, &databases)?),
        };
        let games = match &positions {
            Some(positions) => positions.games(self.games) / BLOCK_GAMES * BLOCK_GAMES,
            None => self.games,
        };
        if games == 0 {
            return Err(SelfPlayError::NoPositions);
        }
        if positions.is_some() && self.relabel.exact > 0.0 && databases.max_pieces() < 3 {
            return Err(SelfPlayError::NoDatabases);
        }
        let header = GamesHeader {
            variant: self.variant,
            seed: self.seed,
            nodes: self.nodes,
            openings: self.openings(),
            shard: self.shard,
            evaluation: self.evaluation.name().to_owned(),
            // Training takes all positions that were chosen.
            database_pieces: if positions.is_some() { 0 } else { databases.max_pieces().into() },
            program: env!("CARGO_PKG_VERSION").to_owned(),
            play: match &positions {
                Some(positions) => positions.fingerprint(databases.max_pieces()),
                None => players[0].fingerprint(self)?,
            },
        };
        let store = Store::open(folder, &header)?;
        let blocks = games.div_ceil(BLOCK_GAMES).div_ceil(self.shard.of.into());
        let before = store.blocks();
        let at = |blocks_done: u64| GamesProgress {
            games: blocks_done * BLOCK_GAMES,
            before: before * BLOCK_GAMES,
            of: blocks.max(before) * BLOCK_GAMES,
        };
        let schedule = BlockSchedule { next: before, written: before, failure: None };
        let shared = Mutex::new((schedule, store));
        let turn = Condvar::new();
        let halt = AtomicBool::new(false);
        progress(at(before));
        thread::scope(|scope| {
            for mut player in players {
                let (shared, turn, halt, positions) = (&shared, &turn, &halt, positions.as_ref());
                let fail = |error| {
                    shared.lock().0.failure.get_or_insert(error);
                    halt.store(true, Ordering::Relaxed);
                };
                let play = move || {
                    let mut game = |number| match positions {
                        Some(positions) => player.label(self, positions, number),
                        None => player.play(self, number),
                    };
                    let played = self.play_blocks(&mut game, blocks, shared, turn, halt);
                    if let Err(error) = played {
                        fail(error);
                    }
                    turn.notify_all();
                };
                let builder = thread::Builder::new().stack_size(STACK_BYTES);
                if let Err(error) = builder.spawn_scoped(scope, play) {
                    fail(SelfPlayError::Thread(error));
                    turn.notify_all();
                    break;
                }
            }
            let mut guard = shared.lock();
            loop {
                turn.wait_for(&mut guard, Duration::from_millis(200));
                if stop.load(Ordering::Relaxed) {
                    halt.store(true, Ordering::Relaxed);
                    turn.notify_all();
                }
                let written = guard.0.written;
                if written >= blocks || halt.load(Ordering::Relaxed) {
                    break;
                }
                progress(at(written));
            }
        });
        let (schedule, _) = shared.into_inner();
        let done = at(schedule.written);
        progress(done);
        schedule.failure.map_or(Ok(done), Err)
    }

    /// How often games begin in each way.
    #[must_use]
    pub fn openings(&self) -> OpeningMix {
        self.openings.unwrap_or_else(|| OpeningMix::of(self.variant))
    }

    fn check(&self) -> Result<(), SelfPlayError> {
        if self.variant.is_international() {
            Ok(())
        } else if !self.databases.folders.is_empty() {
            Err(SelfPlayError::OtherGame("endgame databases"))
        } else if !self.openings().is_of_any_game() {
            Err(SelfPlayError::OtherGame("the openings ballot and unbalanced"))
        } else {
            Ok(())
        }
    }

    fn play_blocks(
        &self,
        game: &mut dyn FnMut(u64) -> Result<PlayedGame, SelfPlayError>,
        blocks: u64,
        shared: &Mutex<(BlockSchedule, Store)>,
        turn: &Condvar,
        halt: &AtomicBool,
    ) -> Result<(), SelfPlayError> {
        let mut bytes = Vec::new();
        loop {
            let block = {
                let schedule = &mut shared.lock().0;
                let block = schedule.next;
                schedule.next += 1;
                block
            };
            if block >= blocks {
                return Ok(());
            }
            // Blocks are dealt out to the parts of a run in turn.
            let first = self.shard.in_whole(block) * BLOCK_GAMES;
            bytes.clear();
            for number in first..first + BLOCK_GAMES {
                if halt.load(Ordering::Relaxed) {
                    return Ok(());
                }
                game(number)?.encode(&mut bytes);
            }
            let mut guard = shared.lock();
            while guard.0.written != block {
                if halt.load(Ordering::Relaxed) {
                    return Ok(());
                }
                turn.wait_for(&mut guard, Duration::from_millis(200));
            }
            let (schedule, store) = &mut *guard;
            store.add(BLOCK_GAMES as u32, &bytes)?;
            schedule.written += 1;
            turn.notify_all();
        }
    }
}

/// The random numbers of the game with this number.
pub(super) fn random_of(seed: u64, number: u64) -> Random {
    Random::new(Random::new(seed).next_u64() ^ Random::new(number).next_u64())
}

/// One thread's player, who plays both sides of its games.
struct SelfplayPlayer {
    engine: Engine,
    databases: Probe,
    control: Control,
    /// From the initial position, a ballot, an unbalanced opening.
    numbered: [NumberedPlies; 3],
}

impl SelfplayPlayer {
    fn new(run: &SelfPlay, databases: &Probe) -> Result<SelfplayPlayer, EngineError> {
        let options = EngineOptions {
            hash_mib: HASH_MIB,
            databases: run.databases.clone(),
            evaluation: run.evaluation.clone(),
            ..EngineOptions::default()
        };
        Ok(SelfplayPlayer {
            engine: Engine::new(options)?,
            databases: databases.clone(),
            control: Control::new(),
            numbered: [
                NumberedPlies::start(run.variant),
                NumberedPlies::ballot(),
                NumberedPlies::unbalanced(),
            ],
        })
    }

    fn search(&mut self, game: &Game, limits: &Limits) -> (Option<Move>, Score) {
        let outcome = self.engine.search(game, limits, &self.control, &mut |_| {});
        (outcome.best, outcome.info.score)
    }

    /// See [`GamesHeader::play`].
    fn fingerprint(&mut self, run: &SelfPlay) -> Result<String, SelfPlayError> {
        let short = SelfPlay { nodes: run.nodes.min(FINGERPRINT_NODES), ..run.clone() };
        let mut bytes = Vec::new();
        for number in 0..FINGERPRINT_GAMES {
            self.play(&short, u64::MAX - number)?.encode(&mut bytes);
        }
        Ok(format!("{:08x}", crc32fast::hash(&bytes)))
    }

    /// Plays the game with this number.
    fn play(&mut self, run: &SelfPlay, number: u64) -> Result<PlayedGame, SelfPlayError> {
        let mut random = random_of(run.seed, number);
        // Some kinds of starts are often unfair: the mix counts games, not attempts.
        let opening = run.openings().pick(&mut random);
        let mut numbers = opening::numbers(run.seed, number);
        let start = loop {
            // Of a thousand starts one or two find none among their own numbers.
            let number = numbers.next().unwrap_or_else(|| random.next_u64() >> 32);
            if let Some(start) = self.start(opening, run, number, &mut random)
                && self.is_fair(&start)
            {
                break start;
            }
        };
        self.engine.new_game();
        let limits = Limits::nodes(run.nodes);
        let mut plies = Vec::new();
        let databases = self.databases.clone();
        let choose = |game: &Game| self.search(game, &limits);
        let see = |mv, score| plies.push(PlayedPly { mv, score });
        let (white, end) = referee::play(&databases, Game::new(start), choose, see)?;
        Ok(PlayedGame { start, opening, plies, white, end })
    }

    /// Searches the position with this number; a game of its best move.
    fn label(
        &mut self,
        run: &SelfPlay,
        positions: &ChosenPositions,
        number: u64,
    ) -> Result<PlayedGame, SelfPlayError> {
        let ChosenPosition { position, opening, mut white, mut end } =
            positions.get(number, &mut random_of(run.seed, number), &self.databases)?;
        self.engine.new_game();
        let (best, score) = self.search(&Game::new(position), &Limits::nodes(run.nodes));
        let mut proven = match self.databases.reaches(&position) {
            true => self.databases.wld(&position)?,
            false => None,
        };
        if proven.is_none() && score.is_decided() {
            proven = Some(if score.is_win() { Wld::Win } else { Wld::Loss });
        }
        if let Some(value) = proven {
            let is_white = position.side_to_move() == Color::White;
            white = if is_white { value } else { value.opponent() };
            end = End::Database;
        }
        let score = relabel::label(score, proven);
        let mv = best.unwrap_or(position.legal_moves()[0]);
        let plies = vec![PlayedPly { mv, score: Some(score) }];
        Ok(PlayedGame { start: position, opening, plies, white, end })
    }

    /// A start of this kind with this number; `None` if the attempt fails.
    fn start(
        &mut self,
        kind: SelfplayOpening,
        run: &SelfPlay,
        number: u64,
        random: &mut Random,
    ) -> Option<Position> {
        let [start, ballot, unbalanced] = &self.numbered;
        match kind {
            SelfplayOpening::Start => start.position(number),
            SelfplayOpening::Ballot => ballot.position(number),
            SelfplayOpening::Middle => {
                let mut game = Game::new(start.position(number)?);
                self.engine.new_game();
                let limits = Limits::nodes((run.nodes / QUICK_SHARE).max(1));
                for _ in 0..MIDDLE_PLIES.start + random.below(MIDDLE_PLIES.len()) {
                    game.play(self.search(&game, &limits).0?).ok()?;
                }
                opening::random_plies(*game.position(), 2, random)
            }
            SelfplayOpening::Endgame => opening::scattered(run.variant, random),
            SelfplayOpening::Unbalanced => unbalanced.position(number),
        }
        // The file has no place for a king that has just moved.
        .map(|start| start.with_variant(run.variant))
    }

    /// Whether the game is still open, as far as a short search can see.
    fn is_fair(&mut self, start: &Position) -> bool {
        if self.databases.reaches(start) {
            return false;
        }
        self.engine.new_game();
        let game = Game::new(*start);
        // The first search finds most unfair starts.
        CHECKS.iter().all(|&(depth, most_score)| {
            let (_, score) = self.search(&game, &Limits::depth(depth));
            score.hundredths().abs() <= most_score
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};
    use std::fs;

    use tempfile::TempDir;

    use movegen::{DrawRules, Status};

    use super::super::referee::{MAX_PLIES, NO_PROGRESS};
    use super::super::store::Contents;
    use super::*;

    fn run() -> SelfPlay {
        SelfPlay {
            games: 3 * BLOCK_GAMES,
            nodes: 60,
            seed: 3,
            variant: Variant::International,
            openings: None,
            shard: Shard::WHOLE,
            threads: 1,
            databases: DatabaseOptions::default(),
            evaluation: Evaluation::default(),
            relabel: Relabel::default(),
        }
    }

    fn play(run: &SelfPlay, folder: &TempDir, stop_after: u64) -> GamesProgress {
        let stop = AtomicBool::new(false);
        let mut watch = |progress: GamesProgress| {
            stop.store(progress.games >= stop_after, Ordering::Relaxed);
        };
        run.run(folder.path(), &stop, &mut watch).unwrap()
    }

    fn games(folder: &TempDir, name: &str) -> Vec<PlayedGame> {
        let mut contents = Contents::open(&folder.path().join(name)).unwrap();
        let mut games = Vec::new();
        while let Some(block) = contents.next_games().unwrap() {
            games.extend(block);
        }
        assert_eq!(contents.skipped(), 0);
        games
    }

    #[test]
    fn the_same_games_for_any_threads_parts_and_interruptions() {
        let whole = TempDir::new().unwrap();
        assert_eq!(play(&run(), &whole, u64::MAX).games, 96);
        let name = "seed3.games";
        let bytes = fs::read(whole.path().join(name)).unwrap();

        let other = TempDir::new().unwrap();
        let three = SelfPlay { threads: 3, ..run() };
        let part = play(&three, &other, 32);
        assert!((32..=96).contains(&part.games), "{part:?}");
        assert_eq!(play(&three, &other, u64::MAX).before, part.games);
        assert!(fs::read(other.path().join(name)).unwrap() == bytes);

        // The parts take turns, block by block; all are as large as the largest.
        let parts = TempDir::new().unwrap();
        for index in 1..=2 {
            play(&SelfPlay { shard: Shard { index, of: 2 }, ..run() }, &parts, u64::MAX);
        }
        let all = games(&whole, name);
        let (odd, even) = (games(&parts, "seed3-1of2.games"), games(&parts, "seed3-2of2.games"));
        assert!(odd[..32] == all[..32] && even[..32] == all[32..64] && odd[32..] == all[64..]);
        assert_eq!(even.len(), 64);

        // Another player is recognised by its games, whatever its name.
        let fingerprint = |run: &SelfPlay| {
            let databases = run.databases.open().unwrap();
            SelfplayPlayer::new(run, &databases).unwrap().fingerprint(run).unwrap()
        };
        let material = SelfPlay { evaluation: Evaluation::material(), ..run() };
        let contents = Contents::open(&whole.path().join(name)).unwrap();
        assert_eq!(contents.header().play, fingerprint(&run()));
        assert_ne!(fingerprint(&material), fingerprint(&run()));

        let other_seed = TempDir::new().unwrap();
        play(&SelfPlay { seed: 4, games: 32, ..run() }, &other_seed, u64::MAX);
        assert_ne!(games(&other_seed, "seed4.games")[0], all[0]);
    }

    #[test]
    fn positions_of_games_get_new_scores_and_databases_exact_ones() {
        let [played, whole, parts] = [(); 3].map(|()| TempDir::new().unwrap());
        let source =
            SelfPlay { games: 1024, nodes: 20, databases: DatabaseOptions::none(), ..run() };
        play(&source, &played, u64::MAX);
        let relabel =
            Relabel { relabel: vec![played.path().to_owned()], disputed: 0.25, exact: 0.25 };
        let label = SelfPlay { games: 640, nodes: 500, relabel, ..run() };
        // There are too few of some kinds.
        let count = play(&label, &whole, u64::MAX).of;
        assert!((512..=640).contains(&count), "{count}");
        let labelled = games(&whole, "seed3.games");
        let mut sources: HashMap<Position, Vec<(i32, Wld)>> = HashMap::new();
        for game in games(&played, "seed3.games") {
            for (position, ply) in game.positions() {
                let score = ply.and_then(|ply| ply.score).map_or(0, Score::hundredths);
                sources.entry(position).or_default().push((score, game.white));
            }
        }
        let databases = DatabaseOptions::default().open().unwrap();
        let (mut exact, mut disputed, mut decisive, mut changed) = (0, 0, 0, 0);
        let mut distinct = HashSet::new();
        for PlayedGame { start, plies, white, end, .. } in &labelled {
            assert!(distinct.insert(*start) || databases.reaches(start));
            let [PlayedPly { mv, score: Some(score) }] = plies[..] else { panic!("{plies:?}") };
            assert!(start.legal_moves().contains(&mv));
            assert!(Color::ALL.iter().all(|&color| !start.has_capture(color)));
            let side = start.side_to_move();
            if databases.reaches(start) {
                exact += 1;
                let value = databases.wld(start).unwrap().unwrap();
                let expected = if side == Color::White { value } else { value.opponent() };
                assert_eq!((*white, *end), (expected, End::Database));
                match value {
                    Wld::Draw => assert_eq!(score, Score::DRAW),
                    Wld::Win => assert!((250..400).contains(&score.hundredths())),
                    Wld::Loss => assert!((250..400).contains(&-score.hundredths())),
                }
                continue;
            }
            let (old, result) = sources[start][0];
            changed += u32::from(score.hundredths() != old);
            let is_of_game = sources[start].iter().any(|&(_, result)| *white == result);
            assert!(is_of_game || *end == End::Database);
            let old = if side == Color::White { old } else { -old };
            disputed += u32::from(match result {
                Wld::Win => old < 50,
                Wld::Draw => old.abs() >= 50,
                Wld::Loss => old > -50,
            });
            decisive += u32::from((8..=20).contains(&start.piece_count()));
        }
        assert_eq!(exact, count / 4);
        assert!((80..=125).contains(&disputed), "{disputed}");
        assert!(decisive >= 200 && changed > 300, "{decisive} {changed}");

        // Parts and interruptions change nothing.
        for index in 1..=2 {
            let part = SelfPlay { shard: Shard { index, of: 2 }, threads: 2, ..label.clone() };
            play(&part, &parts, 64);
            play(&part, &parts, u64::MAX);
        }
        let files = ["seed3-1of2.games", "seed3-2of2.games"].map(|name| parts.path().join(name));
        let merged = TempDir::new().unwrap();
        super::super::merge::merge(&files, merged.path()).unwrap();
        assert!(games(&merged, "seed3.games").starts_with(&labelled));

        // Another choice is another run.
        let other = Relabel { exact: 0.5, ..label.relabel.clone() };
        let other = SelfPlay { relabel: other, ..label.clone() };
        let error = other.run(whole.path(), &AtomicBool::new(false), &mut |_| {}).unwrap_err();
        assert!(error.to_string().contains("play of a program"), "{error}");
        let none = SelfPlay { databases: DatabaseOptions::none(), ..label };
        let error = none.run(whole.path(), &AtomicBool::new(false), &mut |_| {}).unwrap_err();
        assert!(error.to_string().contains("databases of three pieces"), "{error}");
    }

    #[test]
    fn the_mix_is_one_of_the_games() {
        let folder = TempDir::new().unwrap();
        let openings: OpeningMix = "start=2,endgame=1,unbalanced=1".parse().unwrap();
        play(
            &SelfPlay { games: 256, nodes: 10, openings: Some(openings), ..run() },
            &folder,
            u64::MAX,
        );
        let mut counts = [0; SelfplayOpening::ALL.len()];
        for game in games(&folder, "seed3.games") {
            counts[usize::from(game.opening.code())] += 1;
            if game.opening == SelfplayOpening::Endgame {
                assert!((8..=16).contains(&game.start.piece_count()));
                assert!(!game.start.all_kings().is_empty());
            }
        }
        let [start, ballot, middle, endgame, unbalanced] = counts;
        assert_eq!((ballot, middle), (0, 0));
        assert!((108..148).contains(&start), "{counts:?}");
        assert!((46..82).contains(&endgame) && (46..82).contains(&unbalanced), "{counts:?}");
    }

    #[test]
    fn games_of_every_variant() {
        for variant in Variant::ALL.into_iter().skip(1) {
            let folder = TempDir::new().unwrap();
            play(&SelfPlay { variant, games: 64, nodes: 20, ..run() }, &folder, u64::MAX);
            let played = games(&folder, "seed3.games");
            let starts: HashSet<Position> = played.iter().map(|game| game.start).collect();
            assert_eq!((played.len(), starts.len()), (64, 64), "{variant}");
            let (mut over, mut kinds) = (0, HashSet::new());
            for PlayedGame { start, opening, plies, white, end } in played {
                assert_eq!(start.variant(), variant);
                kinds.insert(opening);
                let mut game = Game::new(start);
                for ply in plies {
                    assert_eq!(game.status(DrawRules::default()), Status::Ongoing, "{variant}");
                    game.play(ply.mv).unwrap();
                }
                assert_ne!(end, End::Database);
                let expected = match game.status(DrawRules::default()) {
                    Status::Win(Color::White, _) => Some(Wld::Win),
                    Status::Win(Color::Black, _) => Some(Wld::Loss),
                    Status::Draw(_) => Some(Wld::Draw),
                    Status::Ongoing => None,
                };
                over += u32::from(expected.is_some());
                assert!(expected.is_none_or(|result| result == white), "{variant}");
            }
            assert!(over > 0, "{variant}");
            assert!(!kinds.contains(&SelfplayOpening::Ballot) && kinds.len() > 1, "{kinds:?}");
            // Neither ballots nor databases are of it.
            let mix = Some(OpeningMix::default());
            let folders = vec![folder.path().to_owned()];
            let databases = DatabaseOptions { folders, ..DatabaseOptions::default() };
            for odd in [
                SelfPlay { variant, openings: mix, ..run() },
                SelfPlay { variant, databases, ..run() },
            ] {
                let error = odd.run(folder.path(), &AtomicBool::new(false), &mut |_| {});
                assert!(matches!(error, Err(SelfPlayError::OtherGame(_))), "{error:?}");
            }
        }
    }

    #[test]
    fn games_are_what_they_claim_to_be() {
        let folder = TempDir::new().unwrap();
        play(&SelfPlay { games: 128, ..run() }, &folder, u64::MAX);
        let databases = DatabaseOptions::default().open().unwrap();
        let mut ends = [0; 6];
        for played in games(&folder, "seed3.games") {
            ends[played.end as usize] += 1;
            let mut game = Game::new(played.start);
            assert!(!databases.reaches(&played.start));
            for ply in &played.plies {
                // Nothing is played once the game is over.
                assert_eq!(game.status(DrawRules::default()), Status::Ongoing);
                game.play(ply.mv).unwrap();
            }
            let side = game.position().side_to_move();
            let white_wins = |won| if won { Wld::Win } else { Wld::Loss };
            match (played.end, game.status(DrawRules::default())) {
                (End::NoMove, Status::Win(color, _)) => {
                    assert_eq!(played.white, white_wins(color == Color::White));
                }
                (End::DrawRule, Status::Draw(_)) => assert_eq!(played.white, Wld::Draw),
                (End::Database, Status::Ongoing) => {
                    let expected = match databases.wld(game.position()).unwrap().unwrap() {
                        Wld::Win => white_wins(side == Color::White),
                        Wld::Loss => white_wins(side == Color::Black),
                        Wld::Draw => Wld::Draw,
                    };
                    assert_eq!(played.white, expected);
                }
                (End::Score, _) => {
                    let winner = if played.white == Wld::Win { Color::White } else { Color::Black };
                    assert!(game.position().kings(winner.opponent()).is_empty());
                }
                (End::NoProgress, _) => {
                    assert!(game.counters().reversible() >= NO_PROGRESS);
                    assert_eq!(played.white, Wld::Draw);
                }
                (End::Length, _) => assert_eq!(played.plies.len(), MAX_PLIES),
                (end, status) => panic!("{end:?} but {status:?}"),
            }
        }
        assert!(ends[End::Database as usize] > 10, "{ends:?}");
    }
}
