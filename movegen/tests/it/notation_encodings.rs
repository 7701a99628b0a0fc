//! Names in every encoding, alone, in files of one encoding and in mixtures.

use movegen::notation::pdn::{
    Encoding, PdnGame, PdnReader, ReadOptions, WriteOptions, decode, game_to_string,
};

const RUSSIAN: &str = "Иванов А.|Чижов Алексей|Щёголев|Куперман|Андрейко|Гантварг|Шварцман|Ёлкин П.|\
                       Милишец|Кац|Жуков М.|Пьянзин|Яковлева Ольга|Яшин|Юрий Королёв|Фёдоров|Агафонов";
const UKRAINIAN: &str =
    "Іваненко|Євтушенко|Аніканов|Шевченко|Їжакевич|Лещинський|Кудрявцев|Мотрічко";
const POLISH: &str =
    "Wałęsa|Święcicki|Żółtowski|Łukasz Dąbrowski|Kościelny|Grześ|Zieliński|Wójcik|Żak";
const CZECH: &str = "Dvořák|Jiří Novák|Černý|Šťastný|Růžička|Běla|Kříž|Němec|Hájek|Žižka";
const HUNGARIAN: &str = "Németh Győző|Erdős Pál|Kőszegi|Nagy Gábor|Fűzesi|Szőke|Kovács Jenő";
const TURKISH: &str = "Yıldız|Şahin|Güneş Özgür|Çağlar|Aydın|Işık|Doğan|Öztürk|Gökçe";
const LATVIAN: &str =
    "Ķīsis|Jānis Bērziņš|Āboliņš|Kalniņš|Zariņa|Ģirts|Ozoliņš|Mārtiņš Šmits|Krūmiņa";
const LITHUANIAN: &str = "Bužinskis|Domčevas|Žukauskas|Šarūnas|Ąžuolas|Jūratė|Kęstutis|Čižas";
const DUTCH: &str =
    "Daniël|René|Noël|Loïc|Hélène|Zoë|André|Joël van der Meer|Gaëlle|José|Coördinatie|François";
const GERMAN: &str = "Müller|Schäfer|Jörg Groß|Krüger|Böhm|Weiß|Dürer";
const SWEDISH: &str = "Åström|Sjöberg|Göran Bäckman|Nyström|Hämäläinen|Bjørn|Søren";
const SPANISH: &str = "Muñoz|García|Núñez|Peña|João|Simões|Conceição|José Álvarez";

/// Each encoding with names of the lands where it is in use.
const NAMES: [(&str, &[&str]); 12] = [
    ("windows-1251", &[RUSSIAN, UKRAINIAN]),
    ("koi8-r", &[RUSSIAN]),
    ("koi8-u", &[UKRAINIAN]),
    ("cp866", &[RUSSIAN]),
    ("iso-8859-5", &[RUSSIAN]),
    ("mac-cyrillic", &[RUSSIAN]),
    ("windows-1250", &[POLISH, CZECH, HUNGARIAN]),
    ("windows-1254", &[TURKISH]),
    ("windows-1257", &[LATVIAN, LITHUANIAN]),
    ("windows-1252", &[DUTCH, GERMAN, SWEDISH, SPANISH]),
    ("cp437", &[DUTCH, GERMAN]),
    ("cp850", &[DUTCH, GERMAN]),
];

fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMES.into_iter().flat_map(|(encoding, lists)| {
        lists.iter().flat_map(|list| list.split('|')).map(move |name| (encoding, name))
    })
}

/// As other libraries write it; none if it has no place in the encoding.
fn try_encoded(text: &str, encoding: &str) -> Option<Vec<u8>> {
    let label = encoding.replace("mac-", "x-mac-");
    if let Some(known) = encoding_rs::Encoding::for_label(label.as_bytes()) {
        let (bytes, _, is_lossy) = known.encode(text);
        return (!is_lossy).then(|| bytes.into_owned());
    }
    let page: u16 = encoding.trim_start_matches("cp").parse().unwrap();
    let table = &oem_cp::code_table::ENCODING_TABLE_CP_MAP[&page];
    oem_cp::encode_string_checked(text, table)
}

fn encoded(text: &str, encoding: &str) -> Vec<u8> {
    try_encoded(text, encoding).unwrap_or_else(|| panic!("{text} has no place in {encoding}"))
}

fn game(white: &str, number: usize) -> String {
    format!("[White \"{white}\"]\n[Black \"B{number}\"]\n[Result \"*\"]\n\n1. 32-28 19-23 *\n\n")
}

