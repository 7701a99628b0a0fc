//! Queries as SQL: conditions on columns, names, orders.

use std::ops::RangeInclusive;

use movegen::notation::pdn::PlayerName;
use movegen::{Color, Variant};
use rusqlite::types::Value;

use super::error::GamesError;
use super::file::GamesFile;
use super::names::{folded, words};
use crate::query::{Outcome, Query, Sort};

impl Sort {
    /// All games in this order, read from an index, or a few of them, sorted.
    pub(crate) fn order(self, few: Option<&[i64]>) -> String {
        let by = match self {
            Sort::Number => "g.id",
            // Unknown days, which are NULL, come last.
            Sort::Date => "g.day DESC, g.id",
            Sort::Rating => "coalesce(g.white_rating, 0) + coalesce(g.black_rating, 0) DESC, g.id",
            Sort::White | Sort::Black => "n.key, n.name, g.id",
            Sort::Event => "n.key, n.name, n.site, g.id",
            Sort::Length => "g.plies DESC, g.id",
        };
        // The order of the tables is the order of work: names by their index, then the games of
        // each; a few games are read first.
        let join = if few.is_some() { "JOIN" } else { "CROSS JOIN" };
        let from = match self.names() {
            Some((table, column)) => format!("{table} n {join} games g ON n.id = g.{column}"),
            None => "games g".to_owned(),
        };
        format!("SELECT g.id FROM {from}{} ORDER BY {by}", among(few, "WHERE"))
    }

    /// The games that [`Sort::order`] does not give, as what it sorts by is missing.
    pub(crate) fn rest(self, few: Option<&[i64]>) -> Option<String> {
        let (table, column) = self.names()?;
        Some(format!(
            "SELECT g.id FROM games g WHERE g.{column} NOT IN (SELECT id FROM {table}){} \
             ORDER BY g.id",
            among(few, "AND")
        ))
    }

    /// The table of the names that it sorts by, and the column of its rows.
    const fn names(self) -> Option<(&'static str, &'static str)> {
        match self {
            Sort::White => Some(("players", "white")),
            Sort::Black => Some(("players", "black")),
            Sort::Event => Some(("events", "event")),
            Sort::Number | Sort::Date | Sort::Rating | Sort::Length => None,
        }
    }
}

fn among(few: Option<&[i64]>, word: &str) -> String {
    few.map_or_else(String::new, |ids| format!(" {word} g.id IN ({})", list(ids)))
}

/// A condition on the columns of a game.
#[derive(Default)]
pub(crate) struct SqlCondition {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value>,
}

impl SqlCondition {
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

    fn between(&mut self, column: &str, range: Option<&RangeInclusive<u32>>) {
        if let Some(range) = range {
            let (first, last) = (self.value(*range.start()), self.value(*range.end()));
            self.and(&format!("{column} BETWEEN {first} AND {last}"));
        }
    }
}

fn list(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    ids.join(",")
}

impl Query {
    /// Whether all games meet it, whatever its `position`.
    ///
    /// # Errors
    /// If it contradicts itself, or the file cannot be read.
    pub fn is_of_all(&self, file: &GamesFile) -> Result<bool, GamesError> {
        Ok(!self.looks_at_boards() && file.named(|| self.filter(file))?.sql.is_empty())
    }

