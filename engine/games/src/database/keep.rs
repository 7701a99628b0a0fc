//! Keeping a file in order: dedupe, delete, rename, annotate, compact.

use movegen::notation::pdn::PdnGame;
use rusqlite::params;

use super::add::{delete_game, places, player_id};
use super::coding::encode;
use super::error::GamesError;
use super::file::GamesFile;
use super::find::replay;
use super::index::{self, IndexWriter};
use super::movetext::pack;
use super::rows::{needs_text, text_of};

impl GamesFile {
    /// Deletes games; returns how many there were. Their files can be imported again.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn delete(&mut self, ids: &[i64]) -> Result<u64, GamesError> {
        let of_source = "UPDATE sources SET crc = NULL \
                         WHERE id = (SELECT source FROM games WHERE id = ?1)";
        self.named(|| -> rusqlite::Result<u64> {
            let transaction = self.begin()?;
            let mut count = 0;
            for id in ids {
                transaction.prepare_cached(of_source)?.execute([id])?;
                count += delete_game(&transaction, *id)? as u64;
            }
            tidy(&transaction)?;
            transaction.commit()?;
            Ok(count)
        })
    }

    /// Moves all games from one spelling of a player's name to another; returns how many games
    /// changed.
    ///
    /// # Errors
    /// If nobody has that name, or the file cannot be written.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<u64, GamesError> {
        self.named(|| {
            let transaction = self.begin()?;
            let old: Vec<i64> = self.numbers("SELECT id FROM players WHERE name = ?1", [from])?;
            let Some(&old) = old.first() else {
                return Err(GamesError::Input(format!("nobody has the name '{from}'")));
            };
            let new = player_id(&transaction, to)?;
            let of_old = "SELECT id FROM games WHERE white = ?1 OR black = ?1";
            let games: Vec<i64> = self.numbers(of_old, [old])?;
            for side in ["white", "black"] {
                let sql = format!("UPDATE games SET {side} = ?2 WHERE {side} = ?1");
                transaction.execute(&sql, [old, new])?;
            }
            tidy(&transaction)?;
            transaction.commit()?;
            Ok(games.len() as u64)
        })
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
        self.named(|| {
            let transaction = self.begin()?;
            for (id, game) in games {
                let Some(row) = self.moves_row(id)? else {
                    return Err(GamesError::Input(format!("there is no game {id}")));
                };
                if row.moves != encode(game) {
                    return Err(GamesError::Input(format!("game {id} has different moves now")));
                }
                let packed = needs_text(game).then(|| pack(&text_of(game))).transpose();
                let packed = packed.map_err(GamesError::io(self.path()))?;
                transaction
                    .prepare_cached("UPDATE moves SET text = ?2 WHERE game = ?1")?
                    .execute(params![id, packed])?;
            }
            Ok(transaction.commit()?)
        })
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
        self.named(|| {
            let all = self.game_count()?;
            let transaction = self.begin()?;
            index::clear(&transaction)?;
            let mut writer = IndexWriter::default();
            let mut done = 0;
            let mut select =
                transaction.prepare("SELECT game, start, moves FROM moves ORDER BY game")?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                let id: i64 = row.get(0)?;
                match (u32::try_from(id), replay(row, 1)) {
                    (Ok(game), Ok(replay)) => places(game, replay, |place| writer.add(place)),
                    (_, Err(what)) => self.leave_out(id, what),
                    (Err(_), _) => self.leave_out(id, "no game can have this number".to_owned()),
                }
                writer.breathe(&transaction)?;
                done += 1;
                if done % 256 == 0 && !observe(done, all) {
                    return Err(GamesError::Interrupted);
                }
            }
            drop(rows);
            drop(select);
            writer.finish(&transaction)?;
            Ok(transaction.commit()?)
        })
    }

    /// Gives back free space: all of it or none.
    ///
    /// # Errors
    /// If the file cannot be written, or the work was ended.
    pub fn compact(&mut self) -> Result<(), GamesError> {
        self.named(|| self.connection.execute_batch("VACUUM"))?;
        match self.named(|| self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")) {
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
