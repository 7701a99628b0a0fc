//! Simple lines, extended lines and extended lines with plain positions, case by case.
//!
//! A position is *known* if it occurs often enough in the reference base. A simple line ends with
//! the move that leaves the known positions. An extended line may pass through one or two unknown
//! positions. After its end, `extended+` takes moves made in known positions of the rest.

use meerslag_book::{Book, BuildOptions, LineKind};

use super::{Games, from_text, known, moves_after};

const KINDS: [LineKind; 3] = [LineKind::Simple, LineKind::Extended, LineKind::ExtendedPlus];

/// The reference base 1. 32-28[2] 19-23[2] 2. 28x19[1] 14x23[2], where the numbers say how often
/// the position after the move has occurred.
const BASE: &str = "\
position W:W31-50:B1-20 start games=2
  32-28 games=2
position B:W28,31,33-50:B1-20 games=2
  19-23 games=2
position W:W28,31,33-50:B1-18,20,23 games=2
  28x19 games=1
position B:W19,31,33-50:B1-18,20 games=1
  14x23 games=1
position W:W31,33-50:B1-13,15-18,20,23 games=2
";

/// The moves of the line that a book of one game has from the start, with `*` after a link.
fn line(book: &Book) -> String {
    let mut position = movegen::Position::initial();
    let mut line = Vec::new();
    while let Some((mv, entry)) = book.look_up(&position).and_then(|(_, moves)| {
        assert!(moves.len() <= 1, "one game");
        moves.first().copied()
    }) {
        line.push(format!("{mv}{}", if entry.is_link { "*" } else { "" }));
        position = position.after(mv);
    }
    line.join(" ")
}

fn cut(pdn: &str, base: &Book, kind: LineKind, least: Option<u32>) -> String {
    let options = BuildOptions { lines: Some(kind), known: least, ..BuildOptions::default() };
    let games = Games::new(pdn);
    line(&games.build_with(&options, Some(base)).0)
}

/// The game 1. 32-28 17-22. The position after 32-28 is known. That after 17-22 is not: 17-22 is the
/// last move. Nothing later is known, so the line has no links, and there are no plain positions.
#[test]
fn a_game_that_leaves_the_base_is_cut_there() {
    let folder = tempfile::tempdir().unwrap();
    let base = from_text(BASE, folder.path()).unwrap();
    for pdn in ["1. 32-28 17-22 *", "1. 32-28 17-22 2. 28x17 11x22 *"] {
        for kind in KINDS {
            for least in [None, Some(2)] {
                assert_eq!(cut(pdn, &base, kind, least), "32-28 17-22", "{kind:?} {pdn}");
            }
        }
    }
}

/// The example of the classic builder (`-O`, `-X`, and with simple positions), in draughts. In the
/// reference base the positions after 33-28, 18-23 and 20-24 occur twice or more, the others once.
#[test]
fn a_game_that_comes_back_by_transposition() {
    let base = Games::new(
        "1. 33-28 18-23 2. 39-33 20-24 3. 44-39 *\n\n\
         1. 33-28 18-23 2. 38-33 12-18 *\n\n\
         1. 33-28 20-24 2. 39-33 18-23 3. 43-39 *\n",
    );
    let base = base.build(&BuildOptions::default());
    let pdn = "1. 33-28 20-24 2. 39-33 18-23 3. 44-39 *";
    let cut = |kind| cut(pdn, &base, kind, Some(2));
    assert_eq!(cut(LineKind::Simple), "33-28 20-24");
    let extended = "33-28 20-24* 39-33* 18-23";
    assert_eq!(cut(LineKind::Extended), extended);
    assert_eq!(cut(LineKind::ExtendedPlus), format!("{extended} 44-39"));
}

/// The base's own line. Where one occurrence is enough all four positions are known. Where it
/// takes two, the position after 2. 28x19, which has occurred once, is unknown: the simple line ends
/// there. In the extended line 28x19 links the known positions after 19-23 and after 14x23.
#[test]
fn one_unknown_position_may_lie_between_two_known_ones() {
    let folder = tempfile::tempdir().unwrap();
    let base = from_text(BASE, folder.path()).unwrap();
    let pdn = "1. 32-28 19-23 2. 28x19 14x23 3. 37-32 11-16 *";
    let whole = "32-28 19-23 28x19x23 14x23x19 37-32";
    for kind in KINDS {
        assert_eq!(cut(pdn, &base, kind, None), whole, "{kind:?}");
        assert_eq!(cut(pdn, &base, kind, Some(1)), whole, "{kind:?}");
    }
    assert_eq!(cut(pdn, &base, LineKind::Simple, Some(2)), "32-28 19-23 28x19x23");
    let extended = "32-28 19-23 28x19x23* 14x23x19";
    assert_eq!(cut(pdn, &base, LineKind::Extended, Some(2)), extended);
    assert_eq!(cut(pdn, &base, LineKind::ExtendedPlus, Some(2)), format!("{extended} 37-32"));
    // Without the last move it is no link.
    let pdn = "1. 32-28 19-23 2. 28x19 *";
    for kind in KINDS {
        assert_eq!(cut(pdn, &base, kind, Some(2)), "32-28 19-23 28x19x23", "{kind:?}");
    }
}

