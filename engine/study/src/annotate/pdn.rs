//! A judged game as PDN.

use std::fmt::Write as _;

use egdb::{MoveAnswer, Wld};
use movegen::notation::moves::{format_move, parse_move};
use movegen::notation::pdn::{Annotation, Comment, PdnGame, Ply, Variation};
use movegen::{Move, Position};

use super::judge::{JudgedGame, JudgedMove};
use crate::record::comment;
use meerslag_search::counted;

/// Moves of a variation.
const LONGEST_LINE: usize = 12;
/// Glyphs that judge a move; those of a book are replaced.
const JUDGEMENTS: std::ops::RangeInclusive<u32> = 1..=6;
/// The only move that keeps the value.
const ONLY_MOVE: u32 = 7;
/// The command that marks a comment of ours. Its value names what was added beside the comment:
/// the glyph, such as `$4`, and the first move of the variation.
const MARK: &str = "annotate";

/// Adds what was found out to the game: after each move its score and what there is to say, a
/// glyph for a bad move, and the best line as a variation. What an earlier call added is replaced;
/// all other comments and variations stay. The tag `Annotator` names this program.
pub fn write(pdn: &mut PdnGame, game: &JudgedGame) {
    pdn.tags.set("Annotator", concat!("Meerslag ", env!("CARGO_PKG_VERSION")));
    for (ply, judged) in pdn.line.plies.iter_mut().zip(&game.moves) {
        clear(ply, &judged.position);
        annotate(ply, judged);
    }
}

fn annotate(ply: &mut Ply, judged: &JudgedMove) {
    let only = judged.exact.as_ref().is_some_and(|exact| exact.is_only && judged.drop() == 0.0);
    let glyph = judged.grade.glyph().or(only.then_some(ONLY_MOVE));
    if judged.grade.glyph().is_some() {
        ply.nags.retain(|glyph| !JUDGEMENTS.contains(glyph));
    }
    let glyph = glyph.filter(|glyph| !ply.nags.contains(glyph));
    ply.nags.extend(glyph);
    let better = judged.better();
    let mut text = format!("[%eval {:.2}]", judged.score);
    if judged.depth > 0 {
        let _ = write!(text, " [%depth {}]", judged.depth);
    }
    let _ = write!(text, " [%{MARK}");
    if let Some(glyph) = glyph {
        let _ = write!(text, " ${glyph}");
    }
    if let Some(better) = better {
        let _ = write!(text, " {}", format_move(&judged.position, better));
    }
    text.push(']');
    let words = describe(judged);
    if !words.is_empty() {
        let _ = write!(text, " {words}");
    }
    let mut added = vec![comment(&text)];
    if let Some(better) = better {
        let line: Vec<Ply> = match judged.line.first() {
            Some(first) if *first == better => {
                judged.line.iter().take(LONGEST_LINE).map(|&mv| Ply::from(mv)).collect()
            }
            // The databases know better than the search; how it goes on is not searched.
            _ => vec![Ply::from(better)],
        };
        added.push(Annotation::Variation(Variation { lead: Vec::new(), plies: line }));
    }
    ply.after.splice(0..0, added);
}

/// Takes out what [`annotate`] added to a move that is played from `position`. A program or a
/// person may have worked on the game since: words that were added to the comment stay, and so do
/// variations with more than moves in them.
fn clear(ply: &mut Ply, position: &Position) {
    let mut at = 0;
    while at < ply.after.len() {
        let mark = match &mut ply.after[at] {
            Annotation::Comment(comment) => comment.take_command(MARK).inspect(|_| {
                comment.take_command("eval");
                comment.take_command("depth");
                *comment = Comment::new(&without_words(&comment.text));
            }),
            _ => None,
        };
        let Some(mark) = mark else {
            at += 1;
            continue;
        };
        if ply.after[at] == Annotation::Comment(Comment::default()) {
            ply.after.remove(at);
        }
        for part in mark.split_whitespace() {
            if let Some(glyph) = part.strip_prefix('$').and_then(|glyph| glyph.parse::<u32>().ok())
            {
                let place = ply.nags.iter().position(|&nag| nag == glyph);
                place.map(|place| ply.nags.remove(place));
            } else if let Ok(better) = parse_move(position, part) {
                let is_ours = |annotation: &Annotation| is_bare_line(annotation, better);
                let place = ply.after.iter().position(is_ours);
                place.map(|place| ply.after.remove(place));
            }
        }
    }
}

