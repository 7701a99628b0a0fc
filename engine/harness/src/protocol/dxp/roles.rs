//! The two roles: the follower answers requests, the initiator makes them.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use movegen::Color;

use super::connection::Incoming;
use super::game::{DxpGame, Ending, OpenGame, Terms};
use super::message::{
    Acceptance, EndReason, Message, Request, TakeBack, answer_to_unreadable, is_unreadable_end,
};
use super::options::DxpPlay;

/// The state of a game after a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moved<'a> {
    /// Which of the initiator's proposals, counted from 0; `None` for a follower.
    pub number: Option<usize>,
    /// The opponent's name.
    pub opponent: &'a str,
    /// Moves of both sides so far.
    pub plies: usize,
    /// Seconds left for Black and White; below 0 if the time is overrun.
    pub clocks: [f64; 2],
}

/// Reports during a session.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event<'a> {
    /// A move was made.
    Moved(Moved<'a>),
    /// A game is over.
    Game {
        /// Which of the initiator's proposals, counted from 0; `None` for a follower.
        number: Option<usize>,
        /// The game.
        game: &'a DxpGame,
    },
    /// The follower does not play what we proposed.
    Refused {
        /// Which proposal, counted from 0.
        number: usize,
        /// Its answer.
        code: Acceptance,
    },
}

/// Receives the reports; an error ends the session.
pub type Observer<'a> = dyn FnMut(Event<'_>) -> std::io::Result<()> + 'a;

/// How long a follower's connection must have been without a game before another one takes its
/// place.
const IDLE: Duration = Duration::from_secs(1);

/// Why a session is over.
#[derive(Debug)]
pub enum SessionEnd {
    /// The initiator has played all its games.
    Complete,
    /// The peer wants no more games.
    StopCode,
    /// The connection is lost.
    Lost,
    /// There was no answer to a request.
    NoAnswer,
    /// No game was in play, and another connection waits.
    Replaced,
    /// We were asked to stop.
    Interrupted,
    /// The observer failed.
    Observer(std::io::Error),
}

fn session_end(ending: Ending) -> Option<SessionEnd> {
    match ending {
        Ending::NextGame => None,
        Ending::StopCode => Some(SessionEnd::StopCode),
        Ending::Lost => Some(SessionEnd::Lost),
        Ending::Interrupted => Some(SessionEnd::Interrupted),
    }
}

/// Answers requests and plays until the peer goes, or until another connection waits while no game
/// has run for a second: the system need not know that the old peer is gone.
pub fn follow(
    session: &mut DxpPlay<'_>,
    is_another_waiting: &mut dyn FnMut() -> bool,
    observe: &mut Observer,
) -> SessionEnd {
    let mut idle_since = Instant::now();
    loop {
        if session.stop.load(Ordering::Relaxed) {
            return SessionEnd::Interrupted;
        }
        if idle_since.elapsed() >= IDLE && is_another_waiting() {
            session.connection.remark("no game is in play, and another connection waits");
            return SessionEnd::Replaced;
        }
        let text = match session.connection.receive(None) {
            Incoming::Message(text) => text,
            Incoming::Nothing => continue,
            Incoming::Closed => return SessionEnd::Lost,
        };
        let request = match text.parse() {
            Ok(Message::Request(request)) => request,
            // No echo: two programs that echo each other's ends never finish.
            Ok(Message::End { stop: true, .. }) => return SessionEnd::StopCode,
            Ok(Message::Move(_)) => {
                session.connection.send(&Message::Chat("no game in progress".to_owned()));
                continue;
            }
            Ok(Message::BackRequest { .. }) => {
                session.connection.send(&Message::BackAnswer(TakeBack::Refused));
                continue;
            }
            Ok(_) => continue,
            Err(error) => {
                session.connection.remark(&format!("ignored: {error}"));
                if let Some(answer) = answer_to_unreadable(&text, &session.options.name) {
                    session.connection.send(&answer);
                }
                continue;
            }
        };
        // It would have come before the request.
        session.connection.take_owed_echo();
        let code = answer(&request);
        session.connection.send(&Message::Accept { name: session.options.name.clone(), code });
        if code != Acceptance::Accepted {
            continue;
        }
        if request.minutes == 0.0 {
            session.connection.remark("0 minutes taken as 1");
        }
        let terms = Terms {
            start: request.start(),
            us: request.follower,
            minutes: if request.minutes == 0.0 { 1.0 } else { request.minutes },
            moves: request.moves,
        };
        let game = OpenGame::new(session, terms, request.name);
        let (game, ending) = game.play(&mut watch(None, observe));
        idle_since = Instant::now();
        if let Err(error) = observe(Event::Game { number: None, game: &game }) {
            return SessionEnd::Observer(error);
        }
        if let Some(end) = session_end(ending) {
            return end;
        }
    }
}

/// Reports the moves of a game. A report that fails does not end the game: its result is reported
/// as well.
fn watch<'o>(
    number: Option<usize>,
    observe: &'o mut Observer<'_>,
) -> impl FnMut(&str, usize, [f64; 2]) + 'o {
    move |opponent, plies, clocks| {
        let _ = observe(Event::Moved(Moved { number, opponent, plies, clocks }));
    }
}

