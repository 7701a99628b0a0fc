//! The description of a tournament, as TOML.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};
use meerslag_harness::runner::{
    Adjudication, EngineSpec, Format, GameLogs, MatchConfig, MatchRun, RoundsConfig, TimeControl,
};
use meerslag_pages::LANGUAGES;
use movegen::DrawRules;
use serde::Deserialize;
use toml::Spanned;

use super::super::files::place;
use super::super::matches::{draw, kept_logs, read_openings, resign};

/// Deciding meetings of a knock-out, unless the file says otherwise.
const DECIDING: usize = 3;
/// The longest break, in seconds: a week.
const LONGEST_BREAK: u64 = 7 * 24 * 3600;

/// The contents of the file. Paths start at its folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct TournamentFile {
    #[serde(default = "event")]
    event: String,
    format: Format,
    /// For a Swiss or a gauntlet.
    rounds: Option<Spanned<usize>>,
    /// For each two players who meet.
    games: Option<Spanned<usize>>,
    deciding: Option<usize>,
    /// In seconds.
    #[serde(rename = "break")]
    pause: Option<Spanned<u64>>,
    time_control: Option<Spanned<String>>,
    openings: Option<Spanned<String>>,
    opening_plies: Option<usize>,
    random_plies: Option<Spanned<usize>>,
    seed: Option<u64>,
    draw_rules: Option<Spanned<String>>,
    max_moves: Option<u32>,
    resign: Option<Spanned<String>>,
    draw: Option<Spanned<String>>,
    #[serde(default)]
    egdb: Vec<PathBuf>,
    /// In milliseconds.
    margin: Option<Spanned<u64>>,
    concurrency: Option<Spanned<u32>>,
    /// See [`state`].
    #[serde(rename = "state")]
    _state: Option<PathBuf>,
    pdn: Option<PathBuf>,
    csv: Option<PathBuf>,
    html: Option<PathBuf>,
    log: Option<PathBuf>,
    log_keep: Option<Spanned<String>>,
    language: Option<Spanned<String>>,
    #[serde(default, rename = "player")]
    players: Vec<Spanned<PlayerEntry>>,
}

/// A player.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayerEntry {
    name: Spanned<String>,
    /// As `match --engine` describes it.
    engine: Spanned<String>,
}

fn event() -> String {
    "Engine tournament".to_owned()
}

/// The only key that counts once the tournament has begun.
#[derive(Deserialize, Default)]
struct StateKey {
    state: Option<PathBuf>,
}

/// A path of the file: it starts at the file's folder.
fn path(file: &Path, path: &Path) -> PathBuf {
    place(&file.parent().unwrap_or(Path::new("")).join(path))
}

/// The state file: beside the description, unless that names another place.
pub(super) fn state(file: &Path) -> PathBuf {
    let text = meerslag_files::read_text(file).unwrap_or_default();
    let StateKey { state } = toml::from_str(&text).unwrap_or_default();
    state.map_or_else(|| file.with_extension("jsonl"), |state| path(file, &state))
}

/// A file that has been read.
pub(super) struct Description {
    path: PathBuf,
    text: String,
    file: TournamentFile,
}

impl Description {
    /// # Errors
    /// If something cannot be read; names its line and key.
    pub(super) fn read(path: &Path) -> anyhow::Result<Description> {
        let failed = || path.display().to_string();
        let text = meerslag_files::read_text(path).with_context(failed)?;
        let file = toml::from_str(&text).with_context(failed)?;
        Ok(Description { path: path.to_owned(), text, file })
    }

    /// An error with the line and the key.
    fn error(&self, span: Range<usize>, key: &str, why: impl std::fmt::Display) -> anyhow::Error {
        let start = span.start.min(self.text.len());
        let line = 1 + self.text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count();
        anyhow!("{}, line {line}: {key}: {why}", self.path.display())
    }

    fn path(&self, path: &Path) -> PathBuf {
        self::path(&self.path, path)
    }

    /// Files and games at the same time.
    pub(super) fn run(&self) -> anyhow::Result<MatchRun> {
        let file = |path: &Option<PathBuf>| path.as_deref().map(|path| self.path(path));
        if let Some(number) = &self.file.concurrency
            && !(1..=1024).contains(number.get_ref())
        {
            return Err(self.error(number.span(), "concurrency", "expected 1 to 1024"));
        }
        Ok(MatchRun {
            pdn: file(&self.file.pdn),
            csv: file(&self.file.csv),
            html: file(&self.file.html),
            language: self.language()?,
            concurrency: self.file.concurrency.as_ref().map(|number| *number.get_ref()),
            affinity: None,
            logs: self.logs()?,
            shard: None,
        })
    }

    /// The logs of games.
    fn logs(&self) -> anyhow::Result<Option<GameLogs>> {
        let keep = self.parsed("log-keep", self.file.log_keep.as_ref(), kept_logs)?;
        let Some(folder) = &self.file.log else {
            return match &self.file.log_keep {
                Some(keep) => Err(self.error(keep.span(), "log-keep", "there is no log")),
                None => Ok(None),
            };
        };
        Ok(Some(GameLogs { folder: self.path(folder), keep: keep.unwrap_or_default() }))
    }

    /// The language of the page.
    fn language(&self) -> anyhow::Result<Option<String>> {
        self.parsed("language", self.file.language.as_ref(), |code| {
            let known = LANGUAGES.iter().find(|known| **known == code);
            let expected = || format!("expected one of {}", LANGUAGES.join(", "));
            known.map(|known| (*known).to_owned()).ok_or_else(expected)
        })
    }