fn games(bytes: &[u8]) -> (Vec<PdnGame>, String) {
    let mut reader = PdnReader::new(bytes);
    let games = reader.by_ref().map(Result::unwrap).collect();
    (games, reader.encodings().to_string())
}

fn whites(bytes: &[u8]) -> Vec<String> {
    let white = |game: &PdnGame| game.tags.get("White").unwrap_or_default().to_owned();
    games(bytes).0.iter().map(white).collect()
}

/// A name, and the same in capitals: some code pages do not have all of these.
fn cases(name: &str, encoding: &str) -> Vec<String> {
    let capitals = name.to_uppercase();
    let has_capitals = try_encoded(&capitals, encoding).is_some();
    [name.to_owned()].into_iter().chain(has_capitals.then_some(capitals)).collect()
}

#[test]
fn a_single_name_is_read_in_every_encoding() {
    let mut wrong = Vec::new();
    for (encoding, name) in names() {
        for name in cases(name, encoding) {
            let read = whites(&encoded(&game(&name, 1), encoding));
            if read != [name.as_str()] {
                wrong.push(format!("{encoding}: {name} {read:?}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// A name of three letters that could be read in several ways is read as its neighbours are.
#[test]
fn short_names_lean_on_their_neighbours() {
    for encoding in ["windows-1251", "koi8-r", "iso-8859-5", "mac-cyrillic", "cp866"] {
        let names = ["Цой", "ЦОЙ", "Эм", "ЭМ", "Кац", "Ян"];
        let text: String = names.iter().enumerate().map(|(n, name)| game(name, n)).collect();
        let text = game("Иванов Андрей", 0) + &text;
        let (read, found) = games(&encoded(&text, encoding));
        assert_eq!(
            read.iter().filter_map(|g| g.tags.get("White")).skip(1).collect::<Vec<_>>(),
            names
        );
        assert_eq!(found, encoding);
    }
}

/// One game in another encoding after many, and before many.
#[test]
fn each_place_of_a_file_has_its_own_encoding() {
    let mut wrong = Vec::new();
    for (many, lists) in NAMES {
        for (one, others) in NAMES {
            let name = others[0].split('|').next().unwrap();
            let list = lists[0].split('|').cycle().take(150).enumerate();
            let text: String = list.map(|(n, name)| game(name, n)).collect();
            let mut bytes = encoded(&text, many);
            bytes.extend(encoded(&game(name, 0), one));
            bytes.extend(encoded(&text, many));
            let read = whites(&bytes);
            let expected = lists[0].split('|').cycle().take(150);
            let expected: Vec<&str> = expected.clone().chain([name]).chain(expected).collect();
            let differ = read.iter().zip(&expected).filter(|(one, other)| one != other);
            wrong.extend(differ.map(|(read, name)| format!("{one} in {many}: {name} {read}")));
        }
    }
    wrong.dedup();
    assert_eq!(wrong, Vec::<String>::new());
}

/// A UTF-8 file stays what it is, whatever stands elsewhere.
#[test]
fn one_odd_byte_changes_nothing_but_itself() {
    let names = ["Жуков М.", "Ķīsis", "Łukasz", "Müller", "Ångström", "张三丰", "Γιώργος", "Şahin"];
    let text: String =
        names.iter().cycle().take(300).enumerate().map(|(n, name)| game(name, n)).collect();
    for odd in [
        &encoded(&game("André", 9), "windows-1252"),
        &encoded(&game("Иванов А.", 9), "windows-1251"),
        &encoded(&game("RENÉ", 9), "cp850"),
        &b"[White \"a\xffb\"]\n\n1. 32-28 *\n"[..],
        // Names cut off in the middle of a character.
        &"[White \"Жу".as_bytes()[..9],
        &"{张三".as_bytes()[..6],
    ] {
        let mut bytes = text.clone().into_bytes();
        bytes.extend(odd);
        bytes.extend(format!("\"]\n\n1. 32-28 }} *\n\n{text}").as_bytes());
        let read = whites(&bytes);
        for (place, name) in names.iter().cycle().take(300).enumerate() {
            assert_eq!((&*read[place], &*read[read.len() - 300 + place]), (*name, *name));
        }
    }
    let mut bytes = text.into_bytes();
    bytes.extend(encoded(&game("André", 9), "windows-1252"));
    let (read, found) = games(&bytes);
    assert_eq!(read[300].tags.get("White"), Some("André"));
    assert_eq!(found, "utf-8, windows-1252");
    // On the same line, too.
    for (line, expected) in [
        (
            &b"[Event \"Wereldkampioenschap caf\xe9 \xd0\x96\xd1\x83\xd0\xba\xd0\xbe\xd0\xb2\"]"[..],
            "Wereldkampioenschap café Жуков",
        ),
        (b"[Event \"\xd0\x96\xd1\x83\xd0\xba\xd0\xbe\xd0\"]", "Жуко\u{fffd}"),
    ] {
        let text = [line, b"\n\n1. 32-28 *\n"].concat();
        assert_eq!(games(&text).0[0].tags.get("Event"), Some(expected));
    }
}

/// Words of CP866 that happen to be UTF-8: `ход`, `чем`, `сам`.
#[test]
fn words_that_look_like_utf8_follow_their_run() {
    let comment = "Хороший ход, лучше чем так. Там сам ход уже не тот";
    let lines = format!("[White \"Архип Михайлов\"]\n\n1. 32-28 {{{comment}\nход\n чем так}} *\n");
    let (read, found) = games(&encoded(&lines, "cp866"));
    assert_eq!(found, "cp866");
    let written = game_to_string(&read[0], &WriteOptions::default());
    let words: Vec<&str> = written.split(&[' ', '\n', '{', '}'][..]).collect();
    for word in comment.split(' ') {
        assert!(words.contains(&word), "{word}: {written}");
    }
    // Without such a run it is what it is.
    assert_eq!(whites("[White \"室祬\"]\n\n1. 32-28 *\n".as_bytes()), ["室祬"]);
}

#[test]
fn utf_16_in_the_middle_of_other_files() {
    for mark in ["", "\u{feff}"] {
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let piece = format!("{mark}{}", game("Жуков Müller", 1).replace('\n', "\r\n"));
            let piece: Vec<u8> = piece.encode_utf16().flat_map(order).collect();
            let parts = [
                encoded(&game("André", 0), "windows-1252"),
                piece.clone(),
                game("Łukasz", 2).into_bytes(),
                piece.clone(),
                piece,
                encoded(&game("Иванов", 3), "windows-1251"),
            ];
            let names =
                ["André", "Жуков Müller", "Łukasz", "Жуков Müller", "Жуков Müller", "Иванов"];
            assert_eq!(whites(&parts.concat()), names);
        }
    }
}

/// Signs of moves and results in old encodings.
#[test]
fn signs_between_squares() {
    for (bytes, plies, result) in [
        (&b"1. 32\x9628 19\x9623 2. 28\xd719 14\xd723 *\n"[..], 4, "*"),
        (b"1. 32-28 19-23 \xbd-\xbd\n", 2, "1-1"),
        (b"1. 32-28 19-23\xa02. 28x19 14x23 *\n", 4, "*"),
    ] {
        let (read, _) = games(bytes);
        assert_eq!(
            (read.len(), read[0].line.plies.len(), read[0].result.as_str()),
            (1, plies, result)
        );
    }
}

/// Files of the old Macintosh have only CR; what is given wins over what it looks like, but not over
/// a mark.
#[test]
fn an_encoding_can_be_given() {
    let text = game("Иванов", 1).replace('\n', "\r");
    for (encoding, as_given, expected) in [
        ("mac-cyrillic", "mac-cyrillic", "Иванов"),
        ("windows-1251", "koi8-r", "хБЮМНБ"),
        ("windows-1251", "windows-1252", "Èâàíîâ"),
    ] {
        let given: Encoding = as_given.parse().unwrap();
        let options = ReadOptions { encoding: Some(given), ..ReadOptions::default() };
        for (mark, expected) in [("", expected), ("\u{feff}", "Иванов")] {
            let bytes = if mark.is_empty() {
                encoded(&text, encoding)
            } else {
                (mark.to_owned() + &text).into_bytes()
            };
            let game = PdnReader::with_options(&*bytes, options).next().unwrap().unwrap();
            assert_eq!(game.tags.get("White"), Some(expected), "{as_given}");
        }
    }
}

/// Signs of the encodings of one byte are the same after they were written as UTF-8.
#[test]
fn what_was_read_in_an_old_encoding_stays_when_it_is_written() {
    for encoding in Encoding::all() {
        let bytes: Vec<u8> = (0x80..=0xff).collect();
        for word in bytes.chunks(3) {
            let text =
                decode(Some(encoding), &[b"[White \"", word, b"\"]\n\n1. 32-28 *\n"].concat());
            assert_eq!(decode(None, text.as_bytes()), text, "{encoding}");
        }
    }
}
