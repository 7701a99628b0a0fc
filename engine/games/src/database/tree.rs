//! The moves played in a position.

use std::collections::BTreeMap;

use movegen::json::{Record, digits};
use movegen::key::folded_move;
use movegen::{Color, Move, Position};
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;

use super::coding::{Replay, first_code};
use super::error::GamesError;
use super::file::GamesFile;
use super::find::{FEW, without_counters};
use super::index::Posting;
use super::records::Successes;
use super::rows::number;
use crate::query::Query;

/// A move with statistics of its games.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "GamesTreeMove")]
pub struct TreeMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: Move,
    /// Games; a game where the position occurs twice counts once for each move.
    pub games: u64,
    /// Their results for the side to move.
    #[serde(flatten)]
    pub results: Successes,
    /// The share of the points, 0 to 1.
    #[serde(serialize_with = "digits::<4, _>")]
    pub share: Option<f64>,
    /// The mean rating of those who played it.
    #[serde(serialize_with = "digits::<1, _>")]
    pub rating: Option<f64>,
    /// The first year it was played.
    pub first_year: Option<u32>,
    /// The last year it was played.
    pub last_year: Option<u32>,
}

/// The moves played in a position, however the games reached it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "GamesTree")]
pub struct Tree {
    /// The position.
    #[serde(rename = "fen")]
    pub position: Position,
    /// Games where it occurs.
    pub games: u64,
    /// Games that ended in it.
    pub ended: u64,
    /// Results of the games for the side to move.
    #[serde(flatten)]
    pub results: Successes,
    /// The moves, most played first.
    pub moves: Vec<TreeMove>,
}

impl Record for Tree {
    const TYPE: &'static str = "games_tree";
}

/// The games of a move, or of all.
#[derive(Default)]
struct MoveGames {
    games: u64,
    results: Successes,
    rated: (u64, u64),
    years: Option<(u32, u32)>,
}

impl MoveGames {
    /// Adds a game of this mover, whose row is: number, result, year, ratings of White and Black.
    fn add(&mut self, row: &rusqlite::Row<'_>, mover: Color) -> Result<(), String> {
        let rating = match mover {
            Color::White => number(row, 3, "rating of White")?,
            Color::Black => number(row, 4, "rating of Black")?,
        };
        let result = number(row, 1, "result")?.unwrap_or_default();
        let year = number(row, 2, "year")?;
        self.games += 1;
        self.results.add(result.into(), mover);
        if let Some(rating) = rating {
            self.rated.0 += 1;
            self.rated.1 += u64::from(rating);
        }
        if let Some(year) = year {
            let (first, last) = self.years.unwrap_or((year, year));
            self.years = Some((first.min(year), last.max(year)));
        }
        Ok(())
    }
}

/// The position of a tree, and the codes of its moves.
struct Here {
    position: Position,
    /// The legal moves, each with its first byte.
    moves: Vec<(u8, Move)>,
    /// Games that do not begin from the initial position.
    starts: FxHashSet<i64>,
}

impl Here {
    /// The move with this first byte, if there is just one.
    fn known(&self, byte: u8) -> Option<Move> {
        let mut with_byte = self.moves.iter().filter(|(first, _)| *first == byte);
        with_byte.next().filter(|_| with_byte.next().is_none()).map(|(_, mv)| *mv)
    }
}

impl GamesFile {
    /// The moves played in the position of the query, in the games that meet its other conditions.
    /// With the query's `twin`, games with the half-turned position count too, as in an opening
    /// book; their moves are turned.
    ///
    /// # Errors
    /// If the query has no position or contradicts itself, or the file cannot be read.
    pub fn tree(&self, query: &Query) -> Result<Tree, GamesError> {
        self.named(|| self.tree_of(query, FEW))
    }

