//! Run-time choice of the instruction set, and prefetching.
//!
//! The build runs on any processor of its family; bit counts and isolations are faster with
//! instructions that only newer x86-64 processors have. Only a function marked with
//! `#[target_feature]` may use them, and only code inlined into it shares the mark.
//!
//! So code that counts or isolates many bits asks once, at the entry, what the processor has
//! ([`with_isa!`](crate::with_isa)), and passes the answer, a zero-sized [`Isa`], down to all its
//! hot functions. Each of those that is not inlined has its body run by [`Isa::run`]: the body is
//! written once and is compiled into one copy per instruction set. All copies compute the same.
//!
//! ```
//! use movegen::isa::Isa;
//!
//! fn ones(isa: impl Isa, numbers: &[u64]) -> u32 {
//!     isa.run(|| numbers.iter().map(|n| n.count_ones()).sum())
//! }
//!
//! assert_eq!(movegen::with_isa!(isa => ones(isa, &[1, 3, 7])), 6);
//! ```

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calling a copy compiled for more instructions is unsafe")
)]

/// Declares or defines the methods of [`Isa`]: each runs work on its arguments.
macro_rules! methods {
    ($one:ident) => {
        $one!(run());
        $one!(run3(a: A, b: B, c: C));
        $one!(run4(a: A, b: B, c: C, d: D));
        $one!(run5(a: A, b: B, c: C, d: D, e: E));
    };
}

macro_rules! declare {
    ($name:ident($($value:ident: $Type:ident),*)) => {
        /// Does the work, compiled for this instruction set as far as it is inlined: give it a
        /// closure marked `#[inline(always)]` that calls functions marked likewise. Its captures go
        /// through memory, its arguments through registers.
        ///
        /// To keep the copies from being inlined, mark the caller `#[inline(never)]`: rustc 1.95
        /// drops that mark from functions with target features. Such a caller shrinks to a jump.
        fn $name<$($Type,)* R>(self, $($value: $Type,)* work: impl FnOnce($($Type),*) -> R) -> R;
    };
}

/// An instruction set that this processor has: a value is the permission to use it.
pub trait Isa: Copy + Send + Sync {
    methods!(declare);
}

/// The instructions that every processor of the family has.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

macro_rules! plainly {
    ($name:ident($($value:ident: $Type:ident),*)) => {
        #[inline(always)]
        fn $name<$($Type,)* R>(self, $($value: $Type,)* work: impl FnOnce($($Type),*) -> R) -> R {
            work($($value),*)
        }
    };
}

impl Isa for Portable {
    methods!(plainly);
}

#[cfg(target_arch = "x86_64")]
pub use newer::Newer;

#[cfg(target_arch = "x86_64")]
mod newer {
    use super::Isa;

    /// x86-64 with POPCNT, LZCNT, BMI1, BMI2 and AVX2 (Intel since 2013, AMD since 2015).
    #[derive(Clone, Copy, Debug)]
    pub struct Newer(());

    impl Newer {
        /// The instruction set, if this processor has it.
        #[inline]
        #[must_use]
        pub fn detect() -> Option<Newer> {
            let has = is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("avx2");
            has.then_some(Newer(()))
        }
    }

    macro_rules! with_features {
        ($name:ident($($value:ident: $Type:ident),*)) => {
            #[inline(always)]
            fn $name<$($Type,)* R>(
                self,
                $($value: $Type,)*
                work: impl FnOnce($($Type),*) -> R,
            ) -> R {
                #[target_feature(enable = "popcnt,lzcnt,bmi1,bmi2,avx2")]
                fn copy<$($Type,)* R>(
                    $($value: $Type,)*
                    work: impl FnOnce($($Type),*) -> R,
                ) -> R {
                    work($($value),*)
                }
                // SAFETY: only `detect` makes a value of this type, and only after it has found
                // the processor to have the features that the copy uses.
                unsafe { copy($($value,)* work) }
            }
        };
    }

    impl Isa for Newer {
        methods!(with_features);
    }
}

/// Evaluates an expression with the best [`Isa`] that this processor has:
/// `with_isa!(isa => work(isa))`. The expression is compiled once for each.
#[macro_export]
macro_rules! with_isa {
    ($isa:ident => $work:expr) => {{
        #[cfg(target_arch = "x86_64")]
        let newer = $crate::isa::Newer::detect();
        #[cfg(not(target_arch = "x86_64"))]
        let newer = None::<$crate::isa::Portable>;
        match newer {
            Some($isa) => $work,
            None => {
                let $isa = $crate::isa::Portable;
                $work
            }
        }
    }};
}

/// Does the work in the copy for this processor, see [`Isa::run`]: for work that is complete in itself.
#[inline]
pub fn run_best<R>(work: impl FnOnce() -> R) -> R {
    with_isa!(isa => isa.run(work))
}

/// Asks for the cache line of a value without waiting for it. Does nothing if there is no such
/// instruction.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction is part of every x86-64 processor, changes nothing that a program
    // can observe, and the address comes from a reference.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
