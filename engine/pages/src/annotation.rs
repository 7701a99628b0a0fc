//! The report of annotated games for the browser: one file without references to others.

use egdb::MoveAnswer;
use movegen::notation::hub;
use movegen::notation::moves::format_move;
use movegen::notation::pdn::{Comment, PdnGame, Signs, WriteOptions, game_to_string};
use movegen::{Color, Move};
use serde::Serialize;

use super::{GameData, KnownValue, Note, report, seconds};
use meerslag_study::annotate::{JudgedGame, JudgedMove, PlayerSummaries, player_name};
use meerslag_study::records::{AnnotationSummaryRecord, PlayerRecord, accuracy};
use movegen::json::rounded;
use movegen::words::Words;

/// Collects games for the page.
#[derive(Debug, Default)]
pub struct AnnotationPage {
    rows: Vec<AnnotatedRow>,
    games: Vec<String>,
    players: PlayerSummaries,
}

/// The data that the script shows beside the games.
#[derive(Serialize)]
struct About<'a> {
    kind: &'static str,
    title: &'a str,
    players: Vec<PlayerRecord<'a>>,
    summary: AnnotationSummaryRecord<'a>,
    rows: &'a [AnnotatedRow],
}

/// A game in the list.
#[derive(Debug, Serialize)]
struct AnnotatedRow {
    number: u64,
    white: String,
    black: String,
    result: &'static str,
    moves: usize,
    /// White's and Black's.
    accuracy: [Option<f64>; 2],
    /// The ply of the move that gave away most, if it was a mistake.
    turning: Option<usize>,
}

impl AnnotationPage {
    /// An empty page.
    #[must_use]
    pub fn new() -> AnnotationPage {
        AnnotationPage::default()
    }

    /// Adds the next game; `number` is its place in the file. `pdn` has the annotations.
    pub fn add(&mut self, number: u64, pdn: &PdnGame, game: &JudgedGame) {
        self.players.add(pdn, game);
        self.rows.push(AnnotatedRow {
            number,
            white: player_name(pdn, Color::White).to_owned(),
            black: player_name(pdn, Color::Black).to_owned(),
            result: pdn.result.as_str(),
            moves: game.moves.len().div_ceil(2),
            accuracy: [Color::White, Color::Black]
                .map(|color| accuracy(&game.sides[color.index()])),
            turning: game.turning_point(),
        });
        self.games.push(data(pdn, game).to_json());
    }

    /// The page as HTML; readers can choose another language than that of the words.
    ///
    /// # Errors
    /// If the JSON fails.
    pub fn to_html(&self, title: &str, words: &Words) -> serde_json::Result<String> {
        let about = About {
            kind: "annotation",
            title,
            players: self.players.list().iter().map(|it| PlayerRecord::new(it, words)).collect(),
            summary: AnnotationSummaryRecord::new(&self.players, words),
            rows: &self.rows,
        };
        report(&words.language, title, &about, self.games.iter().map(String::as_str))
    }
}

/// The game as the script of the page reads it.
fn data(pdn: &PdnGame, game: &JudgedGame) -> GameData {
    let mut infos = Vec::new();
    let mut notes = Vec::new();
    for (ply, judged) in pdn.line.plies.iter().zip(&game.moves) {
        let depth = (judged.depth > 0).then_some(judged.depth);
        let elapsed = ply.comments().find_map(Comment::elapsed_move_time).map(seconds);
        let left = |comment: &Comment| comment.remaining_time(judged.mover());
        let clock = ply.comments().find_map(left).map(seconds);
        infos.push((Some(judged.score), depth, elapsed.unwrap_or(0.0), clock));
        notes.push(note(judged));
    }
    // A set-up: the position does not follow from the move before.
    let mut set_ups = Vec::new();
    let mut expected = pdn.start;
    for (at, judged) in game.moves.iter().enumerate() {
        if judged.position != expected {
            set_ups.push((at, hub::format_position(&judged.position)));
        }
        expected = judged.position.after(judged.mv);
    }
    GameData {
        position: hub::format_position(&pdn.start),
        set_ups,
        moves: game.moves.iter().map(|judged| judged.mv.to_string()).collect(),
        infos,
        pdn: game_to_string(pdn, &WriteOptions::default()),
        notes: Some(notes),
        last_best: game.last_line.first().copied().map(ends),
    }
}

fn note(judged: &JudgedMove) -> Note {
    let exact = judged.exact.as_ref();
    let made = exact.map(|exact| known(&exact.made));
    // The best move keeps the value of the position.
    let best = exact.and_then(|exact| exact.best.first()).map(known);
    let share = |share: f64| rounded(share, 4);
    Note {
        glyph: judged.grade.glyph(Signs::Chess),
        best: judged.line.first().copied().map(ends),
        chance: rounded(white_chance(judged), 3),
        shares: (share(judged.before.expected()), share(judged.after.expected())),
        better: judged.better().map(|better| format_move(&judged.position, better)),
        best_exact: best.filter(|best| Some(best) != made.as_ref()).flatten(),
        exact: made.flatten(),
    }
}

