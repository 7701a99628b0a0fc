//! When two games are the same: by players, date, result and annotations. `docs/games.md` has the
//! rule for people.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::hash::{Hash, Hasher};

use movegen::notation::pdn::year;
use movegen::notation::pdn::{Annotation, GameResult, PdnGame, PdnReader};
use rustc_hash::{FxHashMap, FxHasher};
use schemars::JsonSchema;
use serde::Deserialize;

use super::error::GamesError;
use super::file::GamesFile;
use super::names::{asked_keys, folded, is_same_player, posted_keys, words};
use super::rows::{needs_text, result_of, text_of};

/// What to do with a game that the file has already.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Duplicates {
    /// Add it again.
    Keep,
    /// Leave it out; a game with more in it is not a duplicate.
    #[default]
    Skip,
    /// Keep the one with more in it: comments, a result, all moves.
    Better,
}

/// From this many plies on equal moves are not chance, and events may differ in spelling.
const LONG: usize = 40;
/// A game that was cut off after this many plies is recognised by them alone.
const CLEAR: usize = 20;

/// The parts of [`Facts::parts`].
const DATE: usize = 0;
const ROUND: usize = 1;
const LINK: usize = 2;
const RESULT: usize = 3;
const EVENT: usize = 4;

/// The facts that distinguish games with the same start and moves.
#[derive(Debug)]
pub(crate) struct Facts {
    /// Its number in the file.
    pub(crate) id: i64,
    names: [String; 2],
    /// Date, round, link and so on, the coarse part first: a year before its month.
    parts: [Vec<String>; 5],
    /// The main line ends early.
    is_cut: bool,
    plies: usize,
    /// As the file keeps it, of a game that is not in it yet.
    pub(crate) text: Option<String>,
    /// Hashes of comments, glyphs and variations, sorted. They are read out of the text on demand.
    annotations: OnceCell<Option<Vec<u64>>>,
}

/// Which of two equal games has more in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fuller {
    /// The one in the file, or neither.
    There,
    /// The other one.
    Here,
}

impl Facts {
    pub(crate) fn of(game: &PdnGame) -> Facts {
        let tag = |name| game.tags.get(name).unwrap_or_default();
        let text = needs_text(game).then(|| text_of(game));
        let dates = [tag("Date"), tag("UTCDate")];
        Facts {
            id: 0,
            names: [tag("White").to_owned(), tag("Black").to_owned()],
            parts: [
                dates.into_iter().map(date).find(|date| !date.is_empty()).unwrap_or_default(),
                numbered(tag("Round")),
                link(tag("Site")),
                result(game.result, tag("Result")),
                event(tag("Event")),
            ],
            is_cut: game.truncated.is_some() || game.tags.get("Truncated").is_some(),
            plies: game.line.plies.len(),
            annotations: if text.is_none() {
                OnceCell::from(Some(Vec::new()))
            } else {
                OnceCell::new()
            },
            text,
        }
    }

