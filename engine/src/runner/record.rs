//! A game that was played: what the state file keeps and the PDN shows.

use std::fmt;
use std::fmt::Write as _;

use movegen::notation::hub;
use movegen::notation::pdn::{Annotation, Comment, GameResult, PdnGame, Ply};
use movegen::{Color, Game, Position};
use serde::{Deserialize, Serialize};

use super::config::MatchConfig;
use super::player::FaultKind;
use super::schedule::Pairing;
use super::stats::Outcome;

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// No legal move, or no pieces.
    NoMove,
    /// A draw by the rules.
    DrawRule,
    /// Time overrun.
    TimeForfeit,
    /// The scores of both players.
    Score,
    /// The greatest number of moves.
    MoveLimit,
    /// An endgame database.
    Database,
    /// A player gave up.
    Resigned,
    /// A player said how the game ended, or ended it without saying.
    Claim,
    /// A player did not want this game.
    Refused,
    /// The loser failed.
    Fault(FaultKind),
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Termination::NoMove => f.pad("no legal move"),
            Termination::DrawRule => f.pad("draw by rule"),
            Termination::TimeForfeit => f.pad("time forfeit"),
            Termination::Score => f.pad("adjudicated by score"),
            Termination::MoveLimit => f.pad("move limit"),
            Termination::Database => f.pad("adjudicated by database"),
            Termination::Resigned => f.pad("gave up"),
            Termination::Claim => f.pad("ended by a player"),
            Termination::Refused => f.pad("game refused"),
            Termination::Fault(kind) => kind.fmt(f),
        }
    }
}

/// A move of a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PlyRecord {
    /// The move as Hub writes it.
    pub mv: String,
    /// The mover's score for himself in men, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Depth reached, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Nodes, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Seconds used.
    pub time: f64,
    /// Seconds left on the mover's clock, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<f64>,
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Which game of the schedule, from 0.
    pub game: usize,
    /// The players, by number of the configuration.
    pub pairing: Pairing,
    /// The start position.
    pub fen: String,
    /// The moves.
    pub plies: Vec<PlyRecord>,
    /// White's result.
    pub white: WhiteResult,
    /// Why it ended.
    pub termination: Termination,
    /// More about the end, for example the illegal move.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The last lines, or messages, of an engine that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<String>,
    /// Date of the end in the form of PDN.
    pub date: String,
    /// Median microseconds from the arrival of an answer to the next question: reading and judging
    /// the move, and everything that is written to the next player before `go`.
    pub overhead_us: f64,
    /// Microseconds of a `ping` and its `pong` for White and Black, if measured.
    #[serde(default)]
    pub latency_us: [Option<f64>; 2],
}

/// White's result, as text of the state file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhiteResult {
    /// White won.
    Win,
    /// Nobody won.
    Draw,
    /// Black won.
    Loss,
    /// Not known: the game does not count.
    Unknown,
}

impl From<Option<Outcome>> for WhiteResult {
    fn from(outcome: Option<Outcome>) -> WhiteResult {
        match outcome {
            Some(Outcome::Win) => WhiteResult::Win,
            Some(Outcome::Draw) => WhiteResult::Draw,
            Some(Outcome::Loss) => WhiteResult::Loss,
            None => WhiteResult::Unknown,
        }
    }
}

impl GameRecord {
    /// White's result, if known.
    #[must_use]
    pub const fn outcome(&self) -> Option<Outcome> {
        match self.white {
            WhiteResult::Win => Some(Outcome::Win),
            WhiteResult::Draw => Some(Outcome::Draw),
            WhiteResult::Loss => Some(Outcome::Loss),
            WhiteResult::Unknown => None,
        }
    }

    /// The result of the engine with this number, if it played and the result is known.
    #[must_use]
    pub fn outcome_for(&self, engine: usize) -> Option<Outcome> {
        if self.pairing.white == engine {
            self.outcome()
        } else if self.pairing.black == engine {
            self.outcome().map(Outcome::reversed)
        } else {
            None
        }
    }

    /// The result in the form of PDN.
    #[must_use]
    pub const fn result(&self) -> GameResult {
        match self.white {
            WhiteResult::Win => GameResult::WhiteWins,
            WhiteResult::Draw => GameResult::Draw,
            WhiteResult::Loss => GameResult::BlackWins,
            WhiteResult::Unknown => GameResult::Unknown,
        }
    }

