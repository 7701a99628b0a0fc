//! A judged game as PDN.

use std::fmt::Write as _;

use egdb::{MoveAnswer, Wld};
use movegen::notation::moves::{format_move, parse_move};
use movegen::notation::pdn::{
    ANNOTATION, Annotation, Comment, Grade, PdnGame, Ply, Signs, Variation,
};
use movegen::{Move, Position};

use super::judge::{JudgedGame, JudgedMove};
use crate::record::comment;
use movegen::words::Words;

/// Moves of a variation.
const LONGEST_LINE: usize = 12;
/// Glyphs that judge a move; those of a book are replaced.
const JUDGEMENTS: std::ops::RangeInclusive<u32> = 1..=6;
/// Those for bad moves: `?`, `??`, `?!`.
const BAD: [u32; 3] = [2, 4, 6];
/// The only move that keeps the value.
const ONLY_MOVE: u32 = 7;
/// Adds the results to the game: after each move its score and remarks, a glyph for a bad move, and
/// the best line as a variation. Additions of an earlier call are replaced unless somebody has
/// changed them; all other comments and variations stay. The tag `Annotator` names this program.
pub fn write(pdn: &mut PdnGame, game: &JudgedGame, signs: Signs, words: &Words) {
    pdn.tags.set("Annotator", concat!("Meerslag ", env!("CARGO_PKG_VERSION")));
    for (ply, judged) in pdn.line.plies.iter_mut().zip(&game.moves) {
        clear(ply, &judged.position);
        annotate(ply, judged, signs, words);
    }
}

fn annotate(ply: &mut Ply, judged: &JudgedMove, signs: Signs, words: &Words) {
    let only = judged.exact.as_ref().is_some_and(|exact| exact.is_only && judged.drop() == 0.0);
    let glyph = judged.grade.glyph(signs).or(only.then_some(ONLY_MOVE));
    if judged.grade != Grade::Good {
        ply.nags.retain(|glyph| !JUDGEMENTS.contains(glyph));
    }
    let glyph = glyph.filter(|glyph| !ply.nags.contains(glyph));
    ply.nags.extend(glyph);
    let better = judged.better();
    let mut text = format!("[%eval {:.2}]", judged.score);
    if judged.depth > 0 {
        let _ = write!(text, " [%depth {}]", judged.depth);
    }
    let words = describe(judged, words);
    let mark = format!("[%{ANNOTATION} {}", checksum(&Comment::new(&format!("{text} {words}"))));
    let _ = write!(text, " {mark}");
    if let Some(glyph) = glyph {
        let _ = write!(text, " ${glyph}");
    }
    if judged.grade == Grade::Inaccuracy {
        let _ = write!(text, " {}", judged.grade.name());
    }
    if let Some(better) = better {
        let _ = write!(text, " {}", format_move(&judged.position, better));
    }
    let _ = write!(text, "] {words}");
    let mut added = vec![comment(&text)];
    if let Some(better) = better {
        let line: Vec<Ply> = match judged.line.first() {
            Some(first) if *first == better => {
                judged.line.iter().take(LONGEST_LINE).map(|&mv| Ply::from(mv)).collect()
            }
            // The databases replace the search here.
            _ => vec![Ply::from(better)],
        };
        added.push(Annotation::Variation(Variation { lead: Vec::new(), plies: line }));
    }
    ply.after.splice(0..0, added);
}

/// The text of a comment without its mark, as covered by the mark.
fn checksum(comment: &Comment) -> String {
    format!("{:08x}", crc32fast::hash(comment.text.as_bytes()))
}

