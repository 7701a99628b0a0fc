//! How other programs talk to the engine.

pub mod hub;
