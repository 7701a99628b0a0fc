//! A tournament in progress, for pages and programs that follow it.

use std::collections::VecDeque;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use movegen::notation::hub;
use movegen::{Color, Fen};
use schemars::JsonSchema;
use serde::Serialize;

use super::places::{RoundRecord, TournamentRecord};
use crate::runner::config::{Contest, Format};
use crate::runner::report::name;
use crate::runner::stats::results::MatchResults;
use crate::runner::tournament::director::{Director, GameInPlay};
use crate::runner::tournament::{MatchEvent, WorkerReport, next_round};
use movegen::json::Record;
use movegen::json::rounded;

/// Events that are kept.
const MAX_EVENTS: usize = 200;
/// Moves of each game in play that are shown.
const LAST_MOVES: usize = 12;

/// The state of a tournament.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LiveState {
    /// Games are played.
    Playing,
    /// They wait before their next moves.
    Paused,
    /// It ends after the round.
    Stopping,
    /// It is between two rounds.
    Break,
    /// All games are played.
    Over,
    /// It has stopped, and can continue.
    Interrupted,
}

/// The events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LiveEvent {
    /// A round has been paired.
    Round,
    /// The break before a round.
    Break,
    /// A game begins.
    Begin,
    /// A game has ended.
    Game,
    /// A game begins again, since everything had stood still.
    Void,
    /// A game begins again, since the director wants it.
    Again,
    /// The director has decided something.
    Decided,
    /// The games wait.
    Pause,
    /// The games continue.
    Resume,
    /// The tournament ends after the round.
    Stop,
    /// An engine takes long to start.
    Slow,
    /// It is over, or interrupted.
    End,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct EventRecord {
    /// Seconds since 1970.
    at: u64,
    kind: LiveEvent,
    #[serde(skip_serializing_if = "Option::is_none")]
    round: Option<usize>,
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    white: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    black: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    player: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'static str>,
    /// More about it, in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
}

impl EventRecord {
    fn new(kind: LiveEvent) -> EventRecord {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (round, game, white, black, player) = (None, None, None, None, None);
        let (result, detail) = (None, String::new());
        EventRecord { at: since.as_secs(), kind, round, game, white, black, player, result, detail }
    }
}

/// Places, pairings and events of a tournament that is being played.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LiveRecord<'a> {
    state: LiveState,
    tournament: &'a TournamentRecord,
    /// The next round, if its pairings are known, as those of a round-robin are.
    next: Option<&'a RoundRecord>,
    /// The events, the newest last.
    feed: &'a VecDeque<EventRecord>,
}

/// The part of it that remains.
#[derive(Serialize)]
pub(super) struct Course<'a> {
    rounds: &'a [RoundRecord],
    feed: &'a VecDeque<EventRecord>,
}

impl Record for LiveRecord<'_> {
    const TYPE: &'static str = "live";
}

/// What is known about a tournament in progress, without its boards.
#[derive(Debug)]
pub struct Live {
    tournament: TournamentRecord,
    next: Option<RoundRecord>,
    feed: VecDeque<EventRecord>,
    state: LiveState,
}

impl Live {
    /// A tournament before its first event of this run.
    #[must_use]
    pub fn new(config: &Contest, results: &MatchResults) -> Live {
        let tournament = TournamentRecord::new(config, results);
        let next = foreseen(config, results);
        Live { tournament, next, feed: VecDeque::new(), state: LiveState::Playing }
    }

    /// Something happens.
    pub fn notice(&mut self, config: &Contest, event: &MatchEvent<'_>) {
        let player = |engine: usize| Some(name(config, engine).to_owned());
        match *event {
            MatchEvent::Round(results) => {
                self.state = LiveState::Playing;
                self.update(config, results);
                let round = results.rounds().last().map(|round| round.round);
                self.add(EventRecord { round, ..EventRecord::new(LiveEvent::Round) });
            }
            MatchEvent::Break(next, pause) => {
                self.state = LiveState::Break;
                let known = MatchResults::new(config, Vec::new());
                self.next = Some(RoundRecord::new(config, next, None, &known));
                let detail = format!("{} s", pause.as_secs_f64().ceil());
                let round = Some(next.round);
                self.add(EventRecord { round, detail, ..EventRecord::new(LiveEvent::Break) });
            }
            MatchEvent::Report(report) => self.report(config, report),
            MatchEvent::Game(results) => {
                self.update(config, results);
                let Some(game) = results.games().last() else { return };
                self.add(EventRecord {
                    game: Some(game.game + 1),
                    white: player(game.pairing.white),
                    black: player(game.pairing.black),
                    result: Some(game.result().as_str()),
                    detail: game.termination.to_string(),
                    ..EventRecord::new(LiveEvent::Game)
                });
            }
            MatchEvent::Decided { act, results, .. } => {
                self.update(config, results);
                let detail = act.to_text(config);
                self.add(EventRecord { detail, ..EventRecord::new(LiveEvent::Decided) });
            }
        }
    }

