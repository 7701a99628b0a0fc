//! A file of games: lists, one game, trees, import; and the questions of opening explorer clients.

use std::io;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use meerslag_games::{
    Duplicates, GameFound, GamesError, GamesFile, ImportEvent, ImportOptions, ImportReport,
    Query as GamesQuery, Sort, StoredGame,
};
use movegen::json::Record;
use movegen::notation::moves::format_move;
use movegen::notation::pdn::day;
use movegen::notation::pdn::{GameResult, WriteOptions, game_to_string};
use movegen::{Color, Variant};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::games;
use super::problem::{Problem, ProblemKind};
use super::query::{self, Limited, Parameters, Query, parameters, start};
use super::tablebase::uci;
use super::{Desk, JSON, Reply};

/// Games of a page unless another number is asked for, and the most.
const PAGE: u64 = 50;
const MAX_GAMES: u64 = 1_000;
/// Connections that are kept for the next question.
const KEPT: usize = 8;
/// Imports that can be asked for.
const MAX_JOBS: usize = 32;

/// A file of games, opened as often as questions are answered at a time.
#[derive(Debug)]
pub struct GamesShelf {
    path: PathBuf,
    takes_games: bool,
    kept: Mutex<Kept>,
    /// The latest imports with a name, the last one at the end.
    jobs: Mutex<Vec<ImportJob>>,
}

/// An import that its client can ask for.
#[derive(Debug)]
struct ImportJob {
    name: String,
    /// Bytes read, of how many, and the games in them.
    progress: (u64, u64, u64),
    /// What came of it.
    result: Option<Result<Reply, Problem>>,
}

/// Connections to a file, and the identity of the file when they were made.
#[derive(Debug)]
struct Kept {
    stamp: Stamp,
    files: Vec<GamesFile>,
}

/// The identity of a file, to notice another one at the same path. The file is not opened for it:
/// closing it would end SQLite's locks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stamp {
    /// Device and number or, where there are none, the time it was made.
    #[cfg(unix)]
    file: (u64, u64),
    #[cfg(not(unix))]
    file: Option<SystemTime>,
    /// These change when the file is written to or copied over.
    written: (u64, Option<SystemTime>),
}

impl Stamp {
    fn of(path: &Path) -> io::Result<Stamp> {
        let data = std::fs::metadata(path)?;
        #[cfg(unix)]
        let file = (data.dev(), data.ino());
        #[cfg(not(unix))]
        let file = data.created().ok();
        Ok(Stamp { file, written: (data.len(), data.modified().ok()) })
    }
}

impl GamesShelf {
    /// Opens a file; with `takes_games` games may be added to it, and it is made if it is missing.
    ///
    /// # Errors
    /// As [`GamesFile::open`].
    pub fn open(path: &Path, takes_games: bool) -> Result<GamesShelf, GamesError> {
        let file =
            if takes_games { GamesFile::open_or_create(path)? } else { GamesFile::open(path)? };
        let stamp = Stamp::of(path);
        let stamp = stamp.map_err(|error| GamesError::Io { path: path.to_owned(), error })?;
        let kept = Mutex::new(Kept { stamp, files: vec![file] });
        Ok(GamesShelf { path: path.to_owned(), takes_games, kept, jobs: Mutex::default() })
    }

    /// Whether games may be added.
    #[must_use]
    pub fn takes_games(&self) -> bool {
        self.takes_games
    }

    /// The present identity of the file. Connections to another one are closed.
    fn stamp(&self) -> Result<Stamp, Problem> {
        let stamp = Stamp::of(&self.path);
        let mut kept = self.kept.lock();
        if stamp.as_ref().ok() != Some(&kept.stamp) {
            kept.files.clear();
        }
        let stamp = stamp.map_err(|error| {
            let error = error.kind();
            Problem::new(ProblemKind::Internal, format!("the file of games is gone: {error}"))
        })?;
        kept.stamp = stamp;
        Ok(stamp)
    }

    /// The job of this name, if there is one.
    fn job<T>(&self, name: &str, work: impl FnOnce(&mut ImportJob) -> T) -> Option<T> {
        self.jobs.lock().iter_mut().find(|job| job.name == name).map(work)
    }

