//! Reports about the games of a session: lines, PDN, and totals.

use movegen::Wld;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use meerslag_harness::protocol::dxp::{Acceptance, DxpGame, Event, Moved};
use meerslag_study::record::Players;
use movegen::notation::pdn::{PdnGame, WriteOptions, write_game};
use movegen::words::counted;

use schemars::JsonSchema;
use serde::Serialize;

use super::super::streams::{plain, stdout};
use crate::cli::files::GrowingFile;
use crate::cli::json::{self, Record};
use crate::cli::progress::Bar;

/// An event of a session.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(in crate::cli) enum DxpRecord {
    /// A game has ended.
    Game {
        /// Its number, from 1.
        game: usize,
        white: String,
        black: String,
        /// `2-0`, `1-1`, `0-2` or `*`.
        result: &'static str,
        /// How it ended.
        termination: String,
        plies: usize,
        fen: String,
    },
    /// A proposal was refused, with this code of the protocol.
    Refused { game: usize, code: u8 },
    /// The current activity of the session.
    Status { message: String },
    /// The end.
    Totals { wins: u32, draws: u32, losses: u32, unknown: u32 },
}

impl Record for DxpRecord {
    const TYPE: &'static str = "dxp";
}

pub(super) struct GamesReport {
    pdn: Option<GrowingFile>,
    name: String,
    json: bool,
    /// Won, drawn, lost, unknown.
    pub(super) counts: [u32; 4],
    /// Moves of both sides in all games.
    pub(super) plies: usize,
    /// Games to be played, if we know.
    all: Option<usize>,
    /// The progress display, if somebody watches.
    bar: Bar,
    /// Since the first game.
    begun: Option<Instant>,
}

impl GamesReport {
    /// `all` is the number of games to be played, if we know.
    pub(super) fn new(
        name: &str,
        json: bool,
        pdn: Option<GrowingFile>,
        all: Option<usize>,
    ) -> GamesReport {
        GamesReport {
            pdn,
            name: name.to_owned(),
            json,
            counts: [0; 4],
            plies: 0,
            all,
            bar: Bar::waiting("no game yet"),
            begun: None,
        }
    }

    /// A line on standard output, at once.
    fn line(&self, record: &DxpRecord, text: &str) -> io::Result<()> {
        self.bar.suspend(|| {
            let mut out = stdout();
            if self.json {
                json::write(&mut out, record)?;
            } else {
                writeln!(out, "{}", plain(text))?;
            }
            out.flush()
        })
    }

    /// Shows what the session does now.
    pub(super) fn say(&self, text: &str) -> io::Result<()> {
        self.line(&DxpRecord::Status { message: text.to_owned() }, text)
    }

    /// Prints the totals.
    pub(super) fn totals(&self) -> io::Result<()> {
        let [wins, draws, losses, unknown] = self.counts;
        let text = match self.played() {
            0 => "no game was played".to_owned(),
            _ => format!("{wins} won, {draws} drawn, {losses} lost, {unknown} unknown"),
        };
        self.line(&DxpRecord::Totals { wins, draws, losses, unknown }, &text)
    }

    /// Games that were begun.
    pub(super) fn played(&self) -> usize {
        self.counts.iter().sum::<u32>() as usize
    }

    pub(super) fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Moved(moved) => {
                self.moved(&moved);
                Ok(())
            }
            Event::Game { number, game } => {
                self.game(number.unwrap_or_else(|| self.played()) + 1, game)
            }
            Event::Refused { number, code } => {
                let what = match code {
                    Acceptance::Version => ": another version of the protocol",
                    Acceptance::NoGame => ": no games at all",
                    Acceptance::NotThisGame | Acceptance::Accepted => "",
                };
                let (game, code) = (number + 1, code as u8);
                let text = format!("game {game} refused (code {code}{what})");
                self.line(&DxpRecord::Refused { game, code }, &text)
            }
        }
    }

    /// Shows the state of a game.
    fn moved(&mut self, moved: &Moved<'_>) {
        let since = self.begun.get_or_insert_with(Instant::now);
        let played = self.counts.iter().sum::<u32>() as usize;
        let mut text = format!("game {}", moved.number.unwrap_or(played) + 1);
        if let Some(all) = self.all {
            text += &format!(" of {all}");
        }
        text += &format!(" with {}: move {}", moved.opponent, moved.plies.div_ceil(2));
        for (color, left) in [("White", moved.clocks[1]), ("Black", moved.clocks[0])] {
            let sign = if left < 0.0 { "-" } else { "" };
            let left = left.abs().round() as u64;
            text += &format!(", {color} {sign}{}:{:02}", left / 60, left % 60);
        }
        if let Some(to_play) = self.all.map(|all| all.saturating_sub(played)).filter(|_| played > 0)
        {
            let seconds = since.elapsed().as_secs_f64() / played as f64 * to_play as f64;
            text += &format!(", about {} left", HumanDuration(Duration::from_secs(seconds as u64)));
        }
        self.bar.say(&plain(&text));
    }

    fn game(&mut self, round: usize, game: &DxpGame) -> io::Result<()> {
        let DxpGame { terms, record, opponent, note } = game;
        let place = match record.result.for_side(terms.us) {
            Some(Wld::Win) => 0,
            Some(Wld::Draw) => 1,
            Some(Wld::Loss) => 2,
            None => 3,
        };
        self.counts[place] += 1;
        self.plies += record.plies.len();
        let players = Players::new(&self.name, terms.us, opponent);
        let Players { white, black } = players;
        let (result, moves) = (record.result, record.plies.len().div_ceil(2));
        let count = counted(moves, "move");
        let text = format!("{round}: {white} - {black}  {result}  {note}, {count}");
        let line = DxpRecord::Game {
            game: round,
            white: white.to_owned(),
            black: black.to_owned(),
            result: result.as_str(),
            termination: note.to_string(),
            plies: record.plies.len(),
            fen: record.start.to_fen(),
        };
        self.line(&line, &text)?;
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
    // Hundredths: a part of a minute is not an exact number.
    let time = (game.terms.minutes * 6000.0).round() / 100.0;
    let control = match game.terms.moves {
        0 => format!("{time}"),
        moves => format!("{moves}/{time}"),
    };
    pdn.tags.set("TimeControl", &control);
    pdn.tags.set("Termination", &game.note);
    pdn
}
