//! Walks through a protocol with somebody else's engine that list what it does wrong: help for
//! other authors.

mod dxp;
mod hub;
mod walk;
mod wire;

pub use dxp::check_dxp;
pub use hub::check_hub;

use meerslag_search::shortened;

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
    /// What was seen and what was expected.
    pub message: String,
}

/// What a walk has shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Check {
    /// Steps that were made, in order.
    pub steps: Vec<&'static str>,
    /// What was wrong.
    pub findings: Vec<Finding>,
}

impl Check {
    fn begin(&mut self, step: &'static str) {
        if !self.steps.contains(&step) {
            self.steps.push(step);
        }
    }

    fn find(&mut self, severity: Severity, step: &'static str, message: impl Into<String>) {
        let finding = Finding { severity, step, message: message.into() };
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }
}

/// The beginning of a line, made printable.
fn shown(text: &str) -> String {
    let short: String = shortened(text, 100).chars().flat_map(char::escape_default).collect();
    short.replace("\\\"", "\"").replace("\\'", "'")
}
