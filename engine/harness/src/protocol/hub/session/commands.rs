//! What each command of a client does.

use std::io::{self, Write};
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;

use movegen::{Game, Move, Position};

use super::search::Search;
use super::{Session, WorkerState};
use crate::protocol::hub::command::{Command, GameText, UnreadableLine};
use crate::protocol::hub::error::HubError;
use crate::protocol::hub::line::LineWriter;
use crate::protocol::hub::params::Params;
use crate::protocol::hub::settings::Settings;
use crate::protocol::hub::worker::SearchJob;
use meerslag_search::{Control, Mode, RootMovesError, read_root_moves};

impl<W: Write, S: Settings> Session<W, S> {
    /// Carries out a command while the worker is idle.
    pub(super) fn run_command(&mut self, command: Command) -> io::Result<ControlFlow<()>> {
        if self.silent && !matches!(command, Command::Hub { .. } | Command::Quit) {
            return Ok(Continue(()));
        }
        match command {
            Command::Hub { extensions } => self.introduce(extensions)?,
            Command::Init => self.initialise()?,
            Command::SetParam { name, value } => {
                self.set_param(name.as_deref(), value.as_deref())?;
            }
            Command::Ping => self.write("pong")?,
            Command::NewGame => self.send(SearchJob::NewGame)?,
            Command::Position(text) => self.set_game(&text)?,
            Command::Level(level, error) => {
                self.level.merge(&level);
                if let Some(error) = error {
                    self.report_error(error)?;
                }
            }
            Command::Go { .. } if self.other_variant.is_some() || self.refused_game.is_some() => {
                // Clients take this for the end of the game, or give it up.
                self.write("done")?;
                let why = self.other_variant.clone().or_else(|| self.refused_game.clone());
                self.errors_after_done.extend(why);
                self.search_is_over()?;
            }
            go @ Command::Go { .. } if self.applied.is_none() => {
                self.configure(false)?;
                self.queue.push_front(go);
            }
            Command::Go { mode, multipv, only, without } => {
                let moves =
                    read_root_moves(self.game.position(), only.as_deref(), without.as_deref());
                self.go(mode, multipv, moves)?;
            }
            Command::Quit => return Ok(Break(())),
            // `stop` and `ponder-hit` are late.
            Command::Stop | Command::PonderHit | Command::Unknown => {}
            Command::Unreadable(line) => self.refuse(line)?,
        }
        Ok(Continue(()))
    }

    /// Carries out a command during a search.
    pub(super) fn run_in_search(&mut self, command: Command) -> io::Result<ControlFlow<()>> {
        match command {
            Command::Quit => return Ok(Break(())),
            Command::Ping => self.write("pong")?,
            Command::Stop => self.stop()?,
            Command::PonderHit => self.ponder_hit()?,
            Command::Unknown => {}
            Command::Unreadable(line) => self.refuse(line)?,
            Command::Hub { .. }
            | Command::Init
            | Command::SetParam { .. }
            | Command::NewGame
            | Command::Position(_)
            | Command::Level(..)
            | Command::Go { .. } => {
                // The client is done with this search; the command waits until it has ended.
                self.queue.push_front(command);
                if let WorkerState::Searching(search) = &mut self.worker {
                    search.is_ending = true;
                }
                self.stop()?;
            }
        }
        Ok(Continue(()))
    }

    fn introduce(&mut self, extensions: bool) -> io::Result<()> {
        self.silent = false;
        self.write(&self.settings.id())?;
        for line in self.settings.declarations() {
            self.write(&line)?;
        }
        // Only a client that asks for extensions of the protocol learns of them.
        if extensions && S::MAX_MULTIPV > 1 {
            let extension = |name| {
                LineWriter::new("extension")
                    .arg("name", name)
                    .arg("command", "go")
                    .arg("argument", name)
            };
            let multipv = extension("multipv").arg("min", 1).arg("max", S::MAX_MULTIPV);
            for line in [multipv, extension("only"), extension("without")] {
                self.write(&line.finish())?;
            }
        }
        self.write("wait")
    }

    fn initialise(&mut self) -> io::Result<()> {
        self.init_waits = self.other_variant.is_some();
        match &self.other_variant {
            Some(error) => self.report_error(error.clone()),
            None => self.configure(true),
        }
    }

    /// Reports a line that cannot be read.
    fn refuse(&mut self, line: UnreadableLine) -> io::Result<()> {
        if line.is_position { self.refuse_game(line.error) } else { self.report_error(line.error) }
    }

    /// Reports an error in a `pos`; there is no move until the next one.
    fn refuse_game(&mut self, error: HubError) -> io::Result<()> {
        if !self.silent {
            self.refused_game = Some(error.clone());
        }
        self.report_error(error)
    }

    pub(super) fn configure(&mut self, owes_ready: bool) -> io::Result<()> {
        self.worker = WorkerState::Configuring { owes_ready };
        self.send(SearchJob::Configure(self.settings.clone()))
    }

    fn set_param(&mut self, name: Option<&str>, value: Option<&str>) -> io::Result<()> {
        let Some(name) = name else {
            return self.report_error(HubError::IncompleteParam("name"));
        };
        let before = self.settings.clone();
        let result = self.settings.set(name, value);
        if name == Params::VARIANT && value.is_some() {
            self.other_variant = result.as_ref().err().cloned();
        }
        if let Err(error) = result {
            return self.report_error(error);
        }
        if self.settings.variant() != before.variant() {
            self.game = Game::new(Position::initial_of(self.settings.variant()));
        }
        if self.init_waits && self.other_variant.is_none() {
            return self.initialise();
        }
        if self.applied.is_some() && !self.settings.are_alike(&before) {
            return self.configure(false);
        }
        Ok(())
    }

    fn set_game(&mut self, text: &GameText) -> io::Result<()> {
        if !std::mem::take(&mut self.fresh_level) {
            self.level.clear();
        }
        self.refused_game = None;
        match text.game(self.settings.variant()) {
            Ok(game) => {
                self.game = game;
                Ok(())
            }
            Err(error) => self.refuse_game(error),
        }
    }

    fn go(
        &mut self,
        mode: Mode,
        multipv: Option<Result<i64, HubError>>,
        moves: Result<Vec<Move>, RootMovesError>,
    ) -> io::Result<()> {
        let position = *self.game.position();
        let moves = moves.map_err(|error| self.errors_after_done.push(HubError::RootMoves(error)));
        let Some(moves) = moves.ok().filter(|_| position.has_legal_move()) else {
            self.write("done")?;
            return self.search_is_over();
        };
        let mut limits = self.level.limits(mode, self.settings.safety_time());
        limits.moves = moves;
        match multipv {
            Some(Ok(count)) => limits.multipv = count.clamp(1, S::MAX_MULTIPV) as usize,
            Some(Err(error)) => self.errors_after_done.push(error),
            None => {}
        }
        let control = Arc::new(Control::new());
        let has_wdl = self.settings.shows_wdl();
        let search = Search::new(position, &limits, has_wdl, Arc::clone(&control));
        self.worker = WorkerState::Searching(search);
        self.send(SearchJob::Search { game: Box::new(self.game.clone()), limits, control })
    }
}
