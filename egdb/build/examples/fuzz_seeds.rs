//! Writes inputs for the fuzz targets of the readers: `fuzz_seeds CORPUS`, see
//! `tests/fuzz/README.md`. Small databases of two pieces, with values of several kinds.

use std::error::Error;
use std::fs;
use std::path::Path;

use egdb::SubId;
use egdb::manifest;
use egdb::{DbType, Slice};
use egdb_build::encode::{DatabaseWriter, Written};
use movegen::random::mix;

/// The value of an index: what compresses well, what does not, and one value only.
fn value(db_type: DbType, kind: u64, index: u64) -> u16 {
    let noise = mix(index / [40, 1, 9][kind as usize % 3] + kind) >> 40;
    match db_type {
        _ if kind == 3 => 3 * u16::from(db_type.is_wld()),
        DbType::Mtc => [0, 0, 0, 10, 22, 100][noise as usize % 6],
        DbType::Dtw => (noise % 12) as u16,
        // Kind 2 has unknown values too, where the type can hold them.
        DbType::Wld2 | DbType::Wld1 | DbType::WldRun if kind == 2 => (noise % 4) as u16,
        _ => 1 + (noise % 3) as u16,
    }
}

fn write(dir: &Path, db_type: DbType, kind: u64) -> Result<Option<Written>, Box<dyn Error>> {
    let ids = Slice::stored(2).flat_map(|slice| {
        slice.stored_sides().iter().map(move |&side| SubId { slice, sub: 0, side })
    });
    let mut fill = |start: u64, out: &mut [u16]| {
        for (index, to) in (start..).zip(out) {
            *to = value(db_type, kind, index);
        }
    };
    let mut writer = DatabaseWriter::create(dir, db_type, "db2")?;
    for id in ids {
        writer.add(id, &mut fill)?;
    }
    Ok(writer.finish()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let corpus = std::env::args().nth(1).ok_or("usage: fuzz_seeds CORPUS")?;
    let corpus = Path::new(&corpus);
    let scratch = corpus.join("scratch");
    fs::create_dir_all(&scratch)?;
    for target in ["index", "manifest"] {
        fs::create_dir_all(corpus.join(format!("egdb_{target}")))?;
    }
    for (number, db_type) in DbType::ALL.into_iter().enumerate() {
        let name = db_type.name();
        let target = corpus.join(format!("egdb_{name}"));
        fs::create_dir_all(&target)?;
        for kind in 0..4 {
            let Some(written) = write(&scratch, db_type, kind)? else { continue };
            let (index, data) = (fs::read(&written.index)?, fs::read(&written.data)?);
            let length = u16::try_from(index.len())?.to_le_bytes();
            fs::write(target.join(format!("seed-{kind}")), [&length[..], &index, &data].concat())?;
            let head = [&[number as u8, 0][..], &(data.len() as u32).to_le_bytes()].concat();
            let input = [&head[..], &index].concat();
            fs::write(corpus.join(format!("egdb_index/seed-{name}-{kind}")), input)?;
            written.write_side_files()?;
            fs::copy(
                manifest::side_file(&written.data),
                corpus.join(format!("egdb_manifest/seed-{name}-{kind}")),
            )?;
        }
    }
    fs::remove_dir_all(&scratch)?;
    Ok(())
}
