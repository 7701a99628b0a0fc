//! Reads the games of a PDN file, or of a small built-in one, and prints for each the moves, the
//! captures, the reader's warnings, and the state of the game by the rules.
//!
//! `cargo run -p meerslag-movegen --example replay [FILE.pdn]`

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};

use movegen::notation::format_move;
use movegen::notation::pdn::{PdnGame, PdnReader};
use movegen::{DrawRules, Game};

/// Three dialects in one: a set-up, a capture written with `:`, and a game without a result.
const SAMPLE: &str = r#"
[White "A"] [Black "B"] [Result "2-0"]
1. 32-28 19-23 2. 28:19 14x23 3. 37-32 10-14 2-0

[White "C"] [Black "D"] [FEN "W:WK30:B7,21,22,34,41"]
1. 30x39x11x2 21-26 *
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let input: Box<dyn BufRead + Send> = match std::env::args_os().nth(1) {
        Some(path) => Box::new(BufReader::new(File::open(path)?)),
        None => Box::new(SAMPLE.as_bytes()),
    };
    // The reader is an iterator: the file never has to fit into memory.
    for game in PdnReader::new(input) {
        print(&game?)?;
    }
    Ok(())
}

fn print(pdn: &PdnGame) -> Result<(), Box<dyn Error>> {
    let name = |tag| pdn.tags.get(tag).unwrap_or("?");
    println!("{} - {}", name("White"), name("Black"));
    let mut game = Game::new(pdn.start);
    for mv in pdn.line.moves() {
        let position = *game.position();
        let taken: Vec<String> = mv.captured().into_iter().map(|s| s.to_string()).collect();
        let remark =
            if taken.is_empty() { String::new() } else { format!("takes {}", taken.join(", ")) };
        println!("  {:>3}  {:<12} {remark}", game.ply() + 1, format_move(&position, mv));
        // The PDN reader has checked the move; `play` would refuse an illegal one.
        game.play(mv)?;
    }
    for warning in &pdn.warnings {
        println!("  warning: {warning}");
    }
    println!("  {:?}", game.status(DrawRules::default()));
    print!("{}", game.position());
    Ok(())
}
