//! Which evaluation a command uses.

use std::path::Path;

use clap::Args;
use meerslag_search::eval::Evaluation;
use movegen::Variant;

use super::Failure;
use super::files::Named;

/// The evaluation of commands that search.
#[derive(Args, Clone, Debug)]
pub(super) struct EvaluationArgs {
    /// A file with the weights of an evaluation, or the word material; without it the program's own
    #[arg(long = "eval", value_name = "FILE", default_value = "", hide_default_value = true)]
    evaluation: String,
}

impl EvaluationArgs {
    /// The name as it was given; empty for the evaluation of the program.
    #[cfg(feature = "training")]
    pub(super) fn name(&self) -> &str {
        &self.evaluation
    }

    /// The file, if it is a file, as the option names it.
    pub(super) fn file(&self) -> Named<'_> {
        let is_file = !matches!(self.evaluation.as_str(), "" | "material");
        ("--eval", is_file.then_some(Path::new(&self.evaluation)))
    }

    /// Reads the weights, which must be of this game.
    pub(super) fn read(&self, variant: Variant) -> Result<Evaluation, Failure> {
        Evaluation::named(&self.evaluation, variant).map_err(Failure::input)
    }
}
