//! The lines that engines found for a position, out of the logs of a match.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use meerslag_search::Info;
use movegen::Position;

use crate::protocol::hub::{Line, read_info, sent_position};
use crate::runner::player::transcript::GameLogs;

/// What an engine said about a position before its move.
#[derive(Clone, PartialEq, Debug)]
pub struct LoggedLine {
    /// The file of the game.
    pub log: String,
    /// The engine.
    pub engine: String,
    /// Its last report.
    pub info: Info,
}

/// The last report of each search of a position in the logs in this folder, in the order of the games.
/// Engines that do not speak Hub report nothing.
///
/// # Errors
/// If a file cannot be read.
pub fn logged_lines(folder: &Path, at: &Position) -> io::Result<Vec<LoggedLine>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok().filter(|name| GameLogs::is_log(name)));
    }
    names.sort();
    let mut found = Vec::new();
    for log in names {
        // The engines that search the position now, each with its last report.
        let mut searching: Vec<(String, Option<Info>)> = Vec::new();
        for line in BufReader::new(File::open(folder.join(&log))?).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            let Some((who, is_sent, text)) = message(&line) else { continue };
            let Ok(Some(line)) = Line::parse(text) else { continue };
            let place = searching.iter().position(|(engine, _)| engine == who);
            match (is_sent, line.command(), place) {
                (true, "pos", _) => {
                    searching.retain(|(engine, _)| engine != who);
                    if sent_position(&line, at.variant()).is_some_and(|position| position == *at) {
                        searching.push((who.to_owned(), None));
                    }
                }
                (false, "info", Some(place)) => {
                    let info = read_info(&line, at, Duration::ZERO);
                    let info = info.filter(|info| !info.pv.is_empty());
                    let last = &mut searching[place].1;
                    *last = info.or(last.take());
                }
                (false, "done", Some(place)) => {
                    let (engine, info) = searching.swap_remove(place);
                    found.extend(info.map(|info| LoggedLine { log: log.clone(), engine, info }));
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// The engine of a line of a log, whether it was sent to it, and the text.
fn message(line: &str) -> Option<(&str, bool, &str)> {
    let (_, rest) = line.split_once(' ')?;
    [(" > ", true), (" < ", false)].into_iter().find_map(|(mark, is_sent)| {
        let (who, text) = rest.split_once(mark)?;
        (!who.contains('=')).then_some((who, is_sent, text.trim_end()))
    })
}
