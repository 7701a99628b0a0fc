//! The display and the files during a match.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::slice;
use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use meerslag_files::Existing;
use meerslag_harness::runner::{
    Act, Contest, MatchEvent, MatchGame, MatchPage, MatchResults, MatchRun, Pairing, Round,
    TournamentRecord, WorkerReport, csv_lines, game_count, places_text, tail_text,
};
use movegen::notation::pdn::{WriteOptions, write_game};
use movegen::words::counted;

use schemars::JsonSchema;
use serde::Serialize;

use super::super::Failure;
use super::super::files::{self, GrowingFile, place};
use super::super::json::{self, Record};
use super::super::streams::{note, plain, stdout};
use super::super::terminal::fitting;
use super::MatchCommand;
use super::page::PageFile;

/// A finished game.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MatchGame")]
pub(in crate::cli) struct MatchGameRecord<'a> {
    /// Its number in the schedule, from 1.
    game: usize,
    /// The pair that it belongs to, from 1.
    pair: usize,
    white: &'a str,
    black: &'a str,
    /// `2-0`, `1-1`, `0-2` or `*`.
    result: &'static str,
    /// Why it ended.
    termination: String,
    /// More about the end.
    detail: &'a str,
    /// The last lines of an engine that failed.
    tail: &'a [String],
    /// Errors that the engines reported, with the side.
    complaints: &'a [String],
    plies: usize,
    /// Where it began.
    fen: String,
    /// Median microseconds from a move's arrival to the next `go`.
    overhead_us: f64,
}

impl Record for MatchGameRecord<'_> {
    const TYPE: &'static str = "game";
}

