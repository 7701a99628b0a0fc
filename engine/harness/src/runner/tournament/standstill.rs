//! Standstills: the process (Ctrl-Z) or the whole machine was stopped and runs again. The clocks of a
//! game ran on meanwhile, so its result says nothing about the players.

use std::io;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crossbeam::channel::{Receiver, RecvTimeoutError, bounded};
use parking_lot::Mutex;

use crate::world::{World, heard};

/// How often the clocks are read.
const READING_INTERVAL: Duration = Duration::from_millis(200);
/// A longer time between two readings is a standstill: even on a busy machine a thread that only
/// reads the clock gets its turn sooner.
const LONGEST_INTERVAL: Duration = Duration::from_secs(1);

/// Notices standstills [during](Standstills::during) a work.
#[derive(Debug)]
pub(in crate::runner) struct Standstills {
    world: World,
    history: Mutex<ClockHistory>,
}

#[derive(Debug)]
struct ClockHistory {
    last: ClockReading,
    /// When each standstill ended, and how long it was.
    found: Vec<(Instant, Duration)>,
}

/// A reading of both clocks. The first one may stop with the machine, but runs on if only the
/// process is stopped; the second one always runs on.
#[derive(Clone, Copy, Debug)]
struct ClockReading {
    monotonic: Instant,
    wall: SystemTime,
}

impl ClockReading {
    fn of(world: &World) -> ClockReading {
        ClockReading { monotonic: world.now(), wall: world.wall() }
    }

    /// The time since an earlier reading, by the clock that shows more. A clock that was set back
    /// does not count.
    fn since(self, earlier: ClockReading) -> Duration {
        let wall = self.wall.duration_since(earlier.wall).unwrap_or_default();
        self.monotonic.saturating_duration_since(earlier.monotonic).max(wall)
    }
}

impl ClockHistory {
    fn look(&mut self, now: ClockReading) {
        let gap = now.since(self.last);
        if gap > LONGEST_INTERVAL {
            self.found.push((now.monotonic, gap));
        }
        self.last = now;
    }

    fn since(&self, start: Instant) -> Option<Duration> {
        let after = self.found.iter().filter(|(end, _)| *end >= start);
        let sum: Duration = after.map(|(_, length)| *length).sum();
        (!sum.is_zero()).then_some(sum)
    }
}

impl Standstills {
    pub(in crate::runner) fn new(world: &World) -> Standstills {
        let history = ClockHistory { last: ClockReading::of(world), found: Vec::new() };
        Standstills { world: world.clone(), history: Mutex::new(history) }
    }

    /// Does this work, and watches meanwhile.
    pub(in crate::runner) fn during<T>(
        world: &World,
        work: impl FnOnce(&Standstills) -> T,
    ) -> io::Result<T> {
        let standstills = Standstills::new(world);
        let (end, watch) = bounded(0);
        let mut outside = None;
        let done = thread::scope(|scope| {
            let watch = world.within(|| standstills.watch(&watch));
            thread::Builder::new().name("clock".to_owned()).spawn_scoped(scope, watch)?;
            let done = work(&standstills);
            drop(end);
            outside = world.outside();
            Ok(done)
        });
        drop(outside);
        done
    }

    /// Looks at the clocks until the channel is closed.
    fn watch(&self, end: &Receiver<()>) {
        loop {
            let until = self.world.now() + READING_INTERVAL;
            self.world.wait(Some(until), || vec![heard(end)]);
            if end.recv_timeout(self.world.left(until)) != Err(RecvTimeoutError::Timeout) {
                break;
            }
            self.history.lock().look(ClockReading::of(&self.world));
        }
    }

    /// How long everything has stood still since `start`; `None` if it has not. Includes a
    /// standstill not noticed yet.
    pub(in crate::runner) fn since(&self, start: Instant) -> Option<Duration> {
        let mut seen = self.history.lock();
        seen.look(ClockReading::of(&self.world));
        seen.since(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_in_either_clock_is_a_standstill() {
        let first = ClockReading::of(&World::default());
        let after = |monotonic: f64, wall: f64| ClockReading {
            monotonic: first.monotonic + Duration::from_secs_f64(monotonic),
            wall: first.wall + Duration::from_secs_f64(wall),
        };
        let mut seen = ClockHistory { last: first, found: Vec::new() };
        let mut total = |look: ClockReading| {
            seen.look(look);
            seen.since(first.monotonic).map(|length| length.as_secs_f64())
        };
        assert_eq!(total(after(0.2, 0.2)), None);
        assert_eq!(total(after(1.1, 1.1)), None, "busy");
        assert_eq!(total(after(4.1, 4.1)), Some(3.0), "the process");
        assert_eq!(total(after(4.3, 9.3)), Some(8.2), "the machine, with its clock");
        let late = after(4.4, 2.0);
        assert_eq!(total(late), Some(8.2), "a clock that is set back");
        assert_eq!(seen.since(late.monotonic), None, "games that have begun since");
        assert_eq!(seen.since(after(4.2, 0.0).monotonic), Some(Duration::from_millis(5200)));
    }
}
