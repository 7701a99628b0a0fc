//! How many requests an address may send: a bucket of tokens for each, filled as time goes on.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{Client, ServerOptions};

/// Seconds' worth of requests that may come at once.
const BURST: f64 = 10.0;
/// Addresses that are remembered; those whose bucket is full are forgotten first.
const MOST_ADDRESSES: usize = 10_000;

/// The buckets.
pub(super) struct Rate {
    /// Limits all addresses; otherwise only those of other machines.
    given: Option<u32>,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl Rate {
    pub(super) fn new(given: Option<u32>) -> Rate {
        Rate { given, buckets: Mutex::default() }
    }

    /// Takes a token; otherwise returns how long to wait for one.
    pub(super) fn take(&self, address: IpAddr, now: Instant) -> Result<(), Duration> {
        let per_second = match self.given {
            Some(given) => f64::from(given),
            None if Client(address).is_here() => return Ok(()),
            None => f64::from(ServerOptions::FOREIGN_RATE),
        };
        let most = (per_second * BURST).max(1.0);
        let mut buckets = self.buckets.lock();
        if buckets.len() >= MOST_ADDRESSES && !buckets.contains_key(&address) {
            let is_full = |bucket: &Bucket| {
                bucket.tokens + per_second * (now - bucket.filled).as_secs_f64() >= most
            };
            buckets.retain(|_, bucket| !is_full(bucket));
            // In a flood from everywhere all addresses are forgotten, rather than all kept.
            if buckets.len() >= MOST_ADDRESSES {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(address).or_insert(Bucket { tokens: most, filled: now });
        let passed = now.saturating_duration_since(bucket.filled).as_secs_f64();
        bucket.tokens = (bucket.tokens + per_second * passed).min(most);
        bucket.filled = now;
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return Ok(());
        }
        let wait = (1.0 - bucket.tokens) / per_second.max(1e-3);
        Err(Duration::from_secs_f64(wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

    #[test]
    fn a_burst_and_then_one_after_the_other() {
        let rate = Rate::new(Some(2));
        let start = Instant::now();
        for _ in 0..20 {
            assert_eq!(rate.take(THERE, start), Ok(()));
        }
        assert_eq!(rate.take(THERE, start), Err(Duration::from_millis(500)));
        assert_eq!(rate.take(HERE, start), Ok(()), "each address has its own");
        let later = start + Duration::from_millis(500);
        assert_eq!(rate.take(THERE, later), Ok(()));
        assert!(rate.take(THERE, later).is_err());
    }

    #[test]
    fn this_machine_is_free_unless_a_rate_is_given() {
        let rate = Rate::new(None);
        let now = Instant::now();
        assert!((0..2_000).all(|_| rate.take(HERE, now).is_ok()));
        let allowed = (0..2_000).filter(|_| rate.take(THERE, now).is_ok()).count();
        assert_eq!(allowed, 10 * ServerOptions::FOREIGN_RATE as usize);
    }

    #[test]
    fn memory_does_not_grow_with_addresses() {
        let rate = Rate::new(Some(1));
        let now = Instant::now();
        for number in 0..30_000u32 {
            let _ = rate.take(IpAddr::V4(number.into()), now);
            assert!(rate.buckets.lock().len() <= MOST_ADDRESSES);
        }
    }
}
