//! Endgames to practise: positions, and judgements on the user's moves.

use std::ops::RangeInclusive;

use egdb::{Slice, Wld};
use movegen::notation::hub;
use movegen::notation::moves::format_move;
use movegen::{Color, Game};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answers::Standing;
use super::problem::{Problem, ProblemKind};
use super::query::{self, Limited, Query, shown};
use super::{Desk, Reply};
use meerslag_study::endgame_trainer::{
    self, Criteria, LESSONS, Measure, PickError, Picker, Verdict,
};
use meerslag_study::records::value_name;
use movegen::json::Record;

/// There are too many slices with more pieces for a list to choose from.
const MAX_PIECES: u8 = 5;

/// The slices that positions come from.
#[derive(Serialize, JsonSchema)]
pub(super) struct SlicesRecord {
    /// Black men, black kings, white men, white kings.
    slices: Vec<String>,
}

impl Record for SlicesRecord {
    const TYPE: &'static str = "slices";
}

pub(super) fn slices(desk: &Desk, _: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let most = desk.probe.max_pieces().min(MAX_PIECES);
    let stored = (2..=most).flat_map(Slice::stored);
    let both = stored.flat_map(|slice| {
        let twin = Some(slice.reversed()).filter(|_| !slice.is_symmetric());
        [Some(slice), twin].into_iter().flatten()
    });
    let has_both = |slice: &Slice| Color::ALL.iter().all(|&side| slice.side_pieces(side) > 0);
    let mut slices: Vec<Slice> = both.filter(has_both).collect();
    slices.sort_by_key(|slice| (slice.pieces(), slice.to_string()));
    slices.dedup();
    Ok(Reply::json(&SlicesRecord { slices: slices.iter().map(Slice::to_string).collect() }))
}

/// The lessons.
#[derive(Serialize, JsonSchema)]
pub(super) struct LessonsRecord {
    /// From easy to hard.
    lessons: Vec<LessonRecord>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Lesson")]
struct LessonRecord {
    /// From 1.
    lesson: usize,
    /// In English.
    goal: &'static str,
    /// Black men, black kings, white men, white kings.
    slice: &'static str,
    /// `win` or `draw`: the value of the positions to the side that learns.
    value: &'static str,
    /// The side that learns, `W` or `B`.
    side: char,
    /// The distance to the end as `/v1/position` takes it; null if it does not matter.
    dtw: Option<String>,
}

impl Record for LessonsRecord {
    const TYPE: &'static str = "lessons";
}

pub(super) fn lessons(_: &Desk, _: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let lessons = (1..).zip(&LESSONS).map(|(lesson, it)| LessonRecord {
        lesson,
        goal: it.goal,
        slice: it.slice,
        value: it.value.name(),
        side: it.side.letter(),
        dtw: it.dtw.map(|(least, most)| format!("{least}-{most}")),
    });
    Ok(Reply::json(&LessonsRecord { lessons: lessons.collect() }))
}

/// An endgame.
#[derive(Serialize, JsonSchema)]
pub(super) struct EndingRecord {
    fen: String,
    /// The position as 51 characters.
    hub: String,
    /// The side to move, `W` or `B`.
    side: char,
    slice: String,
    /// `win`, `draw` or `loss`, for the side to move.
    value: &'static str,
    /// Plies to the end of the game.
    dtw: Option<u32>,
    /// Distance to conversion.
    mtc: Option<u32>,
}

impl Record for EndingRecord {
    const TYPE: &'static str = "endgame";
}

/// `12` or `10-30`.
fn distances(text: &str) -> Result<RangeInclusive<u32>, Problem> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    match (least.parse(), most.parse()) {
        (Ok(least), Ok(most)) if least <= most => Ok(least..=most),
        _ => Err(Problem::parameter(
            "dtw",
            format!(
                "'{}' is not a number of plies, such as 12, or a range, such as 10-30",
                shown(text)
            ),
        )),
    }
}

/// The endgame that is wanted.
#[derive(Deserialize, JsonSchema)]
pub(super) struct EndingParameters {
    /// The pieces: black men, black kings, white men, white kings, such as 0102.
    slice: String,
    /// For the side to move. Default: win.
    #[schemars(extend("enum" = ["win", "draw", "loss"]))]
    value: Option<String>,
    /// The side to move. Default: either.
    #[schemars(extend("enum" = ["W", "B"]))]
    side: Option<String>,
    /// The distance to the end in plies: 12, or from and to, such as 10-30.
    dtw: Option<String>,
    /// The same position for the same number.
    seed: Option<Limited<0, { u64::MAX }>>,
}

