//! A walk through the Hub protocol with somebody else's engine: a table of what is sent and expected.

use std::io;
use std::time::{Duration, Instant};

use movegen::notation::hub;
use movegen::{Position, Variant};

use super::{Check, StepVerdict, shown};
use crate::protocol::Log;
use crate::protocol::hub::{Line, Params};
use crate::runner::player::process::{Process, ProcessOptions, Received, is_cut, too_long};

/// Silence after which no further line is expected.
const SETTLED: Duration = Duration::from_millis(300);
/// For answers that need no thought: a pong, the end of the program.
const PROMPT_PATIENCE: Duration = Duration::from_secs(2);
/// Lines, and bytes, in answer to one command that are still taken for an answer.
const MAX_LINES: usize = 10_000;
const MAX_BYTES: usize = 16 << 20;
/// How long after an answer was due lines are still counted, as long as they come without a pause: on
/// a busy machine a flood arrives slowly.
const FLOOD_PATIENCE: Duration = Duration::from_secs(60);
/// A name that no engine knows.
const UNKNOWN: &str = "no-such-parameter";

/// A step, or none for the one before; what is sent; what must follow.
///
/// Sent is a line, or a search: a position (a FEN, `-` for the initial one, or with a number the one
/// after so many moves), its limits and its kind. What must follow is `pong`; or `done`, perhaps within
/// these milliseconds, with `?` else it is only odd; or after `-` the reason why `done` must not come.
const WALK: &[(&str, &str, &str)] = &[
    ("ping: pong", "ping", "pong"),
    ("a search to a depth", "new-game", ""),
    ("", "- / depth=3 / think", "done"),
    ("a game in the moves of 'pos'", "30 / depth=2 / think", "done"),
    ("a move time", "- / move-time=0.3 / think", "done 300"),
    ("a clock", "- / moves=10 time=2.000 inc=0.100 / think", "done 2000"),
    ("stop", "- / infinite / analyze", "- an analysis without limits ends only on 'stop'"),
    ("", "ping", "pong"),
    ("", "stop", "done 1000?"),
    ("stop when nothing runs", "stop", "- exactly one for each 'go'"),
    ("pondering", "- / move-time=0.1 / ponder", "- limits do not apply before 'ponder-hit'"),
    ("", "ponder-hit", "done"),
    ("a forced move", "W:W28,50:B23,1 / time=5 / think", "done"),
    ("a king's capture", "B:W28,34:BK6,45 / depth=5 / think", "done"),
    ("lines that are not understood", "no-such-command x=1 y=\"2 3\"", ""),
    ("", "", ""),
    ("", "pos pos=nonsense", ""),
    ("", "ping", "pong"),
    ("", "- / depth=2 no-such-argument=7 / think", "done"),
];

/// Starts an engine and walks through the protocol with it. Ends early when the engine does, or
/// gives no answer within `patience`. An answer that is due at a certain time may come later by
/// `slack`, since the machine may do other things.
///
/// # Errors
/// If the program cannot be started.
pub fn check_hub(
    options: &ProcessOptions,
    patience: Duration,
    slack: Duration,
    variant: Variant,
) -> io::Result<Check> {
    let start = |check| -> io::Result<HubWalk> {
        let process = Process::start(options, &Log::none())?;
        let (position, sent) = (Position::initial_of(variant), Instant::now());
        Ok(HubWalk { process, check, patience, slack, variant, position, sent, has_info: false })
    };
    // With a king the game is over there.
    let is_over =
        |&&(_, send, _): &&(_, &str, _)| variant == Variant::Breakthrough && send.contains('K');
    let mut steps = WALK.iter().filter(|step| !is_over(step));
    let mut walk = start(Check::default())?;
    if walk.start().is_none() || steps.any(|step| walk.step(step).is_none()) {
        walk.process.kill();
        return Ok(walk.check);
    }
    let mut walk = start(walk.end("quit"))?;
    let _ = walk.start();
    Ok(walk.end("end of input"))
}

struct HubWalk {
    process: Process,
    check: Check,
    patience: Duration,
    slack: Duration,
    variant: Variant,
    /// The position that is searched.
    position: Position,
    /// When the last line was sent.
    sent: Instant,
    /// Whether something was reported since the last `go`.
    has_info: bool,
}

