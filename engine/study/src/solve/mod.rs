//! Exact values of endgame positions, with the lines that show them.
//!
//! Within the endgame databases everything is looked up: value, distances, all moves, and the
//! line of shortest win and longest defence. Outside them a search (`proof`) tries to force play
//! into database positions or to the end: first whether the side to move wins, then whether the
//! opponent does, in turns with growing numbers of positions. A win is a proof tree; a draw is two
//! sets of positions, one for each side, that its opponent cannot break out of (`hold`). A value
//! not proved within the limit is reported as unknown.
//!
//! Values ignore the draw rules that count moves, as in the databases. [`Solver::solve_game`] adds the
//! value under the rules, and gives a line that wins under them where the shortest one would not.
//!
//! # Examples
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use egdb::Probe;
//! use meerslag_study::solve::{SolveOptions, Solver, Value};
//! use movegen::Position;
//!
//! let probe = Probe::embedded()?;
//! let mut solver = Solver::new(&probe, SolveOptions { hash_mib: 1, ..SolveOptions::default() });
//! let position = Position::from_fen("W:WK11:BK2,K6")?;
//! let solution = solver.solve(&position, &AtomicBool::new(false))?;
//! assert_eq!((solution.value, solution.dtw), (Value::Loss, Some(8)));
//! assert_eq!(solution.line.map(|line| line.plies.len()), Some(8));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod equal;
mod hold;
mod line;
mod pdn;
mod proof;
mod search;
mod table;
mod tree;
mod value;

use std::sync::atomic::AtomicBool;

use egdb::error::ProbeError;
use egdb::probe::MoveAnswer;
use egdb::{Category, Probe, Wld};
use movegen::{DrawCounters, DrawRules, Game, Move, Position};
use schemars::JsonSchema;
use serde::Serialize;

pub use batch::{BatchError, BatchObserver, solve_all};
pub use equal::EqualMoves;
pub use line::{
    Conversion, LinePly, SolutionLine, SolutionVariation, SolvedLineKind, VariationEnd,
};
pub use value::Value;

use table::ProofTable;

/// How much work to spend on a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SolveOptions {
    /// The most positions of a proof search before it gives up.
    pub nodes: u64,
    /// Memory of the proof search in MiB: half for its table, half for the sets that hold.
    pub hash_mib: usize,
    /// Length of the line shown of a drawn position, in plies.
    pub draw_plies: usize,
    /// Most moves of the variations beside the line of a win or loss: all defences, and the winner's
    /// other moves.
    pub tree_moves: usize,
}

impl Default for SolveOptions {
    fn default() -> SolveOptions {
        SolveOptions { nodes: 20_000_000, hash_mib: 256, draw_plies: 0, tree_moves: 0 }
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueSource {
    /// The rules: there is no legal move.
    Rules,
    /// The endgame databases.
    Databases,
    /// A proof search, down to database values and the end of the game.
    Search,
}

/// An upper limit of the length of a proved win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Within {
    /// The game is over after this many plies at most.
    End(u32),
    /// Won database positions, whose own distances are not known, are reached after this many.
    Databases(u32),
}

impl Within {
    /// The plies.
    #[must_use]
    pub const fn plies(self) -> u32 {
        match self {
            Within::End(plies) | Within::Databases(plies) => plies,
        }
    }

    /// The plies to the end, and those to the databases.
    #[must_use]
    pub const fn split(within: Option<Within>) -> (Option<u32>, Option<u32>) {
        match within {
            Some(Within::End(plies)) => (Some(plies), None),
            Some(Within::Databases(plies)) => (None, Some(plies)),
            None => (None, None),
        }
    }
}

/// The result of a move, from the view of the side that makes it. Numbers count from before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveValue {
    /// The move.
    pub mv: Move,
    /// Its value, as far as known.
    pub value: Value,
    /// Exact plies to the end.
    pub dtw: Option<u32>,
    /// Distance to conversion, see [`egdb::Answer`].
    pub mtc: Option<u32>,
    /// For a proved win or loss without an exact distance.
    pub within: Option<Within>,
}

impl From<&MoveAnswer> for MoveValue {
    fn from(answer: &MoveAnswer) -> MoveValue {
        MoveValue {
            mv: answer.mv,
            value: answer.wld.map_or(Value::Unknown, Value::from),
            dtw: answer.dtw,
            mtc: answer.mtc,
            within: None,
        }
    }
}

/// Why a search did not settle a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// It reached the limit of positions.
    Nodes,
    /// Its memory was too small for the positions needed to hold a draw. The search for proofs
    /// continued.
    Memory,
    /// It was stopped.
    #[serde(rename = "interrupt")]
    Stop,
}