    /// Begins a job, or gives the answer of the one of this name.
    fn begin(&self, name: &str) -> Option<Result<Reply, Problem>> {
        let running = || Err(Problem::new(ProblemKind::Busy, "this import is running"));
        let known = self.job(name, |job| job.result.clone().unwrap_or_else(running));
        if known.is_none() {
            let mut jobs = self.jobs.lock();
            jobs.push(ImportJob { name: name.to_owned(), progress: (0, 0, 0), result: None });
            let over = jobs.len().saturating_sub(MAX_JOBS);
            jobs.drain(..over);
        }
        known
    }

    /// Does this work with the file, until its flag is set: the client has gone.
    fn with<T>(
        &self,
        query: &Query<'_>,
        work: impl FnOnce(&mut GamesFile) -> Result<T, GamesError>,
    ) -> Result<T, Problem> {
        self.until(query.gone(), work)
    }

    fn until<T>(
        &self,
        gone: &Arc<AtomicBool>,
        work: impl FnOnce(&mut GamesFile) -> Result<T, GamesError>,
    ) -> Result<T, Problem> {
        let stamp = self.stamp()?;
        let kept = self.kept.lock().files.pop();
        let mut file = kept.map_or_else(|| GamesFile::open(&self.path), Ok).map_err(problem)?;
        file.end_when(Arc::clone(gone)).map_err(problem)?;
        let done = work(&mut file).map_err(problem)?;
        let mut kept = self.kept.lock();
        if kept.stamp == stamp && kept.files.len() < KEPT {
            kept.files.push(file);
        }
        Ok(done)
    }
}

/// What a failure means for the client. Paths on the server's machine are not revealed.
fn problem(error: GamesError) -> Problem {
    match error {
        GamesError::Input(text) => Problem::new(ProblemKind::BadParameter, text),
        GamesError::Busy { .. } => {
            Problem::new(ProblemKind::Busy, "another process is writing to the file of games")
        }
        GamesError::Io { error, .. } if error.kind() == io::ErrorKind::InvalidData => {
            Problem::new(ProblemKind::BadPdn, error.to_string())
        }
        _ => Problem::new(ProblemKind::Internal, "the file of games cannot be used"),
    }
}

fn shelf(desk: &Desk) -> Result<&GamesShelf, Problem> {
    let missing = || Problem::new(ProblemKind::NotKnown, "there is no file of games");
    desk.games.as_ref().ok_or_else(missing)
}

/// The part of a list that is wanted.
#[derive(Deserialize, JsonSchema)]
pub(super) struct PageParameters {
    /// This position occurs: FEN or Hub string.
    position: Option<String>,
    /// The order. Default: number.
    sort: Option<Sort>,
    /// Leave out this many games at the beginning.
    skip: Option<Limited<0, { u64::MAX }>>,
    /// At most this many games. Default: 50.
    limit: Option<Limited<0, MAX_GAMES>>,
}

/// A game of the file.
#[derive(Deserialize, JsonSchema)]
pub(super) struct GameParameters {
    /// Its number in the file.
    game: Limited<1, { i64::MAX as u64 }>,
}

/// The parameters of the opening explorer.
pub(super) const EXPLORER: &[Parameters] =
    &[parameters::<ExplorerParameters>(), parameters::<Ignored>()];

/// Those with a meaning for games of a file.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExplorerParameters {
    /// The position: a draughts FEN or a 51-character Hub string. Default: the initial position.
    fen: Option<String>,
    /// The game, by its name in lidraughts. Default: `standard`.
    variant: Option<Variant>,
    /// Moves played from there, with commas between them.
    #[serde(default)]
    play: String,
    /// Games of this player only.
    player: Option<String>,
    /// The side of the player.
    #[schemars(extend("enum" = ["white", "black"]))]
    color: Option<String>,
    /// The first year; a month after it has no effect.
    since: Option<String>,
    /// The last year; a month after it has no effect.
    until: Option<String>,
    /// Most moves. Default: 12.
    moves: Option<Limited<0, 1_000>>,
    /// Games of the highest ratings. Default: 4.
    top_games: Option<Limited<0, 100>>,
    /// Games of the latest dates. Default: 4.
    recent_games: Option<Limited<0, 100>>,
}

