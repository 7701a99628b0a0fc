//! A judged game as PDN.

use std::fmt::Write as _;

use egdb::{MoveAnswer, Wld};
use movegen::notation::moves::format_move;
use movegen::notation::pdn::{Annotation, PdnGame, Ply, Variation};

use super::judge::{JudgedGame, JudgedMove};
use crate::record::comment;

/// Moves of a variation.
const LONGEST_LINE: usize = 12;
/// Glyphs that judge a move; those of a book are replaced.
const JUDGEMENTS: std::ops::RangeInclusive<u8> = 1..=6;
/// The only move that keeps the value.
const ONLY_MOVE: u8 = 7;

/// Adds what was found out to the game: after each move its score and what there is to say, a
/// glyph for a bad move, and the best line as a variation. Comments and variations that were there
/// stay. The tag `Annotator` names this program.
pub fn write(pdn: &mut PdnGame, game: &JudgedGame) {
    pdn.tags.set("Annotator", concat!("Meerslag ", env!("CARGO_PKG_VERSION")));
    for (ply, judged) in pdn.line.plies.iter_mut().zip(&game.moves) {
        annotate(ply, judged);
    }
}

fn annotate(ply: &mut Ply, judged: &JudgedMove) {
    let only = judged.exact.as_ref().is_some_and(|exact| exact.is_only && judged.drop() == 0.0);
    if judged.grade.glyph().is_some() {
        ply.nags.retain(|glyph| !JUDGEMENTS.contains(glyph));
    }
    ply.nags.extend(judged.grade.glyph().or(only.then_some(ONLY_MOVE)));
    let mut text = format!("[%eval {:.2}]", judged.score);
    if judged.depth > 0 {
        let _ = write!(text, " [%depth {}]", judged.depth);
    }
    let words = describe(judged);
    if !words.is_empty() {
        let _ = write!(text, " {words}");
    }
    let mut added = vec![comment(&text)];
    if let Some(better) = judged.better() {
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

/// What there is to say about a move; often nothing.
pub(super) fn describe(judged: &JudgedMove) -> String {
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
            "{}{}: {} to {} of the points. Better {}.",
            name[..1].to_uppercase(),
            &name[1..],
            percent(judged.before.expected()),
            percent(judged.after.expected()),
            format_move(&judged.position, better)
        );
    }
    text
}

/// `win in 17`, `draw`, `loss`; conversions where only their distance is known.
fn value(mv: &MoveAnswer) -> String {
    let name = match mv.wld {
        Some(Wld::Win) => "win",
        Some(Wld::Draw) => return "draw".to_owned(),
        Some(Wld::Loss) => "loss",
        None => return "not known".to_owned(),
    };
    match (mv.dtw, mv.mtc) {
        (Some(plies), _) => format!("{name} in {plies} plies"),
        (None, Some(plies)) => format!("{name}, conversion in {plies} plies"),
        (None, None) => name.to_owned(),
    }
}
