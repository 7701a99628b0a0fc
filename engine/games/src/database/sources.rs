//! The inputs of an import: files, the files of folders and archives, compressed files, pipes.

use std::fmt::{self, Display, Formatter};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use movegen::json::Record;
use schemars::JsonSchema;
use serde::Serialize;
use zip::ZipArchive;

use super::file::GamesFile;
use super::reader::PdnText;
use super::schema::is_games_file;

/// Something that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "GamesProblem")]
pub struct Problem {
    /// The file; for an entry of an archive its name after the archive's.
    pub file: String,
    /// Line, from 1; 0 for the whole file.
    pub line: u64,
    /// What is wrong.
    pub reason: String,
}

impl Record for Problem {
    const TYPE: &'static str = "games_problem";
}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Problem { file, line, reason } = self;
        match line {
            0 => write!(f, "{file}: {reason}"),
            line => write!(f, "{file}, line {line}: {reason}"),
        }
    }
}

impl Problem {
    /// A whole file cannot be read.
    pub(crate) fn whole(file: impl Into<String>, error: &io::Error) -> Problem {
        Problem { file: file.into(), line: 0, reason: error.to_string() }
    }
}

type Archive = ZipArchive<BufReader<File>>;

/// The archive that was read last, so that it is not opened for each of its entries.
#[derive(Default)]
pub(crate) struct LastArchive(Mutex<Option<(PathBuf, Archive)>>);

enum Content<'t> {
    /// The file at the path, or what came through a pipe.
    File(Option<Arc<File>>),
    /// An entry of the archive.
    Entry(Option<Arc<File>>, usize),
    /// Bytes that the caller has.
    Text(&'t [u8]),
}

/// A text of games.
pub(crate) struct Source<'t> {
    pub(crate) path: PathBuf,
    /// For people.
    pub(crate) name: String,
    /// In bytes.
    pub(crate) size: u64,
    content: Content<'t>,
}

impl Source<'_> {
    pub(crate) fn of_text<'t>(name: &str, text: &'t [u8]) -> Source<'t> {
        let (path, name, size) = (name.into(), name.to_owned(), text.len() as u64);
        Source { path, name, size, content: Content::Text(text) }
    }

    /// Calls `read` with its text, unpacked.
    pub(crate) fn open<T>(
        &self,
        last: &LastArchive,
        read: impl FnOnce(&mut (dyn Read + Send)) -> io::Result<T>,
    ) -> io::Result<T> {
        match &self.content {
            Content::Text(text) => read(&mut plain(*text)?),
            Content::File(pipe) => read(&mut unpacked(open(&self.path, pipe.as_deref())?)?),
            Content::Entry(pipe, entry) => {
                let mut last = last.0.lock().unwrap_or_else(PoisonError::into_inner);
                let archive = match last.take() {
                    Some((path, archive)) if path == self.path => archive,
                    _ => archive(open(&self.path, pipe.as_deref())?)?,
                };
                let (_, archive) = last.insert((self.path.clone(), archive));
                read(&mut unpacked(archive.by_index(*entry)?)?)
            }
        }
    }
}

/// Opens a file, or what was read from a pipe under its name.
fn open(path: &Path, pipe: Option<&File>) -> io::Result<File> {
    let Some(pipe) = pipe else { return File::open(path) };
    let mut file = pipe.try_clone()?;
    file.rewind()?;
    Ok(file)
}

fn archive(file: File) -> io::Result<Archive> {
    Ok(ZipArchive::new(BufReader::new(file))?)
}

/// The first bytes of packed files, and the names of their formats.
const PACKED: [(&[u8], &str); 8] = [
    (GZIP, "packed with gzip"),
    (ZIP, "a zip archive in an archive or a pipe"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"BZh", "packed with bzip2"),
    (b"\xfd7zXZ\0", "packed with xz"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd"),
    (b"\x1f\x9d", "packed with compress"),
];
const ZIP: &[u8] = b"PK\x03\x04";
const GZIP: &[u8] = b"\x1f\x8b";
/// Where the name of the format is in a tar archive.
const TAR: std::ops::Range<usize> = 257..262;

/// The text of a file, unpacked if it was packed with gzip.
///
/// # Errors
/// If it cannot be read, or is packed in another way.
fn unpacked<'r>(input: impl Read + Send + 'r) -> io::Result<Box<dyn BufRead + Send + 'r>> {
    let mut input = BufReader::new(input);
    if input.fill_buf()?.starts_with(GZIP) {
        let text = flate2::bufread::MultiGzDecoder::new(input);
        return Ok(Box::new(plain(BufReader::new(text))?));
    }
    Ok(Box::new(plain(input)?))
}

/// The text itself.
///
/// # Errors
/// If it is packed.
fn plain<R: BufRead>(mut text: R) -> io::Result<R> {
    let head = text.fill_buf()?;
    let packed = PACKED.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, what)| *what);
    let tar = (head.get(TAR) == Some(b"ustar")).then_some("a tar archive");
    match packed.or(tar) {
        Some(what) => Err(refused(format!("{what}, which cannot be read: unpack it first"))),
        None => Ok(text),
    }
}

