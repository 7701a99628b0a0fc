//! Where positions occur: (game, ply) of each position, in blocks that SQLite keeps.
//!
//! A position's number is a hash of the book's key (48 bits), so that it and its half-turned twin
//! have one place. Each write makes a *segment*: sorted, cut into blocks of less than a page. A
//! look-up asks each segment; segments of similar size are merged when there are many.

use movegen::Position;
use movegen::key::Key;
use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

/// Blocks are at most this long, so that each fits into a page of SQLite.
const BLOCK: usize = 3_960;
/// Postings that are kept in memory before they are written: 160 MB.
const MAX_POSTINGS: usize = 10_000_000;
/// This many segments of similar size are merged.
const FAN: usize = 8;

/// The 48 bits under which a position is found. The same for the position and the one with the board
/// turned and the colours exchanged.
pub(crate) fn number(position: &Position) -> u64 {
    let key = u128::from_le_bytes(Key::of(position).to_bytes());
    // The international game is 0.
    let low = key as u64 ^ (position.variant() as u64) << 56;
    let high = (key >> 64) as u64;
    let mut hash = low ^ high.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0xd6e8_feb8_6659_fd93);
    (hash ^ hash >> 32) >> 16
}

/// A place of a position, as one number that sorts by position, game and ply.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Posting(u128);

impl Posting {
    pub(crate) fn new(number: u64, game: u32, ply: u16, next: u8) -> Posting {
        let word = u128::from(game) << 24 | u128::from(ply) << 8 | u128::from(next);
        Posting(u128::from(number) << 56 | word)
    }

    fn number(self) -> u64 {
        (self.0 >> 56) as u64
    }

    pub(crate) fn game(self) -> u32 {
        (self.0 >> 24) as u32
    }

    pub(crate) fn ply(self) -> u16 {
        (self.0 >> 8) as u16
    }

