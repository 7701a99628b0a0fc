//! Solutions as PDN.

use movegen::notation::moves::format_move;
use movegen::notation::pdn::{Annotation, GameResult, PdnGame, Ply, Variation};
use movegen::words::counted;
use movegen::{Color, Game, Move, Position};

use super::line::{Conversion, LinePly, SolutionVariation, SolvedLineKind, VariationEnd};
use super::{Solution, Value, Within};
use crate::record::{GameRecord, comment};

/// Most moves of one kind that a remark names.
const NAMED: usize = 6;

impl Solution {
    /// The first `most_plies` of the line as a game with remarks and variations; of a solution of the
    /// last position of `game`. `None` without a line.
    #[must_use]
    pub fn to_pdn(&self, game: &Game, most_plies: usize) -> Option<PdnGame> {
        let line = self.line.as_ref()?;
        let (start, winner) = (*game.position(), line.winner);
        let halfmoves = game.counters().plies();
        let mut record = GameRecord { halfmoves, ..GameRecord::new(start) };
        record.result = match (winner, self.value) {
            (Some(winner), _) => GameResult::won_by(winner),
            (None, Value::Draw) => GameResult::Draw,
            (None, _) => GameResult::Unknown,
        };
        let how = match line.kind {
            SolvedLineKind::Shortest => "shortest win, longest defence",
            SolvedLineKind::UnderRules => "won under the rules: the shortest win in time",
            SolvedLineKind::ByConversions => {
                "each conversion as soon as possible, as late as possible"
            }
            SolvedLineKind::Proof => "proved by search",
            SolvedLineKind::OneOfMany => "one of many ways to hold the draw",
        };
        let what = match (winner, self.dtw, self.within) {
            (None, ..) => self.value.to_string(),
            (Some(winner), Some(plies), _) => format!("{winner} wins in {}", counted(plies, "ply")),
            (Some(winner), None, Some(Within::End(plies))) => {
                format!("{winner} wins in at most {}", counted(plies, "ply"))
            }
            (Some(winner), None, _) => format!("{winner} wins"),
        };
        let mut pdn = record.to_pdn("Endgame solution", None);
        pdn.tags.set("Annotator", concat!("Meerslag ", env!("CARGO_PKG_VERSION")));
        let shown = &line.plies[..line.plies.len().min(most_plies)];
        let writer = LineWriter { winner, is_tree: is_tree(shown) };
        let tree = match writer.is_tree {
            true => "; variations: all defences, and the other moves that win",
            false => "",
        };
        pdn.line.lead.push(comment(&format!("{what}; {how}{tree}")));
        pdn.line.plies = writer.plies(start, shown);
        let rest = line.plies.len() - shown.len();
        let end = match (rest, line.is_complete, winner) {
            (1.., _, Some(_)) => {
                Some(format!("the line continues for {}", counted(rest as u32, "ply")))
            }
            (0, false, Some(_)) if line.kind == SolvedLineKind::Proof => {
                Some("the line breaks off: the rest of the proof is no longer in memory".to_owned())
            }
            (0, false, Some(_)) => Some("the line breaks off: no distances from here".to_owned()),
            _ => None,
        };
        if let Some(text) = end {
            pdn.line.tail().push(comment(&text));
        }
        Some(pdn)
    }
}

/// Whether the moves have variations, or would have with more room.
fn is_tree(plies: &[LinePly]) -> bool {
    plies.iter().any(|ply| ply.left_out > 0 || !ply.variations.is_empty())
}

struct LineWriter {
    winner: Option<Color>,
    is_tree: bool,
}

