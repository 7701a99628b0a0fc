//! The Hub protocol, version 2, engine side: how draughts GUIs and match runners drive us.
//!
//! The protocol is lines of text over standard input and output. [`serve`] runs a whole session;
//! the parts are [`Line`] (syntax), [`Settings`] (the part of an engine that a client sees and
//! changes; [`Params`] for our own), [`Level`] (search limits) and, private, the threads around the
//! state machine. Three threads share the work, so that `ping`, `stop` and the end of the input are
//! noticed during a search: one reads lines, one searches, and the session between them is the only
//! one that writes.
//!
//! Source: the protocol description that comes with Scan 3.1, and the behaviour of the clients
//! named where it matters.

mod command;
mod error;
mod input;
mod level;
mod line;
mod number;
mod params;
mod reply;
mod session;
mod settings;
mod worker;

pub(crate) use command::sent_position;
pub use error::HubError;
pub use input::MAX_LINE;
pub(crate) use level::limits_after;
pub use level::{Level, level_line};
pub(crate) use line::loose_arguments;
pub use line::{BadLine, Line, LineWriter};
pub use number::real;
pub use params::Params;
pub use reply::read_info;
pub use session::{Options, serve};
pub use settings::Settings;
