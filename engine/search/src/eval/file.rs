//! The file of an evaluation's weights; `docs/evaluation.md` has its layout to the byte.

use std::io;
use std::path::{Path, PathBuf};

use meerslag_files::frame::{self, Frame, FrameError};
use meerslag_files::{Existing, read_regular, write_file};
use movegen::Variant;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::kind::{EvalKind, OPENING_STEPS, Pair, UNITS};
use super::network::{self, Inputs, MAX_HIDDEN, Network, OUTPUTS};
use super::scalars;
use super::weights::{Provenance, Weights};

const FRAME: Frame = Frame { magic: b"MEERWGTS", version: 1, most_text: 1 << 16 };

#[derive(Serialize, Deserialize)]
struct WeightsHeader {
    #[serde(default, skip_serializing_if = "Variant::is_international")]
    variant: Variant,
    kind: String,
    /// Weights in a hundredth of a man.
    units: i32,
    /// Steps to promotion of all men for each value of a pair.
    phases: Vec<i32>,
    scalars: usize,
    tables: usize,
    entries: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    network: Option<WeightsShape>,
    #[serde(flatten)]
    provenance: Provenance,
}

/// The shape of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct WeightsShape {
    inputs: usize,
    /// Hidden sums of a side.
    hidden: usize,
    outputs: usize,
    /// The value of an output of 1, in units.
    unit: i32,
}

impl WeightsShape {
    /// Bytes of the weights: 32 bits for the bias of an output, 16 for all others.
    fn bytes(self) -> usize {
        let WeightsShape { inputs, hidden, outputs, .. } = self;
        2 * hidden * (inputs + 1 + 2 * outputs) + 4 * outputs
    }
}

impl WeightsHeader {
    fn of(
        (variant, kind): (Variant, EvalKind),
        network: Option<WeightsShape>,
        provenance: &Provenance,
    ) -> WeightsHeader {
        WeightsHeader {
            variant,
            kind: kind.name().to_owned(),
            units: UNITS,
            phases: vec![OPENING_STEPS, 0],
            scalars: scalars::COUNT,
            tables: kind.tables(),
            entries: kind.entries(),
            network,
            provenance: provenance.clone(),
        }
    }
}

/// Why weights cannot be used.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// Reading or writing fails.
    #[error("{path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// The file has no weights, or weights that this program does not understand.
    #[error("{path}: {reason}")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl Weights {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or is something else.
    pub fn read(path: &Path) -> Result<Weights, WeightsError> {
        let bytes = read_regular(path)
            .map_err(|error| WeightsError::Io { path: path.to_owned(), error })?;
        Weights::from_bytes(&bytes)
            .map_err(|reason| WeightsError::Unusable { path: path.to_owned(), reason })
    }

    /// Writes a file, in one step.
    ///
    /// # Errors
    /// If that fails, or a file of this name must be kept.
    pub fn write(&self, path: &Path, existing: Existing) -> Result<(), WeightsError> {
        write_file(path, &self.to_bytes(), existing)
            .map_err(|error| WeightsError::Io { path: path.to_owned(), error })
    }

    /// The kind of the weights.
    #[must_use]
    pub fn kind(&self) -> EvalKind {
        self.kind
    }

    /// Where they come from.
    #[must_use]
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The content of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let network = self.network.as_ref();
        let shape = network.map(|network| WeightsShape {
            inputs: network.inputs.count(),
            hidden: network.hidden,
            outputs: OUTPUTS,
            unit: network.unit,
        });
        let header = WeightsHeader::of((self.variant, self.kind), shape, &self.provenance);
        let json = serde_json::to_vec(&header).expect("nothing that JSON cannot hold");
        let mut bytes = FRAME.begin(&json);
        for pair in self.scalars.iter().chain(&self.patterns) {
            bytes.extend(pair.iter().flat_map(|weight| weight.to_le_bytes()));
        }
        if let Some(Network { rows, bias, outputs, output_bias, .. }) = network {
            let rows = rows.iter().flat_map(|line| &line.0);
            let weights = rows.chain(bias).chain(outputs);
            bytes.extend(weights.flat_map(|weight| weight.to_le_bytes()));
            bytes.extend(output_bias.iter().flat_map(|weight| weight.to_le_bytes()));
        }
        frame::seal(&mut bytes);
        bytes
    }

    /// Reads the content of a file; the error says what is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, String> {
        let (json, payload) = FRAME.open(bytes).map_err(|error| match error {
            FrameError::Foreign => "not a file of weights".to_owned(),
            error => error.to_string(),
        })?;
        let header: WeightsHeader =
            serde_json::from_slice(json).map_err(|error| format!("the header: {error}"))?;
        let kind = EvalKind::from_name(&header.kind)
            .ok_or_else(|| format!("weights of unknown kind '{}'", header.kind))?;
        let network = header.network.map(|shape| WeightsShape { outputs: OUTPUTS, ..shape });
        let expected = WeightsHeader::of((header.variant, kind), network, &header.provenance);
        let shape = |h: &WeightsHeader| {
            (h.units, h.phases.clone(), h.scalars, h.tables, h.entries, h.network)
        };
        if shape(&header) != shape(&expected) {
            return Err(format!(
                "{kind} weights of another version of the program: \
                 (unit, phases, scalars, tables, entries, network) {:?}, expected {:?}",
                shape(&header),
                shape(&expected)
            ));
        }
        let of_pairs = 4 * (scalars::COUNT + kind.tables() * kind.entries());
        let inputs = network.map(|WeightsShape { inputs, .. }| {
            Inputs::of_count(inputs)
                .ok_or_else(|| format!("a network of {inputs} inputs is unknown"))
        });
        let inputs = inputs.transpose()?;
        if network.is_some_and(|shape| shape.hidden > MAX_HIDDEN)
            || payload.len() != of_pairs + network.map_or(0, WeightsShape::bytes)
        {
            return Err(format!("{} bytes of weights do not fit the header", payload.len()));
        }
        let (pairs, rest) = payload.split_at(of_pairs);
        let pairs = pairs.as_chunks::<4>().0;
        let pair = |b: &[u8; 4]| -> Pair {
            [i16::from_le_bytes([b[0], b[1]]), i16::from_le_bytes([b[2], b[3]])]
        };
        let (scalars, patterns) = pairs.split_at(scalars::COUNT);
        Ok(Weights {
            variant: header.variant.rules(),
            kind,
            provenance: header.provenance,
            scalars: scalars.iter().map(pair).collect(),
            patterns: patterns.iter().map(pair).collect(),
            network: network.zip(inputs).map(|shape| read_network(shape, rest)).transpose()?,
        })
    }
}

/// The network of this shape; there are as many bytes as that needs.
fn read_network((shape, inputs): (WeightsShape, Inputs), bytes: &[u8]) -> Result<Network, String> {
    let WeightsShape { hidden, unit, .. } = shape;
    let (weights, output_bias) = bytes.split_at(bytes.len() - 4 * OUTPUTS);
    let mut weights = weights.as_chunks::<2>().0.iter().map(|bytes| i16::from_le_bytes(*bytes));
    let mut take = |count: usize| weights.by_ref().take(count).collect::<Vec<i16>>();
    let network = Network {
        inputs,
        hidden,
        unit,
        rows: network::lines(&take(inputs.count() * hidden)),
        bias: take(hidden),
        outputs: take(OUTPUTS * 2 * hidden),
        output_bias: output_bias
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| i32::from_le_bytes(*b))
            .collect(),
    };
    network.check()?;
    Ok(network)
}
