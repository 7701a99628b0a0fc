//! Played games of any kind: the data of each move, and their form as PDN.

use std::fmt::Write as _;
use std::time::Duration;

use movegen::notation::pdn::{Annotation, Comment, GameResult, PdnGame, Ply, format_time};
use movegen::{Color, DrawCounters, Fen, Game, Move, Position};
use serde::{Deserialize, Serialize};

/// A move of a game and what is known about it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlyRecord {
    /// The move.
    pub mv: Move,
    /// The mover's score for itself in men, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Depth reached, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Nodes, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Seconds used, if measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Seconds left on the mover's clock, if there is one; below 0 for a player that may overrun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<f64>,
    /// The comment.
    #[serde(skip)]
    pub remark: Option<String>,
}

impl From<Move> for PlyRecord {
    fn from(mv: Move) -> PlyRecord {
        PlyRecord {
            mv,
            score: None,
            depth: None,
            nodes: None,
            time: None,
            clock: None,
            remark: None,
        }
    }
}

/// A played game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Where it began.
    #[serde(rename = "fen")]
    pub start: Position,
    /// Plies that already counted for the draw rule of that position, as in a FEN with `:Hn`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub halfmoves: u16,
    /// The moves.
    pub plies: Vec<PlyRecord>,
    /// The result; in files as White's.
    #[serde(rename = "white", with = "WhiteResult")]
    pub result: GameResult,
    /// Date when it began where it was played, in the form of PDN.
    pub date: String,
    /// The same in UTC, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utc_date: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(number: &u16) -> bool {
    *number == 0
}

/// The names of the players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Players<'a> {
    /// The player of White.
    pub white: &'a str,
    /// The player of Black.
    pub black: &'a str,
}

impl<'a> Players<'a> {
    /// `us` has this colour, `other` the other one.
    #[must_use]
    pub fn new(us: &'a str, color: Color, other: &'a str) -> Players<'a> {
        match color {
            Color::White => Players { white: us, black: other },
            Color::Black => Players { white: other, black: us },
        }
    }
}

impl GameRecord {
    /// A game of today without a move.
    #[must_use]
    pub fn new(start: Position) -> GameRecord {
        let (plies, result) = (Vec::new(), GameResult::Unknown);
        let [date, utc_date] = dates();
        GameRecord { start, halfmoves: 0, plies, result, date, utc_date: Some(utc_date) }
    }

    /// A game of today without a move, from where this one started.
    #[must_use]
    pub fn from_start_of(game: &Game) -> GameRecord {
        let halfmoves = game.start_counters().plies();
        GameRecord { halfmoves, ..GameRecord::new(*game.start()) }
    }

    /// The game before its first move.
    #[must_use]
    pub fn start_game(&self) -> Game {
        let counters = DrawCounters::with_plies(&self.start, self.halfmoves);
        Game::with_counters(self.start, counters)
    }

    /// Where it began, as FEN, with the draw counters.
    #[must_use]
    pub fn start_fen(&self) -> String {
        let halfmoves = (self.halfmoves > 0).then_some(self.halfmoves.into());
        Fen { halfmoves, ..Fen::from(&self.start) }.to_string_with_counters()
    }

    /// The plies with the sides that made them.
    pub fn movers(&self) -> impl Iterator<Item = (Color, &PlyRecord)> {
        let first = self.start.side_to_move();
        let sides = [first, first.opponent()].into_iter().cycle();
        sides.zip(&self.plies)
    }

    /// The game replayed; it ends before the first move that cannot be played.
    #[must_use]
    pub fn replay(&self) -> Game {
        let mut game = self.start_game();
        for ply in &self.plies {
            if game.play(ply.mv).is_err() {
                break;
            }
        }
        game
    }

    /// The game with a comment after each move that has data: `[%eval 0.13]` in men from White's
    /// point of view, `[%depth 12]`, `[%emt 0:00:00.123]`, `[%clk 0:00:59.877]`, and the remark.
    #[must_use]
    pub fn to_pdn(&self, event: &str, players: Option<Players<'_>>) -> PdnGame {
        let mut pdn = PdnGame::new(self.start);
        pdn.halfmoves = (self.halfmoves > 0).then_some(self.halfmoves.into());
        pdn.tags.set("Event", event);
        pdn.tags.set("Date", &self.date);
        if let Some(date) = &self.utc_date {
            pdn.tags.set("UTCDate", date);
        }
        if let Some(Players { white, black }) = players {
            pdn.tags.set("White", white);
            pdn.tags.set("Black", black);
        }
        let moves = self.replay().ply();
        pdn.line.plies = self.movers().take(moves).map(|(mover, ply)| ply.to_pdn(mover)).collect();
        pdn.result = self.result;
        pdn
    }
}

impl PlyRecord {
    fn to_pdn(&self, mover: Color) -> Ply {
        let mut text = String::new();
        if let Some(score) = self.score {
            let _ = write!(text, "[%eval {:.2}] ", for_white(score, mover));
        }
        if let Some(depth) = self.depth {
            let _ = write!(text, "[%depth {depth}] ");
        }
        if let Some(time) = self.time {
            let _ = write!(text, "[%emt {}] ", format_time(duration(time)));
        }
        if let Some(left) = self.clock {
            let _ = write!(text, "[%clk {}] ", format_time(duration(left)));
        }
        let mut ply = Ply::from(self.mv);
        if let Some(remark) = &self.remark {
            text.push_str(remark);
        }
        if !text.is_empty() {
            ply.after.push(comment(text.trim_end()));
        }
        ply
    }
}

