//! What was played, when, where and by which engines: the head of the page.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::num::NonZero;
use std::thread;
use std::time::Duration;

use super::{hours_minutes_seconds, name};
use crate::runner::config::Contest;
use crate::runner::config::spec::EngineKind;
use crate::runner::game::match_game::MatchGame;
use crate::runner::tournament::state::MatchPart;
use movegen::Color;
use serde::Serialize;
use serde_json::Value;

/// A part of a text: as it is, or one that the page says in the reader's language.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Part {
    Plain(String),
    Said {
        /// Its name among the page's texts, after `said.`.
        key: &'static str,
        /// Its values.
        #[serde(flatten)]
        values: BTreeMap<&'static str, Value>,
    },
}

impl<T: Into<String>> From<T> for Part {
    fn from(text: T) -> Part {
        Part::Plain(text.into())
    }
}

/// The page's text with these values.
fn said<const N: usize>(key: &'static str, values: [(&'static str, Value); N]) -> Part {
    Part::Said { key, values: values.into() }
}

/// One engine of the match.
#[derive(Serialize)]
pub(super) struct EngineRow<'a> {
    pub name: &'a str,
    /// The name it gives itself, or the names in turn.
    pub identities: &'a [String],
    /// How it is reached.
    pub command: Vec<Part>,
    pub parameters: String,
    /// Empty without a limit.
    pub control: String,
}

/// All engines, in the order of the configuration.
pub(super) fn engine_rows<'a>(
    config: &'a Contest,
    identities: &'a BTreeMap<usize, Vec<String>>,
) -> Vec<EngineRow<'a>> {
    let row = |(engine, spec): (usize, &crate::runner::config::spec::EngineSpec)| {
        let mut parts: Vec<Part> =
            spec.env.iter().map(|(k, v)| format!("{k}={v}").into()).collect();
        if let Some(dxp) = &spec.dxp {
            let addresses: Vec<String> = dxp.addresses.iter().map(ToString::to_string).collect();
            let how = if dxp.listen { "connects" } else { "listens" };
            parts.push(said(how, [("address", addresses.join(", ").into())]));
        }
        match spec.kind {
            EngineKind::Builtin => parts.push(said("builtin", [])),
            EngineKind::Random => parts.push(said("random", [])),
            EngineKind::Hub | EngineKind::Dxp => {}
        }
        let command = shlex::try_join(spec.command.iter().map(String::as_str)).ok();
        parts.extend(command.filter(|command| !command.is_empty()).map(Part::from));
        if let Some(dir) = &spec.dir {
            parts.push(said("inFolder", [("folder", dir.display().to_string().into())]));
        }
        let parameters: Vec<String> = spec.params.iter().map(|(k, v)| format!("{k}={v}")).collect();
        EngineRow {
            name: name(config, engine),
            identities: identities.get(&engine).map_or(&[], Vec::as_slice),
            command: parts,
            parameters: parameters.join(", "),
            control: config.time_control(engine).to_string(),
        }
    };
    config.engines.iter().enumerate().map(row).collect()
}

/// What holds for all games, by the names of the page's texts after `about.`. `elapsed` is the time of this part, which `command` plays after the
/// `earlier` ones.
pub(super) fn conditions(
    config: &Contest,
    records: &[MatchGame],
    earlier: &[MatchPart],
    command: &str,
    elapsed: Duration,
) -> Vec<(&'static str, Vec<Part>)> {
    let mut list = Vec::new();
    let dates = || records.iter().map(|game| game.record.date.replace('.', "-"));
    match (dates().min(), dates().max()) {
        (Some(first), Some(last)) if first != last => {
            list.push(one("date", said("dates", [("first", first.into()), ("last", last.into())])));
        }
        (Some(first), _) => list.push(one("date", format!("{first} (UTC)").into())),
        _ => {}
    }
    list.push(("duration", duration(earlier, elapsed)));
    // For all runs of the match, from the moves.
    let used = records.iter().flat_map(|game| Color::ALL.map(|side| game.spent(side).used));
    let used = used.fold(Duration::ZERO, Duration::saturating_add);
    list.push(one("thinking", said("inAllGames", [("time", hours_minutes_seconds(used).into())])));
    let planned = config.game_count();
    list.push(one(
        "games",
        said("gamesOf", [("played", records.len().into()), ("planned", planned.into())]),
    ));
    list.push(("openings", openings(config, records)));
    list.push(("books", books(config)));
    if let Some(seed) = config.seed {
        list.push(one("seed", seed.to_string().into()));
    }
    list.push(one("rules", config.draw_rules.to_string().into()));
    let margin = config.margin.as_millis() as u64;
    list.push(one("margin", said("milliseconds", [("count", margin.into())])));
    let moves = config.adjudication.max_moves;
    if moves > 0 {
        list.push(one("limit", said("moves", [("count", moves.into())])));
    }
    let scored =
        |men: f64, moves: u32| said("resign", [("men", men.into()), ("count", moves.into())]);
    if let Some(rule) = config.adjudication.resign {
        list.push(one("wonAt", scored(rule.score, rule.moves)));
    }
    if let Some(rule) = config.adjudication.draw {
        let from = said("fromMove", [("number", rule.from.into())]);
        list.push(("drawnAt", vec![scored(rule.score, rule.moves), from]));
    }
    if !config.egdb.is_empty() {
        let folders: Vec<_> = config.egdb.iter().map(|f| f.display().to_string()).collect();
        list.push(one("databases", folders.join(", ").into()));
    }
    list.push(("machine", machine()));
    list.push(one("runner", concat!("Meerslag ", env!("CARGO_PKG_VERSION")).into()));
    let commands = earlier.iter().map(|part| part.command.as_str()).chain([command]);
    for (place, command) in commands.enumerate().filter(|(_, command)| !command.is_empty()) {
        list.push(one(if place == 0 { "command" } else { "continued" }, command.into()));
    }
    list
}

