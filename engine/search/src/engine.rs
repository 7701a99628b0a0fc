//! The engine as its users see it.

use std::hash::{BuildHasher, Hasher, RandomState};

use egdb::error::OpenError;
use egdb::{DatabaseOptions, Probe};
use movegen::random::Random;
use movegen::{Game, Move, Position, Variant};

use crate::clock::Instant;
use crate::endgame;
use crate::eval::Evaluation;
use crate::level::PlayingLevel;
use crate::limits::{Control, Limits, Mode};
use crate::options::{EngineError, EngineOptions};
use crate::search::{self, Info, Resources, SearchNumbers, SearchResult, WorkerMemory};
use crate::tt::TranspositionTable;
use meerslag_book::BookMove;
use movegen::Score;

/// The engine: transposition table, search threads and their memory between moves.
#[derive(Debug)]
pub struct Engine {
    options: EngineOptions,
    databases: Probe,
    /// For games that the databases are not about.
    no_databases: Probe,
    /// The game of the last search: table and memories are of it.
    variant: Variant,
    /// That of the options if it is of this game, otherwise the program's own.
    evaluation: Evaluation,
    /// Numbers in place of the usual ones of the search.
    numbers: Option<SearchNumbers>,
    table: TranspositionTable,
    /// One per thread.
    memories: Vec<WorkerMemory>,
    /// For the choice of book moves.
    random: Random,
}

impl Engine {
    /// An engine with these options.
    ///
    /// # Errors
    /// If an option is out of range or there is no memory for the table.
    pub fn new(options: EngineOptions) -> Result<Engine, EngineError> {
        options.check()?;
        let databases = open(&options.databases)?;
        let table = TranspositionTable::new(options.hash_mib)?;
        let variant = Variant::International;
        let evaluation = evaluation_of(variant, &options);
        let memory = || WorkerMemory::new(&evaluation);
        let memories = std::iter::repeat_with(memory).take(options.threads).collect();
        let random = Random::new(RandomState::new().build_hasher().finish());
        Ok(Engine {
            options,
            databases,
            no_databases: Probe::new(),
            variant,
            evaluation,
            numbers: None,
            table,
            memories,
            random,
        })
    }

    /// Changes the options. The contents of the table are lost if its size changes.
    ///
    /// # Errors
    /// As [`Engine::new`]; the options then stay as they were.
    pub fn set_options(&mut self, options: EngineOptions) -> Result<(), EngineError> {
        options.check()?;
        let reopened = (options.databases != self.options.databases)
            .then(|| open(&options.databases))
            .transpose()?;
        if options.hash_mib != self.table.mib() {
            self.resize_table(options.hash_mib)?;
        }
        if let Some(databases) = reopened {
            self.databases = databases;
            // The table's contents depend on other databases.
            self.table.clear();
        }
        if options.evaluation != self.options.evaluation
            || options.draw_score != self.options.draw_score
        {
            self.table.clear();
            self.memories.clear();
        }
        self.options = options;
        self.evaluation = evaluation_of(self.variant, &self.options);
        self.fill_memories();
        Ok(())
    }

    fn fill_memories(&mut self) {
        let memory = || WorkerMemory::new(&self.evaluation);
        self.memories.resize_with(self.options.threads, memory);
    }

    /// Forgets what belongs to another game.
    fn enter(&mut self, variant: Variant) {
        if variant != self.variant {
            self.variant = variant;
            self.evaluation = evaluation_of(variant, &self.options);
            self.table.clear();
            self.memories.clear();
            self.fill_memories();
        }
    }

    /// Replaces the table. The old one goes first: both together may not fit into the memory.
    fn resize_table(&mut self, mib: usize) -> Result<(), EngineError> {
        let old = self.table.mib();
        self.table = TranspositionTable::new(1)?;
        match TranspositionTable::new(mib) {
            Ok(table) => {
                self.table = table;
                Ok(())
            }
            Err(error) => {
                self.table = TranspositionTable::new(old)?;
                Err(error.into())
            }
        }
    }

    /// Searches with these numbers from now on, and forgets results from others. Every number must
    /// lie in its range of [`SearchNumbers::ALL`].
    #[cfg(feature = "tuning")]
    pub fn set_numbers(&mut self, numbers: SearchNumbers) {
        self.numbers = Some(numbers);
        self.new_game();
    }

