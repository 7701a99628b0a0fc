//! Run-time choice of the instruction set.
//!
//! The build runs on any processor of its family; bit counts and isolations are faster with
//! instructions that only newer x86-64 processors have. A function may use them only if it is
//! marked with `#[target_feature]`, and only inlined callees share the mark. So each function of
//! the generator that is *not* inlined is a method of [`Isa`]: its body stands once, inlined
//! into one copy per instruction set. All copies compute the same.
//!
//! Perft goes through [`run_best`]; everything else uses [`Portable`].

use super::capture::{Chain, Sink};
use super::king::Direction;
use super::{Visitor, capture};
use crate::board::Board;

/// The functions of the generator that stand for themselves, compiled for one instruction set.
/// Boards come as three numbers where that keeps them in registers.
pub(crate) trait Isa: Sized {
    fn visit_with_kings<const WHITE: bool, V: Visitor>(
        black: u64,
        white: u64,
        kings: u64,
        visitor: V,
    ) -> V;
    fn visit_captures<V: Visitor>(men: u64, kings: u64, enemy: u64, empty: u64, visitor: V) -> V;
    fn count_with_kings<const WHITE: bool>(men: u64, kings: u64, enemy: u64, empty: u64) -> u64;
    fn count_captures(men: u64, kings: u64, enemy: u64, empty: u64) -> u64;
    fn extend_man<S: Sink>(chain: &mut Chain<'_, S>, at: u64, captured: u64, count: u32);
    fn extend_king<D: Direction, S: Sink>(
        chain: &mut Chain<'_, S>,
        target: u64,
        captured: u64,
        count: u32,
    );
    fn run<T: Task>(black: u64, white: u64, kings: u64, state: T::State) -> u64;
}

/// Work on boards that is built on the generator, perft for one: a function of its own for each
/// instruction set, as those of the generator are.
pub(crate) trait Task {
    /// What it needs besides the board.
    type State;

    /// Does it; calls to other tasks go through [`Isa::run`].
    fn run<I: Isa>(black: u64, white: u64, kings: u64, state: Self::State) -> u64;
}

/// A method that calls a copy of a body with the features of the instruction set.
///
/// The method is kept out of line, not the copy: rustc 1.95 drops `inline(never)` from functions
/// with target features, and LLVM then inlines those that have one caller. The method itself
/// shrinks to a jump.
macro_rules! outlined {
    ($isa:ident, [$($attribute:tt)*], $call:ident,
     fn $name:ident[$($parameter:tt)*][$($argument:ident),*]($($value:ident: $type:ty),*) -> $result:ty
     = $body:path) => {
        #[inline(never)]
        fn $name<$($parameter)*>($($value: $type),*) -> $result {
            $($attribute)*
            fn copy<$($parameter)*>($($value: $type),*) -> $result {
                $body($($value),*)
            }
            $call!(copy::<$($argument),*>($($value),*))
        }
    };
}

macro_rules! isa {
    ($isa:ident, $attributes:tt, $call:ident) => {
        impl Isa for $isa {
            outlined!($isa, $attributes, $call,
                fn visit_with_kings[const WHITE: bool, V: Visitor][WHITE, V](black: u64, white: u64, kings: u64, visitor: V) -> V
                = crate::generator::visit_with_kings::<$isa, WHITE, V>);
            outlined!($isa, $attributes, $call,
                fn visit_captures[V: Visitor][V](men: u64, kings: u64, enemy: u64, empty: u64, visitor: V) -> V
                = crate::generator::visit_captures::<$isa, V>);
            outlined!($isa, $attributes, $call,
                fn count_with_kings[const WHITE: bool][WHITE](men: u64, kings: u64, enemy: u64, empty: u64) -> u64
                = crate::generator::count_with_kings::<$isa, WHITE>);
            outlined!($isa, $attributes, $call,
                fn count_captures[][](men: u64, kings: u64, enemy: u64, empty: u64) -> u64
                = crate::generator::count_captures::<$isa>);
            outlined!($isa, $attributes, $call,
                fn extend_man[S: Sink][S](chain: &mut Chain<'_, S>, at: u64, captured: u64, count: u32) -> ()
                = capture::extend_man::<$isa, S>);
            outlined!($isa, $attributes, $call,
                fn extend_king[D: Direction, S: Sink][D, S](chain: &mut Chain<'_, S>, target: u64, captured: u64, count: u32) -> ()
                = capture::extend_king::<$isa, D, S>);
            outlined!($isa, $attributes, $call,
                fn run[T: Task][T](black: u64, white: u64, kings: u64, state: T::State) -> u64
                = T::run::<$isa>);
        }
    };
}

macro_rules! plainly {
    ($call:expr) => {
        $call
    };
}

/// What every processor of the family can do.
pub(crate) struct Portable;

isa!(Portable, [], plainly);

#[cfg(target_arch = "x86_64")]
pub(crate) use bmi::Bmi;

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "a call into another instruction set cannot be checked statically")]
mod bmi {
    use super::{Chain, Direction, Isa, Sink, Task, Visitor, capture};

    macro_rules! with_features {
        ($call:expr) => {
            // SAFETY: a `Bmi` is only named by code after `Bmi::is_available()`: the type
            // is chosen in `run_best` alone, which asks first.
            unsafe { $call }
        };
    }

    /// x86-64 with POPCNT, LZCNT, BMI1 and BMI2 (Intel since 2013, AMD since 2015).
    pub(crate) struct Bmi;

    impl Bmi {
        /// Whether this processor has the instructions.
        pub(crate) fn is_available() -> bool {
            is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
        }
    }

    isa!(Bmi, [#[target_feature(enable = "popcnt,lzcnt,bmi1,bmi2")]], with_features);
}

/// Runs a task with the best instruction set that this processor has.
pub(crate) fn run_best<T: Task>(board: &Board, state: T::State) -> u64 {
    let &Board { black, white, kings } = board;
    #[cfg(target_arch = "x86_64")]
    if Bmi::is_available() {
        return Bmi::run::<T>(black, white, kings, state);
    }
    Portable::run::<T>(black, white, kings, state)
}
