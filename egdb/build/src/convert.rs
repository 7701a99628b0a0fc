//! Rewriting a database in another format.
//!
//! Win/loss/draw databases can become each other; every type can be rewritten in its own format, or
//! as bare numbers. Positions that the target leaves out (see [`egdb::probe::exclusion`]) become
//! "don't care", so that it compresses as well as if built directly; those that only the source
//! leaves out are resolved through their successors.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use movegen::json::Record;
use movegen::{Wld, isa};
use parking_lot::Mutex;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

use crate::encode::{OutFile, Written, write_pair};
use crate::json;
use egdb::SubId;
use egdb::codec::DONT_CARE;
use egdb::codec::runs::Source;
use egdb::error::{OpenError, ProbeError, WriteError};
use egdb::format::DbType;
use egdb::format::excluded::excludes_board;
use egdb::identify::is_single;
use egdb::manifest::{self, Manifest, side_file};
use egdb::probe::{Probe, Question};
use egdb::slice::Slice;
use egdb::value::WldValue;
use egdb::walk::Walk;
use egdb::{Database, OpenOptions, subs_in};

use crate::single::join;

/// What to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Files of this type.
    Database(DbType),
    /// A file of bare numbers for each slice and side to move, `db4-3010-b.raw`: in index order one
    /// byte for each position (win/loss/draw, 255 where the format has no value) or two, the lower
    /// one first (distances, 65535 where there is no value).
    Raw,
}

/// A conversion. These are also options of a command line.
#[derive(Clone, Debug, clap::Args)]
pub struct ConvertOptions {
    /// The format to write
    #[arg(long = "to", value_parser = Target::parser())]
    pub target: Target,
    /// Only these slices, separated by commas, such as 2110,1111
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub slices: Vec<Slice>,
    /// Replace files that exist
    #[arg(long = "force")]
    pub overwrite: bool,
    /// Continue with a conversion that was interrupted: files that it has finished stay
    #[arg(long)]
    pub resume: bool,
    /// In a single file, keep only one side to move of slices with this many pieces or more
    #[arg(long, value_name = "PIECES", default_value_t = ConvertOptions::ONE_SIDE_FROM,
          value_parser = clap::value_parser!(u8).range(2..=8))]
    pub one_side_from: u8,
    /// Write no side files with checksums
    #[arg(long = "no-checksums", action = clap::ArgAction::SetFalse)]
    pub checksums: bool,
}

impl Target {
    /// Reads the name of a type, or `raw`.
    fn parser() -> impl clap::builder::TypedValueParser<Value = Target> {
        use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
        let types = DbType::ALL.map(|it| PossibleValue::new(it.name()).help(it.to_string()));
        let raw = PossibleValue::new("raw").help("Bare numbers");
        PossibleValuesParser::new(types.into_iter().chain([raw]))
            .map(|name| name.parse().map_or(Target::Raw, Target::Database))
    }
}

impl ConvertOptions {
    /// Smaller sets with both sides to move are small, and quicker to ask.
    pub const ONE_SIDE_FROM: u8 = 6;

    /// All slices, no file replaced, with checksums.
    #[must_use]
    pub fn new(target: Target) -> ConvertOptions {
        let (overwrite, resume, checksums) = (false, false, true);
        let one_side_from = ConvertOptions::ONE_SIDE_FROM;
        ConvertOptions { target, slices: Vec::new(), overwrite, resume, one_side_from, checksums }
    }
}

/// How far a conversion has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConvertProgress {
    /// The sub-database in work.
    pub sub: SubId,
    /// Positions done.
    pub positions: u64,
    /// Positions in all.
    pub all_positions: u64,
}

