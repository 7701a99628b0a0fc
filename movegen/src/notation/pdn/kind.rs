//! Kinds of games, and the names of tags in other languages.

use std::fmt;

use crate::variant::Variant;

/// A game that is not of the kind that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherGame {
    /// The kind that is read; without one all variants are.
    pub read: Option<Variant>,
    /// Its number in the `GameType` tag, if it has one.
    pub number: Option<u32>,
    /// Its name.
    pub name: &'static str,
}

impl OtherGame {
    pub(super) const INTERNATIONAL: OtherGame = OtherGame::new(20, "international draughts");
    pub(super) const KILLER: OtherGame = OTHERS[17].0;
    pub(super) const CHESS: OtherGame = OTHERS[0].0;
    pub(super) const ENGLISH: OtherGame = OTHERS[2].0;
    /// Some game on the small board.
    pub(super) const SMALL: OtherGame = OTHERS[18].0;

    const fn new(number: u32, name: &'static str) -> OtherGame {
        OtherGame { read: Some(Variant::International), number: Some(number), name }
    }

    const fn named(name: &'static str) -> OtherGame {
        OtherGame { read: Some(Variant::International), number: None, name }
    }

    /// The game, if it is one that can be read.
    pub(super) fn variant(self) -> Option<Variant> {
        let has_number =
            |variant: &Variant| self.number.is_some_and(|it| variant.game_type() == it.to_string());
        if self == OtherGame::KILLER {
            return Some(Variant::Killer);
        }
        Variant::ALL.into_iter().find(has_number)
    }
}

impl fmt::Display for OtherGame {
    /// Ends with "skipped" and the reason.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OtherGame { read, number, name } = self;
        let reason = match read {
            Some(Variant::International) => {
                "skipped: only 20, international draughts, is read".to_owned()
            }
            Some(variant) => format!("skipped: only {} is read", variant.title()),
            None => {
                let names = Variant::ALL.map(Variant::title).join(", ");
                format!("skipped: these are read: {names}")
            }
        };
        match number {
            Some(number) => write!(f, "game of type {number} {reason} ({number} is {name})"),
            None => write!(f, "game of {name} {reason}"),
        }
    }
}

/// The other games of PDN 3.0 and of lidraughts, and how the tags `GameType` and `Variant` begin
/// that mean them, in small letters and digits. The first that fits counts.
const OTHERS: [(OtherGame, &[&str]); 19] = [
    (
        OtherGame::new(0, "chess"),
        &[
            "chess",
            "fischer",
            "antichess",
            "crazyhouse",
            "atomic",
            "horde",
            "kingofthehill",
            "racingkings",
            "threecheck",
            "3check",
        ],
    ),
    (OtherGame::new(23, "American pool"), &["americanpool", "pool"]),
    (OtherGame::new(21, "English draughts"), &["english", "american", "anglo", "checkers"]),
    (OtherGame::new(22, "Italian draughts"), &["ital"]),
    (OtherGame::new(24, "Spanish draughts"), &["spanish", "espa"]),
    (OtherGame::new(25, "Russian draughts"), &["russ"]),
    (OtherGame::new(26, "Brazilian draughts"), &["brazil", "brasil"]),
    (OtherGame::new(27, "Canadian draughts"), &["canad", "12x12", "144"]),
    (OtherGame::new(28, "Portuguese draughts"), &["portug"]),
    (OtherGame::new(29, "Czech draughts"), &["czech"]),
    (OtherGame::new(30, "Turkish draughts"), &["turk"]),
    (OtherGame::new(31, "Thai draughts"), &["thai"]),
    (OtherGame::new(40, "Frisian draughts"), &["fris", "fries"]),
    (OtherGame::new(41, "Spantsiretti"), &["spantsir"]),
    (OtherGame::new(96, "Breakthrough"), &["breakthrough", "bt"]),
    (OtherGame::new(97, "Frysk!"), &["frysk"]),
    (
        OtherGame::new(98, "Antidraughts"),
        &["antidra", "anticheck", "losing", "giveaway", "suicide", "poddavki", "misere"],
    ),
    (OtherGame::named("Killer draughts"), &["killer"]),
    (OtherGame::named("the board of 8x8"), &["8x8", "64"]),
];

/// What a `GameType` or `Variant` tag says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    International,
    Other(OtherGame),
    /// Neither a number nor a name of a game.
    Unknown,
}

impl Kind {
    /// The game, if it is one that can be read.
    pub(super) fn variant(self) -> Option<Variant> {
        match self {
            Kind::International => Some(Variant::International),
            Kind::Other(game) => game.variant(),
            Kind::Unknown => None,
        }
    }

