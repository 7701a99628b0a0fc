//! How other programs talk to the engine.

pub mod dxp;
mod excerpt;
pub mod hub;
pub(crate) mod log;

pub(crate) use excerpt::{escaped_excerpt, excerpt};
pub use log::{Log, LogError};
