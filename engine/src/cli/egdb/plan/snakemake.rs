//! The plan as a Snakemake workflow.

use std::io::{self, Write};

use super::{Plan, quoted};

const HEAD: &str = "\
# Written by `meerslag egdb plan --format snakemake`. Run it with, for example,
#     snakemake --snakefile THIS_FILE --cores 8 --resources mem_mb=16000 --rerun-incomplete
# on one machine, or with an executor plugin of Snakemake on a cluster; the folder must be one that
# all machines see. Other settings: --config meerslag=/path/to/meerslag out=/shared/db threads=4

import shlex
";

const RULES: &str = r#"
MEERSLAG = shlex.quote(str(config.get("meerslag", "meerslag")))
OUT = str(config.get("out", DEFAULT_OUT))
TYPES = str(config.get("types", DEFAULT_TYPES))
THREADS = int(config.get("threads", DEFAULT_THREADS))
QUOTED_OUT = shlex.quote(OUT)


def of_pieces(pieces):
    return [name for name in SLICES if sum(map(int, name)) == pieces]


def work(names):
    return [f"{OUT}/work/{name}.raw" for name in names]


localrules: all


rule all:
    input:
        [f"{OUT}/work/packed-{pieces}" for pieces in PIECES],


rule build_slice:
    input:
        lambda wildcards: work(SLICES[wildcards.slice]["needs"]),
    output:
        f"{OUT}/work/{{slice}}.raw",
    wildcard_constraints:
        slice=r"\d{4}",
    threads: THREADS
    # Those that most others wait for come first.
    priority: lambda wildcards: SLICES[wildcards.slice]["priority"]
    resources:
        mem_mb=lambda wildcards: SLICES[wildcards.slice]["mem_mb"],
        runtime=lambda wildcards: SLICES[wildcards.slice]["minutes"],
    shell:
        "{MEERSLAG} egdb build-slice --slice {wildcards.slice} --out {QUOTED_OUT}"
        " --types {TYPES} --threads {threads} --memory {resources.mem_mb}MB"


rule pack:
    input:
        lambda wildcards: work(of_pieces(int(wildcards.pieces))),
    output:
        f"{OUT}/work/packed-{{pieces}}",
    wildcard_constraints:
        pieces=r"\d",
    threads: THREADS
    resources:
        mem_mb=PACK_MEM_MB,
    shell:
        "{MEERSLAG} egdb pack --pieces {wildcards.pieces} --out {QUOTED_OUT}"
        " --types {TYPES} --threads {threads} --memory {resources.mem_mb}MB"
"#;

/// Time asked for beyond the estimate, as a factor and in minutes: a cluster kills what takes
/// longer.
const SLACK: (f64, f64) = (3.0, 10.0);

pub(super) fn write(out: &mut impl Write, plan: &Plan) -> io::Result<()> {
    writeln!(out, "{HEAD}")?;
    writeln!(out, "DEFAULT_OUT = {}", quoted(&plan.out))?;
    writeln!(out, "DEFAULT_TYPES = {}", quoted(&plan.types))?;
    writeln!(out, "DEFAULT_THREADS = {}", plan.threads)?;
    writeln!(out, "PACK_MEM_MB = {}", megabytes(plan.pack_memory()))?;
    writeln!(out, "PIECES = range(2, {})", plan.pieces + 1)?;
    writeln!(out, "\n# Black men, black kings, white men, white kings.\nSLICES = {{")?;
    for (number, task) in plan.tasks.iter().enumerate() {
        let needs: Vec<String> = task.needs.iter().map(|slice| format!("\"{slice}\"")).collect();
        writeln!(
            out,
            "    \"{}\": {{\"mem_mb\": {}, \"minutes\": {}, \"priority\": {}, \"needs\": [{}]}},",
            task.slice,
            megabytes(plan.memory(task)),
            (task.seconds / 60.0 * SLACK.0 + SLACK.1).ceil(),
            plan.tasks.len() - number,
            needs.join(", ")
        )?;
    }
    write!(out, "}}\n{RULES}")
}

/// Snakemake counts in millions of bytes.
fn megabytes(bytes: u64) -> u64 {
    (bytes / 1_000_000).max(1)
}
