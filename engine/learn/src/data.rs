//! Sets of files of games, read in random order by several threads.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::thread;

use crossbeam::channel;
use movegen::Variant;
use movegen::random::Random;

use super::error::TrainError;
use super::game::PlayedGame;
use super::sample::{Filter, Sample, SeenGames, is_held_out};
use super::settings::positive;
use super::store::{BLOCK_GAMES, Contents, GamesHeader, StoreError, files};

/// Blocks that are decoded and mixed together: some 60,000 positions.
const GROUP: usize = 64;

/// A folder of games, or one file, and how much its positions count.
#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    /// The folder or file.
    pub path: PathBuf,
    /// The weight of its positions.
    pub weight: f32,
}

/// The place of a block.
#[derive(Clone, Copy, Debug)]
struct GameIndex {
    file: usize,
    offset: u64,
    /// A bit for each game of the block that occurred before.
    copies: u32,
}

const _: () = assert!(BLOCK_GAMES == u32::BITS as u64);

/// All blocks of some sources.
#[derive(Debug)]
pub struct DataSet {
    /// The game of all files.
    pub variant: Variant,
    files: Vec<(PathBuf, f32, Filter)>,
    blocks: Vec<GameIndex>,
    /// Number of games, each counted once.
    pub games: u64,
    /// Games left out because they occurred before.
    pub copies: u64,
    /// Bytes that belong to no good block.
    pub skipped: u64,
    /// CRC-32 over the filter, the weights of the sources, the headers and the good blocks of
    /// their files, as hexadecimal.
    pub hash: String,
}

/// Which games to take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// Games to learn from.
    Training,
    /// Games held out.
    HeldOut,
}

impl DataSet {
    /// Looks through the files of the sources. Damaged blocks are left out, games that occurred
    /// before, and later the positions that the filter rejects.
    ///
    /// # Errors
    /// If a file cannot be read or has no games, or games with other rules than those before.
    pub fn open(sources: &[Source], filter: &Filter) -> Result<DataSet, StoreError> {
        let mut game = None;
        let mut set = DataSet {
            variant: Variant::International,
            files: Vec::new(),
            blocks: Vec::new(),
            games: 0,
            copies: 0,
            skipped: 0,
            hash: String::new(),
        };
        let mut seen = SeenGames::default();
        let mut sum = crc32fast::Hasher::new();
        sum.update(&serde_json::to_vec(filter).unwrap_or_default());
        for source in sources {
            sum.update(&source.weight.to_le_bytes());
            for path in files(&source.path)? {
                let mut contents = Contents::open_of(&path, &mut game)?;
                let header = serde_json::to_vec(contents.header()).unwrap_or_default();
                sum.update(&header);
                let filter = filter.beyond(contents.header().database_pieces);
                let file = set.files.len();
                while let Some(block) = contents.next_block()? {
                    let mut copies = 0u32;
                    let games = block.games(contents.header().variant).unwrap_or_default();
                    for (number, game) in games.iter().enumerate() {
                        if seen.is_new(game) {
                            set.games += 1;
                        } else {
                            copies |= 1 << number;
                        }
                    }
                    set.copies += u64::from(copies.count_ones());
                    sum.update(&block.bytes);
                    // Trainings of older programs used every copy.
                    if copies != 0 {
                        sum.update(&copies.to_le_bytes());
                    }
                    set.blocks.push(GameIndex { file, offset: block.start, copies });
                }
                set.skipped += contents.skipped();
                set.files.push((path, source.weight, filter));
            }
        }
        set.variant = game.unwrap_or_default();
        set.hash = format!("{:08x}", sum.finalize());
        Ok(set)
    }

    /// How many groups [`DataSet::for_each_group`] sees.
    pub(super) fn groups(&self) -> usize {
        self.blocks.len().div_ceil(GROUP)
    }

