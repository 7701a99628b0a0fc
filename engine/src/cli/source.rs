//! The input of a command: a position or the games of a file.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use anyhow::{Context, anyhow};
use clap::Args;
#[cfg(not(feature = "games"))]
use meerslag_book::open_pdn;
use meerslag_study::puzzles::ExerciseList;
use movegen::notation::pdn::{
    Counters, Encoding, PdnGame, PdnReader, ReadOptions, WarningSummary, decode,
};
use movegen::notation::{Fen, FenWarning};
use movegen::words::{counted, shortened};
use movegen::{Game, Position, Variant};

use super::streams::{leave_out, note};
use super::{Failure, positions};

/// The position that a command works on.
#[derive(Args, Clone, Debug)]
pub(super) struct PositionArgs {
    /// The position: draughts FEN or 51-character Hub string [default: the initial position]
    #[arg(value_name = "FEN")]
    position: Option<String>,
    #[command(flatten)]
    variant: VariantArgs,
}

/// Which game of the board is played.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct VariantArgs {
    /// The game: international, killer, breakthrough, losing, frisian or frysk
    #[arg(long, value_name = "NAME", default_value_t)]
    pub(super) variant: Variant,
}

impl PositionArgs {
    /// A game that starts at it, with its draw counters.
    pub(super) fn start(&self) -> Result<Game, Failure> {
        start_in(self.position.as_deref(), self.variant.variant)
    }
}

/// How PDN is encoded.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct EncodingArgs {
    /// The encoding of the PDN, such as windows-1251, cp866 or cp850 (an unknown name lists all)
    /// [default: recognised place by place]
    #[arg(long, value_name = "NAME")]
    pub(super) encoding: Option<Encoding>,
}

impl EncodingArgs {
    /// How to read.
    pub(super) fn options(self) -> ReadOptions {
        ReadOptions { encoding: self.encoding, ..ReadOptions::default() }
    }
}

/// Whether this is a file and not a position: `-` for standard input, an existing file, or a name
/// with the ending of such files.
pub(super) fn is_file(text: &str) -> bool {
    let path = Path::new(text);
    let is_ending = |end: &OsStr| {
        ["pdn", "fen", "txt", "gz", "zip"].iter().any(|e| end.eq_ignore_ascii_case(e))
    };
    text == "-" || path.extension().is_some_and(is_ending) || path.is_file()
}

/// A position given as FEN or Hub string; the initial one without.
pub(super) fn position(fen: Option<&str>) -> Result<Position, Failure> {
    Ok(*start(fen)?.position())
}

/// A game that starts at a position given as FEN or Hub string, with its draw counters.
pub(super) fn start(fen: Option<&str>) -> Result<Game, Failure> {
    start_in(fen, Variant::International)
}

/// As [`start`], in one of the games of the board.
pub(super) fn start_in(fen: Option<&str>, variant: Variant) -> Result<Game, Failure> {
    let Some(text) = fen else { return Ok(Game::new(Position::initial_of(variant))) };
    let fen: Fen = text.parse().context("cannot read the position").map_err(Failure::Input)?;
    let game =
        fen.game_in(variant).context("this is not a legal position").map_err(Failure::Input)?;
    warn_of_fen("", &fen.warnings);
    Ok(game)
}

/// Reports on standard error what the reader of a position tolerated; `place` may name file and
/// line, with a colon and a blank after them.
pub(super) fn warn_of_fen(place: &str, warnings: &[FenWarning]) {
    for warning in warnings {
        note(format_args!("warning: {place}{warning}"));
    }
}

/// Reports on standard error what was odd in a file of games, each kind once.
pub(super) fn warn(name: &str, warnings: &WarningSummary) {
    let place = if name == "-" { String::new() } else { format!("{name}: ") };
    for kind in warnings.iter() {
        note(format_args!("warning: {place}{kind}"));
    }
}

/// The failure for a file without a game to work on.
pub(super) fn no_game(counters: &Counters) -> Failure {
    Failure::Input(match counters.other_type {
        0 => anyhow!("the file holds no game"),
        other => anyhow!(
            "the file holds no game of international draughts, but {} of other types",
            counted(other, "game")
        ),
    })
}

/// Opens a file of games to be read as PDN text: PDN, also packed with gzip or in a zip archive, or
/// an SQLite database of `games`; `-` is standard input.
pub(super) fn open_text(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if super::files::given(path).is_none() {
        return Ok(Box::new(io::stdin()));
    }
    #[cfg(feature = "games")]
    if meerslag_games::is_games_file(path) {
        let games = OpenGames::open(path).map_err(io::Error::other)?;
        // The mark says that it is UTF-8, whatever the encoding of other files.
        return Ok(Box::new("\u{feff}".as_bytes().chain(meerslag_games::PdnText::new(games))));
    }
    #[cfg(feature = "games")]
    return meerslag_games::open_text(path);
    #[cfg(not(feature = "games"))]
    open_pdn(path)
}

/// A file of games. At the end it names the damaged games that were left out.
#[cfg(feature = "games")]
#[derive(Debug)]
pub(super) struct OpenGames(meerslag_games::GamesFile);

#[cfg(feature = "games")]
impl OpenGames {
    /// Opens a file to read it.
    pub(super) fn open(path: &Path) -> Result<OpenGames, meerslag_games::GamesError> {
        meerslag_games::GamesFile::open(path).map(OpenGames)
    }

    pub(super) fn file(&mut self) -> &mut meerslag_games::GamesFile {
        &mut self.0
    }
}

#[cfg(feature = "games")]
impl std::borrow::Borrow<meerslag_games::GamesFile> for OpenGames {
    fn borrow(&self) -> &meerslag_games::GamesFile {
        &self.0
    }
}