/// Those that have no effect.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "ignored")]
struct Ignored {
    /// Has no effect.
    source: Option<String>,
    /// Has no effect.
    modes: Option<String>,
    /// Has no effect.
    speeds: Option<String>,
    /// Has no effect.
    ratings: Option<String>,
    /// Has no effect.
    #[serde(rename = "speeds[]")]
    speed_list: Option<String>,
    /// Has no effect.
    #[serde(rename = "ratings[]")]
    rating_list: Option<String>,
    /// Has no effect.
    history: Option<String>,
}

/// Reads a parameter with its own type.
fn read<T>(
    name: &'static str,
    text: Option<&String>,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, Problem> {
    let text = text.filter(|text| !text.is_empty());
    text.map(|text| parse(text).map_err(|why| Problem::parameter(name, why))).transpose()
}

/// `GET /v1/games/find`.
pub(super) fn find(desk: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let page: PageParameters = query.get()?;
    let text = page.position.filter(|text| !text.is_empty());
    let conditions: GamesQuery = query.get()?;
    let variant = conditions.variant.unwrap_or_default();
    let position = text.map(|text| start(variant, &text).map_err(|problem| problem.of("position")));
    let position = position.transpose()?.map(|game| *game.position());
    let sort = page.sort.unwrap_or_default();
    let wanted = GamesQuery { position, sort, ..conditions };
    let (skip, most) = (page.skip.map_or(0, |it| it.0), page.limit.map_or(PAGE, |it| it.0));
    let found = shelf(desk)?.with(query, |file| file.find(&wanted, skip, most))?;
    Ok(Reply::json(&found))
}

/// `GET /v1/games/game`, in the form of `/v1/games`.
pub(super) fn game(desk: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let id = query.get::<GameParameters>()?.game.0 as i64;
    let stored = shelf(desk)?.with(query, |file| file.game(id))?;
    let missing = || Problem::new(ProblemKind::NotKnown, format!("there is no game {id}"));
    let StoredGame { game, .. } = stored.ok_or_else(missing)?;
    let (pdn, mut json) = (game_to_string(&game, &WriteOptions::default()), Vec::new());
    games::read(desk, query, pdn.as_bytes(), &mut json)?;
    Ok(Reply { media_type: JSON, text: String::from_utf8_lossy(&json).into_owned() })
}

/// `GET /v1/games/tree`.
pub(super) fn tree(desk: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let position = Some(*query.game()?.position());
    let wanted = GamesQuery { position, ..query.get()? };
    let tree = shelf(desk)?.with(query, |file| file.tree(&wanted))?;
    Ok(Reply::json(&tree))
}

/// The result for games sent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GamesAdded")]
pub(super) struct GamesAddedRecord {
    #[serde(flatten)]
    report: ImportReport,
    /// The first hundred games with something unreadable, with line and reason.
    problems: Vec<String>,
    /// The first hundred games that were there already, each with line, players and the number of the
    /// game that it is.
    named: Vec<String>,
}

impl Record for GamesAddedRecord {
    const TYPE: &'static str = "games_added";
}

/// How games are added.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ImportParameters {
    /// Games that are there already: keep adds them again, skip (the default) leaves them out, better
    /// keeps the one that says more: comments, a result, all moves.
    duplicates: Option<Duplicates>,
    /// A name for this import, chosen by the client: it goes on when the client leaves, its answer is
    /// kept for `/v1/games/job`, and the same name is never imported twice.
    #[schemars(length(min = 8, max = 64))]
    job: Option<String>,
}

/// Which import is meant.
#[derive(Deserialize, JsonSchema)]
pub(super) struct JobParameters {
    /// Its name.
    job: String,
}

/// How far an import is.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ImportJob")]
pub(super) struct JobRecord {
    /// Bytes read.
    read: u64,
    /// Bytes of the text.
    bytes: u64,
    /// Games in the bytes that were read.
    games: u64,
}

impl Record for JobRecord {
    const TYPE: &'static str = "import_job";
}

/// What is said about an import.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes the answers")]
pub(super) enum ImportJobRecord {
    Running(JobRecord),
    Done(GamesAddedRecord),
}

/// `GET /v1/games/job`: the answer of an import, or how far it is.
pub(super) fn job(desk: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let name = query.get::<JobParameters>()?.job;
    let missing = || Err(Problem::new(ProblemKind::NotKnown, "there is no such import"));
    let (read, bytes, games) =
        match shelf(desk)?.job(&name, |job| (job.progress, job.result.clone())) {
            None => return missing(),
            Some((_, Some(result))) => return result,
            Some((progress, None)) => progress,
        };
    Ok(Reply::json(&JobRecord { read, bytes, games }))
}

