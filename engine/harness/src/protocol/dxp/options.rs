//! The player of a session, and how it behaves.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use movegen::DrawRules;
#[cfg(feature = "clap")]
use movegen::words::parse_seconds;

use super::connection::Connection;
use crate::early_end::EarlyEnd;
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
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct SessionOptions {
    /// Our name
    #[cfg_attr(feature = "clap", arg(skip))]
    pub name: String,
    /// Think in the opponent's time too
    #[cfg_attr(feature = "clap", arg(long))]
    pub ponder: bool,
    /// Whether moves may be taken back
    #[cfg_attr(feature = "clap", arg(skip = true))]
    pub take_back: bool,
    /// How long the echo of an end may take
    #[cfg_attr(feature = "clap", arg(skip = ECHO_PATIENCE))]
    pub echo_patience: Duration,
    /// How long to wait for a legal move after an illegal one, in seconds
    #[cfg_attr(feature = "clap", arg(long = "correction", value_name = "SECONDS",
                                     default_value = "10", value_parser = parse_seconds))]
    pub correction_patience: Duration,
    /// Initiator: how long the answer to a proposal may take, in seconds
    #[cfg_attr(feature = "clap", arg(long = "answer", value_name = "SECONDS",
                                     default_value = "10", value_parser = parse_seconds))]
    pub answer_patience: Duration,
    /// Give the opponent up after this many seconds without a move [default: wait for ever]
    #[cfg_attr(feature = "clap", arg(long = "silence", value_name = "SECONDS",
                                     value_parser = parse_seconds))]
    pub move_patience: Option<Duration>,
    /// When we give up, or claim a draw, by our own scores
    #[cfg_attr(feature = "clap", command(flatten))]
    pub scores: EarlyEnd,
}

const ECHO_PATIENCE: Duration = Duration::from_secs(5);

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            name: concat!("Meerslag ", env!("CARGO_PKG_VERSION")).to_owned(),
            ponder: false,
            take_back: true,
            echo_patience: ECHO_PATIENCE,
            correction_patience: Duration::from_secs(10),
            answer_patience: Duration::from_secs(10),
            move_patience: None,
            scores: EarlyEnd::default(),
        }
    }
}
