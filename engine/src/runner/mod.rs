//! Matches between engines: the instrument that tells whether a change makes the engine stronger.

pub mod stats;
