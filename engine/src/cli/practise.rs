//! `meerslag practise`: puzzles and mistakes of a file, to be solved in the terminal.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use ::egdb::Probe;
use anyhow::anyhow;
use clap::Args;
use meerslag_files::Existing;
use meerslag_search::{Control, Engine, Limits, Mode};
use meerslag_study::annotate::{self, Grade};
use meerslag_study::puzzles::{
    Exercise, ExerciseKind, ExerciseList, ExerciseTally, Repeat, Repetition, RepetitionError,
    Standing,
};
use movegen::notation::moves::format_move;
use movegen::notation::pdn::{PdnGame, Ply};
use movegen::words::counted;
use movegen::{Color, Game, Move, Position, Status};

use super::console::{Console, ConsoleGame};
use super::files;
use super::limits::LimitArgs;
use super::source::{self, EncodingArgs, Source};
use super::streams::{note, stdout};
use super::{EngineArgs, Failure, report, terminal};

/// Nodes of a search when no limit is given: as many as `annotate` has.
const DEFAULT_NODES: u64 = 200_000;
/// Nobody does more exercises than this.
const MOST_EXERCISES: usize = 100_000;

const EXAMPLES: &str = "\
Examples:
  meerslag practise puzzles.pdn
  meerslag practise annotated.pdn --scores my.scores
  meerslag practise annotated.pdn --list

A file holds puzzles, such as those of 'meerslag puzzles', or games where 'meerslag annotate' has \
marked mistakes. For a puzzle find the whole combination, for a mistake the better move; another \
move is right, too, if the engine finds that it gives nothing away.

Exercises not solved alone come again after ten minutes, then after 1, 3, 7, 21 and 60 days. Due \
ones come first, then new ones. The scores are kept beside the file, in FILE.scores, or in the \
file of --scores; files may share them. Type 'help' for the commands.";

