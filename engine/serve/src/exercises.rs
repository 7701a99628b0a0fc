//! The exercises in the games of a PDN text: puzzles and marked mistakes.

use meerslag_study::puzzles::{Exercise, ExerciseList};
use movegen::json::Record;
use movegen::notation::moves::format_line;
use movegen::notation::pdn::{PdnReader, ReadOptions};
use movegen::{Move, Wld};
use schemars::JsonSchema;
use serde::Serialize;

use super::games::bad;
use super::problem::Problem;
use super::query::Query;
use super::{Desk, Reply};

/// The exercises of a text, in its order; of equal positions the first one.
#[derive(Serialize, JsonSchema)]
pub(super) struct ExercisesRecord {
    exercises: Vec<ExerciseRecord>,
}

impl Record for ExercisesRecord {
    const TYPE: &'static str = "exercises";
}

/// A position where a move is to be found.
#[derive(Serialize, JsonSchema)]
struct ExerciseRecord {
    /// `puzzle`: the solution is to be found to its end; `mistake`: a better move than the one that was
    /// played, and others may be as good as the solution.
    kind: &'static str,
    /// The position.
    fen: String,
    /// What the side to move reaches, `win` or `draw`, where the game says so.
    goal: Option<Wld>,
    /// The solution in Hub notation, with the answers of the other side.
    solution: Vec<Move>,
    /// The same for people.
    text: Vec<String>,
    /// For a mistake: the move played, in Hub notation.
    played: Option<Move>,
    /// Players, date and, of a mistake, the number of the move.
    origin: String,
    /// The themes of a puzzle's solution.
    theme: Option<String>,
}

impl ExerciseRecord {
    fn of(exercise: &Exercise) -> ExerciseRecord {
        ExerciseRecord {
            kind: exercise.kind.name(),
            fen: exercise.id(),
            goal: exercise.goal,
            text: format_line(&exercise.position, exercise.solution.iter().copied()),
            solution: exercise.solution.clone(),
            played: exercise.played,
            origin: exercise.origin(),
            theme: exercise.theme.clone(),
        }
    }
}

pub(super) fn exercises(_: &Desk, query: &Query<'_>, body: &[u8]) -> Result<Reply, Problem> {
    let options = ReadOptions { find_duplicates: false, ..ReadOptions::default() };
    let mut found = ExerciseList::default();
    for pdn in PdnReader::with_options(query.wanted(body), options) {
        found.add(&pdn.map_err(|error| bad(error.to_string()))?);
    }
    let exercises = found.list().iter().map(ExerciseRecord::of).collect();
    Ok(Reply::json(&ExercisesRecord { exercises }))
}

#[cfg(test)]
mod tests {
    use meerslag_study::puzzles::INTERVALS;
    use serde_json::{Value, json};

    use super::super::Route;
    use super::super::answers::tests::desk;

    /// The board in the browser lets exercises come again when the program in the terminal does.
    #[test]
    fn the_board_has_the_intervals_of_repetition() {
        let script = meerslag_web::source("game/repeat.js").unwrap().text();
        let (_, list) = script.split_once("const INTERVALS = [").unwrap();
        let (list, _) = list.split_once(']').unwrap();
        let seconds = |interval: &str| match interval.trim().split(" * ").collect::<Vec<_>>()[..] {
            ["DAY"] => 86_400,
            [days, "DAY"] => days.parse::<u64>().unwrap() * 86_400,
            [minutes, "MINUTE"] => minutes.parse::<u64>().unwrap() * 60,
            _ => panic!("{interval}"),
        };
        assert_eq!(list.split(',').map(seconds).collect::<Vec<_>>(), INTERVALS);
    }

    #[test]
    fn puzzles_and_mistakes_of_a_text() {
        let ask = |text: &str| -> Value {
            let route = Route::of("/v1/exercises").unwrap();
            let reply = crate::answer(&desk(), route, &[], text.as_bytes()).unwrap();
            serde_json::from_str(&reply.text).unwrap()
        };
        let puzzle = "[White \"A\"]\n[Black \"B\"]\n[FEN \"W:W28,33,39:B19,23,18,9\"]\n\
                      [Theme \"win, 2 pieces given\"]\n1. 28-22 18x27 2. 33-28 2-0\n\n";
        let mistake = "1. 32-28 19-23 2. 28x19 14x23 3. 37-32 $4 (3. 31-27) *\n\n";
        let found = ask(&[puzzle, mistake, puzzle].concat());
        let first = json!({
            "kind": "puzzle", "fen": "W:W28,33,39:B9,18,19,23", "goal": "win",
            "solution": ["28-22", "18x27x22", "33-28"], "text": ["28-22", "18x27", "33-28"],
            "played": null, "origin": "A – B", "theme": "win, 2 pieces given",
        });
        assert_eq!(found["exercises"][0], first);
        let second = &found["exercises"][1];
        assert_eq!((&second["kind"], &second["played"]), (&json!("mistake"), &json!("37-32")));
        assert_eq!((&second["text"], &second["origin"]), (&json!(["31-27"]), &json!("move 3")));
        assert_eq!(found["exercises"].as_array().unwrap().len(), 2);
        assert_eq!(ask("")["exercises"], json!([]));
        assert_eq!(ask("1. 32-28 *")["exercises"], json!([]));
    }
}
