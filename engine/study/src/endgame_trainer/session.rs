//! One ending played against the perfect opponent.

use std::fmt;

use egdb::error::ProbeError;
use egdb::{Answer, Probe, Wld};
use movegen::notation::pdn::PdnGame;
use movegen::{Color, DrawRules, Game, IllegalMove, Move, Position, Status};
use thiserror::Error;

use super::distance::{Assessment, Measure};
use super::judge::{Judgement, Verdict, judge};
use super::opponent::reply;
use super::pick::contents;
use crate::record::{GameRecord, Players, PlyRecord, Remark, comment};
use movegen::words::counted;

/// Numeric annotation glyphs of PDN.
const MISTAKE: u32 = 2;
const BLUNDER: u32 = 4;
const DUBIOUS: u32 = 6;

/// Why an ending cannot be played.
#[derive(Debug, Error)]
pub enum TrainerError {
    /// The databases do not know the position.
    #[error("a position with {pieces} pieces is not in the databases: {there}")]
    NotInDatabases {
        /// Its pieces.
        pieces: u32,
        /// The databases' contents.
        there: String,
    },
    /// No legal move.
    #[error(transparent)]
    Illegal(#[from] Box<IllegalMove>),
    /// A database file cannot be read or is damaged.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

/// A game of the user against perfect play, and the judgements on the user's moves.
#[derive(Clone, Debug)]
pub struct TrainerSession {
    probe: Probe,
    rules: DrawRules,
    user: Color,
    game: Game,
    /// For the user, at the start.
    start: Assessment,
    /// For each ply of the game; `None` for the opponent's.
    judgements: Vec<Option<Judgement>>,
    taken_back: u32,
    mistakes_taken_back: u32,
}

/// How an ending went. As text: sentences for the user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The user's side.
    pub user: Color,
    /// The value of the position for the user.
    pub start: Assessment,
    /// The state of the game.
    pub status: Status,
    /// Plies played, of both sides.
    pub plies: usize,
    /// Moves of the user that were not taken back.
    pub moves: u32,
    /// Mistakes among them.
    pub mistakes: u32,
    /// Inaccuracies among them.
    pub inaccuracies: u32,
    /// Moves of the user that were taken back.
    pub taken_back: u32,
    /// Mistakes among those.
    pub mistakes_taken_back: u32,
}

impl TrainerSession {
    /// Begins with the current position of a game, whose draw counters and repetitions count.
    ///
    /// # Errors
    /// If the databases do not know the position.
    pub fn new(
        probe: Probe,
        game: &Game,
        user: Color,
        rules: DrawRules,
    ) -> Result<TrainerSession, TrainerError> {
        let position = game.position();
        let Some(start) = Assessment::of(&probe.answer(position)?) else {
            let there = contents(&probe);
            return Err(TrainerError::NotInDatabases { pieces: position.piece_count(), there });
        };
        let start = if position.side_to_move() == user { start } else { start.opponent() };
        let game = Game::with_counters(*position, *game.counters());
        let judgements = Vec::new();
        Ok(TrainerSession {
            probe,
            rules,
            user,
            game,
            start,
            judgements,
            taken_back: 0,
            mistakes_taken_back: 0,
        })
    }

    /// The game so far.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The current position.
    #[must_use]
    pub fn position(&self) -> &Position {
        self.game.position()
    }

    /// The user's side.
    #[must_use]
    pub fn user(&self) -> Color {
        self.user
    }

    /// The state of the game by the rules.
    #[must_use]
    pub fn status(&self) -> Status {
        self.game.status(self.rules)
    }

    /// Whether the game goes on and it is the user's turn.
    #[must_use]
    pub fn is_users_turn(&self) -> bool {
        self.position().side_to_move() == self.user && !self.status().is_over()
    }

    /// Everything about the current position, for the side to move.
    ///
    /// # Errors
    /// If a database file cannot be read or is damaged.
    pub fn answer(&self) -> Result<Answer, ProbeError> {
        self.probe.answer(self.position())
    }

    /// The value of the current position for the user.
    ///
    /// # Errors
    /// If a database file cannot be read or is damaged.
    pub fn assessment(&self) -> Result<Option<Assessment>, ProbeError> {
        let assessment = Assessment::of(&self.answer()?);
        let is_user = self.position().side_to_move() == self.user;
        Ok(if is_user { assessment } else { assessment.map(Assessment::opponent) })
    }