/// The result of a conversion.
#[derive(Clone, PartialEq, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "ConvertedDatabase")]
pub struct Converted {
    /// All new files, without side files.
    #[serde(serialize_with = "json::file_names")]
    #[schemars(with = "Vec<String>")]
    pub files: Vec<PathBuf>,
    /// Files that were finished before.
    #[serde(skip)]
    pub kept: usize,
    /// Positions in the new files.
    pub positions: u64,
    /// Their lengths together.
    pub bytes: u64,
    /// The two divided.
    pub bits_per_position: f64,
    /// Positions that need a value in the target but have none in the source.
    pub unknown: u64,
    /// The time it took.
    pub seconds: f64,
}

impl Record for Converted {
    const TYPE: &'static str = "conversion";
}

impl Converted {
    fn add(&mut self, other: Converted) {
        self.files.extend(other.files);
        self.kept += other.kept;
        self.bytes += other.bytes;
        self.positions += other.positions;
        self.unknown += other.unknown;
    }
}

/// A conversion failed. The unfinished file is removed; finished ones stay.
#[derive(Debug, Error)]
pub enum ConvertError {
    /// The target cannot hold such values.
    #[error("a {from} database cannot become a {to} one")]
    Kind {
        /// The source's type.
        from: DbType,
        /// The type asked for.
        to: DbType,
    },
    /// A file exists already.
    #[error("{} exists", file.display())]
    Exists {
        /// The file.
        file: PathBuf,
    },
    /// A single file is only there for the compact type.
    #[error("a single file (.mds) can only be of the compact type")]
    Single,
    /// None of the slices is in the source.
    #[error("the database has none of these slices")]
    NoSlice,
    /// Source and target are the same directory.
    #[error("the new files cannot be in the directory of the old ones")]
    SameDirectory,
    /// The source cannot be read.
    #[error(transparent)]
    Read(#[from] ProbeError),
    /// The compact files of which a single one was to be made cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The target cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The caller asked to stop.
    #[error("conversion aborted")]
    Aborted,
}

/// Rewrites a database into `dir`, which must exist, on all threads of the pool that it runs in; or
/// into a single file of the compact type ([`is_single`]), by way of a folder beside it, `NAME.parts`,
/// if the source is of another type. `progress` stops the work by returning false.
///
/// # Errors
/// See [`ConvertError`].
pub fn convert(
    source: &Arc<Database>,
    dir: &Path,
    options: &ConvertOptions,
    progress: &mut (dyn FnMut(ConvertProgress) -> bool + Send),
) -> Result<Converted, ConvertError> {
    let start = Instant::now();
    let from = source.db_type();
    let to = match options.target {
        Target::Raw => from,
        Target::Database(to) => to,
    };
    if from != to && !(from.is_wld() && to.is_wld()) {
        return Err(ConvertError::Kind { from, to });
    }
    if let (Ok(a), Ok(b)) = (fs::canonicalize(source.dir()), fs::canonicalize(dir))
        && a == b
    {
        return Err(ConvertError::SameDirectory);
    }
    let is_wanted = |id: &SubId| options.slices.is_empty() || options.slices.contains(&id.slice);
    let subs: Vec<SubId> = source.contents().into_iter().filter(is_wanted).collect();
    if subs.is_empty() {
        return Err(ConvertError::NoSlice);
    }
    if is_single(dir) {
        return single_file(source, &subs, dir, options, progress);
    }
    let mut probe = Probe::new();
    probe.add(Arc::clone(source));
    let mut files = plan(&subs, options.target);
    let mut kept = Vec::new();
    if options.resume {
        files.retain(|(names, members)| {
            let paths: Vec<PathBuf> = names.iter().map(|name| dir.join(name)).collect();
            let is_finished = is_finished(source, options.target, &paths, members);
            kept.extend(paths.into_iter().filter(|_| is_finished));
            !is_finished
        });
    } else if !options.overwrite {
        let names = files.iter().flat_map(|(names, _)| names).map(|name| dir.join(name));
        if let Some(file) = names.into_iter().find(|file| file.exists()) {
            return Err(ConvertError::Exists { file });
        }
    }
    let work = Converter {
        source,
        probe,
        to,
        all_positions: files.iter().flat_map(|it| &it.1).map(|&id| source.sub_size(id)).sum(),
        state: Mutex::new(ConvertState { positions: 0, is_stopped: false, progress }),
    };
    let write = |(names, members): (Vec<String>, Vec<SubId>)| {
        let written = match options.target {
            Target::Raw => work.raw_file(&dir.join(&names[0]), &members),
            Target::Database(_) => work.pair(dir, &names[0], &members),
        }?;
        if options.checksums {
            for file in &written.files {
                manifest::write_side_file(file)?;
            }
        }
        Ok(written)
    };
    // The interruption may have come between a file and its side file.
    for file in kept.iter().filter(|file| options.checksums && !side_file(file).exists()) {
        manifest::write_side_file(file)?;
    }
    let written: Result<Vec<Converted>, ConvertError> =
        files.into_par_iter().with_max_len(1).map(write).collect();
    let mut result = Converted { kept: kept.len(), ..Converted::default() };
    written?.into_iter().for_each(|written| result.add(written));
    result.bits_per_position = json::bits(result.bytes, result.positions);
    result.seconds = json::seconds_since(start);
    Ok(result)
}

fn single_file(
    source: &Arc<Database>,
    subs: &[SubId],
    file: &Path,
    options: &ConvertOptions,
    progress: &mut (dyn FnMut(ConvertProgress) -> bool + Send),
) -> Result<Converted, ConvertError> {
    if options.target != Target::Database(DbType::Compact) {
        return Err(ConvertError::Single);
    }
    if file.exists() && !options.overwrite {
        return Err(ConvertError::Exists { file: file.to_owned() });
    }
    let start = Instant::now();
    let parts = file.with_extension("mds.parts");
    let io = |source| WriteError::Io { file: parts.clone(), source };
    let is_compact = source.db_type() == DbType::Compact;
    let mut unknown = 0;
    let compact = if is_compact {
        Arc::clone(source)
    } else {
        fs::create_dir_all(&parts).map_err(io)?;
        let of_parts = ConvertOptions { checksums: false, ..options.clone() };
        unknown = convert(source, &parts, &of_parts, progress)?.unknown;
        let compact = OpenOptions { db_type: Some(DbType::Compact), ..OpenOptions::default() };
        Arc::new(Database::open(&parts, &compact)?)
    };
    let all_positions = subs.iter().map(|&id| source.sub_size(id)).sum();
    let mut step = |sub, positions| progress(ConvertProgress { sub, positions, all_positions });
    let joined = join(&compact, subs, (file, &parts), options.one_side_from, &mut step)?;
    drop(compact);
    if parts.exists() && (is_compact || joined.is_some()) {
        fs::remove_dir_all(&parts).map_err(io)?;
    }
    let (positions, bytes) = joined.ok_or(ConvertError::Aborted)?;
    Ok(Converted {
        files: vec![file.to_owned()],
        positions,
        bytes,
        bits_per_position: json::bits(bytes, positions),
        unknown,
        seconds: json::seconds_since(start),
        ..Converted::default()
    })
}

/// The files to write, by name, with what goes into them.
fn plan(subs: &[SubId], target: Target) -> Vec<(Vec<String>, Vec<SubId>)> {
    let mut files: Vec<(Vec<String>, Vec<SubId>)> = Vec::new();
    for &id in subs {
        let names = match target {
            Target::Raw => {
                let side = id.side.letter().to_ascii_lowercase();
                vec![format!("db{}-{}-{side}.raw", id.slice.pieces(), id.slice)]
            }
            Target::Database(to) => [to.data_extension(), to.index_extension()]
                .map(|extension| format!("{}.{extension}", to.file_stem(id.slice)))
                .into(),
        };
        match files.iter_mut().find(|(known, _)| *known == names) {
            Some((_, members)) => members.push(id),
            None => files.push((names, vec![id])),
        }
    }
    files
}

/// Whether a conversion has finished these files: they hold all their slices, and agree with their
/// checksums, if there are any.
fn is_finished(source: &Database, target: Target, paths: &[PathBuf], members: &[SubId]) -> bool {
    let is_sound = |path: &PathBuf| match Manifest::read(path) {
        Ok(Some(known)) => Manifest::of_file(path, |_| true).is_ok_and(|it| it == Some(known)),
        Ok(None) => path.is_file(),
        Err(_) => false,
    };
    paths.iter().all(is_sound)
        && match target {
            Target::Raw => {
                let width = if source.db_type().is_wld() { 1 } else { 2 };
                let size: u64 = members.iter().map(|&id| source.sub_size(id)).sum();
                paths[0].metadata().is_ok_and(|data| data.len() == size * width)
            }
            Target::Database(to) => {
                let slice = members[0].slice;
                let there = subs_in(to, slice, &paths[0], &paths[1]).unwrap_or_default();
                members.iter().all(|id| there.contains(&(id.slice, id.sub, id.side)))
            }
        }
}

struct Converter<'a> {
    source: &'a Database,
    probe: Probe,
    to: DbType,
    all_positions: u64,
    state: Mutex<ConvertState<'a>>,
}

