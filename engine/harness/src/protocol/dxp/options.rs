//! The player of a session, and how it behaves.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use movegen::DrawRules;

use super::connection::Connection;
use crate::early_end::{Draw, Resign};
use meerslag_search::Thinker;

/// The player.
#[derive(Debug)]
pub struct DxpEngine {
    /// The source of moves.
    pub thinker: Box<dyn Thinker>,
    /// Greatest depth in plies, in addition to the clock.
    pub depth: Option<u32>,
    /// The draw rules that we claim by.
    pub rules: DrawRules,
}

/// A connection, and who plays over it.
#[derive(Debug)]
pub struct DxpPlay<'a> {
    /// To the other program.
    pub connection: &'a mut Connection,
    /// Our player.
    pub engine: &'a mut DxpEngine,
    /// How it behaves.
    pub options: &'a SessionOptions,
    /// Set when it is to end.
    pub stop: &'a AtomicBool,
}

/// How to behave.
#[derive(Clone, PartialEq, Debug)]
pub struct SessionOptions {
    /// Our name.
    pub name: String,
    /// Whether to search in the opponent's time too.
    pub ponder: bool,
    /// Whether moves may be taken back.
    pub take_back: bool,
    /// How long the echo of an end may take.
    pub echo_patience: Duration,
    /// How long a legal move may take after an illegal one.
    pub correction_patience: Duration,
    /// How long the answer to a request may take.
    pub answer_patience: Duration,
    /// How long a move may take before the opponent counts as gone; `None` for ever.
    pub move_patience: Option<Duration>,
    /// When we give up.
    pub resign: Option<Resign>,
    /// When we claim a draw.
    pub draw: Option<Draw>,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            name: concat!("Meerslag ", env!("CARGO_PKG_VERSION")).to_owned(),
            ponder: false,
            take_back: true,
            echo_patience: Duration::from_secs(5),
            correction_patience: Duration::from_secs(10),
            answer_patience: Duration::from_secs(10),
            move_patience: None,
            resign: None,
            draw: None,
        }
    }
}
