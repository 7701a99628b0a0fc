//! From the description of an engine to a player that is ready.

use std::sync::Arc;
use std::time::Duration;

use egdb::error::with_causes;

use super::builtin::{BuiltIn, RandomMover};
use super::dxp::{DxpPlayer, DxpPlayerOptions};
use super::player::{Abort, FaultKind, Player, PlayerError, SlowStart};
use super::process::{HubClient, HubClientOptions, ProcessOptions};
use super::spec::{EngineKind, EngineSpec};
use crate::options::EngineOptions;
use crate::protocol::hub::{HubError, Params};

/// Starts an engine and gets it ready. `wishes` are parameters for engines that have them and are
/// not given others.
pub(crate) fn start(
    spec: &EngineSpec,
    wishes: &[(&str, &str)],
    margin: Duration,
    slot: usize,
    cpus: &[usize],
    abort: &Arc<Abort>,
    slow: SlowStart<'_>,
) -> Result<Box<dyn Player>, PlayerError> {
    let fault =
        |message: String| PlayerError::Fault { kind: FaultKind::Start, message, tail: Vec::new() };
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
                params: spec.params.clone().into_iter().collect(),
                wishes: wishes.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
                start_patience: Duration::from_secs_f64(spec.start_seconds),
                stall_patience: Duration::from_secs_f64(spec.stall_seconds),
                margin,
                tail_only: spec.tail_only,
                ping: spec.ping,
            };
            Ok(Box::new(HubClient::start(options, Arc::clone(abort), slow)?))
        }
        EngineKind::Dxp => {
            let dxp = spec.dxp.as_ref().ok_or_else(|| fault("no address".to_owned()))?;
            // Several games at the same time either have as many addresses, or all port 0.
            let address = dxp.addresses.get(slot).or(dxp.addresses.first());
            let options = DxpPlayerOptions {
                listen: dxp.listen,
                address: address.cloned().ok_or_else(|| fault("no address".to_owned()))?,
                process: (!spec.command.is_empty()).then(process),
                gap: Duration::from_millis(dxp.gap_ms),
                log: dxp.log.clone(),
                start_patience: Duration::from_secs_f64(spec.start_seconds),
                stall_patience: Duration::from_secs_f64(spec.stall_seconds),
            };
            Ok(Box::new(DxpPlayer::start(options, Arc::clone(abort), slow)?))
        }
    }
}

/// Looks for unknown parameters and bad values of engines within this process. Hub engines declare
/// theirs when they start; DXP has none.
pub(super) fn check_params(spec: &EngineSpec) -> Result<(), HubError> {
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

/// The parameters are those of Hub. Three of them have other defaults: a match holds many engines at
/// once, and there is no pipe between them and the clock.
fn builtin_options(spec: &EngineSpec) -> Result<EngineOptions, HubError> {
    let move_overhead = EngineOptions::default().move_overhead.as_secs_f64();
    // Two engines with a book have the same one, and ballots are meant to be played out: a player
    // has a book only if it is given one.
    let book = spec.has_book_params();
    let mut params = Params { hash_mb: 16, move_overhead, book, ..Params::default() };
    for (name, value) in &spec.params {
        params.set_exactly(name, value)?;
    }
    Ok(params.engine_options())
}
