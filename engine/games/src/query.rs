//! Which games to find.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::str::FromStr;

use egdb::Slice;
use movegen::notation::pdn::PlayerName;
use movegen::{Color, Position};
use rusqlite::types::Value;

use crate::error::GamesError;
use crate::file::GamesFile;
use crate::names::{folded, words};
use crate::pattern::{Manoeuvre, Pattern, Sacrifice};

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// White won.
    WhiteWins,
    /// A draw.
    Draw,
    /// Black won.
    BlackWins,
    /// The player of [`Query::player`] won.
    PlayerWins,
    /// That player lost.
    PlayerLoses,
    /// Not known.
    Unknown,
}

impl FromStr for Outcome {
    type Err = String;

    fn from_str(text: &str) -> Result<Outcome, String> {
        Ok(match text {
            "2-0" | "1-0" => Outcome::WhiteWins,
            "1-1" | "draw" | "1/2-1/2" => Outcome::Draw,
            "0-2" | "0-1" => Outcome::BlackWins,
            "*" => Outcome::Unknown,
            "win" => Outcome::PlayerWins,
            "loss" => Outcome::PlayerLoses,
            _ => return Err("expected 2-0, 1-1, 0-2, *, win, draw or loss".to_owned()),
        })
    }
}

/// The order of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sort {
    /// As they were added.
    #[default]
    Number,
    /// By date, the latest first.
    Date,
    /// By the sum of the ratings, the highest first.
    Rating,
    /// By White's name.
    White,
    /// By Black's name.
    Black,
    /// By the event.
    Event,
    /// By length, the longest first.
    Plies,
}

impl Sort {
    /// All orders.
    pub const ALL: [Sort; 7] = [
        Sort::Number,
        Sort::Date,
        Sort::Rating,
        Sort::White,
        Sort::Black,
        Sort::Event,
        Sort::Plies,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Sort::Number => "number",
            Sort::Date => "date",
            Sort::Rating => "rating",
            Sort::White => "white",
            Sort::Black => "black",
            Sort::Event => "event",
            Sort::Plies => "length",
        }
    }

    /// All games in this order, read from an index, or a few of them, sorted; in a file of an older
    /// version names and days have no column.
    pub(crate) fn order(self, few: Option<&[i64]>, is_old: bool) -> String {
        let (name, day) = match is_old {
            true => ("sort_key(n.name)", "coalesce(day_of(g.date), g.year * 10000)"),
            false => ("n.key", "g.day"),
        };
        // The order of the tables says how: names by their index, then the games of each; for a few
        // games it begins with the games.
        let join = if few.is_some() { "JOIN" } else { "CROSS JOIN" };
        let (table, by) = match self {
            Sort::Number => (None, "g.id".to_owned()),
            // Unknown days, which are NULL, come last.
            Sort::Date => (None, format!("{day} DESC, g.id")),
            Sort::Rating => (
                None,
                "coalesce(g.white_rating, 0) + coalesce(g.black_rating, 0) DESC, g.id".to_owned(),
            ),
            Sort::White => (Some("players n"), format!("{name}, n.name, g.id")),
            Sort::Black => (Some("players n"), format!("{name}, n.name, g.id")),
            Sort::Event => (Some("events n"), format!("{name}, n.name, n.site, g.id")),
            Sort::Plies => (None, "g.plies DESC, g.id".to_owned()),
        };
        let from = match table {
            Some(table) => format!("{table} {join} games g ON n.id = g.{}", self.name()),
            None => "games g".to_owned(),
        };
        format!("SELECT g.id FROM {from}{} ORDER BY {by}", among(few, "WHERE"))
    }

    /// The games that [`Sort::order`] does not give, as what it sorts by is missing.
    pub(crate) fn rest(self, few: Option<&[i64]>) -> Option<String> {
        let table = match self {
            Sort::White | Sort::Black => "players",
            Sort::Event => "events",
            _ => return None,
        };
        Some(format!(
            "SELECT g.id FROM games g WHERE g.{} NOT IN (SELECT id FROM {table}){} ORDER BY g.id",
            self.name(),
            among(few, "AND")
        ))
    }
}

fn among(few: Option<&[i64]>, word: &str) -> String {
    few.map_or_else(String::new, |ids| format!(" {word} g.id IN ({})", list(ids)))
}

