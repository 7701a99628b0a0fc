//! A list of work that several threads share out among themselves.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Gives the items to the workers, from the front, each to the next one that is free. `work`
/// returns the result of an item, or `None` to end its worker. `take` gets the results as they
/// come, on this thread; if it fails, `stop` is called to make `work` end.
///
/// # Errors
/// The errors of `take`; that of `no_thread`, from the system's error, if a thread cannot be
/// started.
pub(crate) fn share_out<W: Send, I: Sync, R: Send, E>(
    workers: Vec<W>,
    items: &[I],
    work: impl Fn(&mut W, &I) -> Option<R> + Sync,
    stop: impl Fn(),
    no_thread: impl Fn(io::Error) -> E,
    mut take: impl FnMut(usize, R) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for mut worker in workers {
            let (sender, next, work) = (sender.clone(), &next, &work);
            let run = move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(result) = items.get(index).and_then(|item| work(&mut worker, item))
                    else {
                        return;
                    };
                    if sender.send((index, result)).is_err() {
                        return;
                    }
                }
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, run) {
                stop();
                return Err(no_thread(error));
            }
        }
        drop(sender);
        for (index, result) in results {
            take(index, result).inspect_err(|_| stop())?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn squares(workers: usize, items: &[u64], fail_at: u64) -> Result<Vec<(usize, u64)>, u64> {
        let mut found = Vec::new();
        let is_stopped = AtomicBool::new(false);
        let work =
            |_: &mut (), &item: &u64| (!is_stopped.load(Ordering::Relaxed)).then_some(item * item);
        let take = |index, square| {
            found.push((index, square));
            if square == fail_at { Err(square) } else { Ok(()) }
        };
        let stop = || is_stopped.store(true, Ordering::Relaxed);
        share_out(vec![(); workers], items, work, stop, |_| 0, take)?;
        found.sort_unstable();
        Ok(found)
    }

    #[test]
    fn each_item_is_done_once() {
        let items: Vec<u64> = (0..500).collect();
        let expected: Vec<(usize, u64)> = items.iter().map(|&it| (it as usize, it * it)).collect();
        for workers in [1, 3] {
            assert_eq!(squares(workers, &items, u64::MAX), Ok(expected.clone()));
        }
        assert_eq!(squares(2, &[], 1), Ok(Vec::new()));
    }

    #[test]
    fn an_error_of_the_taker_ends_the_work() {
        let items: Vec<u64> = (0..500).collect();
        assert_eq!(squares(3, &items, 49), Err(49));
    }
}
