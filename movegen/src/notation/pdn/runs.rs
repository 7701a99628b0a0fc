//! Lines that are not UTF-8, and the encodings of their runs.
//!
//! Files are put together from others, so an encoding belongs to a place, not to a file. A word
//! that is UTF-8 stays UTF-8. For the other words of a line each encoding has a cost
//! ([`languages`](super::languages)), and another encoding than in such a line before costs
//! something, too: the cheapest way through all of them (Viterbi's algorithm) is taken, so that a
//! name that may be read in several ways is read as its neighbours are.

use smallvec::SmallVec;

use super::encoding::{Encoding, Encodings};
use super::languages::{CANDIDATE_COUNT, CANDIDATES, Glyph, LanguageCandidate, LetterCosts};

/// The cost of another encoding in the same game, and in the next one.
const CHANGE_IN_GAME: f32 = 7.0;
const CHANGE: f32 = 3.0;

/// A line is judged by at most this many words of each kind.
const MAX_WORDS: usize = 6;

/// The state of the runs of a text.
pub(super) struct Runs {
    /// The cost of the text so far if its last line that is not UTF-8 is in this encoding.
    costs: [f32; CANDIDATE_COUNT],
    /// The encodings of the words that are not UTF-8.
    pub(super) found: Encodings,
}

impl Runs {
    pub(super) fn new() -> Runs {
        let mut costs = [0.0; CANDIDATE_COUNT];
        costs.iter_mut().zip(&*CANDIDATES).for_each(|(cost, candidate)| *cost = candidate.cost);
        Runs { costs, found: Encodings::default() }
    }

    /// Adds lines to a text. The lines after them help to tell the encodings.
    pub(super) fn read(&mut self, lines: &[u8], after: &[u8], text: &mut String) {
        let mut scan = Scan { is_after_tag: false, change: CHANGE };
        let (odd, ahead) = (scan.odd_lines(lines), scan.odd_lines(after));
        let mut encodings = self.encodings(&odd, &ahead).into_iter();
        for line in split_lines(lines) {
            match std::str::from_utf8(line) {
                Ok(line) if !is_unusual(line) => self.push_utf8(line, text),
                _ => self.push_line(encodings.next().unwrap_or_default(), line, text),
            }
        }
    }

    /// The places of the encodings of lines among [`CANDIDATES`].
    fn encodings(&mut self, lines: &[OddLine], ahead: &[OddLine]) -> Vec<usize> {
        let mut costs = self.costs;
        let mut origins = Vec::with_capacity(lines.len() + ahead.len());
        for (number, line) in lines.iter().chain(ahead).enumerate() {
            if number == lines.len() {
                self.costs = costs;
            }
            let cheapest = cheapest(&costs);
            let least = costs[cheapest];
            let mut origin = [cheapest; CANDIDATE_COUNT];
            for (place, cost) in costs.iter_mut().enumerate() {
                // Costs above the cheapest: sums over a long text would lose precision.
                let (stay, change) = (*cost - least, line.change);
                if stay <= change {
                    origin[place] = place;
                }
                *cost = stay.min(change) + line.costs[place];
            }
            origins.push(origin);
        }
        if ahead.is_empty() {
            self.costs = costs;
        }
        let mut place = cheapest(&costs);
        let mut places = vec![0; origins.len()];
        for (number, origin) in origins.iter().enumerate().rev() {
            places[number] = place;
            place = origin[place];
        }
        places.truncate(lines.len());
        places
    }

    fn push_utf8(&mut self, part: &str, text: &mut String) {
        text.push_str(part);
        if !part.is_ascii() {
            self.found.add(Encoding::UTF_8);
        }
    }

    fn push_line(&mut self, place: usize, line: &[u8], text: &mut String) {
        let candidate = &CANDIDATES[place];
        for part in line.chunk_by(|one, other| is_of_word(one) == is_of_word(other)) {
            match std::str::from_utf8(part) {
                Ok(part) if !is_unusual(part) => self.push_utf8(part, text),
                is_utf8 => {
                    let reading = RunReading::new(candidate, part);
                    text.extend(reading.glyphs.iter().map(|glyph| glyph.letter));
                    let is_odd = is_utf8.is_err() || !reading.is_utf8;
                    self.found.add(if is_odd { candidate.encoding } else { Encoding::UTF_8 });
                }
            }
        }
    }
}

fn cheapest(costs: &[f32]) -> usize {
    let least = costs.iter().enumerate().min_by(|one, other| one.1.total_cmp(other.1));
    least.map_or(0, |(place, _)| place)
}

/// A line that is not UTF-8.
struct OddLine {
    /// The cost of another encoding than in the line before.
    change: f32,
    costs: [f32; CANDIDATE_COUNT],
}

