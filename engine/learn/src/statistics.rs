//! Counts of games of self-play and of the positions that training takes from them.

use std::collections::BTreeMap;

use movegen::notation::pdn::GameResult;
use movegen::{Color, Position, Variant};

use super::game::PlayedGame;
use super::sample::{Filter, Sample, SeenGames};
use super::store::GamesHeader;

/// Men's steps to promotion in a row of their table, and the last row.
const STEPS_OF_ROW: u32 = 50;
const LAST_STEPS_ROW: u32 = 5;
/// Pieces in a row of their table, and the last row.
const PIECES_OF_ROW: usize = 5;
const LAST_PIECES_ROW: usize = 9;
/// Hundredths of a man in a row of the table of scores.
const SCORES_OF_ROW: usize = 50;

/// The properties that games and positions are counted by.
const HEADINGS: [&str; 6] =
    ["opening", "White's result", "end", "steps to promotion", "pieces", "score in men"];
/// The tables before this one count games; it and those after it count positions.
const FIRST_OF_POSITIONS: usize = 3;

/// Games by opening, result and end; positions by steps to promotion, pieces and score.
#[derive(Clone, Debug)]
pub struct Statistics {
    filter: Filter,
    variant: Variant,
    games: u64,
    copies: u64,
    plies: u64,
    positions: u64,
    seen: SeenGames,
    /// Counts by place in the table and name of the row.
    tables: [BTreeMap<(usize, String), u64>; HEADINGS.len()],
    samples: Vec<Sample>,
}

/// One of the tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountTable<'a> {
    /// The property that it counts by.
    pub heading: &'static str,
    /// All games, or all positions.
    pub total: u64,
    /// The rows that are not empty: name and count.
    pub rows: Vec<(&'a str, u64)>,
}

impl Statistics {
    /// Empty tables, for the positions that this filter takes.
    #[must_use]
    pub fn new(filter: Filter) -> Statistics {
        Statistics {
            filter,
            variant: Variant::International,
            games: 0,
            copies: 0,
            plies: 0,
            positions: 0,
            seen: SeenGames::default(),
            tables: Default::default(),
            samples: Vec::new(),
        }
    }

    /// The game of the board of the last of them.
    #[must_use]
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// Games that were counted, each once.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Games that occurred before: they are in no other count, as training leaves them out.
    #[must_use]
    pub const fn copies(&self) -> u64 {
        self.copies
    }

    /// Plies of these games.
    #[must_use]
    pub const fn plies(&self) -> u64 {
        self.plies
    }

    /// Positions that training takes from them.
    #[must_use]
    pub const fn positions(&self) -> u64 {
        self.positions
    }

    /// Counts a game of a file with this header.
    pub fn add(&mut self, header: &GamesHeader, game: &PlayedGame) {
        if !self.seen.is_new(game) {
            self.copies += 1;
            return;
        }
        self.variant = header.variant;
        self.games += 1;
        self.plies += game.plies.len() as u64;
        self.count(0, 0, game.opening.name().to_owned());
        self.count(1, 0, GameResult::of_white(game.white).as_str().to_owned());
        self.count(2, 0, game.end.name().to_owned());
        let mut samples = std::mem::take(&mut self.samples);
        samples.clear();
        self.filter.beyond(header.database_pieces).samples(game, 1.0, &mut samples);
        self.positions += samples.len() as u64;
        for Sample { position, score, .. } in &samples {
            let row = (steps(position) / STEPS_OF_ROW).min(LAST_STEPS_ROW);
            let first = row * STEPS_OF_ROW;
            let order = (LAST_STEPS_ROW - row) as usize;
            self.count(3, order, format!("{first}-{}", first + STEPS_OF_ROW - 1));
            let row = position.piece_count() as usize / PIECES_OF_ROW;
            let first = row * PIECES_OF_ROW;
            let order = LAST_PIECES_ROW - row.min(LAST_PIECES_ROW);
            self.count(4, order, format!("{first}-{}", first + PIECES_OF_ROW - 1));
            let row = usize::from(score.unsigned_abs()) / SCORES_OF_ROW;
            let men = |row: usize| (row * SCORES_OF_ROW) as f64 / 100.0;
            self.count(5, row, format!("{:.1}-{:.1}", men(row), men(row + 1)));
        }
        self.samples = samples;
    }

    fn count(&mut self, table: usize, order: usize, name: String) {
        *self.tables[table].entry((order, name)).or_default() += 1;
    }

    /// The tables, of games first.
    pub fn tables(&self) -> impl Iterator<Item = CountTable<'_>> {
        self.tables.iter().zip(HEADINGS).enumerate().map(|(index, (table, heading))| CountTable {
            heading,
            total: if index < FIRST_OF_POSITIONS { self.games } else { self.positions },
            rows: table.iter().map(|((_, name), count)| (name.as_str(), *count)).collect(),
        })
    }
}

/// The steps that the men of both sides still have to make to promote.
fn steps(position: &Position) -> u32 {
    let of = |color| -> u32 {
        let men = position.men(color).into_iter();
        men.map(|man| u32::from(if color == Color::White { man.row() } else { 9 - man.row() }))
            .sum()
    };
    of(Color::White) + of(Color::Black)
}

#[cfg(test)]
mod tests {
    use super::super::test_games;
    use super::*;

    #[test]
    fn each_game_and_each_position_is_in_one_row_of_its_tables() {
        let (header, mut games) = test_games::games(80);
        games.retain(|game| game.plies.len() > 3);
        let count = games.len() as u64;
        let mut statistics = Statistics::new(Filter::default());
        for _ in 0..2 {
            games.iter().for_each(|game| statistics.add(&header, game));
        }
        assert_eq!((statistics.games(), statistics.copies()), (count, count));
        let plies: usize = games.iter().map(|game| game.plies.len()).sum();
        assert_eq!(statistics.plies(), plies as u64);
        assert!(statistics.positions() > 0);
        let tables: Vec<CountTable<'_>> = statistics.tables().collect();
        assert_eq!(tables.len(), 6);
        for table in &tables {
            let sum: u64 = table.rows.iter().map(|row| row.1).sum();
            assert_eq!(sum, table.total, "{table:?}");
        }
        assert_eq!((tables[0].total, tables[5].total), (count, statistics.positions()));
    }

    #[test]
    fn steps_of_the_start() {
        // Rows of ten men: four of each side, with 6 to 9 steps to go.
        let steps = steps(&Position::initial());
        assert_eq!(steps, 2 * 5 * (6 + 7 + 8 + 9));
    }
}
