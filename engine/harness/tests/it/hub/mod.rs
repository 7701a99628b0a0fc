//! Our engine in sessions of the Hub protocol.

mod clients;
mod endgames;
mod games;
mod session;
mod stop;
