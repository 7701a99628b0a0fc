//! The puzzles of one game.

use egdb::Wld;
use movegen::notation::hub;
use movegen::notation::pdn::PdnGame;
use movegen::{Color, Game, Move, Position};
use serde::{Deserialize, Serialize};

use super::theme::balance;
use crate::suite::{self, SuitePosition};
use meerslag_search::{Control, Engine, Limits};
use movegen::{Bound, Score};

/// How much better than every other move the solution is, at least, in hundredths of a man.
pub const MARGIN: i32 = 150;
/// The least score of a winning solution, in hundredths of a man.
const WINS: i32 = 150;
/// The greatest score of any other move beside a winning one: such a position is not won.
const OTHERS: i32 = 50;
/// The greatest score of a draw, either way, and the least that every other move loses.
const DRAWS: i32 = 50;
const LOSES: i32 = -200;
/// A move is obvious if a search of this many plies, with the captures after them, finds it.
const SHALLOW: u32 = 1;
/// The most plies of a combination.
pub(super) const LONGEST: usize = 31;

/// A puzzle, as the journal keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FoundPuzzle {
    /// The ply of the game to be played in the position, from 0.
    pub ply: usize,
    /// The solution in Hub's notation: the moves of the side to move and the best answers, to the
    /// end of the combination.
    #[serde(rename = "pv")]
    pub line: Vec<String>,
    /// Its value to the side to move, in hundredths of a man.
    #[serde(rename = "s")]
    pub score: i32,
    /// How much less the second best move is worth, in hundredths of a man.
    #[serde(rename = "m")]
    pub margin: i32,
    /// Nodes after which a search with an empty table has found the first move for good.
    #[serde(rename = "n")]
    pub nodes: u64,
}

impl FoundPuzzle {
    /// The solution from its position, as far as it is legal there.
    #[must_use]
    pub fn solution(&self, position: &Position) -> Vec<Move> {
        let mut position = *position;
        let moves = self.line.iter().map_while(|text| {
            let mv = hub::parse_move(&position, text).ok()?;
            position = position.after(mv);
            Some(mv)
        });
        moves.collect()
    }
}

/// The best move of a position with its score, and the second best move's score.
struct BestMove {
    mv: Move,
    score: Score,
    second: Score,
}

impl BestMove {
    /// What only the best move achieves: a win, or a draw where all others lose.
    fn only(&self) -> Option<Wld> {
        let (best, second) = (self.score.hundredths(), self.second.hundredths());
        match () {
            () if self.margin() < MARGIN => None,
            () if best >= WINS && second <= OTHERS => Some(Wld::Win),
            () if best.abs() <= DRAWS && second <= LOSES => Some(Wld::Draw),
            () => None,
        }
    }

    fn margin(&self) -> i32 {
        self.score.hundredths() - self.second.hundredths()
    }
}

/// Searches with an engine within limits.
struct Finder<'a> {
    engine: &'a mut Engine,
    limits: &'a Limits,
    control: &'a Control,
}

