//! Writes a synthetic database, of 2 to 5 pieces unless PIECES says otherwise, for measuring.
//!
//! `synthetic DIR KIND [PERCENT [TYPE [PIECES [THREADS]]]]`: TYPE is `wld2` (default),
//! `compact`, `wld1`, `run`, `mtc` or `dtw`;
//! KIND is `random` (independent values), `runs` (runs of random
//! length, the mean drawn again for every stretch) or `onesided` (long runs of wins); PERCENT of
//! the 5-piece slices get data (default 100), the others are draws.

use std::path::Path;
use std::time::Instant;

use egdb::DbType;
use egdb::SubId;
use egdb::codec::DONT_CARE;
use egdb_build::encode::DatabaseWriter;
use movegen::random::{Random, mix};

/// The values from `start` on; they depend on the place only, in stretches.
fn fill(kind: &str, seed: u64, start: u64, out: &mut [u16]) {
    let mut random = Random::new(seed << 40 ^ start);
    if kind == "random" {
        for value in out {
            *value = 1 + (((random.next_u64() >> 40) * 3) >> 24) as u16;
        }
        return;
    }
    let mut i = 0;
    let mean = 1 << ((random.next_u64() >> 20) % 9);
    while i < out.len() {
        let len = 1 + (random.next_u64() >> 20) as usize % (2 * mean);
        let value = match kind {
            "onesided" if random.next_u64() >> 61 != 0 => 1,
            _ => 1 + (((random.next_u64() >> 40) * 3) >> 24) as u16,
        };
        let end = out.len().min(i + len);
        out[i..end].fill(value);
        i = end;
    }
}

/// Makes distances from win/loss/draw values; neighbours have similar distances.
fn distances(db_type: DbType, start: u64, out: &mut [u16]) {
    for (index, value) in (start..).zip(out) {
        let slow = mix(index / 50) >> 62;
        let fast = mix(index) >> 61;
        *value = match (*value, db_type) {
            (3, _) => DONT_CARE,
            (_, DbType::Dtw) => 8 * *value + 2 * slow as u16 + u16::from(fast == 0),
            // Most are below the threshold.
            _ if slow < 3 => 0,
            _ => 10 + 2 * u16::from(fast < 2),
        };
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, kind, rest @ ..] = &args[..] else { return Err("DIR KIND [PERCENT]".into()) };
    let percent: usize = rest.first().map_or(Ok(100), |text| text.parse())?;
    let db_type: DbType = rest.get(1).map_or("wld2", String::as_str).parse()?;
    let max_pieces = rest.get(2).map_or(Ok(5), |text| text.parse())?;
    let threads = rest.get(3).map_or(Ok(1), |text| text.parse())?;
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    let dir = Path::new(dir);
    std::fs::create_dir_all(dir)?;
    let (mut positions, mut bytes) = (0, 0);
    let started = Instant::now();
    for (stem, slices) in (2..=max_pieces).flat_map(|pieces| db_type.file_stems(pieces)) {
        let ids: Vec<SubId> = slices
            .iter()
            .flat_map(|&slice| {
                slice.stored_sides().iter().map(move |&side| SubId { slice, sub: 0, side })
            })
            .collect();
        let fill_sub = |id: SubId, start: u64, out: &mut [u16]| {
            let seed = (id.slice.id() * 2 + id.side.index()) as u64;
            let is_full = id.slice.pieces() < 5 || id.slice.id() * 100 % 97 < percent;
            if is_full {
                fill(kind, seed, start, out);
            } else {
                out.fill(3);
            }
            if !db_type.is_wld() {
                distances(db_type, start, out);
            }
        };
        positions += slices.iter().map(|s| s.size() * s.stored_sides().len() as u64).sum::<u64>();
        let mut writer = DatabaseWriter::create(dir, db_type, &stem)?;
        for id in ids {
            writer.add(id, &mut |start, out| fill_sub(id, start, out))?;
        }
        let written = writer.finish()?;
        bytes += written.map_or(0, |written| written.bytes[0] + written.bytes[1]);
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{positions} positions, {bytes} bytes, {:.4} bits per position, {:.1} million positions/s",
        bytes as f64 * 8.0 / positions as f64,
        positions as f64 / seconds / 1e6
    );
    Ok(())
}
