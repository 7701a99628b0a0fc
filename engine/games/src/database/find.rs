//! Finding the games that match a query.

use std::ops::RangeInclusive;
use std::thread;

use movegen::json::Record;
use movegen::{Color, Position};
use rusqlite::Row;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;

use super::coding::Replay;
use super::error::GamesError;
use super::file::GamesFile;
use super::index::{Posting, look_up, number};
use super::rows::{GameHeader, NO_START, start_of};
use crate::boards::BoardSearch;
use crate::query::{Query, Sort};

/// A game that was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct GameFound {
    /// The game.
    #[serde(flatten)]
    pub game: GameHeader,
    /// The plies after which the query is fulfilled: for a position each time it occurs; for a
    /// pattern, material or moves the first time. Empty if the query is about columns only.
    #[serde(rename = "at")]
    pub plies: Vec<u32>,
}

impl Record for GameFound {
    const TYPE: &'static str = "game_found";
}

/// A part of the games that were found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct GamesFound {
    /// How many games were found.
    pub total: u64,
    /// The games of this part.
    #[serde(rename = "games")]
    pub hits: Vec<GameFound>,
}

impl Record for GamesFound {
    const TYPE: &'static str = "games_found";
}

/// A game, and a ply of it.
type GamePly = (i64, u32);

/// The games of these, which are in ascending order.
fn games_of(places: &[GamePly]) -> Vec<i64> {
    places.chunk_by(|a, b| a.0 == b.0).map(|list| list[0].0).collect()
}

/// The position as it is searched for: whatever moves of its kings Frisian has counted.
pub(crate) fn without_counters(position: &Position) -> Position {
    match position.variant() {
        variant if variant.is_frisian() => position.with_variant(variant),
        _ => *position,
    }
}

/// The start and the moves of a row that has them in this column and the next.
pub(crate) fn replay<'r>(row: &'r Row<'_>, column: usize) -> Result<Replay<'r>, String> {
    let start = row.get_ref(column).ok().and_then(|text| text.as_str_or_null().ok());
    let moves = row.get_ref(column + 1).ok().and_then(|moves| moves.as_blob().ok());
    let start = start.and_then(start_of).ok_or(NO_START)?;
    Ok(Replay::new(start, moves.ok_or("its moves cannot be read")?))
}

impl GamesFile {
    /// A page of these games, which are in ascending order, or of all.
    fn in_order(
        &self,
        sort: Sort,
        ids: Option<&[i64]>,
        skip: usize,
        most: usize,
    ) -> Result<Vec<i64>, GamesError> {
        let few = ids.filter(|ids| ids.len() <= FEW);
        if let (Some(ids), Sort::Number) = (ids, sort) {
            return Ok(ids.iter().copied().skip(skip).take(most).collect());
        }
        let (mut page, mut passed) = (Vec::new(), 0);
        // Games whose player or event is missing come last.
        for sql in [Some(sort.order(few)), sort.rest(few)].into_iter().flatten() {
            let mut select = self.connection.prepare(&sql)?;
            let mut rows = select.query([])?;
            while page.len() < most
                && let Some(row) = rows.next()?
            {
                let id: i64 = row.get(0)?;
                if ids.is_some_and(|ids| ids.binary_search(&id).is_err()) {
                    continue;
                }
                if passed == skip {
                    page.push(id);
                } else {
                    passed += 1;
                }
            }
        }
        Ok(page)
    }

    /// Where a position occurs, by game and ply. Up to [`CHECKED`] places are checked on the board,
    /// and so are all places in games that do not begin from the initial position. Any further
    /// places are not checked: another position has the same number with a chance of one in many
    /// millions, and the ply tells a position from its half-turned twin.
    pub(crate) fn occurrences(
        &self,
        query: &Query,
        position: &Position,
    ) -> Result<Vec<Posting>, GamesError> {
        self.places(query, position, CHECKED)
    }

    fn places(
        &self,
        query: &Query,
        position: &Position,
        checked: usize,
    ) -> Result<Vec<Posting>, GamesError> {
        let mut places = look_up(&self.connection, number(position))?;
        if let Some(stretch) = &query.plies {
            places.retain(|place| stretch.contains(&u32::from(place.ply())));
        }
        let is_much = places.len() > checked;
        let starts = if is_much { self.games_with_starts()? } else { FxHashSet::default() };
        // A game that was deleted is still in the index.
        let there = if is_much { self.ids_if_some_are_missing()? } else { None };
        let parity = u16::from(position.side_to_move() == Color::Black);
        let mut select =
            self.connection.prepare_cached("SELECT start, moves FROM moves WHERE game = ?1")?;
        let wanted = without_counters(position);
        let mut found = Vec::with_capacity(places.len());
        for list in places.chunk_by(|a, b| a.game() == b.game()) {
            let id = i64::from(list[0].game());
            if is_much && !starts.contains(&id) {
                if there.as_ref().is_none_or(|ids| ids.contains(&id)) {
                    found.extend(list.iter().filter(|p| query.twin || p.ply() % 2 == parity));
                }
                continue;
            }
            let mut rows = select.query([id])?;
            let Some(row) = rows.next()? else { continue };
            let mut replay = match replay(row, 0) {
                Ok(replay) => replay,
                Err(what) => {
                    self.leave_out(id, what);
                    continue;
                }
            };
            for posting in list {
                let ply = usize::from(posting.ply());
                while replay.ply() < ply && replay.advance().is_some() {}
                let here = without_counters(replay.position());
                let is_it = here == wanted || query.twin && here.reversed() == wanted;
                if is_it && replay.ply() == ply {
                    found.push(*posting);
                }
            }
        }
        Ok(found)
    }

