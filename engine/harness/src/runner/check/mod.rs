//! Walks through a protocol with somebody else's engine and lists its faults: help for other
//! authors.

mod dxp;
mod hub;

use std::fmt::Display;

use crate::protocol::escaped_excerpt;
pub use dxp::check_dxp;
pub use hub::check_hub;

/// How serious a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Programs that drive engines will fail.
    Error,
    /// Some program is known to fail, or the advice of the protocol is not followed.
    Warning,
}

/// Something that an engine does wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// How serious it is.
    pub severity: Severity,
    /// Which step of the walk.
    pub step: &'static str,
    /// The behaviour seen and the one expected.
    pub message: String,
}

/// The result of a walk.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Check {
    /// Steps that were made, in order.
    pub steps: Vec<&'static str>,
    /// The faults.
    pub findings: Vec<Finding>,
    /// The step that is being made.
    step: &'static str,
}

impl Check {
    fn begin(&mut self, step: &'static str) {
        self.step = step;
        if !self.steps.contains(&step) {
            self.steps.push(step);
        }
    }

    fn find(&mut self, severity: Severity, message: String) {
        let finding = Finding { severity, step: self.step, message };
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    fn error(&mut self, message: impl Into<String>) {
        self.find(Severity::Error, message.into());
    }

    fn warn(&mut self, message: impl Into<String>) {
        self.find(Severity::Warning, message.into());
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
