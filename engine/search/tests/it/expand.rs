//! Books grown by search: order, scores, stopping and resuming, threads.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use egdb::DatabaseOptions;
use meerslag_book::{Book, check, merge};
use meerslag_files::Existing;
use meerslag_search::eval::Evaluation;
use meerslag_search::expand::{ExpandOptions, ExpandProgress, expand};
use meerslag_search::{Control, EngineOptions, Limits};
use movegen::Score;
use movegen::key::Key;
use movegen::{Move, Position};

use crate::support::{after, book_of};

fn options(positions: u64) -> ExpandOptions {
    ExpandOptions {
        limits: Limits::depth(1),
        more_starts: Vec::new(),
        weight: 50,
        start: Position::initial(),
        positions: Some(positions),
        time: None,
        interval: Duration::from_secs(3600),
        engine: EngineOptions {
            hash_mib: 1,
            databases: DatabaseOptions::none(),
            evaluation: Evaluation::default(),
            ..EngineOptions::default()
        },
        engine_name: "test".to_owned(),
    }
}

fn controls(threads: usize) -> Vec<Arc<Control>> {
    (0..threads).map(|_| Arc::new(Control::new())).collect()
}

fn grow(path: &Path, options: &ExpandOptions, threads: usize) -> (Book, ExpandProgress) {
    let progress = expand(path, options, &controls(threads), &mut |_| {}).unwrap();
    let book = Book::open(path).unwrap();
    assert_eq!(check(&book, 10), Vec::<String>::new());
    assert!(!path.with_extension("book.journal").exists(), "the journal goes with the work");
    (book, progress)
}

/// The searched positions of a book with the results.
fn searched(book: &Book) -> HashMap<Key, (Score, u8)> {
    let entries = (0..book.len()).map(|index| book.position(index).unwrap());
    entries.filter_map(|e| Some((e.key, e.searched.map(|s| (s.score, s.depth))?))).collect()
}

/// Minimax over the book by its definition, in no particular order.
fn plain_score(book: &Book, position: &Position) -> Option<Score> {
    let (entry, moves) = book.look_up(position)?;
    let own = entry.searched.map(|searched| searched.score);
    let scores: Vec<Option<Score>> = moves
        .iter()
        .map(|(mv, _)| {
            let next = position.after(*mv);
            if position.is_irreversible(*mv) {
                Some(-plain_score(book, &next)?)
            } else {
                Some(-book.look_up(&next)?.0.searched?.score)
            }
        })
        .collect();
    let is_whole = !moves.is_empty() && moves.len() == position.legal_moves().len();
    if is_whole && scores.iter().all(Option::is_some) {
        scores.into_iter().flatten().max()
    } else {
        own
    }
}

#[test]
fn scores_are_minimax_and_transpositions_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.book");
    let (book, progress) = grow(&path, &options(600), 1);
    assert!(progress.searched >= 600 && progress.new == progress.searched);
    assert_eq!(searched(&book).len() as u64, progress.searched);
    let start = Position::initial();
    let (entry, moves) = book.look_up(&start).unwrap();
    assert_eq!(moves.len(), 9);
    assert_eq!(entry.score, plain_score(&book, &start));
    assert_eq!(entry.score, moves.iter().filter_map(|(_, mv)| mv.score).max());
    assert_eq!(progress.score, entry.score);
    // Some position is reached by two orders of moves, and is stored once.
    let mut parents: HashMap<Key, u32> = HashMap::new();
    for index in 0..book.len() {
        let position = book.position(index).unwrap().key.position().unwrap();
        for mv in book.moves(index).filter_map(|mv| mv.folded()) {
            *parents.entry(Key::of(&position.after(mv))).or_default() += 1;
        }
    }
    assert!(parents.values().any(|&count| count > 1));
    assert!(book.about().history[0].starts_with("expanded: depth 1, 50 plies"));
}

