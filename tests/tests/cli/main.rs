//! The user's side: the command line, its answers to bad input, the documents, and other programs
//! that talk to it.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]
#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

mod annotate;
mod bad_input;
mod board;
mod book;
mod commands;
mod docs;
mod encodings;
mod exit_status;
mod games;
mod house;
mod hub;
mod interop;
mod matches;
mod names;
mod person;
mod saving;
mod serve;
mod serve_clients;
mod serve_hub;
mod surroundings;
mod variants;