    /// A hash of all of it.
    pub(crate) fn hash(self) -> u64 {
        let hash = self.0 as u64 ^ ((self.0 >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }

    /// The first byte of the move that was played.
    pub(crate) fn next(self) -> u8 {
        self.0 as u8
    }
}

fn push_varint(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Rows of `positions`: 15 bits of the segment, 32 of the first number, 16 that count the blocks that
/// begin with it.
fn row(segment: i64, head: u32, part: u16) -> i64 {
    segment << 48 | i64::from(head) << 16 | i64::from(part)
}

/// Reads a block; false if it is not one.
fn read_block(id: i64, mut bytes: &[u8], mut take: impl FnMut(u64, Posting) -> bool) -> bool {
    let mut head = (id >> 16) as u32;
    while !bytes.is_empty() {
        let read = (|bytes: &mut &[u8]| -> Option<bool> {
            head = head.checked_add(varint(bytes)?)?;
            let (&check, rest) = bytes.split_first_chunk::<2>()?;
            *bytes = rest;
            let number = u64::from(head) << 16 | u64::from(u16::from_le_bytes(check));
            let mut game = 0u32;
            for _ in 0..varint(bytes)? {
                game = game.checked_add(varint(bytes)?)?;
                let ply = u16::try_from(varint(bytes)?).ok()?;
                let (&next, rest) = bytes.split_first()?;
                *bytes = rest;
                if !take(number, Posting::new(number, game, ply, next)) {
                    return Some(false);
                }
            }
            Some(true)
        })(&mut bytes);
        match read {
            Some(true) => {}
            Some(false) => return true,
            None => return false,
        }
    }
    true
}

/// Puts sorted postings into blocks.
struct BlockWriter<'c> {
    insert: rusqlite::CachedStatement<'c>,
    segment: i64,
    bytes: Vec<u8>,
    /// The upper halves of the block's first and last numbers.
    first: u32,
    last: u32,
    part: (u32, u16),
    count: u64,
}

impl<'c> BlockWriter<'c> {
    fn new(connection: &'c Connection) -> rusqlite::Result<BlockWriter<'c>> {
        let segment =
            connection
                .query_row("SELECT coalesce(max(id), 0) + 1 FROM segments", [], |row| row.get(0))?;
        connection.execute("INSERT INTO segments (id, postings) VALUES (?1, 0)", [segment])?;
        let insert =
            connection.prepare_cached("INSERT INTO positions (id, block) VALUES (?1, ?2)")?;
        Ok(BlockWriter {
            insert,
            segment,
            bytes: Vec::with_capacity(BLOCK + 64),
            first: 0,
            last: 0,
            part: (0, 0),
            count: 0,
        })
    }

    /// Adds the places of one position, in order.
    fn add(&mut self, number: u64, places: &[Posting]) -> rusqlite::Result<()> {
        let (head, check) = ((number >> 16) as u32, number as u16);
        self.count += places.len() as u64;
        let mut rest = places;
        let mut group = Vec::with_capacity(BLOCK);
        while !rest.is_empty() {
            if self.bytes.len() + 24 > BLOCK {
                self.flush()?;
            }
            let room = BLOCK - self.bytes.len() - 16;
            group.clear();
            let (mut taken, mut game) = (0, 0);
            for posting in rest {
                if group.len() + 10 > room {
                    break;
                }
                push_varint(&mut group, posting.game() - game);
                push_varint(&mut group, u32::from(posting.ply()));
                group.push(posting.next());
                game = posting.game();
                taken += 1;
            }
            if self.bytes.is_empty() {
                self.first = head;
                self.last = head;
            }
            push_varint(&mut self.bytes, head - self.last);
            self.last = head;
            self.bytes.extend(check.to_le_bytes());
            push_varint(&mut self.bytes, taken as u32);
            self.bytes.extend_from_slice(&group);
            rest = &rest[taken..];
        }
        Ok(())
    }

    fn flush(&mut self) -> rusqlite::Result<()> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let part = match self.part {
            (head, part) if head == self.first => part.saturating_add(1),
            _ => 1,
        };
        self.part = (self.first, part);
        self.insert.execute(params![row(self.segment, self.first, part), self.bytes])?;
        self.bytes.clear();
        Ok(())
    }

    fn finish(mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.flush()?;
        connection.execute(
            "UPDATE segments SET postings = ?2 WHERE id = ?1",
            params![self.segment, self.count as i64],
        )?;
        Ok(())
    }
}

/// Collects the places of positions within a transaction.
#[derive(Default)]
pub(crate) struct IndexWriter {
    postings: Vec<Posting>,
}

impl IndexWriter {
    pub(crate) fn add(&mut self, posting: Posting) {
        self.postings.push(posting);
    }

    /// To be called between games: writes what is in memory if there is a lot.
    pub(crate) fn breathe(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if self.postings.len() >= MAX_POSTINGS { self.write(connection) } else { Ok(()) }
    }

    /// Writes the rest, and merges segments where there are many.
    pub(crate) fn finish(mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.write(connection)?;
        drop(self);
        while merge_some(connection)? {}
        Ok(())
    }

    fn write(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        use rayon::slice::ParallelSliceMut;
        if self.postings.is_empty() {
            return Ok(());
        }
        self.postings.par_sort_unstable();
        let mut writer = BlockWriter::new(connection)?;
        for places in self.postings.chunk_by(|a, b| a.number() == b.number()) {
            writer.add(places[0].number(), places)?;
        }
        writer.finish(connection)?;
        self.postings.clear();
        Ok(())
    }
}

/// A segment read in order.
struct SegmentReader {
    next: i64,
    end: i64,
    ahead: std::collections::VecDeque<Posting>,
}

impl SegmentReader {
    fn new(segment: i64) -> SegmentReader {
        let (next, end) = (row(segment, 0, 0), row(segment, u32::MAX, u16::MAX));
        SegmentReader { next, end, ahead: std::collections::VecDeque::new() }
    }

    fn peek(&mut self, connection: &Connection) -> rusqlite::Result<Option<Posting>> {
        if self.ahead.is_empty() && self.next <= self.end {
            let mut select = connection.prepare_cached(
                "SELECT id, block FROM positions WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 64",
            )?;
            let mut rows = select.query([self.next, self.end])?;
            let mut is_over = true;
            while let Some(row) = rows.next()? {
                let id: i64 = row.get(0)?;
                let ahead = &mut self.ahead;
                read_block(id, row.get_ref(1)?.as_blob().unwrap_or_default(), |_, posting| {
                    ahead.push_back(posting);
                    true
                });
                self.next = id + 1;
                is_over = false;
            }
            if is_over {
                self.next = self.end + 1;
            }
        }
        Ok(self.ahead.front().copied())
    }
}

/// Merges segments of similar size if there are many; returns whether there were.
fn merge_some(connection: &Connection) -> rusqlite::Result<bool> {
    let mut select =
        connection.prepare_cached("SELECT id, postings FROM segments ORDER BY postings")?;
    let segments: Vec<(i64, i64)> =
        select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    // Sizes within a factor of FAN, beginning with the smallest; all very small ones count as
    // similar.
    let tier = |postings: i64| (postings.max(4096) as u64).ilog2() / FAN.ilog2();
    let alike = segments.chunk_by(|a, b| tier(a.1) == tier(b.1)).find(|list| list.len() >= FAN);
    let Some(list) = alike else { return Ok(false) };
    let list: Vec<i64> = list.iter().map(|segment| segment.0).collect();
    merge(connection, &list)?;
    Ok(true)
}

fn merge(connection: &Connection, list: &[i64]) -> rusqlite::Result<()> {
    let mut readers: Vec<SegmentReader> = list.iter().map(|&id| SegmentReader::new(id)).collect();
    let mut writer = BlockWriter::new(connection)?;
    let mut places: Vec<Posting> = Vec::new();
    loop {
        let mut least: Option<u64> = None;
        for reader in &mut readers {
            if let Some(posting) = reader.peek(connection)? {
                least = Some(least.map_or(posting.number(), |n| n.min(posting.number())));
            }
        }
        let Some(number) = least else { break };
        places.clear();
        for reader in &mut readers {
            while let Some(posting) = reader.peek(connection)?
                && posting.number() == number
            {
                places.push(posting);
                reader.ahead.pop_front();
            }
        }
        places.sort_unstable();
        writer.add(number, &places)?;
    }
    writer.finish(connection)?;
    for &id in list {
        remove(connection, id)?;
    }
    Ok(())
}

fn remove(connection: &Connection, segment: i64) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM positions WHERE id BETWEEN ?1 AND ?2",
        [row(segment, 0, 0), row(segment, u32::MAX, u16::MAX)],
    )?;
    connection.execute("DELETE FROM segments WHERE id = ?1", [segment])?;
    Ok(())
}

