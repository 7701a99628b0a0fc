//! The engine as a WebAssembly module, with the same questions and answers as `meerslag serve`.
//!
//! A request and its reply are JSON texts in the memory of the module, so the module needs no
//! generated code beside it. The host calls [`request`] with the length of a request, writes
//! `{"route": "probe", "query": {"fen": ...}, "body": ...}` to the place that it gets, calls
//! [`answer`], and finds the reply at [`reply`], [`reply_length`] bytes long. It is one event,
//! `{"event": "answer", "data": ...}`, or for a problem the event `problem`. During an analysis
//! other events go to the host's `report`. Requests are answered one after another; to stop a
//! search, end the worker that holds the module.
//!
//! The databases are not part of the module. The host writes them, as the bundle that `meerslag serve
//! --export` writes beside it, to the place that [`request`] gives, and calls [`install`]. Until then
//! no endgame is known, and searches go without. Larger ones, in a single file, stay where they are:
//! after [`open`] the module asks the host's `fetch` for the blocks that a question needs. Searches do
//! not use them, since they cannot wait.
//!
//! The evaluation of the module is a small one. [`weigh`] takes another in the same way as [`install`]:
//! the searches that begin afterwards use it.
//!
//! Without the feature `engine` the module answers the questions of [`RULES`] alone.

use std::cell::RefCell;
use std::collections::BTreeMap;
#[cfg(feature = "engine")]
use std::{io, sync::Arc};

use egdb::Probe;
#[cfg(feature = "engine")]
use egdb::{Database, OpenOptions, Slice};
#[cfg(feature = "engine")]
use meerslag_book::Book;
#[cfg(feature = "engine")]
use meerslag_search::eval::{Evaluation, Weights};
#[cfg(feature = "engine")]
use meerslag_search::{Control, Engine, EngineOptions};
#[cfg(not(feature = "engine"))]
use meerslag_serve::RULES as ANSWERED;
use meerslag_serve::{Desk, DeskLimits, Problem, ProblemKind, Reply, Route, Work};
#[cfg(feature = "engine")]
use meerslag_serve::{Event, ROUTES as ANSWERED, Search};
use serde::Deserialize;
use serde_json::Value;

/// Memory for blocks of the large databases, in MiB.
#[cfg(feature = "engine")]
const BLOCKS_MIB: usize = 16;

/// The transposition table, in MiB: browsers of phones have little memory.
#[cfg(feature = "engine")]
const HASH_MIB: usize = 16;

#[cfg(feature = "engine")]
// SAFETY: the only host is the one that `meerslag serve --export` writes beside this module. `now`
// takes and gives numbers only. `report` reads its bytes before it returns.
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Milliseconds since any moment.
    safe fn now() -> f64;
    /// Takes an event.
    safe fn report(start: *const u8, length: usize);
    /// Writes bytes of the large databases, from `offset` on, to a place of the module; false if they
    /// cannot be had.
    safe fn fetch(offset: f64, start: *mut u8, length: usize) -> bool;
}

/// A question. Its body comes after the line.
#[derive(Deserialize)]
struct Request {
    /// The address without `/v1/`.
    route: String,
    /// The parameters; numbers or texts, and null if not given.
    #[serde(default)]
    query: BTreeMap<String, Value>,
}

/// The module's memory between calls.
struct Module {
    desk: Desk,
    /// The databases that are not in the module.
    #[cfg(feature = "engine")]
    large: Option<Arc<Database>>,
    /// Made by the first search.
    #[cfg(feature = "engine")]
    engine: Option<Engine>,
    #[cfg(feature = "engine")]
    evaluation: Evaluation,
}

impl Module {
    fn new() -> Module {
        #[cfg(feature = "engine")]
        meerslag_search::clock::set_clock(|| now());
        #[cfg(feature = "engine")]
        let book = Some(Book::built_in());
        #[cfg(not(feature = "engine"))]
        let book = None;
        let (probe, draw_rules) = (Probe::new(), Default::default());
        Module {
            desk: Desk { probe, book, draw_rules, limits: DeskLimits::OWN, ..Desk::default() },
            #[cfg(feature = "engine")]
            large: None,
            #[cfg(feature = "engine")]
            engine: None,
            #[cfg(feature = "engine")]
            evaluation: Evaluation::default(),
        }
    }

