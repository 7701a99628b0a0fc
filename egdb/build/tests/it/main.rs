//! Databases written, read, probed, built and checked from outside the crate.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]
#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

mod build;
mod check;
mod compact;
mod convert;
mod embedded;
mod encode;
mod formats;
mod hostile;
mod index;
mod known;
mod rules;
mod solved;
mod stress;
mod support;
mod survey;
mod variants;
