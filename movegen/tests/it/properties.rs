//! The move generator against a slow mailbox generator written from the rules, on random
//! positions of many kinds.

use movegen::{Color, Move, MoveList, Position, with_isa};

use crate::support::fen;
use crate::support::mailbox::Mailbox;
use crate::support::random::{Random, percent, scattered, sprinkled};

/// How many positions a test compared, and of which kinds.
#[derive(Default, Debug)]
struct Tally {
    compared: u32,
    /// The mailbox gave up: too many routes.
    skipped: u32,
    captures: u32,
    most_captured: u32,
    most_moves: usize,
    circular: u32,
    blocked: u32,
}

impl Tally {
    /// Compares all answers of a position; returns its moves.
    fn compare(&mut self, position: &Position) -> Vec<Move> {
        let mailbox = Mailbox::new(position);
        for color in Color::ALL {
            assert_eq!(position.has_capture(color), mailbox.has_capture(color), "{position:?}");
        }
        let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
        assert_eq!(position.count_legal_moves(), moves.len() as u64, "{position:?}");
        assert_eq!(position.has_legal_move(), !moves.is_empty(), "{position:?}");
        // The copy for this processor finds the same, and the captures alone.
        let (mut all, mut captures) = (MoveList::new(), MoveList::new());
        with_isa!(isa => {
            position.generate_with(isa, &mut all);
            position.generate_captures_with(isa, &mut captures);
        });
        assert_eq!(all[..], moves[..], "{position:?}");
        let expected =
            if moves.first().is_some_and(|mv| mv.is_capture()) { &moves[..] } else { &[] };
        assert_eq!(captures[..], *expected, "{position:?}");
        if captures.is_empty() {
            assert_eq!(position.has_quiet_move(), !moves.is_empty(), "{position:?}");
        }
        moves.sort_unstable();
        let Some(expected) = mailbox.legal_moves() else {
            self.skipped += 1;
            return moves;
        };
        assert_eq!(moves, expected, "{position:?}");
        for &mv in moves.iter().take(20) {
            let after = position.after(mv);
            assert_eq!(after, mailbox.after(mv), "{position:?} {mv}");
            assert_eq!(after.key(), after.computed_key(), "{position:?} {mv}");
        }
        self.compared += 1;
        let captured = moves.first().map_or(0, |mv| mv.captured().len());
        self.captures += u32::from(captured > 0);
        self.most_captured = self.most_captured.max(captured);
        self.most_moves = self.most_moves.max(moves.len());
        self.circular += u32::from(moves.iter().any(|mv| mv.from() == mv.to()));
        self.blocked += u32::from(moves.is_empty());
        moves
    }

    /// Skipped positions must be rare, one in a thousand, or the comparison means little.
    fn check(&self, at_least: u32) {
        assert!(self.compared >= at_least, "{self:?}");
        assert!(self.skipped * 1000 <= self.compared, "{self:?}");
    }
}

fn play_out(random: &mut Random, tally: &mut Tally, start: Position, plies: usize) {
    let mut position = start;
    for _ in 0..plies {
        let moves = tally.compare(&position);
        if moves.is_empty() {
            return;
        }
        position = position.after(moves[random.below(moves.len())]);
    }
}

#[test]
fn random_games() {
    let mut random = Random::new(1);
    let mut tally = Tally::default();
    while tally.compared < 40_000 {
        play_out(&mut random, &mut tally, Position::initial(), 150);
    }
    tally.check(40_000);
    assert!(tally.captures > 10_000 && tally.blocked > 100, "{tally:?}");
}

#[test]
fn sprinkled_positions() {
    let mut random = Random::new(2);
    let mut tally = Tally::default();
    for _ in 0..40_000 {
        let total = 1 + random.below(40);
        let white = random.below(total + 1);
        let kings = [random.below(101), random.below(101)];
        tally.compare(&sprinkled(&mut random, [total - white, white], kings));
    }
    tally.check(39_900);
    assert!(tally.captures > 10_000 && tally.circular > 100, "{tally:?}");
}

/// Few kings against scattered enemies: long, branching and circular captures.
#[test]
fn long_and_circular_captures_of_kings() {
    let mut random = Random::new(3);
    let mut tally = Tally::default();
    for _ in 0..40_000 {
        let (own, enemy) = (1 + random.below(4), 4 + random.below(11));
        let position = sprinkled(&mut random, [enemy, own], [30, 90]);
        let position = if percent(&mut random, 50) { position.reversed() } else { position };
        tally.compare(&position);
        tally.compare(&position.with_other_side());
    }
    tally.check(79_900);
    assert!(tally.most_captured >= 9 && tally.most_moves > 60, "{tally:?}");
    assert!(tally.circular > 400, "{tally:?}");
}