/// A value that the databases know.
fn known(answer: &MoveAnswer) -> Option<KnownValue> {
    let value = answer.wld?;
    let is_drawn = value == egdb::Wld::Draw;
    Some(KnownValue {
        value: value.name(),
        plies: answer.dtw.filter(|_| !is_drawn),
        conversion: answer.mtc.filter(|_| !is_drawn && answer.dtw.is_none()),
    })
}

/// The first and last squares of a move.
fn ends(mv: Move) -> super::MoveEnds {
    (mv.from().number(), mv.to().number())
}

/// White's share of the points after a move.
fn white_chance(judged: &JudgedMove) -> f64 {
    match judged.mover() {
        Color::White => judged.after.expected(),
        Color::Black => judged.after.opponent().expected(),
    }
}

#[cfg(test)]
mod tests {
    use meerslag_search::{Control, Engine, EngineOptions, Limits, Mode};
    use meerslag_study::annotate::{analyse, judge, write};
    use movegen::notation::pdn::PdnReader;

    use super::*;

    #[test]
    fn a_page_names_the_turning_point() {
        let text = "[FEN \"W:W27,31,32:B18,19:F30\"]\n30. 27-22 {[%clock w0:09:57 B0:09:58]} 18x38 \
                    {[%clk W0:09:57 b0:09:50]} 31. 31-27 *";
        let pdn = PdnReader::new(text.as_bytes()).next().unwrap().unwrap();
        let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
        let mut engine = Engine::new(options).unwrap();
        let limits = Limits { mode: Mode::Analyze, ..Limits::nodes(2000) };
        let found = analyse(&mut engine, &pdn, &limits, &Control::new()).unwrap();
        let judged = judge(&pdn, &found, &egdb::Probe::new()).unwrap();
        let mut page = AnnotationPage::new();
        page.add(1, &pdn, &judged);
        let html = page.to_html("<games>", &crate::words("de")).unwrap();
        assert!(html.contains("<title>&lt;games&gt;</title>") && !html.contains("<games>"));
        let (_, data) = html.split_once("id=\"data\">").unwrap();
        let data: serde_json::Value =
            serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
        assert_eq!(data["rows"][0]["turning"], 0, "{data}");
        assert_eq!(
            (&data["games"][0]["m"][0], &data["games"][0]["n"][0]["g"]),
            (&"27-22".into(), &4.into())
        );
        assert!(data["games"][0]["n"][0]["r"].is_string(), "{data}");
        let clocks: Vec<_> = (0..3).map(|ply| &data["games"][0]["i"][ply][3]).collect();
        assert_eq!(clocks, [&597.0.into(), &590.0.into(), &serde_json::Value::Null]);
        assert!(data["games"][0]["d"].as_str().unwrap().contains("\n30. 27-22 "), "{data}");
        assert_eq!(data["summary"]["instructive"][0]["game"], 1, "{data}");
        let text = &data["summary"]["instructive"][0]["text"];
        assert!(text.as_str().unwrap().starts_with("27-22 verliert "), "{text}");
    }

    /// The comment on the first move, and its fault. That all languages have all texts is tested where
    /// these are.
    fn said(text: &str, language: &str) -> [String; 2] {
        let mut pdn = PdnReader::new(text.as_bytes()).next().unwrap().unwrap();
        let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
        let limits = Limits { mode: Mode::Analyze, ..Limits::nodes(500) };
        let mut engine = Engine::new(options).unwrap();
        let found = analyse(&mut engine, &pdn, &limits, &Control::new()).unwrap();
        let judged = judge(&pdn, &found, &egdb::Probe::new()).unwrap();
        let words = crate::words(language);
        write(&mut pdn, &judged, Signs::default(), &words);
        let comment = pdn.line.plies[0].comments().next().unwrap().plain_text();
        [comment, judged.mistakes(&pdn)[0].describe(&words)]
    }

    #[test]
    fn comments_are_in_the_language_asked_for() {
        let shot = "[FEN \"W:W27,31,32:B18,19\"]\n1. 27-22 18x38 *";
        assert_eq!(
            said(shot, "en"),
            [
                "Blunder: from 50 % to 0 % of the points; better 27-21.",
                "27-22 loses 2 men after 18x36."
            ]
        );
        assert_eq!(
            said(shot, "ru"),
            [
                "Грубая ошибка: с 50 % до 0 % очков; лучше 27-21.",
                "27-22 теряет 2 шашки после 18x36."
            ]
        );
    }
}
