//! `meerslag egdb probe`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
#[cfg(feature = "builder")]
use std::sync::OnceLock;

use ::egdb::error::ProbeError;
use ::egdb::{Answer, DatabaseOptions, Probe, Slice};
use anyhow::{Context, anyhow};
use clap::Args;
#[cfg(feature = "builder")]
use egdb_build::endings::EndingTables;
use meerslag_study::records::{AnswerRecord, value_name};
use movegen::notation::moves::format_move;
use movegen::words::counted;
use movegen::{Fen, Game, Position, Variant};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::databases::CachedDatabaseArgs;
use super::super::json::{self, Record};
use super::super::report;
use super::super::source::VariantArgs;
use super::super::streams::{only_print, plain, stdout};
use super::super::{Failure, source};

const EXAMPLES: &str = "\
Examples:
  meerslag egdb probe \"W:WK11:BK2,K6\"
  meerslag egdb probe --egdb /data/egdb \"W:WK30,49:BK2,K6,17\"
  meerslag egdb probe --egdb /data/wld --egdb /data/mtc --egdb /data/dtw \"B:WK35:BK1,K7,K18\"
  meerslag egdb probe --egdb /data/egdb positions.txt --json
  meerslag egdb probe --variant frisian \"W:W28,K46:BK43\"

With '--json' every line of a file gives one object, in order:
  {\"fen\":..., \"value\":\"win|loss|draw|unknown\", \"dtw\":..., \"mtc\":..., \"moves\":[{\"move\":...}, ...]}
or, for a line that is not a legal position, {\"fen\":..., \"error\":...}.";

/// Look up positions: value, distances, all moves
///
/// Every legal position within the databases' piece counts (four without '--egdb') has a value,
/// captures included. Values and distances are for the side to move; those of a move count from
/// before it. dtw: plies to the end of the game (0: no legal move). mtc: distance to conversion
/// (capture or man move), where the position after a conversion counts 1 if its side to move wins
/// and 2 if it loses. In another game of the board without '--egdb' endings of up to three pieces are
/// solved first, in Frisian with the rules that count moves. Moves are in Hub notation (32-28, 28x19x23), best first.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ProbeArgs {
    /// A position (draughts FEN or 51-character Hub string), or a file with one a line; '-' reads
    /// standard input
    #[arg(value_name = "FEN|FILE")]
    input: String,
    /// Print JSON objects, one a line, instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    variant: VariantArgs,
    #[command(flatten)]
    databases: CachedDatabaseArgs,
}

impl ProbeArgs {
    fn open(&self) -> Result<Probe, Failure> {
        let variant = self.variant.variant;
        Ok(DatabaseOptions { variant, ..self.databases.options() }.open()?)
    }
}

/// A position that cannot be looked up.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct ErrorRecord<'a> {
    fen: &'a str,
    error: String,
}

impl Record for ErrorRecord<'_> {
    const TYPE: &'static str = "error";
}

pub(super) fn run(args: &ProbeArgs) -> Result<(), Failure> {
    only_print();
    let input = args.input.as_str();
    let mut out = io::BufWriter::new(stdout());
    if !source::is_file(input) {
        let game = source::start_in(Some(input), args.variant.variant)?;
        let probe = args.open()?;
        let answer = answer(&probe, game.position())?;
        show(&mut out, args.json, &probe, (input, &game), &answer)?;
        return Ok(out.flush()?);
    }
    let lines: Box<dyn BufRead> = if input == "-" {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let file = File::open(input).with_context(|| format!("cannot open {input}"));
        Box::new(BufReader::new(file.map_err(Failure::Input)?))
    };
    stream(args.json, &args.open()?, (input, lines), &mut out)
}

/// What the databases say; in another game without '--egdb' small endings are solved.
fn answer(probe: &Probe, position: &Position) -> Result<Answer, ProbeError> {
    #[cfg(feature = "builder")]
    if probe.databases().is_empty() && !probe.variant().is_international() {
        static SOLVED: OnceLock<EndingTables> = OnceLock::new();
        let solve = || EndingTables::solve(probe.variant(), EndingTables::MAX_PIECES, true, drop);
        if let Some(answer) = SOLVED.get_or_init(solve).answer(position) {
            return Ok(answer);
        }
    }
    probe.answer(position)
}

/// Answers line by line. A damaged file affects only the answers that need it.
fn stream(
    json: bool,
    probe: &Probe,
    (name, mut input): (&str, impl BufRead),
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut line = Vec::new();
    let mut failures = 0u64;
    let mut number = 0u64;
    while next_line(&mut input, &mut line)? {
        number += 1;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        let read = read(text, probe.variant());
        if let Ok((_, fen)) = &read {
            source::warn_of_fen(&format!("{name}, line {number}: "), &fen.warnings);
        }
        match read {
            Err(error) => show_error(out, json, text, format!("{error:#}"))?,
            Ok((game, _)) => match answer(probe, game.position()) {
                Ok(answer) => show(out, json, probe, (text, &game), &answer)?,
                Err(error) => {
                    failures += 1;
                    let error: anyhow::Error = ProbeError::into(error);
                    show_error(out, json, text, format!("{error:#}"))?;
                }
            },
        }
        out.flush()?;
    }
    if failures > 0 {
        return Err(Failure::Run(anyhow!("{} failed", counted(failures, "lookup"))));
    }
    Ok(())
}