#[cfg(feature = "games")]
impl std::ops::Deref for OpenGames {
    type Target = meerslag_games::GamesFile;

    fn deref(&self) -> &meerslag_games::GamesFile {
        &self.0
    }
}

#[cfg(feature = "games")]
impl Drop for OpenGames {
    fn drop(&mut self) {
        for fault in self.0.take_faults() {
            leave_out(format_args!("{}: {fault}, left out", self.0.path().display()));
        }
    }
}

/// The input of `analyse`.
pub(super) enum Source {
    /// One position.
    Position(Box<Game>),
    /// The games of a file.
    Games(Box<Games>),
}

/// Opens a file of games or positions, `-` for standard input, or else reads a position.
pub(super) fn open(input: Option<&str>, options: ReadOptions) -> Result<Source, Failure> {
    let Some(text) = input else {
        return Ok(Source::Position(Box::new(start_in(None, options.variant)?)));
    };
    if is_file(text) {
        let games = open_games(text, options);
        let games = games.with_context(|| format!("cannot open {text}")).map_err(Failure::Input)?;
        return Ok(Source::Games(Box::new(games)));
    }
    match start_in(Some(text), options.variant) {
        Ok(game) => Ok(Source::Position(Box::new(game))),
        Err(Failure::Input(error)) => Err(Failure::Input(
            error.context(format!("'{}' is neither a file nor a position", shortened(text, 60))),
        )),
        Err(other) => Err(other),
    }
}

/// The games of a file, `-` for standard input; of a list of positions games without a move.
fn open_games(name: &str, options: ReadOptions) -> io::Result<Games> {
    let mut input = BufReader::new(open_text(Path::new(name))?);
    if positions::is_list(input.fill_buf()?) {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        let text = positions::as_games(&decode(options.encoding, &bytes));
        return Ok(Games::new(name, Cursor::new(text), options));
    }
    Ok(Games::new(name, input, options))
}

/// The games of a PDN stream, each with a title. What the reader finds odd goes to standard error
/// when they are dropped.
pub(super) struct Games {
    name: String,
    reader: PdnReader<'static>,
}

impl Games {
    fn new(name: &str, input: impl BufRead + Send + 'static, options: ReadOptions) -> Games {
        let reader = PdnReader::with_options(input, options);
        Games { name: name.to_owned(), reader }
    }

    /// The exercises in the games, at most this many.
    ///
    /// # Errors
    /// If there is nothing, or more.
    pub(super) fn exercises(&mut self, most: usize) -> Result<ExerciseList, Failure> {
        let mut exercises = ExerciseList::default();
        let mut is_any = false;
        for found in self.by_ref() {
            is_any = true;
            exercises.add(&found?.pdn);
            if exercises.list().len() > most {
                let name = &self.name;
                return Err(Failure::Input(anyhow!(
                    "{name} has more than {most} exercises: take a file with fewer games"
                )));
            }
        }
        match () {
            () if !is_any => Err(self.no_game()),
            () if exercises.list().is_empty() => Err(Failure::Input(anyhow!(
                "{} has no puzzle and no marked mistake: 'meerslag annotate' marks mistakes, \
                 'meerslag puzzles' finds puzzles",
                self.name
            ))),
            () => Ok(exercises),
        }
    }

    /// The failure if there was none.
    pub(super) fn no_game(&self) -> Failure {
        no_game(&self.reader.counters())
    }
}

impl Drop for Games {
    fn drop(&mut self) {
        warn(&self.name, self.reader.warnings());
    }
}

/// A game of a file.
pub(super) struct FileGame {
    /// Its place in the file among all games, from 1.
    pub(super) number: u64,
    pub(super) title: String,
    pub(super) game: Game,
    /// With its tags, comments and variations.
    pub(super) pdn: PdnGame,
}

impl FileGame {
    /// The game as it stood after this many plies.
    pub(super) fn at_ply(&self, ply: usize) -> Result<Game, Failure> {
        let FileGame { number, game, .. } = self;
        if ply > game.ply() {
            let plies = counted(game.ply(), "ply");
            return Err(Failure::Input(anyhow!("game {number} has {plies}, not {ply}")));
        }
        let mut moment = game.clone();
        while moment.ply() > ply {
            moment.undo();
        }
        Ok(moment)
    }
}

impl Iterator for Games {
    type Item = Result<FileGame, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let pdn = match self.reader.next()? {
                Ok(pdn) => pdn,
                Err(error) => {
                    let error = anyhow::Error::new(error).context("cannot read the file");
                    return Some(Err(Failure::Input(error)));
                }
            };
            let unreadable = pdn.truncated.as_ref().filter(|_| pdn.line.plies.is_empty());
            if unreadable.is_none() {
                let number = self.reader.counters().games;
                let (title, game) = (title(&pdn), game(&pdn));
                return Some(Ok(FileGame { number, title, game, pdn }));
            }
        }
    }
}

fn title(pdn: &PdnGame) -> String {
    let tag = |name| pdn.tags.get(name).unwrap_or("?");
    format!(
        "{} - {}  {}, {}, {}",
        tag("White"),
        tag("Black"),
        pdn.result.as_str(),
        tag("Event"),
        tag("Date"),
    )
}

/// The moves of the game; where a set-up command changes the position in the middle, those after
/// the last one.
fn game(pdn: &PdnGame) -> Game {
    let mut game = pdn.beginning();
    for (before, ply) in pdn.positions() {
        if *game.position() != before {
            game = Game::new(before);
        }
        if game.play(ply.mv).is_err() {
            break;
        }
    }
    if *game.position() == pdn.last_position() { game } else { Game::new(pdn.last_position()) }
}
