//! An engine that speaks Hub, as a state machine: what it does with a question depends on the seed and the
//! question, and, unless the plan is steady, on how often it was started.

use std::time::Duration;

use meerslag_harness::protocol::hub::Line;
use movegen::notation::hub;
use movegen::random::Random;
use movegen::{Game, Move};

use super::disk::Question;
use super::plan::Fate;
use super::programs::Program;

/// An engine.
pub struct HubEngine {
    number: usize,
    /// How many programs were started before.
    start: usize,
    /// The last position, with its text.
    game: Option<(String, Game)>,
    /// The most time that it has for its next move.
    allowed: Option<Duration>,
    doing: Doing,
    /// When it was told to stop pondering, without a question since.
    stopped: Option<Duration>,
    is_deaf: bool,
}

enum Doing {
    Nothing,
    /// The number of the question, what it does, when it answers.
    Thinking(usize, Fate, Option<Duration>),
    Pondering,
}

const fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

impl HubEngine {
    pub fn new(number: usize, start: usize) -> HubEngine {
        let (game, allowed, stopped) = (None, None, None);
        HubEngine { number, start, game, allowed, doing: Doing::Nothing, stopped, is_deaf: false }
    }

    /// Takes a line, or the end of its input.
    pub fn hear(&mut self, program: &mut Program, line: Option<&str>) {
        if self.is_deaf {
            return;
        }
        let (plan, now) = (program.machine().plan.clone(), program.now());
        let Some(line) = line else { return program.exit(now, 0) };
        let line = Line::parse(line).expect("a line of Hub").expect("a command");
        let mut whim = plan.whim(self.number, self.start, line.command());
        match line.command() {
            "hub" => self.introduce(program, &mut whim),
            "init" => program.say(now, "ready\n"),
            "ping" if !plan.is_steady && whim.below(200) == 0 => {}
            "ping" => program.say(now + ms(whim.below(3) as u64), "pong\n"),
            "new-game" => self.stopped = None,
            "pos" => self.read_game(&line),
            "level" => {
                let seconds = |name| {
                    line.value(name)
                        .map(|text| Duration::from_secs_f64(text.parse().expect("seconds")))
                };
                let clock = seconds("time").map(|time| time + seconds("inc").unwrap_or_default());
                self.allowed = seconds("move-time").or(clock);
            }
            "go" if line.has("ponder") => {
                self.doing = Doing::Pondering;
                program.say(now, "info depth=1 score=0.1\n");
            }
            "go" | "ponder-hit" => self.think(program),
            "stop" => self.stop(program),
            "quit" if !plan.is_steady && whim.below(20) == 0 => self.is_deaf = true,
            "quit" => program.exit(now + ms(whim.below(1_500) as u64), 0),
            _ => {}
        }
    }

    fn introduce(&mut self, program: &mut Program, whim: &mut Random) {
        let (plan, mut at) = (program.machine().plan.clone(), program.now());
        at +=
            ms(if whim.below(20) == 0 { 1_000 + whim.below(2_000) } else { whim.below(50) } as u64);
        program.say(at, "id name=Sim version=1\nparam name=ponder value=false ");
        program.say(at, "type=bool\n");
        let fate = if plan.is_steady { 99 } else { whim.below(100) };
        match fate {
            0 => program.exit(at, 4),
            1 => self.is_deaf = true,
            2 => program.say(at, "error message=\"no book\"\nwait\n"),
            _ => program.say(at, "wait\n"),
        }
    }

    fn read_game(&mut self, line: &Line) {
        let (start, moves) = (line.value("pos").expect("pos"), line.value("moves"));
        let text = format!("{start} {}", moves.unwrap_or_default());
        let is_part = |known: &str| {
            text.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let known = self.game.take().filter(|(known, _)| is_part(known));
        let (known, mut game) = known.unwrap_or_else(|| {
            let start = hub::parse_position(start).expect("a position");
            (String::new(), Game::new(start))
        });
        let rest = if known.is_empty() { moves.unwrap_or_default() } else { &text[known.len()..] };
        for mv in rest.split_whitespace() {
            let mv = hub::parse_move(game.position(), mv).expect("a legal move");
            game.play(mv).expect("a legal move");
        }
        self.game = Some((text, game));
    }

    fn think(&mut self, program: &mut Program) {
        let now = program.now();
        let plan = program.machine().plan.clone();
        let (_, game) = self.game.as_ref().expect("a position");
        let (mv, fate, score) = plan.choice(self.number, self.start, game, self.allowed);
        let asked = self.stopped.take().unwrap_or(now);
        let mut answered = None;
        match fate {
            Fate::Answer(time) | Fate::Twice(time) | Fate::Leave(time) | Fate::Halves(time) => {
                let at = now + time;
                answered = Some(at);
                let done = done(game, mv);
                if let Some(score) = score {
                    program.say(now + time / 2, format!("info depth=5 score={score:.2} nodes=9\n"));
                }
                match fate {
                    Fate::Halves(_) => {
                        program.say(now + time / 2, &done.as_bytes()[..done.len() / 2]);
                        program.say(at, &done.as_bytes()[done.len() / 2..]);
                    }
                    Fate::Twice(_) => program.say(at, done.repeat(2)),
                    _ => program.say(at, done),
                }
                if matches!(fate, Fate::Leave(_)) {
                    program.exit(at + ms(300), 0);
                }
            }
            Fate::Crash(time) => {
                program.complain(now + time, "about to crash\n");
                program.exit(now + time, 3);
            }
            Fate::CrashInLine(time) => {
                let done = done(game, mv);
                program.say(now + time, &done.as_bytes()[..done.len() - 2]);
                program.exit(now + time, 3);
            }
            Fate::Hang => {
                program.say(now, "info depth=");
                self.is_deaf = true;
            }
            Fate::Late => {}
            Fate::Illegal(time) => program.say(now + time, "done move=1-50\n"),
            Fate::Unreadable(time) => program.say(now + time, "done move=\"to the left\n"),
            Fate::Empty(time) => program.say(now + time, "done\n"),
        }
        let question = Question { asked, answered, fate };
        let number = program.machine().disk.note(self.number, game, question);
        self.doing = Doing::Thinking(number, fate, answered);
    }

    fn stop(&mut self, program: &mut Program) {
        let now = program.now();
        let plan = program.machine().plan.clone();
        let delay = ms(if plan.is_steady {
            0
        } else {
            plan.whim(self.number, self.start, "stop").below(20) as u64
        });
        match std::mem::replace(&mut self.doing, Doing::Nothing) {
            Doing::Nothing => {}
            Doing::Pondering => {
                self.stopped = Some(now);
                program.say(now + delay, "done\n");
            }
            Doing::Thinking(number, fate, answered) => {
                // It may have answered, and its client not have read that yet.
                let can_stop = matches!(fate, Fate::Answer(_) | Fate::Twice(_) | Fate::Late);
                if can_stop && answered.is_none_or(|at| at > now) {
                    let (_, game) = self.game.as_ref().expect("a position");
                    let (mv, ..) = plan.choice(self.number, self.start, game, self.allowed);
                    program.unsay();
                    program.say(now + delay, done(game, mv));
                    program.machine().disk.note_answer(self.number, game, number, now + delay);
                }
            }
        }
    }
}

fn done(game: &Game, mv: Move) -> String {
    let reply = game.position().after(mv).legal_moves().first().copied();
    let reply = reply.map(|reply| format!(" ponder={reply}")).unwrap_or_default();
    format!("done move={mv}{reply}\n")
}