    /// The largest piece count that the open endgame databases have values for, 0 without any.
    #[must_use]
    pub fn database_pieces(&self) -> u32 {
        self.databases.max_pieces().into()
    }

    /// Whether the databases decide on the move in this position, or on the moves that a search
    /// chooses from.
    #[must_use]
    pub fn knows(&self, position: &Position) -> bool {
        self.is_of(position) && endgame::choice::knows(position, &self.databases)
    }

    /// The moves that keep the value of the position by the databases; `None` if these are all
    /// legal moves, or nothing is known.
    #[must_use]
    pub fn keeping_moves(&self, position: &Position) -> Option<Vec<Move>> {
        let is_known = self.is_of(position);
        is_known.then(|| endgame::choice::keeping(position, &self.databases)).flatten()
    }

    /// Whether the databases are of the game of a position.
    fn is_of(&self, position: &Position) -> bool {
        self.databases.variant() == position.variant()
    }

    /// The options in force.
    #[must_use]
    pub fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// Forgets everything learnt: the next search does not depend on earlier ones. Fast whatever
    /// the size of the table.
    pub fn new_game(&mut self) {
        self.table.clear();
    }

    /// The move that the book has in this game; `None` if all its moves lose or it has none, or if
    /// the limits do not ask for a move to play.
    pub fn book_move(&mut self, game: &Game, limits: &Limits) -> Option<SearchResult> {
        let start = Instant::now();
        let plays = limits.mode == Mode::Think
            && limits.multipv <= 1
            && limits.moves.is_empty()
            && game.position().variant().is_international();
        let book = self.options.book.as_ref().filter(|_| plays)?;
        book.choose(game, &mut self.random).map(|found| from_book(found, start))
    }

    /// Searches the current position of the game, or takes a move from the book if it is to play
    /// one. Blocks until the search is over; `report` is called on this thread, at least once if
    /// there is a legal move.
    ///
    /// Without a legal move it returns at once and without a report.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        if let Some(found) = self.book_move(game, limits) {
            report(&found.info);
            return found;
        }
        self.enter(game.position().variant());
        let is_of = self.is_of(game.position());
        self.table.next_search();
        let Engine {
            options, databases, no_databases, evaluation, numbers, table, memories, ..
        } = self;
        let is_weaker = options.level < PlayingLevel::FULL && limits.mode != Mode::Analyze;
        let threads = if is_weaker { 1 } else { memories.len() };
        let limits = options.level.limits(limits);
        let resources = Resources {
            draw_rules: options.draw_rules,
            // Analysis gives values independent of the player.
            draw_score: match limits.mode {
                Mode::Analyze => Score::DRAW,
                Mode::Think | Mode::Ponder => options.draw_score,
            },
            move_overhead: options.move_overhead,
            ponder: options.ponder,
            databases: if is_of { databases } else { no_databases },
            evaluation,
            numbers: numbers.as_ref(),
            table,
            memories: &mut memories[..threads],
        };
        search::run(game, &limits, control, resources, report)
    }
}

/// Weights are of one game; the others have the program's own.
fn evaluation_of(variant: Variant, options: &EngineOptions) -> Evaluation {
    if options.evaluation.weights().variant == variant.rules() {
        options.evaluation.clone()
    } else {
        Evaluation::of(variant)
    }
}

/// The databases; of games other than the international one there need not be any.
fn open(options: &DatabaseOptions) -> Result<Probe, OpenError> {
    match options.open() {
        Err(OpenError::NothingFound { .. } | OpenError::OtherGame { .. })
            if !options.variant.is_international() =>
        {
            Ok(Probe::new())
        }
        opened => opened,
    }
}

/// A move from the opening book in place of a search.
fn from_book(found: BookMove, start: Instant) -> SearchResult {
    let info = Info {
        depth: 1,
        score: found.score.unwrap_or(Score::DRAW),
        is_book: true,
        pv: found.pv,
        ..Info::lost(start.elapsed())
    };
    SearchResult { best: info.pv.first().copied(), ponder: info.pv.get(1).copied(), info }
}
