//! Names of players as people write them.

/// A name for comparison: small letters without accents or signs, the words sorted. `Sijbrands,
/// Ton` and `Ton Sijbrands` give the same.
#[must_use]
pub fn folded(name: &str) -> String {
    let mut words = words(name);
    words.sort_unstable();
    words.join(" ")
}

/// The key for sorting names: small letters without accents or signs.
pub(crate) fn sort_key(name: &str) -> String {
    words(name).join(" ")
}

/// The words of a name, folded.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut text = String::with_capacity(name.len());
    for c in name.chars().flat_map(char::to_lowercase) {
        match plain(c) {
            "" if c.is_alphanumeric() => text.push(c),
            "" if matches!(c, '\'' | '’' | '`' | '\u{300}'..='\u{36f}') => {}
            "" => text.push(' '),
            letters => text.push_str(letters),
        }
    }
    text.split_whitespace().map(str::to_owned).collect()
}

/// A small letter without its accent; empty if it has none.
fn plain(c: char) -> &'static str {
    match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => "a",
        'ç' | 'ć' | 'č' | 'ĉ' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ė' | 'ę' | 'ě' => "e",
        'ğ' | 'ģ' | 'ĝ' => "g",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'į' | 'ı' => "i",
        'ķ' => "k",
        'ł' | 'ļ' | 'ľ' | 'ĺ' => "l",
        'ñ' | 'ń' | 'ň' | 'ņ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ő' | 'ō' => "o",
        'ŕ' | 'ř' => "r",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'ť' | 'ţ' | 'ț' => "t",
        'ù' | 'ú' | 'û' | 'ü' | 'ů' | 'ű' | 'ū' | 'ų' => "u",
        'ý' | 'ÿ' => "y",
        'ź' | 'ž' | 'ż' => "z",
        'æ' => "ae",
        'œ' => "oe",
        'ß' => "ss",
        'ĳ' => "ij",
        'ё' => "е",
        _ => "",
    }
}

/// Whether two spellings can mean one player: each word of the shorter one is a word of the longer
/// one, its beginning (`T.` for `Ton`), or one letter away from it; and at least one word of three
/// letters or more is the same but for that letter. An unknown name (`?`) matches unknown names only.
#[must_use]
pub fn is_same_player(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (words(one), words(other));
    if one.is_empty() || other.is_empty() {
        return one.is_empty() && other.is_empty();
    }
    if one.len() > other.len() {
        std::mem::swap(&mut one, &mut other);
    }
    // Long words first, so that an initial does not take the place of a surname.
    one.sort_unstable_by_key(|word| std::cmp::Reverse(word.len()));
    let mut has_long = one.concat() == other.concat();
    for word in &one {
        let is_close = |there: &String| word == there || is_one_apart(word, there);
        let is_beginning = |there: &String| {
            let initial = word.chars().count() == 1 || there.chars().count() == 1;
            initial && (there.starts_with(word.as_str()) || word.starts_with(there.as_str()))
        };
        let found = other.iter().position(is_close);
        has_long |= found.is_some() && word.chars().count() >= 3;
        let Some(found) = found.or_else(|| other.iter().position(is_beginning)) else {
            return false;
        };
        other.swap_remove(found);
    }
    has_long
}

/// The keys under which a name is found, see [`asked_keys`].
pub(crate) fn posted_keys(name: &str) -> Vec<String> {
    let words = words(name);
    let mut keys = vec![format!("{}", words.len())];
    for word in &words {
        let letter = word.chars().next().unwrap_or_default();
        keys.push(format!("^{letter}"));
        if word.len() == letter.len_utf8() {
            keys.push(format!(".{letter}"));
        }
        keys.extend(close_keys(word));
    }
    keys
}

/// Lists of keys, one for each word of a name: a name that [`is_same_player`] takes for this one has
/// a key of each list, since each word of the shorter name has its word in the longer one.
pub(crate) fn asked_keys(name: &str) -> Vec<Vec<String>> {
    let words = words(name);
    if words.is_empty() {
        return vec![vec!["0".to_owned()]];
    }
    let list = |word: &String| {
        let letter = word.chars().next().unwrap_or_default();
        let shorter = (1..words.len()).map(|count| count.to_string());
        let starts = (word.len() == letter.len_utf8()).then(|| format!("^{letter}"));
        shorter.chain(starts).chain([format!(".{letter}")]).chain(close_keys(word)).collect()
    };
    words.iter().map(list).collect()
}

/// A word, and what is left of it without each of its letters: words that are one letter apart have
/// one of these in common.
fn close_keys(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let can_be_apart = letters.len() >= 5 && !letters.iter().any(char::is_ascii_digit);
    let without = |out: usize| letters[..out].iter().chain(&letters[out + 1..]).collect();
    let apart = (0..letters.len()).filter(|_| can_be_apart).map(without);
    apart.chain([word.to_owned()]).map(|key: String| format!("={key}")).collect()
}

/// One letter added, left out or replaced, in words of five letters or more. Numbers, as in names
/// of programs, are not slips.
fn is_one_apart(one: &str, other: &str) -> bool {
    if [one, other].iter().any(|word| word.contains(|c: char| c.is_ascii_digit())) {
        return false;
    }
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().min(other.len()) < 5 || one.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (a, b) = (&one[same..], &other[same..]);
    let after = |list: &'_ [char]| list.get(1..).unwrap_or_default().to_vec();
    match a.len().cmp(&b.len()) {
        std::cmp::Ordering::Less => a == after(b),
        std::cmp::Ordering::Greater => after(a) == b,
        std::cmp::Ordering::Equal => after(a) == after(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_player() {
        for (one, other, is_same) in [
            ("Sijbrands, Ton", "Ton Sijbrands", true),
            ("T. Sijbrands", "Sijbrands, Ton", true),
            ("Sijbrands", "Ton Sijbrands", true),
            ("Sybrands, Ton", "Sijbrands, Ton", false),
            ("Sijbrand, Ton", "Sijbrands, T.", true),
            ("Guntis Valneris", "Valneris Guntis", true),
            ("Jānis Bāliņš", "Janis Balins", true),
            ("Wiersma", "Sijbrands", false),
            ("Harm Wiersma", "Jan Wiersma", false),
            ("?", "", true),
            ("?", "Wiersma", false),
            ("Engine31", "Engine30", false),
            ("Scan 3.1", "Scan 3.0", false),
            ("T", "Ton", false),
            ("A B", "A B", true),
            ("Tab", "T. Ab", true),
            ("Чижов А.", "Алексей Чижов", true),
        ] {
            assert_eq!(is_same_player(one, other), is_same, "{one} / {other}");
            assert_eq!(is_same_player(other, one), is_same, "{other} / {one}");
            for (one, other) in [(one, other), (other, one)] {
                let there = posted_keys(other);
                let is_found = |list: Vec<String>| list.iter().any(|key| there.contains(key));
                let is_near = asked_keys(one).into_iter().all(is_found);
                assert!(is_near || !is_same, "{one} / {other}");
            }
        }
        assert_eq!(folded("Sijbrands,  TON"), "sijbrands ton");
        assert_eq!(folded("O'Neil-Ünal"), "oneil unal");
    }
}
