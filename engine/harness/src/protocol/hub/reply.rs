//! The lines that a search writes as reports and at its end.

use std::time::Duration;

use movegen::notation::hub;
use movegen::{Move, Position};

use super::line::{Line, LineWriter};
use super::number;
use meerslag_search::{Info, SearchResult};
use movegen::{Bound, Chance, Score};

/// The `info` line. Clients are picky (see the protocol's list): every field has a value, `depth`
/// and `nodes` are integers, `pv` is quoted and each of its moves legal.
///
/// `is_ranked`: the client has asked for several variations; `has_wdl`: also for the chances.
pub(super) fn info(position: &Position, info: &Info, is_ranked: bool, has_wdl: bool) -> String {
    let seconds = info.time.as_secs_f64();
    let mut line = LineWriter::new("info");
    if is_ranked {
        line = line.arg("multipv", info.multipv);
    }
    line = line.arg("depth", info.depth.max(1));
    if info.mean_depth.is_finite() && info.mean_depth > 0.0 {
        line = line.arg("mean-depth", format_args!("{:.1}", info.mean_depth));
    }
    if info.max_depth > 0 {
        line = line.arg("max-depth", info.max_depth);
    }
    line = line.arg("score", info.score.to_hub());
    if has_wdl {
        let Chance { win, draw, loss } = Chance::of(info.score, position.piece_count());
        for (name, chance) in [("win", win), ("draw", draw), ("loss", loss)] {
            line = line.arg(name, format_args!("{chance:.3}"));
        }
    }
    line = line.arg("nodes", info.nodes).arg("time", format_args!("{seconds:.3}"));
    if seconds >= 0.001 {
        let millions = info.nodes as f64 / seconds / 1e6;
        line = line.arg("nps", format_args!("{millions:.1}"));
    }
    // A field of our own: endgame database lookups.
    if info.probes > 0 {
        line = line.arg("probes", info.probes);
    }
    // Another one: the move comes from the opening book.
    if info.is_book {
        line = line.arg("book", true);
    }
    let pv = legal_prefix(position, &info.pv);
    if pv.is_empty() { line.finish() } else { line.quoted("pv", &pv).finish() }
}

/// Reads an `info` line about this position, which came after this time; `None` without a score.
/// Unreadable values count as not given, and the variation ends before its first bad move.
#[must_use]
pub fn read_info(line: &Line<'_>, position: &Position, elapsed: Duration) -> Option<Info> {
    let real = |name| line.value(name).and_then(|text| number::real(name, text).ok());
    let count = |name| -> Option<u64> {
        let value = line.value(name).and_then(|text| number::integer(name, text).ok());
        value.and_then(|value| value.try_into().ok())
    };
    let plies = |name| count(name).map(|plies| u32::try_from(plies).unwrap_or(u32::MAX));
    let score = real("score")?;
    let time = real("time").filter(|time| (0.0..=number::MAX_SECONDS).contains(time));
    let mut pv = Vec::new();
    let mut reached = *position;
    for text in line.value("pv").unwrap_or_default().split_ascii_whitespace() {
        let Ok(mv) = hub::parse_move(&reached, text) else { break };
        reached = reached.after(mv);
        pv.push(mv);
    }
    Some(Info {
        depth: plies("depth").unwrap_or_default().max(1),
        mean_depth: real("mean-depth").unwrap_or_default(),
        max_depth: plies("max-depth").unwrap_or_default(),
        // The cast keeps huge numbers within the range.
        score: Score::new((score * 100.0).round() as i32),
        bound: Bound::Exact,
        nodes: count("nodes").unwrap_or_default(),
        probes: count("probes").unwrap_or_default(),
        time: time.map_or(elapsed, Duration::from_secs_f64),
        hashfull: 0.0,
        multipv: 1,
        is_book: line.value("book") == Some("true"),
        pv,
    })
}

/// The moves up to the first that cannot be played, separated by blanks.
fn legal_prefix(position: &Position, moves: &[Move]) -> String {
    let mut position = *position;
    let mut text = String::new();
    for &mv in moves {
        if !position.legal_moves().contains(&mv) {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&mv.to_string());
        position = position.after(mv);
    }
    text
}

