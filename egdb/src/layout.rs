//! The sizes on which all else depends: blocks of data, and the numbers of positions of a slice.

/// Bytes of a block as we read, cache and check it, whatever the type of the database.
pub const BLOCK: usize = 4096;

/// Bytes of a piece of a block: the part that a lookup in a coded block reads.
pub const PIECE: usize = 64;

/// `C(n, k)` at `[k][n]`, k up to 5.
pub(crate) const BINOMIALS: [[u32; 64]; 8] = {
    let mut table = [[0u32; 64]; 8];
    let mut n = 0;
    while n < 64 {
        table[0][n] = 1;
        let mut k = 1;
        while k < 6 {
            if n > 0 {
                table[k][n] = table[k][n - 1] + table[k - 1][n - 1];
            }
            k += 1;
        }
        n += 1;
    }
    table
};

/// `C(n, k)`, n below 64 and k up to 5.
#[inline(always)]
#[must_use]
pub const fn binomial(n: u32, k: u32) -> u32 {
    BINOMIALS[k as usize][(n & 63) as usize]
}

/// The factors of a slice's index function.
#[derive(Clone, Copy)]
pub struct Layout {
    /// Man arrangements with more black men on the first row than the array index.
    pub base: [u64; 6],
    /// `C(5, b)`.
    pub front: [u8; 6],
    /// `C(40, bm - b)`.
    pub back: [u32; 6],
    /// `C(50 - men, bk)`.
    pub black_kings: u32,
    /// `C(50 - men - bk, wk)`.
    pub white_kings: u32,
    /// All man arrangements.
    pub men: u64,
}

impl Layout {
    const fn new([bm, bk, wm, wk]: [u32; 4]) -> Layout {
        let mut layout = Layout {
            base: [0; 6],
            front: [0; 6],
            back: [0; 6],
            black_kings: binomial(50 - bm - wm, bk),
            white_kings: binomial(50 - bm - wm - bk, wk),
            men: 0,
        };
        let mut b = bm + 1;
        while b > 0 {
            b -= 1;
            layout.base[b as usize] = layout.men;
            layout.front[b as usize] = binomial(5, b) as u8;
            layout.back[b as usize] = binomial(40, bm - b);
            layout.men += binomial(5, b) as u64
                * binomial(40, bm - b) as u64
                * binomial(45 - bm + b, wm) as u64;
        }
        layout
    }

    /// All positions, one side to move.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.men * self.black_kings as u64 * self.white_kings as u64
    }
}

/// Number of material balances with up to five men and kings a side, possible or not.
pub(crate) const IDS: usize = 6 * 6 * 6 * 6;

/// By the digits of the balance, base 6: black men, black kings, white men, white kings.
pub(crate) static LAYOUTS: [Layout; IDS] = {
    let mut table = [const { Layout::new([0; 4]) }; IDS];
    let mut id = 0;
    while id < IDS {
        let n = id as u32;
        table[id] = Layout::new([n / 216, n / 36 % 6, n / 6 % 6, n % 6]);
        id += 1;
    }
    table
};
