//! Endgame databases: the `egdb` commands, the C interface, solving.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]
#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

#[path = "../../../egdb/build/tests/it/support/mod.rs"]
#[allow(dead_code, reason = "only some of it is used here")]
mod support;

mod build;
mod capi;
mod cli;
mod compositions;
mod folder;
mod snakemake;
mod solve;
mod survey;
mod variants;
