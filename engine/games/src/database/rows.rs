//! The rows of games, and games as PDN has them.

use std::sync::LazyLock;

use movegen::notation::pdn::{
    Annotation, GameResult, PdnGame, PdnReader, Ply, ReadOptions, Tags, Variation, WriteOptions,
    game_to_string, tags_to_string,
};
use movegen::{Color, Fen, Position, Variant};
use rusqlite::types::ValueRef;
use rusqlite::{OptionalExtension, Row};
use schemars::JsonSchema;
use serde::Serialize;

use super::coding::{Replay, Step};
use super::error::GamesError;
use super::file::GamesFile;
use super::movetext::{Unpacker, has_checksum, without_tags};

/// A game in a list of games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct GameHeader {
    /// Its number in the file; numbers of deleted games are not used again.
    #[serde(rename = "game")]
    pub id: i64,
    /// The players, as the file has them.
    pub white: String,
    /// See `white`.
    pub black: String,
    /// The result.
    pub result: GameResult,
    /// The result as it was written, such as `12-8`; empty if it was in the usual form.
    #[serde(skip)]
    pub score: String,
    /// The date as it was written, such as `1977.05.??`.
    pub date: String,
    /// The year of the date.
    pub year: Option<u32>,
    /// The event.
    pub event: String,
    /// Where it was played.
    pub site: String,
    /// The round.
    pub round: String,
    /// White's rating.
    pub white_rating: Option<u32>,
    /// Black's rating.
    pub black_rating: Option<u32>,
    /// Moves of both sides.
    pub plies: u32,
    /// The game that is played.
    pub variant: Variant,
}

impl GameHeader {
    /// Columns of `games g` with players `w`, `b`, event `e` and moves `m`, in the order of
    /// [`GameHeader::read`].
    const COLUMNS: &str = "g.id, w.name, b.name, e.name, e.site, g.round, g.date, g.year, \
         g.white_rating, g.black_rating, g.result, g.score, g.plies, m.start";
    /// The tables of these columns. A game of which something is missing has a row, too.
    const TABLES: &str = "games g LEFT JOIN players w ON w.id = g.white \
         LEFT JOIN players b ON b.id = g.black LEFT JOIN events e ON e.id = g.event \
         LEFT JOIN moves m ON m.game = g.id";

    /// A header, or what is wrong with it.
    fn read(row: &Row<'_>) -> Result<GameHeader, String> {
        let result = number(row, 10, "result")?.unwrap_or_default();
        if result > result_number(GameResult::BothLose) as u32 {
            return Err(format!("its result is {result}"));
        }
        Ok(GameHeader {
            id: row.get(0).map_err(|error| error.to_string())?,
            white: text(row, 1, "White")?,
            black: text(row, 2, "Black")?,
            event: text(row, 3, "event")?,
            site: text(row, 4, "site")?,
            round: text(row, 5, "round")?,
            date: text(row, 6, "date")?,
            year: number(row, 7, "year")?,
            white_rating: number(row, 8, "rating of White")?,
            black_rating: number(row, 9, "rating of Black")?,
            result: result_of(i64::from(result)),
            score: text(row, 11, "score")?,
            plies: number(row, 12, "number of moves")?.unwrap_or_default(),
            variant: row
                .get_ref(13)
                .ok()
                .and_then(|start| start_parts(start.as_str_or_null().ok()?))
                .map(|(variant, _)| variant)
                .ok_or(NO_START)?,
        })
    }
}

/// A column that must hold text, or what is wrong with it.
fn text(row: &Row<'_>, column: usize, what: &str) -> Result<String, String> {
    match row.get_ref(column) {
        Ok(ValueRef::Text(bytes)) => String::from_utf8(bytes.to_vec()).ok(),
        _ => None,
    }
    .ok_or_else(|| format!("its {what} is missing or not a text"))
}

/// A column that holds a number from 0 on or nothing, or what is wrong with it.
pub(crate) fn number(row: &Row<'_>, column: usize, what: &str) -> Result<Option<u32>, String> {
    match row.get_ref(column) {
        Ok(ValueRef::Null) => Ok(None),
        Ok(ValueRef::Integer(value)) => {
            u32::try_from(value).map(Some).map_err(|_| format!("its {what} is {value}"))
        }
        _ => Err(format!("its {what} is not a number")),
    }
}

/// A game out of the file.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredGame {
    /// Players, date, place and so on.
    pub header: GameHeader,
    /// The game.
    pub game: PdnGame,
}

/// Results as numbers in the file.
pub(crate) const fn result_number(result: GameResult) -> i64 {
    match result {
        GameResult::Unknown => 0,
        GameResult::WhiteWins => 1,
        GameResult::Draw => 2,
        GameResult::BlackWins => 3,
        GameResult::BothLose => 4,
    }
}

