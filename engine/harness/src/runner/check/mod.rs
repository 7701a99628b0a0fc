//! Walks through a protocol with somebody else's engine and lists its faults: help for other
//! authors.

mod dxp;
mod hub;

use std::fmt::Display;

use movegen::json::Record;
use schemars::JsonSchema;
use serde::Serialize;

use crate::protocol::escaped_excerpt;
pub use dxp::check_dxp;
pub use hub::check_hub;

/// How serious a finding is, and how good a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepVerdict {
    /// Nothing is wrong.
    Ok,
    /// Some program is known to fail, or the advice of the protocol is not followed.
    Warning,
    /// Programs that drive engines will fail.
    Wrong,
}

/// A step of a walk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct CheckedStep {
    /// What is tried.
    pub step: &'static str,
    /// The most serious finding.
    pub verdict: StepVerdict,
    /// The behaviour seen and the one expected, wherever they differ.
    pub findings: Vec<String>,
}

impl Record for CheckedStep {
    const TYPE: &'static str = "protocol_step";
}

/// The result of a walk.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "ProtocolSummary")]
pub struct Check {
    /// Steps that were made, in order.
    #[serde(skip)]
    pub steps: Vec<CheckedStep>,
    /// Findings that are wrong.
    pub errors: usize,
    /// Other findings.
    pub warnings: usize,
    /// The number of the step that is being made.
    #[serde(skip)]
    at: usize,
}

impl Record for Check {
    const TYPE: &'static str = "protocol_summary";
}

impl Check {
    fn begin(&mut self, step: &'static str) {
        let known = self.steps.iter().position(|known| known.step == step);
        self.at = known.unwrap_or(self.steps.len());
        if known.is_none() {
            self.steps.push(CheckedStep { step, verdict: StepVerdict::Ok, findings: Vec::new() });
        }
    }

    fn find(&mut self, verdict: StepVerdict, finding: String) {
        let Some(step) = self.steps.get_mut(self.at) else { return };
        if step.findings.contains(&finding) {
            return;
        }
        step.verdict = step.verdict.max(verdict);
        step.findings.push(finding);
        let count =
            if verdict == StepVerdict::Wrong { &mut self.errors } else { &mut self.warnings };
        *count += 1;
    }

    fn error(&mut self, message: impl Into<String>) {
        self.find(StepVerdict::Wrong, message.into());
    }

    fn warn(&mut self, message: impl Into<String>) {
        self.find(StepVerdict::Warning, message.into());
    }

    /// An error in a line or message of the engine.
    fn wrong(&mut self, text: &str, what: impl Display) {
        self.error(format!("'{}': {what}", shown(text)));
    }

    /// A warning about a line or message of the engine.
    fn odd(&mut self, text: &str, what: impl Display) {
        self.warn(format!("'{}': {what}", shown(text)));
    }
}

/// The beginning of a line, made printable.
fn shown(text: &str) -> String {
    escaped_excerpt(text, 100)
}