    /// The game replayed; it ends before the first move that cannot be played.
    #[must_use]
    pub fn replay(&self) -> Game {
        let start = Position::from_fen(&self.fen).unwrap_or_else(|_| Position::initial());
        let mut game = Game::new(start);
        for ply in &self.plies {
            let Ok(mv) = hub::parse_move(game.position(), &ply.mv) else { break };
            if game.play(mv).is_err() {
                break;
            }
        }
        game
    }

    /// The game with scores, depths, times and clocks as comments: `[%eval 0.13]` in men from
    /// White's point of view, `[%depth 12]`, `[%emt 0:00:00.123]`, `[%clk 0:00:59.877]`.
    #[must_use]
    pub fn to_pdn(&self, config: &MatchConfig) -> PdnGame {
        let game = self.replay();
        let mut pdn = PdnGame::new(*game.start());
        let name = |engine: usize| config.engines[engine].name.as_str();
        let (white, black) = (self.pairing.white, self.pairing.black);
        pdn.tags.set("Event", &config.event);
        pdn.tags.set("Date", &self.date);
        pdn.tags.set("Round", &format!("{}.{}", self.pairing.pair + 1, self.game + 1));
        pdn.tags.set("White", name(white));
        pdn.tags.set("Black", name(black));
        pdn.tags.set("WhiteType", "program");
        pdn.tags.set("BlackType", "program");
        pdn.tags.set("TimeControlWhite", &config.time_control(white).to_string());
        pdn.tags.set("TimeControlBlack", &config.time_control(black).to_string());
        pdn.tags.set("Termination", &self.termination.to_string());
        for ((mv, position), record) in game.moves().iter().zip(game.positions()).zip(&self.plies) {
            let mut ply = Ply::from(*mv);
            let comment = record.comment(position.side_to_move());
            ply.after.push(Annotation::Comment(Comment::new(&comment)));
            pdn.line.plies.push(ply);
        }
        if !self.detail.is_empty() {
            // A brace would end the comment early.
            let text = format!("{}: {}", self.termination, self.detail).replace(['{', '}'], "'");
            let note = Annotation::Comment(Comment::new(&text));
            match pdn.line.plies.last_mut() {
                Some(ply) => ply.after.push(note),
                None => pdn.line.lead.push(note),
            }
        }
        pdn.result = self.result();
        pdn
    }
}

impl PlyRecord {
    fn comment(&self, mover: Color) -> String {
        let mut text = String::new();
        if let Some(score) = self.score {
            // Adding zero turns -0 into 0.
            let white = if mover == Color::White { score } else { -score } + 0.0;
            let _ = write!(text, "[%eval {white:.2}] ");
        }
        if let Some(depth) = self.depth {
            let _ = write!(text, "[%depth {depth}] ");
        }
        let _ = write!(text, "[%emt {}]", clock_text(self.time));
        if let Some(left) = self.clock {
            let _ = write!(text, " [%clk {}]", clock_text(left));
        }
        text
    }
}

fn clock_text(seconds: f64) -> String {
    let millis = (seconds.max(0.0) * 1000.0).round() as u64;
    let (seconds, millis) = (millis / 1000, millis % 1000);
    format!("{}:{:02}:{:02}.{millis:03}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Today in the form of PDN, such as `2026.11.21`, UTC.
#[must_use]
pub fn today() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let days = now.map_or(0, |since| since.as_secs() / 86_400);
    let (year, month, day) = date_of(days);
    format!("{year:04}.{month:02}.{day:02}")
}

/// The Gregorian date so many days after 1970-01-01.
fn date_of(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |y: u64| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date_of(0), (1970, 1, 1));
        assert_eq!(date_of(11_016), (2000, 2, 29));
        assert_eq!(date_of(11_017), (2000, 3, 1));
        assert_eq!(date_of(20_453), (2025, 12, 31));
        assert_eq!(date_of(20_454), (2026, 1, 1));
    }

    #[test]
    fn comments_are_read_back() {
        let ply = PlyRecord {
            mv: "19-23".to_owned(),
            score: Some(0.25),
            depth: Some(12),
            nodes: None,
            time: 1.5,
            clock: Some(3723.25),
        };
        let comment = Comment::new(&ply.comment(Color::Black));
        assert_eq!(comment.evaluation(), Some(-0.25));
        assert_eq!(comment.command("depth"), Some("12"));
        assert_eq!(comment.elapsed_move_time().unwrap().as_millis(), 1500);
        assert_eq!(comment.remaining_time().unwrap().as_millis(), 3_723_250);
    }
}