pub(crate) const fn result_of(number: i64) -> GameResult {
    match number {
        1 => GameResult::WhiteWins,
        2 => GameResult::Draw,
        3 => GameResult::BlackWins,
        4 => GameResult::BothLose,
        _ => GameResult::Unknown,
    }
}

/// The row of `moves` of a game.
pub(crate) struct MovesRow {
    pub(crate) start: Option<String>,
    pub(crate) moves: Vec<u8>,
    pub(crate) tags: Option<String>,
    pub(crate) text: Option<Vec<u8>>,
}

impl MovesRow {
    /// Columns of `moves m`.
    const COLUMNS: &str = "m.start, m.moves, m.tags, m.text";

    /// A row of these columns, from this one on, or what is wrong with it.
    fn read(row: &Row<'_>, column: usize) -> Result<MovesRow, String> {
        let optional = |place, what| match row.get_ref(column + place) {
            Ok(ValueRef::Null) => Ok(None),
            _ => text(row, column + place, what).map(Some),
        };
        let blob = |place, what: &str| match row.get_ref(column + place) {
            Ok(ValueRef::Null) => Ok(None),
            Ok(ValueRef::Blob(bytes)) => Ok(Some(bytes.to_vec())),
            _ => Err(format!("its {what} cannot be read")),
        };
        Ok(MovesRow {
            start: optional(0, "start")?,
            moves: blob(1, "moves")?.ok_or("it has no moves")?,
            tags: optional(2, "tags")?,
            text: blob(3, "text")?,
        })
    }

    pub(crate) fn start(&self) -> Result<Position, String> {
        start_of(self.start.as_deref()).ok_or_else(|| NO_START.to_owned())
    }

    /// The tags without a column.
    pub(crate) fn tags(&self) -> Result<Vec<(String, String)>, String> {
        let tags = self.tags.as_deref().map_or(Ok(Vec::new()), serde_json::from_str);
        tags.map_err(|_| "its tags cannot be read".to_owned())
    }

    /// The text, if there is one.
    pub(crate) fn text(&self, unpacker: &mut Unpacker) -> Result<Option<String>, String> {
        let text = self.text.as_deref().map(|packed| unpacker.unpack(packed).ok_or(UNREADABLE));
        text.transpose().map_err(str::to_owned)
    }

    /// The game as its text has it, without tags.
    pub(crate) fn parsed(&self, text: &str) -> Result<PdnGame, String> {
        let options = ReadOptions { all_variants: true, ..ReadOptions::default() };
        let game = PdnReader::with_options(text.as_bytes(), options).next().and_then(Result::ok);
        game.ok_or_else(|| UNREADABLE.to_owned())
    }
}

const UNREADABLE: &str = "its text cannot be read";
/// What is wrong with a start that cannot be read.
pub(crate) const NO_START: &str = "its start is not a position";

/// A game as the file has it, or what is wrong with it.
pub(crate) type StoredRows = Result<(GameHeader, MovesRow), String>;

/// A game of the file, and columns for checks and statistics.
pub(crate) struct GameRows {
    pub(crate) id: i64,
    pub(crate) rows: StoredRows,
    /// Rows of the players.
    pub(crate) players: [i64; 2],
    pub(crate) fingerprint: i64,
}

/// The games to read, and those read so far.
pub(crate) enum Games {
    /// Those after this number.
    After(i64),
    /// These.
    Of(std::vec::IntoIter<i64>),
}

/// The number of games, or of their bytes, that are read at a time.
const AT_A_TIME: usize = 1_024;
const BYTES_AT_A_TIME: usize = 8 << 20;

/// What the column `start` says: the variant, and the position unless games of it start there;
/// `None` if it is damaged.
pub(crate) fn start_parts(text: Option<&str>) -> Option<(Variant, Option<Fen>)> {
    let Some(text) = text else { return Some((Variant::International, None)) };
    let end = text.bytes().take_while(u8::is_ascii_lowercase).count();
    let (name, fen) = text.split_at(end);
    let variant = if name.is_empty() { Variant::International } else { name.parse().ok()? };
    let has_fen = name.is_empty() || !fen.is_empty();
    Some((variant, if has_fen { Some(fen.trim_start().parse().ok()?) } else { None }))
}

/// The start position of a game; `None` if its text is damaged.
pub(crate) fn start_of(text: Option<&str>) -> Option<Position> {
    match start_parts(text)? {
        (variant, None) => Some(Position::initial_of(variant)),
        (variant, Some(fen)) => fen.position_in(variant).ok(),
    }
}

impl GamesFile {
    /// The header of a game; `None` if there is no game with this number.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged.
    pub fn header(&self, id: i64) -> Result<Option<GameHeader>, GamesError> {
        let (columns, tables) = (GameHeader::COLUMNS, GameHeader::TABLES);
        let sql = format!("SELECT {columns} FROM {tables} WHERE g.id = ?1");
        self.named(|| self.one(&sql, id, GameHeader::read))
    }

