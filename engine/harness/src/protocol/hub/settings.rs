//! The part of an engine that a session shows, and that its client can change.

use std::error::Error;
use std::time::Duration;

use super::error::HubError;
use super::line::LineWriter;
use super::params::Params;
use meerslag_search::{Engine, EngineError, Thinker};
use movegen::Variant;

/// What a session shows about an engine: its name and its parameters.
pub trait Settings: Clone + Send + 'static {
    /// The engine with these settings.
    type Engine: Thinker + 'static;
    /// Why it cannot have them.
    type Error: Error + Send + 'static;
    /// The most variations that a client may ask for.
    const MAX_MULTIPV: i64 = 1;

    /// The line `id`.
    fn id(&self) -> String;

    /// The lines `param`, with the current values.
    fn declarations(&self) -> Vec<String>;

    /// Carries out a `set-param`. Unknown parameters are ignored, however they are given.
    ///
    /// # Errors
    /// If a known parameter gets no value or one that it cannot have; nothing is changed then.
    fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), HubError>;

    /// Whether an engine with these settings also fits the other ones.
    fn are_alike(&self, other: &Self) -> bool;

    /// Longest thinking time when `go think` comes without any limit.
    fn safety_time(&self) -> Duration;

    /// The game of the client's positions.
    fn variant(&self) -> Variant {
        Variant::International
    }

    /// Whether `info` lines have the chances of win, draw and loss.
    fn shows_wdl(&self) -> bool {
        false
    }

    /// Gives the settings to the engine, or makes one that has them.
    ///
    /// # Errors
    /// If that is not possible; an existing engine stays as it was.
    fn apply(&self, engine: &mut Option<Self::Engine>) -> Result<(), Self::Error>;

    /// Goes back to settings that may do after those that could not be applied; `applied` are the
    /// last that could. Whether they must be applied.
    fn fall_back(&mut self, applied: Option<&Self>, error: &Self::Error) -> bool;
}

impl Settings for Params {
    type Engine = Engine;
    type Error = EngineError;
    const MAX_MULTIPV: i64 = 50;

    fn id(&self) -> String {
        LineWriter::new("id")
            .arg("name", "Meerslag")
            .arg("version", env!("CARGO_PKG_VERSION"))
            .quoted("author", env!("CARGO_PKG_AUTHORS"))
            .finish()
    }

    fn declarations(&self) -> Vec<String> {
        Params::declarations(self)
    }

    fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), HubError> {
        match value {
            Some(value) => Params::set(self, name, value),
            None if self.is_known(name) => Err(HubError::IncompleteParam("value")),
            None => Ok(()),
        }
    }

    fn are_alike(&self, other: &Params) -> bool {
        self.engine_options() == other.engine_options()
    }

    fn safety_time(&self) -> Duration {
        self.safety_time
    }

    fn variant(&self) -> Variant {
        self.variant
    }

    fn shows_wdl(&self) -> bool {
        self.show_wdl
    }

    fn apply(&self, engine: &mut Option<Engine>) -> Result<(), EngineError> {
        match engine {
            Some(engine) => engine.set_options(self.engine_options()),
            None => {
                *engine = Some(Engine::new(self.engine_options())?);
                Ok(())
            }
        }
    }

    /// Back to what worked; without that, to the defaults. Folders without databases (as in
    /// configurations of other engines) leave everything else alone.
    fn fall_back(&mut self, applied: Option<&Params>, error: &EngineError) -> bool {
        let good = applied.cloned().unwrap_or_default();
        if matches!(error, EngineError::Databases { .. }) && self.bb_path != good.bb_path {
            self.bb_path = good.bb_path;
            return true;
        }
        let has_changed = *self != good;
        *self = good;
        applied.is_none() && has_changed
    }
}
