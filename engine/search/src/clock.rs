//! The clock of searches: the standard library's, or in WebAssembly, where there is none, one
//! that the host gives.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

#[cfg(target_family = "wasm")]
pub use host::{Instant, set_clock};

#[cfg(target_family = "wasm")]
mod host {
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> f64> = OnceLock::new();

    /// Gives the library a clock: milliseconds since any moment, never less than before. Without a
    /// clock, limits of time do not end a search. Only the first call has an effect.
    pub fn set_clock(milliseconds: fn() -> f64) {
        let _ = CLOCK.set(milliseconds);
    }

    /// A moment, as [`std::time::Instant`].
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        /// This moment.
        #[must_use]
        pub fn now() -> Instant {
            let milliseconds = CLOCK.get().map_or(0.0, |clock| clock());
            Instant(Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or_default())
        }

        /// The time since then.
        #[must_use]
        pub fn elapsed(&self) -> Duration {
            Instant::now().0.saturating_sub(self.0)
        }
    }
}