/// The most problems and duplicates reported.
const MAX_REPORTED: usize = 100;

/// `POST /v1/games/import`: PDN in any of the encodings that an import recognises.
pub(super) fn import(desk: &Desk, query: &Query<'_>, body: &[u8]) -> Result<Reply, Problem> {
    let shelf = shelf(desk)?;
    if !shelf.takes_games {
        let text = "this server does not add games: see --games-add";
        return Err(Problem::new(ProblemKind::NotKnown, text));
    }
    let ImportParameters { duplicates, job } = query.get()?;
    let options =
        ImportOptions { duplicates: duplicates.unwrap_or_default(), ..ImportOptions::default() };
    let Some(name) = job else { return add(shelf, query.gone(), options, body, &mut |_| ()) };
    if !(8..=64).contains(&name.len()) {
        return Err(Problem::parameter("job", "a name has 8 to 64 letters".to_owned()));
    }
    if let Some(known) = shelf.begin(&name) {
        return known;
    }
    let result = add(shelf, &Arc::default(), options, body, &mut |progress| {
        shelf.job(&name, |job| job.progress = progress);
    });
    shelf.job(&name, |job| job.result = Some(result.clone()));
    result
}

/// Adds the games of a text to the file, until the flag is set; tells the bytes read, of how many, and
/// their games.
fn add(
    shelf: &GamesShelf,
    gone: &Arc<AtomicBool>,
    options: ImportOptions,
    body: &[u8],
    tell: &mut dyn FnMut((u64, u64, u64)),
) -> Result<Reply, Problem> {
    let (mut problems, mut named) = (Vec::new(), Vec::new());
    let before = shelf.stamp()?.file;
    let report = shelf.until(gone, |file| {
        file.import_text("HTTP", body, options, &mut |event| {
            match event {
                ImportEvent::Progress { done, all, games } => tell((done, all, games)),
                ImportEvent::Problem(problem) if problems.len() < MAX_REPORTED => {
                    problems.push(format!("line {}: {}", problem.line, problem.reason));
                }
                ImportEvent::Duplicate(twin) if named.len() < MAX_REPORTED => {
                    named.push(format!("line {}: {}", twin.line, twin.describe()));
                }
                _ => {}
            }
            !gone.load(Ordering::Relaxed)
        })
    })?;
    if shelf.stamp()?.file != before {
        let text = "the file of games was replaced meanwhile: send them again";
        return Err(Problem::new(ProblemKind::Internal, text));
    }
    Ok(Reply::json(&GamesAddedRecord { report, problems, named }))
}

