//! What was played in a position.

use std::collections::BTreeMap;

use meerslag_search::book::folded_move;
use movegen::{Color, Move, Position};
use rustc_hash::FxHashMap;

use crate::coding::Replay;
use crate::error::GamesError;
use crate::file::{GamesFile, start_of};
use crate::query::Query;

/// A move with the games in which it was played.
#[derive(Clone, PartialEq, Debug)]
pub struct TreeMove {
    /// The move.
    pub mv: Move,
    /// Games; a game in which the position occurs twice counts once for each move.
    pub games: u64,
    /// Won by the side to move, drawn, lost; the rest has no result.
    pub results: [u64; 3],
    /// The mean rating of those who played it.
    pub rating: Option<f64>,
    /// The first year in which it was played.
    pub first_year: Option<u32>,
    /// The last one.
    pub last_year: Option<u32>,
}

/// What was played in a position, with all ways that led to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Tree {
    /// The position.
    pub position: Position,
    /// Games in which it occurs.
    pub games: u64,
    /// Games that ended in it.
    pub ended: u64,
    /// Won by the side to move, drawn, lost.
    pub results: [u64; 3],
    /// The moves, those of most games first.
    pub moves: Vec<TreeMove>,
}

/// What the tree needs to know of a game.
struct Row {
    result: i64,
    year: Option<u32>,
    ratings: [Option<u32>; 2],
}

#[derive(Default)]
struct Sum {
    games: u64,
    results: [u64; 3],
    rated: (u64, u64),
    years: Option<(u32, u32)>,
}

impl Sum {
    fn add(&mut self, row: &Row, mover: Color) {
        self.games += 1;
        let place = match (row.result, mover) {
            (1, Color::White) | (3, Color::Black) => Some(0),
            (2, _) => Some(1),
            (3, Color::White) | (1, Color::Black) | (4, _) => Some(2),
            _ => None,
        };
        if let Some(place) = place {
            self.results[place] += 1;
        }
        if let Some(rating) = row.ratings[mover.index()] {
            self.rated.0 += 1;
            self.rated.1 += u64::from(rating);
        }
        if let Some(year) = row.year {
            let (first, last) = self.years.unwrap_or((year, year));
            self.years = Some((first.min(year), last.max(year)));
        }
    }
}

impl GamesFile {
    /// What was played in the position of the query, in the games that fulfil its other conditions.
    /// With the query's `twin` the games count in which the half-turned position occurred, too, as an
    /// opening book counts them; their moves are turned.
    ///
    /// # Errors
    /// If the query has no position or contradicts itself, or the file cannot be read.
    pub fn tree(&self, query: &Query) -> Result<Tree, GamesError> {
        let Some(position) = query.position else {
            return Err(GamesError::Input("a tree needs a position".to_owned()));
        };
        let db = GamesError::database(self.path());
        let places = self.occurrences(query, &position)?;
        let rest = Query { position: None, ..query.clone() };
        let is_all = !rest.looks_at_boards() && rest.filter(self)?.sql.is_empty();
        let mut ids: Vec<i64> = places.keys().copied().collect();
        if !is_all {
            let filtered = Query { ids: Some(ids), ..rest };
            ids = self.find_ids(&filtered)?;
        }
        ids.sort_unstable();
        let side = position.side_to_move();
        let (mut sums, mut whole): (BTreeMap<u64, (Move, Sum)>, Sum) =
            (BTreeMap::new(), Sum::default());
        let mut ended = 0;
        let mut select = self
            .connection
            .prepare_cached(
                "SELECT g.result, g.year, g.white_rating, g.black_rating, m.start, m.moves \
                 FROM games g JOIN moves m ON m.game = g.id WHERE g.id = ?1",
            )
            .map_err(&db)?;
        let none = Vec::new();
        for id in ids {
            let mut rows = select.query([id]).map_err(&db)?;
            let Some(row) = rows.next().map_err(&db)? else { continue };
            let mut ratings = [None; 2];
            ratings[Color::White.index()] = row.get(2).map_err(&db)?;
            ratings[Color::Black.index()] = row.get(3).map_err(&db)?;
            let game =
                Row { result: row.get(0).map_err(&db)?, year: row.get(1).map_err(&db)?, ratings };
            let start: Option<String> = row.get(4).map_err(&db)?;
            let Some(start) = start_of(start.as_deref()) else { continue };
            let moves = row.get_ref(5).map_err(&db)?.as_blob().unwrap_or_default();
            let mut replay = Replay::new(start, moves);
            let mut seen: FxHashMap<u64, ()> = FxHashMap::default();
            let mut mover = side;
            let mut has_move = false;
            for &ply in places.get(&id).unwrap_or(&none) {
                while replay.ply() < ply as usize && replay.advance().is_some() {}
                mover = replay.position().side_to_move();
                let Some(mv) = replay.peek() else { continue };
                has_move = true;
                // As the asked position has it.
                let is_turned = *replay.position() != position;
                let mv = if is_turned { folded_move(mv, Color::Black) } else { mv };
                if seen.insert(mv.to_bits(), ()).is_none() {
                    sums.entry(mv.to_bits()).or_insert((mv, Sum::default())).1.add(&game, mover);
                }
            }
            ended += u64::from(!has_move);
            whole.add(&game, mover);
        }
        let mut moves: Vec<TreeMove> = sums
            .into_values()
            .map(|(mv, sum)| TreeMove {
                mv,
                games: sum.games,
                results: sum.results,
                rating: (sum.rated.0 > 0).then(|| sum.rated.1 as f64 / sum.rated.0 as f64),
                first_year: sum.years.map(|years| years.0),
                last_year: sum.years.map(|years| years.1),
            })
            .collect();
        moves.sort_by(|a, b| {
            b.games.cmp(&a.games).then_with(|| a.mv.to_bits().cmp(&b.mv.to_bits()))
        });
        Ok(Tree { position, games: whole.games, ended, results: whole.results, moves })
    }
}