    /// With more games than `few` the whole table is read.
    fn tree_of(&self, query: &Query, few: usize) -> Result<Tree, GamesError> {
        let Some(position) = query.position.as_ref().map(without_counters) else {
            return Err(GamesError::Input("a tree needs a position".to_owned()));
        };
        let side = position.side_to_move();
        let moves = position.legal_moves().iter().map(|&mv| (first_code(mv, side), mv)).collect();
        let here = Here { position, moves, starts: self.games_with_starts()? };
        let places = self.occurrences(query, &position)?;
        let rest = Query { position: None, ..query.clone() };
        let mut ids: Vec<i64> = places.iter().map(|place| i64::from(place.game())).collect();
        ids.dedup();
        if !rest.is_of_all(self)? {
            ids = self.find_ids(&Query { ids: Some(ids), ..rest })?;
        }
        // One by one or, if there are many, in one pass through the whole table.
        let ranges = match ids.first().zip(ids.last()) {
            Some((&first, &last)) if ids.len() > few => vec![(first, last)],
            _ => ids.iter().map(|&id| (id, id)).collect(),
        };
        let (mut sums, mut whole) =
            (BTreeMap::<u64, (Move, MoveGames)>::new(), MoveGames::default());
        let mut ended = 0;
        let mut games = places.chunk_by(|a, b| a.game() == b.game()).peekable();
        let mut select = self.connection.prepare_cached(
            "SELECT id, result, year, white_rating, black_rating FROM games \
             WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
        )?;
        for range in ranges {
            let mut rows = select.query(range)?;
            while let Some(row) = rows.next()? {
                let id: i64 = row.get(0)?;
                if ids.binary_search(&id).is_err() {
                    continue;
                }
                while games.next_if(|list| i64::from(list[0].game()) < id).is_some() {}
                let list = games.next_if(|list| i64::from(list[0].game()) == id);
                let Some(list) = list else { continue };
                let mut add = || -> Result<(), GamesError> {
                    let (mover, moves) = self.played(&here, id, list)?;
                    whole.add(row, mover).map_err(GamesError::damaged)?;
                    ended += u64::from(moves.is_empty());
                    for mv in moves {
                        let (_, sum) =
                            sums.entry(mv.to_bits()).or_insert((mv, MoveGames::default()));
                        sum.add(row, mover).map_err(GamesError::damaged)?;
                    }
                    Ok(())
                };
                match add() {
                    Err(GamesError::Damaged { what, .. }) => self.leave_out(id, what),
                    added => added?,
                }
            }
        }
        let moves = sums.into_values().map(|(mv, sum)| TreeMove {
            mv,
            games: sum.games,
            results: sum.results,
            share: sum.results.share(),
            rating: (sum.rated.0 > 0).then(|| sum.rated.1 as f64 / sum.rated.0 as f64),
            first_year: sum.years.map(|years| years.0),
            last_year: sum.years.map(|years| years.1),
        });
        let mut moves: Vec<TreeMove> = moves.collect();
        moves.sort_by(|a, b| {
            b.games.cmp(&a.games).then_with(|| a.mv.to_bits().cmp(&b.mv.to_bits()))
        });
        Ok(Tree { position, games: whole.games, ended, results: whole.results, moves })
    }

    /// Who was to move at the last of these places of a game, and the moves that were played there,
    /// each once, as in the position of the tree.
    fn played(
        &self,
        here: &Here,
        id: i64,
        places: &[Posting],
    ) -> Result<(Color, Vec<Move>), GamesError> {
        let known: Option<Vec<Move>> = places.iter().map(|it| here.known(it.next())).collect();
        let mut mover = here.position.side_to_move();
        let mut moves: Vec<Move> = Vec::new();
        let mut add = |mv: Move| {
            if !moves.contains(&mv) {
                moves.push(mv);
            }
        };
        match known {
            Some(known) if !here.starts.contains(&id) => {
                let last = places.last().map_or(0, |place| place.ply());
                mover = if last % 2 == 1 { Color::Black } else { Color::White };
                known.into_iter().for_each(add);
            }
            _ => {
                let row =
                    self.moves_row(id)?.ok_or_else(|| GamesError::damaged("it has no moves"))?;
                let start = row.start().map_err(GamesError::damaged)?;
                let mut replay = Replay::new(start, &row.moves);
                for place in places {
                    while replay.ply() < usize::from(place.ply()) && replay.advance().is_some() {}
                    let is_turned = without_counters(replay.position()) != here.position;
                    let turn = |mv| if is_turned { folded_move(mv, Color::Black) } else { mv };
                    mover = replay.position().side_to_move();
                    replay.peek().map(turn).into_iter().for_each(&mut add);
                }
            }
        }
        Ok((mover, moves))
    }
}

#[cfg(test)]
mod tests {
    use super::super::import::ImportOptions;
    use super::*;

    /// Moves from the index, long captures from the game; one by one, or in one pass.
    #[test]
    fn a_tree_is_the_same_however_games_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = GamesFile::open_or_create(&folder.path().join("all.games")).unwrap();
        let pdn = "[White \"A\"]\n[Black \"B\"]\n[Date \"1990\"]\n[FEN \"W:W32,38,39:B16,17,28\"]\n\
            1. 32x23 16-21 2-0\n\n\
            [White \"C\"]\n[Black \"D\"]\n[WhiteRating \"2000\"]\n1. 32-28 19-23 2. 28x19 14x23 0-2\n\n\
            [White \"E\"]\n[Black \"F\"]\n1. 32-28 18-22 1-1\n\n\
            [White \"G\"]\n[Black \"H\"]\n1. 31-27 *\n";
        file.import_text("test", pdn.as_bytes(), ImportOptions::default(), &mut |_| true).unwrap();
        let tree = |fen: &str, few: usize| {
            let position = fen.parse::<movegen::Fen>().unwrap().position().ok();
            file.tree_of(&Query { position, ..Query::default() }, few).unwrap()
        };
        for fen in ["W:W31-50:B1-20", "B:W28,31,33-50:B1-20", "W:W32,38,39:B16,17,28"] {
            assert_eq!(tree(fen, 0), tree(fen, usize::MAX), "{fen}");
        }
        let start = tree("W:W31-50:B1-20", 0);
        let first = &start.moves[0];
        assert_eq!(
            (first.mv.to_string().as_str(), first.games, first.results.counts()),
            ("32-28", 2, [0, 1, 1])
        );
        assert_eq!((start.games, start.ended, first.rating), (3, 0, Some(2000.0)));
        let other = tree("W:W32,38,39:B16,17,28", 0);
        assert_eq!(
            (other.moves[0].results.counts(), other.moves[0].first_year),
            ([1, 0, 0], Some(1990))
        );
    }
}
