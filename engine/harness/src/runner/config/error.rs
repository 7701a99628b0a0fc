//! Why a match cannot be set up.

use thiserror::Error;

use crate::clocks::control::ParseTimeControlError;
use crate::protocol::hub::HubError;
use crate::runner::stats::SprtError;

/// The most games of a match.
pub(in crate::runner) const MOST_GAMES: usize = 20_000_000;

/// Why a match cannot be set up.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum ConfigError {
    /// An engine's description is not a list of arguments.
    #[error(transparent)]
    Syntax(#[from] HubError),
    /// An argument of an engine's description.
    #[error("engine description: {name}={value}: expected {expected}")]
    Argument {
        /// The argument.
        name: String,
        /// What was given.
        value: String,
        /// What is possible.
        expected: String,
    },
    /// The description does not say what the engine is.
    #[error("engine description: expected one of cmd=\"...\", dxp=..., builtin or random")]
    NoKind,
    /// The description says more than one thing about what the engine is.
    #[error("engine description: '{first}' and '{second}' exclude each other")]
    Kinds {
        /// What it said first.
        first: &'static str,
        /// And then.
        second: &'static str,
    },
    /// An argument that means nothing to other engines.
    #[error("engine description: {argument}=... is for programs that speak DXP")]
    OnlyDxp {
        /// Its name.
        argument: &'static str,
    },
    /// Something that engines of this kind cannot have.
    #[error("engine '{name}' runs within the runner: it has no {what}")]
    NoProcess {
        /// Which engine.
        name: String,
        /// `cmd`, `dir` or `env.NAME`.
        what: &'static str,
    },
    /// A parameter of an engine within the runner.
    #[error("engine '{name}'")]
    Parameter {
        /// Which engine.
        name: String,
        /// What is wrong.
        #[source]
        error: HubError,
    },
    /// Something that is out of bounds.
    #[error("{what}: {value}: expected {expected}")]
    Bounds {
        /// Of what.
        what: String,
        /// What was given.
        value: String,
        /// What is possible.
        expected: String,
    },
    /// More games than there is memory for.
    #[error("{0} games: at most {MOST_GAMES} are possible")]
    TooMany(usize),
    /// A time control.
    #[error(transparent)]
    TimeControl(#[from] ParseTimeControlError),
    /// Less than two engines.
    #[error("a match needs at least two engines, {0} given")]
    TooFew(usize),
    /// Two engines of one name.
    #[error("two engines are called '{0}': give them different names with name=...")]
    SameName(String),
    /// No time control at all.
    #[error("engine '{0}' has no time control: give --tc, or tc=... in its description")]
    NoTimeControl(String),
    /// A time control that DXP cannot express.
    #[error(
        "engine '{name}' speaks DXP: its time control must be whole minutes for the game, 60 to \
         59940 seconds, or a number of moves of each player in them (75/60), not '{control}'; \
         fractions=yes for programs that know parts of minutes"
    )]
    DxpTime {
        /// Which engine.
        name: String,
        /// Its time control.
        control: String,
    },
    /// Port 0 without a command that is told the port.
    #[error("engine '{0}': port 0 is only possible with a command that has {{port}} in it")]
    DxpPort(String),
    /// Pondering is asked of this engine and over Hub alone.
    #[error(
        "engine '{0}': ponder=on is for builtin and programs that speak Hub; over DXP a program decides itself"
    )]
    Ponder(String),
    /// Somebody else starts the program.
    #[error("engine '{0}': restart=on needs a program that the match starts: give cmd=...")]
    Restart(String),
    /// A sequential test needs two engines exactly.
    #[error("a sequential test compares two engines, {0} given")]
    SprtEngines(usize),
    /// The numbers of the sequential test.
    #[error(transparent)]
    Sprt(#[from] SprtError),
}

impl ConfigError {
    /// A value that is out of bounds.
    pub(super) fn bounds(
        what: &str,
        value: impl std::fmt::Display,
        expected: impl Into<String>,
    ) -> ConfigError {
        ConfigError::Bounds {
            what: what.to_owned(),
            value: value.to_string(),
            expected: expected.into(),
        }
    }
}
