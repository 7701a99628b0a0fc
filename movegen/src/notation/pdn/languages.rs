//! How plausible a text is in an encoding.
//!
//! It depends on how likely letters follow each other in the languages of countries where draughts
//! is played, learned from a few words of each, and on the positions of capitals and signs. Costs
//! are negative logarithms of probabilities: they add up, and the smallest is the best.

use std::sync::LazyLock;

use super::encoding::Encoding;

/// Common names, and words of draughts, of languages with letters beyond ASCII: a line each, the Cyrillic
/// ones first.
const WORDS: &str = include_str!("languages.txt");

/// The number of lines.
const LANGUAGE_COUNT: usize = 15;

/// How many of the languages are Cyrillic.
const CYRILLIC: usize = 2;

/// Weight of a letter's own frequency against that of the pair, as a number of occurrences.
const SINGLE: f32 = 8.0;

/// The number of occurrences assumed for letters that did not occur.
const UNSEEN: f32 = 2.0;

/// The cost of a letter that the language does not have, and that its script does not have.
const FOREIGN: f32 = 11.0;
const OTHER_SCRIPT: f32 = 14.0;

/// The cost of a letter that none of the languages could have.
const STRANGE: f32 = 20.0;

/// No letter: the start or end of a word.
const EDGE: usize = 0;

/// A language: the cost of each pair of letters.
struct Language {
    letters: Vec<char>,
    /// The number of each letter, from 1, by its code.
    numbers: Vec<u8>,
    costs: Vec<f32>,
    is_cyrillic: bool,
}

static LANGUAGES: LazyLock<Vec<Language>> =
    LazyLock::new(|| WORDS.lines().enumerate().map(Language::new).collect());

fn is_cyrillic(letter: char) -> bool {
    ('\u{400}'..='\u{4ff}').contains(&letter)
}

impl Language {
    fn new((place, line): (usize, &str)) -> Language {
        let (_, words) = line.split_once(": ").unwrap_or_default();
        let is_cyrillic = place < CYRILLIC;
        let usual = if is_cyrillic { 'а'..='я' } else { 'a'..='z' };
        let mut letters: Vec<char> = words.chars().filter(|c| *c != ' ').chain(usual).collect();
        letters.sort_unstable();
        letters.dedup();
        let mut numbers = vec![0; 0x500];
        for (letter, number) in letters.iter().zip(1..) {
            numbers[*letter as usize] = number;
        }
        let mut language = Language { letters, numbers, costs: Vec::new(), is_cyrillic };
        let size = language.size();
        let (mut single, mut pairs) = (vec![UNSEEN; size], vec![0.0; size * size]);
        let mut last = EDGE;
        for c in words.chars().chain([' ']) {
            let number = language.number(c).unwrap_or(EDGE);
            single[number] += 1.0;
            pairs[last * size + number] += 1.0;
            last = number;
        }
        let all: f32 = single.iter().sum();
        let is_accented =
            |number: usize| number != EDGE && !language.letters[number - 1].is_ascii();
        let mut costs = Vec::with_capacity(size * size);
        for (last, row) in pairs.chunks(size).enumerate() {
            let sum: f32 = row.iter().sum();
            for (number, pair) in row.iter().enumerate() {
                let is_rare = !is_cyrillic && is_accented(last) && is_accented(number);
                let weight = if is_rare { SINGLE / 4.0 } else { SINGLE };
                let chance = (pair + weight * single[number] / all) / (sum + SINGLE);
                costs.push(-chance.ln());
            }
        }
        language.costs = costs;
        language
    }

    fn size(&self) -> usize {
        self.letters.len() + 1
    }

    fn number(&self, letter: char) -> Option<usize> {
        let number = self.numbers.get(letter as usize).copied().unwrap_or_default();
        Some(usize::from(number)).filter(|number| *number > 0)
    }

    /// The cost of the letters of a word.
    fn cost(&self, word: &[Glyph]) -> f32 {
        let size = self.size();
        let (mut last, mut sum) = (EDGE, 0.0);
        for glyph in word {
            let number = match glyph.kind {
                Kind::Small | Kind::Capital => match self.number(glyph.small) {
                    Some(number) => number,
                    None => {
                        let is_of_script = is_cyrillic(glyph.small) == self.is_cyrillic;
                        sum += match glyph.small {
                            '\u{500}'.. => STRANGE,
                            _ if is_of_script => FOREIGN,
                            _ => OTHER_SCRIPT,
                        };
                        last = EDGE;
                        continue;
                    }
                },
                Kind::Digit | Kind::Sign(_) => EDGE,
            };
            if (last, number) != (EDGE, EDGE) {
                sum += self.costs[last * size + number];
            }
            last = number;
        }
        if last == EDGE { sum } else { sum + self.costs[last * size] }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Small,
    Capital,
    Digit,
    /// Neither, with its cost.
    Sign(f32),
}

impl Kind {
    fn is_letter(self) -> bool {
        matches!(self, Kind::Small | Kind::Capital)
    }
}

/// A character of a word.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Glyph {
    pub(super) letter: char,
    /// The same as a small letter.
    small: char,
    kind: Kind,
}