/// A score in men from White's point of view.
#[must_use]
pub fn for_white(score: f64, mover: Color) -> f64 {
    // Adding zero turns -0 into 0.
    (if mover == Color::White { score } else { -score }) + 0.0
}

/// An annotation of PDN with this text.
#[must_use]
pub fn comment(text: &str) -> Annotation {
    // A brace would end the comment early.
    Annotation::Comment(Comment::new(&text.replace(['{', '}'], "'")))
}

/// In milliseconds, at least 0.
fn duration(seconds: f64) -> Duration {
    Duration::from_millis((seconds.max(0.0) * 1000.0).round() as u64)
}

/// Today, where the user is, in the form of PDN, such as `2026.11.21`.
#[must_use]
pub fn today() -> String {
    let [date, _] = dates();
    date
}

/// The day in the user's time zone, and in UTC.
#[cfg(not(target_family = "wasm"))]
fn dates() -> [String; 2] {
    use chrono::{DateTime, Local, Utc};

    const FORM: &str = "%Y.%m.%d";
    // Not `now` of chrono, which panics if the clock is before 1970.
    let now = std::time::SystemTime::now();
    let (here, utc) = (DateTime::<Local>::from(now), DateTime::<Utc>::from(now));
    [here.format(FORM).to_string(), utc.format(FORM).to_string()]
}

/// Unknown: a module in a browser has no clock.
#[cfg(target_family = "wasm")]
fn dates() -> [String; 2] {
    ["????.??.??".to_owned(), "????.??.??".to_owned()]
}

/// White's result as a word.
#[derive(Serialize, Deserialize)]
#[serde(remote = "GameResult", rename_all = "kebab-case")]
enum WhiteResult {
    #[serde(rename = "win")]
    WhiteWins,
    Draw,
    #[serde(rename = "loss")]
    BlackWins,
    BothLose,
    Unknown,
}

#[cfg(test)]
mod tests {
    use movegen::notation::pdn::{WriteOptions, game_to_string};

    use super::*;

    fn record() -> GameRecord {
        let start = Position::from_fen("B:W28,32,37,50:B19,23").unwrap();
        let mut game = GameRecord::new(start);
        for text in ["23-29", "28-23", "19x28x23"] {
            game.plies.push(movegen::notation::hub::read_move(text).unwrap().into());
        }
        game.plies[0] = PlyRecord {
            score: Some(0.25),
            depth: Some(12),
            nodes: Some(5),
            time: Some(1.5),
            clock: Some(3723.25),
            ..game.plies[0].clone()
        };
        game.plies[1].remark = Some("Mistake {really}".to_owned());
        game.result = GameResult::BlackWins;
        game
    }

    #[test]
    fn what_is_written_as_json_is_read() {
        let mut game = record();
        let json = serde_json::to_string(&game).unwrap();
        assert!(json.contains(r#""mv":"19x28x23"},"#) || json.contains(r#""mv":"19x28x23"}"#));
        assert!(json.contains(r#""white":"loss""#), "{json}");
        game.plies[1].remark = None;
        assert_eq!(serde_json::from_str::<GameRecord>(&json).unwrap(), game);
        for (good, bad) in [("loss", "lost"), ("B:W28", "B:W99"), ("28-23", "28~23")] {
            assert!(serde_json::from_str::<GameRecord>(&json.replacen(good, bad, 1)).is_err());
        }
    }

    #[test]
    fn comments_are_read_back() {
        let pdn = record().to_pdn("test", Some(Players::new("a", Color::Black, "b")));
        let comment = |ply: usize| pdn.line.plies[ply].comments().next().unwrap().clone();
        assert_eq!(comment(0).evaluation(), Some(-0.25));
        assert_eq!(comment(0).command("depth"), Some("12"));
        assert_eq!(comment(0).elapsed_move_time().unwrap().as_millis(), 1500);
        assert_eq!(comment(0).remaining_time(Color::White).unwrap().as_millis(), 3_723_250);
        assert_eq!(comment(1).plain_text(), "Mistake 'really'");
        assert_eq!(pdn.line.plies[2].after.len(), 0);
        assert_eq!(pdn.tags.get("White"), Some("b"));
        let text = game_to_string(&pdn, &WriteOptions::default());
        assert!(text.contains("[%clk 1:02:03.25]"), "{text}");
    }

    #[test]
    fn what_counted_before_the_start_counts_on() {
        let start: Fen = "W:WK1:BK50:H49".parse().unwrap();
        let mut game = GameRecord::from_start_of(&start.game().unwrap());
        game.plies.push(movegen::notation::hub::read_move("1-6").unwrap().into());
        let json = serde_json::to_string(&game).unwrap();
        let game: GameRecord = serde_json::from_str(&json).unwrap();
        assert_eq!((game.halfmoves, game.replay().counters().plies()), (49, 50));
        assert_eq!(game.start_fen(), "W:WK1:BK50:H49");
        assert_eq!(game.to_pdn("test", None).halfmoves, Some(49));
    }

    #[test]
    fn a_move_that_is_not_legal_ends_the_game() {
        let mut game = record();
        game.plies.push(game.plies[0].clone());
        assert_eq!(game.replay().ply(), 3);
        assert_eq!(game.to_pdn("test", None).line.plies.len(), 3);
        assert_eq!(game.movers().last().unwrap().0, Color::White);
    }
}
