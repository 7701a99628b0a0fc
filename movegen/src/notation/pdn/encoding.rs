//! Encodings of text, by name.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// How the characters of a text are written as bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Encoding(u8);

/// The encodings of more than one byte a character, and other names for them.
const UNICODE: [(&str, &str); 3] =
    [("utf-8", "unicode11utf8"), ("utf-16le", "utf16 unicode"), ("utf-16be", "unicodefffe")];

/// The encodings of one byte a character: name, other names, and the characters of the bytes from
/// 128 on, where U+FFFD means no character. They are listed here because a library with all
/// encodings of the web would double the module that a page in the browser loads.
const TABLES: [(&str, &str, &str); 14] = [
    (
        "windows-1252",
        "cp1252 latin1 l1 iso88591 ascii usascii",
        "€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ\u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿\
         ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ",
    ),
    (
        "windows-1251",
        "cp1251",
        "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—�™љ›њќћџ\u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї°±Ііґµ¶·ё№є»јЅѕї\
         АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя",
    ),
    (
        "windows-1250",
        "cp1250",
        "€�‚�„…†‡�‰Š‹ŚŤŽŹ�‘’“”•–—�™š›śťžź\u{a0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{ad}®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľż\
         ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙",
    ),
    (
        "windows-1254",
        "cp1254 latin5 iso88599",
        "€�‚ƒ„…†‡ˆ‰Š‹Œ����‘’“”•–—˜™š›œ��Ÿ\u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿\
         ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞßàáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ",
    ),
    (
        "windows-1257",
        "cp1257",
        "€�‚�„…†‡�‰�‹�¨ˇ¸�‘’“”•–—�™�›�¯˛�\u{a0}�¢£¤�¦§Ø©Ŗ«¬\u{ad}®Æ°±²³´µ¶·ø¹ŗ»¼½¾æ\
         ĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽßąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž˙",
    ),
    (
        "iso-8859-2",
        "latin2",
        "��������������������������������\u{a0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{ad}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žż\
         ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙",
    ),
    (
        "iso-8859-5",
        "cyrillic",
        "��������������������������������\u{a0}ЁЂЃЄЅІЇЈЉЊЋЌ\u{ad}ЎЏАБВГДЕЖЗИЙКЛМНОП\
         РСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя№ёђѓєѕіїјљњћќ§ўџ",
    ),
    (
        "koi8-r",
        "koi8 koi",
        "─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{a0}⌡°²·÷═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©\
         юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ",
    ),
    (
        "koi8-u",
        "koi8ru",
        "─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{a0}⌡°²·÷═║╒ёє╔ії╗╘╙╚╛ґў╞╟╠╡ЁЄ╣ІЇ╦╧╨╩╪ҐЎ©\
         юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ",
    ),
    (
        "mac-cyrillic",
        "xmaccyrillic xmacukrainian",
        "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ†°Ґ£§•¶І®©™Ђђ≠Ѓѓ∞±≤≥іµґЈЄєЇїЉљЊњ\
         јЅ¬√ƒ≈∆«»…\u{a0}ЋћЌќѕ–—“”‘’÷„ЎўЏџ№Ёёяабвгдежзийклмнопрстуфхцчшщъыьэю€",
    ),
    (
        "cp850",
        "ibm850 850",
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
         └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}",
    ),
    (
        "cp437",
        "ibm437 437",
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
         └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}",
    ),
    (
        "cp852",
        "ibm852 852",
        "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐\
         └┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}",
    ),
    (
        "cp866",
        "ibm866 866",
        "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
         └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀рстуфхцчшщъыьэюяЁёЄєЇїЎў°∙·√№¤■\u{a0}",
    ),
];

static LETTERS: LazyLock<Vec<[char; 128]>> = LazyLock::new(|| {
    let table = |(_, _, text): (&str, &str, &str)| {
        let mut letters = [char::REPLACEMENT_CHARACTER; 128];
        for ((place, letter), byte) in letters.iter_mut().zip(text.chars()).zip(0x80_u8..=0xff) {
            // As browsers read them: what has no meaning below 0xA0 is a control character.
            let is_control = letter == char::REPLACEMENT_CHARACTER && byte < 0xa0;
            *place = if is_control { char::from(byte) } else { letter };
        }
        letters
    };
    TABLES.into_iter().map(table).collect()
});

impl Encoding {
    /// UTF-8.
    pub const UTF_8: Encoding = Encoding(0);
    pub(super) const UTF_16LE: Encoding = Encoding(1);
    pub(super) const UTF_16BE: Encoding = Encoding(2);

