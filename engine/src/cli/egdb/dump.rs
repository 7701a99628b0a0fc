//! `meerslag egdb dump`.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use ::egdb::SubId;
use ::egdb::index::unrank;
use ::egdb::value::WldValue;
use ::egdb::{Database, DatabaseOptions, Slice};
use anyhow::anyhow;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use movegen::Color;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::Failure;
use super::super::databases::OneDatabaseArgs;
use super::super::interrupt::Interrupt;
use super::super::json::{self, Record};
use super::super::streams::{note, only_print, stdout};

const EXAMPLES: &str = "\
Examples:
  meerslag egdb dump --egdb /data/egdb --slice 1101 --side white --count 20
  meerslag egdb dump --egdb /data/egdb --slice 2110 --value unknown
  meerslag egdb dump --egdb /data/mtc --slice 0301 --min 10 --json
  meerslag egdb dump --egdb /data/egdb --slice 1101 --from 5000 --all

A slice is written as four digits: black men, black kings, white men, white kings. Each line has \
the index in the slice, the position and the stored value: win, loss, draw or unknown; the \
distance to conversion; or half the plies to the end, rounded down. Positions for which the \
format has no value are left out; '--all' lists them too, with a '*' (in JSON 'excluded').";

/// List positions of a slice with their stored values
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct DumpArgs {
    /// The folder of the database. Without it one is taken that is part of the program
    #[arg(long = "egdb", value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The slice as stored, such as 2110
    #[arg(long)]
    slice: Slice,
    /// Only this side to move
    #[arg(long)]
    side: Option<Side>,
    /// First index
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    from: u64,
    /// List at most this many positions of each side to move
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Only positions of this value (win/loss/draw databases)
    #[arg(long, value_parser = wanted_value())]
    value: Option<WldValue>,
    /// Only numbers of at least this (distance databases)
    #[arg(long, value_name = "N")]
    min: Option<u16>,
    /// Only numbers of at most this (distance databases)
    #[arg(long, value_name = "N")]
    max: Option<u16>,
    /// Also positions for which the format has no value
    #[arg(long)]
    all: bool,
    /// Print JSON objects, one a line, instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: OneDatabaseArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Black,
    White,
}

/// Reads a value that files state.
fn wanted_value() -> impl TypedValueParser<Value = WldValue> {
    let values = [WldValue::Win, WldValue::Loss, WldValue::Draw, WldValue::Unknown];
    PossibleValuesParser::new(values.map(WldValue::name)).try_map(move |name| {
        values.into_iter().find(|value| value.name() == name).ok_or("no such value")
    })
}

/// A position with its stored value.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct ValueRecord<'a> {
    /// The number of the position in the slice.
    index: u64,
    fen: &'a str,
    /// For a win/loss/draw database: `win`, `loss`, `draw`, `unknown`, `draw or loss`, `win or
    /// draw`.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'static str>,
    /// For a distance database: the number as stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u16>,
    /// The format has no value for this position.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    excluded: bool,
}

impl Record for ValueRecord<'_> {
    const TYPE: &'static str = "stored";
}

pub(super) fn run(args: &DumpArgs) -> Result<(), Failure> {
    only_print();
    let database = args.database.open(args.dir.as_deref(), &DatabaseOptions::default())?;
    let is_wld = database.db_type().is_wld();
    if args.value.is_some() && !is_wld {
        return Err(Failure::Input(anyhow!(
            "--value needs a win/loss/draw database: --type wld2 where a folder has several"
        )));
    }
    if (args.min.is_some() || args.max.is_some()) && is_wld {
        return Err(Failure::Input(anyhow!(
            "--min and --max need a distance database: --type mtc or dtw where a folder has several"
        )));
    }
    let wanted = args.side.map(|side| match side {
        Side::Black => Color::Black,
        Side::White => Color::White,
    });
    let is_wanted = |id: &SubId| id.slice == args.slice && wanted.is_none_or(|s| s == id.side);
    let subs: Vec<SubId> = database.contents().into_iter().filter(is_wanted).collect();
    if subs.is_empty() {
        let twin = args.slice.reversed();
        let hint = if twin.is_stored(Color::Black) && twin != args.slice {
            format!(" (positions of it are stored turned, as slice {twin})")
        } else {
            String::new()
        };
        let side = wanted.map(|side| format!(" with {side} to move")).unwrap_or_default();
        return Err(Failure::Input(anyhow!(
            "the database has no slice {}{side}{hint}",
            args.slice
        )));
    }
    let interrupt = Interrupt::catch(|| {})?;
    let mut out = BufWriter::new(stdout());
    let mut is_empty = true;
    for side in Color::ALL {
        let mut left = args.count.unwrap_or(u64::MAX);
        for &id in subs.iter().filter(|id| id.side == side) {
            let first = u64::from(id.sub) * database.db_type().subslice_length();
            let size = database.sub_size(id);
            let mut at = args.from.saturating_sub(first);
            let mut values = vec![0; CHUNK.min(size) as usize];
            while at < size && left > 0 {
                if interrupt.is_pressed() {
                    out.flush()?;
                    return Err(Failure::interrupted("the rows so far are complete"));
                }
                let values = &mut values[..CHUNK.min(size - at) as usize];
                database.read_values(id, at, values)?;
                for (&value, index) in values.iter().zip(first + at..) {
                    if left > 0 && line(args, &database, (id, index), value, &mut out)? {
                        left -= 1;
                        is_empty = false;
                    }
                }
                at += values.len() as u64;
            }
        }
    }
    out.flush()?;
    if is_empty {
        note(format_args!("no position of slice {} passes the conditions", args.slice));
    }
    Ok(())
}

/// Values read at a time.
const CHUNK: u64 = 1 << 14;

/// Writes a line if the filters let it pass.
fn line(
    args: &DumpArgs,
    database: &Database,
    (id, index): (SubId, u64),
    value: u16,
    out: &mut impl Write,
) -> Result<bool, Failure> {
    let db_type = database.db_type();
    let wld = db_type.is_wld().then(|| WldValue::from_stored(value as u8));
    if args.value.is_some_and(|wanted| wld != Some(wanted))
        || args.min.is_some_and(|min| value < min)
        || args.max.is_some_and(|max| value > max)
    {
        return Ok(false);
    }
    let position = unrank(id.slice, index).and_then(|p| p.position(id.side).ok());
    let Some(position) = position else { return Ok(false) };
    let excluded = ::egdb::probe::exclusion(db_type, &position).is_some();
    if excluded && !args.all {
        return Ok(false);
    }
    let (fen, value_name) = (position.to_fen(), wld.map(WldValue::name));
    if args.json {
        let number = if wld.is_none() { Some(value) } else { None };
        let record = ValueRecord { index, fen: &fen, value: value_name, number, excluded };
        json::write(out, &record)?;
    } else {
        let mark = if excluded { "*" } else { "" };
        let value = value_name.map_or_else(|| value.to_string(), str::to_owned);
        writeln!(out, "{index}\t{fen}\t{value}{mark}")?;
    }
    Ok(true)
}
