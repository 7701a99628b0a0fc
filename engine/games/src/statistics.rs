//! Scores of a player or of a whole file.

use crate::error::GamesError;
use crate::file::GamesFile;
use crate::query::Query;

/// Games and points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score {
    /// Games.
    pub games: u64,
    /// Won, drawn, lost; the rest has no result.
    pub results: [u64; 3],
    /// Moves of both sides in all games.
    pub plies: u64,
}

impl Score {
    /// The share of the points, 0 to 1; `None` without a result.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let [won, drawn, lost] = self.results.map(|count| count as f64);
        let games = won + drawn + lost;
        (games > 0.0).then(|| (won + drawn / 2.0) / games)
    }

    /// The mean number of moves of both sides.
    #[must_use]
    pub fn length(&self) -> Option<f64> {
        (self.games > 0).then(|| self.plies as f64 / self.games as f64)
    }

    fn add(&mut self, result: i64, is_white: bool, plies: u64) {
        self.games += 1;
        self.plies += plies;
        match (result, is_white) {
            (1, true) | (3, false) => self.results[0] += 1,
            (2, _) => self.results[1] += 1,
            (3, true) | (1, false) | (4, _) => self.results[2] += 1,
            _ => {}
        }
    }
}

/// A line of the statistics.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatisticsRow {
    /// What is told apart: `all`, `color`, `opening`, `year`, `opponent`.
    pub group: &'static str,
    /// Which of them: `White`, `32-28 19-23`, `1977`, a name.
    pub name: String,
    /// The score.
    pub score: Score,
}

/// Plies that make an opening.
const OPENING: usize = 2;

impl GamesFile {
    /// The scores of the query's player in the games that fulfil it; without a player those of
    /// White. At most `most` openings and opponents, those of most games first.
    ///
    /// # Errors
    /// As [`GamesFile::find`].
    pub fn statistics(&self, query: &Query, most: usize) -> Result<Vec<StatisticsRow>, GamesError> {
        use std::collections::{BTreeMap, HashMap, HashSet};
        let db = GamesError::database(self.path());
        let players: Option<HashSet<i64>> = match &query.player {
            Some(name) => Some(self.players(name)?.into_iter().collect()),
            None => None,
        };
        let mut all = Score::default();
        let mut colors = [Score::default(); 2];
        let mut openings: HashMap<String, Score> = HashMap::new();
        let mut years: BTreeMap<u32, Score> = BTreeMap::new();
        let mut opponents: HashMap<i64, Score> = HashMap::new();
        let mut select = self
            .connection
            .prepare_cached(
                "SELECT g.white, g.black, g.result, g.year, g.plies, m.start, m.moves FROM games g \
                 JOIN moves m ON m.game = g.id WHERE g.id = ?1",
            )
            .map_err(&db)?;
        for id in self.find_ids(query)? {
            let mut rows = select.query([id]).map_err(&db)?;
            let Some(row) = rows.next().map_err(&db)? else { continue };
            let (white, black): (i64, i64) = (row.get(0).map_err(&db)?, row.get(1).map_err(&db)?);
            let result = row.get(2).map_err(&db)?;
            let plies = row.get::<_, i64>(4).map_err(&db)? as u64;
            let is_ours = |id: i64| players.as_ref().is_none_or(|set| set.contains(&id));
            let is_white = match query.color {
                Some(color) => color == movegen::Color::White,
                None => is_ours(white),
            };
            all.add(result, is_white, plies);
            colors[usize::from(!is_white)].add(result, is_white, plies);
            let start: Option<String> = row.get(5).map_err(&db)?;
            let opening = match start {
                Some(_) => "(other start)".to_owned(),
                None => {
                    let moves = row.get_ref(6).map_err(&db)?.as_blob().unwrap_or_default();
                    let mut replay =
                        crate::coding::Replay::new(movegen::Position::initial(), moves);
                    let moves: Vec<String> = std::iter::from_fn(|| replay.advance())
                        .take(OPENING)
                        .map(|mv| mv.to_string())
                        .collect();
                    if moves.is_empty() { "(no moves)".to_owned() } else { moves.join(" ") }
                }
            };
            openings.entry(opening).or_default().add(result, is_white, plies);
            if let Some(year) = row.get(3).map_err(&db)? {
                years.entry(year).or_default().add(result, is_white, plies);
            }
            if players.is_some() {
                let opponent = if is_white { black } else { white };
                opponents.entry(opponent).or_default().add(result, is_white, plies);
            }
        }
        let row = |group, name, score| StatisticsRow { group, name, score };
        let mut rows = vec![row("all", String::new(), all)];
        for (name, score) in ["White", "Black"].into_iter().zip(colors) {
            if score.games > 0 {
                rows.push(row("color", name.to_owned(), score));
            }
        }
        rows.extend(years.into_iter().map(|(year, score)| row("year", year.to_string(), score)));
        let mut list: Vec<(String, Score)> = openings.into_iter().collect();
        list.sort_by(|a, b| b.1.games.cmp(&a.1.games).then_with(|| a.0.cmp(&b.0)));
        rows.extend(list.into_iter().take(most).map(|(name, score)| row("opening", name, score)));
        let mut list: Vec<(i64, Score)> = opponents.into_iter().collect();
        list.sort_by(|a, b| b.1.games.cmp(&a.1.games).then_with(|| a.0.cmp(&b.0)));
        for (id, score) in list.into_iter().take(most) {
            let name = self
                .connection
                .query_row("SELECT name FROM players WHERE id = ?1", [id], |row| row.get(0))
                .map_err(&db)?;
            rows.push(row("opponent", name, score));
        }
        Ok(rows)
    }
}