/// The threads' shared data.
struct ConvertState<'a> {
    positions: u64,
    is_stopped: bool,
    progress: &'a mut (dyn FnMut(ConvertProgress) -> bool + Send),
}

/// Positions that are read at a time, by all threads.
const WINDOW: u64 = 1 << 20;
/// Positions that one of them reads.
const SHARE: usize = 1 << 14;
/// Positions at a time for raw files.
const CHUNK: u64 = 1 << 16;

impl Converter<'_> {
    fn pair(&self, dir: &Path, name: &str, subs: &[SubId]) -> Result<Converted, ConvertError> {
        let stem = name.split('.').next().unwrap_or_default();
        let (written, subs) = write_pair(dir, self.to, stem, subs, |writer, id| {
            let unknown = self.sub(id, |source| writer.add(id, source))?;
            Ok::<_, ConvertError>((self.source.sub_size(id), unknown))
        })?;
        let mut result = Converted::default();
        if let Some(Written { index, data, bytes }) = written {
            (result.files, result.bytes) = (vec![index, data], bytes.iter().sum());
        }
        for (positions, unknown) in subs {
            result.positions += positions;
            result.unknown += unknown;
        }
        Ok(result)
    }

    fn raw_file(&self, path: &Path, subs: &[SubId]) -> Result<Converted, ConvertError> {
        let mut file = OutFile::create(path.to_owned())?;
        let mut result = Converted::default();
        for &id in subs {
            let size = self.source.sub_size(id);
            let is_wld = self.to.is_wld();
            result.positions += size;
            result.unknown += self.sub(id, |source| {
                let mut values = vec![0; CHUNK.min(size) as usize];
                let mut bytes = Vec::new();
                let mut at = 0;
                while at < size {
                    let n = CHUNK.min(size - at) as usize;
                    source(at, &mut values[..n]);
                    bytes.clear();
                    for &value in &values[..n] {
                        let pair = value.to_le_bytes();
                        bytes.extend_from_slice(if is_wld { &pair[..1] } else { &pair });
                    }
                    file.write(&bytes)?;
                    result.bytes += bytes.len() as u64;
                    at += n as u64;
                }
                Ok(())
            })?;
        }
        result.files.push(file.finish()?);
        Ok(result)
    }

    /// Gives `write` the values of a sub-database; returns how many are unknown. Writers may ask
    /// for them more than once, and cannot be stopped within a sub-database: after a failure they
    /// get values without work.
    fn sub(
        &self,
        id: SubId,
        write: impl FnOnce(&mut Source<'_>) -> Result<(), WriteError>,
    ) -> Result<u64, ConvertError> {
        let size = self.source.sub_size(id);
        let mut window = vec![0; WINDOW.min(size) as usize];
        // The contents of the window, how far values were counted, and the unknown among them.
        let (mut held, mut seen, mut unknown) = (0..0, 0, 0);
        let mut failure = None;
        let mut source = |start: u64, out: &mut [u16]| {
            let mut done = 0;
            while done < out.len() {
                let at = start + done as u64;
                if !held.contains(&at) {
                    // Version 1 first asks for samples here and there.
                    let is_in_order = at == 0 || at == held.end;
                    let length = if is_in_order { WINDOW } else { (out.len() - done) as u64 };
                    held = at..(at + length.min(WINDOW)).min(size);
                    let here = &mut window[..(held.end - at) as usize];
                    let read = match failure {
                        None => self.read(id, at, here),
                        Some(_) => {
                            here.fill(DONT_CARE);
                            Ok(0)
                        }
                    };
                    let result = read.and_then(|unknown_here| {
                        // Values read again count once, and samples do not count.
                        let is_new = at == seen;
                        let new = if is_new { (held.end - at, unknown_here) } else { (0, 0) };
                        seen += new.0;
                        unknown += new.1;
                        self.report(id, new.0)
                    });
                    failure = failure.take().or(result.err());
                }
                let from = (at - held.start) as usize;
                let n = ((held.end - at) as usize).min(out.len() - done);
                out[done..done + n].copy_from_slice(&window[from..from + n]);
                done += n;
            }
        };
        let result = write(&mut source);
        match failure {
            Some(failure) => Err(failure),
            None => Ok(result.map(|()| unknown)?),
        }
    }

    /// Counts positions, also those of a side to move that is not kept.
    fn report(&self, id: SubId, positions: u64) -> Result<(), ConvertError> {
        let mut state = self.state.lock();
        state.positions += positions;
        let at = ConvertProgress {
            sub: id,
            positions: state.positions,
            all_positions: self.all_positions,
        };
        if state.is_stopped || !(state.progress)(at) {
            state.is_stopped = true;
            return Err(ConvertError::Aborted);
        }
        Ok(())
    }

    /// Fills `out`, with all threads; returns how many values are unknown.
    fn read(&self, id: SubId, start: u64, out: &mut [u16]) -> Result<u64, ConvertError> {
        let unknown = AtomicU64::new(0);
        out.par_chunks_mut(SHARE)
            .enumerate()
            .try_for_each(|(i, part)| {
                let found = isa::run_best(
                    #[inline(always)]
                    || self.read_part(id, start + (i * SHARE) as u64, part),
                )?;
                unknown.fetch_add(found, Ordering::Relaxed);
                Ok(())
            })
            .map_err(ConvertError::Read)?;
        Ok(unknown.into_inner())
    }

    #[inline(always)]
    fn read_part(&self, id: SubId, start: u64, out: &mut [u16]) -> Result<u64, ProbeError> {
        self.source.read_values(id, start, out)?;
        let from = self.source.db_type();
        let first = u64::from(id.sub) * from.subslice_length() + start;
        let mut unknown = 0;
        let mut question = Question::new(0);
        for (board, value) in Walk::new(id.slice, first, first + out.len() as u64).zip(out) {
            if excludes_board(self.to, &board, id.side).is_some() {
                *value = DONT_CARE;
                continue;
            }
            if !from.is_wld() {
                continue;
            }
            if from != self.to
                && excludes_board(from, &board, id.side).is_some()
                && let Ok(position) = board.position(id.side)
            {
                question.tidy();
                *value = match self.probe.wld_with(&position, &mut question)? {
                    Some(Wld::Win) => 1,
                    Some(Wld::Loss) => 2,
                    Some(Wld::Draw) => 3,
                    None => 0,
                };
            }
            // Version 2 has no values for partial knowledge.
            if self.to == DbType::Wld2 && *value > 3 {
                *value = 0;
            }
            unknown += u64::from(WldValue::from_stored(*value as u8).exact().is_none());
        }
        Ok(unknown)
    }
}
