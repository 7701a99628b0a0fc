//! Other programs as engines, over the Hub protocol: the client of matches. `hub.py` shows it.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use meerslag_harness::protocol::Log;
use meerslag_harness::protocol::hub::{Line, real};
use meerslag_harness::runner::process::{HubAnswer, HubClient, HubClientOptions, ProcessOptions};
use meerslag_harness::runner::{Abort, FaultKind, NewGame, Player, PlayerError, tail_text};
use meerslag_search::{Control, Limits, Mode};
use movegen::Position;
use movegen::notation::hub;
use parking_lot::{Mutex, MutexGuard};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::board::Move;
use crate::engine::{limits, seconds};
use crate::game::GameOrPosition;
use crate::{HubError, work};

/// Overrun of a time limit before the engine gets `stop`, and how long it may take then.
const MARGIN: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a search that waits for another one looks whether it is still wanted.
const TURN: Duration = Duration::from_millis(50);

/// The arguments of a line, by their names.
type Fields = HashMap<String, String>;
/// Depth, mean depth, score, nodes, time and variation of a report.
type Report = (Option<u32>, Option<f64>, Option<f64>, Option<u64>, Option<f64>, Vec<Move>);
/// Move, expected reply, last report and complaints.
type Answer = (Option<Move>, Option<Move>, Option<Report>, Vec<String>);

/// A program that speaks Hub.
#[pyclass(module = "meerslag", name = "_HubProgram", frozen)]
pub struct HubProgram {
    options: HubClientOptions,
    /// `None` before the start and after the end.
    client: Mutex<Option<HubClient>>,
    abort: Arc<Abort>,
    /// The searches that have been asked for; the first one runs, or is the next.
    searches: Mutex<VecDeque<Arc<Control>>>,
    is_new_game: AtomicBool,
}

fn ended() -> PyErr {
    HubError::new_err("the engine has ended")
}

fn failed(error: &PlayerError) -> PyErr {
    let PlayerError::Fault { message, tail, .. } = error else { return ended() };
    let message = message.replace("status: ", "status ");
    HubError::new_err(format!("{message}{}", tail_text(tail)))
}

fn fields(line: &str) -> Fields {
    let line = Line::parse(line).ok().flatten();
    let arguments = line.iter().flat_map(Line::arguments);
    arguments.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The values of a report; the variation ends before its first bad move.
fn report(line: &Line<'_>, position: &Position) -> Report {
    fn number<T: std::str::FromStr>(line: &Line<'_>, name: &str) -> Option<T> {
        line.value(name)?.parse().ok()
    }
    let real = |name| real(name, line.value(name)?).ok();
    let moves = line.value("pv").unwrap_or_default().split_ascii_whitespace();
    let pv = moves.scan(*position, |reached, text| {
        let mv = hub::parse_move(reached, text).ok()?;
        *reached = reached.after(mv);
        Some(Move(mv))
    });
    let (depth, nodes) = (number(line, "depth"), number(line, "nodes"));
    (depth, real("mean-depth"), real("score"), nodes, real("time"), pv.collect())
}

#[pymethods]
impl HubProgram {
    #[new]
    fn new(
        command: Vec<String>,
        params: Vec<(String, String)>,
        cwd: Option<PathBuf>,
    ) -> PyResult<HubProgram> {
        if let Some((name, value)) = params
            .iter()
            .find(|(_, value)| value.contains(|c: char| c == '"' || c.is_ascii_control()))
        {
            let text = format!("{name} is {value:?}: a value has no quotes and no line breaks");
            return Err(PyValueError::new_err(text));
        }
        let options = HubClientOptions {
            process: ProcessOptions { command, dir: cwd, env: Vec::new(), cpus: Vec::new() },
            params,
            wishes: Vec::new(),
            start_patience: Duration::ZERO,
            stall_patience: PATIENCE,
            margin: MARGIN,
            tail_only: false,
            ping: false,
            ponder: false,
            is_patient: true,
        };
        Ok(HubProgram {
            options,
            client: Mutex::default(),
            abort: Arc::new(Abort::new()),
            searches: Mutex::default(),
            is_new_game: AtomicBool::new(false),
        })
    }

    /// Brings it to ``ready`` within this many seconds. Returns the fields of its ``id`` line and of
    /// its parameters.
    fn start(&self, py: Python<'_>, timeout: f64) -> PyResult<(Fields, Vec<Fields>)> {
        let patience = seconds("timeout", timeout)?;
        let begun = Instant::now();
        let result = py.detach(|| {
            work::run(|| self.abort.set(), |()| Ok(()), |_| self.start_detached(patience, begun))
        })?;
        result.map_err(|error| match error {
            Ok(error) => {
                let name = &self.options.process.command.first().map_or("", String::as_str);
                let why = failed(&error).value(py).to_string();
                HubError::new_err(if begun.elapsed() >= patience {
                    format!("{name} was not ready within {timeout} seconds: {why}")
                } else {
                    format!("{name} does not start: {why}")
                })
            }
            Err(error) => error,
        })
    }

    /// A search, to be run.
    #[pyo3(signature = (game, *, depth, nodes, time, clock, infinite, is_analysis))]
    #[expect(clippy::too_many_arguments, reason = "named ones")]
    fn search(
        slf: Py<HubProgram>,
        game: GameOrPosition,
        depth: Option<u32>,
        nodes: Option<u64>,
        time: Option<f64>,
        clock: Option<(f64, f64)>,
        infinite: bool,
        is_analysis: bool,
    ) -> PyResult<HubSearch> {
        let given = limits(depth, nodes, time, clock)?;
        if given.is_infinite() && !infinite {
            let text = "no limit: expected depth, nodes, time, clock or infinite=True";
            return Err(PyValueError::new_err(text));
        }
        let mode = if is_analysis { Mode::Analyze } else { Mode::Think };
        let limits = if infinite { Limits::infinite(mode) } else { Limits { mode, ..given } };
        let (game, control) = (game.game()?, Arc::new(Control::new()));
        slf.get().searches.lock().push_back(Arc::clone(&control));
        Ok(HubSearch { program: slf, game, limits, control })
    }

    /// Ends the search that runs, or is the next one to run.
    fn stop(&self) {
        if let Some(control) = self.searches.lock().front() {
            control.stop();
        }
    }

    /// The next search is unrelated to earlier ones.
    fn new_game(&self) {
        self.is_new_game.store(true, Ordering::SeqCst);
    }

    /// Ends it; it is killed if it takes longer than this many seconds.
    fn quit(&self, py: Python<'_>, timeout: f64) {
        self.abort.set();
        let patience = Duration::try_from_secs_f64(timeout).unwrap_or_default();
        py.detach(|| {
            if let Some(client) = self.client.lock().take() {
                client.end(patience);
            }
        });
    }
}

impl HubProgram {
    fn start_detached(
        &self,
        patience: Duration,
        begun: Instant,
    ) -> Result<(Fields, Vec<Fields>), Result<PlayerError, PyErr>> {
        let mut place = self.client.lock();
        let options = HubClientOptions { start_patience: patience, ..self.options.clone() };
        let slow = |_: &str, _: &[String]| {};
        let abort = Arc::clone(&self.abort);
        let mut client = HubClient::introduce(options, &Log::none(), abort, &slow).map_err(Ok)?;
        let identity = client.identity();
        let declared = || identity.parameters.iter().map(|parameter| parameter.name.as_str());
        let mut given = self.options.params.iter();
        if let Some((name, _)) = given.find(|(name, _)| declared().all(|known| known != name)) {
            let mut known: Vec<&str> = declared().collect();
            known.sort_unstable();
            let text = format!("the engine has no parameter '{name}', but {}", known.join(", "));
            return Err(Err(PyValueError::new_err(text)));
        }
        client.prepare(patience.saturating_sub(begun.elapsed()), &slow).map_err(Ok)?;
        let parameters = identity.parameters.iter();
        let parameters = parameters.map(|parameter| fields(&parameter.declaration)).collect();
        *place = Some(client);
        Ok((fields(&identity.declaration), parameters))
    }

    /// Waits until it is this search's turn; `None` if it is no longer wanted.
    fn turn(&self, control: &Arc<Control>) -> Option<MutexGuard<'_, Option<HubClient>>> {
        loop {
            if let Some(client) = self.client.try_lock_for(TURN) {
                let mut searches = self.searches.lock();
                searches.retain(|other| !Arc::ptr_eq(other, control));
                searches.push_front(Arc::clone(control));
                return Some(client);
            }
            if control.is_stopped() {
                return None;
            }
        }
    }
}

