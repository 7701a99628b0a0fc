//! A run of self-play in parts as a Snakemake workflow.

use std::io::{self, Write};

use super::super::workflow::quoted;
use super::SelfPlayArgs;

const HEAD: &str = "\
# Written by `meerslag selfplay --plan snakemake`. Run it with, for example,
#     snakemake --snakefile THIS_FILE --cores 8 --rerun-incomplete
# on one machine, or with an executor plugin of Snakemake on a cluster; the folder must be one that
# all machines see, and the program must be the same on all. Other settings:
# --config meerslag=/path/to/meerslag out=/shared/games threads=4

import shlex
";

/// A part's file of games is not an output of its rule: Snakemake would delete it when the part is
/// interrupted, but the part continues from it.
const RULES: &str = r#"
MEERSLAG = shlex.quote(str(config.get("meerslag", "meerslag")))
OUT = str(config.get("out", DEFAULT_OUT))
THREADS = int(config.get("threads", DEFAULT_THREADS))
FOLDER = shlex.quote(OUT)
PART_FOLDER = shlex.quote(f"{OUT}/parts")
SETTINGS = shlex.join(OPTIONS)


localrules: all


rule all:
    input:
        f"{OUT}/{FILE}",


rule play:
    output:
        touch(f"{OUT}/parts/{{part}}.done"),
    wildcard_constraints:
        part=r"\d+",
    threads: THREADS
    shell:
        "{MEERSLAG} selfplay --out {PART_FOLDER} --shard {wildcards.part}/{PARTS}"
        " --threads {threads} {SETTINGS}"


rule merge:
    input:
        [f"{OUT}/parts/{part}.done" for part in range(1, PARTS + 1)],
    output:
        f"{OUT}/{FILE}",
    shell:
        "{MEERSLAG} data merge --out {FOLDER} {PART_FOLDER}"
"#;

pub(super) fn write(out: &mut impl Write, args: &SelfPlayArgs) -> io::Result<()> {
    writeln!(out, "{HEAD}")?;
    writeln!(out, "DEFAULT_OUT = {}", quoted(&args.out.display().to_string()))?;
    writeln!(out, "DEFAULT_THREADS = {}", args.threads)?;
    writeln!(out, "PARTS = {}", args.parts)?;
    writeln!(out, "FILE = {}", quoted(&format!("seed{}.games", args.run.seed)))?;
    writeln!(out, "OPTIONS = [")?;
    for option in options(args) {
        writeln!(out, "    {},", quoted(&option))?;
    }
    write!(out, "]\n{RULES}")
}

/// The settings of all parts.
fn options(args: &SelfPlayArgs) -> Vec<String> {
    let databases = args.databases.options();
    let mut options = vec![
        format!("--games={}", args.run.games),
        format!("--nodes={}", args.run.nodes),
        format!("--seed={}", args.run.seed),
        format!("--openings={}", args.run.openings),
        format!("--egdb-pieces={}", databases.pieces),
        format!("--egdb-cache={}", databases.cache_mib),
    ];
    options.extend(databases.folders.iter().map(|dir| format!("--egdb={}", dir.display())));
    if !args.evaluation.name().is_empty() {
        options.push(format!("--eval={}", args.evaluation.name()));
    }
    options
}
