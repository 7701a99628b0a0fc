//! What may be asked, and the answers for every legal position.
//!
//! [`QuietFor`] proves that a position is one for which a format stores a value; only such a
//! proof can be looked up. [`Probe`] answers for all legal positions of databases opened
//! together: captures and positions that the files leave out are resolved by search.

mod answer;
mod mtc;
mod open;
mod question;
mod quiet;
mod wld;

pub use answer::{Answer, MoveAnswer, Probe};
pub use mtc::{MTC_AFTER_CONVERSION, MTC_ROUNDING, Rounding};
pub use open::DatabaseOptions;
pub use quiet::{Compact, Dtw, Excluded, Format, Mtc, QuietFor, View, Wld1, Wld2, WldRun};
pub(crate) use quiet::{excludes, excludes_board};

/// Why databases of this type have no value for a position, or `None` if they do (apart from
/// material and sides to move that are missing as a whole). For tools that list files; a lookup
/// goes through [`QuietFor`].
#[must_use]
pub fn exclusion(db_type: crate::DbType, position: &movegen::Position) -> Option<Excluded> {
    excludes(db_type, position)
}