/// Which games to find: those that meet all given conditions.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// A player: see [`GamesFile::players`] for what matches.
    pub player: Option<String>,
    /// The other player.
    pub opponent: Option<String>,
    /// The side of the player.
    pub color: Option<Color>,
    /// The event or its place, matched as players are.
    pub event: Option<String>,
    /// The years.
    pub years: Option<RangeInclusive<u32>>,
    /// The result of the game.
    pub outcome: Option<Outcome>,
    /// Both ratings at least this.
    pub min_rating: Option<u32>,
    /// Moves of both sides.
    pub length: Option<RangeInclusive<u32>>,
    /// Only these games.
    pub ids: Option<Vec<i64>>,

    /// This position occurs.
    pub position: Option<Position>,
    /// The material occurs.
    pub material: Option<Slice>,
    /// The pattern occurs.
    pub pattern: Option<Pattern>,
    /// For how many positions in a row, at least 1.
    pub lasting: usize,
    /// The moves are played.
    pub moves: Option<Manoeuvre>,
    /// Plies from the first of these moves to the last; 0 for any number.
    pub within: usize,
    /// Material is given up.
    pub sacrifice: Option<Sacrifice>,
    /// Only this stretch of a game is searched: plies, counted from 0 at the start.
    pub stretch: Option<RangeInclusive<u32>>,
    /// Position, material, pattern and moves match with the board turned by 180 degrees and the
    /// colours exchanged, too.
    pub twin: bool,

    /// The order of the games.
    pub sort: Sort,
}

/// A condition on the columns of a game.
#[derive(Default)]
pub(crate) struct Filter {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value>,
}

impl Filter {
    fn and(&mut self, sql: &str) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql.push_str(sql);
    }

    fn value(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }

    /// With `WHERE`, if there is a condition.
    pub(crate) fn clause(&self) -> String {
        if self.sql.is_empty() { String::new() } else { format!(" WHERE {}", self.sql) }
    }
}

fn list(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    ids.join(",")
}

impl Query {
    /// Whether the moves of games must be searched.
    pub(crate) fn looks_at_boards(&self) -> bool {
        self.material.is_some()
            || self.pattern.is_some()
            || self.moves.is_some()
            || self.sacrifice.is_some()
    }

    /// The conditions on columns.
    pub(crate) fn filter(&self, file: &GamesFile) -> Result<Filter, GamesError> {
        let mut filter = Filter::default();
        let ids = |name: &Option<String>| -> Result<Option<String>, GamesError> {
            name.as_deref().map(|name| Ok(list(&file.players(name)?))).transpose()
        };
        let (player, opponent) = (ids(&self.player)?, ids(&self.opponent)?);
        let seat = |color: Color, ids: &str| match color {
            Color::White => format!("g.white IN ({ids})"),
            Color::Black => format!("g.black IN ({ids})"),
        };
        let pair = |color: Color| {
            let mut parts = Vec::new();
            parts.extend(player.as_ref().map(|ids| seat(color, ids)));
            parts.extend(opponent.as_ref().map(|ids| seat(!color, ids)));
            match self.outcome {
                Some(Outcome::PlayerWins) => {
                    parts.push(format!("g.result = {}", if color == Color::White { 1 } else { 3 }));
                }
                Some(Outcome::PlayerLoses) => {
                    parts.push(format!("g.result = {}", if color == Color::White { 3 } else { 1 }));
                }
                _ => {}
            }
            format!("({})", parts.join(" AND "))
        };
        let is_players = matches!(self.outcome, Some(Outcome::PlayerWins | Outcome::PlayerLoses));
        if player.is_some() || opponent.is_some() {
            match self.color {
                Some(color) => filter.and(&pair(color)),
                None => {
                    let both = format!("({} OR {})", pair(Color::White), pair(Color::Black));
                    filter.and(&both);
                }
            }
        } else if is_players || self.color.is_some() {
            let text = "a side, 'win' and 'loss' are those of a player: name one".to_owned();
            return Err(GamesError::Input(text));
        }
        if let Some(event) = &self.event {
            filter.and(&format!("g.event IN ({})", list(&file.events(event)?)));
        }
        if let Some(years) = &self.years {
            let (first, last) = (filter.value(*years.start()), filter.value(*years.end()));
            filter.and(&format!("g.year BETWEEN {first} AND {last}"));
        }
        match self.outcome {
            Some(Outcome::WhiteWins) => filter.and("g.result = 1"),
            Some(Outcome::Draw) => filter.and("g.result = 2"),
            Some(Outcome::BlackWins) => filter.and("g.result = 3"),
            Some(Outcome::Unknown) => filter.and("g.result = 0"),
            Some(Outcome::PlayerWins | Outcome::PlayerLoses) | None => {}
        }
        if let Some(rating) = self.min_rating {
            let least = filter.value(rating);
            filter.and(&format!("g.white_rating >= {least} AND g.black_rating >= {least}"));
        }
        if let Some(length) = &self.length {
            let (first, last) = (filter.value(*length.start()), filter.value(*length.end()));
            filter.and(&format!("g.plies BETWEEN {first} AND {last}"));
        }
        if let Some(ids) = &self.ids {
            filter.and(&format!("g.id IN ({})", list(ids)));
        }
        Ok(filter)
    }
}

/// Whether a typed text means a name.
struct Wanted {
    glob: Option<PlayerName>,
    /// The longest first: few words begin with them.
    words: Vec<String>,
    text: String,
}