    /// A text with its own form.
    fn parsed<T, E: std::fmt::Display>(
        &self,
        key: &str,
        value: Option<&Spanned<String>>,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> anyhow::Result<Option<T>> {
        let Some(value) = value else { return Ok(None) };
        let parsed = parse(value.get_ref());
        parsed.map(Some).map_err(|why| self.error(value.span(), key, why))
    }

    /// A number that has bounds.
    fn bounded<T: Copy + PartialOrd + std::fmt::Display>(
        &self,
        key: &str,
        value: Option<&Spanned<T>>,
        (least, most): (T, T),
    ) -> anyhow::Result<Option<T>> {
        let Some(value) = value else { return Ok(None) };
        let number = *value.get_ref();
        if number < least || number > most {
            let why = format!("{number}: expected {least} to {most}");
            return Err(self.error(value.span(), key, why));
        }
        Ok(Some(number))
    }

    fn engines(&self) -> anyhow::Result<Vec<EngineSpec>> {
        let mut engines: Vec<EngineSpec> = Vec::new();
        for entry in &self.file.players {
            let PlayerEntry { name, engine } = entry.get_ref();
            if name.get_ref().trim().is_empty() {
                return Err(self.error(name.span(), "name", "a player needs a name"));
            }
            if engines.iter().any(|other| other.name == *name.get_ref()) {
                let why = format!("'{}' is there already", name.get_ref());
                return Err(self.error(name.span(), "name", why));
            }
            let spec = EngineSpec::parse(engine.get_ref());
            let mut spec = spec.map_err(|why| self.error(engine.span(), "engine", why))?;
            spec.name.clone_from(name.get_ref());
            spec.check().map_err(|why| {
                self.error(engine.span(), "engine", format!("{:#}", anyhow::Error::new(why)))
            })?;
            engines.push(spec);
        }
        Ok(engines)
    }

    fn rounds(&self, engines: usize) -> anyhow::Result<RoundsConfig> {
        let file = &self.file;
        let most = match file.format {
            Format::Swiss => MatchConfig::most_swiss_rounds(engines),
            _ => 1000,
        };
        let count = match (&file.rounds, file.format) {
            (None, Format::Swiss) => {
                return Err(self.error(0..0, "rounds", "a Swiss tournament needs their number"));
            }
            (Some(rounds), Format::RoundRobin | Format::KnockOut) => {
                let why = "this format has as many rounds as it needs";
                return Err(self.error(rounds.span(), "rounds", why));
            }
            (Some(rounds), Format::Swiss) if *rounds.get_ref() > most => {
                let rounds = (rounds.span(), rounds.get_ref());
                let why = format!(
                    "{}: {engines} players can play {most} rounds without meeting twice",
                    rounds.1
                );
                return Err(self.error(rounds.0, "rounds", why));
            }
            (rounds, _) => self.bounded("rounds", rounds.as_ref(), (1, most))?.unwrap_or(1),
        };
        let pause = self.bounded("break", file.pause.as_ref(), (0, LONGEST_BREAK))?;
        Ok(RoundsConfig {
            count,
            games: self.bounded("games", file.games.as_ref(), (1, 2))?.unwrap_or(2),
            deciding: file.deciding.unwrap_or(DECIDING),
            break_seconds: pause.unwrap_or(0),
        })
    }

    /// The tournament.
    ///
    /// # Errors
    /// If something is impossible; names its line and key.
    pub(super) fn config(&self) -> anyhow::Result<MatchConfig> {
        let file = &self.file;
        let engines = self.engines()?;
        let rounds = self.rounds(engines.len())?;
        let openings = self.parsed("openings", file.openings.as_ref(), |set| {
            let own = self.path(Path::new(set));
            let set =
                if own.is_file() { own.to_string_lossy().into_owned() } else { set.to_owned() };
            read_openings(&set, file.opening_plies.unwrap_or(8)).map_err(|e| format!("{e:#}"))
        })?;
        let openings = openings.map_or_else(|| read_openings("two-move", 8), Ok)?;
        let draw_rules = self.parsed("draw-rules", file.draw_rules.as_ref(), str::parse)?;
        let margin = self.bounded("margin", file.margin.as_ref(), (0, 60_000))?.unwrap_or(50);
        let mut config = MatchConfig {
            event: file.event.clone(),
            engines,
            format: file.format,
            time_control: self.parsed(
                "time-control",
                file.time_control.as_ref(),
                str::parse::<TimeControl>,
            )?,
            openings,
            pairs: 1,
            random_plies: 0,
            seed: file.seed,
            draw_rules: draw_rules.unwrap_or(DrawRules::default()),
            adjudication: Adjudication {
                max_moves: Some(file.max_moves.unwrap_or(300)).filter(|&moves| moves > 0),
                resign: self.parsed("resign", file.resign.as_ref(), resign)?,
                draw: self.parsed("draw", file.draw.as_ref(), draw)?,
            },
            egdb: file.egdb.iter().map(|folder| self.path(folder)).collect(),
            margin: Duration::from_millis(margin),
            sprt: None,
            rounds: Some(rounds),
        };
        let plies = (0, MatchConfig::MOST_RANDOM_PLIES);
        config.random_plies =
            match self.bounded("random-plies", file.random_plies.as_ref(), plies)? {
                Some(plies) => plies,
                None if config.is_repeatable() => MatchConfig::RANDOM_PLIES,
                None => 0,
            };
        config.check().with_context(|| self.path.display().to_string())?;
        Ok(config)
    }
}