impl Finder<'_> {
    /// The two best moves; `None` without a choice, or when it was stopped.
    fn best(&mut self, position: &Position, limits: &Limits) -> Option<BestMove> {
        let mut scores = [None, None];
        let limits = Limits { multipv: 2, ..limits.clone() };
        let found = self.engine.search(&Game::new(*position), &limits, self.control, &mut |info| {
            if info.bound == Bound::Exact && (1..=2).contains(&info.multipv) {
                scores[info.multipv - 1] = Some(info.score);
            }
        });
        let [Some(score), Some(second)] = scores else { return None };
        let mv = found.best.filter(|_| !self.control.is_stopped())?;
        Some(BestMove { mv, score, second })
    }

    /// The best move and its score.
    fn answer(&mut self, position: &Position) -> Option<(Move, Score)> {
        let game = Game::new(*position);
        let found = self.engine.search(&game, self.limits, self.control, &mut |_| {});
        Some((found.best.filter(|_| !self.control.is_stopped())?, found.info.score))
    }

    /// The puzzle in a position, if there is one.
    fn puzzle(&mut self, ply: usize, position: &Position) -> Option<FoundPuzzle> {
        // Everybody sees a capture, above all a recapture.
        if position.has_capture(position.side_to_move()) || position.count_legal_moves() < 2 {
            return None;
        }
        self.engine.new_game();
        let glance = self.best(position, &glance(self.limits))?;
        glance.only()?;
        let nodes = self.nodes_to(position, glance.mv)?;
        let best = self.best(position, self.limits).filter(|best| best.mv == glance.mv)?;
        let goal = best.only()?;
        let line = self.line(position, best.mv, goal)?;
        if !has_one_solution(self.engine, position, best.mv, &deep(self.limits), self.control) {
            return None;
        }
        let line = line.iter().map(ToString::to_string).collect();
        let score = best.score.hundredths();
        Some(FoundPuzzle { ply, line, score, margin: best.margin(), nodes })
    }

    /// Nodes after which a search has found this move for good; `None` if its first iterations see it, or
    /// if it does not.
    fn nodes_to(&mut self, position: &Position, mv: Move) -> Option<u64> {
        let wanted = SuitePosition {
            start: Game::new(*position),
            best: vec![mv],
            id: String::new(),
            value: None,
            source: String::new(),
        };
        let outcome = suite::search(self.engine, &wanted, self.limits, self.control);
        outcome.found.filter(|found| found.depth > SHALLOW).map(|found| found.nodes)
    }

    /// The combination to its end: until the gain cannot be taken back, or the game is decided.
    /// `None` if one of the solver's moves is not the only one; only a last capture may have
    /// several ways.
    fn line(&mut self, start: &Position, first: Move, goal: Wld) -> Option<Vec<Move>> {
        let solver = start.side_to_move();
        let mut line = vec![first];
        let mut position = start.after(first);
        loop {
            if !position.has_legal_move() {
                return Some(line);
            }
            let (reply, score) = self.answer(&position)?;
            if !reaches(-score, goal) {
                return None;
            }
            if is_end(start, &position, solver, goal, -score) {
                return Some(line);
            }
            if line.len() + 2 > LONGEST {
                return None;
            }
            position = position.after(reply);
            let mv = self.next(start, &position, goal)?;
            line.extend([reply, mv]);
            position = position.after(mv);
        }
    }

    /// The solver's next move.
    fn next(&mut self, start: &Position, position: &Position, goal: Wld) -> Option<Move> {
        if let [only] = position.legal_moves()[..] {
            return Some(only);
        }
        let best = self.best(position, self.limits)?;
        let after = position.after(best.mv);
        let is_last_capture = best.mv.is_capture()
            && is_end(start, &after, position.side_to_move(), goal, best.score);
        (best.only() == Some(goal) || is_last_capture).then_some(best.mv)
    }
}

/// Whether a score of the solver achieves the goal.
fn reaches(score: Score, goal: Wld) -> bool {
    match goal {
        Wld::Win => score.hundredths() >= WINS,
        _ => score.hundredths() >= -DRAWS,
    }
}

/// Whether a combination is over after a move of the solver's with this score.
fn is_end(start: &Position, after: &Position, solver: Color, goal: Wld, score: Score) -> bool {
    let is_quiet = !after.has_capture(solver.opponent());
    let has_gained = balance(after, solver) > balance(start, solver);
    // A win that the databases prove needs no more moves.
    let is_won = start.piece_count() > after.piece_count() && score.is_win();
    is_quiet && (goal == Wld::Draw || has_gained || is_won)
}

/// A sixteenth of these limits, to find positions for a longer search.
fn glance(limits: &Limits) -> Limits {
    Limits {
        depth: limits.depth.map(|depth| depth.saturating_sub(4).max(1)),
        nodes: limits.nodes.map(|nodes| (nodes / 16).max(1)),
        move_time: limits.move_time.map(|time| time / 16),
        ..limits.clone()
    }
}

/// Sixteen times these limits, to see whether no other move does as well.
fn deep(limits: &Limits) -> Limits {
    Limits {
        depth: limits.depth.map(|depth| (depth + 4).min(Limits::MAX_DEPTH)),
        nodes: limits.nodes.map(|nodes| nodes.saturating_mul(16)),
        move_time: limits.move_time.map(|time| time.saturating_mul(16)),
        ..limits.clone()
    }
}