/// Takes out what [`annotate`] added to a move that is played from `position`. Another program or a
/// person may have edited the game: a comment that was changed stays, and so does a variation with
/// anything but moves.
fn clear(ply: &mut Ply, position: &Position) {
    let mut at = 0;
    while at < ply.after.len() {
        let Some((rest, sum, added)) = marked(&ply.after[at]) else {
            at += 1;
            continue;
        };
        if sum == checksum(&rest) {
            ply.after.remove(at);
        } else {
            ply.after[at] = Annotation::Comment(rest);
        }
        for part in added.split_whitespace() {
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

/// A comment with our mark: the comment without it, its checksum, and the additions beside it.
fn marked(annotation: &Annotation) -> Option<(Comment, String, String)> {
    let Annotation::Comment(comment) = annotation else { return None };
    let mut rest = comment.clone();
    let mark = rest.take_command(ANNOTATION)?;
    let (sum, added) = mark.split_once(' ').unwrap_or((&mark, ""));
    let is_sum = sum.len() == 8 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_sum.then(|| (rest, sum.to_owned(), added.to_owned()))
}

/// The better line beside a bad move, played from this position: the one that [`write()`] added, or
/// the first variation beside a glyph for a bad move. `None` if there is none.
#[must_use]
pub fn better_line(ply: &Ply, position: &Position) -> Option<Vec<Move>> {
    let added = ply.after.iter().find_map(marked).map(|(_, _, added)| added).unwrap_or_default();
    let ours = added.split_whitespace().find_map(|part| parse_move(position, part).ok());
    let begins = |line: &&Variation| match (line.plies.first(), ours) {
        (Some(first), Some(better)) => first.mv == better,
        (Some(first), None) => first.mv != ply.mv,
        (None, _) => false,
    };
    let line = || Some(ply.variations().find(begins)?.moves().collect());
    match ours {
        Some(better) => Some(line().unwrap_or_else(|| vec![better])),
        None if ply.nags.iter().any(|glyph| BAD.contains(glyph)) => line(),
        None => None,
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

/// The remark on a move; often none.
#[must_use]
pub fn describe(judged: &JudgedMove, words: &Words) -> String {
    let mut parts = Vec::new();
    if let Some(exact) = &judged.exact {
        let after = value(&exact.made, words);
        // The best move keeps the value of the position.
        let best = exact.best.first().map(|best| value(best, words)).filter(|best| *best != after);
        let best = best.map(|best| format!("; {}", words.say("bestValue", &[("value", &best)])));
        let said = words.say("databasesSay", &[("value", &after)]);
        parts.push(format!("{said}{}.", best.unwrap_or_default()));
    }
    if let Some(better) = judged.better() {
        let percent = |share: f64| format!("{:.0}", 100.0 * share);
        let (before, after) = (judged.before.expected(), judged.after.expected());
        let shares = [("before", &percent(before) as _), ("after", &percent(after) as _)];
        let better = format_move(&judged.position, better);
        parts.push(format!(
            "{}: {}; {}.",
            words.say(&format!("grade.{}", judged.grade.name()), &[]),
            words.say("gaveAway", &shares),
            words.say("betterMove", &[("move", &better)])
        ));
    }
    parts.join(" ")
}

/// `win in 17 plies`, `draw`, `loss`; conversions where only their distance is known.
fn value(mv: &MoveAnswer, words: &Words) -> String {
    let name = words.say(&format!("value.{}", mv.wld.map_or("unknown", Wld::name)), &[]);
    let say = |key: &str, plies: u32| words.say(key, &[("plies", &plies)]);
    match (mv.dtw, mv.mtc) {
        _ if matches!(mv.wld, None | Some(Wld::Draw)) => name,
        (Some(plies), _) => format!("{name} {}", say("plies", plies)),
        (None, Some(plies)) => format!("{name}, {}", say("conversionIn", plies)),
        (None, None) => name,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use movegen::Chance;

    use super::*;

    /// No texts: their keys stand for them.
    fn keys() -> Words {
        Words { language: "en".to_owned(), texts: BTreeMap::new() }
    }

    #[test]
    fn the_shortest_way_that_is_known_is_named() {
        let mv = Position::initial().legal_moves()[0];
        let say = |wld, dtw, mtc| value(&MoveAnswer { mv, wld, dtw, mtc }, &keys());
        assert_eq!(say(Some(Wld::Win), Some(3), Some(1)), "value.win plies");
        assert_eq!(say(Some(Wld::Loss), None, Some(1)), "value.loss, conversionIn");
        assert_eq!(say(Some(Wld::Draw), None, None), "value.draw");
        assert_eq!(say(None, None, None), "value.unknown");
    }

    /// A ply with a comment of ours, beside it a glyph and a variation.
    fn annotated() -> (Position, Ply) {
        let position = Position::initial();
        let [made, better] = [0, 1].map(|at| position.legal_moves()[at]);
        let judged = JudgedMove {
            position,
            mv: made,
            line: vec![better],
            before: Chance::from(Wld::Win),
            after: Chance::from(Wld::Draw),
            score: 0.0,
            depth: 7,
            grade: Grade::Blunder,
            exact: None,
            is_forced: false,
        };
        let mut ply = Ply::from(made);
        annotate(&mut ply, &judged, Signs::Draughts, &keys());
        assert_eq!((ply.nags.as_slice(), ply.after.len()), (&[4][..], 2));
        (position, ply)
    }

    fn text_of(ply: &mut Ply) -> &mut String {
        let Some(Annotation::Comment(comment)) = ply.after.first_mut() else {
            panic!("no comment")
        };
        &mut comment.text
    }

    #[test]
    fn an_unchanged_comment_of_ours_goes_with_what_belongs_to_it() {
        let (position, mut ply) = annotated();
        // A program that breaks lines changes nothing.
        let broken = text_of(&mut ply).replace(' ', "\n");
        ply.after[0] = comment(&broken);
        clear(&mut ply, &position);
        assert_eq!((ply.nags.as_slice(), ply.after.as_slice()), (&[][..], &[][..]));
    }

    #[test]
    fn a_changed_comment_stays_and_is_not_ours_any_more() {
        let (position, mut ply) = annotated();
        text_of(&mut ply).push_str(" A pity.");
        let whole = text_of(&mut ply).clone();
        clear(&mut ply, &position);
        let left = text_of(&mut ply).clone();
        let (before, rest) = whole.split_once(" [%annotate ").unwrap();
        assert_eq!(left, format!("{before} {}", rest.split_once("] ").unwrap().1));
        assert!(left.ends_with(" A pity."), "{left}");
        assert_eq!((ply.nags.as_slice(), ply.after.len()), (&[][..], 1));
        let kept = ply.clone();
        clear(&mut ply, &position);
        assert_eq!(ply, kept);
    }

    #[test]
    fn a_mark_without_a_checksum_is_somebody_elses() {
        for mark in ["[%annotate]", "[%annotate $4 32-28]", "[%annotate 0123456 $4]"] {
            let (position, mut ply) = annotated();
            *text_of(&mut ply) = format!("{mark} Oh!");
            let kept = ply.clone();
            clear(&mut ply, &position);
            assert_eq!(ply, kept, "{mark}");
        }
    }
}
