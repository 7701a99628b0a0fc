//! How other programs talk to the engine.

pub mod dxp;
pub mod hub;
mod log;

pub use log::Log;
