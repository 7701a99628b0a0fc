//! The state of a training between two epochs, or of a tuning between two steps.
//!
//! Only this program reads the file. It is a [frame](meerslag_files::frame) with a header in JSON,
//! then floats: for a training, the present values and those of the best epoch.

use std::io;
use std::path::{Path, PathBuf};

use meerslag_files::frame::{self, Frame};
use meerslag_files::{Existing, read_regular, write_file};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::learner::{Epoch, Learner, LearningState};

const FRAME: Frame = Frame { magic: b"MEERCKPT", version: 2, most_text: 1 << 24 };

/// The part of the file before the floats.
#[derive(Serialize, Deserialize)]
struct CheckpointHeader<S> {
    /// Data and settings.
    identity: String,
    #[serde(flatten)]
    state: S,
}

#[derive(Serialize, Deserialize)]
struct TrainingState {
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
pub(super) fn open<S: DeserializeOwned>(
    path: &Path,
    identity: &str,
) -> Result<Option<(S, Vec<u8>)>, CheckpointError> {
    let bytes = match read_regular(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(CheckpointError::Io { path: path.to_owned(), error }),
    };
    let (json, rest) = FRAME.open(&bytes).map_err(|_| damaged(path))?;
    let header: CheckpointHeader<S> = serde_json::from_slice(json).map_err(|_| damaged(path))?;
    if header.identity != identity {
        let reason = "the checkpoint of a training with other data or settings";
        return Err(CheckpointError::Unusable { path: path.to_owned(), reason });
    }
    Ok(Some((header.state, rest.to_vec())))
}

/// The error for a checkpoint whose contents make no sense.
pub(super) fn damaged(path: &Path) -> CheckpointError {
    let reason = "not a checkpoint, or a damaged one";
    CheckpointError::Unusable { path: path.to_owned(), reason }
}

/// Writes a checkpoint, replacing the last one.
pub(super) fn save<S: Serialize>(
    path: &Path,
    identity: &str,
    state: S,
    rest: impl IntoIterator<Item = u8>,
) -> Result<(), CheckpointError> {
    let header = CheckpointHeader { identity: identity.to_owned(), state };
    let json = serde_json::to_vec(&header).expect("nothing that JSON cannot hold");
    let mut bytes = FRAME.begin(&json);
    bytes.extend(rest);
    frame::seal(&mut bytes);
    write_file(path, &bytes, Existing::Replace)
        .map_err(|error| CheckpointError::Io { path: path.to_owned(), error })
}

/// Reads the checkpoint of a training; without one, gives the state at the start. `new` makes the
/// learner, with the scale of the checkpoint if there is one.
pub(super) fn read_or_new<L: Learner>(
    path: &Path,
    identity: &str,
    new: impl FnOnce(Option<f32>) -> L,
) -> Result<LearningState<L>, CheckpointError> {
    let Some((TrainingState { scale, epochs }, rest)) = open(path, identity)? else {
        let model = new(None);
        return Ok(LearningState { best: model.clone(), model, epochs: Vec::new() });
    };
    let (chunks, _) = rest.as_chunks::<4>();
    let floats: Vec<f32> = chunks.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    let mut model = new(Some(scale));
    let count = model.floats().len();
    if floats.len() != 2 * count {
        return Err(damaged(path));
    }
    let mut best = model.clone();
    model.restore(&floats[..count]);
    best.restore(&floats[count..]);
    Ok(LearningState { model, best, epochs })
}

/// Writes the checkpoint of a training.
pub(super) fn write<L: Learner>(
    path: &Path,
    identity: &str,
    state: &LearningState<L>,
) -> Result<(), CheckpointError> {
    let header = TrainingState { scale: state.model.scale(), epochs: state.epochs.clone() };
    let floats = [&state.model, &state.best].into_iter().flat_map(Learner::floats);
    save(path, identity, header, floats.into_iter().flat_map(f32::to_le_bytes))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::super::model::Model;
    use super::*;
    use meerslag_search::eval::EvalKind;
    use movegen::Variant;

    #[test]
    fn every_number_comes_back_to_its_last_bit() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("checkpoint");
        let epochs: Vec<Epoch> = (1..=1000u32)
            .map(|n| {
                let loss = f64::from(n).sqrt() / 7.0;
                Epoch {
                    training: loss,
                    held_out: loss / 3.0,
                    phases: [loss; 3],
                    positions: n.into(),
                }
            })
            .collect();
        let model = Model::new(Variant::Losing, EvalKind::Material, 121.7);
        let state = LearningState { best: model.clone(), model, epochs };
        write(&path, "identity", &state).unwrap();
        let new =
            |scale: Option<f32>| Model::new(Variant::Losing, EvalKind::Material, scale.unwrap());
        let again: LearningState<Model> = read_or_new(&path, "identity", new).unwrap();
        assert_eq!(again.epochs, state.epochs);
        assert_eq!(again.model.scale().to_bits(), state.model.scale().to_bits());
        assert_eq!(again.model.floats(), state.model.floats());
    }
}