    /// A worker reports.
    fn report(&mut self, config: &Contest, report: &WorkerReport) {
        let player = |engine: usize| Some(name(config, engine).to_owned());
        let event = match *report {
            WorkerReport::Ready { .. } | WorkerReport::Complaint { .. } => return,
            WorkerReport::Begin { game, pairing } => EventRecord {
                game: Some(game + 1),
                white: player(pairing.white),
                black: player(pairing.black),
                ..EventRecord::new(LiveEvent::Begin)
            },
            WorkerReport::SlowStart { engine, ref missing, .. } => EventRecord {
                player: player(engine),
                detail: missing.clone(),
                ..EventRecord::new(LiveEvent::Slow)
            },
            WorkerReport::Void { game, standstill } => EventRecord {
                game: Some(game + 1),
                detail: format!("{:.1} s", standstill.as_secs_f64()),
                ..EventRecord::new(LiveEvent::Void)
            },
            WorkerReport::Again { game } => {
                EventRecord { game: Some(game + 1), ..EventRecord::new(LiveEvent::Again) }
            }
        };
        self.add(event);
    }

    /// The director has given a command other than a decision.
    pub fn said(&mut self, kind: LiveEvent) {
        self.add(EventRecord::new(kind));
    }

    /// The end of this run.
    pub fn end(&mut self, config: &Contest, results: &MatchResults, is_over: bool) {
        self.update(config, results);
        self.state = if is_over { LiveState::Over } else { LiveState::Interrupted };
        if is_over {
            self.next = None;
        }
        self.add(EventRecord::new(LiveEvent::End));
    }

    fn update(&mut self, config: &Contest, results: &MatchResults) {
        self.tournament = TournamentRecord::new(config, results);
        // In a break the next round is known from elsewhere.
        if self.state != LiveState::Break {
            self.next = foreseen(config, results);
        }
    }

    fn add(&mut self, event: EventRecord) {
        if self.feed.len() == MAX_EVENTS {
            self.feed.pop_front();
        }
        self.feed.push_back(event);
    }

    /// The rounds, and the events of this run.
    pub(super) fn course(&self) -> Course<'_> {
        Course { rounds: self.tournament.rounds(), feed: &self.feed }
    }

    /// The current view.
    #[must_use]
    pub fn to_record(&self, director: &Director) -> LiveRecord<'_> {
        let abort = &director.abort;
        let state = match self.state {
            state @ (LiveState::Over | LiveState::Interrupted) => state,
            _ if abort.is_paused() => LiveState::Paused,
            LiveState::Playing if abort.ends_after_round() => LiveState::Stopping,
            state => state,
        };
        let (tournament, next, feed) = (&self.tournament, self.next.as_ref(), &self.feed);
        LiveRecord { state, tournament, next, feed }
    }
}

/// The next round, in a format where it does not depend on results.
fn foreseen(config: &Contest, results: &MatchResults) -> Option<RoundRecord> {
    if !matches!(config.format(), Some(Format::RoundRobin | Format::Gauntlet)) {
        return None;
    }
    let round = next_round(config, results)?;
    Some(RoundRecord::new(config, &round, None, results))
}

/// The games that are being played.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InPlayRecord<'a> {
    games: Vec<GameInPlayRecord<'a>>,
}

impl Record for InPlayRecord<'_> {
    const TYPE: &'static str = "in_play";
}

#[derive(Debug, Serialize, JsonSchema)]
struct GameInPlayRecord<'a> {
    /// From 1.
    game: usize,
    round: usize,
    white: SideRecord<'a>,
    black: SideRecord<'a>,
    /// As the Hub protocol writes it.
    position: String,
    fen: String,
    /// The last moves, as Hub writes them.
    moves: Vec<String>,
    /// How many moves there are, of both sides together.
    ply: usize,
    /// The side to move at the start: `W` or `B`.
    first: &'static str,
    /// The side to move: `white` or `black`.
    turn: &'static str,
    /// How long it has thought, in seconds; null if no clock runs.
    thinking_s: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SideRecord<'a> {
    name: &'a str,
    /// Seconds on its clock after its last move; null without a clock.
    left_s: Option<f64>,
    /// Its score for itself, in men.
    score: Option<f64>,
    depth: Option<u32>,
    nodes: Option<u64>,
}

impl<'a> InPlayRecord<'a> {
    /// The games that this director has in play.
    #[must_use]
    pub fn new(config: &'a Contest, director: &Director) -> InPlayRecord<'a> {
        let games = director.games();
        InPlayRecord {
            games: games.iter().map(|game| GameInPlayRecord::new(config, game)).collect(),
        }
    }
}

impl<'a> GameInPlayRecord<'a> {
    fn new(config: &'a Contest, game: &GameInPlay) -> GameInPlayRecord<'a> {
        let board = game.record.replay();
        let position = board.position();
        let side = |color: Color| {
            let seen = game.seen[color.index()];
            SideRecord {
                name: name(config, game.pairing.engines()[color.index()]),
                left_s: game.clocks[color.index()].map(|seconds| rounded(seconds, 3)),
                score: seen.score.map(|score| rounded(score, 2)),
                depth: seen.depth,
                nodes: seen.nodes,
            }
        };
        let plies = &game.record.plies;
        let last = &plies[plies.len().saturating_sub(LAST_MOVES)..];
        let is_white = |color: Color| color == Color::White;
        let since = |begun: Instant| rounded(begun.elapsed().as_secs_f64(), 3);
        GameInPlayRecord {
            game: game.game + 1,
            round: game.pairing.round,
            white: side(Color::White),
            black: side(Color::Black),
            position: hub::format_position(position),
            fen: Fen::from(position).to_string(),
            moves: last.iter().map(|ply| ply.mv.to_string()).collect(),
            ply: plies.len(),
            first: if is_white(board.start().side_to_move()) { "W" } else { "B" },
            turn: if is_white(position.side_to_move()) { "white" } else { "black" },
            thinking_s: game.thinking.map(since),
        }
    }
}
