//! Why a match cannot be set up.

use std::fmt::Display;

use thiserror::Error;

use crate::clocks::control::ParseTimeControlError;
use crate::protocol::hub::HubError;
use crate::runner::stats::SprtError;

/// Why a match cannot be set up.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum ConfigError {
    /// An engine's description is not a list of arguments.
    #[error(transparent)]
    Syntax(#[from] HubError),
    /// A parameter of an engine within the runner.
    #[error("engine '{name}'")]
    Parameter {
        /// Which engine.
        name: String,
        /// What is wrong.
        #[source]
        error: HubError,
    },
    /// A time control.
    #[error(transparent)]
    TimeControl(#[from] ParseTimeControlError),
    /// The numbers of the sequential test.
    #[error(transparent)]
    Sprt(#[from] SprtError),
    /// Anything else, in words.
    #[error("{0}")]
    Impossible(String),
}

impl ConfigError {
    /// A value that is out of bounds.
    pub(in crate::runner) fn bounds(
        what: &str,
        value: impl Display,
        expected: impl Display,
    ) -> ConfigError {
        ConfigError::Impossible(format!("{what}: {value}: expected {expected}"))
    }

    /// What is wrong with an engine.
    pub(in crate::runner) fn engine(name: &str, why: impl Display) -> ConfigError {
        ConfigError::Impossible(format!("engine '{name}': {why}"))
    }

    /// What is wrong with the description of an engine.
    pub(super) fn description(why: impl Display) -> ConfigError {
        ConfigError::Impossible(format!("engine description: {why}"))
    }
}