    pub(crate) fn moves_row(&self, id: i64) -> Result<Option<MovesRow>, GamesError> {
        let sql = format!("SELECT {} FROM moves m WHERE m.game = ?1", MovesRow::COLUMNS);
        self.one(&sql, id, |row| MovesRow::read(row, 0))
    }

    /// The row of a game, if there is one.
    fn one<T>(
        &self,
        sql: &str,
        id: i64,
        read: impl FnOnce(&Row<'_>) -> Result<T, String>,
    ) -> Result<Option<T>, GamesError> {
        let mut select = self.connection.prepare_cached(sql)?;
        let row = select.query_row([id], |row| Ok(read(row))).optional()?;
        row.transpose().map_err(|what| damaged_game(id, &what))
    }

    /// A game with all that is known about it; `None` if there is no game with this number.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged.
    pub fn game(&self, id: i64) -> Result<Option<StoredGame>, GamesError> {
        self.named(|| {
            let mut games = Vec::new();
            self.read_games("g.id = ?1", [id, 1], &mut games)?;
            let rebuilt = games.pop().map(|raw| {
                let (header, row) = raw.rows?;
                let game = rebuilt(&header, &row, &mut Unpacker::new())?;
                Ok(StoredGame { header, game })
            });
            rebuilt.transpose().map_err(|what: String| damaged_game(id, &what))
        })
    }

    /// Adds games that fulfil this condition, by number, up to the second value, or fewer if they
    /// are long. Returns their bytes.
    fn read_games(
        &self,
        condition: &str,
        values: [i64; 2],
        games: &mut Vec<GameRows>,
    ) -> rusqlite::Result<usize> {
        let (columns, moves, tables) = (GameHeader::COLUMNS, MovesRow::COLUMNS, GameHeader::TABLES);
        let sql = format!(
            "SELECT {columns}, {moves}, g.white, g.black, g.fingerprint \
             FROM {tables} WHERE {condition} \
             ORDER BY g.id LIMIT ?2"
        );
        let mut select = self.connection.prepare_cached(&sql)?;
        let mut rows = select.query(values)?;
        let mut bytes = 0;
        while bytes < BYTES_AT_A_TIME
            && let Some(row) = rows.next()?
        {
            let header = GameHeader::read(row);
            let read = header.and_then(|header| Ok((header, MovesRow::read(row, 14)?)));
            let number = |column| row.get(column).unwrap_or_default();
            let mut players = [0; 2];
            players[Color::White.index()] = number(18);
            players[Color::Black.index()] = number(19);
            let length = |row: &MovesRow| row.moves.len() + row.text.as_ref().map_or(0, Vec::len);
            bytes += read.as_ref().map_or(0, |(_, row)| length(row));
            let id = row.get(0)?;
            games.push(GameRows { id, rows: read, players, fingerprint: number(20) });
        }
        Ok(bytes)
    }

    /// The next games; none at the end. Where SQLite cannot read one, the others are read.
    fn next_games(&self, which: &mut Games) -> Result<Vec<GameRows>, GamesError> {
        let mut games = Vec::new();
        if let Games::After(last) = which {
            let read = self.read_games("g.id > ?1", [*last, AT_A_TIME as i64], &mut games);
            match read.map_err(GamesError::from) {
                Err(GamesError::Damaged { .. }) => games.clear(),
                read => {
                    read?;
                    for game in &games {
                        *last = after(*last, game.id)?;
                    }
                    return Ok(games);
                }
            }
        }
        let mut bytes = 0;
        while games.len() < AT_A_TIME
            && bytes < BYTES_AT_A_TIME
            && let Some(id) = match which {
                Games::After(last) => {
                    let next = self.ids_after(*last, 1)?.pop();
                    *last = next.map_or(Ok(*last), |id| after(*last, id))?;
                    next
                }
                Games::Of(ids) => ids.next(),
            }
        {
            match self.read_games("g.id = ?1", [id, 1], &mut games).map_err(GamesError::from) {
                Ok(more) => bytes += more,
                Err(GamesError::Damaged { what, .. }) => {
                    games.push(GameRows { id, rows: Err(what), players: [0; 2], fingerprint: 0 });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(games)
    }

    /// The results of work on the next games, with all threads, in their order; empty at the end.
    pub(crate) fn work_on<T: Send>(
        &self,
        which: &mut Games,
        work: impl Fn(&mut Unpacker, GameRows) -> T + Send + Sync,
    ) -> Result<Vec<T>, GamesError> {
        use rayon::prelude::*;
        static POOL: LazyLock<Option<rayon::ThreadPool>> =
            LazyLock::new(|| rayon::ThreadPoolBuilder::new().build().ok());
        let games = self.named(|| self.next_games(which))?;
        if let Some(pool) = &*POOL {
            return Ok(
                pool.install(|| games.into_par_iter().map_init(Unpacker::new, work).collect())
            );
        }
        // The system gives no threads.
        let mut unpacker = Unpacker::new();
        Ok(games.into_iter().map(|game| work(&mut unpacker, game)).collect())
    }

    /// The numbers of all games after this one, at most this many.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn ids_after(&self, id: i64, most: usize) -> Result<Vec<i64>, GamesError> {
        let sql = "SELECT id FROM games WHERE id > ?1 ORDER BY id LIMIT ?2";
        self.named(|| self.numbers(sql, [id, most as i64]))
    }
}

fn damaged_game(id: i64, what: &str) -> GamesError {
    GamesError::damaged(format!("game {id}: {what}"))
}

/// The number of the next game, which in a damaged file may occur twice.
fn after(last: i64, id: i64) -> Result<i64, GamesError> {
    if id > last { Ok(id) } else { Err(GamesError::damaged("its games are not in order")) }
}

/// Tags that have their own column.
pub(crate) const COLUMNS: [&str; 7] =
    ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Tags that follow from the start and the moves.
pub(crate) const GIVEN: [&str; 3] = ["FEN", "SetUp", "PlyCount"];

/// Whether a game has more than its tags and moves.
pub(crate) fn needs_text(game: &PdnGame) -> bool {
    let says = |list: &[Annotation]| list.iter().any(|a| !matches!(a, Annotation::SetUp(_)));
    game.truncated.is_some()
        || says(&game.line.lead)
        || game.line.plies.iter().any(|ply| !ply.nags.is_empty() || says(&ply.after))
}

/// The moves with their comments, variations and glyphs, for the column `text`.
pub(crate) fn text_of(game: &PdnGame) -> String {
    let mut bare = game.clone();
    bare.tags = Tags::new();
    game_to_string(&bare, &WriteOptions::default())
}

/// A game from its rows, or what is wrong with them.
pub(crate) fn rebuilt(
    header: &GameHeader,
    row: &MovesRow,
    unpacker: &mut Unpacker,
) -> Result<PdnGame, String> {
    let game = match row.text(unpacker)? {
        Some(text) => row.parsed(&text)?,
        None => from_moves(row.start()?, &row.moves)?,
    };
    with_columns(game, header, row)
}

/// A game as PDN. A text with a good checksum is copied as it was written.
pub(crate) fn pdn_of(
    header: &GameHeader,
    row: &MovesRow,
    unpacker: &mut Unpacker,
) -> Result<String, String> {
    let options = WriteOptions::default();
    if row.text.as_deref().is_some_and(has_checksum)
        && let Some(text) = row.text(unpacker)?
        && let Some(moves) = without_tags(&text)
    {
        let bare = from_moves(row.start()?, &row.moves)?;
        return Ok(with_columns(bare, header, row).map(|game| tags_to_string(&game, &options))?
            + "\n"
            + moves);
    }
    Ok(game_to_string(&rebuilt(header, row, unpacker)?, &options))
}

/// A game with the tags of its rows.
fn with_columns(mut game: PdnGame, header: &GameHeader, row: &MovesRow) -> Result<PdnGame, String> {
    if let Some((_, Some(fen))) = start_parts(row.start.as_deref()) {
        (game.halfmoves, game.move_number) = (fen.halfmoves, fen.move_number);
    }
    game.start = row.start()?;
    game.result = header.result;
    game.warnings.clear();
    game.first_line = 0;
    let mut tags = Tags::new();
    let score = if header.score.is_empty() { header.result.as_str() } else { &header.score };
    let values = [
        &*header.event,
        &header.site,
        &header.date,
        &header.round,
        &header.white,
        &header.black,
        score,
    ];
    for (name, value) in COLUMNS.into_iter().zip(values) {
        if !value.is_empty() {
            tags.set(name, value);
        }
    }
    for (name, value) in row.tags()? {
        tags.set(&name, &value);
    }
    game.tags = tags;
    Ok(game)
}

/// A game with moves only.
fn from_moves(start: Position, moves: &[u8]) -> Result<PdnGame, String> {
    let mut game = PdnGame::new(start);
    let mut line = Variation::default();
    let mut replay = Replay::raw(start, moves);
    while let Some(step) = replay.advance_by_step() {
        match step {
            Step::Move(mv) => line.plies.push(Ply::from(mv)),
            Step::SetUp(position) => {
                let list = line.plies.last_mut().map_or(&mut line.lead, |ply| &mut ply.after);
                list.push(Annotation::SetUp(position));
            }
        }
    }
    game.line = line;
    if replay.is_damaged() { Err("its moves cannot be read".to_owned()) } else { Ok(game) }
}
