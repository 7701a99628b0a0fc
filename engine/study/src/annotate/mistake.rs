//! The kind of mistake of a move, and the values of the endgames of a game.

use std::time::Duration;

use egdb::Wld;
use movegen::json;
use movegen::notation::moves::{format_line, format_move};
use movegen::notation::pdn::{Comment, Grade, PdnGame};
use movegen::words::Words;
use movegen::{Color, Move, Position};
use schemars::JsonSchema;
use serde::Serialize;

use super::judge::{JudgedGame, JudgedMove};

/// From this many pieces on a game is in its opening.
const OPENING_PIECES: u32 = 32;
/// Down to this many pieces a game is in its middle game, unless the databases know the position.
const MIDDLE_GAME_PIECES: u32 = 9;
/// Plies within which a combination must gain something.
const COMBINATION_PLIES: usize = 10;
/// With less than this on the clock a player is short of time.
const SHORT_OF_TIME: Duration = Duration::from_secs(60);

/// A part of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// At least 32 pieces.
    Opening,
    /// Neither of these.
    MiddleGame,
    /// The databases know the position, or it has at most 8 pieces.
    Endgame,
}

impl Phase {
    fn of(judged: &JudgedMove) -> Phase {
        match judged.position.piece_count() {
            _ if judged.exact.is_some() => Phase::Endgame,
            OPENING_PIECES.. => Phase::Opening,
            MIDDLE_GAME_PIECES.. => Phase::MiddleGame,
            _ => Phase::Endgame,
        }
    }
}

/// The fault of a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MistakeKind {
    /// The opponent's best line after it gains material within ten plies.
    AllowedCombination,
    /// The best line instead of it gains material within ten plies.
    MissedCombination,
    /// By the databases a win became a draw or a loss.
    WonEndgameNotWon,
    /// By the databases a draw became a loss.
    DrawnEndgameLost,
    /// Anything else.
    Positional,
}

/// A bad move.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Mistake {
    /// Its place in the game, from 0.
    pub ply: usize,
    /// The position before it.
    #[serde(rename = "fen")]
    pub position: Position,
    /// The move.
    #[serde(rename = "move")]
    pub mv: Move,
    /// A better one.
    pub better: Option<Move>,
    /// The share of the points that it gave away, 0 to 1.
    #[serde(serialize_with = "json::digits::<4, _>")]
    pub drop: f64,
    /// How bad it was; never [`Grade::Good`].
    pub grade: Grade,
    /// When it was made.
    pub phase: Phase,
    /// The fault.
    pub kind: MistakeKind,
    /// The material that it lost or did not win: the value of pieces in men, a king as three. 0
    /// unless it is about a combination.
    pub men: u32,
    /// The line that shows it: after the move if it allowed something, otherwise instead of it.
    pub line: Vec<Move>,
    /// Less than a minute was left on the clock.
    #[serde(rename = "time_trouble")]
    pub is_short_of_time: bool,
}

impl Mistake {
    /// How instructive it is: more if the fault is known.
    fn weight(&self) -> f64 {
        let is_plain = self.kind == MistakeKind::Positional;
        self.drop * if is_plain { 0.5 } else { 1.0 }
    }

    /// The most instructive mistakes come first.
    #[must_use]
    pub fn by_weight(&self, other: &Mistake) -> std::cmp::Ordering {
        other.weight().total_cmp(&self.weight())
    }

    /// The fault, in a sentence: `27-22 loses 2 men after 28x17 12x32.`
    #[must_use]
    pub fn describe(&self, words: &Words) -> String {
        let (mv, men) = (format_move(&self.position, self.mv), self.men);
        let (key, from) = match self.kind {
            MistakeKind::AllowedCombination => {
                ("was.allowed_combination", self.position.after(self.mv))
            }
            MistakeKind::MissedCombination => ("was.missed_combination", self.position),
            MistakeKind::WonEndgameNotWon => ("was.won_endgame_not_won", self.position),
            MistakeKind::DrawnEndgameLost => ("was.drawn_endgame_lost", self.position),
            MistakeKind::Positional => ("was.positional", self.position),
        };
        let line = format_line(&from, self.line.iter().copied()).join(" ");
        let said = words.say(key, &[("move", &mv), ("men", &men), ("line", &line)]);
        match self.better {
            // Otherwise the line shows it.
            Some(better) if men == 0 => {
                let better = format_move(&self.position, better);
                format!("{said}; {}.", words.say("betterMove", &[("move", &better)]))
            }
            _ => format!("{said}."),
        }
    }
}