/// The next position is the one of least cost. With no weight on deviations that is breadth first;
/// with much of it the best line is followed.
#[test]
fn the_weight_decides_between_breadth_and_depth() {
    let folder = tempfile::tempdir().unwrap();
    let deepest = |name: &str, weight| {
        let options = ExpandOptions { weight, ..options(400) };
        let (book, _) = grow(&folder.path().join(name), &options, 1);
        (0..book.len()).map(|index| book.position(index).unwrap().ply).max().unwrap()
    };
    // The start, its nine successors and theirs are expanded, and the third ply begins.
    let broad = deepest("broad.book", 0);
    let deep = deepest("deep.book", 1000);
    assert!(broad <= 3 && deep >= 6, "{broad} {deep}");
}

#[test]
fn nothing_is_lost_when_the_work_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.book");
    let mut all: HashMap<Key, (Score, u8)> = HashMap::new();
    for stop_after in [1, 13, 40, 7] {
        let controls = controls(2);
        let mut seen = 0;
        let progress = expand(&path, &options(100_000), &controls, &mut |_| {
            seen += 1;
            if seen == stop_after {
                controls.iter().for_each(|control| control.stop());
            }
        })
        .unwrap();
        assert!(progress.new >= stop_after);
        let book = Book::open(&path).unwrap();
        assert_eq!(check(&book, 10), Vec::<String>::new());
        let now = searched(&book);
        assert_eq!(now.len() as u64, progress.searched);
        assert!(all.iter().all(|(key, found)| now.get(key) == Some(found)), "something is lost");
        all = now;
    }
    assert!(all.len() >= 61, "{}", all.len());
}

/// A process that is killed leaves a book and a journal of what came after it.
#[test]
fn a_killed_process_loses_nothing_that_was_searched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.book");
    let journal = folder.path().join("own.book.journal");
    let _ = grow(&path, &options(60), 1);
    let before = fs::read(&path).unwrap();
    // The journal as it is in the middle of the next run.
    let (copy, mut seen) = (folder.path().join("copy"), 0);
    let progress = expand(&path, &options(150), &controls(1), &mut |progress| {
        seen += 1;
        if seen == 50 {
            assert_eq!(progress.new, 50);
            fs::copy(&journal, &copy).unwrap();
        }
    })
    .unwrap();
    let whole = searched(&Book::open(&path).unwrap());
    assert_eq!(whole.len() as u64, progress.searched);
    // Back to the moment of the kill, with half a record more.
    fs::write(&path, before).unwrap();
    let mut bytes = fs::read(&copy).unwrap();
    assert_eq!(bytes.len(), 8 + 50 * 24);
    bytes.extend([1; 10]);
    fs::write(&journal, bytes).unwrap();
    let (book, progress) = grow(&path, &options(1), 1);
    assert_eq!(progress.new, 0, "there are enough positions");
    let again = searched(&book);
    assert!(again.len() >= 110, "{}", again.len());
    assert!(again.iter().all(|(key, found)| whole.get(key) == Some(found)));
}

#[test]
fn books_of_two_machines_become_one() {
    let folder = tempfile::tempdir().unwrap();
    let grown = |name: &str, fen: Position, depth| {
        let options = ExpandOptions { start: fen, limits: Limits::depth(depth), ..options(40) };
        grow(&folder.path().join(name), &options, 2).0
    };
    let (one, two) = (grown("1.book", Position::initial(), 1), grown("2.book", after("32-28"), 2));
    let path = folder.path().join("both.book");
    merge(&[one, two], None, &path, Existing::Keep).unwrap();
    let both = Book::open(&path).unwrap();
    assert_eq!(check(&both, 10), Vec::<String>::new());
    let (entry, _) = both.look_up(&after("32-28")).unwrap();
    assert_eq!(entry.searched.unwrap().depth, 1, "nobody has searched it deeper");
    let reply = after("32-28 19-23");
    assert_eq!(both.look_up(&reply).unwrap().0.searched.unwrap().depth, 2);
    assert_eq!(both.about().history.len(), 3);
}

