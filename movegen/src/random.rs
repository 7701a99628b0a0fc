//! Reproducible random numbers: SplitMix64.
//!
//! The numbers for a seed are the same everywhere and in every version: position keys depend on
//! them, the order of the games of a match, and the positions of trainings, checks and tests. They
//! are not for secrets.
//!
//! Source: S. Vigna, <https://prng.di.unimi.it/splitmix64.c>, after G. Steele, D. Lea, C. Flood,
//! "Fast splittable pseudorandom number generators", OOPSLA 2014.

/// A generator of random numbers.
///
/// # Examples
/// ```
/// use movegen::random::Random;
///
/// let mut random = Random::new(7);
/// let die = 1 + random.below(6);
/// assert!((1..=6).contains(&die));
/// assert_eq!(1 + Random::new(7).below(6), die);
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator; any seed will do.
    #[must_use]
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number from 0 to `bound - 1`. Low numbers are more frequent by less than a part in
    /// 2^64 / `bound`.
    ///
    /// # Panics
    /// If `bound` is 0.
    pub const fn below(&mut self, bound: usize) -> usize {
        self.below_u64(bound as u64) as usize
    }

    /// As [`Random::below`], for bounds that may be beyond the address space.
    ///
    /// # Panics
    /// If `bound` is 0.
    pub const fn below_u64(&mut self, bound: u64) -> u64 {
        self.next_u64() % bound
    }

    /// Brings a list into random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

/// Spreads the bits of a number over all others: distinct numbers stay distinct, and those that
/// differ in one bit differ in about half of the bits afterwards. 0 stays 0.
#[must_use]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_orders_are_reproducible() {
        // The first output for seed 0, published with the reference implementation.
        assert_eq!(Random::new(0).next_u64(), 0xe220_a839_7b1d_cdaf);
        let order = |seed| {
            let mut list: Vec<u32> = (0..50).collect();
            Random::new(seed).shuffle(&mut list);
            list
        };
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
        let mut sorted = order(7);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
    }
}
