//! Checking a file: what SQLite checks, every game, and the index against the games.

use movegen::json::Record;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::add::{fingerprint, places};
use super::coding::{Replay, encode};
use super::error::GamesError;
use super::file::{Fault, GamesFile};
use super::index;
use super::movetext::{Unpacker, follow};
use super::names::{folded, sort_key};
use super::rows::{GameRows, Games};

/// The result of a check of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "GamesCheck")]
pub struct CheckReport {
    /// The file.
    pub file: String,
    /// Games checked.
    pub games: u64,
    /// Moves played.
    pub plies: u64,
    /// Places of positions in the index.
    pub indexed: u64,
    /// The faults, at most 100, and at most one of a game.
    pub faults: Vec<Fault>,
}

impl Record for CheckReport {
    const TYPE: &'static str = "games_check";
}

const MAX_FAULTS: usize = 100;

impl CheckReport {
    fn fault(&mut self, game: Option<i64>, what: impl Into<String>) {
        let is_known = |fault: &Fault| game.is_some() && fault.game == game;
        if self.faults.len() < MAX_FAULTS && !self.faults.iter().any(is_known) {
            self.faults.push(Fault { game, what: what.into() });
        }
    }
}

/// The findings about one game.
struct Checked {
    id: i64,
    fault: Option<String>,
    plies: u64,
    /// The sum of the hashes of its places.
    places: u64,
}

