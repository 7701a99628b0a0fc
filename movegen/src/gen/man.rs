//! Steps and first jumps of all men at once.

/// The squares to which men can step: `[towards the left, towards the right]` as White sees the
/// board. The two sets may overlap (two men, one square).
#[inline(always)]
pub(crate) const fn steps<const WHITE: bool>(men: u64, empty: u64) -> [u64; 2] {
    if WHITE { [men >> 6 & empty, men >> 5 & empty] } else { [men << 5 & empty, men << 6 & empty] }
}

/// Where the man came from that stepped left to `to`.
#[inline(always)]
pub(crate) const fn step_back_left<const WHITE: bool>(to: u64) -> u64 {
    if WHITE { to << 6 } else { to >> 5 }
}

/// Where the man came from that stepped right to `to`.
#[inline(always)]
pub(crate) const fn step_back_right<const WHITE: bool>(to: u64) -> u64 {
    if WHITE { to << 5 } else { to >> 6 }
}

/// For each direction the squares from which a man could jump: an enemy piece on the next
/// square, an empty one behind it. Directions are as White sees the board.
#[derive(Clone, Copy)]
pub(crate) struct Jumps {
    pub(crate) up_left: u64,
    pub(crate) up_right: u64,
    pub(crate) down_left: u64,
    pub(crate) down_right: u64,
}

impl Jumps {
    #[inline(always)]
    pub(crate) const fn new(enemy: u64, empty: u64) -> Jumps {
        Jumps {
            up_left: enemy << 6 & empty << 12,
            up_right: enemy << 5 & empty << 10,
            down_left: enemy >> 5 & empty >> 10,
            down_right: enemy >> 6 & empty >> 12,
        }
    }

    /// The squares from which some jump is possible.
    #[inline(always)]
    pub(crate) const fn any(&self) -> u64 {
        self.up_left | self.up_right | self.down_left | self.down_right
    }
}
