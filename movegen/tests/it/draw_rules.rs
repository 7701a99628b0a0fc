//! The draw rules of the FMJD (annex 1, article on draws: repetition, 25 moves, 16 moves, 5
//! moves) in the readings that `DrawRules` names.

use movegen::draw::{FIVE_MOVES, SIXTEEN_MOVES, TWENTY_FIVE_MOVES, earlier_occurrences};
use movegen::{
    Color, DrawCounters, DrawReason, DrawRules, Fen, Game, IllegalMove, MaterialClass, Move,
    Position, Status, WinReason,
};

use crate::support::random::{Random, percent, sprinkled};
use crate::support::{fen, mv, square};

const RULES: DrawRules = DrawRules::Lidraughts;

/// Kings that go to and fro between edge squares, where nothing can be captured.
const KINGS_AND_MEN: &str = "W:WK36,35:BK15,16";

/// A game from a FEN, `plies` already counted, and these moves.
fn game(text: &str, plies: u16, moves: &str) -> Game {
    let start = fen(text);
    let mut game = Game::with_counters(start, DrawCounters::with_plies(&start, plies));
    play(&mut game, moves);
    game
}

fn play(game: &mut Game, moves: &str) {
    for text in moves.split_whitespace() {
        game.play(mv(game.position(), text)).unwrap();
    }
}

// Repetition.

#[test]
fn repetition_is_a_draw_at_the_third_occurrence() {
    let mut game = game(KINGS_AND_MEN, 0, "36-47 15-4 47-36 4-15");
    assert_eq!((game.occurrences(), game.status(RULES)), (2, Status::Ongoing));
    play(&mut game, "36-47 15-4 47-36");
    assert_eq!(game.status(RULES), Status::Ongoing);
    play(&mut game, "4-15");
    assert_eq!(game.occurrences(), 3);
    assert_eq!(game.status(RULES), Status::Draw(DrawReason::Repetition));
    assert_eq!(game.status(DrawRules::Scan), Status::Draw(DrawReason::Repetition));
    assert_eq!(game.status(DrawRules::None), Status::Ongoing);
}

#[test]
fn repeated_positions_need_not_follow_each_other() {
    // Two different circles.
    let mut game = game(KINGS_AND_MEN, 0, "36-47 15-4 47-36 4-15 36-41 15-20 41-36 20-15");
    assert_eq!(game.status(RULES), Status::Draw(DrawReason::Repetition));
    // One ply later the position has occurred only twice.
    play(&mut game, "36-47");
    assert_eq!((game.occurrences(), game.status(RULES)), (2, Status::Ongoing));
}

#[test]
fn the_same_board_with_the_other_side_to_move_is_another_position() {
    // White takes three moves to come back, Black two.
    let game = game(KINGS_AND_MEN, 0, "36-41 15-4 41-47 4-15 47-36");
    assert_eq!(game.position().with_other_side(), *game.start());
    assert_eq!(game.occurrences(), 1);
}

#[test]
fn nothing_recurs_across_a_capture_or_man_move() {
    let mut game = game(KINGS_AND_MEN, 0, "36-47 15-4 47-36 4-15");
    assert_eq!(game.reversible_keys().len(), 5);
    play(&mut game, "35-30");
    assert_eq!(game.reversible_keys(), [game.position().key()]);
    assert_eq!(game.counters().reversible(), 0);
}

#[test]
fn occurrences_are_counted_within_the_reversible_plies() {
    let keys = [7, 1, 2, 3, 7, 1, 2, 3, 7];
    assert_eq!(earlier_occurrences(&keys, 8), 2);
    assert_eq!(earlier_occurrences(&keys, 7), 1);
    assert_eq!(earlier_occurrences(&keys, 3), 0);
    assert_eq!(earlier_occurrences(&keys, u16::MAX), 2, "more plies than keys: a start with H");
    assert_eq!(earlier_occurrences(&[], 10), 0);
    assert!(movegen::draw::is_repetition(&keys, 4) && !movegen::draw::is_repetition(&keys, 3));
}

#[test]
fn repetition_comes_before_the_counters() {
    let text = "W:WK50,K45:BK1";
    let game = game(text, 2, "50-44 1-6 44-50 6-1 50-44 1-6 44-50 6-1");
    assert_eq!(game.counters().draw(RULES), Some(DrawReason::FiveMoves));
    assert_eq!(game.status(RULES), Status::Draw(DrawReason::Repetition));
}

