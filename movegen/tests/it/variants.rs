//! The other games of the board: published counts, positions of the rules, a slow generator.

use movegen::notation::pdn::{PdnGame, PdnReader, ReadOptions, WriteOptions, game_to_string};
use movegen::notation::{format_long, format_move, hub, parse_move};
use movegen::perft::{perft, perft_unbulked};
use movegen::{Color, Fen, Kind, KingRun, Move, Position, Square, Variant};

use crate::support::mailbox::Mailbox;
use crate::support::random::{Random, percent, sprinkled};
use crate::support::{fen, mv};

const MASTERS: &str = "B:W6,9,10,11,20,21,22,23,30,K31,33,37,41,42,43,44,46:BK17,K24";
const WOLDOUBY: &str = "W:W25,27,28,30,32,33,34,35,37,38:B12,13,14,16,18,19,21,23,24,26";

/// Published counts, depth 1 first: dctl, Scan.
fn published() -> Vec<(Variant, Position, Vec<u64>)> {
    use Variant::{Breakthrough, Frisian, Frysk, Killer, Losing};
    let common = [9, 81, 658, 4265, 27117, 167140, 1_049_442, 6_483_961, 41_022_423];
    let mut rows: Vec<_> = [Killer, Breakthrough, Losing]
        .into_iter()
        .map(|variant| (variant, Position::initial_of(variant), common.to_vec()))
        .collect();
    let frisian = [9, 81, 658, 3874, 21265, 102_431, 540_126, 2_825_779, 15_605_069];
    let frysk = [9, 81, 657, 5329, 41829, 328_329, 2_572_197, 20_147_712, 157_945_922];
    rows.push((Frisian, Position::initial_of(Frisian), frisian.to_vec()));
    rows.push((Frysk, Position::initial_of(Frysk), frysk.to_vec()));
    let masters = [14, 55, 1168, 5165, 84326, 573_965, 8_476_150, 78_944_517];
    rows.push((Killer, fen(MASTERS).with_variant(Killer), masters.to_vec()));
    let masters = [1, 1, 11, 20, 186, 1069];
    rows.push((Frisian, fen(MASTERS).with_variant(Frisian), masters.to_vec()));
    let woldouby = [
        6, 12, 30, 73, 215, 590, 1944, 6269, 22369, 88043, 377_339, 1_908_829, 9_850_540,
        58_116_971,
    ];
    rows.push((Killer, fen(WOLDOUBY).with_variant(Killer), woldouby.to_vec()));
    rows
}

fn check_published(fits: impl Fn(u64) -> bool) {
    let mut checked = 0;
    for (variant, position, counts) in published() {
        for (depth, &count) in (1..).zip(&counts).filter(|&(_, &count)| fits(count)) {
            assert_eq!(perft(&position, depth), count, "{variant} {position:?} depth {depth}");
            checked += 1;
        }
    }
    assert!(checked > 3);
}

#[test]
fn published_counts() {
    check_published(|count| count < 3_000_000);
}

#[test]
#[ignore = "slow: the published counts above three million"]
fn slow_published_counts() {
    check_published(|count| count >= 3_000_000);
}

/// As the file writes moves.
fn texts(position: &Position) -> Vec<String> {
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.sort_by_key(|mv| (mv.from(), mv.to(), mv.captured().into_iter().collect::<Vec<_>>()));
    moves.iter().map(ToString::to_string).collect()
}

