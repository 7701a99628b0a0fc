//! Many positions, by several threads.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use egdb::Probe;
use egdb::error::ProbeError;
use movegen::{DrawRules, Game};
use thiserror::Error;

use super::{Solution, SolveOptions, Solver};
use crate::share_out::share_out;

/// Why a batch ends early.
#[derive(Debug, Error)]
pub enum BatchError {
    /// A thread cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
    /// The observer failed.
    #[error(transparent)]
    Observer(#[from] io::Error),
}

/// Events of a batch.
pub trait BatchObserver {
    /// This many positions are solved, in any order.
    fn progress(&mut self, done: usize) {
        let _ = done;
    }

    /// The solution of the position with this index. They come in the order of the positions.
    ///
    /// # Errors
    /// An error ends the batch.
    fn solved(&mut self, index: usize, solution: Result<Solution, ProbeError>) -> io::Result<()>;
}

/// Solves the last positions of games by this many threads, which share out the memory of the options. Ends early
/// when `stop` becomes true; positions not reached are not reported then. A failed observer sets
/// `stop`, too.
///
/// # Errors
/// If a thread cannot be started or the observer fails. Errors of the databases go to the observer.
pub fn solve_all(
    probe: &Probe,
    games: &[Game],
    options: SolveOptions,
    threads: usize,
    stop: &AtomicBool,
    observer: &mut dyn BatchObserver,
) -> Result<(), BatchError> {
    let threads = threads.min(games.len()).max(1);
    let options = SolveOptions { hash_mib: (options.hash_mib / threads).max(1), ..options };
    let solvers = (0..threads).map(|_| Solver::new(probe, options)).collect();
    let (mut done, mut next, mut waiting) = (0, 0, BTreeMap::new());
    share_out(
        solvers,
        games,
        |solver, game| {
            let is_on = !stop.load(Ordering::Relaxed);
            is_on.then(|| solver.solve_game(game, DrawRules::default(), stop))
        },
        || stop.store(true, Ordering::Relaxed),
        BatchError::Thread,
        |index, solution| {
            done += 1;
            observer.progress(done);
            waiting.insert(index, solution);
            while let Some(solution) = waiting.remove(&next) {
                observer.solved(next, solution)?;
                next += 1;
            }
            Ok(())
        },
    )
}

#[cfg(test)]
mod tests {
    use movegen::Position;

    use super::super::Value;
    use super::*;

    /// Records its events; fails at one index.
    struct Notes {
        values: Vec<(usize, Value)>,
        done: usize,
        fail_at: usize,
    }

    impl BatchObserver for Notes {
        fn progress(&mut self, done: usize) {
            assert_eq!(done, self.done + 1);
            self.done = done;
        }

        fn solved(
            &mut self,
            index: usize,
            solution: Result<Solution, ProbeError>,
        ) -> io::Result<()> {
            self.values.push((index, solution.unwrap().value));
            if index == self.fail_at { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
        }
    }

    /// The third one has six pieces: it is searched.
    const POSITIONS: [&str; 4] =
        ["W:WK11:BK2,K6", "B:WK11:BK2,K6", "W:W32,37,38:B19,23,K45", "W:WK30,49:BK2"];

    fn solve(threads: usize, stop: bool, fail_at: usize) -> (Notes, Result<(), BatchError>) {
        let games = POSITIONS.map(|fen| Game::new(Position::from_fen(fen).unwrap()));
        let mut notes = Notes { values: Vec::new(), done: 0, fail_at };
        let stop = AtomicBool::new(stop);
        let options = SolveOptions { hash_mib: 4, ..SolveOptions::default() };
        let probe = Probe::embedded().unwrap();
        let done = solve_all(&probe, &games, options, threads, &stop, &mut notes);
        (notes, done)
    }

    #[test]
    fn solutions_come_in_order_for_any_number_of_threads() {
        let probe = Probe::embedded().unwrap();
        let expected: Vec<(usize, Value)> = POSITIONS
            .iter()
            .map(|fen| {
                let position = Position::from_fen(fen).unwrap();
                let stop = AtomicBool::new(false);
                let options = SolveOptions { hash_mib: 4, ..SolveOptions::default() };
                Solver::new(&probe, options).solve(&position, &stop).unwrap().value
            })
            .enumerate()
            .collect();
        for threads in [1, 3] {
            let (notes, done) = solve(threads, false, usize::MAX);
            done.unwrap();
            assert_eq!((notes.values, notes.done), (expected.clone(), 4));
        }
    }

    #[test]
    fn it_ends_when_it_is_stopped_and_when_the_observer_fails() {
        let (notes, done) = solve(2, true, usize::MAX);
        assert!(done.is_ok() && notes.values.is_empty());
        let (notes, done) = solve(2, false, 1);
        assert!(matches!(done, Err(BatchError::Observer(_))), "{done:?}");
        assert_eq!(notes.values.len(), 2);
    }
}
