//! What is reported about the games of a session: lines, PDN, and totals.

use std::io;

use meerslag_engine::protocol::dxp::{Acceptance, DxpGame, Event};
use meerslag_engine::record::Players;
use meerslag_engine::runner::stats::Outcome;
use movegen::notation::pdn::{PdnGame, WriteOptions, write_game};

use super::say;
use crate::cli::files::GrowingFile;

pub(super) struct GamesReport {
    pdn: Option<GrowingFile>,
    name: String,
    /// Won, drawn, lost, unknown.
    pub(super) counts: [u32; 4],
    /// Moves of both sides in all games.
    pub(super) plies: usize,
}

impl GamesReport {
    pub(super) fn new(name: &str, pdn: Option<GrowingFile>) -> GamesReport {
        GamesReport { pdn, name: name.to_owned(), counts: [0; 4], plies: 0 }
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
        let DxpGame { terms, record, opponent, note } = game;
        let place = match Outcome::of(record.result, terms.us) {
            Some(Outcome::Win) => 0,
            Some(Outcome::Draw) => 1,
            Some(Outcome::Loss) => 2,
            None => 3,
        };
        self.counts[place] += 1;
        self.plies += record.plies.len();
        let players = Players::new(&self.name, terms.us, opponent);
        let Players { white, black } = players;
        let (result, moves) = (record.result, record.plies.len().div_ceil(2));
        say(&format!("{round}: {white} - {black}  {result}  {note}, {moves} moves"))?;
        if let Some(file) = &mut self.pdn {
            let mut text = Vec::new();
            let pdn = to_pdn(game, round, players);
            write_game(&mut text, &pdn, &WriteOptions::default())?;
            file.add(&text)?;
        }
        Ok(())
    }
}

fn to_pdn(game: &DxpGame, round: usize, players: Players<'_>) -> PdnGame {
    let mut pdn = game.record.to_pdn("DXP match", Some(players));
    pdn.tags.set("Round", &round.to_string());
    // Hundredths: a part of a minute is no exact number.
    let time = (game.terms.minutes * 6000.0).round() / 100.0;
    let control = match game.terms.moves {
        0 => format!("{time}"),
        moves => format!("{moves}/{time}"),
    };
    pdn.tags.set("TimeControl", &control);
    pdn.tags.set("Termination", &game.note);
    pdn
}
