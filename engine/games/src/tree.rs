//! The moves played in a position.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use movegen::key::folded_move;
use movegen::{Color, Move, Position};
use rustc_hash::FxHashMap;

use crate::coding::{Replay, first_code};
use crate::error::GamesError;
use crate::file::GamesFile;
use crate::find::FEW;
use crate::query::Query;
use crate::rows::number;

/// A move with statistics of its games.
#[derive(Clone, PartialEq, Debug)]
pub struct TreeMove {
    /// The move.
    pub mv: Move,
    /// Games; a game where the position occurs twice counts once for each move.
    pub games: u64,
    /// Won by the side to move, drawn, lost; the rest has no result.
    pub results: [u64; 3],
    /// The mean rating of those who played it.
    pub rating: Option<f64>,
    /// The first year it was played.
    pub first_year: Option<u32>,
    /// The last year it was played.
    pub last_year: Option<u32>,
}

/// The moves played in a position, however the games reached it.
#[derive(Clone, PartialEq, Debug)]
pub struct Tree {
    /// The position.
    pub position: Position,
    /// Games where it occurs.
    pub games: u64,
    /// Games that ended in it.
    pub ended: u64,
    /// Won by the side to move, drawn, lost.
    pub results: [u64; 3],
    /// The moves, most played first.
    pub moves: Vec<TreeMove>,
}

