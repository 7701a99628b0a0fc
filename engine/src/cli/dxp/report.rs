//! What is reported about the games of a session: lines, PDN, and totals.

use std::fmt::Write as _;
use std::io;

use meerslag_engine::protocol::dxp::{Acceptance, DxpGame, Event};
use movegen::Color;
use movegen::notation::pdn::{
    Annotation, Comment, GameResult, PdnGame, Ply, WriteOptions, write_game,
};

use super::say;
use crate::cli::files::GrowingFile;

pub(super) struct Report {
    pdn: Option<GrowingFile>,
    name: String,
    /// Won, drawn, lost, unknown.
    pub(super) counts: [u32; 4],
    /// Moves of both sides in all games.
    pub(super) plies: usize,
}

impl Report {
    pub(super) fn new(name: &str, pdn: Option<GrowingFile>) -> Report {
        Report { pdn, name: name.to_owned(), counts: [0; 4], plies: 0 }
    }

    /// Games that were begun.
    pub(super) fn played(&self) -> usize {
        self.counts.iter().sum::<u32>() as usize
    }

    pub(super) fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Game { number, game } => {
                self.game(number.unwrap_or_else(|| self.played()) + 1, game)
            }
            Event::Refused { number, code } => {
                let what = match code {
                    Acceptance::Version => ": another version of the protocol",
                    Acceptance::NoGame => ": no games at all",
                    Acceptance::NotThisGame | Acceptance::Accepted => "",
                };
                say(&format!("game {} refused (code {}{what})", number + 1, code as u8))
            }
        }
    }

    fn game(&mut self, round: usize, game: &DxpGame) -> io::Result<()> {
        let us = game.terms.us;
        let place = match game.result {
            GameResult::Draw => 1,
            result => match result.winner() {
                Some(winner) if winner == us => 0,
                Some(_) => 2,
                None => 3,
            },
        };
        self.counts[place] += 1;
        self.plies += game.plies.len();
        let (white, black) = match us {
            Color::White => (self.name.as_str(), game.opponent.as_str()),
            Color::Black => (game.opponent.as_str(), self.name.as_str()),
        };
        let (result, note, moves) = (game.result, &game.note, game.plies.len().div_ceil(2));
        say(&format!("{round}: {white} - {black}  {result}  {note}, {moves} moves"))?;
        if let Some(file) = &mut self.pdn {
            let mut text = Vec::new();
            let pdn = to_pdn(game, round, white, black);
            write_game(&mut text, &pdn, &WriteOptions::default())?;
            file.add(&text)?;
        }
        Ok(())
    }
}

fn to_pdn(game: &DxpGame, round: usize, white: &str, black: &str) -> PdnGame {
    let mut pdn = PdnGame::new(game.terms.start);
    pdn.tags.set("Event", "DXP match");
    pdn.tags.set("Date", &meerslag_engine::runner::today());
    pdn.tags.set("Round", &round.to_string());
    pdn.tags.set("White", if white.is_empty() { "?" } else { white });
    pdn.tags.set("Black", if black.is_empty() { "?" } else { black });
    // Hundredths: a part of a minute is no exact number.
    let time = (game.terms.minutes * 6000.0).round() / 100.0;
    let control = match game.terms.moves {
        0 => format!("{time}"),
        moves => format!("{moves}/{time}"),
    };
    pdn.tags.set("TimeControl", &control);
    pdn.tags.set("Termination", &game.note);
    let mut mover = game.terms.start.side_to_move();
    for ply in &game.plies {
        let mut text = String::new();
        if let Some(score) = ply.score {
            let white = if mover == Color::White { score } else { -score } + 0.0;
            let _ = write!(text, "[%eval {white:.2}] ");
        }
        if let Some(depth) = ply.depth {
            let _ = write!(text, "[%depth {depth}] ");
        }
        let _ = write!(text, "[%emt {:.3}] [%clk {:.3}]", ply.time, ply.clock.max(0.0));
        let mut written = Ply::from(ply.mv);
        written.after.push(Annotation::Comment(Comment::new(&text)));
        pdn.line.plies.push(written);
        mover = mover.opponent();
    }
    pdn.result = game.result;
    pdn
}