/// A search of a program.
#[pyclass(module = "meerslag", name = "_HubSearch", frozen)]
pub struct HubSearch {
    program: Py<HubProgram>,
    game: movegen::Game,
    limits: Limits,
    control: Arc<Control>,
}

#[pymethods]
impl HubSearch {
    /// Searches, and calls a function with each report. Returns the move, the expected reply, the
    /// last report, and what the program has complained about since the last search.
    #[pyo3(signature = (on_info: "Callable[..., object] | None"))]
    fn run(&self, py: Python<'_>, on_info: Option<Py<PyAny>>) -> PyResult<Answer> {
        let mut last = None;
        let result = py.detach(|| {
            work::run(
                || self.control.stop(),
                |report: Report| work::call(on_info.as_ref(), report),
                |reports| {
                    self.run_detached(&mut |line, _| {
                        let report = report(line, self.game.position());
                        // The other end waits until this one is dropped.
                        let _ = on_info.is_some().then(|| reports.send(report.clone()));
                        last = Some(report);
                    })
                },
            )
        })?;
        let (HubAnswer { mv, reply, .. }, complaints) = result?;
        Ok((mv.map(Move), reply.map(Move), last, complaints))
    }

    /// Ends this search.
    fn stop(&self) {
        self.control.stop();
    }
}

impl HubSearch {
    fn run_detached(
        &self,
        hear: &mut dyn FnMut(&Line<'_>, Duration),
    ) -> PyResult<(HubAnswer, Vec<String>)> {
        let program = self.program.get();
        let Some(mut place) = program.turn(&self.control) else { return Err(ended()) };
        let client = place.as_mut().ok_or_else(ended)?;
        let begin = |client: &mut HubClient| match program.is_new_game.swap(false, Ordering::SeqCst)
        {
            true => client.new_game(&NewGame {
                start: *self.game.start(),
                played: 0,
                color: self.game.position().side_to_move(),
                control: <_>::default(),
            }),
            false => Ok(()),
        };
        let result = begin(client)
            .and_then(|()| client.search(&self.game, &self.limits, &self.control, hear));
        let complaints = client.complaints();
        match result {
            Ok(answer) => Ok((answer, complaints)),
            Err(error) => {
                // After an answer, also a bad one, it can be asked again.
                if matches!(&error, PlayerError::Fault { kind, .. } if *kind != FaultKind::IllegalMove)
                {
                    *place = None;
                }
                Err(failed(&error))
            }
        }
    }
}

impl Drop for HubSearch {
    fn drop(&mut self) {
        let mut searches = self.program.get().searches.lock();
        searches.retain(|other| !Arc::ptr_eq(other, &self.control));
    }
}