/// Bytes of a line that are kept; a position takes a few hundred at most.
const MAX_LINE: usize = 4096;

/// Reads a line without its end; false at the end of the input. Long lines are cut.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = input.by_ref().take(MAX_LINE as u64).read_until(b'\n', line)?;
    if line.pop_if(|last| *last == b'\n').is_none() && read == MAX_LINE {
        input.skip_until(b'\n')?;
    }
    Ok(read > 0)
}

fn read(text: &str, variant: Variant) -> Result<(Game, Fen), anyhow::Error> {
    let fen: Fen = text.parse()?;
    Ok((fen.game_in(variant)?, fen))
}

fn show_error(out: &mut impl Write, json: bool, fen: &str, error: String) -> Result<(), Failure> {
    if json {
        json::write(out, &ErrorRecord { fen, error })?;
    } else {
        writeln!(out, "{}", plain(&format!("error: {error}: {fen}")))?;
    }
    Ok(())
}

/// Why the databases do not know a position, with advice.
pub(in crate::cli) fn beyond(position: &Position, probe: &Probe) -> String {
    let (count, most) = (position.piece_count(), probe.max_pieces());
    if probe.databases().is_empty() {
        return "No databases are in use: see --egdb and --egdb-pieces.".to_owned();
    }
    if most == 0 {
        return "The databases in use have distances only, not who wins; --egdb DIR adds others."
            .to_owned();
    }
    if count > u32::from(most) {
        return format!(
            "The position has {count} pieces, the databases in use up to {most}; --egdb DIR adds \
             others."
        );
    }
    let has = |slice: Slice| {
        let mut databases = probe.databases().iter().filter(|database| database.db_type().is_wld());
        databases.any(|database| database.has_slice(slice.stored_twin()))
    };
    if Slice::of(position.board()).is_some_and(has) {
        return "Its value is that of positions that its moves lead to, and the databases in use \
                do not have them all."
            .to_owned();
    }
    if Slice::stored(count as u8).any(has) {
        return format!(
            "The databases in use have positions of {count} pieces, but not of this material."
        );
    }
    format!("The databases in use have no positions of {count} pieces; --egdb DIR adds others.")
}

fn show(
    out: &mut impl Write,
    json: bool,
    probe: &Probe,
    (fen, game): (&str, &Game),
    answer: &Answer,
) -> Result<(), Failure> {
    let position = game.position();
    if json {
        let record = AnswerRecord::new(fen, game, probe, answer)?;
        return Ok(json::write(out, &record)?);
    }
    write!(out, "{}", report::board(position))?;
    writeln!(out, "{} to move   {}\n", position.side_to_move(), report::fen(position))?;
    let distances = [("dtw", answer.dtw), ("mtc", answer.mtc)];
    let distances: String =
        distances.iter().filter_map(|(n, d)| d.map(|d| format!("   {n} {d}"))).collect();
    writeln!(out, "{}{distances}", value_name(answer.wld))?;
    if answer.wld.is_none() {
        writeln!(out, "{}", beyond(position, probe))?;
    }
    if answer.moves.is_empty() {
        writeln!(out, "no legal move")?;
        return Ok(());
    }
    writeln!(out, "\nmove          value      dtw   mtc")?;
    let number = |n: Option<u32>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
    for m in &answer.moves {
        let mv = format_move(position, m.mv);
        let (dtw, mtc) = (number(m.dtw), number(m.mtc));
        writeln!(out, "{mv:<12}  {:<7}  {dtw:>5} {mtc:>5}", value_name(m.wld))?;
    }
    writeln!(out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_explained() {
        use std::sync::Arc;

        use ::egdb::{Database, DbType};

        let position = |fen: &str| Position::from_fen(fen).unwrap();
        let one = |db_type| {
            let mut probe = Probe::new();
            probe.add(Arc::new(Database::embedded(db_type).unwrap()));
            probe
        };
        let none = DatabaseOptions::none().open().unwrap();
        let (wld, dtw) = (one(DbType::Compact), one(DbType::Dtw));
        for (fen, probe, part) in [
            ("W:WK1:BK50", &none, "No databases are in use"),
            ("W:WK1:BK50", &dtw, "distances only"),
            ("W:WK1,K2,K3:BK50,K49", &wld, "has 5 pieces, the databases in use up to 4"),
        ] {
            let text = beyond(&position(fen), probe);
            assert!(text.contains(part), "{fen}: {text}");
        }
    }

    #[test]
    fn lines_of_any_length() {
        let long = vec![b'x'; 3 * MAX_LINE];
        let input = [b"a\r\n\n".as_slice(), &long, b"\nlast"].concat();
        let mut input = BufReader::with_capacity(7, &input[..]);
        let mut line = Vec::new();
        let mut lines = Vec::new();
        while next_line(&mut input, &mut line).unwrap() {
            lines.push(line.clone());
        }
        assert_eq!(lines, [b"a\r".to_vec(), vec![], long[..MAX_LINE].to_vec(), b"last".to_vec()]);
    }
}
