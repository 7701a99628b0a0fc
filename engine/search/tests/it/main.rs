//! The search and its databases and books as a library.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]
#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

mod book_play;
mod endgames;
mod ends;
mod expand;
mod search;
mod strength;
mod support;
mod variants;
