//! The engine over the Hub protocol.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]
#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

mod endgames;
mod games;
mod protocol_check;
mod session;
mod stop;
