//! A discrete distribution over equally spaced scores from 0 to 1.

/// Observed frequencies of N scores: 0, 1/(N-1), ... 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<const N: usize> {
    /// Number of observations.
    pub total: f64,
    /// Shares of the scores; their sum is 1.
    pub shares: [f64; N],
}

impl<const N: usize> Sample<N> {
    /// `None` if there is no observation.
    pub fn new(counts: [u64; N]) -> Option<Sample<N>> {
        Sample::weighted(counts.map(|c| c as f64))
    }

    /// As [`Sample::new`] with a small weight for scores that never occurred, so that no
    /// likelihood is zero (fastchess: 1/1000).
    pub fn regularised(self) -> Sample<N> {
        let counts = self.shares.map(|share| (share * self.total).max(1e-3));
        Sample::weighted(counts).unwrap_or(self)
    }

    fn weighted(counts: [f64; N]) -> Option<Sample<N>> {
        let total: f64 = counts.iter().sum();
        (total > 0.0).then(|| Sample { total, shares: counts.map(|c| c / total) })
    }

    pub fn score(index: usize) -> f64 {
        index as f64 / (N - 1) as f64
    }

    /// Mean and variance under other shares.
    pub fn moments(shares: &[f64; N]) -> (f64, f64) {
        let weighted = shares.iter().enumerate().map(|(i, share)| (Self::score(i), share));
        let mean = weighted.clone().map(|(score, share)| share * score).sum::<f64>();
        let variance = weighted.map(|(score, share)| share * (score - mean).powi(2)).sum();
        (mean, variance)
    }
}
