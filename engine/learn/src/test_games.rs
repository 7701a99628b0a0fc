//! Games for tests.

use movegen::random::Random;

use super::game::{End, MAX_MOVES, PlayedGame, PlayedPly};
use super::opening::{OpeningMix, SelfplayOpening};
use super::store::GamesHeader;
use super::test_positions::{played, scattered};
use meerslag_study::Shard;
use movegen::Score;
use movegen::{Variant, Wld};

/// A game of random moves with random scores.
pub(crate) fn random_game(seed: u64) -> PlayedGame {
    random_game_of(Variant::International, seed)
}

/// The same of another game of the board.
pub(crate) fn random_game_of(variant: Variant, seed: u64) -> PlayedGame {
    let mut random = Random::new(seed);
    let mut starts = Random::new(seed);
    let start = if random.below(2) == 0 { played(&mut starts) } else { scattered(&mut starts) };
    let start = start.with_variant(variant);
    let mut position = start;
    let mut plies = Vec::new();
    for _ in 0..random.below(60) {
        let moves = position.legal_moves();
        if moves.is_empty() || moves.len() > MAX_MOVES {
            break;
        }
        let mv = moves[random.below(moves.len())];
        let score = Score::new(random.below(20_001) as i32 - 10_000);
        plies.push(PlayedPly { mv, score: (moves.len() > 1).then_some(score) });
        position = position.after(mv);
    }
    PlayedGame {
        start,
        opening: SelfplayOpening::ALL[random.below(SelfplayOpening::ALL.len())],
        plies,
        white: Wld::ALL[random.below(3)],
        end: End::ALL[random.below(End::ALL.len())],
    }
}

/// This many games, and the header of a file that could hold them.
pub(crate) fn games(count: u64) -> (GamesHeader, Vec<PlayedGame>) {
    let header = GamesHeader {
        variant: Variant::International,
        seed: 1,
        nodes: 100,
        openings: OpeningMix::default(),
        shard: Shard::WHOLE,
        evaluation: "some".to_owned(),
        database_pieces: 0,
        program: "1".to_owned(),
        play: String::new(),
    };
    (header, (0..count).map(random_game).collect())
}
