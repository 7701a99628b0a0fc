//! The report of annotated games for the browser: one file without references to others.

use askama::Template;
use movegen::notation::hub;
use movegen::notation::moves::format_move;
use movegen::notation::pdn::{Comment, PdnGame, WriteOptions, game_to_string};
use movegen::{Color, Move};

use super::{GameData, GamesPage, Note, seconds};
use meerslag_study::annotate::{
    JudgedGame, JudgedMove, Players, SideSummary, describe, player_name,
};

/// Collects games for the page.
#[derive(Debug, Default)]
pub struct AnnotationPage {
    rows: Vec<GameRow>,
    games: Vec<String>,
    players: Players,
}

#[derive(Template)]
#[template(path = "annotation.html")]
struct AnnotationTemplate<'a> {
    page: GamesPage<'a>,
    players: Vec<PlayerRow<'a>>,
    games: &'a [GameRow],
}

struct PlayerRow<'a> {
    name: &'a str,
    games: u32,
    moves: u32,
    accuracy: String,
    grades: [u32; 3],
}

#[derive(Debug)]
struct GameRow {
    index: usize,
    number: u64,
    white: String,
    black: String,
    result: &'static str,
    moves: usize,
    white_accuracy: String,
    black_accuracy: String,
    turning_point: String,
}

impl AnnotationPage {
    /// An empty page.
    #[must_use]
    pub fn new() -> AnnotationPage {
        AnnotationPage::default()
    }

    /// Adds a game; `number` is its place in the file. `pdn` has the annotations.
    pub fn add(&mut self, number: u64, pdn: &PdnGame, game: &JudgedGame) {
        self.players.add(pdn, game);
        let turning_point = game.turning_point().map_or_else(String::new, |at| {
            let judged = &game.moves[at];
            let ply = at + usize::from(pdn.start.side_to_move() == Color::Black);
            let dots = if ply.is_multiple_of(2) { "." } else { "..." };
            let mv = format_move(&judged.position, judged.mv);
            format!("{}{dots} {mv}: {}", ply / 2 + 1, describe(judged))
        });
        self.rows.push(GameRow {
            index: self.rows.len(),
            number,
            white: player_name(pdn, Color::White).to_owned(),
            black: player_name(pdn, Color::Black).to_owned(),
            result: pdn.result.as_str(),
            moves: game.moves.len().div_ceil(2),
            white_accuracy: accuracy(&game.sides[Color::White.index()]),
            black_accuracy: accuracy(&game.sides[Color::Black.index()]),
            turning_point,
        });
        self.games.push(data(pdn, game).to_json());
    }

    /// The page as HTML.
    ///
    /// # Errors
    /// If the template fails.
    pub fn to_html(&self, title: &str) -> Result<String, askama::Error> {
        let players = self.players.list().iter().map(|player| PlayerRow {
            name: &player.name,
            games: player.games,
            moves: player.play.moves,
            accuracy: accuracy(&player.play),
            grades: player.play.grades,
        });
        let page = AnnotationTemplate {
            page: GamesPage::new(
                title,
                "Turning point",
                self.players.list().iter().map(|player| player.name.as_str()),
                self.rows.iter().map(|row| row.result),
                self.games.iter().map(String::as_str),
            ),
            players: players.collect(),
            games: &self.rows,
        };
        page.render()
    }
}

fn accuracy(play: &SideSummary) -> String {
    play.accuracy().map_or_else(|| "–".to_owned(), |percent| format!("{percent:.1}"))
}

/// The game as the script of the page reads it.
fn data(pdn: &PdnGame, game: &JudgedGame) -> GameData {
    let ends = |mv: Move| (mv.from().number(), mv.to().number());
    let mut infos = Vec::new();
    let mut notes = Vec::new();
    for (ply, judged) in pdn.line.plies.iter().zip(&game.moves) {
        let depth = (judged.depth > 0).then_some(judged.depth);
        let elapsed = ply.comments().find_map(Comment::elapsed_move_time).map(seconds);
        let clock = ply.comments().find_map(Comment::remaining_time).map(seconds);
        infos.push((Some(judged.score), depth, elapsed.unwrap_or(0.0), clock));
        notes.push(Note {
            glyph: judged.grade.glyph(),
            text: describe(judged),
            best: judged.line.first().copied().map(ends),
            chance: meerslag_study::digits::rounded(white_chance(judged), 3),
        });
    }
    // Where the position is not the one that the move before leads to.
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
    use meerslag_study::annotate::{analyse, judge};
    use movegen::notation::pdn::PdnReader;

    use super::*;

    #[test]
    fn a_page_names_the_turning_point() {
        let text = "[FEN \"W:W27,31,32:B18,19\"]\n1. 27-22 18x27 2. 31x22 *";
        let pdn = PdnReader::new(text.as_bytes()).next().unwrap().unwrap();
        let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
        let mut engine = Engine::new(options).unwrap();
        let limits = Limits { mode: Mode::Analyze, ..Limits::nodes(2000) };
        let found = analyse(&mut engine, &pdn, &limits, &Control::new()).unwrap();
        let judged = judge(&pdn, &found, &egdb::Probe::new()).unwrap();
        let mut page = AnnotationPage::new();
        page.add(1, &pdn, &judged);
        let html = page.to_html("<games>").unwrap();
        assert!(html.contains("&#60;games&#62;") && !html.contains("<games>"));
        assert!(html.contains("1. 27-22"), "{html}");
    }
}
