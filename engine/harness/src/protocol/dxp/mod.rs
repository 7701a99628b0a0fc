//! DXP, the DamExchange protocol: two programs play games over one connection.
//!
//! Messages ([`Message`]) are short texts ended by a NUL ([`Framer`]). Two choices are
//! independent: who listens and who connects ([`Connection`], [`Listener`]), and who is the
//! initiator, who proposes games, or the follower ([`initiate`], [`follow`]). A peer can end a
//! game by anything it does wrong, but never the process.
//!
//! Source: the protocol description by F. Mesander, and the behaviour of the programs named where
//! it matters.

mod address;
mod aside;
mod connection;
mod ending;
mod framer;
mod game;
mod listener;
mod message;
mod options;
mod roles;
mod think;

pub use address::{Address, ParseAddressError};
pub use connection::Connection;
pub(crate) use connection::Incoming;
pub use framer::{Framer, MAX_MESSAGE, TooLong};
pub use game::{DxpGame, Ending, Terms};
pub use listener::{Listener, connect};
pub use message::{
    Acceptance, DxpError, EndReason, Message, Request, TakeBack, format_minutes, in_minutes,
};
pub(crate) use message::{answer_to_unreadable, is_unreadable_end};
pub use options::{DxpEngine, DxpPlay, SessionOptions};
pub use roles::{Event, InitiatorOptions, Moved, Observer, SessionEnd, follow, initiate};

/// The port that programs use unless another one is given.
pub const DEFAULT_PORT: u16 = 27531;