/// The endgame of a game, as far as the databases know it. Values are White's.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Endgame {
    /// The place of the first move whose value the databases know, from 0.
    pub ply: usize,
    /// The position before it.
    #[serde(rename = "fen")]
    pub position: Position,
    /// Its value.
    pub entry: Wld,
    /// The value of the last position that they know.
    pub end: Wld,
}

impl JudgedGame {
    /// The bad moves, in their order.
    #[must_use]
    pub fn mistakes(&self, pdn: &PdnGame) -> Vec<Mistake> {
        let bad = |at: &usize| self.moves[*at].grade != Grade::Good;
        (0..self.moves.len()).filter(bad).map(|at| self.mistake(pdn, at)).collect()
    }

    fn mistake(&self, pdn: &PdnGame, at: usize) -> Mistake {
        let judged = &self.moves[at];
        let (kind, men, line) = self.kind(at);
        let left = |comment: &Comment| comment.remaining_time(judged.mover());
        let clock = pdn.line.plies[at].comments().find_map(left);
        Mistake {
            ply: at,
            position: judged.position,
            mv: judged.mv,
            better: judged.better(),
            drop: judged.drop(),
            grade: judged.grade,
            phase: Phase::of(judged),
            kind,
            men,
            line,
            is_short_of_time: clock.is_some_and(|left| left < SHORT_OF_TIME),
        }
    }

    fn kind(&self, at: usize) -> (MistakeKind, u32, Vec<Move>) {
        let judged = &self.moves[at];
        if let Some(exact) = &judged.exact {
            let kind = match exact.value {
                Wld::Win => MistakeKind::WonEndgameNotWon,
                Wld::Draw | Wld::Loss => MistakeKind::DrawnEndgameLost,
            };
            return (kind, 0, judged.better().into_iter().collect());
        }
        let next = judged.position.after(judged.mv);
        let (lost, reply) = gain(next, self.line_from(at + 1, &next));
        let (won, better) = gain(judged.position, &judged.line);
        // Captures by the move itself are offset against the opponent's recaptures.
        let taken = balance(&next, judged.mover()) - balance(&judged.position, judged.mover());
        let made = taken - lost;
        match (u32::try_from(-made), u32::try_from(won - made)) {
            (Ok(men @ 1..), _) => (MistakeKind::AllowedCombination, men, reply),
            (_, Ok(men @ 1..)) => (MistakeKind::MissedCombination, men, better),
            _ => (
                MistakeKind::Positional,
                0,
                judged.line.iter().take(COMBINATION_PLIES).copied().collect(),
            ),
        }
    }

    /// The best line from the position before a move, or from the last one, if it is this one.
    fn line_from(&self, at: usize, position: &Position) -> &[Move] {
        match self.moves.get(at) {
            Some(judged) if judged.position == *position => &judged.line,
            Some(_) => &[],
            None => &self.last_line,
        }
    }

    /// Its endgame; `None` if it ended before the databases knew a position.
    #[must_use]
    pub fn endgame(&self) -> Option<Endgame> {
        let known = |judged: &JudgedMove| judged.exact.is_some();
        let ply = self.moves.iter().position(known)?;
        let white =
            |value: Wld, mover| if mover == Color::White { value } else { value.opponent() };
        let first = &self.moves[ply];
        let last = self.moves.iter().rfind(|judged| known(judged))?;
        let value = last.exact.as_ref()?;
        Some(Endgame {
            ply,
            position: first.position,
            entry: white(first.exact.as_ref()?.value, first.mover()),
            end: white(value.made.wld.unwrap_or(value.value), last.mover()),
        })
    }
}

/// The lasting gain of the side to move by a line, in men: the most that it has at some quiet
/// position and all later ones. With the moves up to there.
fn gain(start: Position, line: &[Move]) -> (i32, Vec<Move>) {
    let side = start.side_to_move();
    let before = balance(&start, side);
    let mut position = start;
    let mut quiet = Vec::new();
    for (plies, &mv) in (1..).zip(line.iter().take(COMBINATION_PLIES)) {
        position = position.after(mv);
        if !position.legal_moves().first().is_some_and(|mv| mv.is_capture()) {
            quiet.push((plies, balance(&position, side) - before));
        }
    }
    let Some(&(_, last)) = quiet.last() else { return (0, Vec::new()) };
    let plies = quiet.iter().find(|(_, gained)| *gained >= last).map_or(0, |(plies, _)| *plies);
    (last, line[..plies].to_vec())
}

/// How much more material this side has, in men; a king counts three.
fn balance(position: &Position, side: Color) -> i32 {
    let worth = |side| position.men(side).len() as i32 + 3 * position.kings(side).len() as i32;
    worth(side) - worth(side.opponent())
}