/// Whether this is a variation that begins with a move and has moves only.
fn is_bare_line(annotation: &Annotation, first: Move) -> bool {
    let Annotation::Variation(line) = annotation else { return false };
    let is_bare = |ply: &Ply| ply.nags.is_empty() && ply.after.is_empty();
    line.lead.is_empty()
        && line.plies.first().is_some_and(|ply| ply.mv == first)
        && line.plies.iter().all(is_bare)
}

/// The beginnings of the sentences of [`describe`]; each ends with the first full stop.
const SENTENCES: [&str; 4] = ["Databases: ", "Inaccuracy: ", "Mistake: ", "Blunder: "];
/// The other words in them, beside numbers and moves.
const WORDS: [&str; 17] = [
    "win",
    "draw",
    "loss",
    "not",
    "known",
    "in",
    "ply",
    "plies",
    "conversion",
    "best",
    "is",
    "to",
    "of",
    "the",
    "points",
    "better",
    "%",
];

/// A comment without the sentences of [`describe`]. One that somebody has changed stays.
fn without_words(text: &str) -> String {
    let is_word = |word: &str| {
        let word = word.trim_end_matches([',', ';']);
        WORDS.contains(&word) || word.starts_with(|c: char| c.is_ascii_digit())
    };
    let mut rest = text.to_owned();
    for start in SENTENCES {
        let Some(from) = rest.find(start) else { continue };
        let Some((said, _)) = rest[from + start.len()..].split_once('.') else { continue };
        if said.split(' ').all(is_word) {
            rest.replace_range(from..=from + start.len() + said.len(), "");
        }
    }
    rest
}

/// What there is to say about a move; often nothing. `SENTENCES` has to know its sentences.
#[must_use]
pub fn describe(judged: &JudgedMove) -> String {
    let mut text = String::new();
    if let Some(exact) = &judged.exact {
        let after = value(&exact.made);
        // The best move has what the position had.
        let best = exact.best.first().map(value).filter(|best| *best != after);
        let _ = match best {
            Some(best) => write!(text, "Databases: {after}; best is {best}."),
            None => write!(text, "Databases: {after}."),
        };
    }
    if let Some(better) = judged.better() {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        if !text.is_empty() {
            text.push(' ');
        }
        let name = judged.grade.name();
        let _ = write!(
            text,
            "{}{}: {} to {} of the points; better {}.",
            name[..1].to_uppercase(),
            &name[1..],
            percent(judged.before.expected()),
            percent(judged.after.expected()),
            format_move(&judged.position, better)
        );
    }
    text
}

/// `win in 17 plies`, `draw`, `loss`; conversions where only their distance is known.
fn value(mv: &MoveAnswer) -> String {
    let Some(value) = mv.wld else { return "not known".to_owned() };
    let name = value.name();
    if value == Wld::Draw {
        return name.to_owned();
    }
    match (mv.dtw, mv.mtc) {
        (Some(plies), _) => format!("{name} in {}", counted(plies, "ply")),
        (None, Some(plies)) => format!("{name}, conversion in {}", counted(plies, "ply")),
        (None, None) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_their_noun() {
        let mv = Position::initial().legal_moves()[0];
        let answer = |dtw, mtc| MoveAnswer { mv, wld: Some(Wld::Win), dtw, mtc };
        assert_eq!(value(&answer(Some(1), None)), "win in 1 ply");
        assert_eq!(value(&answer(Some(3), Some(1))), "win in 3 plies");
        assert_eq!(value(&answer(None, Some(1))), "win, conversion in 1 ply");
    }

    #[test]
    fn only_our_own_sentences_are_taken_out() {
        for (text, left) in [
            ("Databases: win in 17 plies.", ""),
            ("Databases: win in 1 ply.", ""),
            ("Databases: loss, conversion in 4 plies; best is draw. A pity.", " A pity."),
            ("Databases: not known. Blunder: 100 % to 50 % of the points; better 18-12.", " "),
            ("Oh! Mistake: 60 % to 48 % of the points; better 7x18.", "Oh! "),
            ("Blunder: I was asleep.", "Blunder: I was asleep."),
            ("Blunder: 100 % to 50 % of my points.", "Blunder: 100 % to 50 % of my points."),
            ("Databases: draw", "Databases: draw"),
        ] {
            assert_eq!(without_words(text), left);
        }
    }
}