/// The format that clients of lichess' opening explorer read.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Explorer")]
#[serde(rename_all = "camelCase")]
pub(super) struct ExplorerRecord {
    /// Games that White won.
    white: u64,
    draws: u64,
    black: u64,
    moves: Vec<ExplorerMove>,
    top_games: Vec<ExplorerGame>,
    recent_games: Vec<ExplorerGame>,
    /// Names of openings are not known.
    opening: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ExplorerMove {
    /// From and to, two digits each, such as `3228`.
    uci: String,
    /// As people write it, such as `32-28`.
    san: String,
    white: u64,
    draws: u64,
    black: u64,
    average_rating: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct ExplorerGame {
    /// The number in the file, for `/v1/games/game`.
    id: String,
    /// `white`, `black`, or null.
    winner: Option<&'static str>,
    white: ExplorerPlayer,
    black: ExplorerPlayer,
    year: Option<u32>,
    /// Year and month, such as `1977-05`, if the date has them.
    month: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ExplorerPlayer {
    name: String,
    rating: Option<u32>,
}

impl Record for ExplorerRecord {
    const TYPE: &'static str = "explorer";
}

impl ExplorerGame {
    fn of(hit: &GameFound) -> ExplorerGame {
        let game = &hit.game;
        let player = |name: &str, rating| ExplorerPlayer { name: name.to_owned(), rating };
        let month = day(&game.date).map(|day| day / 100).filter(|month| month % 100 > 0);
        ExplorerGame {
            id: game.id.to_string(),
            winner: match game.result {
                GameResult::WhiteWins => Some("white"),
                GameResult::BlackWins => Some("black"),
                _ => None,
            },
            white: player(&game.white, game.white_rating),
            black: player(&game.black, game.black_rating),
            year: game.year,
            month: month.map(|month| format!("{}-{:02}", month / 100, month % 100)),
        }
    }
}

/// `GET /explorer/...`.
pub(super) fn explorer(desk: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let asked: ExplorerParameters = query.get()?;
    let game = {
        let variant = asked.variant.unwrap_or_default();
        query::game(variant, asked.fen.as_deref(), "play", &asked.play)?
    };
    let year = |text: &str| {
        let year = text.split('-').next().unwrap_or_default();
        year.parse::<u32>().map_err(|_| "expected a year".to_owned())
    };
    let (since, until) =
        (read("since", asked.since.as_ref(), year)?, read("until", asked.until.as_ref(), year)?);
    let years = (since.is_some() || until.is_some())
        .then(|| since.unwrap_or(0)..=until.unwrap_or(u32::MAX));
    let position = *game.position();
    let wanted = GamesQuery {
        position: Some(position),
        player: asked.player,
        color: query::named(
            "color",
            asked.color.as_deref(),
            [(Color::White, "white"), (Color::Black, "black")],
        )?,
        years,
        ..GamesQuery::default()
    };
    let tops = asked.top_games.map_or(4, |most| most.0);
    let recents = asked.recent_games.map_or(4, |most| most.0);
    let (tree, top_games, recent_games) = shelf(desk)?.with(query, |file| {
        let list = |sort, most| -> Result<Vec<ExplorerGame>, GamesError> {
            if most == 0 {
                return Ok(Vec::new());
            }
            let page = file.find(&GamesQuery { sort, ..wanted.clone() }, 0, most)?;
            Ok(page.hits.iter().map(ExplorerGame::of).collect())
        };
        let (top, recent) = (list(Sort::Rating, tops)?, list(Sort::Date, recents)?);
        Ok((file.tree(&wanted)?, top, recent))
    })?;
    let side = position.side_to_move();
    let [white, draws, black] = by_color(tree.results.counts(), side);
    let moves = tree.moves.iter().take(asked.moves.map_or(12, |most| most.0 as usize)).map(|mv| {
        let [white, draws, black] = by_color(mv.results.counts(), side);
        ExplorerMove {
            uci: uci(mv.mv),
            san: format_move(&position, mv.mv),
            white,
            draws,
            black,
            average_rating: mv.rating.map(|rating| rating.round() as u64),
        }
    });
    let moves = moves.collect();
    let opening = None;
    Ok(Reply::json(&ExplorerRecord {
        white,
        draws,
        black,
        moves,
        top_games,
        recent_games,
        opening,
    }))
}

/// White's wins, draws, Black's wins, from those of the side to move.
fn by_color([won, drawn, lost]: [u64; 3], side: Color) -> [u64; 3] {
    if side == Color::White { [won, drawn, lost] } else { [lost, drawn, won] }
}

#[cfg(test)]
mod tests {
    use super::super::route::Route;
    use super::super::{answer, answers::tests::desk};
    use super::*;
    use serde_json::Value;

    const GAMES: &str = r#"[Event "Club"]
[Date "1 May 1977"]
[White "Sijbrands, Ton"]
[Black "Wiersma, Harm"]
[WhiteRating "2400"]
[Result "2-0"]

1. 32-28 {calm} 19-23 2. 28x19 14x23 2-0

[Event "Club"]
[Date "1980.??.??"]
[White "Wiersma, Harm"]
[Black "Clerc, Rob"]
[Result "1-1"]

1. 32-28 18-22 1-1
"#;

    fn with_games(takes_games: bool) -> (tempfile::TempDir, Desk) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.games");
        GamesFile::open_or_create(&path)
            .unwrap()
            .import_text("test", GAMES.as_bytes(), ImportOptions::default(), &mut |_| true)
            .unwrap();
        let games = Some(GamesShelf::open(&path, takes_games).unwrap());
        (folder, Desk { games, ..desk() })
    }

    fn ask(desk: &Desk, path: &str, query: &[(&str, &str)], body: &str) -> Result<Value, Problem> {
        let query: Vec<_> =
            query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let reply = answer(desk, Route::of(path).unwrap(), &query, body.as_bytes())?;
        Ok(serde_json::from_str(&reply.text).unwrap())
    }

    #[test]
    fn games_are_found_by_players_position_and_pattern() {
        let (_folder, desk) = with_games(false);
        let find = |query: &[(&str, &str)]| ask(&desk, "/v1/games/find", query, "").unwrap();
        assert_eq!(find(&[])["total"], 2);
        let one = find(&[("limit", "1"), ("sort", "date")]);
        assert_eq!((&one["total"], &one["games"][0]["year"]), (&2.into(), &1980.into()));
        for (name, value, total) in [
            ("player", "sijb", 1),
            ("player", "'; DROP TABLE games; --", 0),
            ("years", "1970-1979", 1),
            ("result", "1-1", 1),
            ("position", "B:W28,31,33-50:B1-20", 2),
            ("pattern", "w28 b22", 1),
            ("pattern", "w28 not b22", 2),
            ("manoeuvre", "32-28 28x19", 1),
            ("length", "3-", 1),
            ("material", "1010", 0),
        ] {
            assert_eq!(find(&[(name, value)])["total"], total, "{name} {value}");
        }
        let game = ask(&desk, "/v1/games/game", &[("game", "1")], "").unwrap();
        assert_eq!(game["games"][0]["line"]["plies"][0]["after"][0]["plain"], "calm");
    }

    #[test]
    fn games_of_variants_are_told_apart() {
        let (_folder, desk) = with_games(true);
        let pdn = "[White \"F\"]\n[GameType \"40\"]\n1. 32-28 19-24 *\n\n\
                   [White \"L\"]\n[Variant \"Antidraughts\"]\n1. 32-28 18-23 *\n";
        let added = ask(&desk, "/v1/games/import", &[], pdn).unwrap();
        assert_eq!(added["variants"], serde_json::json!({ "losing": 1, "frisian": 1 }));
        for (variant, games, reply) in [("frisian", 1, "19-24"), ("antidraughts", 1, "18-23")] {
            let here = [("variant", variant), ("position", "B:W28,31,33-50:B1-20")];
            let found = ask(&desk, "/v1/games/find", &here, "").unwrap();
            assert_eq!(found["total"], games, "{variant}");
            let tree = [("variant", variant), ("moves", "32-28")];
            let tree = ask(&desk, "/v1/games/tree", &tree, "").unwrap();
            assert_eq!((&tree["games"], &tree["moves"][0]["move"]), (&games.into(), &reply.into()));
            let id = found["games"][0]["game"].to_string();
            let game = ask(&desk, "/v1/games/game", &[("game", &id)], "").unwrap();
            assert_eq!(game["games"][0]["variant"], found["games"][0]["variant"]);
            let explorer = [("variant", variant), ("play", "32-28")];
            let explorer = ask(&desk, "/explorer/lidraughts", &explorer, "").unwrap();
            assert_eq!(explorer["moves"][0]["san"], reply, "{variant}");
        }
        let all = ask(&desk, "/v1/games/find", &[], "").unwrap()["total"].clone();
        let ours = ask(&desk, "/v1/games/find", &[("variant", "international")], "").unwrap();
        assert_eq!(all.as_u64().unwrap(), ours["total"].as_u64().unwrap() + 2);
        let bad = ask(&desk, "/v1/games/find", &[("variant", "x")], "").unwrap_err();
        assert_eq!(bad.parameter, Some("variant"));
    }

    #[test]
    fn what_cannot_be_asked_names_the_parameter() {
        let (_folder, desk) = with_games(false);
        for (name, value) in [
            ("pattern", "w51"),
            ("years", "x"),
            ("length", "9-3"),
            ("position", "W:W51"),
            ("manoeuvre", "32-99"),
            ("material", "xx"),
            ("limit", "1001"),
        ] {
            let problem = ask(&desk, "/v1/games/find", &[(name, value)], "").unwrap_err();
            assert_eq!(problem.parameter, Some(name), "{problem:?}");
        }
        let problem = ask(&desk, "/v1/games/find", &[("result", "win")], "").unwrap_err();
        assert_eq!(problem.kind, ProblemKind::BadParameter);
        let problem = ask(&desk, "/v1/games/game", &[("game", "9")], "").unwrap_err();
        assert_eq!(problem.kind, ProblemKind::NotKnown);
        let none = Desk { games: None, ..super::super::answers::tests::desk() };
        let problem = ask(&none, "/v1/games/find", &[], "").unwrap_err();
        assert_eq!(problem.kind, ProblemKind::NotKnown);
    }

    #[test]
    fn games_are_added_once_and_only_where_that_is_wanted() {
        let more = "[White \"A\"]\n[Black \"B\"]\n1. 31-27 19-23 0-2\n";
        let (_folder, desk) = with_games(false);
        let problem = ask(&desk, "/v1/games/import", &[], more).unwrap_err();
        assert!(problem.detail.contains("--games-add"), "{}", problem.detail);
        let (_folder, desk) = with_games(true);
        let added = ask(&desk, "/v1/games/import", &[], more).unwrap();
        assert_eq!((&added["games"], &added["added"]), (&1.into(), &1.into()));
        let text = more.to_owned() + more;
        let again = ask(&desk, "/v1/games/import", &[], &text).unwrap();
        assert_eq!((&again["added"], &again["duplicates"]), (&0.into(), &2.into()));
        assert_eq!(again["named"][0], "line 1: A - B, left out: it is game 3");
        let fuller = more.replace("19-23", "19-23 {well}");
        let better = ask(&desk, "/v1/games/import", &[("duplicates", "better")], &fuller).unwrap();
        assert_eq!((&better["added"], &better["replaced"]), (&0.into(), &1.into()));
        assert_eq!(better["named"][0], "line 1: A - B, takes the place of game 3");
        let worse = ask(&desk, "/v1/games/import", &[("duplicates", "worse")], more).unwrap_err();
        assert_eq!(worse.parameter, Some("duplicates"));
        let packed = ask(&desk, "/v1/games/import", &[], "PK\x03\x04").unwrap_err();
        assert_eq!(packed.kind, ProblemKind::BadPdn);
        assert!(packed.detail.contains("unpack it first"), "{}", packed.detail);
        assert_eq!(ask(&desk, "/v1/games/find", &[], "").unwrap()["total"], 3);
        let broken = ask(&desk, "/v1/games/import", &[], "1. 32-28 19-24 2. 50-1 *").unwrap();
        assert_eq!(broken["problems"].as_array().unwrap().len(), 1, "{broken}");
        let problem = ask(&desk, "/v1/games/import", &[], "no game").unwrap_err();
        assert_eq!(problem.kind, ProblemKind::BadPdn);
    }

    #[test]
    fn the_explorer_counts_for_white_and_black() {
        let (_folder, desk) = with_games(false);
        let here = ask(&desk, "/explorer/master", &[("play", "32-28")], "").unwrap();
        assert_eq!(
            (&here["white"], &here["draws"], &here["black"]),
            (&1.into(), &1.into(), &0.into())
        );
        let mv = here["moves"].as_array().unwrap().iter().find(|mv| mv["uci"] == "1923").unwrap();
        assert_eq!(
            (&mv["san"], &mv["white"], &mv["black"]),
            (&"19-23".into(), &1.into(), &0.into())
        );
        let top = &here["topGames"][0];
        assert_eq!((&top["winner"], &top["month"]), (&"white".into(), &"1977-05".into()));
        assert_eq!(here["recentGames"][0]["year"], 1980);
        // As lidraughts' analysis board asks.
        let late = [
            ("fen", "B:W28,31,33-50:B1-20:H0:F1"),
            ("since", "1978-01"),
            ("moves", "12"),
            ("topGames", "0"),
            ("recentGames", "0"),
            ("variant", "standard"),
            ("speeds[]", "blitz"),
            ("speeds[]", "rapid"),
            ("ratings[]", "1600"),
            ("ratings[]", "1800"),
        ];
        let late = ask(&desk, "/explorer/lidraughts", &late, "").unwrap();
        assert_eq!((&late["white"], &late["draws"]), (&0.into(), &1.into()));
        assert_eq!(late["topGames"], serde_json::json!([]));
        let tree = ask(&desk, "/v1/games/tree", &[("moves", "32-28")], "").unwrap();
        assert_eq!((&tree["games"], &tree["lost"]), (&2.into(), &1.into()));
        for (name, value) in [("length", "3-"), ("pattern", "b23"), ("manoeuvre", "28x19")] {
            let tree = ask(&desk, "/v1/games/tree", &[("moves", "32-28"), (name, value)], "");
            assert_eq!(tree.unwrap()["games"], 1, "{name}");
        }
    }
}