    /// Plays a move of the user and judges it.
    ///
    /// # Errors
    /// If the move is not legal (nothing changes then).
    pub fn play(&mut self, mv: Move) -> Result<Option<Judgement>, TrainerError> {
        let judgement = judge(&self.answer()?, mv);
        self.game.play(mv).map_err(Box::new)?;
        self.judgements.push(judgement.clone());
        Ok(judgement)
    }

    /// Plays the opponent's move if it is its turn, and returns it.
    ///
    /// # Errors
    /// If a database file cannot be read or is damaged.
    pub fn reply(&mut self) -> Result<Option<Move>, TrainerError> {
        if self.status().is_over() || self.position().side_to_move() == self.user {
            return Ok(None);
        }
        let Some(mv) = reply(&self.probe, &self.game, self.rules)? else { return Ok(None) };
        self.game.play(mv).map_err(Box::new)?;
        self.judgements.push(None);
        Ok(Some(mv))
    }

    /// Takes back the user's last move and what followed; false if there is none.
    pub fn undo(&mut self) -> bool {
        let is_users = |ply: usize| self.game.positions()[ply].side_to_move() == self.user;
        let Some(ply) = (0..self.game.ply()).rev().find(|&ply| is_users(ply)) else {
            return false;
        };
        self.taken_back += 1;
        let is_mistake =
            self.judgements[ply].as_ref().is_some_and(|j| j.verdict == Verdict::Mistake);
        self.mistakes_taken_back += u32::from(is_mistake);
        while self.game.ply() > ply {
            self.game.undo();
            self.judgements.pop();
        }
        true
    }

    /// How it went so far.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let count = |is: fn(Verdict) -> bool| {
            self.judgements.iter().flatten().filter(|j| is(j.verdict)).count() as u32
        };
        let users = self.game.positions().iter().take(self.game.ply());
        Summary {
            user: self.user,
            start: self.start,
            status: self.status(),
            plies: self.game.ply(),
            moves: users.filter(|p| p.side_to_move() == self.user).count() as u32,
            mistakes: count(|v| v == Verdict::Mistake),
            inaccuracies: count(|v| matches!(v, Verdict::Inaccuracy(_))),
            taken_back: self.taken_back,
            mistakes_taken_back: self.mistakes_taken_back,
        }
    }

    /// The game with the judgements as comments.
    #[must_use]
    pub fn to_pdn(&self) -> PdnGame {
        let mut record = GameRecord::from_start_of(&self.game);
        let plies = self.game.moves().iter().zip(self.game.positions()).zip(&self.judgements);
        record.plies = plies
            .map(|((&mv, position), judgement)| {
                let remark = judgement.as_ref().map(|judgement| Remark {
                    glyph: glyph(judgement),
                    text: judgement.describe(position),
                });
                PlyRecord { remark, ..PlyRecord::from(mv) }
            })
            .collect();
        record.result = self.status().into();
        let players = Players::new("Player", self.user, "Meerslag");
        let mut pdn = record.to_pdn("Endgame training", Some(players));
        pdn.line.lead.push(comment(&format!("{}: {}", self.user, self.start)));
        pdn
    }
}

fn glyph(judgement: &Judgement) -> Option<u32> {
    match judgement.verdict {
        Verdict::Mistake
            if judgement.value == Wld::Win && judgement.made.wld == Some(Wld::Loss) =>
        {
            Some(BLUNDER)
        }
        Verdict::Mistake => Some(MISTAKE),
        Verdict::Inaccuracy(_) => Some(DUBIOUS),
        Verdict::Perfect | Verdict::Holds => None,
    }
}

impl Summary {
    /// The user's result; `None` while it goes on.
    #[must_use]
    pub fn result(&self) -> Option<Wld> {
        match self.status {
            Status::Ongoing => None,
            Status::Win(side, _) if side == self.user => Some(Wld::Win),
            Status::Win(..) => Some(Wld::Loss),
            Status::Draw(_) => Some(Wld::Draw),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {}, {}",
            counted(self.moves, "move"),
            counted(self.mistakes, "mistake"),
            counted(self.inaccuracies, "inaccuracy"),
        )?;
        if self.taken_back > 0 {
            let what = match self.mistakes_taken_back {
                1 => "1 of them a mistake".to_owned(),
                n => format!("{n} of them mistakes"),
            };
            write!(f, " ({} more taken back, {what})", self.taken_back)?;
        }
        write!(f, ".\nThe position was a {}", self.start.value)?;
        if let Some((Measure::End, plies)) = self.start.distance {
            write!(f, " in {}", counted(plies, "ply"))?;
        }
        let plies = counted(self.plies, "ply");
        match self.result() {
            Some(value) => write!(f, "; you got a {value} in {plies}."),
            None => write!(f, "; {plies} were played."),
        }
    }
}