impl Wanted {
    fn new(text: &str) -> Result<Wanted, GamesError> {
        let has_signs = text.contains(['*', '?', '[']) && text.trim() != "?";
        let glob = has_signs.then(|| PlayerName::parse(text)).transpose();
        let glob = glob.map_err(|error| GamesError::Input(format!("'{text}': {error}")))?;
        let mut words = words(text);
        words.sort_unstable_by_key(|word| std::cmp::Reverse(word.len()));
        Ok(Wanted { glob, words, text: text.trim().to_owned() })
    }

    /// For a name and what [`folded`] makes of it.
    fn is(&self, name: &str, folded: &str) -> bool {
        if let Some(glob) = &self.glob {
            return glob.matches(name);
        }
        if self.words.is_empty() {
            return name.trim() == self.text;
        }
        // Each word of the name can match one typed word; names have few words.
        let mut taken = 0u64;
        self.words.iter().all(|word| {
            let mut there = folded.split(' ').take(64).enumerate();
            let place = there.position(|(place, other)| {
                taken >> place & 1 == 0 && other.starts_with(word.as_str())
            });
            place.map(|place| taken |= 1 << place).is_some()
        })
    }
}

impl GamesFile {
    /// The rows of the players that a text means: with `*`, `?` or `[` it is a pattern for the
    /// whole name; otherwise each of its words begins a word of the name, in any order, ignoring
    /// case and accents.
    ///
    /// # Errors
    /// If the text is a broken pattern, or the file cannot be read.
    pub fn players(&self, text: &str) -> Result<Vec<i64>, GamesError> {
        let wanted = Wanted::new(text)?;
        let db = GamesError::database(self.path());
        let mut select =
            self.connection.prepare_cached("SELECT id, name, folded FROM players").map_err(&db)?;
        let mut rows = select.query([]).map_err(&db)?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next().map_err(&db)? {
            let text = |column| row.get_ref(column).map(|t| t.as_str().unwrap_or_default());
            if wanted.is(text(1).map_err(&db)?, text(2).map_err(&db)?) {
                ids.push(row.get(0).map_err(&db)?);
            }
        }
        Ok(ids)
    }

    fn events(&self, text: &str) -> Result<Vec<i64>, GamesError> {
        let wanted = Wanted::new(text)?;
        let db = GamesError::database(self.path());
        let mut select =
            self.connection.prepare_cached("SELECT id, name, site FROM events").map_err(&db)?;
        let mut rows = select.query([]).map_err(&db)?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next().map_err(&db)? {
            let is_meant = [1, 2].iter().any(|&column| {
                let text = row.get_ref(column).ok().and_then(|t| t.as_str().ok());
                text.is_some_and(|text| wanted.is(text, &folded(text)))
            });
            if is_meant {
                ids.push(row.get(0).map_err(&db)?);
            }
        }
        Ok(ids)
    }

    /// The numbers of the games whose columns match, ascending.
    pub(crate) fn ids_by_columns(&self, query: &Query) -> Result<Vec<i64>, GamesError> {
        self.ids_by(&query.filter(self)?)
    }

    pub(crate) fn ids_by(&self, filter: &Filter) -> Result<Vec<i64>, GamesError> {
        let db = GamesError::database(self.path());
        let sql = format!("SELECT g.id FROM games g{}", filter.clause());
        let mut select = self.connection.prepare_cached(&sql).map_err(&db)?;
        let values = rusqlite::params_from_iter(filter.values.iter());
        let rows = select.query_map(values, |row| row.get(0)).map_err(&db)?;
        let mut ids = rows.collect::<Result<Vec<i64>, _>>().map_err(&db)?;
        // Sorted here: with `ORDER BY`, SQLite would walk through all games.
        ids.sort_unstable();
        Ok(ids)
    }

    pub(crate) fn id_set(&self, query: &Query) -> Result<Option<HashSet<i64>>, GamesError> {
        if query.filter(self)?.sql.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.ids_by_columns(query)?.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_people_type_them() {
        for (text, name, is_meant) in [
            ("sijbrands", "Sijbrands, Ton", true),
            ("ton sij", "Sijbrands, Ton", true),
            ("t t", "Sijbrands, Ton", false),
            ("s sijb", "Sijbrands, Simon", true),
            ("Müller", "muller", true),
            ("Sij*", "Sijbrands, Ton", true),
            ("*ton", "Sijbrands, Ton", true),
            ("Sij?", "Sijbrands, Ton", false),
            ("?", "?", true),
            ("?", "x", false),
            ("[x]", "[X]", true),
            ("Who?", "Who?", true),
            ("[x] Bot", "[y] Bot", false),
            ("x'; DROP TABLE games; --", "x'; DROP TABLE games; --", true),
        ] {
            let is = Wanted::new(text).unwrap().is(name, &folded(name));
            assert_eq!(is, is_meant, "{text} / {name}");
        }
        assert!(Wanted::new("[x").is_err());
    }
}
