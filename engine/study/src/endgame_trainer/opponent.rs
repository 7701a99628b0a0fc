//! The perfect opponent.

use std::cmp::Reverse;

use egdb::error::ProbeError;
use egdb::{MoveAnswer, Probe, Wld};
use movegen::{DrawRules, Game, Move, Position, Status};

use super::distance::Measure;

/// The perfect move of the side to move; `None` if it has none.
///
/// A winning side wins as fast as the databases allow. A losing side resists as long as possible,
/// but takes a draw by the rules at once. In a drawn position it keeps the draw, avoids
/// repetitions, and leaves the other side as many losing moves as possible. Of equal moves it
/// prefers those with most wrong replies. Where the databases do not reach it plays any move.
///
/// # Errors
/// If a database file cannot be read or is damaged.
pub fn reply(probe: &Probe, game: &Game, rules: DrawRules) -> Result<Option<Move>, ProbeError> {
    let position = game.position();
    let answer = probe.answer(position)?;
    let Some(value) = answer.wld else { return Ok(answer.moves.first().map(|m| m.mv)) };
    let measure = Measure::of(&answer);
    let mut scratch = game.clone();
    let mut best: Option<((bool, i64, i64, i64), Move)> = None;
    for m in answer.moves.iter().filter(|m| m.wld == Some(value)) {
        if scratch.play(m.mv).is_err() {
            continue;
        }
        let is_drawn_by_rule = matches!(scratch.status(rules), Status::Draw(_));
        let occurrences = i64::from(scratch.occurrences());
        scratch.undo();
        let distance = i64::from(measure.and_then(|measure| measure.of_move(m)).unwrap_or(0));
        let traps = || ways_to_go_wrong(probe, position, m);
        // The smallest is taken.
        let order = match value {
            Wld::Win => (is_drawn_by_rule, distance, occurrences, 0),
            Wld::Loss => (!is_drawn_by_rule, -distance, -traps()?, -occurrences),
            Wld::Draw => (is_drawn_by_rule, occurrences, -traps()?, 0),
        };
        if best.as_ref().is_none_or(|(least, _)| order < *least) {
            best = Some((order, m.mv));
        }
    }
    Ok(best.map(|(_, mv)| mv))
}