#[cfg(test)]
mod tests {
    use movegen::Fen;
    use movegen::notation::pdn::{WriteOptions, game_to_string};

    use super::*;

    fn session(fen: &str, user: Color) -> TrainerSession {
        let game = fen.parse::<Fen>().unwrap().game().unwrap();
        TrainerSession::new(Probe::embedded().unwrap(), &game, user, DrawRules::default()).unwrap()
    }

    /// The worst move for the side to move.
    fn worst(session: &TrainerSession) -> Move {
        session.answer().unwrap().moves.last().unwrap().mv
    }

    const WON: &str = "W:W32,K13:B21,K43";

    #[test]
    fn perfect_play_reaches_the_ideal() {
        let mut session = session("W:W31,32:B2", Color::White);
        let Some((Measure::End, ideal)) = session.summary().start.distance else { panic!() };
        while session.is_users_turn() {
            let best = session.answer().unwrap().moves[0].mv;
            let judgement = session.play(best).unwrap().unwrap();
            assert_eq!(judgement.verdict, Verdict::Perfect);
            session.reply().unwrap();
        }
        let summary = session.summary();
        assert_eq!(summary.result(), Some(Wld::Win));
        assert_eq!((summary.mistakes, summary.inaccuracies), (0, 0));
        assert_eq!(summary.plies, ideal as usize);
        assert_eq!(summary.moves, ideal.div_ceil(2));
        let text = summary.to_string();
        let end =
            format!("The position was a win in {ideal} plies; you got a win in {ideal} plies.");
        assert!(text.ends_with(&end), "{text}");
    }

    #[test]
    fn moves_taken_back_are_remembered() {
        let mut session = session(WON, Color::White);
        let start = *session.position();
        assert_eq!(session.assessment().unwrap().unwrap().value, Wld::Win);
        let judgement = session.play(worst(&session)).unwrap().unwrap();
        assert_eq!(judgement.verdict, Verdict::Mistake);
        session.reply().unwrap().expect("the game goes on");
        assert_ne!(session.assessment().unwrap().unwrap().value, Wld::Win);
        let text = game_to_string(&session.to_pdn(), &WriteOptions::default());
        assert!(text.contains("Mistake: "), "{text}");
        assert!(session.undo() && !session.undo());
        assert_eq!(*session.position(), start);
        let summary = session.summary();
        assert_eq!((summary.moves, summary.mistakes), (0, 0));
        assert_eq!((summary.taken_back, summary.mistakes_taken_back), (1, 1));
        assert!(summary.to_string().contains("(1 more taken back, 1 of them a mistake)"));
    }

    #[test]
    fn the_opponent_may_begin() {
        let mut session = session(WON, Color::Black);
        assert!(!session.is_users_turn());
        assert_eq!(session.assessment().unwrap().unwrap().value, Wld::Loss);
        session.reply().unwrap().unwrap();
        assert!(session.is_users_turn());
        assert_eq!(session.reply().unwrap(), None);
        assert!(!session.undo(), "there is no move of the user");
        assert_eq!(session.game().ply(), 1);
        session.play(worst(&session)).unwrap();
        assert!(session.undo());
        assert_eq!(session.game().ply(), 1);
    }

    #[test]
    fn what_cannot_be_played() {
        let probe = Probe::embedded().unwrap();
        let game = Game::default();
        let error = TrainerSession::new(probe, &game, Color::White, DrawRules::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains("40 pieces") && error.contains("2 to 4 pieces"), "{error}");
        let mut session = session(WON, Color::White);
        let foreign = Position::initial().legal_moves()[0];
        assert!(matches!(session.play(foreign), Err(TrainerError::Illegal(_))));
        assert_eq!(session.game().ply(), 0);
    }
}
