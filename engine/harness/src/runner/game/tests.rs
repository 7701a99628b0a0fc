use super::*;
use crate::runner::player::Thought;

use crate::runner::tournament::schedule::tests::{config, games as schedule};
use meerslag_search::{Control, Info, Limits};

/// Says when it was asked and when it answered, as if it were true.
struct Scripted {
    start: Instant,
}

impl Player for Scripted {
    fn new_game(&mut self, _game: &NewGame) -> Result<(), PlayerError> {
        Ok(())
    }

    fn think(
        &mut self,
        game: &Game,
        _limits: &Limits,
        _control: &Arc<Control>,
        _report: &mut dyn FnMut(&Info),
    ) -> Result<Answer, PlayerError> {
        // A question every ten milliseconds, and each answer after three of them.
        let asked = self.start + Duration::from_millis(10) * u32::try_from(game.ply()).unwrap();
        Ok(Answer::Move(Thought {
            mv: game.position().legal_moves()[0],
            score: None,
            depth: None,
            nodes: None,
            reply: None,
            asked,
            answered: asked + Duration::from_millis(3),
        }))
    }
}

/// From the arrival of an answer to the next question, whatever is done in between and where.
#[test]
fn the_overhead_is_the_gap_between_the_players() {
    let mut config = config(2, 0, 1);
    config.adjudication.max_moves = 5;
    let fixture = Fixture {
        number: 0,
        pairing: schedule(&config)[0],
        start: Position::initial(),
        halfmoves: 0,
        played: Vec::new(),
    };
    let start = Instant::now();
    let mut players: [Box<dyn Player>; 2] =
        [Box::new(Scripted { start }), Box::new(Scripted { start })];
    let abort = Abort::new();
    let director = Director::new(&abort);
    let standstills = Standstills::new(abort.world());
    let room = Room {
        config: &config,
        arbiter: None,
        standstills: &standstills,
        director: &director,
        abort: &abort,
        are_kept: [false; 2],
        moved: &|_, _| {},
    };
    let played = play(room, &fixture, &mut players).outcome.unwrap();
    assert_eq!(played.record.plies.len(), 10);
    assert_eq!(played.overhead, Duration::from_millis(7));
    assert!(played.record.plies.iter().all(|ply| (ply.time.unwrap() - 0.003).abs() < 1e-6));
}