    #[cfg(feature = "engine")]
    fn engine(&mut self) -> Result<&mut Engine, Problem> {
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => Engine::new(EngineOptions {
                hash_mib: HASH_MIB,
                evaluation: self.evaluation.clone(),
                ..EngineOptions::default()
            })
            .map_err(|error| Problem::new(ProblemKind::Internal, error.to_string()))?,
        };
        Ok(self.engine.insert(engine))
    }

    fn answer(&mut self, request: &[u8]) -> Result<Reply, Problem> {
        let bad = |what: String| Problem::new(ProblemKind::BadParameter, what);
        let end = request.iter().position(|&byte| byte == b'\n').unwrap_or(request.len());
        let (line, body) = request.split_at(end);
        let request: Request =
            serde_json::from_slice(line).map_err(|error| bad(error.to_string()))?;
        let route = Route::among(ANSWERED, &format!("/v1/{}", request.route))
            .ok_or_else(|| Problem::new(ProblemKind::NotFound, request.route))?;
        let text = |value: Value| match value {
            Value::Null => None,
            Value::String(text) => Some(text),
            other => Some(other.to_string()),
        };
        let given = request.query.into_iter();
        let query: Vec<_> = given.filter_map(|(name, value)| Some((name, text(value)?))).collect();
        match route.work {
            Work::Answer(_) | Work::Write(_) => {
                let body = body.strip_prefix(b"\n").unwrap_or(body);
                meerslag_serve::answer(&self.desk, route, &query, body)
            }
            #[cfg(feature = "engine")]
            Work::Play => {
                let search = Search::read(&self.desk, route, &query)?;
                meerslag_serve::play(self.engine()?, &search, &Control::new())
            }
            #[cfg(feature = "engine")]
            Work::Analyse => {
                let search = Search::read(&self.desk, route, &query)?;
                let mut last = None;
                meerslag_serve::analyse(self.engine()?, &search, &Control::new(), &mut |event| {
                    if event.id.is_some() {
                        last = Some(event);
                    } else {
                        let text = event_text(&event);
                        report(text.as_ptr(), text.len());
                    }
                });
                let last = last.expect("the last event has an id");
                Ok(Reply { media_type: EVENT, text: event_text(&last) })
            }
            #[cfg(not(feature = "engine"))]
            Work::Play | Work::Analyse => Err(bad("this module has no engine".to_owned())),
        }
    }
}

/// Marks a reply that is an event already.
const EVENT: &str = "event";

#[cfg(feature = "engine")]
fn event_text(Event { name, data, .. }: &Event) -> String {
    format!("{{\"event\":\"{name}\",\"data\":{data}}}")
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::new(Module::new());
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static REPLY: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes room for a request of this many bytes, and returns its place.
// SAFETY: no other symbol of this name is linked.
#[unsafe(no_mangle)]
pub extern "C" fn request(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(length, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request.
// SAFETY: no other symbol of this name is linked.
#[unsafe(no_mangle)]
pub extern "C" fn answer() {
    let request = REQUEST.take();
    let answered = MODULE.with_borrow_mut(|module| module.answer(&request));
    REPLY.set(match answered {
        Ok(Reply { media_type: EVENT, text }) => text,
        Ok(Reply { media_type, text }) => {
            let data = if media_type == JSON { text } else { Value::from(text).to_string() };
            format!("{{\"event\":\"answer\",\"data\":{data}}}")
        }
        Err(problem) => format!("{{\"event\":\"problem\",\"data\":{}}}", problem.to_json()),
    });
}

/// Takes the databases from the place of a request, and returns whether they are valid.
// SAFETY: no other symbol of this name is linked.
#[cfg(feature = "engine")]
#[unsafe(no_mangle)]
pub extern "C" fn install() -> bool {
    let bundle = REQUEST.take();
    let Some(probe) = egdb::embedded::install(bundle).ok().and_then(|()| Probe::embedded().ok())
    else {
        return false;
    };
    MODULE.with_borrow_mut(|module| {
        module.desk.probe = probe;
        if let Some(large) = &module.large {
            module.desk.probe.add(Arc::clone(large));
        }
        // The next search makes one with them.
        module.engine = None;
    });
    true
}

/// Takes the weights of an evaluation from the place of a request, and returns whether they are valid.
// SAFETY: no other symbol of this name is linked.
#[cfg(feature = "engine")]
#[unsafe(no_mangle)]
pub extern "C" fn weigh() -> bool {
    let Ok(weights) = Weights::from_bytes(&REQUEST.take()) else { return false };
    MODULE.with_borrow_mut(|module| {
        module.evaluation = Evaluation::new(weights);
        // The next search makes one with it.
        module.engine = None;
    });
    true
}

/// Uses the databases in a single file of this length, which `fetch` reads, beside those of
/// [`install`], and returns whether its index is valid.
// SAFETY: no other symbol of this name is linked.
#[cfg(feature = "engine")]
#[unsafe(no_mangle)]
pub extern "C" fn open(length: f64) -> bool {
    let get = |offset: u64, out: &mut [u8]| match fetch(offset as f64, out.as_mut_ptr(), out.len())
    {
        true => Ok(()),
        false => Err(io::Error::other("it did not come over the network")),
    };
    let is_wanted = |slice: Slice| slice.pieces() > egdb::embedded::MAX_PIECES;
    let options = OpenOptions { cache_mib: BLOCKS_MIB, ..OpenOptions::default() };
    let opened =
        Database::open_remote("endgames", length as u64, Box::new(get), &is_wanted, &options);
    let Ok(large) = opened.map(Arc::new) else { return false };
    MODULE.with_borrow_mut(|module| {
        module.desk.probe.add(Arc::clone(&large));
        module.large = Some(large);
    });
    true
}

/// The media type of answers that are objects; others are texts.
const JSON: &str = "application/json";

/// The start of the last reply.
// SAFETY: no other symbol of this name is linked.
#[unsafe(no_mangle)]
pub extern "C" fn reply() -> *const u8 {
    REPLY.with_borrow(|reply| reply.as_ptr())
}

/// Its length in bytes.
// SAFETY: no other symbol of this name is linked.
#[unsafe(no_mangle)]
pub extern "C" fn reply_length() -> usize {
    REPLY.with_borrow(String::len)
}