    /// Reads the value: the number before the first comma, or a name.
    pub(super) fn read(value: &str) -> Kind {
        let letters = value.chars().filter(char::is_ascii_alphanumeric);
        let plain: String = letters.map(|c| c.to_ascii_lowercase()).collect();
        let word = value.trim().split(|c: char| !c.is_alphanumeric()).next();
        let number = word.and_then(|word| word.parse::<u32>().ok());
        let is_it = |(game, names): &&(OtherGame, &[&str])| {
            number.is_some() && game.number == number
                || names.iter().any(|name| plain.starts_with(name))
        };
        let ours = ["10x10", "international", "standard", "fromposition"];
        match (number, OTHERS.iter().find(is_it)) {
            // 99 is lidraughts' number of a game from a position; the board has 100 squares.
            (Some(20 | 99 | 100), _) => Kind::International,
            _ if ours.iter().any(|name| plain.starts_with(name)) => Kind::International,
            (_, Some((game, _))) => Kind::Other(*game),
            (_, None) => Kind::Unknown,
        }
    }
}

/// Names in the standard of tags that have names in other languages, and these in small letters.
pub(super) const TAGS: [(&str, &[&str]); 7] = [
    (
        "White",
        &[
            "bianco",
            "wit",
            "blancs",
            "blanc",
            "weiß",
            "weiss",
            "białe",
            "biale",
            "белые",
            "білі",
            "blancas",
            "blanco",
            "brancas",
            "branco",
        ],
    ),
    (
        "Black",
        &[
            "nero",
            "zwart",
            "noirs",
            "noir",
            "schwarz",
            "czarne",
            "чёрные",
            "черные",
            "чорні",
            "negras",
            "negro",
            "pretas",
            "preto",
        ],
    ),
    (
        "Result",
        &[
            "risultato",
            "uitslag",
            "résultat",
            "resultat",
            "ergebnis",
            "wynik",
            "результат",
            "resultado",
        ],
    ),
    ("Date", &["data", "datum", "дата", "fecha"]),
    (
        "Event",
        &[
            "evento",
            "torneo",
            "toernooi",
            "tournoi",
            "événement",
            "turnier",
            "turniej",
            "турнир",
            "турнір",
            "torneio",
        ],
    ),
    ("Round", &["turno", "ronde", "runde", "runda", "тур", "ronda", "rodada"]),
    ("Site", &["luogo", "plaats", "lieu", "ort", "miejsce", "место", "lugar"]),
];

/// Whether a tag has this name of [`TAGS`], in another language.
pub(super) fn is_translation(name: &str, standard: &str) -> bool {
    let names = TAGS.iter().find(|(known, _)| *known == standard).map(|(_, names)| names);
    names.is_some_and(|names| names.contains(&&*name.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_standard_and_names_are_kinds() {
        for value in [
            "20",
            "20,W,10,10,N2,0",
            "20 (international)",
            "99",
            "100",
            "10x10",
            "Standard",
            "From Position",
        ] {
            assert_eq!(Kind::read(value), Kind::International, "{value}");
        }
        for value in ["1", "10", "2000", "int", "Roozenburg", "", "Белые"] {
            assert_eq!(Kind::read(value), Kind::Unknown, "{value}");
        }
        for (value, name) in [
            ("0", "chess"),
            ("21", "English draughts"),
            ("25,W,8,8,A0,0", "Russian draughts"),
            ("40", "Frisian draughts"),
            ("Frisian", "Frisian draughts"),
            ("Frysk!", "Frysk!"),
            ("97", "Frysk!"),
            ("Antidraughts", "Antidraughts"),
            ("Breakthrough", "Breakthrough"),
            ("96", "Breakthrough"),
            ("russian", "Russian draughts"),
            ("Brazilian", "Brazilian draughts"),
            ("Chess960", "chess"),
            ("Killer", "Killer draughts"),
            ("Spantsiretti", "Spantsiretti"),
            ("64", "the board of 8x8"),
        ] {
            let Kind::Other(game) = Kind::read(value) else { panic!("{value}") };
            assert_eq!(game.name, name, "{value}");
        }
        assert_eq!(OtherGame::ENGLISH.number, Some(21));
        assert_eq!(OtherGame::SMALL.number, None);
    }

    #[test]
    fn tags_of_other_languages_have_a_name_in_the_standard() {
        for (name, standard) in [
            ("Bianco", "White"),
            ("NERO", "Black"),
            ("Risultato", "Result"),
            ("Weiß", "White"),
            ("БЕЛЫЕ", "White"),
            ("Résultat", "Result"),
        ] {
            assert!(is_translation(name, standard), "{name}");
            assert!(!is_translation(name, "Date") && !is_translation(name, "FEN"), "{name}");
        }
    }
}