    /// Calls `see` with the samples of the part, group by group, in an order that depends on the
    /// seed alone; each group is mixed. `threads` threads decode.
    ///
    /// # Errors If a file can no longer be read, or a thread cannot be started.
    pub(super) fn for_each_group(
        &self,
        part: Part,
        seed: u64,
        threads: usize,
        mut see: impl FnMut(Vec<Sample>),
    ) -> Result<(), TrainError> {
        let mut order = self.blocks.clone();
        Random::new(seed).shuffle(&mut order);
        let groups: Vec<&[GameIndex]> = order.chunks(GROUP).collect();
        let threads = threads.clamp(1, groups.len().max(1));
        thread::scope(|scope| {
            // Each thread has its own channel; the channels are read in turn.
            let mut receivers = Vec::new();
            for first in 0..threads {
                let (sender, receiver) = channel::bounded(1);
                let groups = &groups;
                let decode = move || {
                    for (number, group) in groups.iter().enumerate().skip(first).step_by(threads) {
                        let mut samples = self.decode(group, part);
                        if let Ok(samples) = &mut samples {
                            Random::new(seed ^ number as u64).shuffle(samples);
                        }
                        if sender.send(samples).is_err() {
                            return;
                        }
                    }
                };
                let started = thread::Builder::new().spawn_scoped(scope, decode);
                started.map_err(TrainError::Thread)?;
                receivers.push(receiver);
            }
            for receiver in (0..groups.len()).map(|number| &receivers[number % threads]) {
                match receiver.recv() {
                    Ok(samples) => see(samples?),
                    Err(_) => break,
                }
            }
            Ok(())
        })
    }

    fn decode(&self, places: &[GameIndex], part: Part) -> Result<Vec<Sample>, StoreError> {
        let mut samples = Vec::new();
        let mut sorted: Vec<GameIndex> = places.to_vec();
        sorted.sort_by_key(|place| (place.file, place.offset));
        for places in sorted.chunk_by(|a, b| a.file == b.file) {
            let (path, weight, filter) = &self.files[places[0].file];
            let mut contents = Contents::open(path)?;
            for place in places {
                let games = contents.games_at(place.offset)?.unwrap_or_default();
                for (number, game) in games.iter().enumerate() {
                    let is_copy = place.copies >> number & 1 != 0;
                    if !is_copy && is_held_out(game) == (part == Part::HeldOut) {
                        filter.samples(game, *weight, &mut samples);
                    }
                }
            }
        }
        Ok(samples)
    }
}

/// Calls `see` with each game of these folders and files, file by file, and `damaged` with each
/// file that has bytes outside good blocks, and their number; returns the sum of these numbers.
///
/// # Errors
/// If a file cannot be read, a folder has none, or a file holds games with other rules than `variant`
/// or, without one, than the files before; and the errors of `see`.
pub fn read_games<E: From<StoreError>>(
    paths: &[PathBuf],
    mut variant: Option<Variant>,
    mut see: impl FnMut(&GamesHeader, PlayedGame) -> Result<(), E>,
    mut damaged: impl FnMut(&Path, u64),
) -> Result<u64, E> {
    let mut all = Vec::new();
    for path in paths {
        all.extend(files(path)?);
    }
    let mut skipped = 0;
    for path in all {
        let mut contents = Contents::open_of(&path, &mut variant)?;
        while let Some(games) = contents.next_games()? {
            for game in games {
                see(contents.header(), game)?;
            }
        }
        if contents.skipped() > 0 {
            damaged(&path, contents.skipped());
        }
        skipped += contents.skipped();
    }
    Ok(skipped)
}

/// `DIR`, or `DIR=WEIGHT` for another weight than 1.
impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Source, String> {
        match text.rsplit_once('=') {
            Some((path, weight)) => Ok(Source { path: path.into(), weight: positive(weight)? }),
            None => Ok(Source { path: text.into(), weight: 1.0 }),
        }
    }
}

