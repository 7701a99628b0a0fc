//! Games into the tables, and out of them.

use movegen::Position;
use movegen::notation::pdn::{Encodings, PdnGame, day, year};
use rusqlite::{Connection, Transaction, params};
use rustc_hash::FxHashMap;

use super::coding::{Replay, encode};
use super::error::GamesError;
use super::file::GamesFile;
use super::index::{IndexWriter, Posting, number};
use super::movetext::pack;
use super::names::folded;
use super::rows::{COLUMNS, GIVEN, result_number, start_of};
use super::schema::VERSION;
use super::twins::{Duplicates, Facts, Fuller, Twins};

/// The outcome for a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    Added,
    /// Left out: this game has all that it has.
    LeftOut(i64),
    /// It has replaced this game, which has less.
    Replaces(i64),
    /// It has a new number, and this game, a part of it, was removed.
    Completes(i64),
}

/// A transaction that adds games.
pub(crate) struct Adder<'c> {
    transaction: Transaction<'c>,
    file: &'c GamesFile,
    duplicates: Duplicates,
    pub(crate) twins: &'c mut Twins,
    index: IndexWriter,
    players: FxHashMap<String, i64>,
    events: FxHashMap<(String, String), i64>,
    /// The row of the file or text that the games come from.
    source: i64,
}

