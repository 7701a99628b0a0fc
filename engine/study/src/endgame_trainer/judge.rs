//! The value of a move compared with the others.

use std::fmt::Write as _;

use egdb::{Answer, MoveAnswer, Wld};
use movegen::notation::moves::format_move;
use movegen::{Move, Position};

use super::distance::Measure;
use movegen::words::counted;

/// Moves that a sentence names at most.
const NAMED: usize = 6;

/// How good a move was.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// No move is better.
    Perfect,
    /// The value stays; how well is not known.
    Holds,
    /// The value stays, but a win comes this many plies later than necessary, or a loss this many
    /// earlier.
    Inaccuracy(u32),
    /// The value is lost.
    Mistake,
}

/// A move compared with all others of its position. Values are those of the side that moves,
/// distances count from before the move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// The move, and the value it leads to.
    pub made: MoveAnswer,
    /// The value that the position had.
    pub value: Wld,
    /// The kind of distances; `None` for draws and without such databases.
    pub measure: Option<Measure>,
    /// The verdict.
    pub verdict: Verdict,
    /// After a mistake the moves that keep the value, best first; else the best moves.
    pub best: Vec<MoveAnswer>,
    /// Whether only one move kept the value, and there were others.
    pub is_only: bool,
}

/// Compares a move with the others; `None` if it is not among them, or where the databases do not
/// reach.
#[must_use]
pub fn judge(answer: &Answer, mv: Move) -> Option<Judgement> {
    let made = *answer.moves.iter().find(|m| m.mv == mv)?;
    let value = answer.wld?;
    let measure = Measure::of(answer).filter(|_| value != Wld::Draw);
    let keeping: Vec<MoveAnswer> =
        answer.moves.iter().copied().filter(|m| m.wld == Some(value)).collect();
    let is_only = keeping.len() == 1 && answer.moves.len() > 1;
    let distance = |m: &MoveAnswer| measure.and_then(|measure| measure.of_move(m));
    let distances = keeping.iter().filter_map(distance);
    let target = if value == Wld::Win { distances.min() } else { distances.max() };

    let verdict = match (distance(&made), target) {
        _ if made.wld? != value => Verdict::Mistake,
        (Some(plies), Some(target)) if plies == target => Verdict::Perfect,
        (Some(plies), Some(target)) => Verdict::Inaccuracy(plies.abs_diff(target)),
        _ if is_only => Verdict::Perfect,
        _ => Verdict::Holds,
    };
    let best = match target {
        Some(_) if verdict != Verdict::Mistake => {
            keeping.into_iter().filter(|m| distance(m) == target).collect()
        }
        _ => keeping,
    };
    Some(Judgement { made, value, measure, verdict, best, is_only })
}

impl Judgement {
    /// The judgement in words. `position` is the one before the move.
    #[must_use]
    pub fn describe(&self, position: &Position) -> String {
        let mv = format_move(position, self.made.mv);
        match self.verdict {
            Verdict::Perfect if self.is_only => "Perfect: the only move.".to_owned(),
            Verdict::Perfect => "Perfect.".to_owned(),
            Verdict::Holds => format!("Good: {mv} keeps the {}.", self.value),
            Verdict::Inaccuracy(plies) => {
                let plies = counted(plies, "ply");
                let what = match (self.value, self.measure) {
                    (Wld::Win, Some(Measure::Conversion)) => {
                        format!("wins, but the next conversion comes {plies} later")
                    }
                    (Wld::Win, _) => format!("wins, but takes {plies} longer"),
                    (_, Some(Measure::Conversion)) => {
                        format!("lets the next conversion come {plies} sooner")
                    }
                    _ => format!("loses {plies} sooner"),
                };
                let shown = self.shown(&self.made);
                let head = if self.value == Wld::Win { "Better" } else { "Longest" };
                format!("Inaccuracy: {mv} {what}{shown}. {head} {}.", self.alternatives(position))
            }
            Verdict::Mistake => {
                let (what, head) = match (self.value, self.made.wld) {
                    (Wld::Win, Some(Wld::Draw)) => ("throws the win away", "Winning"),
                    (Wld::Win, _) => ("turns the win into a loss", "Winning"),
                    _ => ("loses", "Drawing"),
                };
                let shown = self.shown(&self.made);
                format!("Mistake: {mv} {what}{shown}. {head} {}.", self.alternatives(position))
            }
        }
    }

    /// The value that a move leads to, in brackets; empty for a draw in a drawn position.
    fn shown(&self, mv: &MoveAnswer) -> String {
        // The distances of a move to another value are of the same kind, if there are any.
        let measure = self.measure.or(if mv.dtw.is_some() {
            Some(Measure::End)
        } else {
            mv.mtc.map(|_| Measure::Conversion)
        });
        let measure = measure.filter(|_| mv.wld != Some(Wld::Draw));
        match (mv.wld, measure.and_then(|it| Some((it, it.of_move(mv)?)))) {
            (Some(value), Some((Measure::End, plies))) => format!(" ({value} in {plies})"),
            (Some(value), Some((Measure::Conversion, plies))) => {
                format!(" ({value}, conversion in {plies})")
            }
            (Some(value), None) if value != self.value => format!(" ({value})"),
            _ => String::new(),
        }
    }