impl Source {
    /// Games with full weight.
    #[must_use]
    pub fn new(path: &Path) -> Source {
        Source { path: path.to_owned(), weight: 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tempfile::TempDir;

    use super::super::store::Store;
    use super::super::test_games;
    use super::*;

    #[test]
    fn all_games_are_read_and_damage_is_told() {
        let folder = TempDir::new().unwrap();
        let (header, games) = test_games::games(2 * BLOCK_GAMES);
        let mut store = Store::open(folder.path(), &header).unwrap();
        let mut ends = Vec::new();
        for block in games.chunks(BLOCK_GAMES as usize) {
            let mut bytes = Vec::new();
            block.iter().for_each(|game| game.encode(&mut bytes));
            store.add(block.len() as u32, &bytes).unwrap();
            ends.push(folder.path().join(header.file_name()).metadata().unwrap().len());
        }
        drop(store);
        let read = || {
            let (mut seen, mut damaged) = (Vec::new(), Vec::new());
            let see = |_: &GamesHeader, game| {
                seen.push(game);
                Ok::<_, StoreError>(())
            };
            let note = |path: &Path, bytes| damaged.push((path.to_owned(), bytes));
            let sum = read_games(&[folder.path().to_owned()], None, see, note).unwrap();
            (seen, damaged, sum)
        };
        assert_eq!(read(), (games.clone(), Vec::new(), 0));

        let file = folder.path().join(header.file_name());
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[ends[1] as usize - 1] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        let lost = ends[1] - ends[0];
        let left = games[..BLOCK_GAMES as usize].to_vec();
        assert_eq!(read(), (left, vec![(file, lost)], lost));
    }

    #[test]
    fn games_of_the_board_are_not_mixed() {
        let [frisian, frysk, killer] = [Variant::Frisian, Variant::Frysk, Variant::Killer];
        let folders = [frisian, frysk, killer].map(|variant| {
            let folder = TempDir::new().unwrap();
            let (header, _) = test_games::games(0);
            let mut store = Store::open(folder.path(), &GamesHeader { variant, ..header }).unwrap();
            let mut bytes = Vec::new();
            let games = (0..BLOCK_GAMES).map(|seed| test_games::random_game_of(variant, seed));
            games.for_each(|game| game.encode(&mut bytes));
            store.add(BLOCK_GAMES as u32, &bytes).unwrap();
            folder
        });
        let open = |places: &[usize]| {
            let sources = places.iter().map(|&place| Source::new(folders[place].path()));
            DataSet::open(&sources.collect::<Vec<_>>(), &Filter::default())
        };
        // Frysk! has the rules of Frisian.
        let both = open(&[0, 1]).unwrap();
        assert_eq!((both.variant, both.games, both.skipped), (frisian, 2 * BLOCK_GAMES, 0));
        let error = open(&[2, 0]).unwrap_err().to_string();
        assert!(error.ends_with("games of frisian, not of killer"), "{error}");
        let paths = [folders[0].path().to_owned()];
        let read = |variant| {
            let mut starts = Vec::new();
            let see = |_: &GamesHeader, game: PlayedGame| {
                starts.push(game.start.variant());
                Ok::<_, StoreError>(())
            };
            read_games(&paths, variant, see, |_, _| {}).map(|_| starts)
        };
        assert_eq!(read(None).unwrap(), [frisian; BLOCK_GAMES as usize]);
        assert!(read(Some(killer)).is_err() && read(Some(frysk)).is_ok());
    }

    #[test]
    fn a_game_that_occurs_again_counts_once() {
        let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
        let (header, games) = test_games::games(2 * BLOCK_GAMES);
        let (first, second) = games.split_at(BLOCK_GAMES as usize);
        let write = |folder: &TempDir, blocks: &[&[PlayedGame]]| {
            let mut store = Store::open(folder.path(), &header).unwrap();
            for block in blocks {
                let mut bytes = Vec::new();
                block.iter().for_each(|game| game.encode(&mut bytes));
                store.add(block.len() as u32, &bytes).unwrap();
            }
        };
        write(&folders[0], &[first, second]);
        write(&folders[1], &[second, first, second]);
        let filter = Filter { most_score: 10_000, most_material: 60, ..Filter::default() };
        let open = |sources: &[Source]| DataSet::open(sources, &filter).unwrap();
        let [one, two] = folders.each_ref().map(|folder| Source::new(folder.path()));
        let (once, again) = (open(std::slice::from_ref(&one)), open(&[one, two]));
        let moves = |game: &PlayedGame| game.plies.iter().map(|ply| ply.mv).collect::<Vec<_>>();
        let distinct: HashSet<_> = games.iter().map(|game| (game.start, moves(game))).collect();
        let all = games.len() as u64;
        assert_eq!((once.games, once.copies), (distinct.len() as u64, all - once.games));
        assert_eq!((again.games, again.copies), (once.games, once.copies + all + all / 2));
        for part in [Part::Training, Part::HeldOut] {
            let samples = |set: &DataSet| {
                let mut fens = Vec::new();
                let see = |samples: Vec<Sample>| {
                    fens.extend(samples.iter().map(|sample| sample.position.to_fen()));
                };
                set.for_each_group(part, 3, 2, see).unwrap();
                fens.sort();
                fens
            };
            assert_eq!(samples(&once), samples(&again));
        }
    }
}
