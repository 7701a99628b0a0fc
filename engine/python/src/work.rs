//! Long work: it reports, and Ctrl-C ends it.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often to check for Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(50);

/// Runs work on another thread, so that this one can call back and notices Ctrl-C. An exception from
/// `report`, or Ctrl-C, stops the work and is raised again. For threads that are detached from Python.
pub fn run<R: Send, T: Send>(
    stop: impl Fn(),
    mut report: impl FnMut(R) -> PyResult<()>,
    work: impl FnOnce(Sender<R>) -> T + Send,
) -> PyResult<T> {
    let (sender, reports) = channel();
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("work".to_owned())
            .stack_size(meerslag_search::STACK_BYTES)
            .spawn_scoped(scope, move || work(sender))?;
        let mut raised = Ok(());
        loop {
            let outcome = match reports.recv_timeout(SIGNALS) {
                Err(RecvTimeoutError::Disconnected) => break,
                // Again, as the first may have come before the work began.
                _ if raised.is_err() => {
                    stop();
                    continue;
                }
                Ok(news) => report(news),
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()),
            };
            if outcome.is_err() {
                stop();
                raised = outcome;
            }
        }
        let result = thread.join().map_err(|_| PyRuntimeError::new_err("the work failed"))?;
        raised.map(|()| result)
    })
}

/// Calls a function of Python, where there is one.
pub fn call<A>(function: Option<&Py<PyAny>>, arguments: A) -> PyResult<()>
where
    A: for<'py> pyo3::call::PyCallArgs<'py>,
{
    let Some(function) = function else { return Ok(()) };
    Python::attach(|py| {
        py.check_signals()?;
        function.call1(py, arguments).map(drop)
    })
}
