//! Workflows for Snakemake, which commands write.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

/// A workflow: what is common to all, then its own constants and rules.
pub(super) struct Snakefile<'a> {
    /// The command that writes it.
    pub(super) command: &'a str,
    /// Further options for Snakemake, as an example.
    pub(super) example: &'a str,
    /// The folder of the results: `OUT` in the rules, and quoted for a shell `FOLDER`.
    pub(super) out: &'a Path,
    /// Threads of a step: `THREADS` in the rules.
    pub(super) threads: u32,
    /// Names and values that the rules use.
    pub(super) constants: &'a [(&'a str, &'a str)],
    /// In Snakemake's language. `MEERSLAG` is the program, quoted for a shell.
    pub(super) rules: &'a str,
}

const HEAD: &str = r#"# on one machine, or with an executor plugin of Snakemake on a cluster; the folder must be one that
# all machines see, and the program must be the same on all. Other settings:
# --config meerslag=/path/to/meerslag out=/shared/folder threads=4

import shlex
"#;

const SETTINGS: &str = r#"
MEERSLAG = shlex.quote(str(config.get("meerslag", "meerslag")))
OUT = str(config.get("out", DEFAULT_OUT))
FOLDER = shlex.quote(OUT)
THREADS = int(config.get("threads", DEFAULT_THREADS))
"#;

impl Snakefile<'_> {
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "# Written by `meerslag {}`. Run it with, for example,", self.command)?;
        writeln!(
            out,
            "#     snakemake --snakefile THIS_FILE --cores 8{} --rerun-incomplete",
            self.example
        )?;
        writeln!(out, "{HEAD}")?;
        writeln!(out, "DEFAULT_OUT = {}", python(&self.out.display().to_string()))?;
        writeln!(out, "DEFAULT_THREADS = {}", self.threads)?;
        for (name, value) in self.constants {
            writeln!(out, "{name} = {value}")?;
        }
        write!(out, "{SETTINGS}{}", self.rules)
    }
}

/// A value of strings, numbers, lists and maps as Python reads it, which is as JSON has it.
pub(super) fn python(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_are_escaped() {
        assert_eq!(python(&"a \"b\" c\\d"), "\"a \\\"b\\\" c\\\\d\"");
    }
}