    /// `was only 27-21 (win in 15)`, `were 27-21 (win in 15), 28-22 (win in 17)`.
    fn alternatives(&self, position: &Position) -> String {
        let mut text = String::from(if self.best.len() != 1 {
            "were "
        } else if self.is_only {
            "was only "
        } else {
            "was "
        });
        for (i, mv) in self.best.iter().take(NAMED).enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let _ = write!(text, "{comma}{}{}", format_move(position, mv.mv), self.shown(mv));
        }
        if self.best.len() > NAMED {
            let _ = write!(text, " and {} more", self.best.len() - NAMED);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use egdb::Probe;
    use movegen::Fen;

    use super::super::test_endings::endings;
    use super::*;

    fn position(fen: &str) -> Position {
        fen.parse::<Fen>().unwrap().position().unwrap()
    }

    /// The verdict on every move follows from the values of the positions it leads to.
    #[test]
    fn verdicts_are_those_of_the_values() {
        let probe = Probe::embedded().unwrap();
        let (mut mistakes, mut slow, mut perfect, mut holds) = (0, 0, 0, 0);
        for position in endings(600, 1) {
            let answer = probe.answer(&position).unwrap();
            let value = answer.wld.unwrap();
            let mut has_perfect = false;
            for mv in &position.legal_moves() {
                let judgement = judge(&answer, *mv).unwrap();
                let next = position.after(*mv);
                let after = probe.wld(&next).unwrap().unwrap().opponent();
                let plies = probe.dtw(&next).unwrap().map(|n| n + 1);
                match judgement.verdict {
                    Verdict::Mistake => {
                        assert!(after.rank() < value.rank());
                        assert!(judgement.best.iter().all(|m| m.wld == Some(value)));
                        mistakes += 1;
                    }
                    Verdict::Inaccuracy(n) => {
                        assert_eq!(after, value);
                        let best = answer.dtw.unwrap();
                        let plies = plies.unwrap();
                        let later = if value == Wld::Win { best + n } else { best - n };
                        assert!(plies == later && n > 0, "{position:?} {mv}");
                        slow += 1;
                    }
                    Verdict::Perfect => {
                        assert_eq!(after, value);
                        assert_eq!(plies, answer.dtw);
                        has_perfect = true;
                        perfect += 1;
                    }
                    Verdict::Holds => {
                        assert_eq!((after, value), (Wld::Draw, Wld::Draw));
                        has_perfect = true;
                        holds += 1;
                    }
                }
            }
            assert!(has_perfect, "{position:?}");
        }
        assert!([mistakes, slow, perfect, holds].iter().all(|&n| n > 50));
    }

    #[test]
    fn sentences() {
        let all = Probe::embedded().unwrap();
        let mut without_dtw = Probe::new();
        for db in all.databases().iter().filter(|db| db.db_type() != egdb::DbType::Dtw) {
            without_dtw.add(std::sync::Arc::clone(db));
        }
        let said = |probe: &Probe, fen: &str, mv: &str| {
            let position = position(fen);
            let mv = movegen::notation::moves::parse_move(&position, mv).unwrap();
            judge(&probe.answer(&position).unwrap(), mv).unwrap().describe(&position)
        };
        let won = "W:W32,K13:B21,K43";
        for (mv, sentence) in [
            ("13-4", "Perfect."),
            (
                "32-27",
                "Mistake: 32-27 throws the win away (draw). Winning were 13-36 (win in 7), \
                 13-4 (win in 7).",
            ),
            (
                "13-31",
                "Mistake: 13-31 turns the win into a loss (loss in 2). Winning were 13-36 (win in \
                 7), 13-4 (win in 7).",
            ),
        ] {
            assert_eq!(said(&all, won, mv), sentence);
        }
        assert_eq!(
            said(&all, "W:W31,32:B2", "32-27"),
            "Inaccuracy: 32-27 wins, but takes 8 plies longer (win in 17). Better were 32-28 (win \
             in 9), 31-27 (win in 9), 31-26 (win in 9)."
        );
        assert_eq!(said(&without_dtw, "W:W31,32:B2", "32-27"), "Perfect.");
        let drawn = "W:WK46:BK45,K50";
        assert_eq!(said(&all, drawn, "46-5"), "Good: 46-5 keeps the draw.");
        assert_eq!(
            said(&all, "W:WK11,31:B26,K6", "31-27"),
            "Mistake: 31-27 loses (loss in 2). Drawing were 11-50, 11-16, 11-7, 11-2."
        );
        assert_eq!(
            said(&all, "W:WK16:BK1,K23,K49", "16-7"),
            "Inaccuracy: 16-7 loses 6 plies sooner (loss in 2). Longest were 16-2 (loss in 8), \
             16-11 (loss in 8)."
        );
        assert_eq!(
            said(&without_dtw, "W:WK16:BK1,K23,K49", "16-11"),
            "Inaccuracy: 16-11 lets the next conversion come 2 plies sooner (loss, conversion in \
             4). Longest was 16-2 (loss, conversion in 6)."
        );
        let won = "W:WK24,K17,K25:BK26";
        assert_eq!(
            said(&without_dtw, won, "17-22"),
            "Inaccuracy: 17-22 wins, but the next conversion comes 2 plies later (win, conversion \
             in 7). Better was 17-3 (win, conversion in 5)."
        );
    }

    #[test]
    fn what_is_not_known_is_not_judged() {
        let position = position("W:WK11:BK2,K6");
        let mv = position.legal_moves()[0];
        assert_eq!(judge(&Probe::new().answer(&position).unwrap(), mv), None);
        let probe = Probe::embedded().unwrap();
        let other = Position::initial().legal_moves()[0];
        assert_eq!(judge(&probe.answer(&position).unwrap(), other), None);
    }
}
