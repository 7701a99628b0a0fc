//! The rules of the moves, article by article: one test or more for each statement.

use movegen::{Bitboard, Color, Move, Position, PositionError, Setup};

use crate::support::{fen, mv, square};

/// The legal moves as text, sorted.
fn moves(text: &str) -> Vec<String> {
    let position = fen(text);
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.sort_by_key(|mv| (mv.from(), mv.to(), mv.captured()));
    moves.iter().map(ToString::to_string).collect()
}

/// Asserts the complete list of moves, given as text in any order, and that the turned position
/// has the turned moves.
#[track_caller]
fn assert_moves(text: &str, expected: &str) {
    let mut expected: Vec<&str> = expected.split_whitespace().collect();
    let mut found = moves(text);
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected, "{text}\n{}", fen(text));
    let position = fen(text);
    let turn = |mv: &Move| Move::new(mv.from().turned(), mv.to().turned(), mv.captured().turned());
    let mut turned: Vec<Move> = position.legal_moves().iter().map(turn).collect();
    let mut reversed: Vec<Move> = position.reversed().legal_moves().into_iter().collect();
    turned.sort_unstable();
    reversed.sort_unstable();
    assert_eq!(reversed, turned, "{text} turned");
}

// Start and turns.

#[test]
fn start_white_moves_first_with_nine_moves() {
    let start = Position::initial();
    assert_eq!(start.side_to_move(), Color::White);
    assert_eq!(start, fen("W:W31-50:B1-20"));
    assert_eq!(start.legal_moves().len(), 9);
    assert_eq!(start.after(mv(&start, "32-28")).side_to_move(), Color::Black);
}

// Quiet moves.

#[test]
fn quiet_men_move_one_square_forward() {
    assert_moves("W:W28:B1", "28-22 28-23");
    assert_moves("B:W50:B28", "28-32 28-33");
    assert_moves("W:W26:B1", "26-21");
    assert_moves("W:W25:B1", "25-20");
    assert_moves("W:W27,22,21:B1", "22-17 22-18 21-16 21-17");
}

#[test]
fn quiet_kings_slide_in_all_directions_up_to_a_piece() {
    assert_moves(
        "W:WK28:B1",
        "28-22 28-17 28-11 28-6 28-23 28-19 28-14 28-10 28-5 28-32 28-37 28-41 28-46 28-33 28-39 \
         28-44 28-50",
    );
    // An own piece stops it; so do two pieces of the enemy in a row.
    assert_moves("W:WK46,37:B23,19", "46-41 37-31 37-32");
    assert_moves("W:WK46:B37,32", "46-41");
}

#[test]
fn quiet_moves_only_without_a_capture() {
    assert_moves("W:W28,50:B23", "28x19x23");
    assert_moves("W:WK46,50:B10", "46x5x10");
}

// Captures.

#[test]
fn capture_by_a_man_in_all_four_directions() {
    assert_moves("W:W28:B22,23,32,33", "28x17x22 28x19x23 28x37x32 28x39x33");
    assert_moves("B:W22,23,32,33:B28", "28x17x22 28x19x23 28x37x32 28x39x33");
    assert_moves("W:W28:BK32", "28x37x32");
}

#[test]
fn capture_by_a_man_needs_the_square_behind() {
    assert_moves("W:W28:B23,19", "28-22");
    assert_moves("W:W28,19:B23", "28-22 19-13 19-14");
    // On the edge there is no square behind.
    assert_moves("W:W31:B26", "31-27");
    assert_moves("W:W7:B1,2", "");
}

#[test]
fn capture_by_a_king_at_a_distance() {
    assert_moves("W:WK46:B32", "46x28x32 46x23x32 46x19x32 46x14x32 46x10x32 46x5x32");
    // It lands up to the next piece.
    assert_moves("W:WK46,10:B32", "46x28x32 46x23x32 46x19x32 46x14x32");
    // Only the first piece it meets counts, and own pieces are not jumped.
    assert_moves("W:WK46,28:B23,37,32", "28x19x23");
    assert_moves("W:WK46,37:B32", "37x28x32");
}

#[test]
fn capture_must_go_on_with_the_same_piece() {
    assert_moves("W:W32:B28,18", "32x12x18x28");
    assert_moves("W:W32:B28,18,8", "32x3x8x18x28");
    // A king goes straight on too, over further free squares.
    assert_moves("W:WK46:B37,19", "46x14x19x37 46x10x19x37 46x5x19x37");
    // It chooses the landing square where it can continue.
    assert_moves("W:WK46:B32,8", "46x2x8x32");
}

#[test]
fn captured_pieces_stay_until_the_end_turkish_stroke() {
    // Three on the way 12-23-32-41. With 28 and 37 off the board at once, the king could turn back
    // up the long diagonal and take 10 as the fourth; they are still there, so it cannot.
    let text = "W:WK12:B10,15,16,18,28,37,42,44";
    assert_moves(text, "12x41x18x28x37 12x46x18x28x37");
    // Without the pieces behind, the same way back to 10 is open when it is empty.
    assert_moves("W:WK41:B10", "41x5x10");
}

#[test]
fn no_piece_is_jumped_twice() {
    // Around the circle and back on 43 or 48 the king faces 39 again, with a free square behind.
    assert_moves("W:WK48:B21,24,39,42,44", "48x43x21x24x39x42 48x48x21x24x39x42 48x49x21x24x42x44");
}