/// Solve puzzles, and better mistakes of annotated games; what went wrong comes again
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct PractiseArgs {
    /// The puzzles or annotated games: PDN, or a file of games
    #[arg(value_name = "FILE")]
    input: String,
    #[command(flatten)]
    encoding: EncodingArgs,
    /// Keep the scores in this file [default: FILE.scores]
    #[arg(long, value_name = "FILE")]
    scores: Option<PathBuf>,
    /// List the exercises with their scores, and end
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

pub(super) fn run(args: &PractiseArgs) -> Result<(), Failure> {
    if args.input == "-" {
        return Err(Failure::Input(anyhow!(
            "moves are read from standard input: name a file with exercises"
        )));
    }
    let scores = args.scores.clone().unwrap_or_else(|| {
        let mut name = PathBuf::from(&args.input).into_os_string();
        name.push(".scores");
        name.into()
    });
    let input = Path::new(&args.input);
    let read = [("FILE", input.is_file().then_some(input)), args.engine.evaluation.file()];
    files::check_distinct(&read, &[("--scores", Some(&scores))])?;
    let Source::Games(mut games) = source::open(Some(&args.input), args.encoding)? else {
        return Err(Failure::Input(anyhow!("'{}' is not a file with exercises", args.input)));
    };
    let exercises = games.exercises(MOST_EXERCISES)?;
    let ids = exercises.list().iter().map(Exercise::id).collect();
    let damaged = |line| {
        note(format_args!("{}, line {line} is damaged: its score is forgotten", scores.display()));
    };
    let scores = match args.list {
        true => Repetition::look(&scores, damaged),
        false => Repetition::open(&scores, damaged),
    }?;
    let scored = Scored { exercises, ids, scores };
    if args.list {
        return scored.list();
    }
    let limits = args.limits.or(Limits::nodes(DEFAULT_NODES));
    let options = args.engine.options()?;
    let judge = Judge {
        limits: Limits { mode: Mode::Analyze, ..limits },
        probe: args.engine.databases.open()?,
        engine: Engine::new(options)?,
    };
    let practice = Practice::new(scored, judge);
    Console::new(practice, None, Existing::Keep, Box::new(stdout()))?.run()
}

impl From<RepetitionError> for Failure {
    fn from(error: RepetitionError) -> Failure {
        match error {
            RepetitionError::Io { .. } => Failure::run(error),
            RepetitionError::Read { .. }
            | RepetitionError::InUse(_)
            | RepetitionError::Other(_) => Failure::Input(error.into()),
        }
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// The exercises and how well they are known.
struct Scored {
    exercises: ExerciseList,
    ids: Vec<String>,
    scores: Repetition,
}

impl Scored {
    fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().map(String::as_str)
    }

    /// The place of the next exercise; a different one if there is one.
    fn next(&self, last: Option<usize>) -> usize {
        let places: Vec<usize> = (0..self.ids.len()).filter(|place| Some(*place) != last).collect();
        let next = self.scores.next(places.iter().map(|&place| &*self.ids[place]), now());
        // If all are known, go through them in order.
        let after = || last.map_or(0, |last| last + 1) % self.ids.len();
        next.and_then(|next| places.get(next).copied()).unwrap_or_else(after)
    }

    /// How well the exercises are known, in words.
    fn tally(&self) -> String {
        let ExerciseTally { due, new, later, known } = self.scores.tally(self.ids(), now());
        format!(
            "{}: {due} to repeat now, {new} new, {later} to repeat later, {known} known.",
            counted(self.ids.len(), "exercise")
        )
    }

    fn list(&self) -> Result<(), Failure> {
        let now = now();
        let rows = (1..).zip(self.exercises.list().iter().zip(&self.ids)).map(|(number, one)| {
            let number: usize = number;
            let (exercise, id) = one;
            let Standing { right, wrong, repeat } = self.scores.of(id);
            let again = match repeat {
                Some(Repeat { due, .. }) => until(due, now),
                None if right + wrong == 0 => "new".to_owned(),
                None => "known".to_owned(),
            };
            let counts = [right, wrong].map(|count| count.to_string());
            let [right, wrong] = counts;
            vec![number.to_string(), exercise.task(), exercise.origin(), right, wrong, again]
        });
        let heading = [" number", "task", "from", " right", " wrong", "again"];
        let rows: Vec<_> = rows.collect();
        let mut out = stdout();
        write!(out, "{}", terminal::table(&heading, &rows))?;
        Ok(writeln!(out, "{}", self.tally())?)
    }
}

/// When something comes again, in words.
fn until(due: u64, now: u64) -> String {
    let seconds = due.saturating_sub(now);
    match seconds {
        0 => "now".to_owned(),
        1..5_400 => format!("in {}", counted(seconds.div_ceil(60), "minute")),
        5_400..129_600 => format!("in {}", counted((seconds + 1_800) / 3_600, "hour")),
        _ => format!("in {}", counted((seconds + 43_200) / 86_400, "day")),
    }
}

/// Judges moves as `annotate` does.
struct Judge {
    engine: Engine,
    limits: Limits,
    probe: Probe,
}

impl Judge {
    /// The share of the points that a move gives away, if that is enough to be called bad.
    fn loss(&mut self, position: &Position, mv: Move) -> Result<Option<f64>, Failure> {
        let mut pdn = PdnGame::new(*position);
        pdn.line.plies.push(Ply::from(mv));
        let found = annotate::analyse(&mut self.engine, &pdn, &self.limits, &Control::new());
        let analyses = found.unwrap_or_default();
        let judged = annotate::judge(&pdn, &analyses, &self.probe).map_err(Failure::run)?;
        let judged = judged.moves.first().filter(|judged| judged.grade != Grade::Good);
        Ok(judged.map(annotate::JudgedMove::drop))
    }
}

/// The exercise that is being solved.
struct Practice {
    scored: Scored,
    judge: Judge,
    /// Its place in the list.
    place: usize,
    game: Game,
    /// It was not solved alone.
    is_wrong: bool,
    hints: u32,
    /// The user is done with it.
    is_finished: bool,
    /// Solved and tried in this session.
    solved: u32,
    tried: u32,
}

impl Practice {
    fn new(scored: Scored, judge: Judge) -> Practice {
        let place = scored.next(None);
        let game = Game::new(scored.exercises.list()[place].position);
        Practice {
            scored,
            judge,
            place,
            game,
            is_wrong: false,
            hints: 0,
            is_finished: false,
            solved: 0,
            tried: 0,
        }
    }

    fn exercise(&self) -> &Exercise {
        &self.scored.exercises.list()[self.place]
    }

    fn begin(&mut self, place: usize) {
        self.place = place;
        self.game = Game::new(self.exercise().position);
        (self.is_wrong, self.hints, self.is_finished) = (false, 0, false);
    }

    /// The move of the solution to be made now.
    fn wanted(&self) -> Option<Move> {
        self.exercise().solution.get(self.game.ply()).copied()
    }

    /// It was not solved alone: it comes again.
    fn miss(&mut self) -> Result<(), Failure> {
        if !self.is_wrong {
            self.is_wrong = true;
            self.tried += 1;
            self.scored.scores.wrong(&self.scored.ids[self.place], now())?;
        }
        Ok(())
    }

    fn solution(&self) -> String {
        let exercise = self.exercise();
        report::line(&Game::new(exercise.position), &exercise.solution)
    }

    /// The user has found it.
    fn solve(&mut self, words: &str, out: &mut dyn Write) -> Result<(), Failure> {
        self.is_finished = true;
        if self.is_wrong {
            return Ok(writeln!(out, "{words} It comes again in ten minutes.")?);
        }
        self.solved += 1;
        self.tried += 1;
        self.scored.scores.right(&self.scored.ids[self.place], now())?;
        let repeat = self.scored.scores.of(&self.scored.ids[self.place]).repeat;
        let again =
            repeat.map(|Repeat { due, .. }| format!(" It comes again {}.", until(due, now())));
        Ok(writeln!(out, "{words}{}", again.unwrap_or_default())?)
    }

    /// A move of a puzzle, whose whole combination is to be found.
    fn play_puzzle(&mut self, mv: Move, out: &mut dyn Write) -> Result<(), Failure> {
        let text = format_move(self.game.position(), mv);
        let ply = self.game.ply();
        if !self.exercise().is_right(ply, mv) {
            self.miss()?;
            return Ok(writeln!(out, "{text} is not the solution.")?);
        }
        self.game.play(mv).map_err(Failure::run)?;
        if ply + 1 < self.exercise().solution.len() {
            return Ok(writeln!(out, "{text} is right; it goes on.")?);
        }
        let words = format!("{text} is right: {}.", self.solution());
        self.solve(&words, out)
    }

    /// A move in place of one that was bad.
    fn play_better(&mut self, mv: Move, out: &mut dyn Write) -> Result<(), Failure> {
        let position = *self.game.position();
        let text = format_move(&position, mv);
        if self.exercise().is_right(0, mv) {
            self.game.play(mv).map_err(Failure::run)?;
            let words = format!("{text} is the best move: {}.", self.solution());
            return self.solve(&words, out);
        }
        if self.exercise().played == Some(mv) {
            return Ok(writeln!(out, "{text} was played: look for a better move.")?);
        }
        match self.judge.loss(&position, mv)? {
            None => {
                self.game.play(mv).map_err(Failure::run)?;
                let words = format!("{text} is good, too. The best line: {}.", self.solution());
                self.solve(&words, out)
            }
            Some(share) => {
                self.miss()?;
                Ok(writeln!(out, "{text} gives away {:.0} % of the points.", 100.0 * share)?)
            }
        }
    }
}

impl ConsoleGame for Practice {
    const HELP: &'static str = "  \
  show           the solution; the exercise comes again
  next           another exercise, without a score for this one
  score          how the exercises are known
The first hint shows the piece, the second one the move.
After the second hint, a wrong move or 'show' an exercise comes again.";
    const COMMANDS: &'static [&'static str] = &["show", "next", "score"];
    const ADVICE: &'static str = "'hint' helps";
    const UNSAVED: &'static str = "the scores are kept";

    fn game(&self) -> &Game {
        &self.game
    }

    /// The exercise ends, not the game.
    fn status(&self) -> Status {
        Status::Ongoing
    }

    fn is_finished(&self) -> bool {
        self.is_finished
    }

    fn view(&self) -> Color {
        self.exercise().position.side_to_move()
    }

    fn is_opponents_turn(&self) -> bool {
        !self.is_finished && self.game.ply() % 2 == 1
    }

    fn to_pdn(&self) -> PdnGame {
        let mut pdn = PdnGame::new(*self.game.start());
        pdn.line.plies = self.game.moves().iter().map(|&mv| Ply::from(mv)).collect();
        pdn
    }

    fn introduce(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        if self.tried == 0 {
            writeln!(out, "{}", self.scored.tally())?;
        }
        let exercise = self.exercise();
        let number = self.place + 1;
        let task = match exercise.kind {
            ExerciseKind::Puzzle => exercise.task(),
            ExerciseKind::Mistake => {
                let played = exercise.played.map(|mv| format_move(&exercise.position, mv));
                let side = exercise.position.side_to_move();
                format!("{side} played {}. Find a better move", played.unwrap_or_default())
            }
        };
        let origin = match exercise.origin() {
            origin if origin.is_empty() => origin,
            origin => format!(" ({origin})"),
        };
        Ok(writeln!(out, "Exercise {number}: {task}.{origin}")?)
    }

    fn play(&mut self, mv: Move, out: &mut dyn Write) -> Result<(), Failure> {
        match self.exercise().kind {
            ExerciseKind::Puzzle => self.play_puzzle(mv, out),
            ExerciseKind::Mistake => self.play_better(mv, out),
        }
    }

    fn reply(&mut self, _: &Control, out: &mut dyn Write) -> Result<Option<Move>, Failure> {
        let Some(mv) = self.wanted().filter(|_| self.is_opponents_turn()) else { return Ok(None) };
        writeln!(out, "Opponent: {}", report::line(&self.game, &[mv]))?;
        self.game.play(mv).map_err(Failure::run)?;
        // A solution that ends with an answer has been found.
        if self.wanted().is_none() {
            let words = format!("That is right: {}.", self.solution());
            self.solve(&words, out)?;
        }
        Ok(Some(mv))
    }

    /// A wrong move is not made, and a right one stays.
    fn undo(&mut self) -> Result<bool, Failure> {
        Ok(false)
    }

    fn restart(&mut self) -> Result<(), Failure> {
        self.game = Game::new(self.exercise().position);
        Ok(())
    }

    fn another(&mut self) -> Result<(), Failure> {
        let next = self.scored.next(Some(self.place));
        self.begin(next);
        Ok(())
    }

    fn hint(&mut self, _: &Control, out: &mut dyn Write) -> Result<(), Failure> {
        let Some(mv) = self.wanted() else { return Ok(()) };
        self.hints += 1;
        if self.hints == 1 {
            return Ok(writeln!(out, "Hint: the piece on {}.", mv.from())?);
        }
        self.miss()?;
        Ok(writeln!(out, "Hint: {}", format_move(self.game.position(), mv))?)
    }

    fn command(&mut self, word: &str, out: &mut dyn Write) -> Result<bool, Failure> {
        match word {
            "show" => {
                self.miss()?;
                self.is_finished = true;
                writeln!(out, "The solution: {}.", self.solution())?;
            }
            "next" => self.is_finished = true,
            "score" => writeln!(out, "{}", self.scored.tally())?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn sum_up(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        if self.tried > 0 {
            let tried = counted(self.tried, "exercise");
            writeln!(out, "Solved alone: {} of {tried}.", self.solved)?;
            writeln!(out, "{}", self.scored.tally())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_is_a_table() {
        super::super::console::check_help(Practice::HELP, 17);
    }

    #[test]
    fn times_are_said_in_round_figures() {
        for (seconds, text) in [
            (0, "now"),
            (1, "in 1 minute"),
            (600, "in 10 minutes"),
            (5_400, "in 2 hours"),
            (86_400, "in 24 hours"),
            (3 * 86_400, "in 3 days"),
        ] {
            assert_eq!(until(1_000 + seconds, 1_000), text);
        }
        assert_eq!(until(5, 1_000), "now");
    }
}
