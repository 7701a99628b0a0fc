//! Games of self-play as text.

use std::io::{self, Write};

use movegen::Color;
use movegen::notation::pdn::{Annotation, Comment, GameResult, PdnGame, Ply};

use super::game::PlayedGame;

/// The game as PDN, with the scores as comments; `round` is its number, and `player` the name of
/// the evaluation that played.
#[must_use]
pub fn to_pdn(game: &PlayedGame, round: u64, player: &str) -> PdnGame {
    let mut pdn = PdnGame::new(game.start);
    pdn.tags.set("Event", "Self-play");
    pdn.tags.set("Round", &round.to_string());
    pdn.tags.set("White", player);
    pdn.tags.set("Black", player);
    pdn.tags.set("Termination", game.end.name());
    for (position, ply) in game.positions() {
        let Some(played) = ply else { break };
        let mut ply = Ply::from(played.mv);
        if let Some(score) = played.score {
            let white = match position.side_to_move() {
                Color::White => score,
                Color::Black => -score,
            };
            let text = format!("[%eval {:.2}]", f64::from(white.hundredths()) / 100.0);
            ply.after.push(Annotation::Comment(Comment::new(&text)));
        }
        pdn.line.plies.push(ply);
    }
    pdn.result = GameResult::of_white(game.white);
    pdn
}

/// Writes the game as a line: FEN, result, end, and the moves, each with its score in hundredths
/// of a man for the side to move, or `-` for a forced move. Tabs separate the four.
///
/// # Errors
/// If the output fails.
pub fn write_line(game: &PlayedGame, out: &mut impl Write) -> io::Result<()> {
    let result = GameResult::of_white(game.white).as_str();
    write!(out, "{}\t{result}\t{}\t", game.start.to_fen(), game.end.name())?;
    for (index, ply) in game.plies.iter().enumerate() {
        let space = if index == 0 { "" } else { " " };
        match ply.score {
            Some(score) => write!(out, "{space}{} {}", ply.mv, score.hundredths())?,
            None => write!(out, "{space}{} -", ply.mv)?,
        }
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use movegen::notation::pdn::{PdnReader, WriteOptions, game_to_string};

    use super::super::test_games;
    use super::*;

    #[test]
    fn both_forms_have_the_moves_and_the_scores() {
        let (header, games) = test_games::games(8);
        for (game, number) in games.iter().zip(1..) {
            let pdn = to_pdn(game, number, &header.evaluation);
            let text = game_to_string(&pdn, &WriteOptions::default());
            let read = PdnReader::new(text.as_bytes()).next().unwrap().unwrap();
            assert_eq!(read.warnings, []);
            assert_eq!(read.result, GameResult::of_white(game.white));
            let moves: Vec<_> = game.plies.iter().map(|ply| ply.mv).collect();
            assert_eq!(read.line.moves().collect::<Vec<_>>(), moves);
            for ((position, played), ply) in game.positions().zip(&read.line.plies) {
                let said = ply.comments().next().and_then(Comment::evaluation);
                let side = if position.side_to_move() == Color::White { 1.0 } else { -1.0 };
                let score = played.unwrap().score;
                let expected = score.map(|score| side * f64::from(score.hundredths()) / 100.0);
                assert_eq!(said, expected);
            }

            let mut line = Vec::new();
            write_line(game, &mut line).unwrap();
            let line = String::from_utf8(line).unwrap();
            let [fen, _, _, moves] =
                line.trim_end_matches('\n').split('\t').collect::<Vec<_>>()[..]
            else {
                panic!("{line}")
            };
            assert_eq!(fen, game.start.to_fen());
            assert_eq!(moves.split_whitespace().count(), 2 * game.plies.len());
        }
    }
}
