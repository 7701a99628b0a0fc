//! What was played, when, where and by whom: the head of the page.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::num::NonZero;
use std::thread;
use std::time::Duration;

use super::{hours_minutes_seconds, name};
use crate::runner::config::MatchConfig;
use crate::runner::config::spec::EngineKind;
use crate::runner::config::time_control::TimeControl;
use crate::runner::game::match_game::MatchGame;
use crate::runner::tournament::state::MatchPart;
use meerslag_search::counted;
use movegen::Color;

/// One engine of the match.
pub(super) struct EngineRow<'a> {
    pub name: &'a str,
    /// What it calls itself, or called itself one after the other.
    pub identity: String,
    /// How it is reached.
    pub command: String,
    pub parameters: String,
    pub control: String,
}

/// All engines, in the order of the configuration.
pub(super) fn engine_rows<'a>(
    config: &'a MatchConfig,
    identities: &BTreeMap<usize, Vec<String>>,
) -> Vec<EngineRow<'a>> {
    let row = |(engine, spec): (usize, &crate::runner::config::spec::EngineSpec)| {
        let mut parts: Vec<String> = spec.env.iter().map(|(k, v)| format!("{k}={v}")).collect();
        if let Some(dxp) = &spec.dxp {
            let addresses: Vec<String> = dxp.addresses.iter().map(ToString::to_string).collect();
            let how = if dxp.listen { "DXP, connects to" } else { "DXP, listens on" };
            parts.push(format!("{how} {}", addresses.join(", ")));
        }
        match spec.kind {
            EngineKind::Builtin => parts.push("in the runner".to_owned()),
            EngineKind::Random => parts.push("random moves".to_owned()),
            EngineKind::Hub | EngineKind::Dxp => {}
        }
        parts.extend(shlex::try_join(spec.command.iter().map(String::as_str)).ok());
        if let Some(dir) = &spec.dir {
            parts.push(format!("in {}", dir.display()));
        }
        let parameters: Vec<String> = spec.params.iter().map(|(k, v)| format!("{k}={v}")).collect();
        EngineRow {
            name: name(config, engine),
            identity: identities.get(&engine).map_or_else(String::new, |all| all.join(", then ")),
            command: parts.join(" ").trim().to_owned(),
            parameters: parameters.join(", "),
            control: control_text(config.time_control(engine)),
        }
    };
    config.engines.iter().enumerate().map(row).collect()
}

pub(super) fn control_text(control: TimeControl) -> String {
    let text = control.to_string();
    if text.is_empty() { "no limit".to_owned() } else { text }
}

/// What holds for all games. `elapsed` is the time of this part, which `command` plays after the
/// `earlier` ones.
pub(super) fn conditions(
    config: &MatchConfig,
    records: &[MatchGame],
    earlier: &[MatchPart],
    command: &str,
    elapsed: Duration,
) -> Vec<(&'static str, String)> {
    let mut list = Vec::new();
    let dates = || records.iter().map(|game| game.record.date.replace('.', "-"));
    match (dates().min(), dates().max()) {
        (Some(first), Some(last)) if first != last => {
            list.push(("Date", format!("{first} to {last} (UTC)")));
        }
        (Some(first), _) => list.push(("Date", format!("{first} (UTC)"))),
        _ => {}
    }
    list.push(("Duration", duration(earlier, elapsed)));
    // Of all runs of the match: what the moves say.
    let used = records.iter().flat_map(|game| Color::ALL.map(|side| game.spent(side).used));
    let used = used.fold(Duration::ZERO, Duration::saturating_add);
    list.push(("Thinking time", format!("{} in all games", hours_minutes_seconds(used))));
    list.push(("Games", format!("{} of {}", records.len(), config.game_count())));
    list.push(("Openings", openings(config, records)));
    list.push(("Books", config.books()));
    if let Some(seed) = config.seed {
        list.push(("Seed", seed.to_string()));
    }
    list.push(("Draw rules", config.draw_rules.to_string()));
    list.push(("Margin", format!("{} ms", config.margin.as_millis())));
    if let Some(moves) = config.adjudication.max_moves {
        list.push(("Draw after", counted(moves, "move")));
    }
    if let Some(rule) = config.adjudication.resign {
        list.push(("Won at", format!("{} men for {}", rule.score, counted(rule.moves, "move"))));
    }
    if let Some(rule) = config.adjudication.draw {
        let text = format!(
            "{} men for {} from move {}",
            rule.score,
            counted(rule.moves, "move"),
            rule.from
        );
        list.push(("Drawn at", text));
    }
    if !config.egdb.is_empty() {
        let folders: Vec<_> = config.egdb.iter().map(|f| f.display().to_string()).collect();
        list.push(("Endgame databases", folders.join(", ")));
    }
    list.push(("Machine", machine()));
    list.push(("Runner", concat!("Meerslag ", env!("CARGO_PKG_VERSION")).to_owned()));
    let commands = earlier.iter().map(|part| part.command.as_str()).chain([command]);
    for (place, command) in commands.enumerate().filter(|(_, command)| !command.is_empty()) {
        list.push((if place == 0 { "Command" } else { "Continued by" }, command.to_owned()));
    }
    list
}