#[test]
fn complete_move_lists() {
    let text = include_str!("../../../positions/variants.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let (mut checked, mut sequences) = (0, 0);
    for row in rows {
        let fields: Vec<&str> = row.split('\t').collect();
        let variant: Variant = fields[0].parse().unwrap();
        let start = fen(fields[1]).with_variant(variant);
        let before = fields[2].split_whitespace();
        sequences += usize::from(!fields[2].is_empty());
        let position = before.fold(start, |position, text| position.after(mv(&position, text)));
        let mut expected: Vec<&str> = fields[4].split(' ').filter(|&mv| mv != "-").collect();
        let mut found = texts(&position);
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{row}");
        assert_eq!(found.len().to_string(), fields[3], "{row}");
        assert_eq!(position.has_legal_move(), !found.is_empty(), "{row}");
        for (depth, count) in (1..).zip(fields[5].split_whitespace()) {
            assert_eq!(perft(&position, depth).to_string(), count, "{row} depth {depth}");
            assert_eq!(perft_unbulked(&position, depth).to_string(), count, "{row}");
        }
        checked += 1;
    }
    assert_eq!((checked, sequences), (114, 32));
}

#[test]
fn routes_are_joined_while_searching() {
    let many = "W:W50:B18,22,23,24,27,29,32,33,34,38,40,42,43,44,K49";
    let position = fen(many).with_variant(Variant::Frisian);
    let moves = position.legal_moves();
    assert_eq!(moves.len(), 6);
    assert!(moves.iter().all(|mv| mv.captured().len() == 14));
    let seven = fen("W:WK4,36,41,42,43,44,46,47,48,49,50:B1,2,6,12,14,17,18,23");
    let expected = ["22", "27", "28", "31", "33", "39"].map(|to| format!("4x{to}x12x14x17x18x23"));
    assert_eq!(texts(&seven.with_variant(Variant::Frisian)), expected);
}

/// Positions of lidraughts whose routes cannot be counted. That nothing better is possible was found by
/// another program, which kept all four and thirteen million states of squares and captured pieces.
#[test]
fn stress_positions_are_solved() {
    let stress = [
        ("W:WK50:B3,7,10,12,13,14,17,20,21,23,25,30,32,36,38,39,41,43,K47", 19, 1),
        (
            "W:W50:B7,9,11,12,13,14,16,18,20,21,22,23,24,27,29,31,32,33,34,36,38,40,41,42,43,44,\
             K47,K49",
            26,
            2,
        ),
        (
            "W:WK5:BK2,K4,K7,K8,K9,K10,K11,K13,K15,K16,K18,K19,K20,K21,K22,K24,K27,K29,K30,K31,\
             K32,K33,K35,K36,K38,K40,K41,K42,K43,K44,K47,K49",
            32,
            1,
        ),
    ];
    for (text, captured, count) in stress {
        let moves = fen(text).with_variant(Variant::Frisian).legal_moves();
        assert_eq!(moves.len(), count, "{text} {moves:?}");
        assert!(moves.iter().all(|mv| mv.captured().len() == captured), "{text} {moves:?}");
    }
}

#[test]
fn killer_stops_behind_a_king() {
    let moves = |text| texts(&fen(text).with_variant(Variant::Killer));
    assert_eq!(moves("W:WK46:BK23"), ["46x19x23"]);
    assert_eq!(moves("W:WK46:B23"), ["46x5x23", "46x10x23", "46x14x23", "46x19x23"]);
    assert_eq!(moves("B:BK46:WK37"), ["46x32x37"]);
}

/// 2,000 positions of each variant: the moves of the slow generator, the boards after them.
#[test]
fn random_positions_against_the_slow_generator() {
    for variant in Variant::ALL {
        let mut random = Random::new(63 + variant as u64);
        let (mut checked, mut captures) = (0, 0);
        while checked < 2_000 {
            let pieces = [1 + random.below(18), 1 + random.below(18)];
            let kings = [random.below(60), random.below(60)];
            let mut position = sprinkled(&mut random, pieces, kings).with_variant(variant);
            if variant.is_frisian() {
                position = with_random_runs(&mut random, &position);
            }
            let slow = Mailbox::new(&position);
            let Some(expected) = slow.legal_moves() else { continue };
            let mut moves = position.legal_moves();
            moves.sort_unstable();
            assert_eq!(moves.to_vec(), expected, "{variant} {}", position.to_fen());
            assert_eq!(position.count_legal_moves(), moves.len() as u64);
            assert_eq!(position.has_legal_move(), !moves.is_empty(), "{variant} {position:?}");
            let is_capture = moves.first().is_some_and(|mv| mv.is_capture());
            assert_eq!(position.has_capture(position.side_to_move()), is_capture);
            let reversed = position.reversed().legal_moves();
            assert_eq!(reversed.len(), moves.len(), "{variant} {position:?}");
            for &mv in &moves {
                let after = position.after(mv);
                assert_eq!(after.board(), slow.after(mv).board(), "{variant} {mv}");
                assert_eq!(after.key(), after.computed_key(), "{variant} {mv}");
                assert_eq!(after.variant(), variant);
            }
            checked += 1;
            captures += u32::from(is_capture);
        }
        assert!(captures > 100, "{variant}: {captures}");
    }
}

fn with_random_runs(random: &mut Random, position: &Position) -> Position {
    let runs = Color::ALL.map(|color| {
        let kings: Vec<Square> = position.kings(color).into_iter().collect();
        let counts = !kings.is_empty() && !position.men(color).is_empty() && percent(random, 70);
        counts.then(|| KingRun {
            square: kings[random.below(kings.len())],
            moves: 1 + random.below(3) as u8,
        })
    });
    position.with_king_runs(runs).unwrap()
}

/// The counters of the three-move rule, from the history of a game alone.
fn counted(history: &[(Position, Move)], now: &Position, color: Color) -> Option<KingRun> {
    if now.men(color).is_empty() {
        return None;
    }
    let mut at: Option<Square> = None;
    let mut moves = 0;
    for (before, mv) in history.iter().rev() {
        if before.side_to_move() != color {
            let lost = at.or_else(|| last_to(history, color));
            if lost.is_some_and(|square| mv.captured().contains(square)) {
                break;
            }
            continue;
        }
        let is_quiet_king = before.kings(color).contains(mv.from()) && !mv.is_capture();
        if !is_quiet_king || at.is_some_and(|square| square != mv.to()) {
            break;
        }
        moves += 1;
        at = Some(mv.from());
    }
    let square = last_to(history, color)?;
    (moves > 0).then_some(KingRun { square, moves })
}

/// Where this side's last move went.
fn last_to(history: &[(Position, Move)], color: Color) -> Option<Square> {
    history.iter().rev().find(|(p, _)| p.side_to_move() == color).map(|(_, mv)| mv.to())
}

#[test]
fn three_moves_of_a_king_in_games() {
    let mut random = Random::new(17);
    let (mut stopped, mut lost) = (0, 0);
    for _ in 0..300 {
        let mut position = sprinkled(&mut random, [4, 4], [45, 45]).with_variant(Variant::Frisian);
        let mut history = Vec::new();
        for _ in 0..60 {
            for color in Color::ALL {
                assert_eq!(position.king_run(color), counted(&history, &position, color));
            }
            let moves = position.legal_moves();
            let side = position.side_to_move();
            if let Some(run) = position.king_run(side).filter(|run| run.moves == KingRun::LIMIT) {
                stopped += 1;
                assert!(moves.iter().all(|mv| mv.is_capture() || mv.from() != run.square));
            }
            // Kings are moved on by preference, so that the rule has something to do.
            let again = position.king_run(side).map(|run| run.square);
            let of_run: Vec<Move> =
                moves.iter().copied().filter(|mv| Some(mv.from()) == again).collect();
            let Some(&any) = moves.get(random.below(moves.len().max(1))) else {
                lost += 1;
                break;
            };
            let mv = if of_run.is_empty() { any } else { of_run[random.below(of_run.len())] };
            history.push((position, mv));
            position = position.after(mv);
        }
    }
    assert!(stopped > 20 && lost > 20, "{stopped} {lost}");
}

#[test]
fn counters_are_part_of_the_position() {
    let plain = fen("W:WK28,30:BK1,5").with_variant(Variant::Frisian);
    let king = Square::new(28).unwrap();
    let run = |moves| [None, Some(KingRun { square: king, moves })];
    let positions = [1, 2, 3].map(|moves| plain.with_king_runs(run(moves)).unwrap());
    for (i, position) in positions.iter().enumerate() {
        assert_ne!(*position, plain);
        assert_ne!(position.key(), plain.key());
        assert_eq!(position.reversed().reversed(), *position);
        assert!(positions[..i].iter().all(|p| p != position && p.key() != position.key()));
    }
    assert_eq!(positions[2].legal_moves().len(), 2, "the man only");
    assert!(plain.with_king_runs(run(0)).is_err());
    assert!(plain.with_king_runs(run(4)).is_err());
    assert!(fen("W:WK28,30:BK1,5").with_king_runs(run(1)).is_err(), "international");
    let bare = fen("W:WK28:BK1,5").with_variant(Variant::Frisian);
    assert!(bare.with_king_runs(run(1)).is_err(), "no men");
    assert_ne!(plain.key(), fen("W:WK28,30:BK1,5").key());
    assert_eq!(plain.piece_at(king).unwrap().kind, Kind::King);
}

/// Moves are written and read in every notation.
#[test]
fn moves_of_games_come_back() {
    let mut random = Random::new(4);
    for variant in Variant::ALL {
        let mut straight = 0;
        for _ in 0..30 {
            let mut position = Position::initial_of(variant);
            for _ in 0..100 {
                let moves = position.legal_moves();
                for &mv in &moves {
                    assert_eq!(parse_move(&position, &format_move(&position, mv)), Ok(mv));
                    assert_eq!(parse_move(&position, &format_long(&position, mv)), Ok(mv));
                    assert_eq!(hub::parse_move(&position, &mv.to_string()), Ok(mv));
                    let rows = mv.from().row().abs_diff(mv.to().row());
                    straight += u32::from(mv.captured().len() == 1 && rows == 0);
                }
                if moves.is_empty() {
                    break;
                }
                position = position.after(moves[random.below(moves.len())]);
            }
        }
        assert_eq!(straight > 10, variant.is_frisian(), "{variant} {straight}");
    }
}

#[test]
fn fen_has_the_king_moves_in_a_row() {
    let run = |square, moves| Some(KingRun { square: Square::new(square).unwrap(), moves });
    for (text, runs) in [
        ("W:WK28,32:BK31,40:+0+228", [None, run(28, 2)]),
        ("W:WK28,32:BK31,40:+131+0", [run(31, 1), None]),
        ("B:WK28,32:BK31,40:+331+128", [run(31, 3), run(28, 1)]),
        ("W:WK28,32:BK31,40", [None; 2]),
    ] {
        let position = Position::from_fen_in(text, Variant::Frisian).unwrap();
        assert_eq!(Color::ALL.map(|color| position.king_run(color)), runs, "{text}");
        assert_eq!(position.to_fen(), text);
        let is_plain = runs == [None; 2];
        assert_eq!(Position::from_fen(text).is_ok(), is_plain, "international");
        assert_eq!(Position::from_fen_in(text, Variant::Losing).is_ok(), is_plain);
    }
    let full: Fen = "W:WK28,32:BK31,40:H3:F9:+0+228".parse().unwrap();
    assert_eq!(full.to_string_with_counters(), "W:WK28,32:BK31,40:H3:F9:+0+228");
    let none = Position::from_fen("W:WK28,32:BK31,40:+0+0").unwrap();
    assert_eq!(none.to_fen(), "W:WK28,32:BK31,40");
    for bad in ["+0", "+0+4", "+0+428", "+0+251", "+0+2", "0+0", "+x+0", "+0+227", "+232+0"] {
        let text = format!("W:WK28,32:BK31,40:{bad}");
        assert!(Position::from_fen_in(&text, Variant::Frisian).is_err(), "{bad}");
    }
}

/// A file with games of every kind: each reader takes its own, and counts the others by kind.
#[test]
fn pdn_is_read_by_kind() {
    let mut random = Random::new(11);
    let mut file = String::new();
    let mut written = Vec::new();
    for variant in Variant::ALL {
        let mut game = PdnGame::new(Position::initial_of(variant));
        let mut position = game.start;
        for _ in 0..60 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            game.line.plies.push(mv.into());
            position = position.after(mv);
        }
        file += &game_to_string(&game, &WriteOptions::default());
        written.push(game);
    }
    for game in &written {
        let variant = game.start.variant();
        let options = ReadOptions { variant, ..ReadOptions::default() };
        let mut reader = PdnReader::with_options(file.as_bytes(), options);
        let read: Vec<PdnGame> = reader.by_ref().map(Result::unwrap).collect();
        assert_eq!(read.len(), 1, "{variant}");
        assert_eq!((read[0].start, &read[0].line), (game.start, &game.line), "{variant}");
        assert_eq!(read[0].tags.get("Variant").is_some(), variant != Variant::International);
        let counters = reader.counters();
        assert_eq!((counters.used, counters.other_type, counters.games), (1, 5, 6));
        let skipped = reader.warnings().iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(skipped.len(), 5, "{skipped:?}");
    }
    // Without a tag it is what is asked for.
    let frisian = ReadOptions { variant: Variant::Frisian, ..ReadOptions::default() };
    let untold = PdnReader::with_options(&b"[FEN \"W:WK46,50:B1,23\"] 1. 46x5 *"[..], frisian);
    assert_eq!(
        untold.map(Result::unwrap).map(|game| game.line.plies.len()).collect::<Vec<_>>(),
        [1]
    );
}

#[test]
fn names_are_read_and_written() {
    for variant in Variant::ALL {
        assert_eq!(variant.name().parse(), Ok(variant));
        assert_eq!(variant.title().parse(), Ok(variant));
        let hub = if variant == Variant::Frysk { Variant::Frisian } else { variant };
        assert_eq!(variant.hub_name().parse(), Ok(hub));
    }
    assert_eq!("bt".parse(), Ok(Variant::Breakthrough));
    let error = "checkers".parse::<Variant>().unwrap_err().to_string();
    assert!(Variant::ALL.iter().all(|v| error.contains(v.name())), "{error}");
}