/// Finds such lines.
struct Scan {
    is_after_tag: bool,
    change: f32,
}

impl Scan {
    fn odd_lines(&mut self, lines: &[u8]) -> Vec<OddLine> {
        let mut odd = Vec::new();
        for line in split_lines(lines) {
            if self.is_new_game(line) {
                self.change = CHANGE;
            }
            if !is_utf8(line) {
                let change = std::mem::replace(&mut self.change, CHANGE_IN_GAME);
                odd.push(OddLine { change, costs: costs(line) });
            }
        }
        odd
    }

    fn is_new_game(&mut self, line: &[u8]) -> bool {
        let line = line.trim_ascii_start();
        if line.is_empty() {
            return false;
        }
        let is_tag = line[0] == b'[' && line.get(1).is_some_and(u8::is_ascii_alphabetic);
        let was_tag = std::mem::replace(&mut self.is_after_tag, is_tag);
        !was_tag && (is_tag || line.starts_with(b"1."))
    }
}

/// Lines with their ends.
fn split_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|&byte| is_line_end(byte))
}

pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn is_of_word(byte: &u8) -> bool {
    !byte.is_ascii() || byte.is_ascii_alphanumeric()
}

/// Whether UTF-8 has characters of scripts that PDN does not use. Such words come from other encodings:
/// the Russian `ход` in CP866 looks like them. Single accents of Windows' encodings do not count.
fn is_unusual(text: &str) -> bool {
    let is_unusual = |c| {
        matches!(c, '\u{250}'..='\u{2c5}' | '\u{2c8}'..='\u{2d7}' | '\u{2de}'..='\u{2ff}'
                    | '\u{370}'..='\u{385}' | '\u{500}'..='\u{1dff}' | '\u{2800}'..='\u{fdff}')
    };
    !text.is_ascii() && text.contains(is_unusual)
}

fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !is_unusual(text))
}

type Glyphs = SmallVec<[Glyph; 32]>;

/// A word in an encoding; as UTF-8 if that is likelier, with U+FFFD for what is not: a name may have been
/// cut off in the middle of a character.
struct RunReading {
    glyphs: Glyphs,
    is_utf8: bool,
}

impl RunReading {
    fn new(candidate: &LanguageCandidate, word: &[u8]) -> RunReading {
        let glyphs: Glyphs = word.iter().map(|&byte| candidate.glyph(byte)).collect();
        if word.utf8_chunks().all(|chunk| chunk.valid().is_ascii()) {
            return RunReading { glyphs, is_utf8: false };
        }
        let lossy: Glyphs = String::from_utf8_lossy(word).chars().map(Glyph::from).collect();
        let has_accident = word.utf8_chunks().any(|chunk| is_unusual(chunk.valid()));
        let cost = |glyphs: &[Glyph]| LetterCosts::of(glyphs).least();
        let is_utf8 = match (std::str::from_utf8(word).is_ok(), has_accident) {
            (true, false) => true,
            (true, true) => cost(&lossy) < cost(&glyphs),
            (false, false) => cost(&lossy) + CHANGE < cost(&glyphs),
            (false, true) => false,
        };
        RunReading { glyphs: if is_utf8 { lossy } else { glyphs }, is_utf8 }
    }
}

/// The costs of a line in each encoding.
fn costs(line: &[u8]) -> [f32; CANDIDATE_COUNT] {
    let mut plain = LetterCosts::NOTHING;
    let mut sums = [LetterCosts::NOTHING; CANDIDATE_COUNT];
    let (mut plain_words, mut odd_words) = (0, 0);
    for word in value(line).split(|byte| !is_of_word(byte)) {
        if is_utf8(word) && !word.is_ascii() {
            continue;
        }
        if !word.is_ascii() && odd_words < MAX_WORDS {
            odd_words += 1;
            for (sum, candidate) in sums.iter_mut().zip(&*CANDIDATES) {
                sum.add(&LetterCosts::of(&RunReading::new(candidate, word).glyphs));
            }
        } else if word.iter().any(u8::is_ascii_alphabetic) && plain_words < MAX_WORDS {
            plain_words += 1;
            let word: Glyphs = word.iter().map(|&byte| char::from(byte).into()).collect();
            plain.add(&LetterCosts::of_plain(&word));
        }
    }
    sums.map(|mut sum| {
        sum.add(&plain);
        sum.least()
    })
}

/// A line without the name of its tag.
fn value(line: &[u8]) -> &[u8] {
    let start =
        if line.starts_with(b"[") { line.iter().position(|&byte| byte == b'"') } else { None };
    &line[start.unwrap_or_default()..]
}
