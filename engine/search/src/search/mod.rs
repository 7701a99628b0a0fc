//! The search.
//!
//! * [`root`]: iterative deepening over the moves of the searched position;
//! * [`alphabeta`]: the tree below it, [`quiescence`]: its leaves;
//! * [`node`]: positions with their draw counters, kinds of nodes;
//! * [`ordering`], [`history`]: which move first; [`pv`]: the best lines;
//! * [`prober`]: endgame databases in the tree; [`rated_root`]: a root that needs no search;
//! * [`worker`]: a thread's memory, counting, stopping; [`smp`], [`abdada`]: several threads;
//! * [`params`]: the numbers.

mod abdada;
mod alphabeta;
mod history;
mod node;
mod ordering;
mod params;
mod probe;
mod prober;
mod pv;
mod quiescence;
mod rated_root;
mod report;
mod root;
mod smp;
pub(crate) mod window;
mod worker;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use egdb::Probe;
use movegen::{DrawRules, Game, with_isa};

use crate::clock::Instant;
use crate::endgame;
use crate::endgame::choice::Choice;
use crate::eval::{self, Evaluation};
use crate::limits::{Control, Limits, Mode};
use crate::time::{self, Pace};
use crate::tt::TranspositionTable;
use abdada::SearchedNow;
use movegen::Score;
use node::Node;
use params::FixedNumbers;
pub use params::SearchNumbers;
use prober::Prober;
use rated_root::RatedRoot;
pub use report::{Info, SearchResult};
use root::{Root, RootMove};
pub(crate) use worker::WorkerMemory;
use worker::{DrawScore, Shared};

/// The depth of the short search for a score and a reply before a forced move is played.
const FORCED_DEPTH: u32 = 8;
const FORCED_NODES: u64 = 2_000;

/// Stack that the thread which calls [`Engine::search`](crate::Engine::search) should have, in
/// bytes: enough for the deepest path with room to spare.
pub const STACK_BYTES: usize = 8 << 20;

/// The parts of an engine that a search borrows.
pub(crate) struct Resources<'e> {
    pub(crate) draw_rules: DrawRules,
    /// The value of a draw to the side to move at the root.
    pub(crate) draw_score: Score,
    /// Time kept back at each move.
    pub(crate) move_overhead: Duration,
    /// Whether the engine may think in the opponent's time, too.
    pub(crate) ponder: bool,
    pub(crate) databases: &'e Probe,
    pub(crate) evaluation: &'e Evaluation,
    /// Other numbers than [`SearchNumbers::PLAYED`].
    pub(crate) numbers: Option<&'e SearchNumbers>,
    pub(crate) table: &'e TranspositionTable,
    /// One per thread.
    pub(crate) memories: &'e mut [WorkerMemory],
}