/// What the tree needs from a game.
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
    /// The moves played in the position of the query, in the games that meet its other conditions.
    /// With the query's `twin`, games with the half-turned position count too, as in an opening
    /// book; their moves are turned.
    ///
    /// # Errors
    /// If the query has no position or contradicts itself, or the file cannot be read.
    pub fn tree(&self, query: &Query) -> Result<Tree, GamesError> {
        self.tree_of(query, FEW)
    }

    /// With more games than `few` the whole table is read.
    fn tree_of(&self, query: &Query, few: usize) -> Result<Tree, GamesError> {
        let Some(position) = query.position else {
            return Err(GamesError::Input("a tree needs a position".to_owned()));
        };
        let places = self.occurrences(query, &position)?;
        let rest = Query { position: None, ..query.clone() };
        let is_all = !rest.looks_at_boards() && rest.filter(self)?.sql.is_empty();
        let mut ids: Vec<i64> = places.iter().map(|place| i64::from(place.game())).collect();
        ids.dedup();
        if !is_all {
            let filtered = Query { ids: Some(ids), ..rest };
            ids = self.find_ids(&filtered)?;
            ids.sort_unstable();
        }
        let side = position.side_to_move();
        let (mut sums, mut whole): (BTreeMap<u64, (Move, Sum)>, Sum) =
            (BTreeMap::new(), Sum::default());
        let mut ended = 0;
        // The moves as in the query's position, by their first byte.
        let mut first_bytes: FxHashMap<u8, Option<Move>> = FxHashMap::default();
        for mv in position.legal_moves() {
            let first = first_code(mv, side);
            first_bytes.entry(first).and_modify(|known| *known = None).or_insert(Some(mv));
        }
        let starts = self.games_with_starts()?;
        let mut games = places.chunk_by(|a, b| a.game() == b.game()).peekable();
        let mut seen: Vec<u64> = Vec::new();
        self.tree_rows(&ids, few, &mut |id, game| {
            while games.next_if(|list| i64::from(list[0].game()) < id).is_some() {}
            let Some(list) = games.next_if(|list| i64::from(list[0].game()) == id) else {
                return Ok(());
            };
            // Read only if the first byte does not determine the move.
            let row = OnceCell::new();
            let mut replay = None;
            seen.clear();
            let mut mover = side;
            let mut has_move = false;
            for place in list {
                let known = first_bytes.get(&place.next()).copied().flatten();
                let (here, mv) = match known {
                    Some(mv) if !starts.contains(&id) => {
                        let here = if place.ply() % 2 == 1 { Color::Black } else { Color::White };
                        (here, Some(mv))
                    }
                    _ => {
                        let replay = match &mut replay {
                            Some(replay) => replay,
                            None => {
                                let (start, moves) = match row.get() {
                                    Some(row) => row,
                                    None => match self.start_and_moves(id) {
                                        Ok(read) => row.get_or_init(|| read),
                                        Err(GamesError::Damaged { what, .. }) => {
                                            self.leave_out(id, what);
                                            return Ok(());
                                        }
                                        Err(error) => return Err(error),
                                    },
                                };
                                replay.insert(Replay::new(*start, moves))
                            }
                        };
                        let ply = usize::from(place.ply());
                        while replay.ply() < ply && replay.advance().is_some() {}
                        let is_turned = *replay.position() != position;
                        let turn = |mv| if is_turned { folded_move(mv, Color::Black) } else { mv };
                        (replay.position().side_to_move(), replay.peek().map(turn))
                    }
                };
                mover = here;
                let Some(mv) = mv else { continue };
                has_move = true;
                if !seen.contains(&mv.to_bits()) {
                    seen.push(mv.to_bits());
                    sums.entry(mv.to_bits()).or_insert((mv, Sum::default())).1.add(game, mover);
                }
            }
            ended += u64::from(!has_move);
            whole.add(game, mover);
            Ok(())
        })?;
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
    fn start_and_moves(&self, id: i64) -> Result<(Position, Vec<u8>), GamesError> {
        let row = self.moves_row(id)?;
        let read = row.and_then(|row| Some((row.start().ok()?, row.moves)));
        read.ok_or_else(|| self.damaged(format!("the moves of game {id}")))
    }

    /// What the tree needs from these games, in order of their numbers: one by one, or, if there
    /// are many, in one pass through the whole table.
    fn tree_rows(
        &self,
        ids: &[i64],
        few: usize,
        take: &mut dyn FnMut(i64, &Row) -> Result<(), GamesError>,
    ) -> Result<(), GamesError> {
        let db = GamesError::database(self.path());
        let columns = "SELECT id, result, year, white_rating, black_rating FROM games";
        let mut read = |row: &rusqlite::Row<'_>| -> Result<(), GamesError> {
            let id = row.get(0).map_err(&db)?;
            let read = || {
                let mut ratings = [None; 2];
                ratings[Color::White.index()] = number(row, 3, "rating of White")?;
                ratings[Color::Black.index()] = number(row, 4, "rating of Black")?;
                let result = number(row, 1, "result")?.unwrap_or_default().into();
                Ok(Row { result, year: number(row, 2, "year")?, ratings })
            };
            match read() {
                Ok(row) => take(id, &row),
                Err(what) => {
                    self.leave_out(id, what);
                    Ok(())
                }
            }
        };
        if ids.len() > few {
            let mut select =
                self.connection.prepare_cached(&format!("{columns} ORDER BY id")).map_err(&db)?;
            let mut rows = select.query([]).map_err(&db)?;
            let mut wanted = ids.iter().copied().peekable();
            while let Some(row) = rows.next().map_err(&db)? {
                let id: i64 = row.get(0).map_err(&db)?;
                while wanted.next_if(|&wanted| wanted < id).is_some() {}
                if wanted.next_if_eq(&id).is_some() {
                    read(row)?;
                }
            }
            return Ok(());
        }
        let mut select =
            self.connection.prepare_cached(&format!("{columns} WHERE id = ?1")).map_err(&db)?;
        for id in ids {
            let mut rows = select.query([id]).map_err(&db)?;
            if let Some(row) = rows.next().map_err(&db)? {
                read(row)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::ImportOptions;

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
            (first.mv.to_string().as_str(), first.games, first.results),
            ("32-28", 2, [0, 1, 1])
        );
        assert_eq!((start.games, start.ended, first.rating), (3, 0, Some(2000.0)));
        let other = tree("W:W32,38,39:B16,17,28", 0);
        assert_eq!((other.moves[0].results, other.moves[0].first_year), ([1, 0, 0], Some(1990)));
    }
}