impl<'c> Adder<'c> {
    /// Begins to add the games of a file or text of this name and size.
    pub(crate) fn begin(
        file: &'c GamesFile,
        twins: &'c mut Twins,
        duplicates: Duplicates,
        (name, encodings, size): (&str, Encodings, u64),
    ) -> rusqlite::Result<Adder<'c>> {
        let transaction = file.begin()?;
        twins.know(file.pragma("data_version")?);
        transaction.execute(
            "INSERT INTO sources (name, encoding, size, games, added, duplicates, broken) \
             VALUES (?1, ?2, ?3, 0, 0, 0, 0)",
            params![name, encodings.to_string(), size as i64],
        )?;
        Ok(Adder {
            source: transaction.last_insert_rowid(),
            transaction,
            file,
            duplicates,
            twins,
            index: IndexWriter::default(),
            players: FxHashMap::default(),
            events: FxHashMap::default(),
        })
    }

    /// Ends it; the checksum recognises the text later. The counts are games read, added, already
    /// there, and broken.
    pub(crate) fn commit(self, crc: Option<u32>, counts: [u64; 4]) -> rusqlite::Result<()> {
        let [games, added, duplicates, broken] = counts.map(|count| count as i64);
        self.transaction.execute(
            "UPDATE sources SET crc = ?2, games = ?3, added = ?4, duplicates = ?5, broken = ?6 \
             WHERE id = ?1",
            params![self.source, crc, games, added, duplicates, broken],
        )?;
        self.index.finish(&self.transaction)?;
        self.transaction.commit()
    }

    fn player(&mut self, name: &str) -> rusqlite::Result<i64> {
        if let Some(&id) = self.players.get(name) {
            return Ok(id);
        }
        let id = player_id(&self.transaction, name)?;
        self.players.insert(name.to_owned(), id);
        Ok(id)
    }

    fn event(&mut self, name: &str, site: &str) -> rusqlite::Result<i64> {
        let key = (name.to_owned(), site.to_owned());
        if let Some(&id) = self.events.get(&key) {
            return Ok(id);
        }
        self.transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO events (name, site, key) VALUES (?1, ?2, sort_key(?1))",
            )?
            .execute([name, site])?;
        let id = self
            .transaction
            .prepare_cached("SELECT id FROM events WHERE name = ?1 AND site = ?2")?
            .query_row([name, site], |row| row.get(0))?;
        self.events.insert(key, id);
        Ok(id)
    }

    /// Adds a game, unless the file has it.
    pub(crate) fn add(&mut self, game: &PdnGame) -> Result<Fate, GamesError> {
        let line = Line::of(game);
        let mut facts = Facts::of(game);
        let fate = self.fate(&facts, &line)?;
        facts.id = match fate {
            Fate::LeftOut(_) => return Ok(fate),
            Fate::Added => self.write(None, game, &line, &facts)?,
            Fate::Replaces(twin) => {
                let game = self.united(twin, game);
                self.write(Some(twin), &game, &line, &facts)?
            }
            // The index says that it ends there, so it needs another number.
            Fate::Completes(twin) => {
                delete_game(&self.transaction, twin)?;
                self.twins.forget();
                self.write(None, game, &line, &facts)?
            }
        };
        self.twins.add(self.file, line.print, facts);
        Ok(fate)
    }

    /// What to do with a game.
    fn fate(&mut self, facts: &Facts, line: &Line) -> Result<Fate, GamesError> {
        if self.duplicates == Duplicates::Keep {
            return Ok(Fate::Added);
        }
        let is_better = self.duplicates == Duplicates::Better;
        match self.twins.twin(self.file, line.print, facts)? {
            Some((id, Fuller::There)) => return Ok(Fate::LeftOut(id)),
            Some((id, Fuller::Here)) if is_better => return Ok(Fate::Replaces(id)),
            _ if !is_better || facts.folded_names().iter().any(String::is_empty) => {
                return Ok(Fate::Added);
            }
            _ => {}
        }
        let file = self.file;
        if facts.is_cut() {
            for print in self.longer(facts, line)? {
                let is_whole = |there: &Facts| facts.is_cut_from(there, file).then_some(there.id);
                if let Some(id) = self.twins.find(file, print, facts, false, is_whole)? {
                    return Ok(Fate::LeftOut(id));
                }
            }
        } else {
            for print in prints(line.start.as_deref(), &line.moves) {
                let is_cut = |there: &Facts| there.is_cut_from(facts, file).then_some(there.id);
                if let Some(id) = self.twins.find(file, print, facts, false, is_cut)? {
                    return Ok(Fate::Completes(id));
                }
            }
        }
        Ok(Fate::Added)
    }

    /// The fingerprints of games of the same players that continue where this one was cut off.
    fn longer(&self, facts: &Facts, line: &Line) -> rusqlite::Result<Vec<i64>> {
        let player = "(SELECT id FROM players WHERE folded = ";
        let sql = format!(
            "SELECT g.fingerprint FROM games g JOIN moves m ON m.game = g.id WHERE g.white IN \
             {player} ?1) AND g.black IN {player} ?2) AND m.start IS ?3 \
             AND substr(m.moves, 1, length(?4)) = ?4",
        );
        let [white, black] = facts.folded_names();
        let mut select = self.transaction.prepare_cached(&sql)?;
        let rows =
            select.query_map(params![white, black, line.start, line.moves], |row| row.get(0));
        rows?.collect()
    }

    /// A game with those tags of its twin in the file that have a value.
    fn united(&self, twin: i64, game: &PdnGame) -> PdnGame {
        let mut game = game.clone();
        if let Ok(Some(old)) = self.file.game(twin) {
            let is_known = |value: &str| !value.is_empty() && value != "*" && !value.contains('?');
            let digits = |value: &str| value.bytes().filter(u8::is_ascii_digit).count();
            for (name, value) in old.game.tags.iter() {
                let here = game.tags.get(name).unwrap_or_default();
                let stays = match name {
                    "Date" => digits(value) >= digits(here),
                    "Result" => !is_known(here),
                    _ => is_known(value) || !is_known(here),
                };
                if stays {
                    game.tags.set(name, value);
                }
            }
        }
        game
    }

    /// Writes the rows of a game, those of this number or new ones; returns the number.
    fn write(
        &mut self,
        id: Option<i64>,
        game: &PdnGame,
        line: &Line,
        facts: &Facts,
    ) -> rusqlite::Result<i64> {
        let tag = |name: &str| game.tags.get(name).unwrap_or_default();
        let rating = |names: [&str; 2]| {
            let text = names.into_iter().find_map(|name| game.tags.get(name));
            text.and_then(|text| text.trim().parse::<u32>().ok()).filter(|&rating| rating > 0)
        };
        let date = game.tags.get("Date").or_else(|| game.tags.get("UTCDate")).unwrap_or_default();
        let score = tag("Result");
        let score = if score == game.result.as_str() { "" } else { score };
        let (white, black) = (self.player(tag("White"))?, self.player(tag("Black"))?);
        let event = self.event(tag("Event"), tag("Site"))?;
        let tags = tags_text(game);
        self.transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO games (id, white, black, event, round, date, year, \
                 white_rating, black_rating, result, score, plies, source, line, fingerprint, day, \
                 checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, \
                 ?16, checksum(?6, ?5, ?11, ?14, ?13, ?16, ?17))",
            )?
            .execute(params![
                id,
                white,
                black,
                event,
                tag("Round"),
                tag("Date"),
                year(date),
                rating(["WhiteRating", "WhiteElo"]),
                rating(["BlackRating", "BlackElo"]),
                result_number(game.result),
                score,
                game.line.plies.len() as i64,
                self.source,
                game.first_line as i64,
                line.print,
                day(date),
                tags,
            ])?;
        if !game.start.variant().is_international() {
            // Older programs would take it for an international game.
            self.transaction.pragma_update(None, "user_version", VERSION)?;
        }
        let is_new = id.is_none();
        let id = id.unwrap_or_else(|| self.transaction.last_insert_rowid());
        let packed = facts.text.as_deref().map(pack).transpose();
        let packed =
            packed.map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        self.transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO moves (game, start, moves, tags, text) \
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![id, line.start, line.moves, tags, packed])?;
        if is_new {
            let number =
                u32::try_from(id).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, id))?;
            let start = start_of(line.start.as_deref()).unwrap_or(game.start);
            let replay = Replay::new(start, &line.moves);
            places(number, replay, |place| self.index.add(place));
            self.index.breathe(&self.transaction)?;
        }
        Ok(id)
    }
}

