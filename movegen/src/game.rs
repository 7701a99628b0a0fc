//! Games: a start position, the moves played and everything in between.

use thiserror::Error;

use crate::color::Color;
use crate::draw::{self, DrawCounters, DrawReason, DrawRules, REPETITION_OCCURRENCES};
use crate::moves::Move;
use crate::position::Position;
use crate::variant::Variant;
use crate::wld::Wld;

/// Why a game is won.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WinReason {
    /// The loser has no piece left.
    NoPieces,
    /// The loser's pieces are all blocked.
    Blocked,
    /// The winner has no move left, in Losing.
    OutOfMoves,
    /// The winner has a king, in Breakthrough.
    FirstKing,
}

impl std::fmt::Display for WinReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            WinReason::NoPieces => "no pieces left",
            WinReason::Blocked => "no legal move",
            WinReason::OutOfMoves => "no move left",
            WinReason::FirstKing => "the first king",
        })
    }
}

/// A move that the rules do not allow in the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("{mv} is not a legal move after {ply} plies ({position:?})")]
pub struct IllegalMove {
    /// The refused move.
    pub mv: Move,
    /// How many plies had been played.
    pub ply: usize,
    /// The position where it was tried.
    pub position: Position,
}

/// The state of a game by the rules. Resignation, agreement and clocks are the caller's business.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// The side to move may move.
    Ongoing,
    /// This side has won.
    Win(Color, WinReason),
    /// Nobody has won.
    Draw(DrawReason),
}

impl Status {
    /// Whether the game is over.
    #[must_use]
    pub const fn is_over(self) -> bool {
        !matches!(self, Status::Ongoing)
    }
}

/// A game: start position, moves, and for each moment the position and the draw counters.
///
/// The game does not stop itself: [`Game::status`] gives its state by the rules, and after a
/// draw moves can still be played, because opponents and analysts do.
///
/// # Examples
/// ```
/// use movegen::{DrawRules, Game, Position, Status};
///
/// let mut game = Game::new(Position::initial());
/// let first = game.position().legal_moves()[0];
/// game.play(first)?;
/// assert_eq!(game.status(DrawRules::default()), Status::Ongoing);
/// assert_eq!(game.undo(), Some(first));
/// # Ok::<(), movegen::IllegalMove>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    moves: Vec<Move>,
    first_number: u32,
    /// Has one entry more than `moves`, like the next two.
    positions: Vec<Position>,
    counters: Vec<DrawCounters>,
    keys: Vec<u64>,
}

/// Games are equal if their positions and counters are, whatever number the first move has.
impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        let parts = |game: &Game| (game.start().to_owned(), game.start_counters().to_owned());
        self.moves == other.moves && parts(self) == parts(other)
    }
}

impl Eq for Game {}

impl Game {
    /// A game that starts here, with all draw counters at 0.
    #[must_use]
    pub fn new(start: Position) -> Game {
        Game::with_counters(start, DrawCounters::new(&start))
    }

    /// A game that starts here with these draw counters, see [`DrawCounters::with_plies`].
    #[must_use]
    pub fn with_counters(start: Position, counters: DrawCounters) -> Game {
        Game {
            moves: Vec::new(),
            first_number: 1,
            positions: vec![start],
            counters: vec![counters],
            keys: vec![start.key()],
        }
    }

    /// The same game, its first move with this number, as the `:Fn` of a FEN says.
    #[must_use]
    pub fn numbered_from(self, first_number: u32) -> Game {
        Game { first_number, ..self }
    }

    /// The number of the first move; 1 unless a FEN says otherwise.
    #[must_use]
    pub const fn first_number(&self) -> u32 {
        self.first_number
    }

    /// Plays a move.
    ///
    /// # Errors
    /// If it is not a legal move of the current position; the game stays as it was.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let before = *self.position();
        if !before.legal_moves().contains(&mv) {
            return Err(IllegalMove { mv, ply: self.ply(), position: before });
        }
        let after = before.after(mv);
        self.counters.push(self.counters().after(&before, mv, &after));
        self.moves.push(mv);
        self.positions.push(after);
        self.keys.push(after.key());
        Ok(())
    }

    /// Takes the last move back and returns it; `None` at the start.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.positions.pop();
        self.counters.pop();
        self.keys.pop();
        Some(mv)
    }

    /// Number of plies played.
    #[must_use]
    pub fn ply(&self) -> usize {
        self.moves.len()
    }

    /// The start position.
    #[must_use]
    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// The current position.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.positions[self.ply()]
    }

    /// The draw counters of the current position.
    #[must_use]
    pub fn counters(&self) -> &DrawCounters {
        &self.counters[self.ply()]
    }

    /// The draw counters of the start position.
    #[must_use]
    pub fn start_counters(&self) -> &DrawCounters {
        &self.counters[0]
    }

    /// The moves played.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// All positions, from the start to the current one: one more than there are moves.
    #[must_use]
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// The keys of the positions since the last capture or man move, the current one last: the
    /// only ones that can still recur. Never empty.
    #[must_use]
    pub fn reversible_keys(&self) -> &[u64] {
        let back = usize::from(self.counters().reversible());
        &self.keys[self.ply().saturating_sub(back)..]
    }

    /// How often the current position has occurred in this game, this time included.
    #[must_use]
    pub fn occurrences(&self) -> u32 {
        let current = self.position();
        let earlier = draw::recurrences(&self.keys, self.counters().reversible())
            .filter(|back| &self.positions[self.ply() - back] == current);
        1 + earlier.count() as u32
    }

    /// The state of the game: a side without a legal move has lost, in Losing won; then repetition; then the 16-
    /// and 5-move rules; then the 25-move rule.
    #[must_use]
    pub fn status(&self, rules: DrawRules) -> Status {
        let position = self.position();
        if !position.has_legal_move() {
            let (side, opponent) = (position.side_to_move(), position.side_to_move().opponent());
            let is_broken_through =
                position.variant() == Variant::Breakthrough && !position.kings(opponent).is_empty();
            return match position.variant().without_move() {
                Wld::Win => Status::Win(side, WinReason::OutOfMoves),
                _ if is_broken_through => Status::Win(opponent, WinReason::FirstKing),
                _ if position.pieces(side).is_empty() => Status::Win(opponent, WinReason::NoPieces),
                _ => Status::Win(opponent, WinReason::Blocked),
            };
        }
        let repeats = rules.has_repetition() && position.variant().has_repetition();
        if repeats && self.occurrences() >= REPETITION_OCCURRENCES {
            return Status::Draw(DrawReason::Repetition);
        }
        self.counters().draw(rules).map_or(Status::Ongoing, Status::Draw)
    }
}

impl Default for Game {
    fn default() -> Game {
        Game::new(Position::initial())
    }
}