/// In all that follows `None` means: the engine is gone, or so far out of step that continuing is
/// useless.
impl HubWalk {
    fn step(&mut self, &(step, send, expected): &(&'static str, &str, &str)) -> Option<()> {
        if !step.is_empty() {
            self.check.begin(step);
        }
        match *send.split(" / ").collect::<Vec<_>>() {
            [position, level, kind] => self.go(position, level, kind)?,
            _ => self.send(send)?,
        }
        let sent = self.sent;
        match expected.split_once(' ').unwrap_or((expected, "")) {
            ("-", why) => self.no_done(why)?,
            ("pong", _) => drop(self.until("pong", PROMPT_PATIENCE + self.slack)?),
            ("done", due) => {
                let took = self.done()?.saturating_duration_since(sent);
                let severity =
                    if due.ends_with('?') { StepVerdict::Warning } else { StepVerdict::Wrong };
                if let Ok(due) = due.trim_end_matches('?').parse().map(Duration::from_millis)
                    && took > due + self.slack
                {
                    let what = format!("'done' {took:.1?} after '{}'", shown(send));
                    self.check.find(severity, format!("{what}, {due:?} allowed"));
                }
            }
            _ => {}
        }
        Some(())
    }

    fn send(&mut self, line: &str) -> Option<()> {
        self.sent = Instant::now();
        if self.process.send(line).is_err() {
            self.check.error(format!("the engine is gone; it should have read '{line}'"));
            return None;
        }
        Some(())
    }

    /// The next line, if one comes in time.
    fn receive(&mut self, deadline: Instant) -> Option<Option<(String, Instant)>> {
        match self.process.receive(deadline) {
            Received::Line(line, at) => Some(Some((line, at))),
            Received::Silence => Some(None),
            Received::Closed => {
                self.check.error("the engine ended, or closed its output");
                None
            }
        }
    }

    /// Lines until one with this command, and the time of that; no time if it does not come.
    fn until(
        &mut self,
        command: &str,
        patience: Duration,
    ) -> Option<(Vec<String>, Option<Instant>)> {
        let due = Instant::now() + patience;
        let mut deadline = due;
        let (mut before, mut bytes) = (Vec::new(), 0);
        loop {
            let Some((line, at)) = self.receive(deadline)? else {
                let other = if command == "wait" { self.process.other_protocol() } else { "" };
                self.check.error(format!("no '{command}' within {patience:?}{other}"));
                return Some((before, None));
            };
            deadline = due.max((at + SETTLED).min(due + FLOOD_PATIENCE));
            let is_it = at <= due && line.split_whitespace().next() == Some(command);
            if is_it && is_cut(&line) {
                self.check.error(format!("unreadable line '{}': {}", shown(&line), too_long()));
                return Some((before, None));
            }
            bytes += line.len();
            before.push(line);
            if before.len() > MAX_LINES || bytes > MAX_BYTES {
                let count = before.len();
                self.check.error(format!(
                    "floods its output: {count} lines ({bytes} bytes) and no '{command}'"
                ));
                return None;
            }
            if is_it {
                return Some((before, Some(at)));
            }
        }
    }

    /// A line as the protocol has it, if it can be read and has something.
    fn read<'t>(&mut self, text: &'t str) -> Option<Line<'t>> {
        Line::parse(text).unwrap_or_else(|bad| {
            self.check.error(format!("unreadable line '{}': {}", shown(text), bad.error));
            None
        })
    }

    fn start(&mut self) -> Option<()> {
        self.check.begin("hub: id, param, wait");
        self.send("hub")?;
        let (lines, end) = self.until("wait", self.patience)?;
        end?;
        let mut has_id = false;
        for text in &lines {
            let Some(line) = self.read(text) else { continue };
            match line.command() {
                "id" => {
                    if line.value("name").unwrap_or_default().is_empty() {
                        self.check.error("'id' without a name");
                    }
                    if has_id {
                        self.check.warn("more than one 'id' line");
                    }
                    has_id = true;
                }
                "param" => self.parameter(&line, text),
                "wait" => {}
                _ => self.check.warn(format!("'{}' between 'hub' and 'wait'", shown(text))),
            }
        }
        if !has_id {
            self.check.error("no 'id' line");
        }
        self.check.begin("init: ready");
        self.send(&format!("set-param name={UNKNOWN} value=1"))?;
        let name = self.variant.hub_name();
        if !self.variant.is_international() {
            let offers = |text: &String| {
                let values = Line::parse(text).ok().flatten().filter(|line| {
                    line.command() == "param" && line.value("name") == Some(Params::VARIANT)
                });
                let values = values.and_then(|line| line.value("values").map(str::to_owned));
                values.is_some_and(|values| values.split_whitespace().any(|value| value == name))
            };
            if !lines.iter().any(offers) {
                self.check.error(format!("no parameter 'variant' with the value {name}"));
                return None;
            }
            self.send(&format!("set-param name={} value={name}", Params::VARIANT))?;
        }
        self.send("init")?;
        let (lines, end) = self.until("ready", Duration::from_secs(60))?;
        if end?.duration_since(self.sent) > Duration::from_secs(5) {
            self.check.warn("'ready' took more than 5 s: known programs give up");
        }
        for line in lines.iter().filter(|line| line.starts_with("error")) {
            self.check.warn(if line.contains(UNKNOWN) {
                "'error' for an unknown parameter: programs send such names".to_owned()
            } else {
                format!("'{}' before 'ready'", shown(line))
            });
        }
        Some(())
    }

    fn parameter(&mut self, line: &Line<'_>, text: &str) {
        let order = match line.value("type").unwrap_or_default() {
            "bool" | "string" => "name value type",
            "int" | "real" => "name value type min max",
            "enum" => "name value type values",
            _ => return self.check.error(format!("parameter of unknown type: '{text}'")),
        };
        if names(line) != order {
            let what = format!("some programs need the arguments {order} in this order");
            self.check.odd(text, what);
        }
    }

    /// Starts a search.
    fn go(&mut self, position: &str, level: &str, kind: &str) -> Option<()> {
        let initial = || Position::initial_of(self.variant);
        let written = Position::from_fen_in(position, self.variant);
        self.position = written.unwrap_or_else(|_| initial());
        let mut line = format!("pos pos={}", hub::format_position(&self.position));
        let mut played = Vec::new();
        for _ in 0..position.parse().unwrap_or(0) {
            let Some(&mv) = self.position.legal_moves().first() else { break };
            played.push(mv.to_string());
            self.position = self.position.after(mv);
        }
        if !played.is_empty() {
            line += &format!(" moves=\"{}\"", played.join(" "));
        }
        self.send(&line)?;
        self.send(&format!("level {level}"))?;
        self.has_info = false;
        self.send(&format!("go {kind}"))
    }

    /// Waits for the end of a search and judges its lines; the time of `done`.
    fn done(&mut self) -> Option<Instant> {
        let (lines, at) = self.until("done", self.patience)?;
        for text in &lines {
            let Some(line) = self.read(text) else { continue };
            match line.command() {
                "info" => self.info(&line, text),
                "done" => self.answer(&line, text),
                "error" => self.check.warn(format!("'{}' during a search", shown(text))),
                _ => {}
            }
        }
        if at.is_some() && !self.has_info && self.position.has_legal_move() {
            self.check.warn("no 'info' before 'done': bots take a missing score for a win");
        }
        at
    }

    fn info(&mut self, line: &Line<'_>, text: &str) {
        self.has_info = true;
        if line.arguments().len() == 0 || line.arguments().any(|(_, value)| value.is_empty()) {
            let what = "an argument without a value makes known programs fail";
            self.check.odd(text, what);
        }
        for (name, value) in line.arguments() {
            let wrong = match name {
                "depth" | "max-depth" | "nodes" if value.parse::<u64>().is_err() => "an integer",
                "score" | "time" | "nps" | "mean-depth"
                    if !value.parse().is_ok_and(f64::is_finite) =>
                {
                    "a number"
                }
                _ => continue,
            };
            self.check.wrong(text, format_args!("{name} must be {wrong}"));
        }
        let mut reached = self.position;
        for mv in line.value("pv").unwrap_or_default().split_whitespace() {
            match hub::parse_move(&reached, mv) {
                Ok(mv) => reached = reached.after(mv),
                Err(error) => {
                    self.check.wrong(text, format_args!("{error} in the variation"));
                    break;
                }
            }
        }
    }

    fn answer(&mut self, line: &Line<'_>, text: &str) {
        let Some(mv) = line.value("move") else {
            if self.position.has_legal_move() {
                self.check.error("'done' without a move though there is one");
            }
            return;
        };
        match hub::parse_move(&self.position, mv) {
            Err(error) => {
                let fen = self.position.to_fen();
                self.check.wrong(text, format_args!("{error} in {fen}"));
            }
            Ok(legal) => {
                if legal.to_string() != mv {
                    self.check.odd(text, format_args!("known programs expect {legal}"));
                }
                if let Some(reply) = line.value("ponder")
                    && let Err(error) = hub::parse_move(&self.position.after(legal), reply)
                {
                    self.check.wrong(text, format_args!("the expected reply: {error}"));
                }
            }
        }
        if !matches!(&*names(line), "move" | "move ponder") {
            let what = "only move and ponder, in this order, are understood";
            self.check.odd(text, what);
        }
    }

    /// Asserts that no `done` comes for a while.
    fn no_done(&mut self, why: &str) -> Option<()> {
        let deadline = Instant::now() + SETTLED;
        while let Some((line, _)) = self.receive(deadline)? {
            match line.split_whitespace().next() {
                Some("info") => self.has_info = true,
                Some("done") => self.check.error(format!("'{}': {why}", shown(&line))),
                _ => {}
            }
        }
        Some(())
    }

    /// Ends the engine in this way, and judges how that is.
    fn end(mut self, way: &'static str) -> Check {
        self.check.begin(way);
        let after = if way == "quit" {
            let _ = self.send("quit");
            "'quit'"
        } else {
            self.process.close_input();
            "the end of its input: it would run on without its client"
        };
        match self.process.wait(PROMPT_PATIENCE + self.slack) {
            Some(status) if status.success() => {}
            Some(status) => self.check.warn(format!("ended with {status}")),
            None => self.check.error(format!("still running {PROMPT_PATIENCE:?} after {after}")),
        }
        self.process.kill();
        self.check
    }
}

/// The names of the arguments, in their order.
fn names(line: &Line<'_>) -> String {
    line.arguments().map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}
