//! Damaged books: refused with a reason, or at least without harm.

use std::fs;
use std::time::{Duration, Instant};

use meerslag_book::{Book, BookError, BuildOptions, check, lines, openings, walk, write_text};
use movegen::Position;
use movegen::random::Random;

use super::{Games, after};

const HEAD: usize = 64;

/// The bytes of a small book.
fn bytes() -> Vec<u8> {
    let games = Games::new(
        "1. 32-28 19-23 2. 28x19 14x23 2-0\n\n1. 32-28 17-22 2. 28x17 11x22 1-1\n\n1. 31-26 *\n",
    );
    let options = BuildOptions { estimate: true, ..BuildOptions::default() };
    drop(games.build(&options));
    fs::read(games.path("out.book")).unwrap()
}

fn open(bytes: Vec<u8>) -> Result<Book, BookError> {
    Book::from_bytes("test.book", bytes)
}

#[test]
fn every_changed_byte_and_every_missing_byte_is_noticed() {
    let good = bytes();
    assert!(open(good.clone()).is_ok());
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        assert!(open(bad).is_err(), "byte {at}");
        let error = open(good[..at].to_vec()).unwrap_err();
        assert!(at < 8 || !matches!(error, BookError::Foreign { .. }), "{at} bytes: {error}");
    }
    let mut long = good;
    long.push(0);
    assert!(open(long).unwrap_err().to_string().contains("its head says"));
}

#[test]
fn errors_say_what_is_wrong() {
    let good = bytes();
    let with = |change: fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        open(bytes).unwrap_err().to_string()
    };
    let text = with(|bytes| bytes[8] = 2);
    assert_eq!(text, "test.book is an opening book of version 2; this program reads version 1");
    assert!(
        with(|bytes| bytes[0] = b'X')
            .ends_with("is not an opening book: it does not begin with MEERBOOK")
    );
    assert!(with(Vec::clear).contains("is not an opening book"));
    assert!(with(|bytes| bytes[20] ^= 1).ends_with("the checksum of its head is wrong"));
    assert!(with(|bytes| bytes.truncate(40)).contains("it ends after 40 bytes"));
    assert!(with(|bytes| *bytes.last_mut().unwrap() ^= 1).ends_with("table of moves is wrong"));
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.book");
    assert!(matches!(Book::open(&missing), Err(BookError::Io { .. })));
    assert!(matches!(Book::open(folder.path()), Err(BookError::Io { .. })));
    fs::write(&missing, "").unwrap();
    assert!(matches!(Book::open(&missing), Err(BookError::Foreign { .. })));
}

/// Corrects the checksums, so that the checks they protect are reached.
fn repair(bytes: &mut [u8]) {
    let u64_at =
        |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let text = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let sizes = [(16, 40), (24, 32), (32, 8)];
    let mut start = HEAD.saturating_add(text);
    for (index, (at, size)) in sizes.into_iter().enumerate() {
        let length = u64_at(bytes, at).saturating_mul(size);
        let end = start.saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
        let Some(table) = bytes.get(start..end) else { return };
        let sum = crc32fast::hash(table);
        bytes[40 + 4 * index..44 + 4 * index].copy_from_slice(&sum.to_le_bytes());
        start = end;
    }
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..60]);
    if let Some(text) = bytes.get(HEAD..HEAD + text) {
        sum.update(text);
    }
    bytes[60..64].copy_from_slice(&sum.finalize().to_le_bytes());
}

/// Books of earlier versions of the program may have a move tree, which is no longer read.
#[test]
fn a_book_with_a_stored_tree_is_read_without_it() {
    let good = bytes();
    let mut old = good.clone();
    old.extend([0; 16]);
    old[32] = 2;
    repair(&mut old);
    let (old, good) = (open(old).unwrap(), open(good).unwrap());
    let contents = |book: &Book| {
        let mut text = Vec::new();
        write_text(book, &mut text).unwrap();
        text
    };
    assert!(contents(&old) == contents(&good) && old.size() == good.size() + 16);
    assert_eq!(check(&old, 5), Vec::<String>::new());
}

/// Does everything with a book that can be done.
fn use_all(book: &Book) {
    let _ = check(book, 1000);
    let mut text = Vec::new();
    write_text(book, &mut text).unwrap();
    lines(book, 30, |_, line| assert!(line.len() <= 30));
    assert!(book.cell_count() > 0 && walk(book, &Position::initial(), 5).all(|mv| mv.ply < 5));
    assert!(openings(book, 3).iter().all(Position::has_legal_move));
    for position in [Position::initial(), after("32-28"), after("32-28 19-23")] {
        if let Some((_, moves)) = book.look_up(&position) {
            let legal = position.legal_moves();
            assert!(moves.iter().all(|(mv, _)| legal.contains(mv)));
        }
    }
    for index in 0..book.len() + 2 {
        let _ = (book.position(index), book.moves(index).count());
    }
}

/// Changes random bytes, words and lengths, for this long or this often.
fn attack(seed: u64, is_enough: impl Fn(u64) -> bool) -> (u64, u64) {
    let good = bytes();
    let mut random = Random::new(seed);
    let (mut count, mut opened) = (0, 0);
    while !is_enough(count) {
        let mut bad = good.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bad.len());
            match random.below(5) {
                0 => bad[at] = random.next_u64() as u8,
                1 => bad[at] ^= 1 << random.below(8),
                2 => {
                    // A word of a table, often a small one.
                    let at = at / 4 * 4;
                    let word = random.next_u64() as u32 >> random.below(32);
                    if let Some(place) = bad.get_mut(at..at + 4) {
                        place.copy_from_slice(&word.to_le_bytes());
                    }
                }
                3 => bad[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
                _ => {
                    let (from, length) = (random.below(bad.len()), random.below(48));
                    let piece: Vec<u8> = bad.iter().skip(from).take(length).copied().collect();
                    let end = (at + piece.len()).min(bad.len());
                    let length = end - at;
                    bad[at..end].copy_from_slice(&piece[..length]);
                }
            }
        }
        repair(&mut bad);
        if let Ok(book) = open(bad) {
            opened += 1;
            use_all(&book);
        }
        count += 1;
    }
    (count, opened)
}

#[test]
fn content_that_makes_no_sense_does_no_harm() {
    let (_, opened) = attack(1, |count| count == 2_000);
    assert!(opened > 500, "{opened}");
}

/// By hand: `MEERSLAG_FUZZ_SECONDS=300 cargo test -p meerslag-search --test it -- --ignored book::damage`.
#[test]
#[ignore = "runs for as long as it is given"]
fn fuzz() {
    let seconds = std::env::var("MEERSLAG_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(60));
    let (count, opened) = attack(77, |_| Instant::now() >= end);
    println!("{count} books, {opened} of them opened");
    assert!(opened > 0);
}
