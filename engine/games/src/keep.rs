//! Keeping a file in order: dedupe, delete, rename, annotate, compact.

use movegen::notation::pdn::PdnGame;
use rusqlite::params;

use crate::coding::encode;
use crate::error::GamesError;
use crate::file::GamesFile;
use crate::import::{delete_game, places, player_id};
use crate::index::{self, IndexWriter};
use crate::movetext::pack;
use crate::rows::{needs_text, start_of, text_of};

impl GamesFile {
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
            let packed = needs_text(game).then(|| pack(&text_of(game))).transpose();
            let packed = packed.map_err(GamesError::io(self.path()))?;
            transaction
                .prepare_cached("UPDATE moves SET text = ?2 WHERE game = ?1")
                .and_then(|mut update| update.execute(params![id, packed]))
                .map_err(&db)?;
        }
        transaction.commit().map_err(&db)
    }

    /// Rebuilds the index. `observe` gets the number of games done and of all games, and ends the work
    /// by returning false; then nothing has been changed. A damaged game is left out of the index.
    ///
    /// # Errors
    /// If the file cannot be written, or the work was ended.
    pub fn rebuild_index(
        &mut self,
        observe: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<(), GamesError> {
        let db = GamesError::database(self.path());
        let all = self.game_count()?;
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
            let start = row.get_ref(1).ok().and_then(|text| text.as_str_or_null().ok());
            let moves = row.get_ref(2).ok().and_then(|moves| moves.as_blob().ok());
            match (u32::try_from(id), start.and_then(start_of), moves) {
                (Ok(game), Some(start), Some(moves)) => {
                    places(game, start, moves, |place| writer.add(place));
                }
                _ => self.leave_out(id, "its moves or its start cannot be read".to_owned()),
            }
            writer.breathe(&transaction).map_err(&db)?;
            done += 1;
            if done % 256 == 0 && !observe(done, all) {
                return Err(GamesError::Interrupted);
            }
        }
        drop(rows);
        drop(select);
        writer.finish(&transaction).map_err(&db)?;
        transaction.commit().map_err(&db)
    }

    /// Gives back free space: all of it or none.
    ///
    /// # Errors
    /// If the file cannot be written, or the work was ended.
    pub fn compact(&mut self) -> Result<(), GamesError> {
        let db = GamesError::database(self.path());
        self.connection.execute_batch("VACUUM").map_err(&db)?;
        match self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").map_err(&db) {
            // It is done when the file is closed.
            Err(GamesError::Interrupted) => Ok(()),
            done => done,
        }
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
