//! What is shown and written while the match goes on.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use anyhow::Context;
use meerslag_engine::runner::{CsvTable, GameRecord, MatchConfig, Standings, schedule};
use movegen::notation::pdn::{WriteOptions, write_game};

use super::super::Failure;
use super::MatchArgs;
use super::page::PageFile;
use super::table::fitting;

/// Everything that is shown or written while the match goes on.
pub(super) struct Output {
    pdn: Option<BufWriter<File>>,
    csv: Option<CsvTable<File>>,
    page: Option<PageFile>,
    json: bool,
    /// Number of lines of the table on the terminal, to be overwritten; `None` without one.
    table: Option<usize>,
    total: usize,
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create(path)
        .with_context(|| format!("cannot write {}", path.display()))
        .map_err(Failure::Run)
}

impl Output {
    /// Writes the games that are there already.
    pub(super) fn new(
        args: &MatchArgs,
        config: &MatchConfig,
        old: &[GameRecord],
    ) -> Result<Output, Failure> {
        let pdn = args.pdn.as_deref().map(create).transpose()?.map(BufWriter::new);
        let csv = args.csv.as_deref().map(create).transpose()?.map(CsvTable::new).transpose()?;
        let page = args.html.as_deref().map(|path| {
            let failed = || format!("cannot write {}", path.display());
            PageFile::open(path).with_context(failed).map_err(Failure::Run)
        });
        let page = page.transpose()?;
        let is_live = !args.json && io::stdout().is_terminal();
        let total = schedule(config).len();
        let table = is_live.then_some(0);
        let mut output = Output { pdn, csv, page, json: args.json, table, total };
        for record in old {
            output.write_game(config, record)?;
        }
        if let Some(page) = &mut output.page {
            page.begin(config, old)?;
        }
        Ok(output)
    }

    /// Adds a game to the files.
    fn write_game(&mut self, config: &MatchConfig, record: &GameRecord) -> io::Result<()> {
        if let Some(pdn) = &mut self.pdn {
            write_game(pdn, &record.to_pdn(config), &WriteOptions::default())?;
            pdn.flush()?;
        }
        if let Some(csv) = &mut self.csv {
            csv.add(config, record)?;
        }
        if let Some(page) = &mut self.page {
            page.add(record);
        }
        Ok(())
    }

    pub(super) fn game(&mut self, config: &MatchConfig, records: &[GameRecord]) -> io::Result<()> {
        let Some(record) = records.last() else { return Ok(()) };
        self.write_game(config, record)?;
        if let Some(page) = &mut self.page {
            page.refresh(config, records)?;
        }
        let name = |engine: usize| config.engines[engine].name.as_str();
        let (white, black) = (name(record.pairing.white), name(record.pairing.black));
        let mut out = io::stdout().lock();
        if self.json {
            let line = serde_json::json!({
                "type": "game",
                "game": record.game + 1,
                "pair": record.pairing.pair + 1,
                "white": white,
                "black": black,
                "result": record.result().as_str(),
                "termination": record.termination.to_string(),
                "detail": record.detail,
                "tail": record.tail,
                "plies": record.plies.len(),
                "fen": record.fen,
                "overhead_us": record.overhead_us,
            });
            writeln!(out, "{line}")?;
            return out.flush();
        }
        if let Some(lines @ 1..) = self.table {
            // Back to the start of the table, and clear what is below.
            write!(out, "\x1b[{lines}A\x1b[J")?;
        }
        let (result, why) = (record.result(), record.termination);
        let moves = record.plies.len().div_ceil(2);
        let (count, total) = (records.len(), self.total);
        writeln!(out, "{count}/{total}  {white} - {black}  {result}  {why}, {moves} moves")?;
        if !record.detail.is_empty() && !record.tail.is_empty() {
            writeln!(out, "    {}", record.detail)?;
            for line in &record.tail {
                writeln!(out, "      | {line}")?;
            }
        }
        if let Some(lines) = &mut self.table {
            let text = fitting(&Standings::new(config, records).to_text(config));
            *lines = text.lines().count();
            out.write_all(text.as_bytes())?;
        }
        out.flush()
    }

    pub(super) fn finish(
        &mut self,
        config: &MatchConfig,
        records: &[GameRecord],
    ) -> io::Result<()> {
        if let Some(page) = &mut self.page {
            page.write(config, records)?;
        }
        let standings = Standings::new(config, records);
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", standings.to_json(config))?;
            return out.flush();
        }
        if let Some(lines @ 1..) = self.table {
            write!(out, "\x1b[{lines}A\x1b[J")?;
        }
        writeln!(out)?;
        out.write_all(standings.to_text(config).as_bytes())?;
        for (why, count) in &standings.terminations {
            writeln!(out, "{count} games ended by: {why}")?;
        }
        if let Some(overhead) = standings.overhead_us {
            writeln!(
                out,
                "from the arrival of a move to the next 'go': {overhead:.1} µs (median)"
            )?;
        }
        for line in &standings.lines {
            if let Some(latency) = line.latency_us {
                let name = &config.engines[line.engine].name;
                writeln!(out, "ping to {name} and back: {latency:.0} µs (median)")?;
            }
        }
        out.flush()
    }
}