    /// The games that do not begin from the initial position.
    pub(crate) fn games_with_starts(&self) -> rusqlite::Result<FxHashSet<i64>> {
        self.numbers("SELECT game FROM moves WHERE start IS NOT NULL", [])
    }

    /// The numbers of all games, unless no game was ever deleted.
    fn ids_if_some_are_missing(&self) -> Result<Option<FxHashSet<i64>>, GamesError> {
        let given = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'games'";
        if self.count(given)? == self.game_count()? {
            return Ok(None);
        }
        Ok(Some(self.numbers("SELECT id FROM games", [])?))
    }

    /// The games that match a query about boards, with the plies, in ascending order.
    fn found(&self, query: &Query) -> Result<Vec<GamePly>, GamesError> {
        let columns = self.ids_by_columns(query)?;
        let is_wanted = |id: i64| columns.as_ref().is_none_or(|ids| ids.binary_search(&id).is_ok());
        let mut found: Option<Vec<GamePly>> = match &query.position {
            Some(position) => {
                let places = self.occurrences(query, position)?.into_iter();
                let places = places.map(|it| (i64::from(it.game()), u32::from(it.ply())));
                Some(places.filter(|place| is_wanted(place.0)).collect())
            }
            None => None,
        };
        if query.looks_at_boards() {
            let few = match (&found, &columns) {
                (Some(found), _) => Some(games_of(found)),
                (None, Some(columns)) if columns.len() < FEW => Some(columns.clone()),
                _ => None,
            };
            let boards = match few {
                Some(list) => self.search_list(query, &list)?,
                None => self.search_all(query, &is_wanted)?,
            };
            match &mut found {
                Some(found) => {
                    found.retain(|it| boards.binary_search_by_key(&it.0, |it| it.0).is_ok());
                }
                None => found = Some(boards),
            }
        }
        Ok(found.unwrap_or_default())
    }

    fn search_list(&self, query: &Query, list: &[i64]) -> Result<Vec<GamePly>, GamesError> {
        let mut search = BoardSearch::new(query);
        let mut found = Vec::new();
        for &id in list {
            self.search_range(&mut search, id..=id, &|_| true, &mut found)?;
        }
        Ok(found)
    }

