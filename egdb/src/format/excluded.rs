//! Which positions a format leaves out.

use movegen::{Board, Color, Position};
use thiserror::Error;

use super::DbType;

/// Why a database has no value for a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Error)]
pub enum Excluded {
    /// The side to move can capture.
    #[error("the side to move can capture")]
    CaptureForMover,
    /// The other side could capture if it were to move.
    #[error("the other side could capture if it were to move")]
    CaptureForOpponent,
}

/// Why databases of this type have no value for a position, or `None` if they do (apart from
/// material and sides to move that are missing as a whole). The rule of each format is in
/// `docs/formats.md`, section 10.
#[inline]
#[must_use]
pub fn exclusion(db_type: DbType, position: &Position) -> Option<Excluded> {
    excludes_board(db_type, position.board(), position.side_to_move())
}

/// As [`exclusion`], from the bare sets.
#[inline(always)]
pub fn excludes_board(db_type: DbType, board: &Board, side: Color) -> Option<Excluded> {
    if board.has_capture(side) {
        return Some(Excluded::CaptureForMover);
    }
    excludes_quiet(db_type, board, side).then_some(Excluded::CaptureForOpponent)
}

/// The rest of the rule for a position whose side to move has no capture: whether the other
/// side's captures exclude it.
#[inline(always)]
pub fn excludes_quiet(db_type: DbType, board: &Board, side: Color) -> bool {
    let pieces = (board.black | board.white).count_ones();
    db_type.leaves_out_threats(pieces, board.kings.count_ones())
        && board.has_capture(side.opponent())
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::{Kind, Piece, Setup, Square};

    /// Men and kings by square, black ones first.
    fn position(side: Color, pieces: [&[(Kind, u8)]; 2]) -> Position {
        let mut setup = Setup::empty(side);
        for (color, list) in Color::ALL.into_iter().zip(pieces) {
            for &(kind, number) in list {
                setup.put(Piece { color, kind }, Square::new(number).unwrap());
            }
        }
        setup.position().unwrap()
    }

    #[test]
    fn version_2_leaves_out_threats_from_7_pieces_and_2_kings_on() {
        use Kind::{King, Man};
        // White, not to move, threatens 28x19; Black has nothing to capture.
        let threat = |others: &[(Kind, u8)], white: &[(Kind, u8)]| {
            let black = [&[(Man, 23)], others].concat();
            let white = [&[(Man, 28)], white].concat();
            let position = position(Color::Black, [&black, &white]);
            assert!(!position.has_capture(Color::Black), "{position}");
            assert!(position.has_capture(Color::White), "{position}");
            position
        };
        let six = threat(&[(King, 5), (Man, 1)], &[(King, 50), (Man, 32)]);
        let seven = threat(&[(King, 5), (Man, 1), (Man, 2)], &[(King, 50), (Man, 32)]);
        let one_king = threat(&[(Man, 6), (Man, 1), (Man, 2)], &[(King, 50), (Man, 32)]);
        assert_eq!([six, seven, one_king].map(|p| p.piece_count()), [6, 7, 7]);
        assert_eq!(exclusion(DbType::Wld2, &six), None);
        assert_eq!(exclusion(DbType::Wld2, &one_king), None);
        assert_eq!(exclusion(DbType::Wld2, &seven), Some(Excluded::CaptureForOpponent));
        assert_eq!(exclusion(DbType::Wld1, &seven), None);
        assert_eq!(exclusion(DbType::Mtc, &seven), None);
        let turned = seven.with_other_side();
        assert_eq!(exclusion(DbType::Wld2, &turned), Some(Excluded::CaptureForMover));
        assert_eq!(exclusion(DbType::Dtw, &turned), Some(Excluded::CaptureForMover));
    }
}
