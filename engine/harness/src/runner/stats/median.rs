//! The median of times that come one by one; for a list there is
//! [`median`](meerslag_study::digits::median).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// The median of times that come one by one.
#[derive(Clone, Debug, Default)]
pub(in crate::runner) struct RunningMedian {
    /// The smaller half.
    lower: BinaryHeap<Duration>,
    /// The greater half, which has one more if their number is odd.
    upper: BinaryHeap<Reverse<Duration>>,
}

impl RunningMedian {
    /// Adds a time.
    pub fn add(&mut self, time: Duration) {
        self.upper.push(Reverse(time));
        if let Some(Reverse(least)) = self.upper.pop() {
            self.lower.push(least);
        }
        if self.lower.len() > self.upper.len() {
            self.upper.extend(self.lower.pop().map(Reverse));
        }
    }

    /// As [`median`] of all of them.
    pub fn get(&self) -> Option<Duration> {
        self.upper.peek().map(|Reverse(time)| *time)
    }
}

#[cfg(test)]
mod tests {
    use meerslag_study::digits::median;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_running_median_is_the_median_at_any_time(
            micros in prop::collection::vec(0_u64..20, 0..40),
        ) {
            let mut running = RunningMedian::default();
            let mut times = Vec::new();
            prop_assert_eq!(running.get(), None);
            for micros in micros {
                let time = Duration::from_micros(micros);
                running.add(time);
                times.push(time);
                prop_assert_eq!(running.get(), median(&mut times.clone()));
            }
        }
    }
}