#[test]
fn a_book_begins_at_ballots_too_and_is_cut_to_what_is_good() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.book");
    let ballots = ["32-28 19-23", "32-28 18-23"].map(after);
    let options = |positions, more_starts| ExpandOptions {
        limits: Limits::nodes(300),
        more_starts,
        ..options(positions)
    };
    grow(&path, &options(30, Vec::new()), 1);
    let (book, _) = grow(&path, &options(120, ballots.to_vec()), 1);
    for start in ballots {
        let (entry, moves) = book.look_up(&start).unwrap();
        assert!(entry.is_start && entry.ply == 0 && !moves.is_empty(), "{entry:?}");
    }
    assert!(searched(&book).values().any(|&(_, depth)| (2..20).contains(&depth)));
    assert!(book.about().history.last().unwrap().starts_with("expanded: 300 nodes, 50 plies"));

    let cut = folder.path().join("cut.book");
    merge(std::slice::from_ref(&book), Some(5), &cut, Existing::Keep).unwrap();
    let cut = Book::open(&cut).unwrap();
    assert_eq!(check(&cut, 10), Vec::<String>::new());
    assert!(cut.len() < book.len() / 2, "{} of {}", cut.len(), book.len());
    // The first start has no search of its own: the depth is one more than that of its moves.
    let depth =
        |book: &Book, position: &Position| book.look_up(position)?.0.searched.map(|it| it.depth);
    let initial = Position::initial();
    let moves = initial.legal_moves();
    let of_moves = moves.iter().filter_map(|&mv| depth(&book, &initial.after(mv))).min().unwrap();
    assert_eq!((depth(&book, &initial), depth(&cut, &initial)), (None, Some(of_moves + 1)));
    // Position by position until nothing changes: what the lines from the starts lose at least.
    let entries = || (0..book.len()).map(|index| book.position(index).unwrap());
    let mut lost: HashMap<Key, i32> =
        entries().filter(|it| it.is_start).map(|it| (it.key, 0)).collect();
    let mut kept: HashMap<Key, Vec<Move>> = HashMap::new();
    loop {
        let before = lost.clone();
        for entry in entries() {
            let Some(&so_far) = before.get(&entry.key) else { continue };
            let position = entry.key.position().unwrap();
            let mut near = Vec::new();
            for (mv, it) in book.look_up(&position).unwrap().1 {
                let Some(score) = it.score else { continue };
                let sum = so_far + entry.score.unwrap().hundredths() - score.hundredths();
                if sum <= 5 {
                    near.push(mv);
                    let least = lost.entry(Key::of(&position.after(mv))).or_insert(sum);
                    *least = sum.min(*least);
                }
            }
            let _ = kept.insert(entry.key, near);
        }
        if lost == before {
            break;
        }
    }
    lost.retain(|key, _| entries().any(|it| it.key == *key));
    assert_eq!(cut.len(), lost.len());
    for key in lost.keys() {
        let position = key.position().unwrap();
        let (entry, moves) = cut.look_up(&position).unwrap();
        assert_eq!(entry.score, book.look_up(&position).unwrap().0.score, "{}", position.to_fen());
        assert!(moves.iter().map(|(mv, _)| mv).eq(&kept[key]), "{}", position.to_fen());
    }
}

#[test]
fn a_won_position_is_not_expanded() {
    let folder = tempfile::tempdir().unwrap();
    let start = Position::from_fen("W:W27:B22").unwrap();
    let (book, progress) =
        grow(&folder.path().join("own.book"), &ExpandOptions { start, ..options(100) }, 1);
    assert_eq!((book.len(), progress.searched), (2, 1), "27x18 ends the game");
    assert_eq!(progress.score, Some(Score::win_in(1)));
}

#[test]
fn a_book_of_games_can_be_expanded() {
    let folder = tempfile::tempdir().unwrap();
    let book = book_of(
        "position W:W31-50:B1-20 start games=5\n  32-28 games=5 results=2/2/1\n",
        folder.path(),
    );
    let path = book.path().to_owned();
    let (book, _) = grow(&path, &options(9), 1);
    let (entry, moves) = book.look_up(&Position::initial()).unwrap();
    assert_eq!((entry.games, moves.len()), (5, 9));
    let played: Vec<_> = moves.iter().filter(|(_, entry)| entry.games > 0).collect();
    assert_eq!((played.len(), played[0].1.games, played[0].1.draws), (1, 5, 2));
    assert!(moves.iter().all(|(_, entry)| entry.score.is_some()));
}