pub(super) fn position(desk: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let wanted: EndingParameters = query.get()?;
    let slice: Slice = wanted.slice.parse().map_err(|_| {
        let four = "four digits: black men, black kings, white men, white kings";
        Problem::parameter("slice", format!("'{}' is not {four}", shown(&wanted.slice)))
    })?;
    let criteria = Criteria {
        slice,
        value: query::named(
            "value",
            wanted.value.as_deref(),
            Wld::ALL.map(|value| (value, value.name())),
        )?
        .unwrap_or(Wld::Win),
        side: query::named(
            "side",
            wanted.side.as_deref(),
            [(Color::White, "W"), (Color::Black, "B")],
        )?,
        dtw: wanted.dtw.as_deref().map(distances).transpose()?,
    };
    let mut picker = Picker::new(wanted.seed.map_or(0, |seed| seed.0));
    let position =
        picker.pick(&desk.probe, &criteria, desk.draw_rules).map_err(|error| match error {
            PickError::Probe(error) => Problem::from(error),
            error => Problem::new(ProblemKind::NotKnown, error.to_string()),
        })?;
    let answer = desk.probe.answer(&position)?;
    Ok(Reply::json(&EndingRecord {
        fen: position.to_fen(),
        hub: hub::format_position(&position),
        side: position.side_to_move().letter(),
        slice: slice.to_string(),
        value: value_name(answer.wld),
        dtw: answer.dtw,
        mtc: answer.mtc,
    }))
}

/// The judgement of a move.
#[derive(Serialize, JsonSchema)]
pub(super) struct JudgementRecord {
    /// In Hub notation.
    #[serde(rename = "move")]
    mv: String,
    /// For people.
    text: String,
    /// `perfect`, `holds`, `inaccuracy` or `mistake`.
    verdict: &'static str,
    /// The value of the position to the side that moved.
    value: &'static str,
    /// Its value to that side after the move.
    after: &'static str,
    /// For an inaccuracy: how many plies later a win comes, or earlier a loss.
    lost_plies: Option<u32>,
    /// The kind of distances: `dtw` or `mtc`; null for draws.
    measure: Option<&'static str>,
    /// Whether one move alone kept the value.
    is_only: bool,
    /// The moves that would have been right.
    best: Vec<String>,
    /// The judgement in English.
    words: String,
    /// The position after the move.
    fen: String,
    #[serde(flatten)]
    standing: Standing,
    /// The perfect answer; null when the game is over.
    reply: Option<ReplyRecord>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PerfectReply")]
struct ReplyRecord {
    /// In Hub notation.
    #[serde(rename = "move")]
    mv: String,
    /// For people.
    text: String,
    /// The position after it.
    fen: String,
    #[serde(flatten)]
    standing: Standing,
}

impl Record for JudgementRecord {
    const TYPE: &'static str = "judgement";
}

/// The move that was made.
#[derive(Deserialize, JsonSchema)]
pub(super) struct JudgeParameters {
    /// The move to judge, in Hub or short notation.
    #[serde(rename = "move")]
    mv: String,
}

pub(super) fn judge(desk: &Desk, query: &Query<'_>, _: &[u8]) -> Result<Reply, Problem> {
    let mut game = query.game()?;
    let before = *game.position();
    let mv = query::read_move(&before, &query.get::<JudgeParameters>()?.mv)
        .map_err(|problem| problem.of("move"))?;
    let answer = desk.probe.answer(&before)?;
    let Some(judgement) = endgame_trainer::judge(&answer, mv) else {
        return Err(Problem::new(
            ProblemKind::NotKnown,
            "the databases do not reach this position",
        ));
    };
    let (verdict, lost_plies) = match judgement.verdict {
        Verdict::Perfect => ("perfect", None),
        Verdict::Holds => ("holds", None),
        Verdict::Inaccuracy(plies) => ("inaccuracy", Some(plies)),
        Verdict::Mistake => ("mistake", None),
    };
    // It was read as a legal move.
    let _ = game.play(mv);
    let fen = game.position().to_fen();
    let standing = Standing::of(desk, &game);
    let is_over = game.status(desk.draw_rules).is_over();
    let reply = if is_over { None } else { reply(desk, &mut game)? };
    Ok(Reply::json(&JudgementRecord {
        mv: mv.to_string(),
        text: format_move(&before, mv),
        verdict,
        value: value_name(Some(judgement.value)),
        after: value_name(judgement.made.wld),
        lost_plies,
        measure: judgement.measure.map(|measure| match measure {
            Measure::End => "dtw",
            Measure::Conversion => "mtc",
        }),
        is_only: judgement.is_only,
        best: judgement.best.iter().map(|best| best.mv.to_string()).collect(),
        words: judgement.describe(&before),
        fen,
        standing,
        reply,
    }))
}

fn reply(desk: &Desk, game: &mut Game) -> Result<Option<ReplyRecord>, Problem> {
    let before = *game.position();
    let Some(mv) = endgame_trainer::reply(&desk.probe, game, desk.draw_rules)? else {
        return Ok(None);
    };
    // The databases' moves are legal.
    let _ = game.play(mv);
    Ok(Some(ReplyRecord {
        mv: mv.to_string(),
        text: format_move(&before, mv),
        fen: game.position().to_fen(),
        standing: Standing::of(desk, game),
    }))
}

#[cfg(test)]
mod tests {
    use super::super::answers::tests::ask;
    use super::*;

