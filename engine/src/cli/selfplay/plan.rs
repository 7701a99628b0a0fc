//! A run of self-play in parts as a Snakemake workflow.

use std::io::{self, Write};

use super::super::workflow::{Snakefile, python};
use super::SelfPlayArgs;

/// A part's file of games is not an output of its rule: Snakemake would delete it when the part is
/// interrupted, but the part continues from it.
const RULES: &str = r#"
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
    Snakefile {
        command: "selfplay --plan snakemake",
        example: "",
        out: &args.out,
        threads: args.threads as u32,
        constants: &[
            ("PARTS", &python(&args.parts)),
            ("FILE", &python(&format!("seed{}.games", args.run.seed))),
            ("OPTIONS", &python(&options(args))),
        ],
        rules: RULES,
    }
    .write(out)
}

/// The settings of all parts.
fn options(args: &SelfPlayArgs) -> Vec<String> {
    let (databases, relabel) = (args.databases.options(), &args.run.relabel);
    let mut options = vec![
        format!("--games={}", args.run.games),
        format!("--nodes={}", args.run.nodes),
        format!("--seed={}", args.run.seed),
        format!("--openings={}", args.run.openings()),
        format!("--egdb-pieces={}", databases.pieces),
    ];
    if !args.run.variant.is_international() {
        options.push(format!("--variant={}", args.run.variant));
    }
    if !relabel.relabel.is_empty() {
        options.push(format!("--disputed={}", relabel.disputed));
        options.push(format!("--exact={}", relabel.exact));
        options.extend(relabel.relabel.iter().map(|dir| format!("--relabel={}", dir.display())));
    }
    options.extend(databases.folders.iter().map(|dir| format!("--egdb={}", dir.display())));
    if !args.evaluation.name().is_empty() {
        options.push(format!("--eval={}", args.evaluation.name()));
    }
    options
}