#[test]
fn an_empty_square_may_be_crossed_twice() {
    // 39 is the landing square of the first jump and of the last.
    assert_moves("W:W50:B44,34,24,23,33", "50x39x23x24x33x34x44");
    // Two circles of a man that meet in its start square.
    assert_moves("W:W28:B23,24,33,34,22,21,32,31", "28x28x21x22x23x24x31x32x33x34");
}

#[test]
fn the_start_square_counts_as_empty() {
    // A man in a circle ends where it started.
    let text = "W:W33:B28,29,18,19";
    assert_moves(text, "33x33x18x19x28x29");
    let position = fen(text);
    let after = position.after(position.legal_moves()[0]);
    assert_eq!(after, fen("B:W33:B"));
    assert_moves(
        "W:WK4:B10,18,20,28,31,39,44",
        "4x4x10x18x20x28 4x9x10x18x20x28 4x13x10x18x20x28 4x36x10x20x28x31",
    );
}

// Majority.

#[test]
fn majority_the_greatest_number_is_obligatory() {
    assert_moves("W:W32,45:B28,19,40", "32x14x19x28");
    assert_moves("W:W32,K26:B28,19,37", "32x14x19x28");
    assert_moves("W:WK26,40:B37,43,35,34", "26x25x34x37x43 26x30x34x37x43");
}

#[test]
fn majority_kings_count_as_one() {
    assert_moves("W:W28:BK22,23,14", "28x10x14x23");
    // No preference for taking with the king or for taking a king.
    assert_moves("W:W31,K50:B27,K45", "31x22x27");
    assert_moves("W:W28,31:BK23,26,27", "28x19x23 31x22x27");
}

#[test]
fn majority_leaves_a_free_choice_among_equals() {
    assert_moves("W:WK50,31:B27,44,17", "31x11x17x27 50x6x17x44 50x11x17x44");
}

#[test]
fn majority_narrows_the_landing_squares() {
    assert_moves("W:WK46:B32,19", "46x14x19x32 46x10x19x32 46x5x19x32");
}

// Promotion.

#[test]
fn promotion_at_the_end_of_a_move() {
    for (before, text, after) in [
        ("W:W6:B45", "6-1", "B:WK1:B45"),
        ("B:W6:B45", "45-50", "W:W6:BK50"),
        ("W:W12:B7", "12x1x7", "B:WK1:B"),
        ("B:W44:B39", "39x50x44", "W:W:BK50"),
    ] {
        let position = fen(before);
        assert_eq!(position.after(mv(&position, text)), fen(after), "{before}");
    }
}

#[test]
fn promotion_not_when_passing_the_row() {
    let position = fen("W:W14:B8,9");
    assert_moves("W:W14:B8,9", "14x12x8x9");
    assert_eq!(position.after(position.legal_moves()[0]), fen("B:W12:B"));
    // The other pieces are out of a man's reach.
    assert_moves("W:W13:B9,10,19,23,26,38,42", "13x15x9x10");
    let black = fen("B:W42,43:B37");
    assert_eq!(black.after(black.legal_moves()[0]), fen("W:W:B39"));
}

#[test]
fn promotion_makes_the_move_a_kings_only_from_the_next_turn() {
    // A king on 2 could continue over 24.
    assert_moves("W:W11:B7,24", "11x2x7");
}

#[test]
fn no_men_on_their_own_promotion_row() {
    let mut setup = Setup::from(&Position::initial());
    setup.men[Color::White.index()] |= square(3).bitboard();
    setup.men[Color::Black.index()] = square(7).bitboard();
    let refused = PositionError::ManOnPromotionRow { color: Color::White, square: square(3) };
    assert_eq!(setup.position(), Err(refused));
    let mut setup = Setup::empty(Color::White);
    setup.men[Color::Black.index()] |= square(48).bitboard();
    let refused = PositionError::ManOnPromotionRow { color: Color::Black, square: square(48) };
    assert_eq!(setup.position(), Err(refused));
}

// End of the game.

#[test]
fn a_side_without_a_move_has_none() {
    for text in ["W:W31:B26,27,21,22", "W:W:B20", "B:W20:B", "W:WK46:B41,37"] {
        let position = fen(text);
        assert!(!position.has_legal_move(), "{text}");
        assert_eq!(position.count_legal_moves(), 0, "{text}");
        assert_moves(text, "");
        assert!(position.with_other_side().has_legal_move(), "{text}");
    }
}

// What is one move.

#[test]
fn routes_to_the_same_result_are_one_move() {
    assert_moves("W:WK2:B6,9,13,30", "2x35x13x30");
    assert_moves("W:WK36:B9,22,32,39", "36x4x9x22");
    // A man both ways around the circle.
    assert_eq!(moves("W:W33:B28,29,18,19").len(), 1);
}

#[test]
fn different_captured_sets_are_different_moves() {
    assert_moves("W:WK30:B7,21,22,34,41", "30x2x7x21x34 30x2x7x22x34 30x26x21x22x34");
}

#[test]
fn different_ends_are_different_moves() {
    assert_moves("W:WK3:B9,12,21,23,31,42", "3x3x9x12x21x23x31 3x8x9x12x21x23x31");
}

#[test]
fn a_quiet_move_captures_nothing() {
    for mv in Position::initial().legal_moves() {
        assert_eq!(mv.captured(), Bitboard::EMPTY);
        assert!(!mv.is_capture());
    }
}
