//! How positions and search results are shown, to people and to programs.

use std::fmt::Write as _;

use meerslag_pages::diagram::Diagram;
use meerslag_search::Info;
use movegen::Bound;
use movegen::notation::moves::format_move;
use movegen::{Color, Game, Move, Position};

use super::terminal;

/// The board for the terminal.
pub(super) fn board(position: &Position) -> String {
    Diagram::for_terminal(*position).to_text(terminal::has_colours())
}

/// A FEN that is easy to read: three and more squares in a row as a range.
pub(super) fn fen(position: &Position) -> String {
    let ranges = |text: &str| -> String {
        let mut runs: Vec<(bool, u8, u8)> = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (is_king, digits) = part.strip_prefix('K').map_or((false, part), |d| (true, d));
            let Ok(square) = digits.parse::<u8>() else { return text.to_owned() };
            match runs.last_mut() {
                Some((king, _, end)) if *king == is_king && *end + 1 == square => *end = square,
                _ => runs.push((is_king, square, square)),
            }
        }
        let run = |&(is_king, from, to): &(bool, u8, u8)| {
            let king = if is_king { "K" } else { "" };
            match to - from {
                0 => format!("{king}{from}"),
                1 => format!("{king}{from},{king}{to}"),
                _ => format!("{king}{from}-{to}"),
            }
        };
        runs.iter().map(run).collect::<Vec<_>>().join(",")
    };
    let fen = position.to_fen();
    let sides = fen.split(':').map(|part| match part.split_at_checked(1) {
        Some((side @ ("W" | "B"), list)) if !list.is_empty() => format!("{side}{}", ranges(list)),
        _ => part.to_owned(),
    });
    sides.collect::<Vec<_>>().join(":")
}

/// A line of play in the usual notation, with move numbers: `12. 32-28 19-23 13. 28x19`.
pub(super) fn line(game: &Game, moves: &[Move]) -> String {
    let mut position = *game.position();
    let black_began = game.start().side_to_move() == Color::Black;
    let first = game.ply() + usize::from(black_began);
    let mut text = String::new();
    for (ply, &mv) in (first..).zip(moves) {
        let number = ply / 2 + game.first_number() as usize;
        if ply > first {
            text.push(' ');
        }
        if ply.is_multiple_of(2) {
            let _ = write!(text, "{number}. ");
        } else if ply == first {
            let _ = write!(text, "{number}... ");
        }
        text.push_str(&format_move(&position, mv));
        position = position.after(mv);
    }
    text
}

/// The head of the table of search results.
pub(super) const HEAD: &str = "depth   score      nodes     time   Mn/s  variation";

/// One line of that table, cut to the width of the terminal. The score is seen from the side to
/// move.
pub(super) fn row(game: &Game, info: &Info, multipv: bool) -> String {
    let seconds = info.time.as_secs_f64();
    let bound = match info.bound {
        Bound::Exact => ' ',
        Bound::Lower => '>',
        Bound::Upper => '<',
    };
    let rank = if multipv { format!("({}) ", info.multipv) } else { String::new() };
    let start = format!(
        "{:5} {bound}{} {:>10} {seconds:8.2} {:6.2}  {rank}",
        info.depth,
        score(info),
        info.nodes,
        millions_per_second(info),
    );
    let left = terminal::width().map(|width| width.saturating_sub(start.len()));
    start + &terminal::cut_moves(&line(game, &info.pv), left)
}

/// `+0.12`; the number of plies to the end: `win 7`; or a database's word without one: `db win`.
pub(super) fn score(info: &Info) -> String {
    let text = match info.score.plies_to_end() {
        Some(plies) if plies > 0 => format!("win {plies}"),
        Some(plies) => format!("loss {}", -plies),
        None if info.score.is_win() => "db win".to_owned(),
        None if info.score.is_loss() => "db loss".to_owned(),
        None => format!("{:+.2}", info.score.men()),
    };
    format!("{text:>7}")
}

fn millions_per_second(info: &Info) -> f64 {
    info.nodes as f64 / info.time.as_secs_f64().max(1e-6) / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_from_the_number_of_the_fen() {
        let game = |fen: &str| fen.parse::<movegen::Fen>().unwrap().game().unwrap();
        let mut white = game("W:W33,43:B13,20:F55");
        let moves = [white.position().legal_moves()[0]];
        assert!(line(&white, &moves).starts_with("55. "), "{}", line(&white, &moves));
        white.play(moves[0]).unwrap();
        let reply = [white.position().legal_moves()[0]];
        assert!(line(&white, &reply).starts_with("55... "));
        white.undo();
        assert_eq!((white.first_number(), white), (55, game("W:W33,43:B13,20")));
        let black = game("B:W33:B13");
        assert!(line(&black, &[black.position().legal_moves()[0]]).starts_with("1... "));
    }

    #[test]
    fn fens_with_ranges() {
        for (fen, text) in [
            ("W:W31-50:B1-20", "W:W31-50:B1-20"),
            ("B:W28,29,31:BK1,K2,K3,5", "B:W28,29,31:BK1-3,5"),
            ("W:W:B1", "W:W:B1"),
        ] {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(super::fen(&position), text);
            assert_eq!(Position::from_fen(text).unwrap(), position);
        }
    }
}
