//! The board as a site without a server: the same page, with the engine as WebAssembly beside it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use meerslag_files::{Existing, write_file};
use thiserror::Error;

use meerslag_web::{ASSETS, Asset};

/// The name of the engine in the site, and of the file from which it comes.
pub const WASM: &str = "meerslag.wasm";
/// With what every WebAssembly module begins: the magic number and version 1.
const MAGIC: &[u8] = b"\0asm\x01\0\0\0";
/// What the page says of its engine, and what the site's page says.
const SERVER: &str = "<meta name=\"engine\" content=\"server\">";
const LOCAL: &str = "<meta name=\"engine\" content=\"local\">";

/// Why there is no site.
#[derive(Debug, Error)]
pub enum ExportError {
    /// A file of the site or the engine.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: io::Error,
    },
    /// The engine is something else.
    #[error("{}: no WebAssembly module", .0.display())]
    NoModule(PathBuf),
    /// The folder has files already.
    #[error("{}: the folder is not empty", .0.display())]
    NotEmpty(PathBuf),
}

/// Writes the site into a folder, which is made if it is missing, and returns its size in bytes.
/// The engine is read from `wasm`. Files that are there are replaced only with
/// [`Existing::Replace`]; files of other names stay.
///
/// # Errors
/// If the engine cannot be read or is none, the folder is not empty, or a file cannot be written.
pub fn export(folder: &Path, wasm: &Path, existing: Existing) -> Result<u64, ExportError> {
    let io_error = |path: &Path| {
        let path = path.to_owned();
        move |error| ExportError::Io { path, error }
    };
    let engine = fs::read(wasm).map_err(io_error(wasm))?;
    if !engine.starts_with(MAGIC) {
        return Err(ExportError::NoModule(wasm.to_owned()));
    }
    fs::create_dir_all(folder).map_err(io_error(folder))?;
    let mut entries = fs::read_dir(folder).map_err(io_error(folder))?;
    if existing == Existing::Keep && entries.next().is_some() {
        return Err(ExportError::NotEmpty(folder.to_owned()));
    }
    let mut size = 0;
    let mut write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        size += bytes.len() as u64;
        write_file(&path, bytes, existing).map_err(io_error(&path))
    };
    write(WASM, &engine)?;
    // The page comes last: what it names is there then.
    for asset in ASSETS.iter().filter(|asset| asset.name != PAGE) {
        write(asset.name, asset.bytes)?;
    }
    for asset in ASSETS.iter().filter(|asset| asset.name == PAGE) {
        write(PAGE, &local_page(asset))?;
    }
    Ok(size)
}

const PAGE: &str = "index.html";

/// The page, told to use the engine beside it.
fn local_page(page: &Asset) -> Vec<u8> {
    String::from_utf8_lossy(page.bytes).replace(SERVER, LOCAL).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_every_file_and_a_page_with_its_own_engine() {
        let folder = tempfile::tempdir().unwrap();
        let wasm = folder.path().join("engine");
        let site = folder.path().join("a/site");
        fs::write(&wasm, "no module").unwrap();
        let refused = export(&site, &wasm, Existing::Keep).unwrap_err();
        assert!(matches!(refused, ExportError::NoModule(_)) && !site.exists());

        fs::write(&wasm, [MAGIC, b"rest"].concat()).unwrap();
        let size = export(&site, &wasm, Existing::Keep).unwrap();
        let files: Vec<_> = fs::read_dir(&site).unwrap().map(Result::unwrap).collect();
        assert_eq!(files.len(), ASSETS.len() + 1);
        assert_eq!(size, files.iter().map(|file| file.metadata().unwrap().len()).sum::<u64>());
        let page = fs::read_to_string(site.join(PAGE)).unwrap();
        assert!(page.contains(LOCAL) && !page.contains(SERVER));
        // Nothing is named that is not there.
        for name in
            page.split(['"', '\'']).filter(|part| part.ends_with(".js") || part.ends_with(".css"))
        {
            assert!(site.join(name).is_file(), "{name}");
        }

        let again = export(&site, &wasm, Existing::Keep).unwrap_err();
        assert!(matches!(again, ExportError::NotEmpty(_)), "{again}");
        assert_eq!(export(&site, &wasm, Existing::Replace).unwrap(), size);
    }
}