/// Removes a game; returns how many there were.
pub(crate) fn delete_game(connection: &Connection, id: i64) -> rusqlite::Result<usize> {
    connection.prepare_cached("DELETE FROM moves WHERE game = ?1")?.execute([id])?;
    connection.prepare_cached("DELETE FROM games WHERE id = ?1")?.execute([id])
}

/// The row of a player's name, added if there is none.
pub(crate) fn player_id(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO players (name, folded, key) VALUES (?1, ?2, sort_key(?1))",
        )?
        .execute([name, folded(name).as_str()])?;
    connection
        .prepare_cached("SELECT id FROM players WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
}

/// The hash that finds equal moves: FNV-1a of the start and the coded moves.
pub(crate) fn fingerprint(start: Option<&str>, moves: &[u8]) -> i64 {
    let begun = prints(start, moves).last().unwrap_or_else(|| hash_of_start(start));
    moves.last().map_or(begun, |&byte| hashed(begun, byte))
}

/// The fingerprints of the games that end early, after each of the bytes but the last.
fn prints<'m>(start: Option<&str>, moves: &'m [u8]) -> impl Iterator<Item = i64> + 'm {
    let mut print = hash_of_start(start);
    moves.iter().map(move |&byte| {
        let before = print;
        print = hashed(before, byte);
        before
    })
}

fn hash_of_start(start: Option<&str>) -> i64 {
    start.unwrap_or_default().bytes().chain([0]).fold(0xcbf2_9ce4_8422_2325u64 as i64, hashed)
}

fn hashed(hash: i64, byte: u8) -> i64 {
    (hash ^ i64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

/// The main line of a game as the file keeps it.
struct Line {
    start: Option<String>,
    moves: Vec<u8>,
    print: i64,
}

impl Line {
    fn of(game: &PdnGame) -> Line {
        let (start, moves) = (start_text(game), encode(game));
        let print = fingerprint(start.as_deref(), &moves);
        Line { start, moves, print }
    }
}

/// The `start` column: the name of the variant and the FEN, each unless it is the usual one.
pub(crate) fn start_text(game: &PdnGame) -> Option<String> {
    let variant = game.start.variant();
    let fen = game.start_fen().to_string_with_counters();
    let is_usual = fen == Position::initial_of(variant).to_fen();
    let name = (!variant.is_international()).then(|| variant.name().to_owned());
    let parts: Vec<String> = name.into_iter().chain((!is_usual).then_some(fen)).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// The `tags` column: the tags without their own column.
fn tags_text(game: &PdnGame) -> Option<String> {
    let is_among = |name: &str, names: &[&str]| names.iter().any(|n| n.eq_ignore_ascii_case(name));
    let mut seen: Vec<&str> = Vec::new();
    let mut list: Vec<(&str, String)> = Vec::new();
    for (name, value) in game.tags.iter() {
        let is_usual = is_among(name, &COLUMNS) && !is_among(name, &seen)
            || is_among(name, &GIVEN)
            || name.eq_ignore_ascii_case("GameType") && value == "20";
        seen.push(name);
        if !is_usual {
            list.push((name, value.to_owned()));
        }
    }
    if list.is_empty() { None } else { serde_json::to_string(&list).ok() }
}

/// Gives the places of a game's positions.
pub(crate) fn places(game: u32, mut replay: Replay<'_>, mut give: impl FnMut(Posting)) {
    loop {
        let Ok(ply) = u16::try_from(replay.ply()) else { return };
        give(Posting::new(number(replay.position()), game, ply, replay.next_code()));
        if replay.advance().is_none() {
            return;
        }
    }
}
