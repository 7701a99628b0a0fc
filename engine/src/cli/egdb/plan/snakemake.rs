//! The plan as a Snakemake workflow.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use ::egdb::Slice;
use egdb_build::builder::written_name;
use egdb_build::plan::{Costs, Packing, Task, packings};
use serde::Serialize;

use super::super::super::workflow::{Snakefile, python};

const RULES: &str = r#"
TYPES = str(config.get("types", DEFAULT_TYPES))


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
        "{MEERSLAG} egdb build-slice --slice {wildcards.slice} --out {FOLDER}"
        " --types {TYPES} --threads {threads} --memory {resources.mem_mb}MB"


rule pack:
    input:
        lambda wildcards: work(PACKS[wildcards.name]["needs"]),
    output:
        f"{OUT}/work/packed-{{name}}",
    wildcard_constraints:
        name=r"\d|\d{4}",
    threads: THREADS
    priority: lambda wildcards: PACKS[wildcards.name]["priority"]
    params:
        what=lambda wildcards: "slice" if len(wildcards.name) == 4 else "pieces",
    resources:
        mem_mb=lambda wildcards: PACKS[wildcards.name]["mem_mb"],
        runtime=lambda wildcards: PACKS[wildcards.name]["minutes"],
    shell:
        "{MEERSLAG} egdb pack --{params.what} {wildcards.name} --out {FOLDER}"
        " --types {TYPES} --threads {threads} --memory {resources.mem_mb}MB"
"#;

/// Time requested beyond the estimate, as a factor and in minutes: a cluster kills jobs that take
/// longer.
const SLACK: (f64, f64) = (3.0, 10.0);

/// A slice to solve, or files to write.
#[derive(Serialize)]
struct WorkflowStep {
    /// Snakemake counts in millions of bytes.
    mem_mb: u64,
    minutes: u64,
    /// Greater ones come first.
    priority: usize,
    /// The slices that must be solved before.
    needs: Vec<String>,
}

impl WorkflowStep {
    fn new<'a>(
        bytes: u64,
        seconds: f64,
        priority: usize,
        needs: impl Iterator<Item = &'a Slice>,
    ) -> WorkflowStep {
        WorkflowStep {
            mem_mb: (bytes / 1_000_000).max(1),
            minutes: (seconds / 60.0 * SLACK.0 + SLACK.1).ceil() as u64,
            priority,
            needs: needs.map(Slice::to_string).collect(),
        }
    }
}

pub(super) fn write(
    out: &mut impl Write,
    tasks: &[Task],
    costs: &Costs,
    folder: &Path,
) -> io::Result<()> {
    let slice = |(number, task): (usize, &Task)| {
        let (bytes, priority) = (task.request(costs.limit), tasks.len() - number);
        (
            task.slice.to_string(),
            WorkflowStep::new(bytes, task.seconds, priority, task.needs.iter()),
        )
    };
    let pack = |packing: Packing<'_>| {
        let seconds = packing.tasks.iter().map(|task| task.seconds).sum();
        let needs = packing.tasks.iter().map(|task| &task.slice);
        // So that work files can go.
        let step = WorkflowStep::new(packing.request(costs.limit), seconds, 1000, needs);
        (packing.name, step)
    };
    let slices: BTreeMap<String, WorkflowStep> = tasks.iter().enumerate().map(slice).collect();
    let packs: BTreeMap<String, WorkflowStep> =
        packings(tasks, &costs.types).into_iter().map(pack).collect();
    let types: Vec<&str> = costs.types.iter().map(|it| written_name(*it)).collect();
    Snakefile {
        command: "egdb plan --format snakemake",
        example: " --resources mem_mb=16000",
        out: folder,
        threads: costs.threads,
        constants: &[
            ("DEFAULT_TYPES", &python(&types.join(","))),
            ("# Black men, black kings, white men, white kings.\nSLICES", &python(&slices)),
            ("# By piece count, or by slice.\nPACKS", &python(&packs)),
        ],
        rules: RULES,
    }
    .write(out)
}