/// Enemies that stand apart with free squares between them, so that kings turn and turn again:
/// thousands of routes to few results.
#[test]
fn kings_among_scattered_enemies() {
    let mut random = Random::new(7);
    let mut tally = Tally::default();
    for _ in 0..4_000 {
        let (own, enemies) = (1 + random.below(2), 8 + random.below(8));
        let position = scattered(&mut random, own, enemies);
        tally.compare(&position);
    }
    assert!(tally.compared > 3_600 && tally.most_captured >= 10, "{tally:?}");
    assert!(tally.circular > 100, "{tally:?}");
}

/// More than twenty of a side, as compositions have.
#[test]
fn crowded_positions() {
    let mut random = Random::new(4);
    let mut tally = Tally::default();
    for _ in 0..8_000 {
        let crowd = 21 + random.below(29);
        let position = match random.below(3) {
            0 => sprinkled(&mut random, [crowd, 50 - crowd], [20, 50]),
            1 => sprinkled(&mut random, [crowd, random_few(crowd)], [50, 100]),
            _ => sprinkled(&mut random, [random_few(crowd), crowd], [50, 30]),
        };
        tally.compare(&position);
        tally.compare(&position.with_other_side());
    }
    tally.check(15_900);
    assert!(tally.blocked > 100 && tally.captures > 1_000, "{tally:?}");
}

fn random_few(crowd: usize) -> usize {
    (50 - crowd).min(1 + crowd % 3)
}

/// Short games from sprinkled positions with kings: positions that games of men rarely reach.
#[test]
fn games_with_kings() {
    let mut random = Random::new(5);
    let mut tally = Tally::default();
    while tally.compared < 20_000 {
        let pieces = [1 + random.below(12), 1 + random.below(12)];
        let start = sprinkled(&mut random, pieces, [40, 40]);
        play_out(&mut random, &mut tally, start, 20);
    }
    tally.check(20_000);
}

/// Turning the board and swapping the colours turns the moves, and keeps their order.
#[test]
fn reversed_positions_have_the_turned_moves() {
    let mut random = Random::new(6);
    let turned = |moves: MoveList| moves.into_iter().map(Move::turned).collect::<Vec<Move>>();
    for round in 0..20_000 {
        let kings = if round % 2 == 0 { 30 } else { 0 };
        let pieces = [1 + random.below(15), 1 + random.below(15)];
        let position = sprinkled(&mut random, pieces, [kings, kings]);
        let (moves, reversed) = (position.legal_moves(), position.reversed());
        assert_eq!(turned(reversed.legal_moves()), moves[..], "{position:?}");
        assert_eq!(reversed.reversed(), position);
        if let Some(&mv) = moves.first() {
            assert_eq!(position.after(mv).reversed(), reversed.after(mv.turned()), "{position:?}");
        }
    }
}

/// The positions with the most explored routes and the most captures that a long search for them
/// found, against every route walked out: up to some million jumps.
#[test]
fn positions_with_the_most_routes() {
    for (text, count, captured) in [
        (
            "W:WK27:BK1,K3,K6,K8,K9,K10,K11,K12,K14,K17,K19,K20,K21,K22,K23,K26,K30,K31,K32,K33,\
             K34,K37,K41,K42,K43,K44,K45,K46,K50",
            4,
            17,
        ),
        ("W:WK27:BK8,K9,K10,K11,K12,K19,K20,K21,K22,K28,K30,K31,K33,K34,K41,K42,K43,K44", 12, 17),
        (
            "W:WK1,K3,K5,K6,K25,K26,K46,K48,K50:BK7,K8,K9,K10,K17,K18,K20,K21,K23,K29,K30,K31,\
             K39,K40,K41,K42,K43",
            28,
            16,
        ),
        (
            "W:WK46:BK9,K10,K13,K15,K17,K18,K20,K22,K24,K27,K28,K29,K31,K38,K39,K41,K42,K44,K49,K50",
            228,
            9,
        ),
    ] {
        let position = fen(text);
        let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
        moves.sort_unstable();
        let walked = Mailbox::new(&position).legal_moves_within(20_000_000);
        assert_eq!(Some(&moves), walked.as_ref(), "{text}");
        assert_eq!((moves.len(), moves[0].captured().len()), (count, captured), "{text}");
        assert_eq!(position.count_legal_moves() as usize, count, "{text}");
    }
}
