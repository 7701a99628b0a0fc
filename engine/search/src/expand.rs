//! Books that grow by search: drop-out expansion.
//!
//! A position is expanded by searching the positions after all its moves. The next one is always
//! the one of least cost: the plies from the start, plus a weight times how far all moves on the
//! way fall short of the best moves of their positions, in men. So lines that are nearly best are
//! carried on, for both sides alike, and an opponent rarely leaves the book by a good move.
//! Positions that several orders of moves lead to are one; scores are backed up by minimax.
//!
//! Source: T. R. Lincke, "Strategies for the automatic construction of opening books", CG 2000.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, bounded, unbounded};
use meerslag_files::Existing;
use movegen::{Game, Position};

use crate::clock::Instant;
use crate::limits::{Control, Limits};
use crate::{Engine, EngineError, EngineOptions, STACK_BYTES};
use meerslag_book::graph::{BookNode, Edge, Graph, ranked};
use meerslag_book::journal::Journal;
use meerslag_book::{Book, BookError, Searched};
use movegen::Score;
use movegen::key::{Key, folded};
use movegen::words::counted;

/// The cost of a ply.
const PLY_COST: u32 = 100;

/// How a book is expanded.
#[derive(Clone, Debug)]
pub struct ExpandOptions {
    /// Of the search of each position.
    pub limits: Limits,
    /// Plies that a deviation of a man from the best move costs.
    pub weight: u32,
    /// Where a new book begins.
    pub start: Position,
    /// Where a book begins, too.
    pub more_starts: Vec<Position>,
    /// Stop when the book has this number of searched positions.
    pub positions: Option<u64>,
    /// Stop after this time.
    pub time: Option<Duration>,
    /// How often the book is written.
    pub interval: Duration,
    /// The engine of each thread.
    pub engine: EngineOptions,
    /// Its name for the history of the book.
    pub engine_name: String,
}

/// How far an expansion is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExpandProgress {
    /// Searched positions in the book.
    pub searched: u64,
    /// Searched in this run.
    pub new: u64,
    /// The value of the first start to the side to move.
    pub score: Option<Score>,
    /// Searches of an earlier run that were damaged in the journal and are made again.
    pub damaged: u64,
}

/// Why an expansion cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum ExpandError {
    /// Something about the file.
    #[error(transparent)]
    Book(#[from] BookError),
    /// Something about the engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// No thread can be started.
    #[error("cannot start a thread")]
    Thread(#[source] std::io::Error),
}

/// Expands the book in a file, or starts one there, with as many threads as there are controls.
/// Stop them to end it; finished searches are kept, and the next call continues.
///
/// # Errors
/// If the file cannot be read or written, or the engine cannot be made. Nothing that was searched
/// before is lost.
pub fn expand(
    path: &Path,
    options: &ExpandOptions,
    controls: &[Arc<Control>],
    report: &mut dyn FnMut(&ExpandProgress),
) -> Result<ExpandProgress, ExpandError> {
    let (journal, earlier) = Journal::open(path)?;
    let mut graph = if path.exists() {
        Graph::of(&Book::open(path)?)?
    } else {
        let mut graph = Graph::default();
        graph.begin_at(&options.start);
        graph
    };
    options.more_starts.iter().for_each(|start| graph.begin_at(start));
    let engines = controls.iter().map(|_| Engine::new(options.engine.clone()));
    let engines = engines.collect::<Result<Vec<_>, _>>()?;
    let mut expansion = Expansion::new(path, graph, journal, options);
    expansion.replay(&earlier.searched);
    expansion.progress.damaged = earlier.damaged;
    if earlier.damaged > 0 {
        report(&expansion.progress);
    }
    thread::scope(|scope| -> Result<(), ExpandError> {
        let (jobs, taken) = unbounded::<(Key, Position)>();
        let (sender, results) = bounded(controls.len());
        for (mut engine, control) in engines.into_iter().zip(controls) {
            let (taken, sender) = (taken.clone(), sender.clone());
            let limits = options.limits.clone();
            thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || work(&mut engine, &limits, control, &taken, &sender))
                .map_err(ExpandError::Thread)?;
        }
        drop((taken, sender));
        // The end of the jobs ends the threads.
        Ok(expansion.run(&jobs, &results, controls, report)?)
    })?;
    expansion.save()?;
    expansion.journal.close();
    Ok(expansion.progress)
}

/// A search thread.
fn work(
    engine: &mut Engine,
    limits: &Limits,
    control: &Control,
    jobs: &Receiver<(Key, Position)>,
    results: &Sender<(Key, Option<Searched>)>,
) {
    for (key, position) in jobs {
        let found = engine.search(&Game::new(position), limits, control, &mut |_| {});
        // A search that was stopped does not count.
        let depth = found.info.depth.try_into().unwrap_or(u8::MAX);
        let searched = Searched { score: found.info.score, depth };
        let searched = (!control.is_stopped()).then_some(searched);
        if results.send((key, searched)).is_err() {
            return;
        }
    }
}