impl From<char> for Glyph {
    fn from(letter: char) -> Glyph {
        let kind = match letter {
            '0'..='9' => Kind::Digit,
            '×' | '½' | '–' | '—' | '‘' | '’' | '“' | '”' | '„' | '«' | '»' | '…' | '№'
            | '\u{a0}' => Kind::Sign(3.0),
            '§' | '°' | '•' | '·' | '²' | '¼' | '¾' | '\u{ad}' | '†' | '©' | '±' | '¿' | '¡'
            | '€' | '´' => Kind::Sign(5.0),
            'ª' | 'º' => Kind::Sign(6.0),
            _ if letter.is_uppercase() => Kind::Capital,
            _ if letter.is_lowercase() => Kind::Small,
            // Control characters, and what is not a character.
            '\u{80}'..='\u{9f}' | char::REPLACEMENT_CHARACTER => Kind::Sign(14.0),
            // Frames and blocks.
            '\u{2300}'..='\u{25ff}' => Kind::Sign(11.0),
            '\u{2800}'..='\u{28ff}' => Kind::Sign(STRANGE),
            // Letters of scripts without capitals.
            _ if letter.is_alphabetic() => Kind::Small,
            _ => Kind::Sign(8.0),
        };
        // The dot of the Turkish capital is a character of its own in small letters.
        let small = letter.to_lowercase().next().unwrap_or(letter);
        Glyph { letter, small, kind }
    }
}

/// The cost of capitals and signs at their positions, whatever the language.
fn form(word: &[Glyph]) -> f32 {
    let kind = |place: Option<usize>| {
        place.and_then(|place| word.get(place)).map_or(Kind::Sign(0.0), |glyph| glyph.kind)
    };
    let cost = |(place, glyph): (usize, &Glyph)| {
        let (last, next) = (kind(place.checked_sub(1)), kind(Some(place + 1)));
        let is_between_squares = last == Kind::Digit && next == Kind::Digit;
        match glyph.kind {
            Kind::Sign(cost)
                if matches!(glyph.letter, '×' | '–' | '—' | '½') && is_between_squares =>
            {
                cost - 2.0
            }
            Kind::Sign(cost) if glyph.letter == char::REPLACEMENT_CHARACTER => cost,
            Kind::Sign(cost) if matches!(glyph.letter, '’' | '\u{ad}') && last.is_letter() => {
                cost
            }
            // As in van ’t Hof.
            Kind::Sign(cost) if glyph.letter == '’' && place + 2 == word.len() => cost,
            Kind::Sign(cost) => match (last.is_letter(), next.is_letter()) {
                (true, true) => cost + 12.0,
                (false, false) => cost,
                _ => cost + 8.0,
            },
            // The sign of captures on Russian keyboards.
            _ if matches!(glyph.small, 'х') && is_between_squares => -2.0,
            Kind::Capital | Kind::Small
                if !glyph.letter.is_ascii() && (last == Kind::Digit || next == Kind::Digit) =>
            {
                4.0
            }
            Kind::Capital if last == Kind::Small => 5.0,
            Kind::Small if last == Kind::Capital => {
                let before = kind(place.checked_sub(2));
                if before == Kind::Capital { 5.0 } else { 0.0 }
            }
            _ => 0.0,
        }
    };
    word.iter().enumerate().map(cost).sum()
}

/// The costs of a text in each language.
#[derive(Clone, Copy)]
pub(super) struct LetterCosts([f32; LANGUAGE_COUNT]);

impl LetterCosts {
    pub(super) const NOTHING: LetterCosts = LetterCosts([0.0; LANGUAGE_COUNT]);

    /// Those of a word, with letters beyond ASCII.
    pub(super) fn of(word: &[Glyph]) -> LetterCosts {
        let form = form(word);
        let mut costs = LetterCosts::NOTHING;
        for (cost, language) in costs.0.iter_mut().zip(&*LANGUAGES) {
            *cost = form + language.cost(word);
        }
        costs
    }

    /// Those of a word in ASCII: it says nothing about the encoding, but something about the language.
    pub(super) fn of_plain(word: &[Glyph]) -> LetterCosts {
        let mut costs = LetterCosts::of(word);
        let least = costs.least();
        costs.0[..CYRILLIC].fill(0.0);
        costs.0[CYRILLIC..].iter_mut().for_each(|cost| *cost -= least);
        costs
    }

    pub(super) fn add(&mut self, other: &LetterCosts) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, cost)| *sum += cost);
    }

    /// Those of the language that fits best.
    pub(super) fn least(&self) -> f32 {
        self.0.into_iter().fold(f32::INFINITY, f32::min)
    }
}

/// An encoding that a text may have, and its cost before anything is known: the rarer, the higher.
pub(super) struct LanguageCandidate {
    pub(super) encoding: Encoding,
    pub(super) cost: f32,
    /// The characters of the bytes from 128 on.
    glyphs: Vec<Glyph>,
}

impl LanguageCandidate {
    pub(super) fn glyph(&self, byte: u8) -> Glyph {
        let high = usize::from(byte).checked_sub(0x80);
        high.map_or_else(|| char::from(byte).into(), |high| self.glyphs[high])
    }
}

/// The number of [`CANDIDATES`].
pub(super) const CANDIDATE_COUNT: usize = COMMON.len();

const COMMON: [(&str, f32); 12] = [
    ("windows-1252", 0.0),
    ("windows-1251", 0.0),
    ("koi8-r", 1.0),
    ("cp866", 1.0),
    ("windows-1250", 1.0),
    ("cp850", 1.0),
    ("koi8-u", 1.2),
    ("cp437", 1.2),
    ("windows-1254", 1.5),
    ("windows-1257", 1.5),
    ("iso-8859-5", 2.0),
    ("mac-cyrillic", 3.0),
];

pub(super) static CANDIDATES: LazyLock<Vec<LanguageCandidate>> = LazyLock::new(|| {
    let candidate = |(name, cost): (&str, f32)| {
        let encoding = Encoding::all().find(|encoding| encoding.name() == name)?;
        let glyphs = encoding.letters()?.iter().map(|&letter| letter.into()).collect();
        Some(LanguageCandidate { encoding, cost, glyphs })
    };
    COMMON.into_iter().filter_map(candidate).collect()
});