/// Opens a file to be read as PDN text: PDN, packed with gzip or not, a zip archive, whose texts
/// follow one another, or a file of games.
///
/// # Errors
/// If it cannot be read, or an archive not whole.
pub fn open_text(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if is_games_file(path) {
        let games = GamesFile::open(path).map_err(io::Error::other)?;
        // The mark says that it is UTF-8, whatever the encoding of other files.
        return Ok(Box::new("\u{feff}".as_bytes().chain(PdnText::new(games))));
    }
    let is_file = fs::metadata(path)?.is_file();
    if !is_file || !is_archive(&mut File::open(path)?, path)? {
        return Ok(Box::new(unpacked(File::open(path)?)?));
    }
    let (mut text, last) = (tempfile::tempfile()?, LastArchive::default());
    for source in find(&[path.to_owned()], Path::new(".")) {
        let named = |source: &Source<'_>, error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", source.name))
        };
        let source = source.map_err(|problem| match path == Path::new(&problem.file) {
            true => refused(problem.reason),
            false => refused(problem.to_string()),
        })?;
        source.open(&last, |input| io::copy(input, &mut text)).map_err(|e| named(&source, e))?;
        text.write_all(b"\n\n")?;
    }
    text.rewind()?;
    Ok(Box::new(text))
}

/// Whether a file is a zip archive, by its first bytes or its name.
fn is_archive(file: &mut File, path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    (&*file).take(ZIP.len() as u64).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(head == ZIP || has_ending(&path.to_string_lossy(), &["zip"]))
}

fn refused(text: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text.into())
}

fn has_ending(name: &str, endings: &[&str]) -> bool {
    let ending = Path::new(name).extension().unwrap_or_default();
    endings.iter().any(|e| ending.eq_ignore_ascii_case(e))
}

/// The endings of files in folders and archives that are read: texts and packed texts.
const ENDINGS: [&str; 12] =
    ["pdn", "gz", "zip", "7z", "rar", "bz2", "xz", "zst", "tar", "tgz", "tbz", "txz"];

/// The texts that paths stand for, or why there is none. `-` is standard input; what comes through
/// it and other pipes is kept in a temporary file in the folder `room`, since texts are read twice.
pub(crate) fn find(paths: &[PathBuf], room: &Path) -> Vec<Result<Source<'static>, Problem>> {
    let mut found = Vec::new();
    for path in paths {
        let before = found.len();
        collect(path, Some(room), &mut found);
        if found.len() == before {
            let error = refused("it has no PDN file");
            found.push(Err(Problem::whole(path.display().to_string(), &error)));
        }
    }
    found
}

/// Adds the texts of a path: itself, or the files of a folder and its subfolders, or of an archive.
/// A named file may be of any kind, and a pipe is read into `room`.
fn collect(path: &Path, room: Option<&Path>, found: &mut Vec<Result<Source<'static>, Problem>>) {
    if let Err(error) = try_collect(path, room, found) {
        found.push(Err(Problem::whole(path.display().to_string(), &error)));
    }
}

fn try_collect(
    path: &Path,
    room: Option<&Path>,
    found: &mut Vec<Result<Source<'static>, Problem>>,
) -> io::Result<()> {
    let name = path.display().to_string();
    let is_link = || fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink());
    let is_stdin = room.is_some() && name == "-";
    let (size, pipe) = match fs::metadata(path) {
        Ok(data) if data.is_dir() && !is_stdin => {
            // A link could lead to a parent folder.
            if room.is_none() && is_link() {
                return Ok(());
            }
            let mut entries = Vec::new();
            for entry in fs::read_dir(path)? {
                match entry {
                    Ok(entry) => entries.push(entry.path()),
                    Err(error) => found.push(Err(Problem::whole(&name, &error))),
                }
            }
            entries.sort();
            for entry in entries {
                let is_folder = fs::symlink_metadata(&entry).is_ok_and(|data| data.is_dir());
                if is_folder || has_ending(&entry.to_string_lossy(), &ENDINGS) {
                    collect(&entry, None, found);
                }
            }
            return Ok(());
        }
        Ok(data) if data.is_file() && !is_stdin => (data.len(), None),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !is_stdin => {
            return Err(if is_link() { refused("a link to a missing file") } else { error });
        }
        Err(error) if !is_stdin => return Err(error),
        data => {
            let Some(room) = room else { return Ok(()) };
            if !is_stdin && !data.is_ok_and(|data| is_pipe(&data)) {
                return Err(refused("not a regular file"));
            }
            let mut pipe = tempfile::tempfile_in(room)?;
            let size = match is_stdin {
                true => io::copy(&mut io::stdin().lock(), &mut pipe)?,
                false => io::copy(&mut File::open(path)?, &mut pipe)?,
            };
            (size, Some(Arc::new(pipe)))
        }
    };
    if pipe.is_none() && is_games_file(path) {
        return Err(refused("a file of games: 'games merge' adds its games"));
    }
    let mut file = open(path, pipe.as_deref())?;
    if !is_archive(&mut file, path)? {
        let content = Content::File(pipe);
        found.push(Ok(Source { path: path.to_owned(), name, size, content }));
        return Ok(());
    }
    let mut archive = archive(file)?;
    for entry in 0..archive.len() {
        let inner = match archive.by_index_raw(entry) {
            Ok(inner) => inner,
            Err(error) => {
                let name = format!("{name}, entry {}", entry + 1);
                found.push(Err(Problem::whole(name, &error.into())));
                continue;
            }
        };
        let inside = inner.name();
        if inner.is_file() && (has_ending(inside, &ENDINGS) || has_ending(inside, &["txt"])) {
            let name = format!("{name}/{inside}");
            let content = Content::Entry(pipe.clone(), entry);
            found.push(Ok(Source { path: path.to_owned(), name, size: inner.size(), content }));
        }
    }
    Ok(())
}

/// Whether something can be read only once.
#[cfg(unix)]
fn is_pipe(data: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    data.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &fs::Metadata) -> bool {
    false
}