/// Searches the current position of the game; see [`Engine::search`](crate::Engine::search).
pub(crate) fn run(
    game: &Game,
    limits: &Limits,
    control: &Control,
    resources: Resources<'_>,
    report: &mut dyn FnMut(&Info),
) -> SearchResult {
    let start = Instant::now();
    let Resources {
        draw_rules,
        draw_score,
        move_overhead,
        ponder,
        databases,
        evaluation,
        numbers,
        table,
        memories,
    } = resources;
    let position = *game.position();
    let legal = position.legal_moves();
    if legal.is_empty() {
        return SearchResult::over(&position, start);
    }
    let wanted_lines = limits.multipv.max(1);
    let mut moves = legal.to_vec();
    moves.retain(|mv| limits.moves.contains(mv));
    if moves.is_empty() {
        moves = legal.to_vec();
    }
    // Among some moves, what is known of all of them counts.
    let rated_lines = if moves.len() < legal.len() { legal.len() } else { wanted_lines };
    let mut worse = Vec::new();
    let mut prober = Prober::new(databases);
    let known = (position.variant() == databases.variant())
        .then(|| endgame::choice::choose(game, databases, draw_rules, rated_lines));
    match known.flatten() {
        Some(Choice::Rated(mut rated)) => {
            rated.retain(|rated| moves.contains(&rated.mv));
            let root = RatedRoot { position, moves: &rated, databases, start };
            return root.answer(limits, control, report);
        }
        Some(Choice::Search { moves: mut chosen, value, worse: mut others }) => {
            chosen.retain(|mv| moves.contains(mv));
            others.retain(|rated| moves.contains(&rated.mv));
            if !chosen.is_empty() {
                moves = chosen;
                worse = others;
                prober = Prober::with_root(databases, &position, value);
            } else if others.len() == moves.len() {
                let root = RatedRoot { position, moves: &others, databases, start };
                return root.answer(limits, control, report);
            }
        }
        None => {}
    }
    let progress = eval::progress(&position);
    let timed = limits.clock.is_some() || limits.move_time.is_some();
    let forced = moves.len() == 1 && timed;
    let mut plan = time::plan(limits, move_overhead, ponder, progress);
    let mut limits = limits.clone();
    if forced {
        match limits.mode {
            Mode::Think => {
                limits.depth = Some(limits.depth.unwrap_or(FORCED_DEPTH).min(FORCED_DEPTH));
                limits.nodes = Some(limits.nodes.unwrap_or(FORCED_NODES).min(FORCED_NODES));
            }
            Mode::Ponder => {
                if let Some(plan) = &mut plan {
                    plan.target = Duration::ZERO;
                    plan.use_all = false;
                }
            }
            Mode::Analyze => {}
        }
    }
    let threads = memories.len();
    let shared = Shared {
        table,
        control,
        limits: &limits,
        rules: draw_rules,
        draw: DrawScore::new(draw_score, &position),
        evaluation,
        prober,
        plan,
        start,
        finished: AtomicBool::new(false),
        counters: std::iter::repeat_with(Default::default).take(threads).collect(),
        searched: SearchedNow::new(threads),
    };
    let node = Node { position, counters: *game.counters() };
    let first_score = evaluation.score(&position);
    let lines = wanted_lines.min(moves.len());
    let root = Root {
        node,
        lines,
        keys: game.reversible_keys().to_vec(),
        moves: moves.into_iter().map(|mv| RootMove::new(mv, first_score)).collect(),
        pace: Pace::new(),
    };
    let info = with_isa!(isa => match numbers {
        #[cfg(feature = "tuning")]
        Some(numbers) => smp::search((isa, numbers), &shared, memories, root, report),
        _ => smp::search((isa, FixedNumbers), &shared, memories, root, report),
    });
    // If more moves are wanted than keep the value, the others are shown with their values.
    let missing = wanted_lines.saturating_sub(lines);
    rated_root::report_worse(&info, lines, &worse[..missing.min(worse.len())], report);
    SearchResult { best: info.pv.first().copied(), ponder: info.pv.get(1).copied(), info }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_positions::random_positions;
    use crate::{Engine, EngineOptions};
    use egdb::DatabaseOptions;
    use movegen::random::Random;
    use movegen::{Color, Fen, Move, Position, Status, Wld};

    /// The definition of a score, without windows, table, ordering or pruning: one full ply, all
    /// captures, a full ply against every threat until something was captured beyond the horizon,
    /// forced moves for free.
    struct Plain {
        visited: u32,
    }

    /// Trees with more nodes are not searched to their end.
    const MAX_VISITED: u32 = 50_000;

    impl Plain {
        fn full(&mut self, position: &Position, depth: i32, threats: i32, ply: u32) -> Score {
            self.visited += 1;
            if self.visited > MAX_VISITED {
                return Score::DRAW;
            }
            let moves = position.legal_moves();
            let extension = i32::from(moves.len() == 1 && ply > 0);
            let child = |mv: &Move| {
                let depth = depth - 1 + extension;
                let next = position.after(*mv);
                -if depth > 0 && next.has_legal_move() {
                    self.full(&next, depth, threats, ply + 1)
                } else {
                    self.horizon(&next, false, threats, ply + 1)
                }
            };
            moves.iter().map(child).max().unwrap_or(Score::loss_in(ply))
        }

        fn horizon(
            &mut self,
            position: &Position,
            captured: bool,
            threats: i32,
            ply: u32,
        ) -> Score {
            self.visited += 1;
            let side = position.side_to_move();
            if !position.has_legal_move() {
                return Score::loss_in(ply);
            }
            if position.has_capture(side) {
                let moves = position.legal_moves();
                let child = |mv: &Move| -self.horizon(&position.after(*mv), true, threats, ply + 1);
                return moves.iter().map(child).max().expect("there is a capture");
            }
            let is_threatened = position.has_capture(side.opponent());
            if is_threatened && !captured && threats < SearchNumbers::PLAYED.threat_plies {
                self.full(position, 1, threats + 1, ply)
            } else {
                Evaluation::default().score(position)
            }
        }
    }

    #[test]
    fn one_ply_is_what_it_says() {
        let options = EngineOptions {
            hash_mib: 1,
            draw_rules: DrawRules::None,
            databases: DatabaseOptions::none(),
            ..EngineOptions::default()
        };
        let mut engine = Engine::new(options).unwrap();
        let (mut compared, mut deep) = (0, 0);
        // White loses its last man at once, after which nothing may be pruned.
        let known = Position::from_fen("B:W27:B16,18,19,23,K26,34").unwrap();
        for position in random_positions(3_000, 7).chain([known]) {
            if position.all_kings().len() > 2 || !position.has_legal_move() {
                continue;
            }
            let mut plain = Plain { visited: 0 };
            let expected = plain.full(&position, 1, 0, 0);
            if plain.visited > MAX_VISITED {
                continue;
            }
            engine.new_game();
            let game = Game::new(position);
            let found = engine.search(&game, &Limits::depth(1), &Control::new(), &mut |_| {});
            assert_eq!(found.info.score, expected, "{}", position.to_fen());
            compared += 1;
            deep += u32::from(plain.visited > 100);
        }
        assert!(compared > 1000 && deep > 50, "{compared} {deep}");
    }

    /// An engine with this value of a draw, and its score of a game.
    fn score(engine: &mut Engine, game: &Game, depth: u32, draw_score: Score) -> Score {
        engine.set_options(EngineOptions { draw_score, ..engine.options().clone() }).unwrap();
        let limits = Limits::depth(depth);
        engine.search(game, &limits, &Control::new(), &mut |_| {}).info.score
    }

    /// Random moves from here that lose nothing, until every move makes it a draw.
    fn one_move_from_a_draw(start: Position) -> Game {
        let mut random = Random::new(3);
        let mut game = Game::new(start);
        loop {
            let after = |&mv: &Move| {
                let mut next = game.clone();
                next.play(mv).unwrap();
                next
            };
            let nexts: Vec<Game> = game.position().legal_moves().iter().map(after).collect();
            let status = |next: &Game| next.status(DrawRules::default());
            if nexts.iter().all(|next| matches!(status(next), Status::Draw(_))) {
                return game;
            }
            let hangs = |next: &Game| Color::ALL.iter().any(|&c| next.position().has_capture(c));
            let open: Vec<&Game> = nexts
                .iter()
                .filter(|next| status(next) == Status::Ongoing && !hangs(next))
                .collect();
            game = match &open[..] {
                [] => Game::new(start),
                _ => open[random.below(open.len())].clone(),
            };
        }
    }

    #[test]
    fn a_draw_by_rule_is_worth_what_it_is_said_to_be() {
        let options = EngineOptions {
            hash_mib: 1,
            databases: DatabaseOptions::none(),
            ..EngineOptions::default()
        };
        let mut engine = Engine::new(options).unwrap();
        let start = Position::from_fen("W:WK37,K42:BK5").unwrap();
        for start in [start, start.reversed()] {
            let game = one_move_from_a_draw(start);
            for draw_score in [0, -12, 30].map(Score::new) {
                // With few pieces a quarter.
                let worth = Score::new(draw_score.hundredths() / 4);
                assert_eq!(score(&mut engine, &game, 1, draw_score), worth);
            }
        }
        // By the pieces at the root: 40, 30, 20, 10 at most.
        for (fen, worth) in [
            ("W:W31-50:B1-20", 40),
            ("W:W31-45:B6-20", 30),
            ("W:W41-50:B1-10", 20),
            ("W:W46-50:B1-5", 10),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let draw = DrawScore::new(Score::new(40), &position);
            assert_eq!(
                (draw.of(Color::White), draw.of(Color::Black)),
                (Score::new(worth), Score::new(-worth))
            );
        }
        let too_much = EngineOptions { draw_score: Score::new(101), ..EngineOptions::default() };
        let error = Engine::new(too_much).unwrap_err().to_string();
        assert!(error.contains("101 is not within ±100"), "{error}");
    }

    #[test]
    fn a_draw_in_the_databases_is_worth_what_it_is_said_to_be() {
        let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
        let mut engine = Engine::new(options).unwrap();
        let mut drawn = 0;
        for position in random_positions(4_000, 17) {
            if !(5..=6).contains(&position.piece_count()) || !position.has_legal_move() {
                continue;
            }
            let mut scores = |draw_score: i32| {
                let mut game = Game::new(position);
                let mut one = |game: &Game| score(&mut engine, game, 4, Score::new(draw_score));
                let first = one(&game);
                game.play(position.legal_moves()[0]).unwrap();
                // The table still holds the value of a draw to the other side.
                [first, if game.position().has_legal_move() { one(&game) } else { Score::MIN }]
            };
            let (even, less) = (scores(0), scores(-12));
            if even == [Score::DRAW; 2] {
                drawn += u32::from(less == [Score::new(-3); 2]);
                assert!(less.iter().all(|&score| score != Score::new(3)), "{}", position.to_fen());
            }
        }
        assert!(drawn >= 5, "{drawn}");
    }

    #[test]
    fn wins_that_the_counters_stop_are_draws() {
        let probe = Probe::embedded().unwrap();
        let (prober, rules) = (Prober::new(&probe), DrawRules::default());
        let text = include_str!("../../../../positions/egdb/rules-values.tsv");
        let (mut stopped, mut won) = (0, 0);
        for row in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
            let columns: Vec<&str> = row.split('\t').collect();
            let game = columns[0].parse::<Fen>().unwrap().game().unwrap();
            let node = Node { position: *game.position(), counters: *game.counters() };
            let side = node.position.side_to_move();
            if node.position.has_capture(side) || !node.position.has_legal_move() {
                continue;
            }
            let Some(value) = prober.value(&node, rules, false) else { continue };
            assert_eq!(value.name(), columns[1], "{row}");
            stopped += u32::from(value == Wld::Draw && columns[2] != "draw");
            won += u32::from(value != Wld::Draw);
        }
        assert!(stopped > 50 && won > 50, "{stopped} {won}");
    }

    #[test]
    fn evaluations_run_down_with_the_counters() {
        let options = EngineOptions {
            hash_mib: 1,
            databases: DatabaseOptions::none(),
            ..EngineOptions::default()
        };
        let mut engine = Engine::new(options).unwrap();
        let mut score = |position: &Position, plies: u32| {
            let game = Fen { halfmoves: Some(plies), ..Fen::from(position) }.game().unwrap();
            engine.new_game();
            engine.search(&game, &Limits::depth(1), &Control::new(), &mut |_| {}).info.score
        };
        let (mut ahead, mut less) = (0, 0);
        for position in random_positions(30_000, 31) {
            let is_quiet = Color::ALL.iter().all(|&color| !position.has_capture(color));
            let has_men = position.occupied() != position.all_kings();
            if !is_quiet || has_men || position.piece_count() < 5 || !position.has_legal_move() {
                continue;
            }
            let [early, later, late] = [0, 20, 44].map(|plies| score(&position, plies));
            assert_eq!(early, later, "{}", position.to_fen());
            if early > Score::new(20) && !early.is_decided() {
                ahead += 1;
                // Not if a capture starts the count anew.
                less += u32::from(late < early);
            }
        }
        assert!(ahead >= 15 && less * 2 > ahead, "{less} of {ahead}");
    }

    #[test]
    fn table_keys_tell_counters_apart_near_a_draw() {
        use movegen::DrawCounters;
        let key = |fen: &str, plies, rules| {
            let position = Position::from_fen(fen).unwrap();
            let counters = DrawCounters::with_plies(&position, plies);
            Node { position, counters }.table_key(rules)
        };
        let kings = "W:WK47,K50,31:BK4,K1,20";
        let counted = "W:WK47,K50:BK4";
        let rules = DrawRules::default();
        assert_eq!(key(kings, 0, rules), key(kings, 20, rules));
        assert_ne!(key(kings, 0, rules), key(kings, 40, rules));
        assert_ne!(key(kings, 41, rules), key(kings, 40, rules));
        assert_ne!(key(counted, 0, rules), key(counted, 1, rules));
        assert_eq!(key(counted, 0, DrawRules::Scan), key(counted, 9, DrawRules::Scan));
    }
}
