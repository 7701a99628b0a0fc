//! From the description of an engine to a player that is ready.

use std::sync::Arc;
use std::time::Duration;

use meerslag_files::with_causes;

use crate::protocol::hub::{HubError, Params};
use crate::runner::config::error::ConfigError;
use crate::runner::config::spec::{EngineKind, EngineSpec};
use crate::runner::player::builtin::{BuiltIn, RandomMover};
use crate::runner::player::dxp::{DxpPlayer, DxpPlayerOptions};
use crate::runner::player::process::{HubClient, HubClientOptions, ProcessOptions};
use crate::runner::player::transcript::Transcript;
use crate::runner::player::{Abort, FaultKind, Player, PlayerError, SlowStart};
use meerslag_search::EngineOptions;

/// Where an engine runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GameSlot<'a> {
    /// Which of the games at the same time it plays, from 0.
    pub slot: usize,
    /// Its processors; empty for all.
    pub cpus: &'a [usize],
    /// The log of messages.
    pub transcript: &'a Transcript,
}

/// Starts an engine and gets it ready. `wishes` are parameters for engines that have them and are
/// not given others.
pub(crate) fn start(
    spec: &EngineSpec,
    wishes: &[(&str, &str)],
    margin: Duration,
    game_slot: GameSlot<'_>,
    abort: &Arc<Abort>,
    slow: SlowStart<'_>,
) -> Result<Box<dyn Player>, PlayerError> {
    let GameSlot { slot, cpus, transcript } = game_slot;
    let fault = |message: String| PlayerError::fault(FaultKind::Start, message);
    let process = || ProcessOptions {
        command: spec.command.clone(),
        dir: spec.dir.clone(),
        env: spec.env.clone().into_iter().collect(),
        cpus: cpus.to_vec(),
    };
    match spec.kind {
        EngineKind::Random => {
            Ok(Box::new(RandomMover::new(random_seed(spec).map_err(|e| fault(e.to_string()))?)))
        }
        EngineKind::Builtin => {
            let options = builtin_options(spec).map_err(|e| fault(e.to_string()))?;
            let player = BuiltIn::new(options, Arc::clone(abort));
            Ok(Box::new(player.map_err(|error| fault(with_causes(&error)))?))
        }
        EngineKind::Hub => {
            let options = HubClientOptions {
                process: process(),
                params: spec.ordered_params(),
                wishes: wishes.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
                start_patience: spec.start_patience,
                stall_patience: spec.stall_patience,
                margin,
                tail_only: spec.tail_only,
                ping: spec.ping,
                ponder: spec.ponder,
                is_patient: false,
            };
            let log = transcript.log(&spec.name);
            Ok(Box::new(HubClient::start(options, &log, Arc::clone(abort), slow)?))
        }
        EngineKind::Dxp => {
            let dxp = spec.dxp.as_ref().ok_or_else(|| fault("no address".to_owned()))?;
            // Several games at the same time either have as many addresses, or all port 0.
            let address = dxp.addresses.get(slot).or(dxp.addresses.first());
            let options = DxpPlayerOptions {
                listen: dxp.listen,
                address: address.cloned().ok_or_else(|| fault("no address".to_owned()))?,
                process: (!spec.command.is_empty()).then(process),
                gap: dxp.gap,
                log: dxp.log.clone(),
                start_patience: spec.start_patience,
                stall_patience: spec.stall_patience,
            };
            let log = transcript.log(&spec.name);
            let output = transcript.log(&format!("{} (output)", spec.name));
            Ok(Box::new(DxpPlayer::start(options, log, output, Arc::clone(abort), slow)?))
        }
    }
}

impl EngineSpec {
    /// Checks what the types do not ensure: parameters, and options that exclude each other.
    ///
    /// # Errors
    /// If something is wrong; names the engine.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_form()?;
        check_params(self)
            .map_err(|error| ConfigError::Parameter { name: self.name.clone(), error })
    }

    /// As [`EngineSpec::check`] without the parameters: their files need not be there.
    pub(in crate::runner) fn check_form(&self) -> Result<(), ConfigError> {
        let fail = |why: &str| Err(ConfigError::engine(&self.name, why));
        if self.ponder && !matches!(self.kind, EngineKind::Hub | EngineKind::Builtin) {
            return fail(
                "ponder=on is for builtin and programs that speak Hub; over DXP a program decides itself",
            );
        }
        if self.restart && self.kind == EngineKind::Dxp && self.command.is_empty() {
            return fail("restart=on needs a program that the match starts: give cmd=...");
        }
        let has_port = self.command.iter().any(|word| word.contains("{port}"));
        let addresses = self.dxp.iter().flat_map(|dxp| &dxp.addresses);
        if !has_port && addresses.into_iter().any(|address| address.port == 0) {
            return fail("port 0 is only possible with a command that has {port} in it");
        }
        if matches!(self.kind, EngineKind::Builtin | EngineKind::Random) {
            let given = [
                ("cmd", !self.command.is_empty()),
                ("dir", self.dir.is_some()),
                ("env.NAME", !self.env.is_empty()),
            ];
            if let Some((what, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
                return fail(&format!("it runs within the runner: it has no {what}"));
            }
        }
        Ok(())
    }
}

/// Looks for unknown parameters and bad values of engines within this process. Hub engines declare
/// theirs when they start; DXP has none.
fn check_params(spec: &EngineSpec) -> Result<(), HubError> {
    match spec.kind {
        EngineKind::Builtin => builtin_options(spec).map(|_| ()),
        EngineKind::Random => random_seed(spec).map(|_| ()),
        EngineKind::Hub => Ok(()),
        EngineKind::Dxp => match spec.params.keys().next() {
            Some(name) => Err(unknown(name, "none: DXP cannot set parameters")),
            None => Ok(()),
        },
    }
}

fn unknown(name: &str, names: &str) -> HubError {
    HubError::UnknownParam { name: name.to_owned(), names: names.to_owned() }
}

fn random_seed(spec: &EngineSpec) -> Result<u64, HubError> {
    let mut seed = 1;
    for (name, value) in &spec.params {
        if name != "seed" {
            return Err(unknown(name, "seed"));
        }
        let bad = |_| HubError::bad_value(name, value, "a number");
        seed = value.parse().map_err(bad)?;
    }
    Ok(seed)
}

/// The Hub parameters, three with other defaults: a match has many engines at once, and no pipe
/// between them and the clock.
fn builtin_options(spec: &EngineSpec) -> Result<EngineOptions, HubError> {
    let move_overhead = EngineOptions::default().move_overhead;
    // Two engines with a book have the same one, and ballots are meant to be played out: a player
    // has a book only if it is given one.
    let book = spec.has_book_params();
    let mut params =
        Params { hash_mb: 16, move_overhead, book, ponder: spec.ponder, ..Params::default() };
    for (name, value) in spec.ordered_params() {
        params.set_exactly(&name, &value)?;
    }
    Ok(params.engine_options())
}