    /// All encodings.
    pub fn all() -> impl Iterator<Item = Encoding> {
        (0..(UNICODE.len() + TABLES.len()) as u8).map(Encoding)
    }

    /// Its name, and its other names, each as one word in small letters.
    fn names(self) -> (&'static str, &'static str) {
        let place = usize::from(self.0);
        match UNICODE.get(place) {
            Some(&names) => names,
            None => (TABLES[place - UNICODE.len()].0, TABLES[place - UNICODE.len()].1),
        }
    }

    /// Its name, as [`Encoding::from_str`] reads it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// The characters of the bytes from 128 on, if each byte is a character.
    pub(super) fn letters(self) -> Option<&'static [char; 128]> {
        LETTERS.get(usize::from(self.0).checked_sub(UNICODE.len())?)
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Capitals, hyphens and underscores do not matter; `cp1251` and `latin-1` are known, too.
impl FromStr for Encoding {
    type Err = String;

    fn from_str(text: &str) -> Result<Encoding, String> {
        let plain = |text: &str| {
            let signs = text.chars().filter(char::is_ascii_alphanumeric);
            signs.collect::<String>().to_ascii_lowercase()
        };
        let wanted = plain(text);
        let is_wanted = |encoding: &Encoding| {
            let (name, others) = encoding.names();
            plain(name) == wanted || others.split(' ').any(|other| other == wanted)
        };
        Encoding::all().find(is_wanted).ok_or_else(|| {
            let names: Vec<&str> = Encoding::all().map(Encoding::name).collect();
            format!("unknown encoding '{text}': expected one of {}", names.join(", "))
        })
    }
}

/// The encodings found in a text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Encodings(u32);

impl Encodings {
    pub(super) fn add(&mut self, encoding: Encoding) {
        self.0 |= 1 << encoding.0;
    }

    /// These and others.
    #[must_use]
    pub(super) fn and(self, others: Encodings) -> Encodings {
        Encodings(self.0 | others.0)
    }

    /// One after the other; UTF-8 for a text without a character beyond ASCII.
    pub fn iter(self) -> impl Iterator<Item = Encoding> {
        Encoding::all().filter(move |encoding| {
            self.0 >> encoding.0 & 1 == 1 || self.0 == 0 && *encoding == Encoding::UTF_8
        })
    }
}

impl From<Encoding> for Encodings {
    fn from(encoding: Encoding) -> Encodings {
        Encodings(1 << encoding.0)
    }
}

/// Their names, with commas between.
impl fmt::Display for Encodings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, encoding) in self.iter().enumerate() {
            f.write_str(if number == 0 { "" } else { ", " })?;
            f.write_str(encoding.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_those_of_other_libraries() {
        for encoding in Encoding::all().skip(UNICODE.len()) {
            let letters = encoding.letters().unwrap();
            let name = encoding.name().replace("mac-", "x-mac-");
            for byte in 0x80..=0xff {
                let expected = match encoding_rs::Encoding::for_label(name.as_bytes()) {
                    Some(known) => known.decode_without_bom_handling(&[byte]).0.chars().next(),
                    None => {
                        let page = name.trim_start_matches("cp").parse().unwrap();
                        oem_cp::code_table::DECODING_TABLE_CP_MAP[&page].decode_char_checked(byte)
                    }
                };
                let letter = letters[usize::from(byte) - 0x80];
                assert_eq!(Some(letter), expected, "{name} {byte:x}");
            }
        }
    }

    #[test]
    fn names_are_read_as_they_are_written_anywhere() {
        for (name, expected) in [
            ("CP1251", "windows-1251"),
            ("windows-1257", "windows-1257"),
            ("iso8859-5", "iso-8859-5"),
            ("ISO_8859-1", "windows-1252"),
            ("KOI8-U", "koi8-u"),
            ("x-mac-cyrillic", "mac-cyrillic"),
            ("mac_cyrillic", "mac-cyrillic"),
            ("ibm437", "cp437"),
            ("UTF8", "utf-8"),
        ] {
            assert_eq!(name.parse::<Encoding>().unwrap().name(), expected);
        }
        for encoding in Encoding::all() {
            assert_eq!(encoding.name().parse(), Ok(encoding));
        }
        assert!("latin".parse::<Encoding>().unwrap_err().contains("koi8-r"));
        assert!("".parse::<Encoding>().is_err());
    }
}
