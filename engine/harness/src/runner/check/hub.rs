//! A walk through the Hub protocol with somebody else's engine.

use std::time::{Duration, Instant};

use movegen::Position;
use movegen::notation::hub;

use super::{Check, StepResult, shown};
use crate::protocol::Log;
use crate::protocol::hub::Line;
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
) -> std::io::Result<Check> {
    let process = Process::start(options, &Log::none())?;
    let check = Check { step: "start", ..Check::default() };
    let mut walk = HubWalk { process, check, patience, slack, has_info: false };
    if walk.steps().is_none() {
        walk.process.kill();
        return Ok(walk.check);
    }
    let mut check = walk.quit();
    let second = Process::start(options, &Log::none())?;
    let mut walk = HubWalk { process: second, check, patience, slack, has_info: false };
    let _ = walk.start();
    check = walk.end_of_input();
    Ok(check)
}

struct HubWalk {
    process: Process,
    check: Check,
    patience: Duration,
    slack: Duration,
    /// Whether something was reported since the last `go`.
    has_info: bool,
}

impl HubWalk {
    fn send(&mut self, line: &str) -> StepResult {
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

    /// Lines until one with this command; `None` inside if it does not come.
    fn until(
        &mut self,
        command: &str,
        patience: Duration,
    ) -> Option<(Vec<String>, Option<Instant>)> {
        let due = Instant::now() + patience;
        let mut deadline = due;
        let mut before = Vec::new();
        let mut bytes = 0;
        loop {
            let Some((line, at)) = self.receive(deadline)? else {
                self.check.error(format!("no '{command}' within {patience:?}"));
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

    fn start(&mut self) -> StepResult {
        self.check.begin("hub: id, param, wait");
        self.send("hub")?;
        let (lines, end) = self.until("wait", self.patience)?;
        end?;
        let mut has_id = false;
        for text in &lines {
            let line = match Line::parse(text) {
                Ok(Some(line)) => line,
                Ok(None) => continue,
                Err(bad) => {
                    self.check.error(format!("unreadable line '{}': {}", shown(text), bad.error));
                    continue;
                }
            };
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
        const UNKNOWN: &str = "no-such-parameter";
        self.send(&format!("set-param name={UNKNOWN} value=1"))?;
        let start = Instant::now();
        self.send("init")?;
        let (lines, end) = self.until("ready", Duration::from_secs(60))?;
        let ready = end?;
        if ready.duration_since(start) > Duration::from_secs(5) {
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

    fn parameter(&mut self, line: &Line, text: &str) {
        let names: Vec<&str> = line.arguments().map(|(name, _)| name).collect();
        let kind = line.value("type").unwrap_or_default();
        let expected: &[&str] = match kind {
            "bool" | "string" => &["name", "value", "type"],
            "int" | "real" => &["name", "value", "type", "min", "max"],
            "enum" => &["name", "value", "type", "values"],
            _ => {
                self.check.error(format!("parameter of unknown type: '{text}'"));
                return;
            }
        };
        if names != expected {
            let order = expected.join(" ");
            self.check.warn(format!(
                "'{}': some programs need the arguments {order} in this order",
                shown(text)
            ));
        }
    }

    /// Sends a position and limits and starts a search.
    fn go(&mut self, pos: &str, level: &str, go: &str) -> Option<Instant> {
        self.send(pos)?;
        self.send(level)?;
        self.has_info = false;
        let start = Instant::now();
        self.send(go)?;
        Some(start)
    }

    /// Waits for the end of a search and judges its lines; the time of `done`.
    fn done(&mut self, position: &Position, patience: Duration) -> Option<Option<Instant>> {
        let (lines, at) = self.until("done", patience)?;
        for text in &lines {
            match Line::parse(text) {
                Ok(Some(line)) => match line.command() {
                    "info" => {
                        self.has_info = true;
                        self.info(&line, text, position);
                    }
                    "done" => self.answer(&line, text, position),
                    "error" => self.check.warn(format!("'{}' during a search", shown(text))),
                    _ => {}
                },
                Ok(None) => {}
                Err(bad) => {
                    self.check.error(format!("unreadable line '{}': {}", shown(text), bad.error));
                }
            }
        }
        if at.is_some() && !self.has_info && position.has_legal_move() {
            self.check.warn("no 'info' before 'done': bots take a missing score for a win");
        }
        Some(at)
    }

    fn info(&mut self, line: &Line, text: &str, position: &Position) {
        if line.arguments().len() == 0 || line.arguments().any(|(_, value)| value.is_empty()) {
            self.check.warn(format!(
                "'{}': an argument without a value makes known programs fail",
                shown(text)
            ));
        }
        for name in ["depth", "max-depth", "nodes"] {
            if line.value(name).is_some_and(|v| v.parse::<u64>().is_err()) {
                self.check.error(format!("'{}': {name} must be an integer", shown(text)));
            }
        }
        for name in ["score", "time", "nps", "mean-depth"] {
            let value = line.value(name).map(str::parse::<f64>);
            if value.is_some_and(|v| !v.is_ok_and(f64::is_finite)) {
                self.check.error(format!("'{}': {name} must be a number", shown(text)));
            }
        }
        let mut reached = *position;
        for mv in line.value("pv").unwrap_or_default().split_whitespace() {
            match hub::parse_move(&reached, mv) {
                Ok(mv) => reached = reached.after(mv),
                Err(error) => {
                    self.check.error(format!("'{}': {error} in the variation", shown(text)));
                    break;
                }
            }
        }
    }

    fn answer(&mut self, line: &Line, text: &str, position: &Position) {
        let Some(mv) = line.value("move") else {
            if position.has_legal_move() {
                self.check.error("'done' without a move though there is one");
            }
            return;
        };
        match hub::parse_move(position, mv) {
            Err(error) => {
                self.check.error(format!("'{}': {error} in {}", shown(text), position.to_fen()));
            }
            Ok(legal) => {
                if legal.to_string() != mv {
                    self.check.warn(format!("'{}': known programs expect {legal}", shown(text)));
                }
                if let Some(reply) = line.value("ponder")
                    && let Err(error) = hub::parse_move(&position.after(legal), reply)
                {
                    self.check.error(format!("'{}': the expected reply: {error}", shown(text)));
                }
            }
        }
        let names: Vec<&str> = line.arguments().map(|(name, _)| name).collect();
        if !matches!(names[..], ["move"] | ["move", "ponder"]) {
            self.check.warn(format!(
                "'{}': only move and ponder, in this order, are understood",
                shown(text)
            ));
        }
    }

    /// Asserts that no line with this command comes for a while.
    fn no_more(&mut self, command: &str, why: &str) -> StepResult {
        let deadline = Instant::now() + SETTLED;
        loop {
            let Some((line, _)) = self.receive(deadline)? else { return Some(()) };
            let word = line.split_whitespace().next();
            self.has_info |= word == Some("info");
            if word == Some(command) {
                self.check.error(format!("'{}': {why}", shown(&line)));
            }
        }
    }

    fn steps(&mut self) -> StepResult {
        self.start()?;
        self.check.begin("ping: pong");
        self.send("ping")?;
        self.until("pong", PROMPT_PATIENCE + self.slack)?;

        let start = Position::initial();
        let pos = format!("pos pos={}", hub::format_position(&start));
        self.check.begin("a search to a depth");
        self.send("new-game")?;
        self.go(&pos, "level depth=3", "go think")?;
        self.done(&start, self.patience)??;

        self.check.begin("a game in the moves of 'pos'");
        let mut reached = start;
        let mut moves = Vec::new();
        for _ in 0..30 {
            let mv = reached.legal_moves()[0];
            moves.push(mv.to_string());
            reached = reached.after(mv);
        }
        self.go(&format!("{pos} moves=\"{}\"", moves.join(" ")), "level depth=2", "go think")?;
        self.done(&reached, self.patience)??;

        self.check.begin("a move time");
        let begun = self.go(&pos, "level move-time=0.3", "go think")?;
        let took = self.done(&start, self.patience)??.duration_since(begun);
        if took > Duration::from_millis(300) + self.slack {
            self.check.error(format!("{took:.0?} used, 300 ms allowed"));
        }

        self.check.begin("a clock");
        let begun = self.go(&pos, "level moves=10 time=2.000 inc=0.100", "go think")?;
        let took = self.done(&start, self.patience)??.duration_since(begun);
        if took > Duration::from_millis(2000) + self.slack {
            self.check.error(format!("{took:.1?} used, 2 s on the clock"));
        }

        self.check.begin("stop");
        let _ = self.go(&pos, "level infinite", "go analyze")?;
        self.no_more("done", "an analysis without limits ends only on 'stop'")?;
        let stopped = Instant::now();
        self.send("ping")?;
        self.until("pong", PROMPT_PATIENCE + self.slack)?;
        self.send("stop")?;
        let took = self.done(&start, self.patience)??.saturating_duration_since(stopped);
        if took > Duration::from_secs(1) + self.slack {
            self.check.warn(format!("{took:.1?} from 'stop' to 'done'"));
        }
        self.check.begin("stop when nothing runs");
        self.send("stop")?;
        self.no_more("done", "exactly one for each 'go'")?;

        self.check.begin("pondering");
        let _ = self.go(&pos, "level move-time=0.1", "go ponder")?;
        self.no_more("done", "limits do not apply before 'ponder-hit'")?;
        self.send("ponder-hit")?;
        self.done(&start, self.patience)??;

        self.check.begin("a forced move");
        if let Ok(position) = Position::from_fen("W:W28,50:B23,1") {
            let pos = format!("pos pos={}", hub::format_position(&position));
            self.go(&pos, "level time=5", "go think")?;
            self.done(&position, self.patience)??;
        }
        self.check.begin("a king's capture");
        if let Ok(position) = Position::from_fen("B:W28,34:BK6,45") {
            let pos = format!("pos pos={}", hub::format_position(&position));
            self.go(&pos, "level depth=5", "go think")?;
            self.done(&position, self.patience)??;
        }
        self.check.begin("lines that are not understood");
        self.send("no-such-command x=1 y=\"2 3\"")?;
        self.send("")?;
        self.send("pos pos=nonsense")?;
        self.send("ping")?;
        self.until("pong", PROMPT_PATIENCE + self.slack)?;
        self.go(&pos, "level depth=2 no-such-argument=7", "go think")?;
        self.done(&start, self.patience)??;
        Some(())
    }

    fn quit(mut self) -> Check {
        self.check.begin("quit");
        let _ = self.send("quit");
        match self.process.wait(PROMPT_PATIENCE + self.slack) {
            Some(status) if status.success() => {}
            Some(status) => self.check.warn(format!("ended with {status}")),
            None => self.check.error(format!("still running {PROMPT_PATIENCE:?} after 'quit'")),
        }
        self.process.kill();
        self.check
    }

    fn end_of_input(mut self) -> Check {
        self.check.begin("end of input");
        self.process.close_input();
        if self.process.wait(PROMPT_PATIENCE + self.slack).is_none() {
            self.check.error(format!(
                "still running {PROMPT_PATIENCE:?} after the end of its input: it would run on without its client"
            ));
        }
        self.process.kill();
        self.check
    }
}
