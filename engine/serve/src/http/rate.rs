//! How many requests an address may send: a bucket of tokens for each, filled as time passes.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{Client, ServerOptions, household};

/// Seconds' worth of requests that may come at once.
const BURST: f64 = 10.0;
/// Addresses that are remembered; those whose bucket is full are forgotten first.
const MAX_ADDRESSES: usize = 10_000;

/// The buckets.
pub(super) struct Rate {
    /// Limits all addresses; otherwise only those of other machines.
    given: Option<u32>,
    buckets: Mutex<HashMap<IpAddr, TokenBucket>>,
}

#[derive(Clone, Copy)]
struct TokenBucket {
    tokens: f64,
    filled: Instant,
}

impl Rate {
    pub(super) fn new(given: Option<u32>) -> Rate {
        Rate { given, buckets: Mutex::default() }
    }

    /// Tokens a second of an address, if it is limited.
    fn per_second(&self, address: IpAddr) -> Option<f64> {
        let usual = (!Client(address).is_here()).then_some(ServerOptions::FOREIGN_RATE);
        self.given.or(usual).map(f64::from)
    }

    /// Takes the tokens that arrive in twice this time, so one address can keep half a processor
    /// busy at most. The bucket may become negative.
    pub(super) fn charge(&self, address: IpAddr, time: Duration) {
        if let Some(per_second) = self.per_second(address)
            && let Some(bucket) = self.buckets.lock().get_mut(&household(address))
        {
            bucket.tokens -= 2.0 * time.as_secs_f64() * per_second;
        }
    }

    /// Takes a token; otherwise returns how long to wait for one.
    pub(super) fn take(&self, address: IpAddr, now: Instant) -> Result<(), Duration> {
        let Some(per_second) = self.per_second(address) else { return Ok(()) };
        let most = (per_second * BURST).max(1.0);
        let address = household(address);
        let mut buckets = self.buckets.lock();
        if buckets.len() >= MAX_ADDRESSES && !buckets.contains_key(&address) {
            let is_full = |bucket: &TokenBucket| {
                bucket.tokens + per_second * (now - bucket.filled).as_secs_f64() >= most
            };
            buckets.retain(|_, bucket| !is_full(bucket));
            // If too many addresses send requests, all are forgotten.
            if buckets.len() >= MAX_ADDRESSES {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(address).or_insert(TokenBucket { tokens: most, filled: now });
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
    fn work_counts_as_requests_do() {
        let rate = Rate::new(Some(2));
        let start = Instant::now();
        let second = Duration::from_secs(1);
        assert_eq!(rate.take(THERE, start), Ok(()));
        rate.charge(THERE, 10 * second);
        // It took all of the 20 and owes 21 more, one of them for the request.
        assert_eq!(rate.take(THERE, start), Err(11 * second));
        assert_eq!(rate.take(THERE, start + 11 * second), Ok(()));
        let free = Rate::new(None);
        free.charge(HERE, 1000 * second);
        assert_eq!(free.take(HERE, start), Ok(()));
    }

    #[test]
    fn memory_does_not_grow_with_addresses() {
        let rate = Rate::new(Some(1));
        let now = Instant::now();
        for number in 0..30_000u32 {
            let _ = rate.take(IpAddr::V4(number.into()), now);
            assert!(rate.buckets.lock().len() <= MAX_ADDRESSES);
        }
    }
}