/// The puzzles of the main line of a game, each search within these limits. A puzzle that belongs to
/// the combination of an earlier one is left out. `None` if it was stopped.
pub fn puzzles_of_game(
    engine: &mut Engine,
    pdn: &PdnGame,
    limits: &Limits,
    control: &Control,
) -> Option<Vec<FoundPuzzle>> {
    let mut finder = Finder { engine, limits, control };
    let mut found: Vec<FoundPuzzle> = Vec::new();
    let mut known: Vec<Position> = Vec::new();
    for (ply, (position, _)) in pdn.positions().enumerate() {
        if known.contains(&position) {
            continue;
        }
        if let Some(puzzle) = finder.puzzle(ply, &position) {
            let mut later = position;
            for mv in puzzle.solution(&position) {
                later = later.after(mv);
                known.push(later);
            }
            // The same combination, a move of both sides later.
            let is_new = found.iter().all(|one| one.line.get(..3) != puzzle.line.get(..3));
            found.extend(is_new.then_some(puzzle));
        }
        if control.is_stopped() {
            return None;
        }
    }
    Some(found)
}

/// Whether a search within these limits, from an empty table, agrees that only this move achieves
/// what the score promises: checks puzzles with more time than it took to find them. No other move
/// may be within half of [`MARGIN`].
#[must_use]
pub fn has_one_solution(
    engine: &mut Engine,
    position: &Position,
    mv: Move,
    limits: &Limits,
    control: &Control,
) -> bool {
    engine.new_game();
    let best = Finder { engine, limits, control }.best(position, limits);
    best.is_some_and(|best| best.mv == mv && best.margin() >= MARGIN / 2)
}

#[cfg(test)]
mod tests {
    use movegen::notation::pdn::{PdnReader, Ply};

    use super::*;
    use meerslag_search::EngineOptions;

    fn engine() -> Engine {
        Engine::new(EngineOptions { hash_mib: 4, ..EngineOptions::default() }).unwrap()
    }

    fn game(text: &str) -> PdnGame {
        PdnReader::new(text.as_bytes()).next().unwrap().unwrap()
    }

    /// A combination from the engine's own games; `positions` has more.
    const SHOT: &str =
        "[FEN \"W:W29,31,33,36,38,39,42,43,44,45,46,47,50:B1,5,6,7,8,9,10,14,15,16,18,19,22\"]\n";

    #[test]
    fn a_combination_is_found_and_goes_to_its_end() {
        let mut engine = engine();
        let pdn = game(&format!("{SHOT}1. 29-23 *"));
        let limits = Limits::nodes(80_000);
        let found = puzzles_of_game(&mut engine, &pdn, &limits, &Control::new()).unwrap();
        let [puzzle] = &found[..] else { panic!("{found:?}") };
        assert_eq!((puzzle.ply, puzzle.line[0].as_str()), (0, "29-23"));
        assert!(puzzle.margin >= MARGIN && puzzle.nodes > 0, "{puzzle:?}");
        let solution = puzzle.solution(&pdn.start);
        assert_eq!((solution.len(), solution.len() % 2), (puzzle.line.len(), 1));
        let end = solution.iter().fold(pdn.start, |position, &mv| position.after(mv));
        assert!(balance(&end, Color::White) > balance(&pdn.start, Color::White));
        assert!(!end.has_capture(Color::Black));
        let first = solution[0];
        let other = pdn.start.legal_moves().iter().copied().find(|&mv| mv != first).unwrap();
        let limits = Limits::nodes(200_000);
        let mut is_one =
            |mv| has_one_solution(&mut engine, &pdn.start, mv, &limits, &Control::new());
        assert!(is_one(first) && !is_one(other));
    }

    #[test]
    fn recaptures_and_quiet_play_are_no_puzzles() {
        let mut engine = engine();
        let limits = Limits::nodes(3_000);
        for text in ["1. 32-28 19-23 2. 28x19 14x23 3. 37-32 *", "1. 32-28 18-22 *"] {
            let found = puzzles_of_game(&mut engine, &game(text), &limits, &Control::new());
            assert_eq!(found.unwrap(), []);
        }
    }

    #[test]
    fn it_ends_when_it_is_stopped() {
        let control = Control::new();
        control.stop();
        let pdn = game(&format!("{SHOT}1. 29-23 *"));
        assert_eq!(puzzles_of_game(&mut engine(), &pdn, &Limits::nodes(1000), &control), None);
    }

    #[test]
    fn a_kept_line_that_is_not_legal_ends_where_it_is_not() {
        let mut pdn = game(SHOT);
        let puzzle = FoundPuzzle {
            ply: 0,
            line: ["29-23", "1-50"].map(str::to_owned).to_vec(),
            score: 200,
            margin: 200,
            nodes: 100,
        };
        let solution = puzzle.solution(&pdn.start);
        pdn.line.plies.extend(solution.iter().map(|&mv| Ply::from(mv)));
        assert_eq!((solution.len(), pdn.positions().count()), (1, 1));
    }
}