/// Removes the whole index.
pub(crate) fn clear(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("DELETE FROM positions; DELETE FROM segments;")
}

/// All places of the position with this number, by game and ply, those in deleted games too.
pub(crate) fn look_up(connection: &Connection, wanted: u64) -> rusqlite::Result<Vec<Posting>> {
    let mut segments = connection.prepare_cached("SELECT id FROM segments ORDER BY id")?;
    let segments: Vec<i64> = segments.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut before = connection.prepare_cached(
        "SELECT id, block FROM positions WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT 1",
    )?;
    let mut within = connection
        .prepare_cached("SELECT id, block FROM positions WHERE id BETWEEN ?1 AND ?2 ORDER BY id")?;
    let mut places = Vec::new();
    let head = (wanted >> 16) as u32;
    for segment in segments {
        // The block before may hold the beginning.
        let ranges = [
            (&mut before, row(segment, 0, 0), row(segment, head, 0)),
            (&mut within, row(segment, head, 1), row(segment, head, u16::MAX)),
        ];
        for (select, first, last) in ranges {
            let mut rows = select.query([first, last])?;
            while let Some(row) = rows.next()? {
                let id: i64 = row.get(0)?;
                let is_whole = read_block(
                    id,
                    row.get_ref(1)?.as_blob().unwrap_or_default(),
                    |number, posting| {
                        if number == wanted {
                            places.push(posting);
                        }
                        number <= wanted
                    },
                );
                if !is_whole {
                    return Err(damaged(id));
                }
            }
        }
    }
    // Rows of segments, each sorted.
    places.sort();
    Ok(places)
}