fn answer(request: &Request) -> Acceptance {
    if request.version != 1 {
        Acceptance::Version
    } else if request.start().has_legal_move() {
        Acceptance::Accepted
    } else {
        Acceptance::NotThisGame
    }
}

/// The initiator's proposal.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct InitiatorOptions {
    /// The games: start position and our colour
    #[cfg_attr(feature = "clap", arg(skip))]
    pub games: Vec<(movegen::Position, Color)>,
    /// Initiator: minutes for each player, in three characters such as 5, 1.5 or .05; parts of a
    /// minute are not understood by all programs
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 5.0, value_parser = minutes))]
    pub minutes: f64,
    /// Initiator: moves of each player after which a game ends; 0 for no limit
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 75,
                                     value_parser = clap::value_parser!(u32).range(..=999)))]
    pub moves: u32,
}

#[cfg(feature = "clap")]
fn minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse().ok().filter(|minutes| (0.01..=999.0).contains(minutes));
    let minutes = minutes.ok_or("expected minutes from 0.01 to 999")?;
    // Otherwise the opponent would be sent a time other than the one played.
    super::format_minutes(minutes).ok_or("the protocol has three characters: 12, 1.5 or .05")?;
    Ok(minutes)
}

/// Proposes and plays games from number `next` on (counted from 0). Afterwards `next` is the first
/// game not yet begun, so that the match can continue over another connection.
pub fn initiate(
    session: &mut DxpPlay<'_>,
    proposal: &InitiatorOptions,
    next: &mut usize,
    observe: &mut Observer,
) -> SessionEnd {
    while let Some(&(start, us)) = proposal.games.get(*next) {
        let request = Request {
            version: 1,
            name: session.options.name.clone(),
            follower: us.opponent(),
            minutes: proposal.minutes,
            moves: proposal.moves,
            // Known programs always spell the position out.
            position: Some(start),
        };
        session.connection.send(&Message::Request(request));
        let (name, code) = match wait_for_answer(session) {
            Ok(answer) => answer,
            Err(end) => return end,
        };
        let number = *next;
        if code != Acceptance::Accepted {
            session.connection.remark(&format!("game {} refused", number + 1));
            if let Err(error) = observe(Event::Refused { number, code }) {
                return SessionEnd::Observer(error);
            }
            if code != Acceptance::NotThisGame {
                return SessionEnd::StopCode;
            }
        }
        *next += 1;
        if code != Acceptance::Accepted {
            continue;
        }
        let terms = Terms { start, us, minutes: proposal.minutes, moves: proposal.moves };
        let game = OpenGame::new(session, terms, name);
        let (game, ending) = game.play(&mut watch(Some(number), observe));
        if let Err(error) = observe(Event::Game { number: Some(number), game: &game }) {
            return SessionEnd::Observer(error);
        }
        if let Some(end) = session_end(ending) {
            return end;
        }
    }
    SessionEnd::Complete
}

fn wait_for_answer(session: &mut DxpPlay<'_>) -> Result<(String, Acceptance), SessionEnd> {
    let DxpPlay { connection, options, stop, .. } = session;
    let deadline = Instant::now() + options.answer_patience;
    while Instant::now() < deadline {
        if stop.load(Ordering::Relaxed) {
            return Err(SessionEnd::Interrupted);
        }
        match connection.receive(Some(deadline)) {
            Incoming::Nothing => {}
            Incoming::Closed => return Err(SessionEnd::Lost),
            Incoming::Message(text) => match text.parse() {
                Ok(Message::Accept { name, code }) => return Ok((name, code)),
                Ok(Message::Request(_)) => {
                    let (name, code) = (options.name.clone(), Acceptance::NotThisGame);
                    connection.send(&Message::Accept { name, code });
                }
                Ok(Message::End { stop: false, .. }) if connection.take_owed_echo() => {
                    connection.remark("ignored: the late echo of the last game's end");
                }
                Ok(Message::End { stop, .. }) => {
                    connection.send(&Message::End { reason: EndReason::Unknown, stop });
                    if stop {
                        return Err(SessionEnd::StopCode);
                    }
                    return Ok((String::new(), Acceptance::NotThisGame));
                }
                Ok(Message::BackRequest { .. }) => {
                    connection.send(&Message::BackAnswer(TakeBack::Refused));
                }
                Ok(_) => {}
                Err(_) if is_unreadable_end(&text) => {
                    connection.send(&Message::End { reason: EndReason::Unknown, stop: false });
                    return Ok((String::new(), Acceptance::NotThisGame));
                }
                Err(error) => {
                    connection.remark(&format!("ignored: {error}"));
                    if let Some(answer) = answer_to_unreadable(&text, &options.name) {
                        connection.send(&answer);
                    }
                }
            },
        }
    }
    connection.remark("no answer to the request");
    Err(SessionEnd::NoAnswer)
}