    /// The conditions on columns.
    pub(crate) fn filter(&self, file: &GamesFile) -> Result<SqlCondition, GamesError> {
        let mut filter = SqlCondition::default();
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
            let winner = match self.result {
                Some(Outcome::PlayerWins) => Some(color),
                Some(Outcome::PlayerLoses) => Some(!color),
                _ => None,
            };
            parts.extend(winner.map(|side| match side {
                Color::White => "g.result = 1".to_owned(),
                Color::Black => "g.result = 3".to_owned(),
            }));
            format!("({})", parts.join(" AND "))
        };
        let is_players = matches!(self.result, Some(Outcome::PlayerWins | Outcome::PlayerLoses));
        if player.is_some() || opponent.is_some() {
            match self.color {
                Some(color) => filter.and(&pair(color)),
                None => {
                    let both = format!("({} OR {})", pair(Color::White), pair(Color::Black));
                    filter.and(&both);
                }
            }
        } else if is_players || self.color.is_some() {
            let text = "a side, 'win' and 'loss' need a player: name one".to_owned();
            return Err(GamesError::Input(text));
        }
        if let Some(event) = &self.event {
            filter.and(&format!("g.event IN ({})", list(&file.events(event)?)));
        }
        filter.between("g.year", self.years.as_ref());
        match self.result {
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
        filter.between("g.plies", self.length.as_ref());
        let games = |name| format!("IN (SELECT game FROM moves WHERE start GLOB '{name}*')");
        match self.variant {
            Some(Variant::International) => filter.and(&format!("g.id NOT {}", games("[a-z]"))),
            Some(variant) => filter.and(&format!("g.id {}", games(variant.name()))),
            None => {}
        }
        if let Some(ids) = &self.ids {
            filter.and(&format!("g.id IN ({})", list(ids)));
        }
        Ok(filter)
    }
}

/// Whether a typed text means a name.
struct TypedName {
    glob: Option<PlayerName>,
    /// The longest first: few words begin with them.
    words: Vec<String>,
    text: String,
}

impl TypedName {
    fn new(text: &str) -> Result<TypedName, GamesError> {
        let has_signs = text.contains(['*', '?', '[']) && text.trim() != "?";
        let glob = has_signs.then(|| PlayerName::parse(text)).transpose();
        let glob = glob.map_err(|error| GamesError::Input(format!("'{text}': {error}")))?;
        let mut words = words(text);
        words.sort_unstable_by_key(|word| std::cmp::Reverse(word.len()));
        Ok(TypedName { glob, words, text: text.trim().to_owned() })
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
        self.meant("SELECT id, name, folded FROM players", text, |wanted, name, folded| {
            wanted.is(name, folded)
        })
    }

    fn events(&self, text: &str) -> Result<Vec<i64>, GamesError> {
        self.meant("SELECT id, name, site FROM events", text, |wanted, name, site| {
            [name, site].iter().any(|text| wanted.is(text, &folded(text)))
        })
    }

    /// The rows that a text means, by their number and two texts.
    fn meant(
        &self,
        sql: &str,
        text: &str,
        is_meant: impl Fn(&TypedName, &str, &str) -> bool,
    ) -> Result<Vec<i64>, GamesError> {
        let wanted = TypedName::new(text)?;
        self.named(|| -> rusqlite::Result<Vec<i64>> {
            let mut select = self.connection.prepare_cached(sql)?;
            let mut rows = select.query([])?;
            let mut ids = Vec::new();
            while let Some(row) = rows.next()? {
                let text = |column| row.get_ref(column).map(|t| t.as_str().unwrap_or_default());
                if is_meant(&wanted, text(1)?, text(2)?) {
                    ids.push(row.get(0)?);
                }
            }
            Ok(ids)
        })
    }

    /// The numbers of the games whose columns match, ascending; `None` if all do.
    pub(crate) fn ids_by_columns(&self, query: &Query) -> Result<Option<Vec<i64>>, GamesError> {
        let filter = query.filter(self)?;
        if filter.sql.is_empty() {
            return Ok(None);
        }
        let sql = format!("SELECT g.id FROM games g WHERE {}", filter.sql);
        let values = rusqlite::params_from_iter(filter.values);
        let mut ids: Vec<i64> = self.numbers(&sql, values)?;
        // Sorted here: with `ORDER BY`, SQLite would walk through all games.
        ids.sort_unstable();
        Ok(Some(ids))
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
            let is = TypedName::new(text).unwrap().is(name, &folded(name));
            assert_eq!(is, is_meant, "{text} / {name}");
        }
        assert!(TypedName::new("[x").is_err());
    }
}