// 25 moves.

#[test]
fn twenty_five_moves_of_kings_are_a_draw() {
    let mut game = game(KINGS_AND_MEN, TWENTY_FIVE_MOVES - 2, "36-47");
    assert_eq!(game.status(RULES), Status::Ongoing);
    assert_eq!(game.counters().plies_left(RULES), Some(1));
    play(&mut game, "15-4");
    assert_eq!(game.status(RULES), Status::Draw(DrawReason::TwentyFiveMoves));
    assert_eq!(game.counters().plies_left(RULES), Some(0));
    assert_eq!(game.status(DrawRules::Scan), Status::Ongoing);
    assert_eq!(game.status(DrawRules::None), Status::Ongoing);
}

#[test]
fn man_moves_promotions_and_captures_restart_the_25_moves() {
    for (text, moves) in [
        ("W:WK50,33:BK1,18", "33-28"),
        ("W:WK50,9:BK1,18,20", "9-3"),
        ("W:WK50,33:BK1,28", "33x22x28"),
        ("W:WK50,K33:BK1,28", "33x22x28"),
    ] {
        let game = game(text, 49, moves);
        assert_eq!(game.counters().reversible(), 0, "{text}");
        assert_eq!(game.status(RULES), Status::Ongoing, "{text}");
    }
    assert_eq!(game(KINGS_AND_MEN, 49, "36-47").counters().reversible(), 50);
}

#[test]
fn a_win_on_the_last_ply_comes_before_every_draw() {
    let blocked = Status::Win(Color::White, WinReason::Blocked);
    let none_left = Status::Win(Color::White, WinReason::NoPieces);
    // 25 moves, a quiet move that shuts the last man in.
    let game_25 = game("W:WK28:B45", 49, "28-50");
    assert_eq!(game_25.counters().draw(RULES), Some(DrawReason::TwentyFiveMoves));
    assert_eq!(game_25.status(RULES), blocked);
    // 5 moves: the king in the corner is shut in, or taken.
    let game_5 = game("W:WK4,K14:BK5", 9, "4-10");
    assert_eq!(game_5.counters().draw(RULES), Some(DrawReason::FiveMoves));
    assert_eq!(game_5.status(RULES), blocked);
    assert_eq!(game("W:WK46,K1:BK28", 9, "46x23x28").status(RULES), none_left);
    // 16 moves.
    let game_16 = game("W:WK4,K14,20:BK5", 31, "4-10");
    assert_eq!(game_16.counters().draw(RULES), Some(DrawReason::SixteenMoves));
    assert_eq!(game_16.status(RULES), blocked);
    assert_eq!(game_16.status(DrawRules::None), blocked);
}

// 16 and 5 moves.

#[test]
fn material_classes() {
    use MaterialClass::{FiveMoves, Other, SixteenMoves};
    for (text, class) in [
        ("W:WK50:BK1", FiveMoves),
        ("W:WK50,K49:BK1", FiveMoves),
        ("W:WK50,33:BK1", FiveMoves),
        ("W:WK50,K49,K48:BK1", SixteenMoves),
        ("W:WK50,K49,33:BK1", SixteenMoves),
        ("W:WK50,34,33:BK1", SixteenMoves),
        ("W:WK50,K49,K48,K47:BK1", Other),
        ("W:W33:BK1", Other),
        ("W:W33,34:BK1", Other),
        ("W:W33,34,35:BK1", Other),
        ("W:WK50,K49:B1", Other),
        ("W:WK50,K49,K48:B1", Other),
        ("W:WK50,K49:BK1,K2", Other),
        ("W:WK50,K49:BK1,2", Other),
        ("W:W33:B1", Other),
        ("W:WK50:B", Other),
        ("W:W31-50:B1-20", Other),
    ] {
        let position = fen(text);
        for position in [position, position.reversed(), position.with_other_side()] {
            assert_eq!(MaterialClass::of(&position), class, "{text}");
        }
    }
}

