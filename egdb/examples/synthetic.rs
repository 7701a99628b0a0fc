//! Writes a synthetic version 2 database of 2 to 5 pieces, for measuring.
//!
//! `synthetic DIR KIND [PERCENT]`: KIND is `random` (independent values), `runs` (runs of random
//! length, the mean drawn anew for every stretch) or `onesided` (long runs of wins); PERCENT of
//! the 5-piece slices get data (default 100), the others are draws.

use std::path::Path;
use std::time::Instant;

use egdb::encode::{CodedWriter, SubId};
use egdb::{DbType, Slice};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// The values from `start` on; what they are depends on the place only, in stretches.
fn fill(kind: &str, seed: u64, start: u64, out: &mut [u16]) {
    let mut random = Random((seed << 40 ^ start).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    if kind == "random" {
        for value in out {
            *value = 1 + (((random.next() >> 40) * 3) >> 24) as u16;
        }
        return;
    }
    let mut i = 0;
    let mean = 1 << ((random.next() >> 20) % 9);
    while i < out.len() {
        let len = 1 + (random.next() >> 20) as usize % (2 * mean);
        let value = match kind {
            "onesided" if random.next() >> 61 != 0 => 1,
            _ => 1 + (((random.next() >> 40) * 3) >> 24) as u16,
        };
        let end = out.len().min(i + len);
        out[i..end].fill(value);
        i = end;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, kind, rest @ ..] = &args[..] else { return Err("DIR KIND [PERCENT]".into()) };
    let percent: usize = rest.first().map_or(Ok(100), |text| text.parse())?;
    std::fs::create_dir_all(dir)?;
    let (mut positions, mut bytes) = (0, 0);
    let started = Instant::now();
    for pieces in 2..=5 {
        let mut writer = CodedWriter::create(Path::new(dir), DbType::Wld2, &format!("db{pieces}"))?;
        for (n, slice) in Slice::stored(pieces).enumerate() {
            for &side in slice.stored_sides() {
                let is_full = pieces < 5 || n * 100 < percent * 22;
                let seed = (slice.id() * 2 + side.index()) as u64;
                let mut source = |start: u64, out: &mut [u16]| {
                    if is_full { fill(kind, seed, start, out) } else { out.fill(3) }
                };
                writer.add(SubId { slice, sub: 0, side }, &mut source)?;
                positions += if is_full { slice.size() } else { 0 };
            }
        }
        if let Some(written) = writer.finish()? {
            bytes += written.bytes[0] + written.bytes[1];
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{positions} positions, {bytes} bytes, {:.4} bits per position, {:.1} million positions/s",
        bytes as f64 * 8.0 / positions as f64,
        positions as f64 / seconds / 1e6
    );
    Ok(())
}