/// Two games reach the same position by different orders of moves. In the second, the positions
/// after the first three plies are unknown and the fourth is known again: too far for an extended
/// line, which ends with the first move. `extended+` takes the moves made in the fourth position and
/// in the fifth, not the one made in the sixth.
#[test]
fn plain_positions_follow_at_the_end_of_an_extended_line() {
    let base = Games::new("1. 34-29 20-25 2. 31-26 16-21 3. 33-28 *");
    let base = base.build(&BuildOptions::default());
    let games = Games::new("1. 31-26 16-21 2. 34-29 20-25 3. 33-28 18-22 4. 39-33 *");
    let before = "31-26 16-21 34-29 20-25";
    for kind in KINDS {
        let options = BuildOptions { lines: Some(kind), ..BuildOptions::default() };
        let (book, _) = games.build_with(&options, Some(&base));
        assert_eq!(moves_after(&book, ""), known(1, &[("31-26", 1)]));
        assert_eq!(moves_after(&book, "31-26"), known(1, &[]));
        if kind != LineKind::ExtendedPlus {
            assert_eq!(book.len(), 2, "{kind:?}");
            continue;
        }
        assert_eq!(moves_after(&book, "31-26 16-21 34-29"), None);
        assert_eq!(moves_after(&book, before), known(1, &[("33-28", 1)]));
        assert_eq!(moves_after(&book, &format!("{before} 33-28")), known(1, &[("18-22", 1)]));
        assert_eq!(moves_after(&book, &format!("{before} 33-28 18-22")), known(1, &[]));
        assert_eq!(book.len(), 5);
        let plain = book.look_up(&super::after(before)).unwrap().0;
        assert!(!plain.is_in_line && !plain.is_start);
    }
}

/// The base being built is its own reference: a position is known if it occurs in two games, as
/// once is the game itself.
#[test]
fn the_base_being_built_is_its_own_reference() {
    let games = Games::new(
        "1. 32-28 19-23 2. 28x19 14x23 3. 37-32 *\n\n\
         1. 32-28 19-23 2. 28x19 13x24 *\n\n\
         1. 32-28 17-22 2. 28x17 11x22 *\n\n\
         1. 31-26 *\n",
    );
    let options = BuildOptions { lines: Some(LineKind::Simple), ..BuildOptions::default() };
    let book = games.build(&options);
    assert_eq!(moves_after(&book, ""), known(4, &[("31-26", 1), ("32-28", 3)]));
    assert_eq!(moves_after(&book, "31-26"), known(1, &[]));
    assert_eq!(moves_after(&book, "32-28"), known(3, &[("17-22", 1), ("19-23", 2)]));
    assert_eq!(moves_after(&book, "32-28 17-22"), known(1, &[]), "17-22 leaves what is known");
    assert_eq!(moves_after(&book, "32-28 19-23"), known(2, &[("28x19", 2)]));
    assert_eq!(book.len(), 8);
    // A game that returns to a position does not make it known on its own.
    let circle = "[FEN \"W:WK50:BK1\"]\n1. 50-44 1-6 2. 44-50 6-1 3. 50-44 1-6 *\n\n1. 32-28 *\n";
    let both = Games::new(&format!("{circle}\n1. 32-28 *\n"));
    let book = both.build(&options);
    assert_eq!(moves_after(&book, ""), known(2, &[("32-28", 2)]));
    assert_eq!(book.len(), 3, "the two starts and the position after 32-28");
}

/// The compulsory plies are taken, known or not, and the line continues after them.
#[test]
fn compulsory_plies() {
    let folder = tempfile::tempdir().unwrap();
    let base = from_text(BASE, folder.path()).unwrap();
    let pdn = "1. 32-28 17-22 2. 28x17 11x22 *";
    let cut = |plies, lines| {
        let options = BuildOptions { plies, lines, ..BuildOptions::default() };
        line(&Games::new(pdn).build_with(&options, Some(&base)).0)
    };
    let simple = Some(LineKind::Simple);
    assert_eq!(cut(Some(1), simple), "32-28 17-22");
    assert_eq!(cut(Some(3), simple), "32-28 17-22 28x17x22", "17-22 is not known, but compulsory");
    assert_eq!(cut(Some(100), simple), "32-28 17-22 28x17x22 11x22x17");
    // Without lines only the compulsory plies are selected.
    assert_eq!(cut(Some(2), None), "32-28 17-22");
    assert_eq!(cut(None, None), "32-28 17-22 28x17x22 11x22x17");
    // Known again after the compulsory plies.
    let pdn = "1. 32-28 19-23 2. 28x19 14x23 3. 37-32 *";
    let options =
        BuildOptions { plies: Some(3), lines: simple, known: Some(2), ..BuildOptions::default() };
    let book = Games::new(pdn).build_with(&options, Some(&base)).0;
    let whole = "32-28 19-23 28x19x23 14x23x19 37-32";
    assert_eq!(line(&book), whole, "28x19 is compulsory, no link");
}
