//! All positions of a file, on several threads.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Instant;

use ::egdb::error::ProbeError;
use anyhow::anyhow;
use crossbeam::channel::{self, Receiver};
use meerslag_search::counted;
use meerslag_study::solve::{Solution, Solver, Value};
use movegen::Game;
use rayon::prelude::*;

use super::super::progress::Bar;
use super::super::streams::note;
use super::super::{Failure, no_thread};
use super::record::Summary;
use super::{SolveArgs, catch, input, record, text};

type Solved = Result<Solution, ProbeError>;

pub(super) fn run(args: &SolveArgs, file: &str, out: &mut impl Write) -> Result<(), Failure> {
    let begin = Instant::now();
    let items = input::read(file)?;
    if items.is_empty() {
        return Err(Failure::Input(anyhow!("there is no position in {file}")));
    }
    let probe = args.databases.open()?;
    let (stop, interrupt) = catch()?;
    let games: Vec<(usize, &Game)> = items
        .iter()
        .enumerate()
        .filter_map(|(i, item)| Some((i, item.game.as_ref().ok()?)))
        .collect();
    let threads = args.threads.min(games.len()).max(1);
    let bar = Bar::new("positions");
    let all = games.len() as u64;
    let mut printer = Printer {
        args,
        file,
        out,
        summary: Summary { left_out: games.len() as u64, ..Summary::default() },
        failures: 0,
    };
    let (sender, receiver) = channel::unbounded::<(usize, Solved)>();
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::run)?;
    thread::scope(|scope| -> Result<(), Failure> {
        let (games, probe, stop) = (&games, &probe, &stop);
        let solve = move || {
            let solver = || Solver::new(probe, args.options(threads));
            pool.install(|| {
                // One after the other from the front: the results are printed in this order.
                games.iter().par_bridge().try_for_each_init(solver, |solver, (i, game)| {
                    if stop.load(Ordering::Relaxed) {
                        return None;
                    }
                    sender.send((*i, solver.solve(game.position(), stop))).ok()
                })
            });
        };
        thread::Builder::new().spawn_scoped(scope, solve).map_err(no_thread)?;
        let printed = printer.in_order(&items, &receiver, &bar, all);
        if printed.is_err() {
            // Nobody reads any more.
            stop.store(true, Ordering::Relaxed);
        }
        printed
    })?;
    drop(bar);
    printer.summary.seconds = (begin.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    printer.summary(stop_note(interrupt.is_pressed()))?;
    if interrupt.is_pressed() {
        return Err(Failure::interrupted("the answers so far remain"));
    }
    match (printer.summary.bad_lines, printer.failures) {
        (0, 0) => Ok(()),
        (0, failures) => {
            Err(Failure::Run(anyhow!("{} could not be looked up", counted(failures, "position"))))
        }
        (bad, _) => {
            Err(Failure::Run(anyhow!("{} of {file} could not be read", counted(bad, "line"))))
        }
    }
}

const fn stop_note(is_interrupted: bool) -> &'static str {
    if is_interrupted { "interrupted: " } else { "" }
}

struct Printer<'a, W> {
    args: &'a SolveArgs,
    file: &'a str,
    out: &'a mut W,
    summary: Summary,
    /// Positions that the databases could not answer because a file is damaged.
    failures: u64,
}

impl<W: Write> Printer<'_, W> {
    /// Prints what is solved in the order of the file, whichever comes first.
    fn in_order(
        &mut self,
        items: &[input::Item],
        solved: &Receiver<(usize, Solved)>,
        bar: &Bar,
        all: u64,
    ) -> Result<(), Failure> {
        let (mut done, mut waiting) = (0, BTreeMap::<usize, Solved>::new());
        let mut items = items.iter().enumerate().peekable();
        for (i, solved) in solved {
            waiting.insert(i, solved);
            done += 1;
            bar.show(done, all, String::new);
            while let Some(&(i, item)) = items.peek() {
                match (&item.game, waiting.remove(&i)) {
                    (Ok(game), Some(solved)) => {
                        bar.suspend(|| self.position(item.line, game, solved))?;
                    }
                    (Ok(_), None) => break,
                    (Err(error), _) => bar.suspend(|| self.error(item.line, error))?,
                }
                items.next();
            }
        }
        for (_, item) in items {
            if let Err(error) = &item.game {
                self.error(item.line, error)?;
            }
        }
        Ok(())
    }

    fn position(&mut self, line: u64, game: &Game, solved: Solved) -> Result<(), Failure> {
        self.summary.left_out -= 1;
        let solution = match solved {
            Ok(solution) => solution,
            Err(error) => {
                self.failures += 1;
                let error = format!("{:#}", anyhow::Error::new(error));
                return self.report(line, &error);
            }
        };
        self.summary.positions += 1;
        self.summary.nodes += solution.nodes;
        *match solution.value {
            Value::Win => &mut self.summary.wins,
            Value::Draw => &mut self.summary.draws,
            Value::Loss => &mut self.summary.losses,
            _ => &mut self.summary.unknown,
        } += 1;
        if self.args.json {
            record::position(self.out, Some(line), game, &solution, self.args.most_plies())?;
        } else {
            text::row(self.out, line, game, &solution)?;
        }
        Ok(self.out.flush()?)
    }

    fn error(&mut self, line: u64, error: &str) -> Result<(), Failure> {
        self.summary.bad_lines += 1;
        self.report(line, error)
    }

    fn report(&mut self, line: u64, error: &str) -> Result<(), Failure> {
        if self.args.json {
            record::error(self.out, line, error)?;
        } else {
            note(format_args!("{}, line {line}: {error}", self.file));
        }
        Ok(self.out.flush()?)
    }

    fn summary(&mut self, note: &str) -> Result<(), Failure> {
        if self.args.json {
            record::summary(self.out, &self.summary)?;
        } else {
            let Summary { positions, wins, draws, losses, unknown, .. } = self.summary;
            let Summary { left_out, bad_lines, nodes, seconds, .. } = self.summary;
            writeln!(
                self.out,
                "\n{note}positions {positions}: win {wins}, draw {draws}, loss {losses}, \
                 not settled {unknown}; {}, {seconds:.1} s",
                counted(nodes, "node")
            )?;
            for (what, count) in [("not looked at", left_out), ("bad lines", bad_lines)] {
                if count > 0 {
                    writeln!(self.out, "{what}: {count}")?;
                }
            }
        }
        Ok(self.out.flush()?)
    }
}
