//! The plan as a job definition file of HyperQueue.

use std::io::{self, Write};

use super::{MIB, Plan, quoted};

pub(super) fn write(out: &mut impl Write, plan: &Plan) -> io::Result<()> {
    writeln!(
        out,
        "# Written by `meerslag egdb plan --format hyperqueue`. Submit it with\n\
         #     hq job submit-file THIS_FILE\n\
         # The folder must be one that all workers see, and meerslag in their PATH. Times are\n\
         # estimates; a worker without enough time left is not given the task.\n\
         name = \"meerslag-{}-pieces\"",
        plan.pieces
    )?;
    let number = |slice| plan.tasks.iter().position(|task| task.slice == slice);
    for (id, task) in plan.tasks.iter().enumerate() {
        let deps: Vec<usize> = task.needs.iter().filter_map(|&need| number(need)).collect();
        let command = ["build-slice".to_owned(), "--slice".to_owned(), task.slice.to_string()];
        let task = Entry { id, command, deps, memory: plan.memory(task), seconds: task.seconds };
        task.write(out, plan)?;
    }
    for (k, pack) in plan.packs().into_iter().enumerate() {
        let deps = pack.tasks.iter().filter_map(|task| number(task.slice)).collect();
        let [option, value] = pack.arguments();
        let command = ["pack".to_owned(), format!("--{option}"), value];
        let seconds = pack.tasks.iter().map(|task| task.seconds).sum();
        let id = plan.tasks.len() + k;
        Entry { id, command, deps, memory: plan.pack_memory(&pack), seconds }.write(out, plan)?;
    }
    Ok(())
}

struct Entry {
    id: usize,
    command: [String; 3],
    deps: Vec<usize>,
    memory: u64,
    seconds: f64,
}

impl Entry {
    fn write(&self, out: &mut impl Write, plan: &Plan) -> io::Result<()> {
        let mebibytes = self.memory.div_ceil(MIB);
        let memory = format!("{mebibytes}MiB");
        let threads = plan.threads.to_string();
        let rest = ["--out", &plan.out, "--types", &plan.types, "--threads", &threads];
        let command: Vec<String> = ["meerslag", "egdb"]
            .into_iter()
            .chain(self.command.iter().map(String::as_str))
            .chain(rest)
            .chain(["--memory", &memory])
            .map(quoted)
            .collect();
        writeln!(out, "\n[[task]]\nid = {}\ncommand = [{}]", self.id, command.join(", "))?;
        if !self.deps.is_empty() {
            let deps: Vec<String> = self.deps.iter().map(usize::to_string).collect();
            writeln!(out, "deps = [{}]", deps.join(", "))?;
        }
        writeln!(
            out,
            "[[task.request]]\nresources = {{ \"cpus\" = {}, \"mem\" = {} }}\ntime_request = \"{}s\"",
            plan.threads,
            mebibytes,
            self.seconds.ceil().max(1.0)
        )
    }
}
