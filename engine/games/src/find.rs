//! Finding the games that match a query.

use std::ops::RangeInclusive;
use std::thread;

use egdb::Slice;
use movegen::{Color, Position};
use rusqlite::Row;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::coding::Replay;
use crate::error::GamesError;
use crate::file::{Fault, GamesFile, Place};
use crate::index::{Posting, look_up, number};
use crate::pattern::{ManoeuvreSearch, PatternSearch, balance};
use crate::query::{Query, Sort};
use crate::rows::{GameHeader, start_of};

/// A game that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hit {
    /// The game.
    pub game: GameHeader,
    /// The plies after which the query is fulfilled: for a position each time it occurs; for a
    /// pattern, material or moves the first time. Empty if the query is about columns only.
    pub plies: Vec<u32>,
}

/// A part of the result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// How many games were found.
    pub total: u64,
    /// The games of this part.
    pub hits: Vec<Hit>,
}

/// A game that was found, with the plies; most games have one, which needs no list.
struct Found {
    id: i64,
    first: u32,
    more: Vec<u32>,
}

impl Found {
    /// Places of one game.
    fn of(places: &[Posting]) -> Option<Found> {
        let (first, rest) = places.split_first()?;
        let more = rest.iter().map(|place| u32::from(place.ply())).collect();
        Some(Found { id: i64::from(first.game()), first: u32::from(first.ply()), more })
    }

    fn plies(&self) -> Vec<u32> {
        [&[self.first], self.more.as_slice()].concat()
    }
}

/// A game, and the ply where its boards fulfil all conditions for the first time.
type FirstPly = (i64, u32);

/// The conditions on the boards of a game.
#[derive(Clone)]
struct BoardSearch {
    pattern: Option<PatternSearch>,
    moves: Option<ManoeuvreSearch>,
    material: Vec<Slice>,
    sacrifice: Option<crate::pattern::Sacrifice>,
    stretch: RangeInclusive<u32>,
    balances: Vec<i32>,
    is_quiet: Vec<bool>,
}

impl BoardSearch {
    fn new(query: &Query) -> BoardSearch {
        let within = if query.within == 0 { usize::MAX } else { query.within };
        let mut material: Vec<Slice> = query.material.into_iter().collect();
        if query.twin {
            material.extend(query.material.map(Slice::reversed));
        }
        BoardSearch {
            pattern: query
                .pattern
                .as_ref()
                .map(|pattern| PatternSearch::new(pattern, query.twin, query.lasting)),
            moves: query
                .moves
                .as_ref()
                .map(|moves| ManoeuvreSearch::new(moves, query.twin, within)),
            material,
            sacrifice: query.sacrifice,
            stretch: query.stretch.clone().unwrap_or(0..=u32::MAX),
            balances: Vec::new(),
            is_quiet: Vec::new(),
        }
    }

    /// For a row with the start in this column, then the moves.
    fn find_in(&mut self, row: &Row<'_>, column: usize) -> Result<Option<u32>, String> {
        let (start, moves) = start_and_moves(row, column)?;
        Ok(self.find(start, moves))
    }

