//! The state of a training between two epochs.
//!
//! A file of this program for itself: the magic bytes, the length of a JSON header, the header,
//! the parameters of the model and of its best epoch as 32-bit floats, and the CRC-32 of all this;
//! numbers are little-endian.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use egdb::storage::{Existing, write_file};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::model::{Model, Parameter};
use super::train::{Epoch, State};
use crate::eval::EvalKind;

const MAGIC: &[u8; 8] = b"MEERCKP1";
/// Floats of a parameter.
const FLOATS: usize = 5;

#[derive(Serialize, Deserialize)]
struct Header {
    /// Data and settings.
    identity: String,
    scale: f32,
    epochs: Vec<Epoch>,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// Reading or writing fails.
    #[error("{path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// The checkpoint of a training with other data or settings, or no checkpoint.
    #[error("{path} is {reason}; remove it to train from the start")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What it is.
        reason: &'static str,
    },
}

/// Reads a checkpoint; `None` if there is none.
pub(super) fn read(
    path: &Path,
    identity: &str,
    kind: EvalKind,
) -> Result<Option<State>, CheckpointError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(CheckpointError::Io { path: path.to_owned(), error }),
    };
    let unusable = |reason| CheckpointError::Unusable { path: path.to_owned(), reason };
    let damaged = || unusable("no checkpoint, or a damaged one");
    let end = bytes.len().checked_sub(4).ok_or_else(damaged)?;
    if crc32fast::hash(&bytes[..end]).to_le_bytes() != bytes[end..] || !bytes.starts_with(MAGIC) {
        return Err(damaged());
    }
    let rest = &bytes[MAGIC.len()..end];
    let (length, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let (json, rest) =
        rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(damaged)?;
    let header: Header = serde_json::from_slice(json).map_err(|_| damaged())?;
    if header.identity != identity {
        return Err(unusable("the checkpoint of a training with other data or settings"));
    }
    let (chunks, _) = rest.as_chunks::<4>();
    let floats: Vec<f32> = chunks.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    let mut model = Model::new(kind, header.scale);
    let count = model.parameters.len();
    if floats.len() != 2 * FLOATS * count {
        return Err(damaged());
    }
    let mut best = model.clone();
    let (first, second) = floats.split_at(FLOATS * count);
    for (model, floats) in [(&mut model, first), (&mut best, second)] {
        for (parameter, f) in model.parameters.iter_mut().zip(floats.chunks(FLOATS)) {
            *parameter = Parameter { value: [f[0], f[1]], squares: [f[2], f[3]], seen: f[4] };
        }
    }
    Ok(Some(State { model, best, epochs: header.epochs }))
}

/// Writes a checkpoint in place of the one before.
pub(super) fn write(path: &Path, identity: &str, state: &State) -> Result<(), CheckpointError> {
    let header = Header {
        identity: identity.to_owned(),
        scale: state.model.scale,
        epochs: state.epochs.clone(),
    };
    let json = serde_json::to_vec(&header).expect("nothing that JSON cannot hold");
    let mut bytes = MAGIC.to_vec();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json);
    for parameter in state.model.parameters.iter().chain(&state.best.parameters) {
        let Parameter { value, squares, seen } = *parameter;
        let floats = [value[0], value[1], squares[0], squares[1], seen];
        bytes.extend(floats.iter().flat_map(|float| float.to_le_bytes()));
    }
    let sum = crc32fast::hash(&bytes);
    bytes.extend(sum.to_le_bytes());
    write_file(path, &bytes, Existing::Replace)
        .map_err(|error| CheckpointError::Io { path: path.to_owned(), error })
}