/// The findings about a position, from the view of the side to move.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// Its value.
    pub value: Value,
    /// Its value under the draw rules, with the counters of a game; `None` if it is not known, or
    /// [`Solver::solve`] was not asked about a game.
    pub category: Option<Category>,
    /// Where the value comes from; `None` if nothing is known.
    pub source: Option<ValueSource>,
    /// Exact plies to the end of the game, of a database win or loss.
    pub dtw: Option<u32>,
    /// Distance to conversion, see [`egdb::Answer`].
    pub mtc: Option<u32>,
    /// For a proved win or loss outside the databases.
    pub within: Option<Within>,
    /// All legal moves, best first.
    pub moves: Vec<MoveValue>,
    /// The best play of both sides. For a win or loss always, unless the databases have no
    /// distances; for a draw if [`SolveOptions::draw_plies`] asks for it; otherwise `None`.
    pub line: Option<SolutionLine>,
    /// Positions that the proof search visited.
    pub nodes: u64,
    /// Why it is not known better.
    pub limit: Option<Limit>,
}

impl Solution {
    /// The moves that are as good as the best one.
    #[must_use]
    pub fn equal(&self) -> EqualMoves {
        match self.line.as_ref().and_then(|line| line.plies.first()) {
            Some(ply) => ply.equal.clone(),
            None => EqualMoves::new(self.value, &self.moves),
        }
    }
}

/// Solves one position after another with the same databases.
pub struct Solver<'a> {
    probe: &'a Probe,
    options: SolveOptions,
    table: Option<ProofTable>,
}

impl<'a> Solver<'a> {
    /// A solver. Memory for the table is taken when the first position needs it.
    #[must_use]
    pub fn new(probe: &'a Probe, options: SolveOptions) -> Solver<'a> {
        Solver { probe, options, table: None }
    }

    /// Solves a position as far as possible, until `stop` becomes true. The same position gives the
    /// same solution, independent of earlier ones.
    ///
    /// # Errors
    /// If a database file cannot be read or is damaged.
    pub fn solve(
        &mut self,
        position: &Position,
        stop: &AtomicBool,
    ) -> Result<Solution, ProbeError> {
        if let Some(value) = self.probe.wld(position)?
            && (value == Wld::Draw || self.has_all(position)?)
        {
            return self.look_up(position, value);
        }
        let mib = self.options.hash_mib;
        let table = self.table.get_or_insert_with(|| ProofTable::new(mib.div_ceil(2)));
        table.clear();
        search::solve(self.probe, table, &self.options, position, stop)
    }

    /// As [`Solver::solve`], with the value under the draw rules. If these would end the line before its
    /// win, which can still be reached, another one wins in time.
    ///
    /// # Errors
    /// If a database file cannot be read or is damaged.
    pub fn solve_game(
        &mut self,
        game: &Game,
        rules: DrawRules,
        stop: &AtomicBool,
    ) -> Result<Solution, ProbeError> {
        let mut solution = self.solve(game.position(), stop)?;
        solution.category = self.probe.category(game.position(), game.counters(), rules)?;
        let is_decided = matches!(solution.category, Some(Category::Win | Category::Loss));
        let line = solution.line.as_ref().filter(|_| is_decided);
        if line.is_some_and(|line| line.draw_by_rule(game, rules).is_some())
            && let Some(mut other) = line::under_rules(self.probe, game, rules)?
        {
            let start = (*game.position(), *game.counters());
            let most = self.options.tree_moves;
            tree::grow(self.probe, &mut other, start, most, |(position, counters)| {
                let game = Game::with_counters(*position, *counters);
                line::under_rules(self.probe, &game, rules)
            })?;
            solution.line = Some(other);
        }
        Ok(solution)
    }

    /// Whether the databases tell everything about a decided position. Outside them one capture
    /// into them may tell the value, but not how quickly the others win.
    fn has_all(&self, position: &Position) -> Result<bool, ProbeError> {
        let is_inside = position.piece_count() <= u32::from(self.probe.max_pieces());
        Ok(is_inside || self.probe.dtw(position)?.is_some())
    }

    /// The line of a decided position, with its variations.
    fn decided(&self, position: &Position) -> Result<Option<SolutionLine>, ProbeError> {
        let mut line = line::decided(self.probe, position)?;
        if let Some(line) = &mut line {
            let start = (*position, DrawCounters::new(position));
            tree::grow(self.probe, line, start, self.options.tree_moves, |(position, _)| {
                line::decided(self.probe, position)
            })?;
        }
        Ok(line)
    }

    fn look_up(&self, position: &Position, value: Wld) -> Result<Solution, ProbeError> {
        let answer = self.probe.answer(position)?;
        let line = match value {
            Wld::Win | Wld::Loss => self.decided(position)?,
            Wld::Draw if self.options.draw_plies > 0 => {
                Some(line::drawn(self.probe, position, self.options.draw_plies)?)
            }
            Wld::Draw => None,
        };
        Ok(Solution {
            value: value.into(),
            category: None,
            source: Some(if position.has_legal_move() {
                ValueSource::Databases
            } else {
                ValueSource::Rules
            }),
            dtw: answer.dtw,
            mtc: answer.mtc,
            within: None,
            moves: answer.moves.iter().map(MoveValue::from).collect(),
            line,
            nodes: 0,
            limit: None,
        })
    }
}
