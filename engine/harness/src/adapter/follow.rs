//! Programs that keep the game themselves, as over DXP: a game goes on as long as the questions
//! follow each other in it; every other position is the start of a new one.

use std::sync::Arc;

use movegen::notation::pdn::GameResult;
use movegen::{Color, Game, Position};

use crate::protocol::dxp::format_minutes;
use crate::runner::{Answer, NewGame, Player, PlayerError, TimeControl};
use meerslag_search::{Clock, Control, Limits};

/// Moves for which the time of a single move is turned into that of a game.
const MOVES: u32 = 75;
/// Moves for which a clock has to do when their number is open.
const OPEN_MOVES: u32 = 40;
/// Seconds for each move where nothing bounds the time: DXP knows no depths.
const PLAIN_SECONDS: f64 = 1.0;
/// The most moves, and minutes, that a request has room for.
const MOST: u32 = 999;
/// Seconds by which the program's clock may be ahead of ours.
const AHEAD: f64 = 0.5;

/// The game that a program has on its board.
#[derive(Debug)]
pub(super) struct Followed {
    /// From the position with which it was proposed, with the moves that the program knows.
    game: Game,
    /// Seconds that it believes to have left.
    left: f64,
}

/// How far the program is when it is asked about a position.
pub(super) enum Place {
    /// There, once it has got the last move.
    Here(Followed),
    /// In another game, which has to be ended first.
    Elsewhere(Followed),
}

impl Followed {
    /// Plays so much of a game that the program says its name.
    pub fn introduce(player: &mut dyn Player) -> Result<(), PlayerError> {
        let start = Position::initial();
        let control = control(&Limits::default(), false);
        // It waits for our move.
        player.new_game(&NewGame { start, color: Color::Black, control })?;
        player.game_over(&Game::new(start), GameResult::Unknown);
        Ok(())
    }

    /// Begins a game at this position.
    pub fn begin(
        player: &mut dyn Player,
        position: &Position,
        limits: &Limits,
        fractions: bool,
    ) -> Result<Followed, PlayerError> {
        let control = control(limits, fractions);
        let color = position.side_to_move();
        player.new_game(&NewGame { start: *position, color, control })?;
        Ok(Followed { game: Game::new(*position), left: control.time })
    }

    /// Ends the game without a result.
    pub fn leave(&self, player: &mut dyn Player) {
        player.game_over(&self.game, GameResult::Unknown);
    }

    /// Goes on to this position if it comes one move of the opponent's after what the program
    /// knows, and if the program's clock is about right.
    pub fn go_on(mut self, game: &Game, limits: &Limits) -> Option<Place> {
        let known = self.game.moves();
        let is_next = game.ply().checked_sub(known.len() + 1).is_some_and(|first| {
            game.positions()[first] == *self.game.start()
                && game.moves()[first..first + known.len()] == *known
        });
        let is_right = match limits.clock {
            Some(Clock { time, inc, .. }) => {
                let time = time + inc;
                self.left <= time + AHEAD && self.left >= time / 2.0 - AHEAD
            }
            None => limits.move_time.is_none_or(|time| self.left >= time.as_secs_f64()),
        };
        let is_here = is_next
            && is_right
            && game.moves().last().is_some_and(|&mv| self.game.play(mv).is_ok());
        Some(if is_here { Place::Here(self) } else { Place::Elsewhere(self) })
    }

    /// Asks for the move in the position that the program has been led to.
    pub fn think(
        &mut self,
        player: &mut dyn Player,
        limits: &Limits,
        control: &Arc<Control>,
    ) -> Result<Answer, PlayerError> {
        let answer = player.think(&self.game, limits, control, &mut |_| {})?;
        if let Answer::Move(thought) = &answer {
            self.left -= thought.elapsed().as_secs_f64();
            // The player has checked it.
            let _ = self.game.play(thought.mv);
        }
        Ok(answer)
    }
}

