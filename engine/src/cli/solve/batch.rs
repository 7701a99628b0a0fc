//! All positions of a file.

use std::io::{self, Write};
use std::slice;
use std::time::Instant;

use ::egdb::error::ProbeError;
use anyhow::anyhow;
use meerslag_study::solve::{BatchObserver, Solution, Value, solve_all};
use movegen::Game;
use movegen::words::counted;

use super::super::Failure;
use super::super::progress::Bar;
use super::super::streams::note;
use super::record::Summary;
use super::{SolveArgs, catch, input, record, text};

pub(super) fn run(args: &SolveArgs, file: &str, out: &mut impl Write) -> Result<(), Failure> {
    let begin = Instant::now();
    let items = input::read(file, args.encoding)?;
    if items.is_empty() {
        return Err(Failure::Input(anyhow!("there is no position in {file}")));
    }
    let probe = args.databases.open()?;
    let (stop, interrupt) = catch()?;
    let games: Vec<Game> =
        items.iter().filter_map(|item| item.game.as_ref().ok().cloned()).collect();
    let all = games.len() as u64;
    let bar = Bar::new("positions");
    let mut printer = Printer {
        args,
        file,
        out,
        bar: &bar,
        all,
        items: items.iter(),
        summary: Summary { left_out: all, ..Summary::default() },
        failures: 0,
    };
    solve_all(&probe, &games, args.options(), args.threads, &stop, &mut printer)
        .map_err(Failure::run)?;
    // After the last position, or the last one that is solved.
    while let Some(item) = printer.items.next() {
        if let Err(error) = &item.game {
            bar.suspend(|| printer.error(item.line, error))?;
        }
    }
    printer.summary.seconds = (begin.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    bar.suspend(|| printer.summary(stop_note(interrupt.is_pressed())))?;
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
    bar: &'a Bar,
    /// Positions to solve.
    all: u64,
    /// The part of the file not printed yet.
    items: slice::Iter<'a, input::Item>,
    summary: Summary,
    /// Positions that the databases could not answer because a file is damaged.
    failures: u64,
}

impl<W: Write> BatchObserver for Printer<'_, W> {
    fn progress(&mut self, done: usize) {
        self.bar.show(done as u64, self.all, String::new);
    }

    /// Prints the solution, and before it the bad lines that come before its position.
    fn solved(&mut self, _: usize, solution: Result<Solution, ProbeError>) -> io::Result<()> {
        let bar = self.bar;
        while let Some(item) = self.items.next() {
            match &item.game {
                Ok(game) => return bar.suspend(|| self.position(item.line, game, solution)),
                Err(error) => bar.suspend(|| self.error(item.line, error))?,
            }
        }
        Ok(())
    }
}

impl<W: Write> Printer<'_, W> {
    fn position(
        &mut self,
        line: u64,
        game: &Game,
        solved: Result<Solution, ProbeError>,
    ) -> io::Result<()> {
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
            record::position(self.out, Some(line), game, &solution, self.args)?;
        } else {
            text::row(self.out, line, game, &solution)?;
        }
        self.out.flush()
    }

    fn error(&mut self, line: u64, error: &str) -> io::Result<()> {
        self.summary.bad_lines += 1;
        self.report(line, error)
    }

    fn report(&mut self, line: u64, error: &str) -> io::Result<()> {
        if self.args.json {
            record::error(self.out, line, error)?;
        } else {
            note(format_args!("{}, line {line}: {error}", self.file));
        }
        self.out.flush()
    }

    fn summary(&mut self, note: &str) -> io::Result<()> {
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
        self.out.flush()
    }
}