    /// The ply where the last of the conditions was first fulfilled.
    fn find(&mut self, start: Position, moves: &[u8]) -> Option<u32> {
        let mut replay = Replay::new(start, moves);
        if let Some(pattern) = &mut self.pattern {
            pattern.restart();
        }
        if let Some(manoeuvre) = &mut self.moves {
            manoeuvre.restart();
        }
        let (mut pattern, mut manoeuvre, mut material) = (None, None, None);
        self.balances.clear();
        self.is_quiet.clear();
        let wants = (self.pattern.is_some(), self.moves.is_some(), !self.material.is_empty());
        loop {
            let ply = replay.ply() as u32;
            let is_in = self.stretch.contains(&ply);
            let position = *replay.position();
            if is_in
                && pattern.is_none()
                && let Some(search) = &mut self.pattern
                && search.see(&position)
            {
                pattern = Some(ply);
            }
            if is_in && wants.2 && material.is_none() {
                let here = Slice::of(position.board());
                if here.is_some_and(|here| self.material.contains(&here)) {
                    material = Some(ply);
                }
            }
            let is_done = (pattern.is_some() || !wants.0)
                && (manoeuvre.is_some() || !wants.1)
                && (material.is_some() || !wants.2);
            if self.sacrifice.is_none() && is_done || ply > *self.stretch.end() {
                break;
            }
            let mv = replay.advance();
            if self.sacrifice.is_some() && is_in {
                self.balances.push(balance(&position));
                self.is_quiet.push(mv.is_none_or(|mv| !mv.is_capture()));
            }
            let Some(mv) = mv else { break };
            if is_in
                && manoeuvre.is_none()
                && let Some(search) = &mut self.moves
                && search.see(mv)
            {
                manoeuvre = Some(ply + 1);
            }
        }
        let sacrifice = match self.sacrifice {
            None => None,
            Some(sacrifice) => {
                let ply = sacrifice.find(&self.balances, &self.is_quiet)?;
                Some(ply as u32 + *self.stretch.start())
            }
        };
        if wants.0 && pattern.is_none()
            || wants.1 && manoeuvre.is_none()
            || wants.2 && material.is_none()
        {
            return None;
        }
        [pattern, manoeuvre, material, sacrifice].into_iter().flatten().max()
    }
}

/// The start and the moves of a row that has them in this column and the next.
fn start_and_moves<'r>(row: &'r Row<'_>, column: usize) -> Result<(Position, &'r [u8]), String> {
    let start = row.get_ref(column).ok().and_then(|text| text.as_str_or_null().ok());
    let moves = row.get_ref(column + 1).ok().and_then(|moves| moves.as_blob().ok());
    let start = start.and_then(start_of).ok_or("its start is not a position")?;
    Ok((start, moves.ok_or("its moves cannot be read")?))
}