/// The time control of a game in which a program has these limits: never more than they allow for
/// each move, if it spreads its time evenly. Whole minutes are all that most programs know, so
/// that little time becomes a minute for many moves.
fn control(limits: &Limits, fractions: bool) -> TimeControl {
    let (seconds, moves) = match (limits.clock, limits.move_time) {
        (Some(Clock { time, inc, moves }), _) => ((time + inc).max(0.0), moves),
        // Programs take more than their share for the first moves of a game.
        (None, Some(time)) => (time.as_secs_f64() / 2.0 * f64::from(MOVES), Some(MOVES)),
        (None, None) => (PLAIN_SECONDS * f64::from(MOVES), Some(MOVES)),
    };
    let least = if fractions { 0.01 } else { 1.0 };
    let minutes = written(seconds / 60.0, fractions);
    if minutes >= least {
        let moves = moves.map(|moves| moves.min(MOST));
        return TimeControl { time: minutes * 60.0, moves, ..TimeControl::default() };
    }
    let each = seconds / f64::from(moves.unwrap_or(OPEN_MOVES).max(1));
    let moves = (least * 60.0 / each.max(1e-9)).ceil().min(f64::from(MOST)) as u32;
    TimeControl { time: least * 60.0, moves: Some(moves), ..TimeControl::default() }
}

/// The greatest number of minutes that is not more than this and can be written.
fn written(minutes: f64, fractions: bool) -> f64 {
    let minutes = minutes.min(f64::from(MOST));
    let steps = if fractions { &[100.0, 10.0, 1.0][..] } else { &[1.0] };
    let candidates = steps.iter().map(|step| (minutes * step).floor() / step);
    candidates.into_iter().find(|&m| format_minutes(m).is_some()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn clock(time: f64, moves: Option<u32>) -> Limits {
        Limits::clock(Clock { time, inc: 0.0, moves })
    }

    #[test]
    fn limits_as_dxp_has_them() {
        let move_time = |millis| Limits::move_time(Duration::from_millis(millis));
        for (limits, fractions, seconds, moves) in [
            (clock(300.0, None), false, 300.0, None),
            (clock(119.0, Some(30)), false, 60.0, Some(30)),
            (clock(119.0, Some(30)), true, 114.0, Some(30)),
            (clock(1e6, None), false, 59_940.0, None),
            (clock(3.0, Some(10)), true, 3.0, Some(10)),
            // A fifth of a second for each move.
            (clock(2.0, Some(10)), false, 60.0, Some(300)),
            (clock(0.0, None), false, 60.0, Some(999)),
            (move_time(4_000), false, 120.0, Some(75)),
            (move_time(300), false, 60.0, Some(400)),
            (move_time(300), true, 10.8, Some(75)),
            (Limits::depth(9), false, 60.0, Some(75)),
        ] {
            let found = control(&limits, fractions);
            assert!((found.time - seconds).abs() < 1e-6, "{limits:?}: {}", found.time);
            assert_eq!(found.moves, moves, "{limits:?}");
            assert_eq!(format_minutes(found.time / 60.0).map(|text| text.len()), Some(3));
        }
    }

    #[test]
    fn a_game_goes_on_only_with_the_next_move() {
        let limits = clock(60.0, None);
        let mut outer = Game::default();
        let play = |game: &mut Game, index: usize| {
            let mv = game.position().legal_moves()[index];
            game.play(mv).unwrap();
        };
        play(&mut outer, 0);
        let first = *outer.position();
        let asked = |left: f64| {
            let mut game = Game::new(first);
            play(&mut game, 1);
            Followed { game, left }
        };
        let is_here = |followed: Followed, game: &Game| matches!(followed.go_on(game, &limits), Some(Place::Here(f)) if f.game.position() == game.position());
        assert!(!is_here(asked(60.0), &outer), "the same position again");
        let mut other = outer.clone();
        play(&mut other, 2);
        play(&mut other, 0);
        assert!(!is_here(asked(60.0), &other), "another move than the program's");
        play(&mut outer, 1);
        assert!(!is_here(asked(60.0), &outer), "only its own move");
        play(&mut outer, 3);
        for (left, here) in [(60.0, true), (60.4, true), (61.0, false), (30.0, true), (29.0, false)]
        {
            let mut game = Game::new(outer.positions()[1]);
            game.play(outer.moves()[1]).unwrap();
            assert_eq!(is_here(Followed { game, left }, &outer), here, "{left}");
        }
    }
}