#[test]
fn five_moves_against_one_king() {
    // The capture that makes the class is not counted.
    let mut game = game("W:WK36,K35:BK5,22", 0, "36x4x22");
    assert_eq!(game.counters().class(), MaterialClass::FiveMoves);
    assert_eq!((game.counters().in_class(), game.counters().plies_left(RULES)), (0, Some(10)));
    play(&mut game, "5-46");
    assert_eq!((game.counters().in_class(), game.counters().plies_left(RULES)), (1, Some(9)));
    play(&mut game, "4-36 46-5 35-49 5-46 36-47 46-5 49-35 5-46");
    assert_eq!((game.counters().in_class(), game.status(RULES)), (9, Status::Ongoing));
    play(&mut game, "47-36");
    assert_eq!(game.counters().in_class(), FIVE_MOVES);
    assert_eq!(game.status(RULES), Status::Draw(DrawReason::FiveMoves));
    assert_eq!(game.status(DrawRules::Scan), Status::Ongoing);
}

#[test]
fn man_moves_promotions_and_captures_inside_the_class_count_on() {
    let man = game("W:WK50,11:BK46", 3, "11-7");
    assert_eq!((man.counters().in_class(), man.counters().reversible()), (4, 0));
    let crowned = game("W:WK50,8:BK46", 3, "8-2");
    assert_eq!((crowned.counters().in_class(), crowned.counters().reversible()), (4, 0));
    // Two against one becomes one against one: still the same class.
    let captured = game("B:WK50,32:BK46", 9, "46x28x32");
    assert_eq!(captured.counters().in_class(), 10);
    assert_eq!(captured.status(RULES), Status::Draw(DrawReason::FiveMoves));
    let sixteen = game("W:WK50,K49,8:BK46", 30, "8-2");
    assert_eq!(
        (sixteen.counters().in_class(), sixteen.counters().plies_left(RULES)),
        (31, Some(1))
    );
}

#[test]
fn sixteen_moves_against_one_king() {
    let mut game = game("W:WK50,K49,K48:BK1", SIXTEEN_MOVES - 2, "50-45");
    assert_eq!(game.status(RULES), Status::Ongoing);
    play(&mut game, "1-6");
    assert_eq!(game.status(RULES), Status::Draw(DrawReason::SixteenMoves));
}

#[test]
fn losing_a_piece_of_three_starts_the_five_moves() {
    let mut game = game("B:WK36,K35,32:BK46", 25, "46x5x32");
    assert_eq!(game.counters().class(), MaterialClass::FiveMoves);
    assert_eq!(game.counters().in_class(), 0);
    assert_eq!(game.counters().plies_left(RULES), Some(10));
    // Cumulative: 26 of the 32 plies are used up.
    assert_eq!(game.counters().plies_left(DrawRules::FmjdCumulative), Some(6));
    play(&mut game, "36-47 5-46 35-49 46-5 47-36");
    assert_eq!(game.status(DrawRules::FmjdCumulative), Status::Ongoing);
    play(&mut game, "5-46");
    let drawn = Status::Draw(DrawReason::SixteenMoves);
    assert_eq!(game.status(DrawRules::FmjdCumulative), drawn);
    assert_eq!(game.status(RULES), Status::Ongoing);
    play(&mut game, "49-35 46-5 36-47 5-46");
    assert_eq!(game.status(RULES), Status::Draw(DrawReason::FiveMoves));
}

#[test]
fn the_five_moves_end_first_also_when_cumulative() {
    let game = game("B:WK36,K35,32:BK46", 3, "46x5x32");
    assert_eq!(game.counters().plies_left(DrawRules::FmjdCumulative), Some(10));
}

#[test]
fn capturing_the_last_enemy_king_drops_the_counter() {
    let mut game = game("B:WK28,6,45:BK46", 30, "46x5x28");
    assert_eq!(game.counters().class(), MaterialClass::Other);
    assert_eq!((game.counters().in_class(), game.counters().reversible()), (0, 0));
    assert_eq!(game.counters().plies_left(DrawRules::FmjdCumulative), Some(50));
    // A new king, a new count; three against one again, and nothing of the old count left.
    play(&mut game, "6-1");
    assert_eq!(game.counters().class(), MaterialClass::FiveMoves);
    assert_eq!(game.counters().in_class(), 0);
    assert_eq!(game.counters().plies_left(DrawRules::FmjdCumulative), Some(10));
}