/// The `done` line: the move and, if one is known and legal, the expected reply. A bare `done`
/// in a position without moves.
pub(super) fn done(position: &Position, outcome: &SearchResult) -> String {
    let legal = position.legal_moves();
    // A search that was stopped before it knew anything still owes a move.
    let best = outcome.best.filter(|mv| legal.contains(mv)).or(legal.first().copied());
    let Some(best) = best else { return "done".to_owned() };
    let line = LineWriter::new("done").arg("move", best);
    let replies = position.after(best).legal_moves();
    match outcome.ponder.filter(|mv| outcome.best == Some(best) && replies.contains(mv)) {
        Some(reply) => line.arg("ponder", reply).finish(),
        None => line.finish(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(position: &Position, plies: usize) -> Info {
        let mut pv = Vec::new();
        let mut end = *position;
        for _ in 0..plies {
            let mv = end.legal_moves()[0];
            pv.push(mv);
            end = end.after(mv);
        }
        Info {
            depth: 7,
            mean_depth: 8.25,
            max_depth: 19,
            score: Score::new(-5),
            bound: Bound::Exact,
            nodes: 1_500_000,
            probes: 0,
            time: Duration::from_millis(1500),
            hashfull: 0.1,
            multipv: 1,
            is_book: false,
            pv,
        }
    }

    #[test]
    fn info_in_the_order_of_the_protocol() {
        let start = Position::initial();
        let mut known = report(&start, 1);
        let pv = known.pv[0].to_string();
        let expected = format!(
            "info depth=7 mean-depth=8.2 max-depth=19 score=-0.05 nodes=1500000 time=1.500 \
             nps=1.0 pv=\"{pv}\""
        );
        assert_eq!(info(&start, &known, false, false), expected);
        let ranked = expected.replacen("info ", "info multipv=1 ", 1);
        assert_eq!(info(&start, &known, true, false), ranked);
        let chances = info(&start, &known, false, true);
        let line = Line::parse(&chances).unwrap().unwrap();
        let [win, draw, loss] =
            ["win", "draw", "loss"].map(|name| line.value(name).unwrap().parse::<f64>().unwrap());
        assert!((win + draw + loss - 1.0).abs() < 0.002 && win < loss && draw > 0.3, "{chances}");
        known.pv.clear();
        known.time = Duration::ZERO;
        known.mean_depth = f64::NAN;
        known.max_depth = 0;
        known.depth = 0;
        known.score = Score::DRAW;
        assert_eq!(
            info(&start, &known, false, false),
            "info depth=1 score=0.00 nodes=1500000 time=0.000"
        );
    }

    #[test]
    fn a_variation_is_cut_at_the_first_illegal_move() {
        let start = Position::initial();
        let mut known = report(&start, 3);
        known.pv[2] = known.pv[0];
        let expected = format!("pv=\"{} {}\"", known.pv[0], known.pv[1]);
        assert!(info(&start, &known, false, false).ends_with(&expected));
    }

    #[test]
    fn what_is_written_is_read() {
        let start = Position::initial();
        let read = |text: &str| {
            let line = Line::parse(text).unwrap().unwrap();
            read_info(&line, &start, Duration::from_secs(7))
        };
        let mut known = report(&start, 3);
        (known.mean_depth, known.hashfull, known.probes) = (8.2, 0.0, 5);
        assert_eq!(read(&info(&start, &known, false, false)), Some(known.clone()));
        let odd = "info score=1e9 depth=-3 nodes=x time=-1 pv=\"32-28 1-50 19-23\"";
        let odd = read(odd).unwrap();
        assert_eq!((odd.score, odd.depth, odd.nodes), (Score::MAX, 1, 0));
        assert_eq!((odd.time, odd.pv.len()), (Duration::from_secs(7), 1));
        for text in ["info depth=5", "info score=much", "info score=nan depth=3"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn done_names_legal_moves_only() {
        let start = Position::initial();
        let known = report(&start, 2);
        let (best, reply) = (known.pv[0], known.pv[1]);
        let mut outcome = SearchResult { best: Some(best), ponder: Some(reply), info: known };
        assert_eq!(done(&start, &outcome), format!("done move={best} ponder={reply}"));
        outcome.ponder = Some(best);
        assert_eq!(done(&start, &outcome), format!("done move={best}"));
        outcome.best = None;
        assert_eq!(done(&start, &outcome), format!("done move={}", start.legal_moves()[0]));
        outcome.best = Some(reply);
        outcome.ponder = Some(reply);
        assert_eq!(done(&start, &outcome), format!("done move={}", start.legal_moves()[0]));
    }
}
