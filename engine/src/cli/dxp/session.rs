//! What `meerslag dxp` does with each connection, and at the end.

use std::net::TcpStream;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::anyhow;
use meerslag_harness::protocol::Log;
use meerslag_harness::protocol::dxp::{
    Connection, DxpEngine, DxpPlay, Event, InitiatorOptions, SessionEnd, SessionOptions, follow,
    initiate,
};
use movegen::{Color, Position, Variant};

use super::report::GamesReport;
use super::{Failure, GamesArgs, Role};
use crate::cli::files::{ForceArgs, GrowingFile, check_log};

/// What to do after a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum After {
    /// Nothing more.
    Over,
    /// This peer wants no more games.
    PeerStopped,
    /// Continue with the connection that waits.
    Replaced,
    /// Continue with another connection.
    Lost,
    /// The peer did not answer.
    NoAnswer,
}

/// The games of one command, over however many connections.
pub(super) struct DxpSession<'a> {
    args: &'a GamesArgs,
    pub(super) stop: &'a AtomicBool,
    engine: DxpEngine,
    options: SessionOptions,
    proposal: InitiatorOptions,
    /// The next game to propose.
    next: usize,
    log: Log,
    pub(super) report: GamesReport,
}

impl<'a> DxpSession<'a> {
    /// `name` is our name if no other is given.
    pub(super) fn new(
        args: &'a GamesArgs,
        force: ForceArgs,
        engine: DxpEngine,
        name: &str,
        log: Log,
        stop: &'a AtomicBool,
    ) -> Result<DxpSession<'a>, Failure> {
        let options = args.options(name);
        let existing = force.existing();
        let pdn = args.pdn.as_deref().map(|path| GrowingFile::new(path, existing)).transpose()?;
        let games = games(args)?;
        let all = (args.role == Role::Initiator).then_some(games.len());
        Ok(DxpSession {
            args,
            stop,
            engine,
            proposal: InitiatorOptions { games, ..args.proposal.clone() },
            next: args.from_game.saturating_sub(1),
            log,
            report: GamesReport::new(&options.name, args.json, pdn, all),
            options,
        })
    }

    /// Serves one connection, until `is_another_waiting` while no game is in play.
    pub(super) fn converse(
        &mut self,
        stream: TcpStream,
        is_another_waiting: &mut dyn FnMut() -> bool,
    ) -> Result<After, Failure> {
        let gap = Duration::from_millis(self.args.gap);
        let Ok(mut connection) = Connection::new(stream, gap, self.log.clone()) else {
            // The peer has left already.
            return Ok(After::Lost);
        };
        let report = &mut self.report;
        let mut observe = |event: Event<'_>| report.event(event);
        let mut play = DxpPlay {
            connection: &mut connection,
            engine: &mut self.engine,
            options: &self.options,
            stop: self.stop,
        };
        let end = match self.args.role {
            Role::Follower => follow(&mut play, is_another_waiting, &mut observe),
            Role::Initiator => initiate(&mut play, &self.proposal, &mut self.next, &mut observe),
        };
        let is_initiator = self.args.role == Role::Initiator;
        let is_complete = is_initiator && self.next >= self.proposal.games.len();
        let after = match end {
            SessionEnd::Observer(error) => {
                self.totals()?;
                return Err(error.into());
            }
            SessionEnd::Interrupted => {
                self.totals()?;
                return Err(self.interrupted());
            }
            SessionEnd::Complete => After::Over,
            SessionEnd::StopCode if is_initiator => {
                if !is_complete {
                    let left = self.proposal.games.len() - self.next;
                    self.report
                        .say(&format!("the opponent wants no more games, {left} not played"))?;
                }
                After::Over
            }
            SessionEnd::StopCode => After::PeerStopped,
            SessionEnd::Lost if is_complete => After::Over,
            SessionEnd::Lost => After::Lost,
            SessionEnd::NoAnswer => After::NoAnswer,
            SessionEnd::Replaced => After::Replaced,
        };
        if let Err(error) = check_log(&self.log) {
            self.totals()?;
            return Err(error);
        }
        Ok(after)
    }

    /// After Ctrl-C, with a note of what is kept.
    pub(super) fn interrupted(&self) -> Failure {
        Failure::interrupted(match &self.args.pdn {
            Some(path) => format!("all games, the last one too, are in {}", path.display()),
            None => "without --pdn no game is kept".to_owned(),
        })
    }

    /// Prints the totals.
    pub(super) fn totals(&self) -> Result<(), Failure> {
        // Nothing to add up where no game was begun.
        if self.report.played() > 0 || self.args.json {
            self.report.totals()?;
        }
        Ok(())
    }

    /// A follower does not know whether there is more to come after its first game.
    pub(super) fn is_follower_done(&self) -> bool {
        self.args.role == Role::Follower && self.report.played() > 0
    }

    /// Prints the totals; a failure if proposals were not played.
    pub(super) fn finish(&self) -> Result<(), Failure> {
        self.totals()?;
        let wanted = self.proposal.games.len() - (self.args.from_game - 1);
        let played = self.report.played();
        if self.args.role == Role::Initiator && played < wanted {
            let left = wanted - played;
            return Err(Failure::Run(anyhow!("{left} of {wanted} games were not played")));
        }
        Ok(())
    }
}

/// The games that the initiator proposes: each opening with both colours.
fn games(args: &GamesArgs) -> Result<Vec<(Position, Color)>, Failure> {
    let openings = args.openings.read(Variant::International)?;
    let mut positions: Vec<Position> = openings.iter().map(|it| *it.position()).collect();
    if positions.is_empty() {
        positions.push(Position::initial());
    }
    let count = args.games.unwrap_or(2 * positions.len());
    if args.from_game == 0 || args.from_game > count.max(1) {
        let from = args.from_game;
        return Err(Failure::Input(anyhow!("--from-game {from} is not within 1..={count}")));
    }
    let game = |index: usize| {
        let color = if index.is_multiple_of(2) { Color::White } else { Color::Black };
        (positions[index / 2 % positions.len()], color)
    };
    Ok((0..count).map(game).collect())
}
