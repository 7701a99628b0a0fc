//! Prints the shortest win against the longest defence, move by move, with the values of the
//! alternatives. Uses the databases of up to four pieces that are part of the library, or those in
//! a folder.
//!
//! `cargo run -p meerslag-egdb --example perfect_play ["FEN" [FOLDER]]`

use std::error::Error;

use egdb::{DatabaseOptions, MoveAnswer, Probe, Wld};
use movegen::Position;
use movegen::notation::format_move;

/// One man beats three, and it takes 43 plies: the longest win of up to four pieces.
const ONE_AGAINST_THREE: &str = "W:W18:B3,4,5";

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let fen = args.next().unwrap_or_else(|| ONE_AGAINST_THREE.to_owned());
    let probe = match args.next() {
        Some(folder) => DatabaseOptions::in_folders([folder]).open()?,
        None => Probe::embedded()?,
    };

    let mut position = Position::from_fen(&fen)?;
    print!("{position}");
    for ply in 1.. {
        let answer = probe.answer(&position)?;
        // Moves come best first: the shortest win, the longest defence.
        let Some(best) = answer.moves.first() else {
            println!("{} has no move and has lost.", position.side_to_move());
            return Ok(());
        };
        let Some(plies) = answer.dtw else {
            return Err("a draw, or no distance to the end is known".into());
        };
        let as_good = answer.moves.iter().filter(|mv| is_as_good(mv, best)).count();
        println!(
            "{ply:>3}. {:<8} {} in {plies:>2}, {as_good} of {} moves are as good",
            format_move(&position, best.mv),
            if answer.wld == Some(Wld::Win) { "wins" } else { "lost" },
            answer.moves.len(),
        );
        position = position.after(best.mv);
    }
    Ok(())
}

fn is_as_good(mv: &MoveAnswer, best: &MoveAnswer) -> bool {
    (mv.wld, mv.dtw) == (best.wld, best.dtw)
}