/// The pairs of a round, and the free players.
fn meetings(config: &Contest, round: &Round) -> String {
    let name = |engine: usize| config.engines[engine].name.as_str();
    let meetings = round.meetings().filter_map(<[Pairing]>::first);
    let meetings = meetings.map(|game| format!("{} - {}", name(game.white), name(game.black)));
    let free = round.free.iter().map(|&engine| format!("{} is free", name(engine)));
    meetings.chain(free).collect::<Vec<_>>().join(", ")
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// All that is shown or written during a match.
pub(super) struct Output {
    pdn: Option<GrowingFile>,
    csv: Option<GrowingFile>,
    page: Option<PageFile>,
    json: bool,
    /// Number of lines of the table on the terminal, to be overwritten; `None` without one.
    table: Option<usize>,
    /// Its contents.
    standings: String,
    total: usize,
    /// The games that are being played.
    running: BTreeMap<usize, Pairing>,
    /// Games that are over.
    finished: usize,
    /// The games of the PDN in its order, with the length of their text.
    written: Vec<(usize, usize)>,
    /// When this run began, and how many games were finished before.
    begun: (Instant, usize),
}

impl Output {
    /// Writes the games already played to the files of this run. `own_files` are the match's files
    /// when it was interrupted: they are rewritten.
    pub(super) fn new(
        how: &MatchCommand<'_>,
        run: &MatchRun,
        page: MatchPage,
        config: &Contest,
        old: &MatchResults,
        own_files: &[PathBuf],
    ) -> Result<Output, Failure> {
        let existing = |path: &Path| {
            let is_own = own_files.contains(&place(path));
            if is_own { Existing::Replace } else { how.force.existing() }
        };
        let growing = |path: &Path| GrowingFile::new(path, existing(path));
        if let Some(path) = &run.relay {
            files::check(path, existing(path))?;
        }
        let page = run.html.as_deref().map(|path| {
            PageFile::open(path, existing(path), page, (run.language.as_deref(), how.live))
        });
        let is_live = !how.json && stdout().is_terminal();
        let mut output = Output {
            pdn: run.pdn.as_deref().map(growing).transpose()?,
            csv: run.csv.as_deref().map(growing).transpose()?,
            page: page.transpose()?,
            json: how.json,
            table: is_live.then_some(0),
            standings: String::new(),
            total: game_count(config, old),
            running: BTreeMap::new(),
            finished: old.games().len(),
            written: Vec::new(),
            begun: (Instant::now(), old.games().len()),
        };
        output.write_games(config, old.games())?;
        if let Some(page) = output.page.as_mut().filter(|_| !old.games().is_empty()) {
            page.refresh(config, old)?;
        }
        Ok(output)
    }

    /// Adds games to the files.
    fn write_games(&mut self, config: &Contest, records: &[MatchGame]) -> io::Result<()> {
        if let Some(file) = &mut self.pdn {
            let mut text = Vec::new();
            let options = WriteOptions::default();
            for record in records {
                let before = text.len();
                write_game(&mut text, &record.to_pdn(config), &options)?;
                self.written.push((record.game, text.len() - before));
            }
            file.add(&text)?;
        }
        if let Some(file) = &mut self.csv {
            file.add(&csv_lines(config, records, file.is_new())?)?;
        }
        if let Some(page) = &mut self.page {
            records.iter().for_each(|record| page.add(config, record));
        }
        Ok(())
    }

    /// Shows what happens.
    pub(super) fn notice(&mut self, config: &Contest, event: &MatchEvent<'_>) -> io::Result<()> {
        match *event {
            MatchEvent::Round(results) => self.round(config, results),
            MatchEvent::Break(next, pause) => self.pause(config, next, pause),
            MatchEvent::Decided { act, results, games } => {
                self.decided(config, act, results, games)
            }
            MatchEvent::Game(results) => self.game(config, results),
            MatchEvent::Report(report) => self.report(config, report),
        }
    }

    /// Shows what happens to games in play.
    fn report(&mut self, config: &Contest, report: &WorkerReport) -> io::Result<()> {
        let name = |engine: usize| config.engines[engine].name.as_str();
        match report {
            &WorkerReport::Begin { game, pairing } => return self.begin(config, game, pairing),
            WorkerReport::Ready { engine, identity } => {
                self.page.iter_mut().for_each(|page| page.ready(*engine, identity));
            }
            WorkerReport::Void { game, standstill } => {
                let (game, seconds) = (game + 1, standstill.as_secs_f64());
                let why = format!("the machine stood still for {seconds:.1} s");
                return self.say(config, &format!("game {game} is void and played again: {why}"));
            }
            WorkerReport::Again { game } => {
                let text = format!("game {} begins again by decision of the director", game + 1);
                return self.say(config, &text);
            }
            WorkerReport::Complaint { engine, text } => {
                note(format_args!("engine '{}' reports an error: {text}", name(*engine)));
            }
            WorkerReport::SlowStart { engine, missing, tail } => {
                let (name, tail) = (name(*engine), tail_text(tail));
                note(format_args!("engine '{name}' is slow to start: {missing}{tail}"));
            }
        }
        Ok(())
    }

    /// A line above the table; with JSON it is a note.
    fn say(&mut self, config: &Contest, text: &str) -> io::Result<()> {
        if self.json {
            note(text);
            return Ok(());
        }
        let mut out = stdout();
        self.erase(&mut out)?;
        writeln!(out, "{}", plain(text))?;
        self.draw(config, &mut out)?;
        out.flush()
    }

    /// A round of a tournament has been paired.
    fn round(&mut self, config: &Contest, results: &MatchResults) -> io::Result<()> {
        let Some(round) = results.rounds().last() else { return Ok(()) };
        self.total = game_count(config, results);
        self.say(config, &format!("round {}: {}", round.round, meetings(config, round)))
    }

    /// A break before the next round.
    fn pause(&mut self, config: &Contest, next: &Round, pause: Duration) -> io::Result<()> {
        let (seconds, meetings) = (pause.as_secs_f64().ceil(), meetings(config, next));
        self.say(config, &format!("break of {seconds} s before round {}: {meetings}", next.round))
    }

    /// The director has decided something; `games` are all finished games, if it was about one of them.
    fn decided(
        &mut self,
        config: &Contest,
        act: Act,
        results: &MatchResults,
        games: &[MatchGame],
    ) -> io::Result<()> {
        (self.finished, self.total) = (results.games().len(), game_count(config, results));
        if act.game().is_some() {
            let restarted = |file: Option<&mut GrowingFile>| file.is_none_or(GrowingFile::restart);
            // Output through a pipe cannot be taken back.
            if restarted(self.pdn.as_mut()) & restarted(self.csv.as_mut()) {
                self.written.clear();
                self.page.iter_mut().for_each(PageFile::restart);
                self.write_games(config, games)?;
            }
            if let Some(page) = &mut self.page {
                page.refresh(config, results)?;
            }
        }
        self.standings = results.standings().to_text(config);
        self.say(config, &act.to_text(config))
    }

    /// A game begins.
    fn begin(&mut self, config: &Contest, number: usize, pairing: Pairing) -> io::Result<()> {
        self.running.insert(number, pairing);
        let mut out = stdout();
        self.erase(&mut out)?;
        self.draw(config, &mut out)?;
        out.flush()
    }

    /// Goes back to the start of the table, and clears what is below.
    fn erase(&self, out: &mut impl Write) -> io::Result<()> {
        match self.table {
            Some(lines @ 1..) => write!(out, "\x1b[{lines}A\x1b[J"),
            _ => Ok(()),
        }
    }

    /// Shows the table, and the progress if somebody watches.
    fn draw(&mut self, config: &Contest, out: &mut impl Write) -> io::Result<()> {
        if self.table.is_some() {
            let text = fitting(&format!("{}{}", self.standings, self.now(config)));
            self.table = Some(text.lines().count());
            out.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    /// The running games, and the time left if all games are played.
    fn now(&self, config: &Contest) -> String {
        let name = |engine: usize| config.engines[engine].name.as_str();
        let games = self.running.iter().map(|(number, pairing)| {
            format!("{} ({} - {})", number + 1, name(pairing.white), name(pairing.black))
        });
        let games: Vec<String> = games.collect();
        let (since, before) = self.begun;
        let seconds = since.elapsed().as_secs_f64() / self.finished.saturating_sub(before) as f64;
        let left = seconds * self.total.saturating_sub(self.finished) as f64;
        let mut parts = Vec::new();
        if !games.is_empty() {
            parts.push(format!("playing {}", games.join(", ")));
        }
        if left.is_finite() && left > 0.0 {
            let left = HumanDuration(Duration::from_secs(left as u64));
            parts.push(format!("at most {left} left"));
        }
        parts.join("; ")
    }

    fn game(&mut self, config: &Contest, results: &MatchResults) -> io::Result<()> {
        let Some(record) = results.games().last() else { return Ok(()) };
        self.running.remove(&record.game);
        self.finished = results.games().len();
        self.write_games(config, slice::from_ref(record))?;
        if let Some(page) = &mut self.page {
            page.refresh(config, results)?;
        }
        let name = |engine: usize| config.engines[engine].name.as_str();
        let (white, black) = (name(record.pairing.white), name(record.pairing.black));
        let mut out = stdout();
        if self.json {
            let line = MatchGameRecord {
                game: record.game + 1,
                pair: record.pairing.pair + 1,
                white,
                black,
                result: record.result().as_str(),
                termination: record.termination.to_string(),
                detail: &record.detail,
                tail: &record.tail,
                complaints: &record.complaints,
                plies: record.record.plies.len(),
                fen: record.record.start_fen(),
                overhead_us: json::rounded(micros(record.overhead), 1),
            };
            json::write(&mut out, &line)?;
            return out.flush();
        }
        self.erase(&mut out)?;
        let (result, why) = (record.result(), record.termination);
        let moves = counted(record.record.plies.len().div_ceil(2), "move");
        let (count, total) = (self.finished, self.total);
        writeln!(out, "{count}/{total}  {white} - {black}  {result}  {why}, {moves}")?;
        if !record.detail.is_empty() && !record.tail.is_empty() {
            writeln!(out, "    {}", plain(&record.detail))?;
            for line in &record.tail {
                writeln!(out, "      | {}", plain(line))?;
            }
        }
        for text in &record.complaints {
            writeln!(out, "    error reported by {}", plain(text))?;
        }
        if self.table.is_some() {
            self.standings = results.standings().to_text(config);
        }
        self.draw(config, &mut out)?;
        out.flush()
    }

    /// Shows the table, also if the page cannot be written.
    pub(super) fn finish(&mut self, config: &Contest, results: &MatchResults) -> io::Result<()> {
        if let Some(file) = self.pdn.as_mut().filter(|_| !self.written.is_sorted()) {
            file.sort(&mut self.written)?;
        }
        let page = self.page.as_mut().filter(|_| !results.games().is_empty());
        let written = page.map_or(Ok(()), |page| page.write(config, results));
        self.show_table(config, results)?;
        if config.tournament().is_some() && !self.json {
            let mut out = stdout();
            write!(out, "\n{}", plain(&places_text(config, results)))?;
            out.flush()?;
        }
        written
    }

    fn show_table(&self, config: &Contest, results: &MatchResults) -> io::Result<()> {
        let standings = results.standings();
        let mut out = stdout();
        if self.json {
            json::write(&mut out, &standings.to_record(config))?;
            if config.tournament().is_some() {
                json::write(&mut out, &TournamentRecord::new(config, results))?;
            }
            return out.flush();
        }
        self.erase(&mut out)?;
        // An engine that does not start leaves nothing to show.
        if results.games().is_empty() {
            return out.flush();
        }
        writeln!(out)?;
        out.write_all(standings.to_text(config).as_bytes())?;
        writeln!(out, "opening books: {}", config.books())?;
        for (why, count) in standings.terminations() {
            writeln!(out, "{} ended by: {why}", counted(*count, "game"))?;
        }
        if let Some(overhead) = standings.overhead() {
            writeln!(
                out,
                "from the arrival of a move to the next 'go': {:.1} µs (median)",
                micros(overhead)
            )?;
        }
        for line in standings.lines() {
            if let Some(latency) = line.latency() {
                let name = &config.engines[line.engine].name;
                writeln!(out, "ping to {name} and back: {:.0} µs (median)", micros(latency))?;
            }
        }
        out.flush()
    }
}