/// The time in which the match was played, without the time between its parts.
fn duration(earlier: &[MatchPart], elapsed: Duration) -> String {
    let (mut time, mut unknown) = (elapsed, 0);
    for part in earlier {
        match part.played {
            Some(played) => time = time.saturating_add(played),
            None => unknown += part.games,
        }
    }
    let mut text = hours_minutes_seconds(time);
    if !earlier.is_empty() {
        text += &format!(" in {} parts", earlier.len() + 1);
    }
    if unknown > 0 {
        text += &format!(", without the time of {}", counted(unknown, "game"));
    }
    text
}

/// The positions from which games were played, of those that were given.
fn openings(config: &MatchConfig, records: &[MatchGame]) -> String {
    let played: HashSet<String> = records.iter().map(|game| game.record.start_fen()).collect();
    match (played.len(), config.openings.len()) {
        (_, 0) => "the initial position".to_owned(),
        (played, given) if played == given => format!("{given}, each with both colours"),
        (played, given) if played > given => {
            let more = counted(played - given, "position");
            format!("{given} and {more} after them, each with both colours")
        }
        (played, given) => format!("{played} played of {given}, each with both colours"),
    }
}

/// System, kind of processor and the number of threads that it runs at once.
fn machine() -> String {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let model = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.and_then(|rest| Some(rest.split_once(':')?.1.trim().to_owned()));
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let model = model.map_or_else(String::new, |model| format!(", {model}"));
    format!("{system} {processor}{model}, {}", counted(threads, "processor"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::game::termination::Termination;
    use crate::runner::tournament::schedule::{schedule, tests::config};
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
        assert_eq!(openings(&config, &games[..3]), "2 played of 3, each with both colours");
        assert_eq!(openings(&config, &games), "3, each with both colours");
        let part = |command: &str, games, millis: Option<u64>| {
            let command = command.to_owned();
            MatchPart { command, games, played: millis.map(Duration::from_millis) }
        };
        let earlier = [part("first", 1, Some(3_600_400)), part("second", 1, None)];
        let list = conditions(&config, &games[..3], &earlier, "x", Duration::from_secs(123));
        let value = |name| list.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str());
        assert_eq!(value("Games"), Some("3 of 6"));
        assert_eq!(value("Duration"), Some("1:02:03 in 3 parts, without the time of 1 game"));
        let commands = list.iter().filter(|(name, _)| name.starts_with("Co")).cloned();
        let commands: Vec<_> = commands.map(|(name, text)| format!("{name} {text}")).collect();
        assert_eq!(commands, ["Command first", "Continued by second", "Continued by x"]);
        assert_eq!(duration(&[], Duration::from_secs(3)), "0:00:03");
        assert_eq!(value("Thinking time"), Some("0:01:02 in all games"));
        assert!(machine().contains(std::env::consts::OS));
    }
}