/// A condition of one part.
fn one(name: &'static str, part: Part) -> (&'static str, Vec<Part>) {
    (name, vec![part])
}

/// The playing time of the match, without breaks between its parts.
fn duration(earlier: &[MatchPart], elapsed: Duration) -> Vec<Part> {
    let (mut time, mut unknown) = (elapsed, 0);
    for part in earlier {
        match part.played {
            Some(played) => time = time.saturating_add(played),
            None => unknown += part.games,
        }
    }
    let mut parts: Vec<Part> = vec![hours_minutes_seconds(time).into()];
    if !earlier.is_empty() {
        parts.push(said("inParts", [("parts", (earlier.len() + 1).into())]));
    }
    if unknown > 0 {
        parts.push(said("withoutTime", [("games", unknown.into())]));
    }
    parts
}

/// Whether engines use their books.
fn books(config: &Contest) -> Vec<Part> {
    let key = if config.openings.is_empty() { "booksLeft" } else { "booksOff" };
    let told = config.engines.iter().filter(|engine| engine.has_book_params());
    let told: Vec<&str> = told.map(|engine| engine.name.as_str()).collect();
    let mut parts = vec![said(key, [])];
    if !told.is_empty() {
        parts.push(said("booksTold", [("engines", told.join(", ").into())]));
    }
    parts
}

/// The start positions that were played, of those given.
fn openings(config: &Contest, records: &[MatchGame]) -> Vec<Part> {
    let played: HashSet<String> = records.iter().map(|game| game.record.start_fen()).collect();
    let count = match (played.len(), config.openings.len()) {
        (_, 0) => return vec![said("initial", [])],
        (played, given) if played == given => given.to_string().into(),
        (played, given) if played > given => {
            said("openingsMore", [("given", given.into()), ("more", (played - given).into())])
        }
        (played, given) => {
            said("openingsPlayed", [("played", played.into()), ("given", given.into())])
        }
    };
    vec![count, said("bothColours", [])]
}

/// System, kind of processor and the number of threads that it runs at once.
fn machine() -> Vec<Part> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let model = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.and_then(|rest| Some(rest.split_once(':')?.1.trim().to_owned()));
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let mut parts: Vec<Part> = vec![format!("{system} {processor}").into()];
    parts.extend(model.map(Part::from));
    parts.push(said("processors", [("count", threads.into())]));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::game::termination::Termination;
    use crate::runner::tournament::schedule::tests::{config, games as schedule};
    use meerslag_study::record::{GameRecord, PlyRecord};

    #[test]
    fn only_openings_that_were_played_are_counted() {
        let mut config = config(2, 3, 3);
        config.openings =
            ["W:W31:B1", "W:W32:B1", "W:W33:B1"].map(|fen| fen.parse().unwrap()).into();
        let game = |index: usize| {
            let record = GameRecord::new(*config.openings[index / 2].position());
            MatchGame::new(index, schedule(&config)[index], record, Termination::DrawRule)
        };
        let mut games: Vec<MatchGame> = (0..6).map(game).collect();
        let mv = games[0].record.start.legal_moves()[0];
        games[0].record.plies.push(PlyRecord { time: Some(61.7), ..PlyRecord::from(mv) });
        let each = said("bothColours", []);
        let played = said("openingsPlayed", [("played", 2.into()), ("given", 3.into())]);
        assert_eq!(openings(&config, &games[..3]), [played, each.clone()]);
        assert_eq!(openings(&config, &games), ["3".into(), each]);
        let part = |command: &str, games, millis: Option<u64>| {
            let command = command.to_owned();
            MatchPart { command, games, played: millis.map(Duration::from_millis) }
        };
        let earlier = [part("first", 1, Some(3_600_400)), part("second", 1, None)];
        let list = conditions(&config, &games[..3], &earlier, "x", Duration::from_secs(123));
        let value = |name| {
            let all = list.iter().filter(|(key, _)| *key == name).map(|(_, parts)| parts);
            serde_json::to_value(all.collect::<Vec<_>>()).unwrap()
        };
        let games = serde_json::json!([[{ "key": "gamesOf", "played": 3, "planned": 6 }]]);
        assert_eq!(value("games"), games);
        let parts = serde_json::json!([[
            "1:02:03",
            { "key": "inParts", "parts": 3 },
            { "key": "withoutTime", "games": 1 },
        ]]);
        assert_eq!(value("duration"), parts);
        assert_eq!(value("command"), serde_json::json!([["first"]]));
        assert_eq!(value("continued"), serde_json::json!([["second"], ["x"]]));
        assert_eq!(duration(&[], Duration::from_secs(3)), ["0:00:03".into()]);
        let thinking = serde_json::json!([[{ "key": "inAllGames", "time": "0:01:02" }]]);
        assert_eq!(value("thinking"), thinking);
        assert!(format!("{:?}", machine()).contains(std::env::consts::OS));
    }
}