impl GamesFile {
    /// Checks everything: what SQLite checks, every name, tag, text and move, and the index against
    /// the games. `observe` gets the number of games done and of all games, and ends the work by
    /// returning false.
    ///
    /// # Errors
    /// If the work was ended, or another process is writing.
    pub fn check(
        &self,
        observe: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<CheckReport, GamesError> {
        let file = self.path().display().to_string();
        let mut report = CheckReport { file, ..CheckReport::default() };
        match self.named(|| self.check_into(&mut report, observe)) {
            Err(error @ (GamesError::Interrupted | GamesError::Busy { .. })) => return Err(error),
            Err(GamesError::Damaged { what, .. }) => report.fault(None, what),
            Err(error) => report.fault(None, error.to_string()),
            Ok(()) => {}
        }
        Ok(report)
    }

    fn check_into(
        &self,
        report: &mut CheckReport,
        observe: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<(), GamesError> {
        let all = self.game_count()?;
        if !observe(0, all) {
            return Err(GamesError::Interrupted);
        }
        self.each_row("PRAGMA integrity_check(100)", &mut |row| {
            let text: String = row.get(0)?;
            if text != "ok" {
                report.fault(None, format!("SQLite: {text}"));
            }
            Ok(())
        })?;
        // The sums of the places of readable games, from which those in the index are subtracted.
        let mut sums: FxHashMap<u32, u64> = FxHashMap::default();
        let mut which = Games::After(i64::MIN);
        loop {
            let games = self.work_on(&mut which, check_game)?;
            if games.is_empty() {
                break;
            }
            for Checked { id, fault, plies, places } in games {
                report.games += 1;
                report.plies += plies;
                match (fault, u32::try_from(id)) {
                    (Some(what), _) => report.fault(Some(id), what),
                    (None, Ok(game)) => drop(sums.insert(game, places)),
                    (None, Err(_)) => report.fault(Some(id), "no game can have this number"),
                }
            }
            if !observe(report.games, all) {
                return Err(GamesError::Interrupted);
            }
        }
        self.check_names(report)?;
        let last: i64 = self.value("SELECT coalesce(max(seq), 0) FROM sqlite_sequence")?;
        let mut strangers = 0u64;
        let (count, faults) = index::walk(&self.connection, &mut |place| {
            match sums.get_mut(&place.game()) {
                Some(sum) => *sum = sum.wrapping_sub(place.hash()),
                // Deleted games stay in the index until it is rebuilt.
                None => strangers += u64::from(i64::from(place.game()) > last),
            }
        })?;
        report.indexed = count;
        for what in faults {
            report.fault(None, what);
        }
        if strangers > 0 {
            report.fault(None, format!("{strangers} places in the index are of no game"));
        }
        let mut wrong: Vec<u32> =
            sums.into_iter().filter(|(_, sum)| *sum != 0).map(|(game, _)| game).collect();
        wrong.sort_unstable();
        for game in wrong {
            let what = "the index has places other than its positions";
            report.fault(Some(i64::from(game)), what);
        }
        Ok(())
    }

    fn each_row(
        &self,
        sql: &str,
        see: &mut dyn FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let mut select = self.connection.prepare(sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            see(row)?;
        }
        Ok(())
    }

    /// Columns that belong together.
    fn check_names(&self, report: &mut CheckReport) -> rusqlite::Result<()> {
        let tables = [("players", "folded"), ("events", "site")];
        for (table, other) in tables {
            self.each_row(&format!("SELECT id, name, {other}, key FROM {table}"), &mut |row| {
                let id: i64 = row.get(0)?;
                let text = |column| row.get_ref(column).ok().and_then(|text| text.as_str().ok());
                let is_right = match (text(1), text(2), text(3)) {
                    (Some(name), Some(other), Some(key)) => {
                        key == sort_key(name) && (table == "events" || other == folded(name))
                    }
                    _ => false,
                };
                if !is_right {
                    report.fault(None, format!("row {id} of {table} does not fit its name"));
                }
                Ok(())
            })?;
        }
        let sql = "SELECT g.id FROM games g LEFT JOIN moves m ON m.game = g.id WHERE \
             g.checksum IS NOT checksum(g.date, g.round, g.score, g.line, g.source, g.day, m.tags)";
        self.each_row(sql, &mut |row| {
            report.fault(Some(row.get(0)?), "its columns or tags do not fit their checksum");
            Ok(())
        })?;
        self.each_row("PRAGMA foreign_key_check", &mut |row| {
            let (table, id): (String, Option<i64>) = (row.get(0)?, row.get(1)?);
            let parent: String = row.get(2)?;
            let game = id.filter(|_| table == "games" || table == "moves");
            let what = format!("its row of {table} belongs to no row of {parent}");
            report.fault(game, what);
            Ok(())
        })
    }
}

fn check_game(unpacker: &mut Unpacker, raw: GameRows) -> Checked {
    let mut checked = Checked { id: raw.id, fault: None, plies: 0, places: 0 };
    checked.fault = checked.look_at(unpacker, raw).err();
    checked
}

impl Checked {
    fn look_at(&mut self, unpacker: &mut Unpacker, raw: GameRows) -> Result<(), String> {
        let (header, row) = raw.rows?;
        let start = row.start()?;
        row.tags()?;
        if fingerprint(row.start.as_deref(), &row.moves) != raw.fingerprint {
            return Err("its fingerprint is not that of its moves".to_owned());
        }
        let mut replay = Replay::new(start, &row.moves);
        loop {
            let before = *replay.position();
            let Some(mv) = replay.advance() else { break };
            if !before.legal_moves().contains(&mv) {
                return Err(format!("its move at ply {}, {mv}, is not legal", replay.ply()));
            }
            self.plies += 1;
        }
        if replay.is_damaged() || u64::from(header.plies) != self.plies {
            return Err(format!("{} moves, but {} of them can be read", header.plies, self.plies));
        }
        if let Some(text) = row.text(unpacker)?
            && !follow(&text, start, &row.moves, &mut |_| ())
            && encode(&row.parsed(&text)?) != row.moves
        {
            return Err("its text has different moves".to_owned());
        }
        let game = u32::try_from(raw.id).unwrap_or_default();
        places(game, Replay::new(start, &row.moves), |place| {
            self.places = self.places.wrapping_add(place.hash());
        });
        Ok(())
    }
}