    /// Searches the boards of these games; adds those that match.
    fn search_range(
        &self,
        search: &mut BoardSearch,
        range: RangeInclusive<i64>,
        is_wanted: &dyn Fn(i64) -> bool,
        found: &mut Vec<GamePly>,
    ) -> rusqlite::Result<()> {
        let sql = "SELECT game, start, moves FROM moves WHERE game BETWEEN ?1 AND ?2";
        let mut select = self.connection.prepare_cached(sql)?;
        let mut rows = select.query([range.start(), range.end()])?;
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            if !is_wanted(id) {
                continue;
            }
            match replay(row, 1) {
                Ok(replay) => found.extend(search.find(replay.boards()).map(|ply| (id, ply))),
                Err(what) => self.leave_out(id, what),
            }
        }
        Ok(())
    }

    /// Searches the boards of all games, on all processors.
    fn search_all(
        &self,
        query: &Query,
        is_wanted: &(dyn Fn(i64) -> bool + Sync),
    ) -> Result<Vec<GamePly>, GamesError> {
        let first: i64 = self.value("SELECT coalesce(min(game), 0) FROM moves")?;
        let last: i64 = self.value("SELECT coalesce(max(game), -1) FROM moves")?;
        let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get) as i64;
        let share = ((last - first) / threads + 1).max(1_000);
        let place = self.place();
        thread::scope(|scope| {
            let starts = (first..=last).step_by(share as usize);
            let work: Vec<_> = starts
                .map(|start| {
                    let range = start..=last.min(start + share - 1);
                    let work = move || -> Result<_, GamesError> {
                        let (file, mut found) = (GamesFile::again(place)?, Vec::new());
                        let mut search = BoardSearch::new(query);
                        file.search_range(&mut search, range, &is_wanted, &mut found)?;
                        Ok((found, file.take_faults()))
                    };
                    let thread = thread::Builder::new().spawn_scoped(scope, work);
                    thread.map_err(GamesError::io(self.path()))
                })
                .collect();
            let mut found = Vec::new();
            for thread in work {
                let part = thread?.join().unwrap_or_else(|_| {
                    Err(GamesError::Input("a search thread has failed".to_owned()))
                });
                let (part, faults) = part?;
                found.extend(part);
                for fault in faults {
                    self.leave_out(fault.game.unwrap_or_default(), fault.what);
                }
            }
            Ok(found)
        })
    }

    /// The games that match a query, in its order: at most `most` of them, after the first `skip`.
    ///
    /// # Errors
    /// If the query contradicts itself, or the file cannot be read.
    pub fn find(&self, query: &Query, skip: u64, most: u64) -> Result<GamesFound, GamesError> {
        let clamped = |count| usize::try_from(count).unwrap_or(usize::MAX);
        self.named(|| -> Result<GamesFound, GamesError> {
            let (places, ids) = match query.position.is_some() || query.looks_at_boards() {
                true => {
                    let places = self.found(query)?;
                    let ids = games_of(&places);
                    (places, Some(ids))
                }
                false => (Vec::new(), self.ids_by_columns(query)?),
            };
            let total =
                ids.as_ref().map_or_else(|| self.game_count(), |ids| Ok(ids.len() as u64))?;
            let page = self.in_order(query.sort, ids.as_deref(), clamped(skip), clamped(most))?;
            let mut hits = Vec::with_capacity(page.len());
            for id in page {
                let here = places.iter().skip(places.partition_point(|place| place.0 < id));
                let plies = here.take_while(|place| place.0 == id).map(|place| place.1).collect();
                match self.header(id) {
                    Ok(Some(game)) => hits.push(GameFound { game, plies }),
                    Ok(None) => self.leave_out(id, "it has no row".to_owned()),
                    Err(GamesError::Damaged { what, .. }) => self.leave_out(id, what),
                    Err(error) => return Err(error),
                }
            }
            Ok(GamesFound { total, hits })
        })
    }

    /// The numbers of all games that match a query, ascending.
    ///
    /// # Errors
    /// As [`GamesFile::find`].
    pub fn find_ids(&self, query: &Query) -> Result<Vec<i64>, GamesError> {
        self.named(|| match query.position.is_some() || query.looks_at_boards() {
            true => Ok(games_of(&self.found(query)?)),
            false => match self.ids_by_columns(query)? {
                Some(ids) => Ok(ids),
                None => self.ids_after(i64::MIN, usize::MAX >> 1),
            },
        })
    }
}

/// The most places of a position that are checked on the board.
const CHECKED: usize = 1_000;

/// Up to this many games are read one by one, more by going through all games in turn.
pub(crate) const FEW: usize = 20_000;

#[cfg(test)]
mod tests {
    use super::super::import::ImportOptions;
    use super::*;

    /// The same position in both colours, from the initial position and from others, and a deleted
    /// game: the believed places are those that the boards show.
    #[test]
    fn places_that_are_believed_are_those_on_the_boards() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = GamesFile::open_or_create(&folder.path().join("all.games")).unwrap();
        let pdn = "[White \"A\"]\n[Black \"B\"]\n1. 32-28 19-23 2. 28x19 14x23 *\n\n\
            [White \"C\"]\n[Black \"D\"]\n1. 32-28 18-22 *\n\n\
            [White \"E\"]\n[Black \"F\"]\n[FEN \"B:W28,31,33-50:B1-20\"]\n1... 19-23 *\n\n\
            [White \"G\"]\n[Black \"H\"]\n[FEN \"B:W31-50:B1-20\"]\n1... 19-23 2. 31-27 *\n\n\
            [White \"I\"]\n[Black \"J\"]\n1. 32-28 20-24 *\n";
        file.import_text("test", pdn.as_bytes(), ImportOptions::default(), &mut |_| true).unwrap();
        let mut counts = Vec::new();
        for is_deleted in [false, true] {
            if is_deleted {
                file.delete(&[2]).unwrap();
            }
            for fen in
                ["W:W31-50:B1-20", "B:W28,31,33-50:B1-20", "W:W31-50:B1-18,20,23", "B:W31-50:B1-20"]
            {
                let position = fen.parse::<movegen::Fen>().unwrap().position().unwrap();
                for twin in [false, true] {
                    let query = Query { twin, ..Query::default() };
                    let checked = file.places(&query, &position, usize::MAX).unwrap();
                    assert_eq!(file.places(&query, &position, 0).unwrap(), checked, "{fen} {twin}");
                    counts.push(checked.len());
                }
            }
        }
        assert_eq!(counts[..4], [3, 4, 4, 5]);
        assert_eq!(counts[8..12], [2, 3, 3, 4]);
    }
}
