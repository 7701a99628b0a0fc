//! The kinds of evaluation, which differ in the windows that a side looks at; and weights.

use std::str::FromStr;

use super::board::{GROUPS, PART_VALUES, SideView};

/// Steps that all men of both sides together need to promote at the start of a game.
pub const OPENING_STEPS: i32 = 300;
/// Units of a weight in a hundredth of a man.
pub const UNITS: i32 = 10;

/// Parts of a hundredth of a man in `mixed` sums.
pub const IN_A_HUNDREDTH: i32 = OPENING_STEPS * UNITS;

/// The values of a weight at the start and at the end of the game, in tenths of a hundredth of a
/// man.
pub type Pair = [i16; 2];

/// The patterns of an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvalKind {
    /// No patterns: material, mobility, races.
    Material,
    /// Sixteen windows of 4 rows and 4 columns (8 squares). Each side looks at eight of them.
    P8,
}

impl FromStr for EvalKind {
    type Err = String;

    fn from_str(name: &str) -> Result<EvalKind, String> {
        EvalKind::from_name(name).ok_or_else(|| "expected material or p8".to_owned())
    }
}

impl EvalKind {
    /// All kinds.
    pub const ALL: [EvalKind; 2] = [EvalKind::Material, EvalKind::P8];

    /// The name in files and options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            EvalKind::Material => "material",
            EvalKind::P8 => "p8",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<EvalKind> {
        EvalKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Number of tables: one for each window that a side looks at.
    pub const fn tables(self) -> usize {
        match self {
            EvalKind::Material => 0,
            EvalKind::P8 => 2 * GROUPS,
        }
    }

    /// Entries of a table.
    pub const fn entries(self) -> usize {
        match self {
            EvalKind::Material => 0,
            EvalKind::P8 => PART_VALUES * PART_VALUES,
        }
    }

    /// Rows of a window.
    pub(super) const fn rows(self) -> usize {
        match self {
            EvalKind::Material => 0,
            EvalKind::P8 => 4,
        }
    }

    /// Calls `see` with the table and the entry of each window that a side looks at.
    #[inline(always)]
    pub fn visit(self, view: SideView, mut see: impl FnMut(usize, usize)) {
        if self == EvalKind::Material {
            return;
        }
        for top in 0..2 {
            for group in 0..GROUPS {
                let (a, b) = (view.part(top, group), view.part(top + 1, group));
                see(top * GROUPS + group, a + PART_VALUES * b);
            }
        }
    }
}

impl std::fmt::Display for EvalKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