fn damaged(id: i64) -> rusqlite::Error {
    rusqlite::Error::IntegralValueOutOfRange(0, id)
}

/// Goes through the whole index, place by place; returns the number of places, and the faults.
pub(crate) fn walk(
    connection: &Connection,
    see: &mut dyn FnMut(Posting),
) -> rusqlite::Result<(u64, Vec<String>)> {
    let mut select = connection.prepare_cached("SELECT id, postings FROM segments")?;
    let segments = select.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, 0))))?;
    let mut segments: FxHashMap<i64, (i64, i64)> = segments.collect::<Result<_, _>>()?;
    let mut faults = Vec::new();
    let mut select = connection.prepare_cached("SELECT id, block FROM positions ORDER BY id")?;
    let mut rows = select.query([])?;
    let mut last = (-1, None);
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let segment = id >> 48;
        if last.0 != segment {
            last = (segment, None);
        }
        let mut unknown = (0, 0);
        let sum = segments.get_mut(&segment).unwrap_or(&mut unknown);
        let mut is_sorted = true;
        let is_whole = read_block(id, row.get_ref(1)?.as_blob().unwrap_or_default(), |_, place| {
            is_sorted &= last.1 < Some(place);
            last.1 = Some(place);
            sum.1 += 1;
            count += 1;
            see(place);
            true
        });
        if !is_whole || !is_sorted || id & 0xffff == 0 || unknown.1 > 0 {
            faults.push(format!("block {id:x} of the index cannot be read"));
        }
    }
    for (segment, (recorded, there)) in segments {
        if recorded != there {
            faults
                .push(format!("segment {segment} of the index has {there} places, not {recorded}"));
        }
    }
    Ok((count, faults))
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::random::Random;

    fn memory() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(super::super::schema::SCHEMA).unwrap();
        connection
    }

    /// Many segments of random postings, some numbers in very many games; each number gives what a
    /// plain list gives.
    #[test]
    fn look_ups_find_what_a_list_finds() {
        let mut random = Random::new(5);
        let connection = memory();
        let mut all = Vec::new();
        let mut game = 0;
        for segment in 0..25 {
            let mut writer = IndexWriter::default();
            for _ in 0..random.next_u64() % 3_000 + 1 {
                game += 1 + (random.next_u64() % 3) as u32;
                let number = match random.next_u64() % 4 {
                    0 => 7 << 16 | 1,
                    1 => 7 << 16 | (random.next_u64() % 3),
                    2 => random.next_u64() % 50_000,
                    _ => random.next_u64() >> 16,
                };
                let ply = (random.next_u64() % 65_536) as u16;
                let posting = Posting::new(number, game, ply, random.next_u64() as u8);
                all.push(posting);
                writer.add(posting);
            }
            writer.finish(&connection).unwrap();
            let count: i64 =
                connection.query_row("SELECT count(*) FROM segments", [], |r| r.get(0)).unwrap();
            assert!(count <= 2 * FAN as i64, "{count} segments after {segment}");
        }
        all.sort_unstable();
        let longest: i64 = connection
            .query_row("SELECT max(length(block)) FROM positions", [], |r| r.get(0))
            .unwrap();
        assert!(longest <= BLOCK as i64, "{longest}");
        let mut seen = 0;
        for list in all.chunk_by(|a, b| a.number() == b.number()) {
            assert_eq!(look_up(&connection, list[0].number()).unwrap(), list);
            seen += list.len();
        }
        assert_eq!(seen, all.len());
        let mut walked = Vec::new();
        let (count, faults) = walk(&connection, &mut |place| walked.push(place)).unwrap();
        walked.sort_unstable();
        assert_eq!((count, faults, walked == all), (all.len() as u64, Vec::new(), true));
        assert_eq!(look_up(&connection, u64::MAX >> 16).unwrap(), []);
    }

    #[test]
    fn a_damaged_block_is_no_panic() {
        let mut random = Random::new(9);
        for _ in 0..5_000 {
            let bytes: Vec<u8> = (0..40).map(|_| random.next_u64() as u8).collect();
            read_block(random.next_u64() as i64, &bytes, |_, _| true);
        }
    }
}
