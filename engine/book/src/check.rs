//! Checks a book.

use super::graph::Graph;
use super::reader::Book;
use movegen::key::Key;
use movegen::words::counted;

/// Finds at most `most` faults in the content of a book, each with its place. Opening the book has
/// already compared its checksums.
///
/// Positions are in order, each with a key that is a position and with moves that are legal and in
/// order. Every position in a line can be reached from a start: by moves of the book or, in a book
/// of one side's moves, by moves of the other side between them. Scores are those that follow from
/// the leaves.
#[must_use]
pub fn check(book: &Book, most: usize) -> Vec<String> {
    let mut faults = Faults { list: Vec::new(), most };
    check_tables(book, &mut faults);
    if faults.list.is_empty() {
        // The next checks need sound tables.
        check_reach(book, &mut faults);
        check_scores(book, &mut faults);
    }
    faults.list
}

struct Faults {
    list: Vec<String>,
    most: usize,
}

impl Faults {
    fn add(&mut self, text: impl FnOnce() -> String) {
        if self.list.len() < self.most {
            self.list.push(text());
        }
    }
}

/// The position for messages.
fn shown(key: Key) -> String {
    key.position().map_or_else(|_| format!("{key:?}"), |position| position.to_fen())
}

fn check_tables(book: &Book, faults: &mut Faults) {
    let mut next_move = 0u64;
    let mut last: Option<Key> = None;
    for index in 0..book.len() {
        let Some(record) = book.position_record(index) else {
            faults.add(|| format!("position {index}: its key has more than fifty digits"));
            continue;
        };
        let key = record.entry.key;
        if last.is_some_and(|last| last >= key) {
            faults.add(|| format!("position {index}, {}: out of order", shown(key)));
        }
        last = Some(key);
        if u64::from(record.first_move) != next_move {
            faults.add(|| {
                let first = record.first_move;
                format!("position {index}: its moves begin at {first}, not {next_move}")
            });
        }
        next_move += u64::from(record.moves);
        let position = match key.position() {
            Ok(position) => position,
            Err(error) => {
                faults.add(|| format!("position {index}: {error}"));
                continue;
            }
        };
        let legal = position.legal_moves();
        let mut last_code = None;
        for number in record.first_move..record.first_move.saturating_add(record.moves.into()) {
            let Some(mv) = book.move_at(number as usize) else {
                faults.add(|| format!("position {index}: there is no move {number}"));
                break;
            };
            if !mv.folded().is_some_and(|played| legal.contains(&played)) {
                faults.add(|| {
                    let fen = position.to_fen();
                    let code = mv.code.bits();
                    format!("move {number} ({code:#x}) is not legal in {fen}")
                });
            }
            if last_code.is_some_and(|last| last >= mv.code) {
                faults.add(|| format!("move {number}: out of order"));
            }
            last_code = Some(mv.code);
            let results = [mv.wins, mv.draws, mv.losses].map(u64::from);
            if results.iter().sum::<u64>() > u64::from(mv.games) {
                faults.add(|| format!("move {number}: more results than games"));
            }
        }
    }
    if next_move != book.move_count() as u64 {
        let moves = counted(book.move_count(), "move");
        faults.add(|| format!("{moves}, of which {next_move} have a position"));
    }
}

/// Positions by their numbers that can be reached from a start.
pub(super) fn reached(book: &Book) -> Vec<bool> {
    let mut is_reached = vec![false; book.len()];
    let is_start = |index: &usize| book.position(*index).is_some_and(|entry| entry.is_start);
    let mut open: Vec<usize> = (0..book.len()).filter(is_start).collect();
    while let Some(index) = open.pop() {
        if std::mem::replace(&mut is_reached[index], true) {
            continue;
        }
        let Some(position) = book.position(index).and_then(|e| e.key.position().ok()) else {
            continue;
        };
        let mut reach = |key| {
            if let Some(next) = book.find_key(key).filter(|&next| !is_reached[next]) {
                open.push(next);
            }
        };
        for played in book.moves(index).filter_map(|mv| mv.folded()) {
            let after = position.after(played);
            reach(Key::of(&after));
            for &answer in &after.legal_moves() {
                reach(Key::of(&after.after(answer)));
            }
        }
        // The first move may be the other side's.
        if book.position(index).is_some_and(|entry| entry.is_start) {
            for &mv in &position.legal_moves() {
                reach(Key::of(&position.after(mv)));
            }
        }
    }
    is_reached
}

fn check_reach(book: &Book, faults: &mut Faults) {
    for (index, is_reached) in reached(book).into_iter().enumerate() {
        let Some(entry) = book.position(index) else { continue };
        if entry.is_in_line && !is_reached {
            faults.add(|| format!("position {index}, {}: no line leads there", shown(entry.key)));
        }
    }
}

fn check_scores(book: &Book, faults: &mut Faults) {
    let has_score = |index| {
        let entry = book.position(index);
        entry.is_some_and(|entry| entry.searched.is_some() || entry.score.is_some())
            || book.moves(index).any(|mv| mv.score.is_some())
    };
    if !(0..book.len()).any(has_score) {
        return;
    }
    let mut graph = match Graph::of(book) {
        Ok(graph) => graph,
        Err(error) => return faults.add(|| error.to_string()),
    };
    graph.back_up();
    for (index, node) in graph.nodes.iter().enumerate() {
        let Some(entry) = book.position(index) else { continue };
        if entry.score != node.entry.score {
            faults.add(|| {
                let (stored, score) = (entry.score, node.entry.score);
                format!("{}: score {stored:?}, its moves say {score:?}", shown(entry.key))
            });
        }
        for (stored, edge) in book.moves(index).zip(&node.moves) {
            if stored.score != edge.entry.score {
                faults.add(|| {
                    let (stored, score) = (stored.score, edge.entry.score);
                    let mv = edge.entry.folded().map_or_else(String::new, |mv| mv.to_string());
                    let fen = shown(entry.key);
                    format!("{mv} in {fen}: score {stored:?}, its position says {score:?}")
                });
            }
        }
    }
}