    /// The games of the file with this start and these moves.
    fn of_print(file: &GamesFile, print: i64) -> rusqlite::Result<Vec<Facts>> {
        let mut select = file.connection.prepare_cached(
            "SELECT g.id, w.name, b.name, e.name, e.site, g.round, g.date, g.result, g.score, \
             g.plies, m.text IS NULL, m.tags FROM games g JOIN players w ON w.id = g.white \
             JOIN players b ON b.id = g.black JOIN events e ON e.id = g.event \
             JOIN moves m ON m.game = g.id WHERE g.fingerprint = ?1",
        )?;
        let facts = select.query_map([print], |row| {
            let text = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
            let tags: Option<String> = row.get(11)?;
            let tags: Vec<(String, String)> =
                tags.and_then(|tags| serde_json::from_str(&tags).ok()).unwrap_or_default();
            let tag =
                |wanted: &str| tags.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            let other = tag("UTCDate").map_or("", |(_, value)| value);
            let days = [text(6)?, other].into_iter().map(date).find(|date| !date.is_empty());
            let annotations = OnceCell::new();
            if row.get(10)? {
                let _ = annotations.set(Some(Vec::new()));
            }
            Ok(Facts {
                id: row.get(0)?,
                names: [row.get(1)?, row.get(2)?],
                parts: [
                    days.unwrap_or_default(),
                    numbered(text(5)?),
                    link(text(4)?),
                    result(result_of(row.get(7)?), text(8)?),
                    event(text(3)?),
                ],
                is_cut: tag("Truncated").is_some(),
                plies: row.get::<_, i64>(9)? as usize,
                text: None,
                annotations,
            })
        })?;
        facts.collect()
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(crate) fn folded_names(&self) -> [String; 2] {
        self.names.each_ref().map(|name| folded(name))
    }

    /// The annotations of the game; `None` if they are damaged.
    fn annotations(&self, file: &GamesFile) -> Option<&[u64]> {
        let read = || match &self.text {
            Some(text) => Some(annotations(&PdnReader::new(text.as_bytes()).next()?.ok()?)),
            None => Some(annotations(&file.game(self.id).ok()??.game)),
        };
        self.annotations.get_or_init(read).as_deref()
    }

    /// Whether both can have been played by the same people at the same time with the same result.
    fn fits(&self, other: &Facts) -> bool {
        let is_long = self.plies.min(other.plies) >= LONG;
        let agree =
            |(one, two): (&Vec<String>, &Vec<String>)| one.iter().zip(two).all(|(a, b)| a == b);
        let count = if is_long { EVENT } else { EVENT + 1 };
        self.parts.iter().zip(&other.parts).take(count).all(agree)
            && (0..2).all(|side| is_same_player(&self.names[side], &other.names[side]))
    }

    /// Whether this game, with the same moves, has all that the other one has.
    fn covers(&self, other: &Facts, file: &GamesFile) -> bool {
        let Some((all, part)) = self.annotations(file).zip(other.annotations(file)) else {
            return false;
        };
        other.parts[RESULT].len() <= self.parts[RESULT].len()
            && part.iter().all(|it| all.binary_search(it).is_ok())
    }

    /// Whether the two, with the same moves, are one game, and which one has more in it.
    fn compare(&self, here: &Facts, file: &GamesFile) -> Option<Fuller> {
        let is_one = self.is_cut == here.is_cut && self.fits(here);
        match () {
            () if !is_one => None,
            () if self.covers(here, file) => Some(Fuller::There),
            () if here.covers(self, file) => Some(Fuller::Here),
            () => None,
        }
    }

    /// Whether this one was cut off, and `whole`, which begins with its moves, is the same game.
    pub(crate) fn is_cut_from(&self, whole: &Facts, file: &GamesFile) -> bool {
        let is_known = |part: usize, least| {
            self.parts[part].len() >= least && whole.parts[part].len() >= least
        };
        let is_clear =
            self.plies >= CLEAR || is_known(DATE, 3) || is_known(ROUND, 1) || is_known(LINK, 1);
        // Unreadable text follows the last move.
        let unread = |annotations: &[u64]| {
            annotations.iter().all(|it| it % PLACES == self.plies as u64 % PLACES)
        };
        let is_said = || -> Option<bool> {
            let (part, all) = (self.annotations(file)?, whole.annotations(file)?);
            let rest: Vec<u64> =
                part.iter().copied().filter(|it| all.binary_search(it).is_err()).collect();
            Some(unread(&rest))
        };
        self.is_cut
            && !whole.is_cut
            && is_clear
            && self.parts[EVENT].iter().zip(&whole.parts[EVENT]).all(|(a, b)| a == b)
            && self.folded_names() == whole.folded_names()
            && self.names.iter().all(|name| !words(name).is_empty())
            && self.fits(whole)
            && is_said() == Some(true)
    }

    /// Under which keys the game is found. Two games of which one is the other have a key in common
    /// in each of the lists of [`Facts::asked`].
    fn posted(&self, file: &GamesFile) -> Vec<u64> {
        let mut list = Vec::new();
        for (place, parts) in self.parts.iter().enumerate() {
            list.extend((1..=parts.len()).map(|count| key((place, 'p', &parts[..count]))));
            list.push(key((place, 'e', parts)));
        }
        for (side, name) in self.names.iter().enumerate() {
            list.extend(posted_keys(name).iter().map(|word| key((side, 'n', word))));
        }
        let annotations = self.annotations(file).unwrap_or_default();
        list.extend(annotations.iter().map(|it| key(('s', it))));
        list.extend(annotations.is_empty().then(|| key('s')));
        list
    }

    /// Lists of keys, in each of which every equal game has one.
    fn asked(&self, file: &GamesFile, has_same_moves: bool) -> Vec<Vec<u64>> {
        let mut lists = Vec::new();
        for (place, parts) in self.parts.iter().enumerate() {
            if !parts.is_empty() && (place != EVENT || self.plies < LONG) {
                let mut list = vec![key((place, 'p', &parts[..]))];
                list.extend((0..parts.len()).map(|count| key((place, 'e', &parts[..count]))));
                lists.push(list);
            }
        }
        for (side, name) in self.names.iter().enumerate() {
            lists.extend(asked_keys(name).into_iter().map(|list| -> Vec<u64> {
                list.iter().map(|word| key((side, 'n', word))).collect()
            }));
        }
        let annotations = self.annotations(file).unwrap_or_default();
        if has_same_moves && !annotations.is_empty() {
            lists.push(annotations.iter().map(|it| key(('s', it))).chain([key('s')]).collect());
        }
        lists
    }
}

fn key(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The hash of an annotation contains its place: hash times this, plus the place.
const PLACES: u64 = 1 << 16;

/// Hashes of the comments, glyphs and variations of the main line, sorted.
fn annotations(game: &PdnGame) -> Vec<u64> {
    let mut list = Vec::new();
    let mut say =
        |place: usize, value: u64| list.push(value / PLACES * PLACES + place as u64 % PLACES);
    let plies = game.line.plies.iter().map(|ply| (&ply.nags[..], &ply.after));
    for (place, (nags, after)) in [(&[][..], &game.line.lead)].into_iter().chain(plies).enumerate()
    {
        for nag in nags {
            say(place, key(nag));
        }
        for annotation in after {
            match annotation {
                // Line breaks are the writer's.
                Annotation::Comment(comment) => {
                    say(place, key(comment.text.split_whitespace().collect::<Vec<_>>()));
                }
                Annotation::Variation(line) => say(place, key(format!("{line:?}"))),
                Annotation::SetUp(_) => {}
            }
        }
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// Words and numbers, without zeros before these.
fn numbered(text: &str) -> Vec<String> {
    let plain = |word: String| match word.trim_start_matches('0') {
        "" => "0".to_owned(),
        rest if word.bytes().all(|byte| byte.is_ascii_digit()) => rest.to_owned(),
        _ => word,
    };
    words(text).into_iter().map(plain).collect()
}

/// Year, month and day as far as they are known; of a date in words only the year.
fn date(text: &str) -> Vec<String> {
    let mut parts: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '?').collect();
    let is_year = |part: Option<&&str>| part.is_some_and(|part| part.len() == 4);
    if !is_year(parts.first()) && is_year(parts.last()) {
        parts.reverse();
    }
    let numbers: Vec<Option<u32>> = parts.iter().map(|part| part.parse().ok()).collect();
    let is_odd = |part: &&str| part.chars().any(|c| !matches!(c, '0'..='9' | '?' | 'x' | 'X'));
    if !is_year(parts.first()) || parts.iter().any(is_odd) {
        return year(text).into_iter().map(|year| year.to_string()).collect();
    }
    let known = numbers.into_iter().map_while(|number| number.filter(|&number| number > 0));
    known.take(3).map(|number| number.to_string()).collect()
}

/// A site that is the address of one game.
fn link(site: &str) -> Vec<String> {
    site.contains("://").then(|| site.trim().to_owned()).into_iter().collect()
}

fn event(name: &str) -> Vec<String> {
    Some(folded(name)).filter(|name| !name.is_empty()).into_iter().collect()
}

/// The result, and the score if it has more, such as `12-8`.
fn result(result: GameResult, score: &str) -> Vec<String> {
    let numbers = words(score);
    let is_score = |word: &String| word.parse().is_ok_and(|number: u32| number > 2);
    match result {
        GameResult::Unknown if numbers.is_empty() => Vec::new(),
        GameResult::Unknown => vec!["*".to_owned(), numbers.join(" ")],
        result if numbers.iter().any(is_score) => {
            vec![result.as_str().to_owned(), numbers.join(" ")]
        }
        result => vec![result.as_str().to_owned()],
    }
}

/// Games with one start and the same moves, found by their keys.
#[derive(Default)]
struct SameMoves {
    /// Without a number: replaced since.
    games: Vec<Facts>,
    places: FxHashMap<u64, Vec<usize>>,
    numbers: FxHashMap<i64, usize>,
}

impl SameMoves {
    fn of(games: Vec<Facts>, file: &GamesFile) -> SameMoves {
        let mut group = SameMoves::default();
        games.into_iter().for_each(|facts| group.add(facts, file));
        group
    }

    fn add(&mut self, mut facts: Facts, file: &GamesFile) {
        let place = self.games.len();
        for key in facts.posted(file) {
            self.places.entry(key).or_default().push(place);
        }
        facts.text = None;
        if let Some(old) = self.numbers.insert(facts.id, place) {
            self.games[old].id = 0;
        }
        self.games.push(facts);
    }

    /// The games that can be this one, in the order in which they were added.
    fn near(&self, facts: &Facts, file: &GamesFile, has_same_moves: bool) -> Vec<&Facts> {
        let lists = facts.asked(file, has_same_moves).into_iter().map(|keys| -> Vec<&Vec<usize>> {
            keys.iter().filter_map(|key| self.places.get(key)).collect()
        });
        let least = lists.min_by_key(|lists| lists.iter().map(|list| list.len()).sum::<usize>());
        let mut near: Vec<usize> = least.into_iter().flatten().flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        near.into_iter().map(|place| &self.games[place]).filter(|facts| facts.id != 0).collect()
    }
}

/// Up to this many games are compared one by one.
const FEW: usize = 16;
/// Games of groups that are kept in memory.
const MOST: usize = 200_000;

/// Finds the games of a file that a new one can be.
#[derive(Default)]
pub(crate) struct Twins {
    /// Groups of more than a few games.
    groups: FxHashMap<i64, SameMoves>,
    kept: usize,
    version: i64,
    /// Games that were looked at.
    pub(crate) looked_at: u64,
}

impl Twins {
    /// The version of the file, which another program may have changed.
    pub(crate) fn know(&mut self, version: i64) {
        if std::mem::replace(&mut self.version, version) != version {
            self.forget();
        }
    }

    /// Forgets everything, because the file has changed.
    pub(crate) fn forget(&mut self) {
        self.groups.clear();
        self.kept = 0;
    }

    /// Calls `choose` with games of this fingerprint that can be this one, or with all of them, until
    /// it gives something.
    pub(crate) fn find<T>(
        &mut self,
        file: &GamesFile,
        print: i64,
        facts: &Facts,
        has_same_moves: bool,
        mut choose: impl FnMut(&Facts) -> Option<T>,
    ) -> Result<Option<T>, GamesError> {
        if !self.groups.contains_key(&print) {
            let games = Facts::of_print(file, print)?;
            self.looked_at += games.len() as u64;
            if games.len() <= FEW {
                return Ok(games.iter().find_map(choose));
            }
            if self.kept > MOST {
                self.forget();
            }
            self.kept += games.len();
            self.groups.insert(print, SameMoves::of(games, file));
        }
        let near = self.groups[&print].near(facts, file, has_same_moves);
        self.looked_at += near.len() as u64;
        Ok(near.into_iter().find_map(&mut choose))
    }

    /// The same game in the file, and which of the two has more in it; a game that has all that
    /// this one has comes first.
    pub(crate) fn twin(
        &mut self,
        file: &GamesFile,
        print: i64,
        facts: &Facts,
    ) -> Result<Option<(i64, Fuller)>, GamesError> {
        let mut lesser = None;
        let found =
            self.find(file, print, facts, true, |there| match there.compare(facts, file)? {
                Fuller::There => Some(there.id),
                Fuller::Here => {
                    lesser = lesser.or(Some(there.id));
                    None
                }
            })?;
        Ok(found.map(|id| (id, Fuller::There)).or(lesser.map(|id| (id, Fuller::Here))))
    }

    /// A game has been added, or has taken the place of the one with its number.
    pub(crate) fn add(&mut self, file: &GamesFile, print: i64, facts: Facts) {
        if let Some(group) = self.groups.get_mut(&print) {
            group.add(facts, file);
            self.kept += 1;
        }
    }
}

impl GamesFile {
    /// Pairs of equal games: the game that stays, and another one with nothing more in it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn duplicates(&self) -> Result<Vec<(i64, i64)>, GamesError> {
        let twice = "SELECT fingerprint FROM games GROUP BY fingerprint HAVING count(*) > 1";
        let prints: Vec<i64> = self.named(|| self.numbers(twice, []))?;
        let mut pairs = Vec::new();
        for print in prints {
            let mut games = self.named(|| Facts::of_print(self, print))?;
            let fullness = |facts: &Facts| {
                (facts.parts[RESULT].len(), facts.annotations(self).map_or(0, <[u64]>::len))
            };
            games.sort_by_key(|facts| (Reverse(fullness(facts)), facts.id));
            let mut kept = SameMoves::default();
            for facts in games {
                let is_there = |there: &&&Facts| there.compare(&facts, self) == Some(Fuller::There);
                match kept.near(&facts, self, true).iter().find(is_there) {
                    Some(there) => pairs.push((there.id, facts.id)),
                    None => kept.add(facts, self),
                }
            }
        }
        pairs.sort_unstable();
        Ok(pairs)
    }
}
