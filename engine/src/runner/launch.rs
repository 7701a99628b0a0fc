//! From the description of an engine to a player that is ready.

use std::sync::Arc;
use std::time::Duration;

use super::builtin::{BuiltIn, RandomMover};
use super::dxp::{DxpPlayer, DxpPlayerOptions};
use super::player::{Abort, FaultKind, Player, PlayerError, SlowStart};
use super::process::{HubClient, HubClientOptions, ProcessOptions};
use super::spec::{EngineSpec, Kind};
use crate::engine::EngineOptions;
use crate::eval::Evaluation;
use egdb::DatabaseOptions;
use egdb::error::with_causes;

/// Starts an engine and gets it ready.
pub(super) fn start(
    spec: &EngineSpec,
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
        Kind::Random => Ok(Box::new(RandomMover::new(random_seed(spec).map_err(fault)?))),
        Kind::Builtin => {
            let options = builtin_options(spec).map_err(fault)?;
            let player = BuiltIn::new(options, Arc::clone(abort));
            Ok(Box::new(player.map_err(|error| fault(with_causes(&error)))?))
        }
        Kind::Hub => {
            let options = HubClientOptions {
                process: process(),
                params: spec.params.clone().into_iter().collect(),
                start_patience: Duration::from_secs_f64(spec.start_seconds),
                stall_patience: Duration::from_secs_f64(spec.stall_seconds),
                margin,
                tail_only: spec.tail_only,
                ping: spec.ping,
            };
            Ok(Box::new(HubClient::start(options, Arc::clone(abort), slow)?))
        }
        Kind::Dxp => {
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
pub(super) fn check_params(spec: &EngineSpec) -> Result<(), String> {
    match spec.kind {
        Kind::Builtin => builtin_options(spec).map(|_| ()),
        Kind::Random => random_seed(spec).map(|_| ()),
        Kind::Hub => Ok(()),
        Kind::Dxp => match spec.params.keys().next() {
            Some(name) => {
                Err(format!("parameter {name}: a program cannot be given parameters over DXP"))
            }
            None => Ok(()),
        },
    }
}

fn random_seed(spec: &EngineSpec) -> Result<u64, String> {
    let mut seed = 1;
    for (name, value) in &spec.params {
        if name != "seed" {
            return Err(format!("unknown parameter {name}, expected seed"));
        }
        let error = || format!("parameter seed: bad value '{value}', expected a number");
        seed = value.parse().map_err(|_| error())?;
    }
    Ok(seed)
}

fn builtin_options(spec: &EngineSpec) -> Result<EngineOptions, String> {
    let mut options = EngineOptions { hash_mib: 16, ..EngineOptions::default() };
    for (name, value) in &spec.params {
        let error = || format!("parameter {name}: bad value '{value}'");
        match name.as_str() {
            "hash-mb" => options.hash_mib = value.parse().map_err(|_| error())?,
            "threads" => options.threads = value.parse().map_err(|_| error())?,
            "move-overhead" => {
                let seconds = value.parse().ok().filter(|s: &f64| (0.0..=60.0).contains(s));
                options.move_overhead = Duration::from_secs_f64(seconds.ok_or_else(error)?);
            }
            "bb-size" => {
                let pieces = value.parse().ok().filter(|&n| n <= DatabaseOptions::MAX_PIECES);
                options.databases.pieces = pieces.ok_or_else(error)?;
            }
            "bb-path" => options.databases.folders = DatabaseOptions::folder_list(value),
            "eval-file" => {
                options.evaluation = Evaluation::named(value).map_err(|error| error.to_string())?;
            }
            _ => {
                return Err(format!(
                    "unknown parameter {name}, expected hash-mb, threads, move-overhead, bb-size, bb-path or eval-file"
                ));
            }
        }
    }
    Ok(options)
}