    #[test]
    fn positions_are_what_was_asked_for() {
        for (value, side) in [("win", "W"), ("draw", "B"), ("loss", "B")] {
            let query = [("slice", "0103"), ("value", value), ("side", side), ("seed", "7")];
            let ending = ask("/v1/position", &query).unwrap();
            assert_eq!((&ending["value"], &ending["side"]), (&value.into(), &side.into()));
            let fen = ending["fen"].as_str().unwrap();
            assert_eq!(ask("/v1/probe", &[("fen", fen)]).unwrap()["value"], value);
            assert_eq!(ask("/v1/position", &query).unwrap(), ending, "the same seed");
        }
        let far = ask("/v1/position", &[("slice", "0103"), ("dtw", "900-1000")]).unwrap_err();
        assert_eq!(far.kind, ProblemKind::NotKnown);
        let bad = ask("/v1/position", &[("slice", "0102"), ("dtw", "9-3")]).unwrap_err();
        assert_eq!(bad.parameter, Some("dtw"));
        assert!(ask("/v1/position", &[("slice", "9999")]).is_err());
    }

    #[test]
    fn slices_have_pieces_of_both_sides_and_both_ways_round() {
        let slices = ask("/v1/slices", &[]).unwrap();
        let slices: Vec<&str> =
            slices["slices"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect();
        // Two pieces 4, three 6 + 6, four 4 * 4 + 9 + 4 * 4 less what two men a side take twice.
        assert!(slices.contains(&"0102") && slices.contains(&"0201"));
        assert!(slices.iter().all(|slice| slice[..2] != *"00" && slice[2..] != *"00"));
        assert_eq!(slices.len(), 4 + 12 + 25, "{slices:?}");
    }

    #[test]
    fn lessons_can_be_asked_for_as_positions() {
        let lessons = ask("/v1/lessons", &[]).unwrap();
        let lessons = lessons["lessons"].as_array().unwrap();
        assert_eq!(lessons.len(), 12);
        for lesson in lessons {
            let text = |name: &str| lesson[name].as_str();
            let query = ["slice", "value", "side", "dtw"].map(|name| (name, text(name)));
            let query: Vec<_> =
                query.iter().filter_map(|&(name, text)| Some((name, text?))).collect();
            assert_eq!(ask("/v1/position", &query).unwrap()["value"], lesson["value"], "{lesson}");
        }
    }

    #[test]
    fn moves_are_judged_and_answered() {
        let fen = "W:W18:B3,4,5";
        let best = ask("/v1/judge", &[("fen", fen), ("move", "18-12")]).unwrap();
        assert_eq!(best["verdict"], "perfect");
        assert_eq!(best["reply"]["result"], "*");
        let bad = ask("/v1/judge", &[("fen", fen), ("move", "18-13")]).unwrap();
        assert_eq!((&bad["verdict"], &bad["value"]), (&"mistake".into(), &"win".into()));
        assert_eq!(bad["best"], serde_json::json!(["18-12"]));
        let illegal = ask("/v1/judge", &[("fen", fen), ("move", "18-1")]).unwrap_err();
        assert_eq!(illegal.parameter, Some("move"));
        let far = ask("/v1/judge", &[("move", "32-28")]).unwrap_err();
        assert_eq!(far.kind, ProblemKind::NotKnown);
    }
}
