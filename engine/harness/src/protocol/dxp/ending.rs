//! How a game ends: our claim, its echo, and the meaning of the opponent's end.

use std::sync::atomic::Ordering;
use std::time::Instant;

use movegen::notation::pdn::GameResult;
use movegen::{DrawRules, Status};

use super::connection::Incoming;
use super::game::{Ending, OpenGame};
use super::message::{EndReason, Message, is_unreadable_end};
use crate::early_end::EarlyEnd;

impl OpenGame<'_> {
    /// Whether we, being to move, must end the game, and with which claim.
    pub(super) fn end_to_claim(&self) -> Option<(EndReason, String)> {
        match self.game.status(self.engine.rules) {
            Status::Win(_, reason) => return Some((EndReason::Lost, reason.to_string())),
            Status::Draw(reason) => return Some((EndReason::Draw, reason.to_string())),
            Status::Ongoing => {}
        }
        if let Some(by_score) = self.end_by_score() {
            return Some(by_score);
        }
        let limit = self.terms.moves;
        if limit == 0 || self.moves_made() < limit || self.record.plies.len() < 2 * limit as usize {
            return None;
        }
        // Three men ahead count as won: what Scan does.
        let reason = match self.last_score.map_or(0, movegen::Score::hundredths) {
            300.. => EndReason::Won,
            ..=-300 => EndReason::Lost,
            _ => EndReason::Unknown,
        };
        Some((reason, "move limit".to_owned()))
    }

    /// Whether our own scores end the game.
    fn end_by_score(&self) -> Option<(EndReason, String)> {
        let EarlyEnd { resign, draw } = self.options.scores;
        if resign.is_none() && draw.is_none() {
            return None;
        }
        let ours = self.record.movers().filter(|(mover, _)| *mover == self.terms.us);
        let scores: Vec<Option<f64>> = ours.map(|(_, ply)| ply.score).collect();
        if resign.is_some_and(|rule| rule.gives_up(&scores)) {
            return Some((EndReason::Lost, "given up by score".to_owned()));
        }
        let is_taken = draw.is_some_and(|rule| rule.is_taken(&scores));
        is_taken.then(|| (EndReason::Draw, "draw by score".to_owned()))
    }

    /// Ends the game and waits for the echo.
    pub(super) fn claim(
        &mut self,
        reason: EndReason,
        note: String,
    ) -> (GameResult, String, Ending) {
        let us = self.terms.us;
        let result = match reason {
            EndReason::Lost => GameResult::won_by(us.opponent()),
            EndReason::Won => GameResult::won_by(us),
            EndReason::Draw => GameResult::Draw,
            EndReason::Unknown => GameResult::Unknown,
        };
        self.connection.send(&Message::End { reason, stop: false });
        let ending = self.wait_for_echo();
        (result, note, ending)
    }

    pub(super) fn wait_for_echo(&mut self) -> Ending {
        let deadline = Instant::now() + self.options.echo_patience;
        while Instant::now() < deadline {
            if self.stop.load(Ordering::Relaxed) {
                return Ending::Interrupted;
            }
            match self.connection.receive(Some(deadline)) {
                Incoming::Closed => return Ending::Lost,
                Incoming::Nothing => {}
                Incoming::Message(text) => match text.parse() {
                    Ok(Message::End { stop: true, .. }) => return Ending::StopCode,
                    Ok(Message::End { .. }) => return Ending::NextGame,
                    _ if is_unreadable_end(&text) => return Ending::NextGame,
                    _ if text.starts_with('R') => {
                        // The echo got lost, or never was: the next game begins.
                        self.connection.give_back(text);
                        self.connection.owe_echo();
                        return Ending::NextGame;
                    }
                    _ => {}
                },
            }
        }
        self.connection.remark("no echo of the end of the game");
        self.connection.owe_echo();
        Ending::NextGame
    }

    /// The result when the opponent has ended the game: what we know ourselves comes first.
    pub(super) fn verdict(&self, reason: EndReason) -> (GameResult, String) {
        let us = self.terms.us;
        let them = us.opponent();
        match self.game.status(self.engine.rules) {
            Status::Win(winner, why) => return (GameResult::won_by(winner), why.to_string()),
            Status::Draw(why) if matches!(reason, EndReason::Draw | EndReason::Unknown) => {
                return (GameResult::Draw, why.to_string());
            }
            _ => {}
        }
        // With these rules the position may be a draw that our own do not know.
        let scan = self.game.status(DrawRules::Scan);
        let proven = |is: fn(movegen::Score) -> bool| self.last_score.is_some_and(is);
        match reason {
            EndReason::Lost => (GameResult::won_by(us), "the opponent gave up".to_owned()),
            EndReason::Draw if scan.is_over() => {
                (GameResult::Draw, "repetition, claimed by the opponent".to_owned())
            }
            EndReason::Draw if !proven(movegen::Score::is_decided) => {
                (GameResult::Draw, "draw, claimed by the opponent".to_owned())
            }
            EndReason::Won if !proven(movegen::Score::is_win) => {
                (GameResult::won_by(them), "won, claimed by the opponent".to_owned())
            }
            EndReason::Draw | EndReason::Won => {
                (GameResult::Unknown, "disputed: the opponent's claim against our proof".to_owned())
            }
            EndReason::Unknown => {
                (GameResult::Unknown, "ended by the opponent without a reason".to_owned())
            }
        }
    }
}
