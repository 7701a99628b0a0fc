//! `meerslag train`: an evaluation from games of self-play.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use meerslag_learn::{
    DataSet, Epoch, Filter, NetworkTraining, PHASES, Source, TrainError, Training, TrainingRun,
    checkpoint_path, loss_plot, mean,
};
use meerslag_search::eval::{Evaluation, Inputs, Provenance};
use meerslag_study::record::today;
use movegen::words::counted;

use super::Failure;
use super::files::{self, ForceArgs};
use super::interrupt::Interrupt;
use super::streams::{note, stdout};
use super::{json, shell};

/// Fit the weights of an evaluation to games of self-play
///
/// One game in 32 is held out to measure success. After each epoch a checkpoint is written beside
/// the weights; started again with the same games and options, the command continues from there. The
/// result does not depend on the number of threads.
#[derive(Args, Debug)]
pub(super) struct TrainArgs {
    /// Folders or files of games; FOLDER=WEIGHT makes its positions count less or more than 1
    #[arg(required = true, value_name = "DIR[=WEIGHT]")]
    data: Vec<Source>,
    /// The file for the weights
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    training: Training,
    /// Train a network of this many hidden sums on top of other weights: a multiple of 32 up to 256
    #[arg(long, value_name = "N", requires = "base", conflicts_with = "kind")]
    network: Option<usize>,
    /// The inputs of the network: pieces, or the windows of p8 and pieces
    #[arg(long, value_name = "INPUTS", default_value = "pieces", requires = "network")]
    inputs: Inputs,
    /// The weights below the network, which only learn with --joint
    #[arg(long, value_name = "FILE", requires = "network")]
    base: Option<String>,
    /// Learn the weights below the network with it, beginning from those of --base; a network of
    /// this shape in --base continues, too
    #[arg(long, requires = "network")]
    joint: bool,
    /// Learn rows of windows as sums: their own, those of their halves and one that equal windows
    /// share
    #[arg(long, requires = "network")]
    factors: bool,
    /// Write a running mean of the network's weights; the share X of it stays at each step, such as
    /// 0.999
    #[arg(long, value_name = "X", requires = "network", value_parser = mean)]
    average: Option<f32>,
    /// Threads that read games, beside the one that fits; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::threads::<256>)]
    threads: usize,
    /// The number of the generation, for the file
    #[arg(long, value_name = "N", default_value_t = 0)]
    generation: u32,
    /// Draw the losses in this file (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    filter: Filter,
    #[command(flatten)]
    force: ForceArgs,
    /// Print a JSON object for each epoch
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &TrainArgs) -> Result<(), Failure> {
    let existing = args.force.existing();
    let mut read: Vec<_> = args.data.iter().map(|it| ("DIR", Some(it.path.as_path()))).collect();
    let base = args.base.as_deref().map(Path::new).filter(|path| path.is_file());
    read.push(("--base", base));
    files::check_distinct(&read, &[("--out", Some(&args.out)), ("--plot", args.plot.as_deref())])?;
    for path in [Some(&args.out), args.plot.as_ref()].into_iter().flatten() {
        files::check(path, existing)?;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    Interrupt::catch(move || flag.store(true, Ordering::Relaxed))?;
    let data = DataSet::open(&args.data, &args.filter).map_err(Failure::input)?;
    if data.skipped > 0 {
        note(format_args!("{} bytes of damaged blocks are left out", data.skipped));
    }
    if data.copies > 0 {
        note(format_args!("{} of games are left out", counted(data.copies, "copy")));
    }
    let network = match (args.network, &args.base) {
        (Some(hidden), Some(base)) => {
            let base = Evaluation::named(base, data.variant).map_err(Failure::input)?;
            let network = NetworkTraining::new(args.inputs, hidden, base);
            let &TrainArgs { joint, factors, average, .. } = args;
            Some(NetworkTraining { joint, factors, average, ..network })
        }
        _ => None,
    };
    let training = Training { network, ..args.training.clone() };
    let provenance = Provenance {
        generation: args.generation,
        command: shell::quoted(&shell::arguments()),
        date: today(),
        ..Provenance::default()
    };
    let mut written = Ok(());
    let mut report = |number: usize, epoch: &Epoch, scale: f32| {
        if written.is_ok() {
            written = show(args, number, epoch, scale);
        }
    };
    let checkpoint = checkpoint_path(&args.out);
    let run = TrainingRun {
        training: &training,
        data: &data,
        threads: args.threads,
        checkpoint: &checkpoint,
        stop: &stop,
    };
    let trained = run.run(&provenance, &mut report).map_err(|error| match error {
        TrainError::TooFew { .. } | TrainError::Network(_) => Failure::input(error),
        _ => Failure::run(error),
    })?;
    written?;
    let Some((weights, epochs)) = trained else {
        let kept = format!("{} is kept; the same command continues from it", checkpoint.display());
        return Err(Failure::interrupted(kept));
    };
    weights.write(&args.out, existing).map_err(Failure::run)?;
    if let Some(path) = &args.plot {
        files::write(path, loss_plot(&epochs).as_bytes(), existing)?;
    }
    if !args.json {
        writeln!(
            stdout(),
            "{} games, {} positions: {}",
            data.games,
            weights.provenance().positions,
            args.out.display()
        )?;
    }
    Ok(())
}

fn show(args: &TrainArgs, number: usize, epoch: &Epoch, scale: f32) -> io::Result<()> {
    let mut out = stdout();
    if args.json {
        return json::write(&mut out, epoch);
    }
    if number == 0 {
        writeln!(out, "scale {scale:.1} hundredths of a man")?;
        write!(out, "epoch  training  held out")?;
        for phase in PHASES {
            write!(out, "  {phase:>11}")?;
        }
        writeln!(out, "   positions")?;
    }
    write!(out, "{:5}  {:.6}  {:.6}", number + 1, epoch.training, epoch.held_out)?;
    for loss in epoch.phases {
        write!(out, "  {loss:11.6}")?;
    }
    writeln!(out, "  {:10}", epoch.positions)
}
