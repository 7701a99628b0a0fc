//! Programs that keep the game themselves, as over DXP: a game continues while each question follows
//! the last one in it; any other position starts a new game.

use std::sync::Arc;
use std::time::Duration;

use movegen::notation::pdn::GameResult;
use movegen::{Color, Game, Position};

use super::time::on_clock;
use crate::protocol::dxp::format_minutes;
use crate::runner::{Answer, NewGame, Player, PlayerError, TimeControl};
use meerslag_search::{Control, Limits};

/// Moves of a game whose time is made of the time for one move.
const GAME_MOVES: u32 = 75;
/// The number of moves that the time on a clock must last for, if not given.
const CLOCK_MOVES: u32 = 40;
/// The time for each move where nothing bounds it: DXP knows no depths.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);
/// The most moves, and minutes, that a request has room for.
const MAX_DXP_NUMBER: u32 = 999;
/// How much the program's clock may be ahead of ours.
const CLOCK_TOLERANCE: Duration = Duration::from_millis(500);

/// The game that a program has on its board.
#[derive(Debug)]
pub(super) struct AdapterGame {
    /// From the proposed start position, with the moves that the program knows.
    game: Game,
    /// The time left on its own clock.
    left: Duration,
}

impl AdapterGame {
    /// Plays a game just until the program gives its name.
    pub fn introduce(player: &mut dyn Player) -> Result<(), PlayerError> {
        let start = Position::initial();
        let control = control(&Limits::default(), false);
        // It waits for our move.
        player.new_game(&NewGame { start, played: 0, color: Color::Black, control })?;
        player.game_over(&Game::new(start), GameResult::Unknown);
        Ok(())
    }

    /// Begins a game at this position.
    pub fn begin(
        player: &mut dyn Player,
        position: &Position,
        limits: &Limits,
        fractions: bool,
    ) -> Result<AdapterGame, PlayerError> {
        let control = control(limits, fractions);
        let color = position.side_to_move();
        player.new_game(&NewGame { start: *position, played: 0, color, control })?;
        Ok(AdapterGame { game: Game::new(*position), left: control.time })
    }

    /// Ends the game without a result.
    pub fn leave(&self, player: &mut dyn Player) {
        player.game_over(&self.game, GameResult::Unknown);
    }

    /// Continues to this position if it is one move of the opponent's after the moves that the
    /// program knows, and if the program's clock is about right. Otherwise the error is the game,
    /// which must be ended before another one begins.
    pub fn go_on(mut self, game: &Game, limits: &Limits) -> Result<AdapterGame, AdapterGame> {
        let known = self.game.moves();
        let is_next = game.ply().checked_sub(known.len() + 1).is_some_and(|first| {
            game.positions()[first] == *self.game.start()
                && game.moves()[first..first + known.len()] == *known
        });
        let is_right = match limits.clock {
            Some(clock) => {
                let time = on_clock(clock);
                self.left <= time.saturating_add(CLOCK_TOLERANCE)
                    && self.left + CLOCK_TOLERANCE >= time / 2
            }
            None => limits.move_time.is_none_or(|time| self.left >= time),
        };
        let is_here = is_next
            && is_right
            && game.moves().last().is_some_and(|&mv| self.game.play(mv).is_ok());
        if is_here { Ok(self) } else { Err(self) }
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
            self.left = self.left.saturating_sub(thought.elapsed());
            // The player has checked it.
            let _ = self.game.play(thought.mv);
        }
        Ok(answer)
    }
}

/// The time control of a game for a program with these limits: never more per move than they allow,
/// if it spreads its time evenly. Most programs only know whole minutes, so a short time becomes a
/// minute for many moves.
fn control(limits: &Limits, fractions: bool) -> TimeControl {
    let (time, moves) = match (limits.clock, limits.move_time) {
        (Some(clock), _) => (on_clock(clock), clock.moves),
        // Programs take more than their share for the first moves of a game.
        (None, Some(time)) => ((time / 2).saturating_mul(GAME_MOVES), Some(GAME_MOVES)),
        (None, None) => (DEFAULT_MOVE_TIME * GAME_MOVES, Some(GAME_MOVES)),
    };
    let least = if fractions { 0.01 } else { 1.0 };
    let of_minutes = |minutes: f64| Duration::from_secs_f64(minutes * 60.0);
    let seconds = time.as_secs_f64();
    let minutes = written(seconds / 60.0, fractions);
    if minutes >= least {
        let moves = moves.map(|moves| moves.min(MAX_DXP_NUMBER));
        return TimeControl { time: of_minutes(minutes), moves, ..TimeControl::default() };
    }
    let each = seconds / f64::from(moves.unwrap_or(CLOCK_MOVES).max(1));
    let moves = (least * 60.0 / each.max(1e-9)).ceil().min(f64::from(MAX_DXP_NUMBER)) as u32;
    TimeControl { time: of_minutes(least), moves: Some(moves), ..TimeControl::default() }
}

/// The greatest number of minutes that is not more than this and can be written.
fn written(minutes: f64, fractions: bool) -> f64 {
    let minutes = minutes.min(f64::from(MAX_DXP_NUMBER));
    let steps = if fractions { &[100.0, 10.0, 1.0][..] } else { &[1.0] };
    let candidates = steps.iter().map(|step| (minutes * step).floor() / step);
    candidates.into_iter().find(|&m| format_minutes(m).is_some()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::dxp::in_minutes;
    use meerslag_search::Clock;

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
            assert_eq!(found.time, Duration::from_secs_f64(seconds), "{limits:?}");
            assert_eq!(found.moves, moves, "{limits:?}");
            assert_eq!(format_minutes(in_minutes(found.time)).map(|text| text.len()), Some(3));
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
            AdapterGame { game, left: Duration::from_secs_f64(left) }
        };
        let is_here = |known: AdapterGame, game: &Game| {
            known.go_on(game, &limits).is_ok_and(|known| known.game.position() == game.position())
        };
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
            assert_eq!(
                is_here(AdapterGame { game, left: Duration::from_secs_f64(left) }, &outer),
                here,
                "{left}"
            );
        }
    }
}
