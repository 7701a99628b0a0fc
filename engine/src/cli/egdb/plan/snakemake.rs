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


def work(names):
    return [f"{OUT}/work/{name}.raw" for name in names]


localrules: all


rule all:
    input:
        [f"{OUT}/work/packed-{name}" for name in PACKS],


rule build_slice:
    input:
        lambda wildcards: work(SLICES[wildcards.slice]["needs"]),
    output:
        # Goes when nothing needs it any more.
        temp(f"{OUT}/work/{{slice}}.raw"),
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
        lambda wildcards: work(PACKS[wildcards.name]["slices"]),
    output:
        f"{OUT}/work/packed-{{name}}",
    wildcard_constraints:
        name=r"\d|\d{4}",
    threads: THREADS
    # So that work files can go.
    priority: 1000
    params:
        what=lambda wildcards: "slice" if len(wildcards.name) == 4 else "pieces",
    resources:
        mem_mb=lambda wildcards: PACKS[wildcards.name]["mem_mb"],
        runtime=lambda wildcards: PACKS[wildcards.name]["minutes"],
    shell:
        "{MEERSLAG} egdb pack --{params.what} {wildcards.name} --out {QUOTED_OUT}"
        " --types {TYPES} --threads {threads} --memory {resources.mem_mb}MB"
"#;

/// Time requested beyond the estimate, as a factor and in minutes: a cluster kills jobs that take
/// longer.
const SLACK: (f64, f64) = (3.0, 10.0);

pub(super) fn write(out: &mut impl Write, plan: &Plan) -> io::Result<()> {
    writeln!(out, "{HEAD}")?;
    writeln!(out, "DEFAULT_OUT = {}", quoted(&plan.out))?;
    writeln!(out, "DEFAULT_TYPES = {}", quoted(&plan.types))?;
    writeln!(out, "DEFAULT_THREADS = {}", plan.threads)?;
    writeln!(out, "\n# Black men, black kings, white men, white kings.\nSLICES = {{")?;
    for (number, task) in plan.tasks.iter().enumerate() {
        let needs: Vec<String> = task.needs.iter().map(|slice| format!("\"{slice}\"")).collect();
        writeln!(
            out,
            "    \"{}\": {{\"mem_mb\": {}, \"minutes\": {}, \"priority\": {}, \"needs\": [{}]}},",
            task.slice,
            megabytes(plan.memory(task)),
            minutes(task.seconds),
            plan.tasks.len() - number,
            needs.join(", ")
        )?;
    }
    writeln!(out, "}}\n\n# By piece count, or by slice.\nPACKS = {{")?;
    for pack in plan.packs() {
        let [_, name] = pack.arguments();
        let slices: Vec<String> =
            pack.tasks.iter().map(|task| format!("\"{}\"", task.slice)).collect();
        writeln!(
            out,
            "    \"{name}\": {{\"mem_mb\": {}, \"minutes\": {}, \"slices\": [{}]}},",
            megabytes(plan.pack_memory(&pack)),
            minutes(pack.tasks.iter().map(|task| task.seconds).sum()),
            slices.join(", ")
        )?;
    }
    write!(out, "}}\n{RULES}")
}

fn minutes(seconds: f64) -> f64 {
    (seconds / 60.0 * SLACK.0 + SLACK.1).ceil()
}

/// Snakemake counts in millions of bytes.
fn megabytes(bytes: u64) -> u64 {
    (bytes / 1_000_000).max(1)
}