/// A position to search, and the moves that lead to it.
struct SearchTask {
    position: Position,
    parents: Vec<(u32, usize)>,
}

struct Expansion<'o> {
    path: &'o Path,
    options: &'o ExpandOptions,
    graph: Graph,
    journal: Journal,
    /// Positions that are waiting for a thread.
    queue: VecDeque<Key>,
    /// Positions whose search is waited for.
    wanted: HashMap<Key, SearchTask>,
    /// Positions being expanded: how many searches are missing.
    busy: HashMap<u32, usize>,
    progress: ExpandProgress,
    began: Instant,
    saved: Instant,
}

impl<'o> Expansion<'o> {
    fn new(
        path: &'o Path,
        graph: Graph,
        journal: Journal,
        options: &'o ExpandOptions,
    ) -> Expansion<'o> {
        let searched = graph.nodes.iter().filter(|node| node.entry.searched.is_some()).count();
        let progress =
            ExpandProgress { searched: searched as u64, new: 0, score: None, damaged: 0 };
        let now = Instant::now();
        Expansion {
            path,
            options,
            graph,
            journal,
            queue: VecDeque::new(),
            wanted: HashMap::new(),
            busy: HashMap::new(),
            progress,
            began: now,
            saved: now,
        }
    }

    /// Takes over the searches that an earlier run did not write. They follow moves of the
    /// positions that it was expanding, the next ones to expand.
    fn replay(&mut self, old: &[(Key, Searched)]) {
        let mut rest: HashMap<Key, Searched> = old.iter().copied().collect();
        while let Some(number) = (!rest.is_empty()).then(|| self.next_open()).flatten() {
            let before = rest.len();
            for (key, _, _) in self.missing(number) {
                if let Some(searched) = rest.remove(&key) {
                    self.enter(key, searched, &[]);
                }
            }
            if rest.len() == before {
                break;
            }
            self.graph.add_moves(number);
        }
        // Searches in another order, by several threads: wherever a move leads to one of them.
        let mut is_growing = !rest.is_empty();
        while is_growing {
            is_growing = false;
            for number in 0..self.graph.nodes.len() as u32 {
                let missing = self.missing(number);
                let mut is_parent = false;
                for (key, _, _) in missing {
                    if let Some(searched) = rest.remove(&key) {
                        self.enter(key, searched, &[]);
                        is_parent = true;
                    }
                }
                if is_parent {
                    self.graph.add_moves(number);
                    is_growing = true;
                }
            }
        }
        self.graph.link();
        self.progress.new = 0;
    }

    /// The successors of a position that have not been searched, with the move that leads to each.
    fn missing(&self, number: u32) -> Vec<(Key, Position, usize)> {
        let position = self.graph.nodes[number as usize].position;
        let mut missing = Vec::new();
        for (index, mv) in ranked(&position).into_iter().enumerate() {
            let after = position.after(mv);
            let key = Key::of(&after);
            let known = self.graph.find_key(key);
            let is_searched =
                known.is_some_and(|n| self.graph.nodes[n as usize].entry.searched.is_some());
            if !is_searched {
                missing.push((key, folded(&after), index));
            }
        }
        missing
    }

    /// Enters the result of a search.
    fn enter(&mut self, key: Key, searched: Searched, parents: &[(u32, usize)]) {
        let Ok(position) = key.position() else { return };
        let number = self.graph.find_or_add(&position);
        let entry = &mut self.graph.nodes[number as usize].entry;
        let is_new = entry.searched.is_none();
        if entry.searched.is_none_or(|old| searched.depth >= old.depth) {
            entry.searched = Some(searched);
        }
        self.progress.searched += u64::from(is_new);
        self.progress.new += u64::from(is_new);
        for &(parent, index) in parents {
            self.graph.nodes[parent as usize].moves[index].child = Some(number);
        }
    }

    /// Enters a new search, and remembers it.
    fn found(&mut self, key: Key, searched: Searched) -> Result<(), BookError> {
        self.journal.add(key, searched)?;
        let Some(wanted) = self.wanted.remove(&key) else { return Ok(()) };
        self.enter(key, searched, &wanted.parents);
        for (parent, _) in wanted.parents {
            if let Some(count) = self.busy.get_mut(&parent) {
                *count -= 1;
                if *count == 0 {
                    self.busy.remove(&parent);
                }
            }
        }
        Ok(())
    }

    /// The position to expand next.
    fn next_open(&mut self) -> Option<u32> {
        self.graph.back_up();
        let starts = self.graph.starts();
        self.progress.score =
            starts.first().and_then(|&start| self.graph.nodes[start as usize].entry.score);
        let weight = self.options.weight;
        let cost = |node: &BookNode, edge: &Edge| {
            PLY_COST.saturating_add(weight.saturating_mul(node.deviation(edge).unwrap_or(0)))
        };
        let distances = self.graph.distances(&starts, cost);
        let mut open: Vec<(u32, u32)> = distances
            .iter()
            .enumerate()
            .filter_map(|(number, distance)| Some(((*distance)?, number as u32)))
            .filter(|(_, number)| !self.busy.contains_key(number))
            .collect();
        open.sort_unstable();
        open.into_iter().map(|(_, number)| number).find(|&number| self.is_open(number))
    }

    /// Whether a position has successors that have not been searched.
    fn is_open(&self, number: u32) -> bool {
        let node = &self.graph.nodes[number as usize];
        let is_known = |edge: &Edge| {
            edge.child.is_some_and(|n| self.graph.nodes[n as usize].entry.searched.is_some())
        };
        // Do not continue from the end of a game.
        let is_over = node.entry.score.is_some_and(Score::is_decided);
        !is_over
            && node.position.has_legal_move()
            && (node.moves.len() as u64 != node.position.count_legal_moves()
                || !node.moves.iter().all(is_known))
    }

    /// Begins to expand a position.
    fn open(&mut self, number: u32) -> Result<(), BookError> {
        self.graph.add_moves(number);
        let missing = self.missing(number);
        let keys: HashSet<Key> = missing.iter().map(|(key, _, _)| *key).collect();
        self.busy.insert(number, missing.len());
        if missing.is_empty() {
            self.busy.remove(&number);
        }
        for (key, position, index) in missing {
            let wanted = self.wanted.entry(key).or_insert_with(|| {
                self.queue.push_back(key);
                SearchTask { position, parents: Vec::new() }
            });
            wanted.parents.push((number, index));
        }
        // A finished game needs no search.
        for key in keys {
            let is_over =
                self.wanted.get(&key).is_some_and(|wanted| !wanted.position.has_legal_move());
            if is_over {
                self.queue.retain(|&waiting| waiting != key);
                self.found(key, Searched { score: Score::loss_in(0), depth: 0 })?;
            }
        }
        Ok(())
    }

    fn is_enough(&self) -> bool {
        let is_large = |most: u64| self.progress.searched >= most;
        let is_late = |time: Duration| self.began.elapsed() >= time;
        self.options.positions.is_some_and(is_large) || self.options.time.is_some_and(is_late)
    }

    fn run(
        &mut self,
        jobs: &Sender<(Key, Position)>,
        results: &Receiver<(Key, Option<Searched>)>,
        controls: &[Arc<Control>],
        report: &mut dyn FnMut(&ExpandProgress),
    ) -> Result<(), BookError> {
        let mut running = 0;
        let is_stopped = || controls.iter().any(|control| control.is_stopped());
        loop {
            let is_ending = is_stopped() || self.is_enough();
            while running < controls.len() && !is_ending {
                let Some(key) = self.queue.pop_front() else {
                    match self.next_open() {
                        Some(number) => self.open(number)?,
                        None => break,
                    }
                    continue;
                };
                let Some(wanted) = self.wanted.get(&key) else { continue };
                if jobs.send((key, wanted.position)).is_err() {
                    break;
                }
                running += 1;
            }
            if running == 0 {
                return Ok(());
            }
            let Ok((key, searched)) = results.recv() else { return Ok(()) };
            running -= 1;
            let Some(searched) = searched else { continue };
            self.found(key, searched)?;
            report(&self.progress);
            if self.saved.elapsed() >= self.options.interval {
                self.save()?;
            }
        }
    }

    /// Writes the book, and empties the journal.
    fn save(&mut self) -> Result<(), BookError> {
        self.graph.link();
        self.graph.back_up();
        self.graph.count_plies();
        let starts = self.graph.starts();
        self.progress.score =
            starts.first().and_then(|&start| self.graph.nodes[start as usize].entry.score);
        let ExpandOptions { limits, weight, engine_name, .. } = self.options;
        let nodes = limits.nodes.map(|nodes| format!("{nodes} nodes, "));
        let depth = limits.depth.map(|depth| format!("depth {depth}, "));
        let step = format!(
            "expanded: {}{}{} for a deviation of a man, {engine_name}",
            nodes.unwrap_or_default(),
            depth.unwrap_or_default(),
            counted(*weight, "ply")
        );
        if self.graph.about.history.last() != Some(&step) {
            self.graph.about.history.push(step);
        }
        self.graph.write(self.path, Existing::Replace)?;
        self.journal.clear()?;
        self.saved = Instant::now();
        Ok(())
    }
}
