//! PDN: for any input, `write(read(x))` is stable and means the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use movegen::notation::pdn::{
    PdnGame, PdnReader, PdnWarning, PdnWarningKind, WriteOptions, game_to_string,
};

fuzz_target!(|bytes: &[u8]| {
    let mut reader = PdnReader::new(bytes);
    for game in reader.by_ref().flatten() {
        for (position, ply) in game.positions() {
            assert!(position.legal_moves().contains(&ply.mv));
            for comment in ply.comments() {
                let _ = (comment.clocks(), comment.evaluation(), comment.plain_text());
                let _ =
                    (comment.remaining_time(movegen::Color::White), comment.elapsed_move_time());
            }
        }
        for options in [
            WriteOptions::default(),
            WriteOptions { star_terminator: true, ..WriteOptions::default() },
            WriteOptions { plain: true, ..WriteOptions::default() },
        ] {
            let once = game_to_string(&game, &options);
            let mut again = PdnReader::new(once.as_bytes());
            let read = again.next().expect("a game is written").expect("a slice has no errors");
            assert!(again.next().is_none(), "{once}");
            assert_eq!(game_to_string(&read, &options), once);
            assert_eq!((read.start, read.result), (game.start, game.result));
            if !options.plain {
                assert!(read.line.moves().eq(game.line.moves()));
                let is_kept =
                    |warning: &PdnWarning| matches!(warning.kind, PdnWarningKind::BadResult(_));
                assert!(read.warnings.iter().all(is_kept), "{:?}\n{once}", read.warnings);
                assert_eq!((read.halfmoves, read.move_number), (game.halfmoves, game.move_number));
                let nags = |game: &PdnGame| -> Vec<Vec<u32>> {
                    game.line.plies.iter().map(|ply| ply.nags.clone()).collect()
                };
                assert_eq!(nags(&read), nags(&game));
            }
        }
    }
    let counters = reader.counters();
    assert!(counters.used + counters.other_type <= counters.games);
    assert_eq!(counters.warnings, reader.warnings().count());
});
