//! Shared by the search tests: random positions and a plain minimax.

use std::path::Path;

use meerslag_book::{Book, import};
use meerslag_files::Existing;
use meerslag_search::{Control, Engine, EngineOptions, Info, Limits, SearchResult};
use movegen::notation::moves::parse_move_list;
use movegen::random::Random;
use movegen::{Bitboard, Color, Game, Kind, Move, Piece, Position, Setup, Square};

/// Up to `most` pieces a side anywhere, that many per cent of them kings. Both sides have a
/// piece.
pub fn random_position(random: &mut Random, most: usize, king_percent: usize) -> Position {
    loop {
        let mut setup = Setup::empty(Color::ALL[random.below(2)]);
        for color in Color::ALL {
            for _ in 0..=random.below(most) {
                let square = Square::new(1 + random.below(50) as u8).unwrap();
                let king = random.below(100) < king_percent;
                let kind = if king { Kind::King } else { Kind::Man };
                if !setup.occupied().contains(square) {
                    setup.put(Piece { color, kind }, square);
                }
            }
        }
        setup.promote_stranded_men();
        if let Ok(position) = setup.position()
            && Color::ALL.iter().all(|&c| !position.pieces(c).is_empty())
        {
            return position;
        }
    }
}

/// A game of random moves, at most `plies` long, that the draw rules may have ended.
pub fn random_game(random: &mut Random, plies: usize) -> Game {
    let mut game = Game::default();
    for _ in 0..plies {
        let mut moves = game.position().legal_moves();
        if moves.is_empty() {
            break;
        }
        // Independent of the generator's order.
        moves.sort_unstable();
        game.play(moves[random.below(moves.len())]).unwrap();
    }
    game
}

pub fn engine() -> Engine {
    Engine::new(EngineOptions { hash_mib: 4, ..EngineOptions::default() }).unwrap()
}

pub fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

/// A search whose reports are thrown away.
pub fn search(engine: &mut Engine, game: &Game, limits: &Limits) -> SearchResult {
    engine.search(game, limits, &Control::new(), &mut |_| {})
}

/// A search with all its reports.
pub fn search_with_infos(
    engine: &mut Engine,
    game: &Game,
    limits: &Limits,
) -> (SearchResult, Vec<Info>) {
    let mut infos = Vec::new();
    let outcome =
        engine.search(game, limits, &Control::new(), &mut |info| infos.push(info.clone()));
    (outcome, infos)
}

/// Panics unless the moves are legal one after another.
pub fn assert_legal_line(start: &Position, line: &[Move]) {
    let mut position = *start;
    for &mv in line {
        assert!(position.legal_moves().contains(&mv), "{mv} of {line:?} from {}", start.to_fen());
        position = position.after(mv);
    }
}

/// In how many plies the game ends with best play, if it does within `depth` plies: positive for
/// a win of the side to move, zero or negative for a loss. Looks at every move; draw rules do
/// not exist. The winner hurries, the loser delays.
pub fn plies_to_end(position: &Position, depth: i32) -> Option<i32> {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return Some(0);
    }
    if depth == 0 {
        return None;
    }
    let mut longest_loss = Some(0);
    let mut shortest_win: Option<i32> = None;
    for &mv in &moves {
        // A win found bounds how deep the others are worth looking into.
        let depth = shortest_win.map_or(depth, |win| win - 1).min(depth);
        match plies_to_end(&position.after(mv), depth - 1) {
            Some(reply) if reply <= 0 => {
                let win = 1 - reply;
                shortest_win = Some(shortest_win.map_or(win, |known| known.min(win)));
                if win == 1 {
                    return shortest_win;
                }
            }
            Some(reply) => longest_loss = longest_loss.map(|known: i32| known.min(-reply - 1)),
            None => longest_loss = None,
        }
    }
    shortest_win.or(longest_loss)
}

/// Men and kings (three men each) of the side to move less the opponent's, after best play of
/// `depth` plies and all captures that follow, and after replies to threats of capture.
pub fn material(position: &Position, depth: i32, mut alpha: i32, beta: i32) -> i32 {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return -1000 - depth;
    }
    let side = position.side_to_move();
    let threatened = depth == 0 && position.has_capture(side.opponent());
    if depth <= 0 && !moves[0].is_capture() && !threatened {
        let count = |set: Bitboard| set.len() as i32;
        let value = |c: Color| count(position.men(c)) + 3 * count(position.kings(c));
        return value(side) - value(side.opponent());
    }
    let mut best = i32::MIN;
    for &mv in &moves {
        let score = -material(&position.after(mv), depth - 1, -beta, -alpha);
        best = best.max(score);
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// A book from text, in a folder.
pub fn book_of(text: &str, folder: &Path) -> Book {
    let path = folder.join("text.book");
    let text = format!("# Meerslag opening book, text version 1\n{text}");
    import(text.as_bytes(), &path, Existing::Replace).unwrap();
    Book::open(&path).unwrap()
}

/// The position after these moves from the initial one.
pub fn after(moves: &str) -> Position {
    let start = Position::initial();
    let moves = parse_move_list(&start, moves).unwrap();
    moves.into_iter().fold(start, |position, mv| position.after(mv))
}