#[test]
fn plies_of_a_fen_go_to_the_counter_of_the_class() {
    for (text, class, reversible) in
        [("W:WK50,33:BK1,18", 0, 7), ("W:WK50:BK1", 7, 0), ("W:WK50,K49,35:BK1", 7, 0)]
    {
        let counters = DrawCounters::with_plies(&fen(text), 7);
        assert_eq!((counters.in_class(), counters.reversible()), (class, reversible), "{text}");
        assert_eq!(counters.plies(), 7);
    }
    let most = DrawCounters::with_plies(&fen("W:WK50,K49,K2:BK1"), u16::MAX);
    assert_eq!(most.draw(DrawRules::FmjdCumulative), Some(DrawReason::SixteenMoves));
    let after = game("W:WK50,K49,K2:BK1", u16::MAX, "50-45");
    assert_eq!(after.counters().in_class(), u16::MAX, "counters stop, they do not wrap");
}

#[test]
fn a_fen_with_counted_plies_starts_a_game() {
    let game = |text: &str| text.parse::<Fen>().unwrap().game().unwrap();
    let counted = game("W:WK36,35:BK15,16:H49:F60");
    assert_eq!((counted.counters().plies(), counted.ply(), counted.occurrences()), (49, 0, 1));
    assert_eq!(counted.status(RULES), Status::Ongoing);
    let mut next = counted.clone();
    play(&mut next, "36-47");
    assert_eq!(next.status(RULES), Status::Draw(DrawReason::TwentyFiveMoves));
    assert_eq!(game("W:WK36,35:BK15,16").counters().plies(), 0);
    assert_eq!(game("W:WK36:BK15:H4000000000").counters().plies(), u16::MAX);
}

// The module's own interface.

#[test]
fn rule_names_there_and_back() {
    for rules in DrawRules::ALL {
        assert_eq!(rules.to_string().parse(), Ok(rules));
    }
    assert_eq!("lidraughts".parse(), Ok(DrawRules::default()));
    for bad in ["", "Lidraughts", "fmjd", "scan+long-diagonal5", "scan+", "none "] {
        let error = bad.parse::<DrawRules>().unwrap_err();
        assert!(error.to_string().contains("expected lidraughts"), "{error}");
    }
}

#[test]
fn an_illegal_move_leaves_the_game_as_it_was() {
    let mut game = Game::new(Position::initial());
    play(&mut game, "32-28");
    let before = game.clone();
    let mv = Move::new(square(18), square(24), movegen::Bitboard::EMPTY);
    let error = game.play(mv).unwrap_err();
    assert_eq!(error, IllegalMove { mv, ply: 1, position: *before.position() });
    assert_eq!(game, before);
    assert_eq!(game.undo().map(|mv| mv.to_string()), Some("32-28".to_owned()));
    assert_eq!(game, Game::default());
    assert_eq!(game.undo(), None);
}

/// The counters of the last position of a game, worked out from the whole game.
struct Naive {
    occurrences: u32,
    reversible: usize,
    class: MaterialClass,
    in_class: usize,
    since_sixteen: Option<usize>,
}

impl Naive {
    fn of(game: &Game) -> Naive {
        let positions = game.positions();
        let last = positions.len() - 1;
        let is_reversible = |i: usize| {
            let mv = game.moves()[i];
            let was_king = positions[i].kings(positions[i].side_to_move()).contains(mv.from());
            was_king && mv.captured().is_empty()
        };
        let class = |i: usize| {
            let sides =
                Color::ALL.map(|c| (positions[i].men(c).len(), positions[i].kings(c).len()));
            for (lone, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
                if lone == (0, 1) && other.1 > 0 {
                    match other.0 + other.1 {
                        1 | 2 => return MaterialClass::FiveMoves,
                        3 => return MaterialClass::SixteenMoves,
                        _ => {}
                    }
                }
            }
            MaterialClass::Other
        };
        let now = class(last);
        let run = (0..=last).rev().take_while(|&i| class(i) == now).count() - 1;
        let small = (0..=last).rev().take_while(|&i| class(i) != MaterialClass::Other).count();
        let oldest_sixteen =
            (last + 1 - small..=last).find(|&i| class(i) == MaterialClass::SixteenMoves);
        Naive {
            occurrences: positions.iter().filter(|&p| p == &positions[last]).count() as u32,
            reversible: (0..last).rev().take_while(|&i| is_reversible(i)).count(),
            class: now,
            in_class: if now == MaterialClass::Other { 0 } else { run },
            since_sixteen: oldest_sixteen.map(|i| last - i),
        }
    }

