//! The choice of a move in play.

use std::collections::HashSet;
use std::sync::Arc;

use movegen::random::Random;
use movegen::{Game, Move, Position};

use super::format::{MoveEntry, estimate};
use super::reader::Book;
use movegen::Score;

/// How an engine uses a book.
#[derive(Clone, PartialEq, Debug)]
pub struct BookOptions {
    /// The book.
    pub book: Arc<Book>,
    /// Plies from the start with a random choice.
    pub plies: u32,
    /// How much worse than the best a random move may be, in hundredths of a man. 0 for randomness
    /// only between equal moves.
    pub margin: i32,
}

impl BookOptions {
    /// The usual number of random plies and amount of randomness: Scan's.
    pub const DEFAULT: (u32, i32) = (4, 4);

    /// A book with the usual randomness.
    #[must_use]
    pub fn new(book: Arc<Book>) -> BookOptions {
        let (plies, margin) = BookOptions::DEFAULT;
        BookOptions { book, plies, margin }
    }
}

/// A move from a book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// Its value by the book, to the side making it; `None` in a book of games alone.
    pub score: Option<Score>,
    /// The move, and the book's line after it.
    pub pv: Vec<Move>,
}

/// The score where a move has lost according to the book: a man down after a deep search, or the
/// end.
const LOSING: Score = Score::new(-100);
/// A move this many hundredths worse than another is chosen e times less often.
const TEMPERATURE: f64 = 5.0;
/// The longest variation that is shown.
const LONGEST: usize = 8;

impl BookOptions {
    /// The move that the book has for a game; `None` if it has none, or only losing ones.
    pub fn choose(&self, game: &Game, random: &mut Random) -> Option<BookMove> {
        let position = *game.position();
        let (entry, _) = self.book.look_up(&position)?;
        // The game may begin in its middle.
        let ply = match entry.ply {
            u16::MAX => game.ply() as u32,
            ply => u32::from(ply),
        };
        let margin = if ply < self.plies { self.margin } else { 0 };
        let (mv, score) = pick(&self.book, &position, margin, Some(random))?;
        let mut pv = vec![mv];
        let mut next = position.after(mv);
        while let Some((mv, _)) =
            (pv.len() < LONGEST).then(|| pick(&self.book, &next, 0, None)).flatten()
        {
            pv.push(mv);
            next = next.after(mv);
        }
        Some(BookMove { score, pv })
    }
}

/// A move of a position: by its score if the book has scores for it, else by the results of games.
/// Without random numbers the best one.
fn pick(
    book: &Book,
    position: &Position,
    margin: i32,
    random: Option<&mut Random>,
) -> Option<(Move, Option<Score>)> {
    let (_, moves) = book.look_up(position)?;
    let candidates = candidates(&moves, margin);
    let index = match random {
        Some(random) => weighted(&candidates, random)?,
        None => best(&candidates)?,
    };
    let (mv, entry) = moves.get(index)?;
    Some((*mv, entry.score))
}

/// Openings consist of moves at most this many hundredths worse than the best.
const OPENING_MARGIN: i32 = 20;

/// Positions to begin games from: those that the moves of a book lead to after exactly this many
/// plies from its starts. Moves much worse than others, or losing ones, are left out.
#[must_use]
pub fn openings(book: &Book, plies: usize) -> Vec<Position> {
    let starts = (0..book.len()).filter_map(|index| book.position(index));
    let starts =
        starts.filter(|entry| entry.is_start).filter_map(|entry| entry.key.position().ok());
    let mut positions: Vec<Position> = starts.collect();
    for _ in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for position in positions {
            let Some((_, moves)) = book.look_up(&position) else { continue };
            for (index, _) in candidates(&moves, OPENING_MARGIN) {
                let after = position.after(moves[index].0);
                if seen.insert(after) {
                    next.push(after);
                }
            }
        }
        positions = next;
    }
    positions.retain(Position::has_legal_move);
    positions
}

/// The moves that may be chosen, by number, with their weights.
fn candidates(moves: &[(Move, MoveEntry)], margin: i32) -> Vec<(usize, f64)> {
    match moves.iter().filter_map(|(_, entry)| entry.score).max() {
        Some(best) => by_score(moves, best, margin),
        None => by_results(moves, margin > 0),
    }
}

/// Moves by number with their weights: those near the best.
fn by_score(moves: &[(Move, MoveEntry)], best: Score, margin: i32) -> Vec<(usize, f64)> {
    let near = |(index, (_, entry)): (usize, &(Move, MoveEntry))| {
        let score = entry.score.filter(|&score| score > LOSING)?;
        let behind = best.hundredths() - score.hundredths();
        (behind <= margin).then(|| (index, (-f64::from(behind) / TEMPERATURE).exp()))
    };
    moves.iter().enumerate().filter_map(near).collect()
}

/// Moves by number with their estimates: all, or the best. A move that lost all its games has lost
/// according to the book.
fn by_results(moves: &[(Move, MoveEntry)], is_random: bool) -> Vec<(usize, f64)> {
    let weight = |(index, (_, entry)): (usize, &(Move, MoveEntry))| {
        let decided = entry.wins.saturating_add(entry.draws).saturating_add(entry.losses);
        let has_lost = entry.losses > 0 && entry.points() == 0;
        let weight = match entry.estimate {
            0 => estimate(entry.games, entry.points(), decided),
            given => given,
        };
        (!has_lost && weight > 0).then_some((index, f64::from(weight)))
    };
    let mut all: Vec<(usize, f64)> = moves.iter().enumerate().filter_map(weight).collect();
    if !is_random {
        let best = all.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
        all.retain(|(_, weight)| *weight >= best);
    }
    all
}

/// The candidate of the greatest weight; the first of equal ones.
fn best(candidates: &[(usize, f64)]) -> Option<usize> {
    let greater = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
    candidates.iter().rev().max_by(greater).map(|(index, _)| *index)
}

/// A candidate with a probability in proportion to its weight.
fn weighted(candidates: &[(usize, f64)], random: &mut Random) -> Option<usize> {
    let sum: f64 = candidates.iter().map(|(_, weight)| weight).sum();
    let mut rest = random.next_u64() as f64 / u64::MAX as f64 * sum;
    for (index, weight) in candidates {
        rest -= weight;
        if rest <= 0.0 {
            return Some(*index);
        }
    }
    candidates.last().map(|(index, _)| *index)
}
