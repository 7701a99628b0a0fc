//! Steps and first jumps of all men at once.
//!
//! Sets are rotated, not shifted: x86-64 can rotate into another register in one instruction.
//! Bits rotated over the end of the word land where the set they are intersected with is empty: on
//! the bits above 53, or, for two steps of an empty square, on squares that one step of an enemy
//! piece cannot reach.

use super::Visitor;
use crate::geometry::bits;

/// The squares that men can step to: `[towards the left, towards the right]` as White sees the
/// board. The two sets may overlap (two men, one square).
#[inline(always)]
pub(crate) const fn steps<const WHITE: bool>(men: u64, empty: u64) -> [u64; 2] {
    if WHITE {
        [men.rotate_right(6) & empty, men.rotate_right(5) & empty]
    } else {
        [men.rotate_left(5) & empty, men.rotate_left(6) & empty]
    }
}

/// Shows the visitor every step, to the mover's right first.
#[inline(always)]
pub(crate) fn visit_steps<const WHITE: bool>(men: u64, empty: u64, visitor: &mut impl Visitor) {
    let [left, right] = steps::<WHITE>(men, empty);
    if WHITE {
        visitor.steps(right, 5);
        visitor.steps(left, 6);
    } else {
        visitor.steps(left, 64 - 5);
        visitor.steps(right, 64 - 6);
    }
}

/// For each direction the squares where a man could jump: an enemy piece on the next square, an
/// empty one behind it. Directions are as White sees the board.
#[derive(Clone, Copy)]
pub(crate) struct Jumps {
    up_left: u64,
    up_right: u64,
    down_left: u64,
    down_right: u64,
}

impl Jumps {
    #[inline(always)]
    pub(crate) const fn new(enemy: u64, empty: u64) -> Jumps {
        Jumps {
            up_left: enemy.rotate_left(6) & empty.rotate_left(12),
            up_right: enemy.rotate_left(5) & empty.rotate_left(10),
            down_left: enemy.rotate_right(5) & empty.rotate_right(10),
            down_right: enemy.rotate_right(6) & empty.rotate_right(12),
        }
    }

    /// The squares where some jump is possible.
    #[inline(always)]
    pub(crate) const fn any(&self) -> u64 {
        self.up_left | self.up_right | self.down_left | self.down_right
    }
}

/// Landing squares of the first jumps of all men, and which of them can continue.
pub(crate) struct FirstJumps {
    up_left: u64,
    up_right: u64,
    down_left: u64,
    down_right: u64,
    up_left_chains: u64,
    up_right_chains: u64,
    down_left_chains: u64,
    down_right_chains: u64,
}

impl FirstJumps {
    /// A second jump cannot need the start square to be empty (the way back to it takes four
    /// jumps) and cannot turn back over the piece just captured, so the jump sets of the
    /// untouched board decide exactly which first jumps continue.
    #[inline(always)]
    pub(crate) fn new(men: u64, jumps: &Jumps) -> FirstJumps {
        let up_left = (men & jumps.up_left).rotate_right(12);
        let up_right = (men & jumps.up_right).rotate_right(10);
        let down_left = (men & jumps.down_left).rotate_left(10);
        let down_right = (men & jumps.down_right).rotate_left(12);
        FirstJumps {
            up_left,
            up_right,
            down_left,
            down_right,
            up_left_chains: up_left & (jumps.up_left | jumps.up_right | jumps.down_left),
            up_right_chains: up_right & (jumps.up_right | jumps.up_left | jumps.down_right),
            down_left_chains: down_left & (jumps.down_left | jumps.down_right | jumps.up_left),
            down_right_chains: down_right & (jumps.down_right | jumps.down_left | jumps.up_right),
        }
    }

    /// Whether some first jump can continue (non-zero).
    #[inline(always)]
    pub(crate) const fn chains(&self) -> u64 {
        self.up_left_chains | self.up_right_chains | self.down_left_chains | self.down_right_chains
    }

    /// Number of first jumps.
    #[inline(always)]
    pub(crate) const fn count(&self) -> u32 {
        self.up_left.count_ones()
            + self.up_right.count_ones()
            + self.down_left.count_ones()
            + self.down_right.count_ones()
    }

