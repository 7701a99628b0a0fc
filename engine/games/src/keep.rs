//! Keeping a file in order: check, dedupe, delete, rename, annotate, compact.

use movegen::notation::pdn::PdnGame;
use rusqlite::{Transaction, TransactionBehavior, params};

use crate::coding::{Replay, encode};
use crate::error::GamesError;
use crate::file::{GamesFile, needs_text, start_of, text_of};
use crate::import::{delete_game, fingerprint, index_game, player_id};
use crate::index::{self, IndexWriter};

/// A fault in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The game, if the fault is in one game.
    pub game: Option<i64>,
    /// What is wrong.
    pub what: String,
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CheckReport {
    /// Games checked.
    pub games: u64,
    /// Moves played.
    pub plies: u64,
    /// Places in the index.
    pub postings: u64,
    /// The faults, at most 100.
    pub faults: Vec<Fault>,
}

const MOST_FAULTS: usize = 100;

impl CheckReport {
    fn fault(&mut self, game: Option<i64>, what: impl Into<String>) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(Fault { game, what: what.into() });
        }
    }
}

impl GamesFile {
    fn begin(&self) -> Result<Transaction<'_>, GamesError> {
        Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
            .map_err(GamesError::database(self.path()))
    }

    /// Checks everything: what SQLite checks, every move against the rules, fingerprints, and the
    /// index against the games. `observe` is told how many games of how many are done, and ends the
    /// work by returning false.
    ///
    /// # Errors
    /// If the file cannot be read, or the work was ended.
    pub fn check(
        &self,
        observe: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<CheckReport, GamesError> {
        let db = GamesError::database(self.path());
        let mut report = CheckReport::default();
        for pragma in ["integrity_check(100)", "foreign_key_check"] {
            let mut select = self.connection.prepare(&format!("PRAGMA {pragma}")).map_err(&db)?;
            let mut rows = select.query([]).map_err(&db)?;
            while let Some(row) = rows.next().map_err(&db)? {
                let text: String = row.get(0).map_err(&db)?;
                if text != "ok" {
                    report.fault(None, format!("SQLite, {pragma}: {text}"));
                }
            }
        }
        if !report.faults.is_empty() {
            return Ok(report);
        }
        let all = self.game_count()?;
        let mut select = self
            .connection
            .prepare(
                "SELECT g.id, g.plies, g.fingerprint, m.start, m.moves FROM games g \
                 LEFT JOIN moves m ON m.game = g.id ORDER BY g.id",
            )
            .map_err(&db)?;
        let mut rows = select.query([]).map_err(&db)?;
        let mut places = 0u64;
        while let Some(row) = rows.next().map_err(&db)? {
            let id: i64 = row.get(0).map_err(&db)?;
            let start: Option<String> = row.get(3).map_err(&db)?;
            let moves: Option<Vec<u8>> = row.get(4).map_err(&db)?;
            report.games += 1;
            if report.games % 256 == 0 && !observe(report.games, all) {
                return Err(GamesError::Interrupted);
            }
            let Some(moves) = moves else {
                report.fault(Some(id), "it has no moves");
                continue;
            };
            let Some(position) = start_of(start.as_deref()) else {
                report.fault(Some(id), "its start is not a position");
                continue;
            };
            if fingerprint(start.as_deref(), &moves) != row.get::<_, i64>(2).map_err(&db)? {
                report.fault(Some(id), "its fingerprint is not that of its moves");
            }
            let mut replay = Replay::new(position, &moves);
            loop {
                let before = *replay.position();
                let Some(mv) = replay.advance() else { break };
                if !before.legal_moves().contains(&mv) {
                    let ply = replay.ply();
                    report.fault(Some(id), format!("its move at ply {ply}, {mv}, is not legal"));
                    break;
                }
                report.plies += 1;
            }
            places += replay.ply() as u64 + 1;
            let plies: i64 = row.get(1).map_err(&db)?;
            if replay.is_damaged() || plies != replay.ply() as i64 {
                report.fault(
                    Some(id),
                    format!("{plies} moves, but {} of them can be read", replay.ply()),
                );
            }
        }
        let (count, bad) = index::survey(&self.connection).map_err(&db)?;
        report.postings = count;
        if let Some(block) = bad {
            report.fault(None, format!("block {block:x} of the index cannot be read"));
        }
        // Deleted games stay in the index until it is rebuilt.
        if count < places {
            let text = format!("the index has {count} places, the games have {places} positions");
            report.fault(None, text);
        }
        Ok(report)
    }

    /// Deletes games; returns how many there were. Their files can be imported again.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn delete(&mut self, ids: &[i64]) -> Result<u64, GamesError> {
        let db = GamesError::database(self.path());
        let transaction = self.begin()?;
        let mut count = 0;
        for id in ids {
            let run = |sql: &str| -> rusqlite::Result<usize> {
                transaction.prepare_cached(sql)?.execute([id])
            };
            run(
                "UPDATE sources SET crc = NULL WHERE id = (SELECT source FROM games WHERE id = ?1)",
            )
            .map_err(&db)?;
            count += delete_game(&transaction, *id).map_err(&db)? as u64;
        }
        tidy(&transaction).map_err(&db)?;
        transaction.commit().map_err(&db)?;
        Ok(count)
    }

    /// Moves all games from one spelling of a player's name to another; returns how many games
    /// changed.
    ///
    /// # Errors
    /// If nobody has that name, or the file cannot be written.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<u64, GamesError> {
        let db = GamesError::database(self.path());
        let transaction = self.begin()?;
        let old = transaction
            .prepare_cached("SELECT id FROM players WHERE name = ?1")
            .and_then(|mut select| select.query_row([from], |row| row.get::<_, i64>(0)));
        let old = match old {
            Err(rusqlite::Error::QueryReturnedNoRows) => {
                return Err(GamesError::Input(format!("nobody has the name '{from}'")));
            }
            other => other.map_err(&db)?,
        };
        let new = player_id(&transaction, to).map_err(&db)?;
        let count: i64 = transaction
            .query_row("SELECT count(*) FROM games WHERE white = ?1 OR black = ?1", [old], |row| {
                row.get(0)
            })
            .map_err(&db)?;
        for side in ["white", "black"] {
            let sql = format!("UPDATE games SET {side} = ?2 WHERE {side} = ?1");
            transaction.execute(&sql, [old, new]).map_err(&db)?;
        }
        tidy(&transaction).map_err(&db)?;
        transaction.commit().map_err(&db)?;
        Ok(count as u64)
    }

    /// Replaces the comments, variations and glyphs of games; the columns stay as they are. The
    /// moves of the main lines must be the same. All or nothing.
    ///
    /// # Errors
    /// If there is no such game, its moves differ, or the file cannot be written.
    pub fn replace<'g>(
        &mut self,
        games: impl IntoIterator<Item = (i64, &'g PdnGame)>,
    ) -> Result<(), GamesError> {
        let db = GamesError::database(self.path());
        let transaction = self.begin()?;
        for (id, game) in games {
            let Some(row) = self.moves_row(id)? else {
                return Err(GamesError::Input(format!("there is no game {id}")));
            };
            if row.moves != encode(game) {
                return Err(GamesError::Input(format!("game {id} has other moves by now")));
            }
            let text = needs_text(game).then(|| text_of(game));
            let packed = text.and_then(|text| zstd::encode_all(text.as_bytes(), 3).ok());
            transaction
                .prepare_cached("UPDATE moves SET text = ?2 WHERE game = ?1")
                .and_then(|mut update| update.execute(params![id, packed]))
                .map_err(&db)?;
        }
        transaction.commit().map_err(&db)
    }

    /// Rebuilds the index and gives back free space.
    ///
    /// # Errors
    /// If the file cannot be written, or the work was ended.
    pub fn vacuum(&mut self, observe: &mut dyn FnMut(u64, u64) -> bool) -> Result<(), GamesError> {
        let db = GamesError::database(self.path());
        let all = self.game_count()?;
        {
            let transaction = self.begin()?;
            index::clear(&transaction).map_err(&db)?;
            let mut writer = IndexWriter::default();
            let mut done = 0;
            let mut select = transaction
                .prepare("SELECT game, start, moves FROM moves ORDER BY game")
                .map_err(&db)?;
            let mut rows = select.query([]).map_err(&db)?;
            while let Some(row) = rows.next().map_err(&db)? {
                let id: i64 = row.get(0).map_err(&db)?;
                let start: Option<String> = row.get(1).map_err(&db)?;
                let start = start_of(start.as_deref())
                    .ok_or_else(|| self.damaged(format!("the start of game {id}")))?;
                let number =
                    u32::try_from(id).map_err(|_| self.damaged(format!("game number {id}")))?;
                let moves = row.get_ref(2).map_err(&db)?;
                index_game(&mut writer, number, start, moves.as_blob().unwrap_or_default());
                writer.breathe(&transaction).map_err(&db)?;
                done += 1;
                if done % 256 == 0 && !observe(done, all) {
                    return Err(GamesError::Interrupted);
                }
            }
            drop(rows);
            drop(select);
            writer.finish(&transaction).map_err(&db)?;
            transaction.commit().map_err(&db)?;
        }
        self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);").map_err(&db)
    }
}

/// Removes players and events without games.
fn tidy(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "DELETE FROM players WHERE NOT EXISTS (SELECT 1 FROM games WHERE white = players.id) \
         AND NOT EXISTS (SELECT 1 FROM games WHERE black = players.id); \
         DELETE FROM events WHERE NOT EXISTS (SELECT 1 FROM games WHERE event = events.id);",
    )
}