fn clamped(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

impl GamesFile {
    /// These games, with the plies where they are found. Damaged ones are left out.
    fn hits(
        &self,
        page: Vec<i64>,
        plies: impl Fn(i64) -> Vec<u32>,
    ) -> Result<Vec<Hit>, GamesError> {
        let mut hits = Vec::with_capacity(page.len());
        for id in page {
            match self.header(id) {
                Ok(Some(game)) => hits.push(Hit { game, plies: plies(id) }),
                Ok(None) => self.leave_out(id, "it has no row".to_owned()),
                Err(GamesError::Damaged { what, .. }) => self.leave_out(id, what),
                Err(error) => return Err(error),
            }
        }
        Ok(hits)
    }

    /// A page of these games, which are in ascending order, or of all.
    fn in_order(
        &self,
        sort: Sort,
        ids: Option<&[i64]>,
        skip: usize,
        most: usize,
    ) -> Result<Vec<i64>, GamesError> {
        let db = GamesError::database(self.path());
        let is_old = self.is_old()?;
        let few = ids.filter(|ids| ids.len() <= FEW);
        if let (Some(ids), Sort::Number) = (ids, sort) {
            return Ok(ids.iter().copied().skip(skip).take(most).collect());
        }
        let (mut page, mut passed) = (Vec::new(), 0);
        // Games whose player or event is missing come last.
        for sql in [Some(sort.order(few, is_old)), sort.rest(few)].into_iter().flatten() {
            let mut select = self.connection.prepare(&sql).map_err(&db)?;
            let mut rows = select.query([]).map_err(&db)?;
            while page.len() < most
                && let Some(row) = rows.next().map_err(&db)?
            {
                let id: i64 = row.get(0).map_err(&db)?;
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
    /// places are believed: another position with the same number is one chance in many millions,
    /// and a position and its half-turned twin differ in the side to move, which the ply tells.
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
        let db = GamesError::database(self.path());
        let mut places = look_up(&self.connection, number(position)).map_err(&db)?;
        if let Some(stretch) = &query.stretch {
            places.retain(|place| stretch.contains(&u32::from(place.ply())));
        }
        let is_much = places.len() > checked;
        let starts = if is_much { self.games_with_starts()? } else { FxHashSet::default() };
        // A game that was deleted is still in the index.
        let there = if is_much { self.ids_if_some_are_missing()? } else { None };
        let parity = u16::from(position.side_to_move() == Color::Black);
        let mut select = self
            .connection
            .prepare_cached("SELECT start, moves FROM moves WHERE game = ?1")
            .map_err(&db)?;
        let mut found = Vec::with_capacity(places.len());
        for list in places.chunk_by(|a, b| a.game() == b.game()) {
            let id = i64::from(list[0].game());
            if is_much && !starts.contains(&id) {
                if there.as_ref().is_none_or(|ids| ids.contains(&id)) {
                    found.extend(list.iter().filter(|p| query.twin || p.ply() % 2 == parity));
                }
                continue;
            }
            let mut rows = select.query([id]).map_err(&db)?;
            let Some(row) = rows.next().map_err(&db)? else { continue };
            let (start, moves) = match start_and_moves(row, 0) {
                Ok(read) => read,
                Err(what) => {
                    self.leave_out(id, what);
                    continue;
                }
            };
            let mut replay = Replay::new(start, moves);
            for posting in list {
                let ply = usize::from(posting.ply());
                while replay.ply() < ply && replay.advance().is_some() {}
                let here = replay.position();
                let is_it = here == position || query.twin && here.reversed() == *position;
                if is_it && replay.ply() == ply {
                    found.push(*posting);
                }
            }
        }
        Ok(found)
    }

    /// The games that do not begin from the initial position.
    pub(crate) fn games_with_starts(&self) -> Result<FxHashSet<i64>, GamesError> {
        self.ids("SELECT game FROM moves WHERE start IS NOT NULL")
    }

    /// The numbers of all games, unless no game was ever deleted.
    fn ids_if_some_are_missing(&self) -> Result<Option<FxHashSet<i64>>, GamesError> {
        let given = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'games'";
        let given: i64 = self
            .connection
            .query_row(given, [], |row| row.get(0))
            .map_err(GamesError::database(self.path()))?;
        if given as u64 == self.game_count()? {
            return Ok(None);
        }
        self.ids("SELECT id FROM games").map(Some)
    }

    fn ids(&self, sql: &str) -> Result<FxHashSet<i64>, GamesError> {
        let db = GamesError::database(self.path());
        let mut select = self.connection.prepare_cached(sql).map_err(&db)?;
        let rows = select.query_map([], |row| row.get(0)).map_err(&db)?;
        rows.collect::<Result<_, _>>().map_err(&db)
    }

    /// Numbers of the games that match a query, with the plies, by number.
    fn found(&self, query: &Query) -> Result<Vec<Found>, GamesError> {
        let columns = self.id_set(query)?;
        let is_wanted = |id: i64| columns.as_ref().is_none_or(|set| set.contains(&id));
        let mut found: Vec<Found> = match &query.position {
            Some(position) => {
                let places = self.occurrences(query, position)?;
                let games = places.chunk_by(|a, b| a.game() == b.game());
                games.filter_map(Found::of).filter(|hit| is_wanted(hit.id)).collect()
            }
            None => Vec::new(),
        };
        if !query.looks_at_boards() {
            return Ok(found);
        }
        let few = match (&query.position, &columns) {
            (Some(_), _) => Some(found.iter().map(|hit| hit.id).collect()),
            (None, Some(columns)) if columns.len() < FEW => {
                let mut list: Vec<i64> = columns.iter().copied().collect();
                list.sort_unstable();
                Some(list)
            }
            _ => None,
        };
        let boards: Vec<(i64, u32)> = match few {
            Some(list) => self.search_list(query, &list)?,
            None => self.search_all(query, &is_wanted)?,
        };
        if query.position.is_none() {
            return Ok(boards
                .into_iter()
                .map(|(id, first)| Found { id, first, more: Vec::new() })
                .collect());
        }
        let boards: FxHashMap<i64, u32> = boards.into_iter().collect();
        found.retain(|hit| boards.contains_key(&hit.id));
        Ok(found)
    }

    fn search_list(&self, query: &Query, list: &[i64]) -> Result<Vec<(i64, u32)>, GamesError> {
        let db = GamesError::database(self.path());
        let mut search = BoardSearch::new(query);
        let mut select = self
            .connection
            .prepare_cached("SELECT start, moves FROM moves WHERE game = ?1")
            .map_err(&db)?;
        let mut found = Vec::new();
        for &id in list {
            let mut rows = select.query([id]).map_err(&db)?;
            let Some(row) = rows.next().map_err(&db)? else { continue };
            match search.find_in(row, 0) {
                Ok(ply) => found.extend(ply.map(|ply| (id, ply))),
                Err(what) => self.leave_out(id, what),
            }
        }
        Ok(found)
    }

    /// Looks at the boards of all games, on all processors.
    fn search_all(
        &self,
        query: &Query,
        is_wanted: &(dyn Fn(i64) -> bool + Sync),
    ) -> Result<Vec<(i64, u32)>, GamesError> {
        let (first, last): (i64, i64) = self
            .connection
            .query_row(
                "SELECT coalesce(min(game), 0), coalesce(max(game), -1) FROM moves",
                [],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .map_err(GamesError::database(self.path()))?;
        let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get) as i64;
        let share = ((last - first) / threads + 1).max(1_000);
        let place = self.place();
        thread::scope(|scope| {
            let starts = (first..=last).step_by(share as usize);
            let work: Vec<_> = starts
                .map(|start| {
                    let range = start..=last.min(start + share - 1);
                    let work = move || search_range(place, query, range, is_wanted);
                    let thread = thread::Builder::new().spawn_scoped(scope, work);
                    thread.map_err(GamesError::io(self.path()))
                })
                .collect();
            let mut found = Vec::new();
            for thread in work {
                let part = thread?.join().unwrap_or_else(|_| {
                    Err(GamesError::Input("a thread that searches has died".to_owned()))
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
    pub fn find(&self, query: &Query, skip: u64, most: u64) -> Result<Page, GamesError> {
        let (skip, most) = (clamped(skip), clamped(most));
        if query.position.is_none() && !query.looks_at_boards() {
            let filter = query.filter(self)?;
            let ids = match filter.sql.is_empty() {
                true => None,
                false => Some(self.ids_by(&filter)?),
            };
            let total = match &ids {
                Some(ids) => ids.len() as u64,
                None => self.game_count()?,
            };
            let page = self.in_order(query.sort, ids.as_deref(), skip, most)?;
            return Ok(Page { total, hits: self.hits(page, |_| Vec::new())? });
        }
        let found = self.found(query)?;
        let total = found.len() as u64;
        let ids: Vec<i64> = found.iter().map(|hit| hit.id).collect();
        let page = self.in_order(query.sort, Some(&ids), skip, most)?;
        // Both are in ascending order.
        let plies = |id| ids.binary_search(&id).map(|at| found[at].plies()).unwrap_or_default();
        Ok(Page { total, hits: self.hits(page, plies)? })
    }

    /// The numbers of all games that match a query, ascending.
    ///
    /// # Errors
    /// As [`GamesFile::find`].
    pub fn find_ids(&self, query: &Query) -> Result<Vec<i64>, GamesError> {
        if query.position.is_none() && !query.looks_at_boards() {
            return self.ids_by_columns(query);
        }
        Ok(self.found(query)?.into_iter().map(|hit| hit.id).collect())
    }
}

/// The most places of a position that are checked on the board.
const CHECKED: usize = 1_000;

/// Up to this many games are read one by one, more by going through all games in turn.
pub(crate) const FEW: usize = 20_000;

fn search_range(
    place: &Place,
    query: &Query,
    range: RangeInclusive<i64>,
    is_wanted: &(dyn Fn(i64) -> bool + Sync),
) -> Result<(Vec<FirstPly>, Vec<Fault>), GamesError> {
    let file = GamesFile::again(place)?;
    let db = GamesError::database(file.path());
    let mut search = BoardSearch::new(query);
    let mut select = file
        .connection
        .prepare("SELECT game, start, moves FROM moves WHERE game BETWEEN ?1 AND ?2")
        .map_err(&db)?;
    let mut rows = select.query([range.start(), range.end()]).map_err(&db)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(&db)? {
        let id = row.get(0).map_err(&db)?;
        if !is_wanted(id) {
            continue;
        }
        match search.find_in(row, 1) {
            Ok(ply) => found.extend(ply.map(|ply| (id, ply))),
            Err(what) => file.leave_out(id, what),
        }
    }
    Ok((found, file.take_faults()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::ImportOptions;

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