impl LineWriter {
    fn plies(&self, start: Position, plies: &[LinePly]) -> Vec<Ply> {
        let mut position = start;
        let one = |of: &LinePly| {
            let mut ply = Ply::from(of.mv);
            let wins = Some(position.side_to_move()) == self.winner;
            let mut remarks = self.remarks(of);
            if !self.is_tree {
                remarks.extend(self.equal(&position, of));
            }
            if of.left_out > 0 {
                let what = if wins { "winning move" } else { "defence" };
                remarks.push(format!("{} left out", counted(of.left_out as u64, what)));
            }
            if !remarks.is_empty() {
                ply.after.push(comment(&remarks.join("; ")));
            }
            let variations = of.variations.iter().map(|v| self.variation(position, v));
            ply.after.extend(variations.map(Annotation::Variation));
            position = position.after(of.mv);
            ply
        };
        plies.iter().map(one).collect()
    }

    fn variation(&self, start: Position, of: &SolutionVariation) -> Variation {
        let plies = self.plies(start, &of.plies);
        let mut variation = Variation { plies, ..Variation::default() };
        let dtw = of.plies.last().and_then(|ply| ply.dtw);
        let end = match (of.end, dtw) {
            (VariationEnd::Over, _) => return variation,
            (VariationEnd::Dual, Some(plies)) => {
                format!("also wins, in {}", counted(plies + 1, "ply"))
            }
            (VariationEnd::Dual, None) => "also wins".to_owned(),
            (VariationEnd::Elsewhere, _) => "as elsewhere in the tree".to_owned(),
            (VariationEnd::Cut, _) => "cut here".to_owned(),
            (VariationEnd::Unknown, _) => "no more is known".to_owned(),
        };
        variation.tail().push(comment(&end));
        variation
    }

    /// What happens at a move.
    fn remarks(&self, ply: &LinePly) -> Vec<String> {
        let what = match ply.conversion {
            Some(Conversion::Capture(1)) => Some("conversion: 1 piece left".to_owned()),
            Some(Conversion::Capture(pieces)) => {
                Some(format!("conversion: {} left", counted(pieces, "piece")))
            }
            Some(Conversion::Promotion) => Some("conversion: promotion".to_owned()),
            // The move itself shows it, and there may be many in a line.
            Some(Conversion::ManMove) if ply.mtc.is_none() || ply.dtw.is_some() => None,
            Some(Conversion::ManMove) => Some("conversion: man move".to_owned()),
            None => None,
        };
        let enters = ply.enters_databases.then(|| "into the databases".to_owned());
        let mut parts: Vec<String> = what.into_iter().chain(enters).collect();
        if parts.is_empty() {
            return parts;
        }
        if let (Some(winner), Some(plies)) = (self.winner, ply.dtw) {
            parts.push(match plies {
                0 => format!("{winner} has won"),
                _ => format!("{winner} wins in {}", counted(plies, "ply")),
            });
        }
        if let (Some(_), Some(mtc)) = (self.winner, ply.mtc) {
            parts.push(format!("{mtc} to the next"));
        }
        vec![parts.join(", ")]
    }

    /// The other moves that are as good.
    fn equal(&self, position: &Position, ply: &LinePly) -> Vec<String> {
        let equal = &ply.equal;
        let keep_distance = |mv: &Move| equal.keep_distance.contains(mv);
        let also = equal.keep_value.iter().filter(|&mv| !keep_distance(mv));
        let (near, far) = match self.winner {
            None => ("", "also draws"),
            Some(winner) if winner == position.side_to_move() => ("as short", "also wins"),
            Some(_) => ("as long", ""),
        };
        let lists = [
            (near, equal.keep_distance.iter().collect::<Vec<_>>()),
            (far, also.collect()),
            ("not settled", equal.unsettled.iter().collect()),
        ];
        let mut texts = Vec::new();
        for (what, moves) in lists {
            let moves: Vec<&Move> = moves.into_iter().filter(|&&mv| mv != ply.mv).collect();
            if what.is_empty() || moves.is_empty() {
                continue;
            }
            let named = moves.iter().take(NAMED).map(|&&mv| format_move(position, mv));
            let mut text = format!("{what}: {}", named.collect::<Vec<_>>().join(", "));
            if moves.len() > NAMED {
                text += &format!(" and {} more", moves.len() - NAMED);
            }
            texts.push(text);
        }
        texts
    }
}
