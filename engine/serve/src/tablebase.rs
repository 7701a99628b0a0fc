//! The format that clients of lichess' tablebase server (lila-tablebase) read.

use egdb::error::ProbeError;
use egdb::probe::Answer;
use egdb::{Category, Probe, Wld};
use meerslag_study::records::category_name;
use meerslag_study::solve::EqualMoves;
use movegen::json::Record;
use movegen::notation::moves::format_move;
use movegen::{DrawCounters, DrawRules, Move, Position, Variant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::problem::Problem;
use super::query::{self, Query};
use super::{Desk, Reply};

/// A position of the databases. Distances are positive where the side to move wins and negative
/// where it loses.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Tablebase")]
pub(super) struct TablebaseRecord {
    #[serde(flatten)]
    value: ValueRecord,
    /// All legal moves, best first.
    moves: Vec<TablebaseMove>,
}

/// A move; the other fields describe the position after it, from the other side's view.
#[derive(Serialize, JsonSchema)]
struct TablebaseMove {
    /// From and to, two digits each, such as `3228`.
    uci: String,
    /// As people write it, such as `32-28`.
    san: String,
    /// A capture or a move of a man.
    zeroing: bool,
    /// Whether it keeps the value of the position before it.
    keeps_value: bool,
    /// Whether it also keeps to the shortest win or the longest defence.
    keeps_distance: bool,
    #[serde(flatten)]
    value: ValueRecord,
}

#[derive(Serialize, JsonSchema)]
struct ValueRecord {
    /// `win`, `cursed-win`, `draw`, `blessed-loss`, `loss` or `unknown`, for the side to move, with its
    /// counters.
    category: &'static str,
    /// 2, 1, 0, -1 or -2, for older clients.
    wdl: Option<i32>,
    /// Distance to conversion.
    dtz: Option<i64>,
    /// Plies to the end of the game.
    dtm: Option<i64>,
    /// The same.
    dtw: Option<i64>,
    /// The side to move has no legal move, and has lost.
    checkmate: bool,
    /// Always false: draughts has no such thing.
    stalemate: bool,
    variant_win: bool,
    variant_loss: bool,
    insufficient_material: bool,
}

impl Record for TablebaseRecord {
    const TYPE: &'static str = "tablebase";
}

impl ValueRecord {
    fn of(
        probe: &Probe,
        position: &Position,
        counters: &DrawCounters,
    ) -> Result<ValueRecord, ProbeError> {
        let answer = probe.answer(position)?;
        let category = probe.category(position, counters, DrawRules::default())?;
        Ok(ValueRecord::new(&answer, category))
    }

    fn new(answer: &Answer, category: Option<Category>) -> ValueRecord {
        let sign = match answer.wld {
            Some(Wld::Win) => 1,
            Some(Wld::Loss) => -1,
            _ => 0,
        };
        let signed = |distance: Option<u32>| distance.map(|plies| sign * i64::from(plies));
        ValueRecord {
            category: category_name(category),
            wdl: category.map(|category| match category {
                Category::Win => 2,
                Category::CursedWin => 1,
                Category::Draw => 0,
                Category::BlessedLoss => -1,
                Category::Loss => -2,
            }),
            dtz: signed(answer.mtc),
            dtm: signed(answer.dtw),
            dtw: signed(answer.dtw),
            checkmate: answer.moves.is_empty(),
            stalemate: false,
            variant_win: false,
            variant_loss: false,
            insufficient_material: false,
        }
    }
}

/// A move as lidraughts' clients name it: the squares with two digits each.
pub(super) fn uci(mv: Move) -> String {
    format!("{:02}{:02}", mv.from().number(), mv.to().number())
}

/// What clients of such a server ask for.
#[derive(Deserialize, JsonSchema)]
pub(super) struct TablebaseParameters {
    /// The position: a draughts FEN or a 51-character Hub string. Default: the initial position.
    fen: Option<String>,
}

/// `GET /tablebase/standard`.
pub(super) fn standard(desk: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let fen = query.get::<TablebaseParameters>()?.fen;
    let game = query::game(Variant::International, fen.as_deref(), "moves", "")?;
    let (position, counters) = (game.position(), game.counters());
    let probe = &desk.probe;
    let answer = probe.answer(position)?;
    let equal = EqualMoves::from(&answer);
    let one = |mv: Move| -> Result<TablebaseMove, Problem> {
        let after: Position = position.after(mv);
        let counters = counters.after(position, mv, &after);
        Ok(TablebaseMove {
            uci: uci(mv),
            san: format_move(position, mv),
            zeroing: mv.is_capture() || position.men(position.side_to_move()).contains(mv.from()),
            keeps_value: equal.keep_value.contains(&mv),
            keeps_distance: equal.keep_distance.contains(&mv),
            value: ValueRecord::of(probe, &after, &counters)?,
        })
    };
    let moves = answer.moves.iter().map(|known| one(known.mv)).collect::<Result<_, _>>()?;
    let category = probe.category(position, counters, DrawRules::default())?;
    Ok(Reply::json(&TablebaseRecord { value: ValueRecord::new(&answer, category), moves }))
}

#[cfg(test)]
mod tests {
    use super::super::answers::tests::ask;

    #[test]
    fn values_are_those_of_the_side_to_move_after_each_move() {
        // Two kings against one: the lone king to move loses in eight plies.
        let lost = ask("/tablebase/standard", &[("fen", "W:WK11:BK2,K6")]).unwrap();
        assert_eq!((&lost["category"], &lost["wdl"]), (&"loss".into(), &(-2).into()));
        assert_eq!(lost["dtm"], -8);
        let best = &lost["moves"][0];
        assert_eq!((&best["category"], &best["dtm"]), (&"win".into(), &7.into()));
        assert_eq!(best["uci"].as_str().unwrap().len(), 4);
        assert_eq!(best["zeroing"], false);
        let marks = |name: &str| -> Vec<bool> {
            lost["moves"].as_array().unwrap().iter().map(|mv| mv[name] == true).collect()
        };
        assert_eq!(marks("keeps_value"), [true; 9]);
        assert_eq!(marks("keeps_distance").iter().filter(|&&kept| kept).count(), 1);

        let capture = ask("/tablebase/standard", &[("fen", "W:W32:B28")]).unwrap();
        let mv = &capture["moves"][0];
        assert_eq!((&mv["uci"], &mv["san"]), (&"3223".into(), &"32x23".into()));
        assert_eq!((&mv["zeroing"], &mv["checkmate"]), (&true.into(), &true.into()));
        assert_eq!((&mv["category"], &mv["dtm"]), (&"loss".into(), &0.into()));

        // With three plies left to a draw the same loss comes too late, and with eight in time.
        for (counter, category, wdl) in [("H7", "blessed-loss", -1), ("H2", "loss", -2)] {
            let fen = format!("W:WK11:BK2,K6:{counter}");
            let counted = ask("/tablebase/standard", &[("fen", &fen)]).unwrap();
            let found = (&counted["category"], &counted["wdl"], &counted["dtm"]);
            assert_eq!(found, (&category.into(), &wdl.into(), &(-8).into()), "{fen}");
        }

        let unknown = ask("/tablebase/standard", &[]).unwrap();
        assert_eq!((&unknown["category"], &unknown["dtz"]), (&"unknown".into(), &().into()));
        assert_eq!(unknown["moves"].as_array().unwrap().len(), 9);
    }
}