    /// Shows the visitor every first jump as a complete capture.
    #[inline(always)]
    pub(crate) fn visit(&self, visitor: &mut impl Visitor) {
        for to in bits(self.up_left) {
            visitor.man_capture(to.rotate_left(12), to, to.rotate_left(6));
        }
        for to in bits(self.up_right) {
            visitor.man_capture(to.rotate_left(10), to, to.rotate_left(5));
        }
        for to in bits(self.down_left) {
            visitor.man_capture(to.rotate_right(10), to, to.rotate_right(5));
        }
        for to in bits(self.down_right) {
            visitor.man_capture(to.rotate_right(12), to, to.rotate_right(6));
        }
    }

    /// For each direction: the landing squares of the first jumps that can continue, and the rotations
    /// of a landing square that give its start and the captured square.
    #[inline(always)]
    pub(crate) const fn chain_starts(&self) -> [(u64, u32, u32); 4] {
        [
            (self.up_left_chains, 12, 6),
            (self.up_right_chains, 10, 5),
            (self.down_left_chains, 64 - 10, 64 - 5),
            (self.down_right_chains, 64 - 12, 64 - 6),
        ]
    }
}

/// The second jumps after first jumps.
pub(crate) struct SecondJumps {
    /// Landing squares by direction of the first and of the second jump.
    landings: [[u64; 4]; 4],
    /// Landing squares where a third jump is possible.
    chains: u64,
}

impl SecondJumps {
    /// As in [`FirstJumps::new`] the jump sets of the untouched board are exact: a third jump
    /// can neither need the start square nor meet the first captured piece again.
    #[inline(always)]
    pub(crate) fn new(first: &FirstJumps, jumps: &Jumps) -> SecondJumps {
        let jumps = [jumps.up_left, jumps.up_right, jumps.down_left, jumps.down_right];
        // Everything but the way back, by direction of the last jump.
        let onward =
            [any_but(&jumps, 3), any_but(&jumps, 2), any_but(&jumps, 1), any_but(&jumps, 0)];
        let starts = first.chain_starts().map(|(set, _, _)| set);
        let mut landings = [[0; 4]; 4];
        let mut chains = 0;
        for one in 0..4 {
            for two in 0..4 {
                if one + two != 3 {
                    let landing = (starts[one] & jumps[two]).rotate_left(TWO_STEPS[two]);
                    landings[one][two] = landing;
                    chains |= landing & onward[two];
                }
            }
        }
        SecondJumps { landings, chains }
    }

    /// Whether some second jump can continue (non-zero).
    #[inline(always)]
    pub(crate) const fn chains(&self) -> u64 {
        self.chains
    }

    /// Number of captures of two pieces.
    #[inline(always)]
    pub(crate) fn count(&self) -> u32 {
        self.landings.as_flattened().iter().map(|set| set.count_ones()).sum()
    }

    /// Shows the visitor every second jump as a complete capture of two pieces.
    #[inline(always)]
    pub(crate) fn visit(&self, visitor: &mut impl Visitor) {
        for one in 0..4 {
            for two in 0..4 {
                for to in bits(self.landings[one][two]) {
                    let middle = to.rotate_right(TWO_STEPS[two]);
                    let from = middle.rotate_right(TWO_STEPS[one]);
                    let captured = to.rotate_right(STEP[two]) | middle.rotate_right(STEP[one]);
                    visitor.man_capture(from, to, captured);
                }
            }
        }
    }
}

/// One and two steps in the four directions as rotations to the left; opposite directions have
/// opposite places.
const STEP: [u32; 4] = [64 - 6, 64 - 5, 5, 6];
const TWO_STEPS: [u32; 4] = [64 - 12, 64 - 10, 10, 12];

#[inline(always)]
const fn any_but(sets: &[u64; 4], left_out: usize) -> u64 {
    let mut union = 0;
    let mut i = 0;
    while i < 4 {
        if i != left_out {
            union |= sets[i];
        }
        i += 1;
    }
    union
}