/// The number of replies to a move that give away the other side's value.
fn ways_to_go_wrong(
    probe: &Probe,
    position: &Position,
    mv: &MoveAnswer,
) -> Result<i64, ProbeError> {
    let next = position.after(mv.mv);
    let mut count = 0;
    for &reply in &next.legal_moves() {
        // Our value after the reply is more than it was.
        let value = probe.wld(&next.after(reply))?;
        count += i64::from(value.map(|v| Reverse(v.rank())) < mv.wld.map(|v| Reverse(v.rank())));
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use egdb::DbType;
    use movegen::Fen;

    use super::super::test_endings::endings;
    use super::*;
    use movegen::random::Random;

    /// Longer than any ending of four pieces.
    const LONGEST: usize = 400;

    fn play_best(game: &mut Game, probe: &Probe) {
        let mv = probe.answer(game.position()).unwrap().moves[0].mv;
        game.play(mv).unwrap();
    }

    fn play_random(game: &mut Game, random: &mut Random) {
        let moves = game.position().legal_moves();
        game.play(moves[random.below(moves.len())]).unwrap();
    }

    fn play_reply(game: &mut Game, probe: &Probe, rules: DrawRules) {
        let mv = reply(probe, game, rules).unwrap().expect("a legal move");
        game.play(mv).unwrap();
    }

    #[test]
    fn lost_endings_last_as_long_as_the_databases_say() {
        let probe = Probe::embedded().unwrap();
        let mut count = 0;
        for start in endings(2_500, 11) {
            let defender = start.side_to_move();
            if probe.wld(&start).unwrap() != Some(Wld::Loss) {
                continue;
            }
            let plies = probe.dtw(&start).unwrap().expect("stored") as usize;
            let mut game = Game::new(start);
            while !game.status(DrawRules::None).is_over() && game.ply() < LONGEST {
                if game.position().side_to_move() == defender {
                    play_reply(&mut game, &probe, DrawRules::None);
                } else {
                    play_best(&mut game, &probe);
                }
            }
            assert_eq!(game.ply(), plies, "{}", start.to_fen());
            count += 1;
        }
        assert!(count > 300, "{count}");
    }

    #[test]
    fn drawn_endings_are_never_lost() {
        let probe = Probe::embedded().unwrap();
        let mut random = Random::new(12);
        let (mut count, mut gained) = (0, 0);
        for start in endings(1_500, 13) {
            let us = start.side_to_move();
            if probe.wld(&start).unwrap() != Some(Wld::Draw) {
                continue;
            }
            let mut game = Game::new(start);
            while !game.status(DrawRules::default()).is_over() && game.ply() < LONGEST {
                if game.position().side_to_move() == us {
                    play_reply(&mut game, &probe, DrawRules::default());
                } else {
                    play_random(&mut game, &mut random);
                }
            }
            match game.status(DrawRules::default()) {
                Status::Win(side, _) => {
                    assert_eq!(side, us, "{}", start.to_fen());
                    gained += 1;
                }
                status => assert!(status.is_over(), "{} never ends", start.to_fen()),
            }
            count += 1;
        }
        assert!(count > 300 && gained > 50, "{count} draws, {gained} of them won");
    }

    /// Against any play: within the distance to win, or sooner or later where that is not known.
    #[test]
    fn won_endings_are_won() {
        let all = Probe::embedded().unwrap();
        let mut without_dtw = Probe::new();
        for db in all.databases().iter().filter(|db| db.db_type() != DbType::Dtw) {
            without_dtw.add(Arc::clone(db));
        }
        let mut random = Random::new(14);
        let mut count = 0;
        for start in endings(500, 15) {
            let Some(Wld::Win) = all.wld(&start).unwrap() else { continue };
            let plies = all.dtw(&start).unwrap().expect("stored") as usize;
            for (probe, most) in [(&all, plies), (&without_dtw, LONGEST)] {
                let mut game = Game::new(start);
                while !game.status(DrawRules::None).is_over() && game.ply() < LONGEST {
                    if game.position().side_to_move() == start.side_to_move() {
                        play_reply(&mut game, probe, DrawRules::None);
                    } else {
                        play_random(&mut game, &mut random);
                    }
                }
                let status = game.status(DrawRules::None);
                let winner = start.side_to_move();
                assert!(matches!(status, Status::Win(s, _) if s == winner), "{}", start.to_fen());
                assert!(game.ply() <= most, "{}: {} plies", start.to_fen(), game.ply());
                count += 1;
            }
        }
        assert!(count > 200, "{count}");
    }

    /// Among the moves that hold, one with the most losing replies.
    #[test]
    fn drawn_it_sets_traps() {
        let probe = Probe::embedded().unwrap();
        let losing = |position: &Position| {
            let answer = probe.answer(position).unwrap();
            answer.moves.iter().filter(|m| m.wld == Some(Wld::Loss)).count()
        };
        let mut choices = 0;
        for position in endings(300, 16) {
            let answer = probe.answer(&position).unwrap();
            if answer.wld != Some(Wld::Draw) {
                continue;
            }
            let holding = answer.moves.iter().filter(|m| m.wld == Some(Wld::Draw));
            let counts: Vec<usize> = holding.map(|m| losing(&position.after(m.mv))).collect();
            let game = Game::new(position);
            let mv = reply(&probe, &game, DrawRules::None).unwrap().unwrap();
            let most = counts.iter().copied().max();
            assert_eq!(Some(losing(&position.after(mv))), most, "{}", position.to_fen());
            choices += usize::from(counts.iter().min() < counts.iter().max());
        }
        assert!(choices > 20, "{choices}");
    }

    #[test]
    fn repetitions_are_avoided() {
        let probe = Probe::embedded().unwrap();
        let start: Fen = "W:WK46:BK45,K50".parse().unwrap();
        let mut game = Game::new(start.position().unwrap());
        let rules = DrawRules::Scan;
        // The lone king plays the first move that holds: to and fro.
        for _ in 0..12 {
            play_reply(&mut game, &probe, rules);
            let moves = game.position().legal_moves();
            assert_eq!(game.occurrences(), 1);
            let holding = probe.answer(game.position()).unwrap().moves;
            let back = moves
                .iter()
                .find(|&&mv| holding.iter().any(|m| m.mv == mv && m.wld == Some(Wld::Draw)));
            game.play(*back.unwrap()).unwrap();
        }
    }
}
