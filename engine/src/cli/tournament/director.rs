//! The director's commands during the games: at the terminal and by signals.

use std::io::{self, BufRead, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use meerslag_harness::runner::{Abort, Act, ActError, Contest, Director, Live, LiveEvent};
use parking_lot::Mutex;

use super::super::streams::note;
use super::super::{Failure, files};

/// The director's commands.
const WORDS: &str = "pause, resume, stop, later GAME, break SECONDS, annul GAME, replay GAME, score GAME 2-0, \
                     or withdraw NAME";

/// The number of a game, as `7` or with its round as `2.7`, from 0.
fn game(text: &str) -> Result<usize, String> {
    let number = text.rsplit('.').next().unwrap_or(text);
    let number = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    number.ok_or_else(|| format!("'{text}': expected the number of a game, such as 7 or 2.7"))
}

/// The points of a result: `2-0`.
fn points(text: &str) -> Result<(u8, u8), String> {
    let read = || {
        let (white, black) = text.split_once('-')?;
        Some((white.parse().ok()?, black.parse().ok()?))
    };
    read().ok_or_else(|| format!("'{text}': expected a result, such as 2-0"))
}

/// The player of this name, who withdraws.
fn withdrawn(config: &Contest, name: &str) -> Result<Act, String> {
    let engine = config.engines.iter().position(|engine| engine.name == name);
    let engine = engine.ok_or_else(|| format!("no player is called '{name}'"))?;
    // The match knows which round comes next.
    Ok(Act::Withdraw { engine, from: 0 })
}

/// A decision about a game or a player.
pub(super) fn act(config: &Contest, text: &str) -> Result<Act, String> {
    match read(config, text)? {
        DirectorCommand::Act(act) => Ok(act),
        _ => Err(format!("'{text}': expected annul, replay, score or withdraw")),
    }
}

/// What a line of the director's asks for.
enum DirectorCommand {
    Pause(bool),
    Stop,
    Later(usize),
    Break(Duration),
    Act(Act),
    Nothing,
}

fn read(config: &Contest, line: &str) -> Result<DirectorCommand, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    Ok(match (word, rest) {
        ("", _) => DirectorCommand::Nothing,
        ("pause", "") => DirectorCommand::Pause(true),
        ("resume", "") => DirectorCommand::Pause(false),
        ("stop", "") => DirectorCommand::Stop,
        ("later", text) => DirectorCommand::Later(game(text)?),
        ("break", text) => {
            let seconds = text.parse().map_err(|_| format!("'{text}': expected seconds"))?;
            DirectorCommand::Break(Duration::from_secs(seconds))
        }
        ("annul", text) => DirectorCommand::Act(Act::Annul(game(text)?)),
        ("replay", text) => DirectorCommand::Act(Act::Replay(game(text)?)),
        ("score", text) => {
            let parts = text.split_once(|c: char| c == '=' || c.is_whitespace());
            let (number, result) = parts.ok_or("expected a game and its result: score 7 2-0")?;
            DirectorCommand::Act(Act::Score {
                game: game(number.trim())?,
                points: points(result.trim())?,
            })
        }
        ("withdraw", name) => DirectorCommand::Act(withdrawn(config, name)?),
        _ => return Err(format!("'{line}': expected {WORDS}")),
    })
}

/// From now on the director's signals wait until a tournament begins. Threads that come later inherit
/// that.
#[cfg(feature = "serve")]
pub(super) fn hold_signals() {
    let _ = signals::hold();
}

/// Passes the director's commands to a match.
#[derive(Clone)]
pub(super) struct DirectorConsole {
    pub abort: Arc<Abort>,
    pub director: Arc<Director>,
    pub config: Arc<Contest>,
    /// The spectators' view.
    pub live: Arc<Mutex<Live>>,
}

impl DirectorConsole {
    /// Carries out a line of the director's; returns the effect in words.
    pub(super) fn carry_out(&self, line: &str) -> Result<&'static str, String> {
        let said = |error: ActError| error.to_string();
        match read(&self.config, line)? {
            DirectorCommand::Pause(true) => {
                self.abort.pause(true);
                self.live.lock().said(LiveEvent::Pause);
                Ok("paused before the next moves; 'resume' continues")
            }
            DirectorCommand::Pause(false) => {
                self.abort.pause(false);
                self.live.lock().said(LiveEvent::Resume);
                Ok("the games continue")
            }
            DirectorCommand::Stop => {
                self.abort.end_after_round();
                self.live.lock().said(LiveEvent::Stop);
                Ok("stops after this round")
            }
            DirectorCommand::Later(game) => {
                let put_off = self.director.postpone(game);
                put_off.map(|()| "it begins after the others of its round").map_err(said)
            }
            DirectorCommand::Break(rest) => {
                let set = self.director.rest(rest);
                set.map(|()| "the next round begins after this time").map_err(said)
            }
            // Its effect is shown with the games.
            DirectorCommand::Act(act) => self.director.decide(act).map(|()| "").map_err(said),
            DirectorCommand::Nothing => Ok(""),
        }
    }

    fn command(&self, line: &str) {
        match self.carry_out(line) {
            Ok("") => {}
            Ok(text) => note(text),
            Err(text) => note(text),
        }
    }

    /// Listens to signals and to the terminal, or to a pipe if that is asked for, as long as the process
    /// lives. Any other standard input belongs to somebody else, such as the list of a shell's loop.
    pub(super) fn listen(&self, is_asked: bool) -> Result<(), Failure> {
        if is_asked && files::is_there(Path::new("/dev/stdin")) {
            let why = "--director: standard input is a file, whose commands would all run at once";
            return Err(Failure::Input(anyhow!(why)));
        }
        signals::listen(self.clone());
        if !is_asked && !io::stdin().is_terminal() {
            return Ok(());
        }
        let console = self.clone();
        // Without this thread only signals are left, and Ctrl-C.
        let _ = thread::Builder::new().name("director".to_owned()).spawn(move || {
            signals::leave_terminal();
            for line in io::stdin().lock().lines() {
                let Ok(line) = line else { return };
                console.command(&line);
            }
        });
        Ok(())
    }
}

#[cfg(unix)]
mod signals {
    use std::thread;

    use nix::sys::signal::{SigSet, Signal};

    use super::DirectorConsole;

    /// SIGUSR1 pauses and resumes, SIGUSR2 stops after the round. Threads that come later, and only they,
    /// inherit that these signals wait to be fetched: call it before there are others.
    pub(super) fn listen(console: DirectorConsole) {
        let Some(set) = hold() else { return };
        let _ = thread::Builder::new().name("signals".to_owned()).spawn(move || {
            while let Ok(signal) = set.wait() {
                console.command(match signal {
                    Signal::SIGUSR2 => "stop",
                    _ if console.abort.is_paused() => "resume",
                    _ => "pause",
                });
            }
        });
    }

    /// As [`listen`], but nobody fetches them yet.
    pub(super) fn hold() -> Option<SigSet> {
        let set: SigSet = [Signal::SIGUSR1, Signal::SIGUSR2].into_iter().collect();
        set.thread_block().is_ok().then_some(set)
    }

    /// A process in the background that reads from the terminal is stopped; without the signal reading
    /// fails.
    pub(super) fn leave_terminal() {
        let set: SigSet = [Signal::SIGTTIN].into_iter().collect();
        let _ = set.thread_block();
    }
}

#[cfg(not(unix))]
mod signals {
    use super::DirectorConsole;

    pub(super) fn listen(_: DirectorConsole) {}

    #[cfg(feature = "serve")]
    pub(super) const fn hold() {}

    pub(super) const fn leave_terminal() {}
}