    fn draw(&self, set: DrawRules) -> Option<DrawReason> {
        if set == DrawRules::None {
            None
        } else if self.occurrences >= 3 {
            Some(DrawReason::Repetition)
        } else if set == DrawRules::Scan {
            None
        } else if self.class == MaterialClass::SixteenMoves && self.in_class >= 32 {
            Some(DrawReason::SixteenMoves)
        } else if self.class == MaterialClass::FiveMoves && self.in_class >= 10 {
            Some(DrawReason::FiveMoves)
        } else if set == DrawRules::FmjdCumulative && self.since_sixteen >= Some(32) {
            Some(DrawReason::SixteenMoves)
        } else if self.reversible >= 50 {
            Some(DrawReason::TwentyFiveMoves)
        } else {
            None
        }
    }
}

/// A random move; in half of the cases back to where the piece came from, if it can. A peaceful
/// game avoids captures and man moves where possible, so that it lasts.
fn choose(random: &mut Random, game: &Game, peaceful: bool) -> Move {
    let position = game.position();
    let moves = position.legal_moves();
    let own = game.ply().checked_sub(2).map(|ply| game.moves()[ply]);
    let back = moves.iter().copied().find(|mv| {
        own.is_some_and(|own| !mv.is_capture() && (mv.from(), mv.to()) == (own.to(), own.from()))
    });
    let is_calm = |mv: &&Move| {
        let after = position.after(**mv);
        let quiet = !mv.is_capture() && position.all_kings().contains(mv.from());
        quiet && !after.has_capture(after.side_to_move())
    };
    let calm: Vec<Move> = moves.iter().filter(is_calm).copied().collect();
    let choice: &[Move] = if peaceful && !calm.is_empty() { &calm } else { &moves };
    let any = choice[random.below(choice.len())];
    if !peaceful && percent(random, 50) { back.unwrap_or(any) } else { any }
}

/// Random games of few pieces, with many moves to and fro, against counters worked out again from
/// the whole game after each ply.
#[test]
fn counters_agree_with_the_whole_game() {
    let mut random = Random::new(25);
    let mut seen = std::collections::HashMap::new();
    for round in 0..3000 {
        let pieces =
            if round % 3 == 0 { [1, 3] } else { [1 + random.below(4), 1 + random.below(4)] };
        let start = sprinkled(&mut random, pieces, [70, 70]);
        let mut game = Game::new(start);
        for _ in 0..90 {
            let naive = Naive::of(&game);
            assert_eq!(game.occurrences(), naive.occurrences, "{game:?}");
            let counters = *game.counters();
            assert_eq!(usize::from(counters.reversible()), naive.reversible, "{game:?}");
            assert_eq!(counters.class(), naive.class, "{game:?}");
            assert_eq!(usize::from(counters.in_class()), naive.in_class, "{game:?}");
            let moves = game.position().legal_moves();
            for set in DrawRules::ALL {
                let expected = match naive.draw(set) {
                    _ if moves.is_empty() => {
                        let loser = game.position().side_to_move();
                        let left = game.position().pieces(loser).len();
                        let reason =
                            if left == 0 { WinReason::NoPieces } else { WinReason::Blocked };
                        Status::Win(!loser, reason)
                    }
                    Some(reason) => Status::Draw(reason),
                    None => Status::Ongoing,
                };
                let status = game.status(set);
                assert_eq!(status, expected, "{set} {game:?}");
                *seen.entry((set.name(), format!("{status:?}"))).or_insert(0) += 1;
                if !moves.is_empty() && naive.occurrences < 3 {
                    let left = counters.plies_left(set);
                    assert_eq!(left == Some(0), naive.draw(set).is_some(), "{set} {game:?}");
                }
            }
            if moves.is_empty() {
                break;
            }
            let next = choose(&mut random, &game, round % 2 == 0);
            game.play(next).unwrap();
        }
    }
    // The games must have been through everything that is compared.
    for reason in ["Repetition", "TwentyFiveMoves", "SixteenMoves", "FiveMoves"] {
        let status = format!("Draw({reason})");
        assert!(seen.get(&("fmjd-cumulative", status)).copied() > Some(20), "{reason}: {seen:?}");
    }
}
