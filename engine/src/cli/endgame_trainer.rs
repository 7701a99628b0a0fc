//! `meerslag train-endgame`: an ending against perfect defence in the terminal.

mod record;

use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::PathBuf;

use ::egdb::{Probe, Slice, Wld};
use anyhow::anyhow;
use clap::{Args, ValueEnum};
use meerslag_search::Control;
use meerslag_study::endgame_trainer::{
    Assessment, Criteria, LESSONS, Lesson, Measure, PickError, Picker, Summary, TrainerError,
    TrainerSession, Verdict,
};
use movegen::notation::moves::format_move;
use movegen::notation::pdn::PdnGame;
use movegen::words::counted;
use movegen::{Color, DrawRules, Game, Move, Status};

pub(super) use self::record::EndingRecord;
use super::console::{Console, ConsoleGame};
use super::databases::{DatabaseArgs, wld};
use super::files::ForceArgs;
use super::streams::{Messages, stdout};
use super::{Failure, json, report, source};

const EXAMPLES: &str = "\
Examples:
  meerslag train-endgame --lessons
      what there is to learn, from easy to hard
  meerslag train-endgame --lesson 1
  meerslag train-endgame --slice 3010 --value win
      three black men against a white one; you get a side that wins
  meerslag train-endgame --slice 0211 --value draw --color white --seed 7
  meerslag train-endgame --slice 2020 --min-dtw 15 --max-dtw 25
  meerslag train-endgame --egdb /data/egdb --slice 2111 --value win
  meerslag train-endgame \"W:W32,K13:B21,K43\"

The databases of up to four pieces are part of the program; '--egdb' brings more. The defender \
never goes wrong: lost, it holds out as long as possible; drawn, it sets traps; won, it wins as \
fast as possible. Won and lost positions whose result a draw rule would take away are not \
offered. Type 'help' in the game for its commands.";

/// Play an endgame against perfect defence, with every mistake named
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct TrainEndgameArgs {
    /// Play this position (draughts FEN or 51-character Hub string) instead of a random one
    #[arg(value_name = "FEN", conflicts_with_all = ["slice", "value"])]
    position: Option<String>,
    /// The material: black men, black kings, white men, white kings, such as 3010
    #[arg(long, value_parser = slice, required_unless_present_any = ["position", "lesson", "lessons"])]
    slice: Option<Slice>,
    /// A lesson from the list of --lessons, from easy to hard, instead of a slice
    #[arg(long, value_name = "N", conflicts_with_all = ["slice", "value", "position"],
          value_parser = clap::value_parser!(u8).range(1..=LESSONS.len() as i64))]
    lesson: Option<u8>,
    /// List the lessons
    #[arg(long, conflicts_with_all = ["lesson", "slice", "position", "pdn"])]
    lessons: bool,
    /// The value of the position to you; you are to move
    #[arg(long, value_parser = wld(), default_value_t = Wld::Win)]
    value: Wld,
    /// Your side; 'random' is any for which there is such a position. With a position, 'random' is
    /// the side to move
    #[arg(long, value_enum, default_value_t = Side::Random)]
    color: Side,
    /// Shortest distance to the end in plies
    #[arg(long, value_name = "PLIES", requires = "slice")]
    min_dtw: Option<u32>,
    /// Longest distance to the end in plies
    #[arg(long, value_name = "PLIES", requires = "slice")]
    max_dtw: Option<u32>,
    /// Choose the positions by this number: the same ones each time
    #[arg(long)]
    seed: Option<u64>,
    /// Draw rules: lidraughts, fmjd-cumulative, scan or none
    #[arg(long, value_name = "RULES", default_value = "lidraughts")]
    draw_rules: DrawRules,
    /// Write the games to this PDN file, after each move, with the judgements as comments
    #[arg(long, value_name = "FILE")]
    pdn: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Print JSON objects, one a line; what is for people goes to standard error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    databases: DatabaseArgs,
}

fn list_lessons(json: bool) -> Result<(), Failure> {
    let mut out = stdout();
    for (number, &Lesson { goal, slice, value, .. }) in (1..).zip(&LESSONS) {
        let value = value.name();
        if json {
            json::write(&mut out, &EndingRecord::Lesson { lesson: number, slice, value, goal })?;
        } else {
            writeln!(out, "{number:2}  {value:<4}  slice {slice}  {goal}")?;
        }
    }
    if json {
        return Ok(());
    }
    Ok(writeln!(out, "\n'meerslag train-endgame --lesson N' begins one.")?)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Side {
    White,
    Black,
    Random,
}

impl Side {
    /// The side, if it matters.
    fn wanted(self) -> Option<Color> {
        match self {
            Side::White => Some(Color::White),
            Side::Black => Some(Color::Black),
            Side::Random => None,
        }
    }
}

/// Reads `3,0,1,0` or `3010`.
fn slice(text: &str) -> Result<Slice, String> {
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | ' ')).collect();
    digits.parse().map_err(|_| {
        "expected black men, black kings, white men, white kings, such as 3010: one to five \
         pieces a side, at most eight in all"
            .to_owned()
    })
}

pub(super) fn run(args: &TrainEndgameArgs) -> Result<(), Failure> {
    if args.lessons {
        return list_lessons(args.json);
    }
    let picker = || Picker::new(args.seed.unwrap_or_else(|| RandomState::new().hash_one(0)));
    let lesson = args.lesson.map(|number| usize::from(number) - 1);
    let source = match (args.position.as_ref(), args.slice) {
        (None, None) if lesson.is_some() => {
            let criteria = LESSONS[lesson.unwrap_or_default()].criteria(args.color.wanted());
            Source::Random { criteria, picker: picker() }
        }
        (Some(fen), _) => Source::Fen(Box::new(source::start(Some(fen))?)),
        (None, Some(slice)) => {
            Source::Random { criteria: criteria(args, slice)?, picker: picker() }
        }
        (None, None) => return Err(Failure::Input(anyhow!("a position or --slice is needed"))),
    };
    let mut trainer = Trainer {
        probe: args.databases.open()?,
        rules: args.draw_rules,
        user: args.color.wanted(),
        source,
        lesson,
    };
    let session = trainer.start()?;
    let ending = Ending { session, trainer, score: Score::default(), json: args.json };
    let out: Box<dyn Write> = if args.json { Box::new(Messages) } else { Box::new(stdout()) };
    Console::new(ending, args.pdn.as_deref(), args.force.existing(), out)?.run()
}

fn criteria(args: &TrainEndgameArgs, slice: Slice) -> Result<Criteria, Failure> {
    let (min, max) = (args.min_dtw.unwrap_or(0), args.max_dtw.unwrap_or(u32::MAX));
    if min > max {
        return Err(Failure::Input(anyhow!("--min-dtw {min} is more than --max-dtw {max}")));
    }
    let is_limited = args.min_dtw.is_some() || args.max_dtw.is_some();
    Ok(Criteria {
        slice,
        value: args.value,
        side: args.color.wanted(),
        dtw: is_limited.then_some(min..=max),
    })
}

/// Where positions come from.
enum Source {
    Fen(Box<Game>),
    Random { criteria: Criteria, picker: Picker },
}

/// The data to begin with a position.
struct Trainer {
    probe: Probe,
    rules: DrawRules,
    user: Option<Color>,
    source: Source,
    /// Which lesson, by its place in the list.
    lesson: Option<usize>,
}

impl Trainer {
    /// Begins with the next position.
    fn start(&mut self) -> Result<TrainerSession, Failure> {
        let game = match &mut self.source {
            Source::Fen(game) => (**game).clone(),
            Source::Random { criteria, picker } => {
                let position =
                    picker.pick(&self.probe, criteria, self.rules).map_err(
                        |error| match error {
                            PickError::Probe(error) => Failure::run(error),
                            error => Failure::Input(error.into()),
                        },
                    )?;
                Game::new(position)
            }
        };
        self.begin(&game)
    }

    fn begin(&self, game: &Game) -> Result<TrainerSession, Failure> {
        let user = self.user.unwrap_or_else(|| game.position().side_to_move());
        TrainerSession::new(self.probe.clone(), game, user, self.rules).map_err(|error| match error
        {
            TrainerError::Probe(error) => Failure::run(error),
            error => Failure::Input(error.into()),
        })
    }
}

/// An ending that is being played.
struct Ending {
    session: TrainerSession,
    trainer: Trainer,
    /// About the positions before.
    score: Score,
    /// Whether each step is printed as an object.
    json: bool,
}

impl ConsoleGame for Ending {
    const HELP: &'static str = "  \
  show           all moves with their values and distances, best first
  next           the next position; 'score' says how the earlier ones went
Distances are plies (moves of either side): 'win in 15' is your eighth move.";
    const COMMANDS: &'static [&'static str] = &["show", "next", "score"];
    const ADVICE: &'static str = "'show' lists the moves";

    fn game(&self) -> &Game {
        self.session.game()
    }

    fn status(&self) -> Status {
        self.session.status()
    }

    fn view(&self) -> Color {
        self.session.user()
    }

    fn asked(&self) -> Color {
        self.session.user()
    }

    fn is_opponents_turn(&self) -> bool {
        !self.session.status().is_over() && !self.session.is_users_turn()
    }

    fn to_pdn(&self) -> PdnGame {
        self.session.to_pdn()
    }

    fn introduce(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        if let Some(lesson) = self.trainer.lesson {
            let (number, goal) = (self.score.positions + 1, LESSONS[lesson].goal);
            writeln!(out, "Lesson {}, position {number}: {goal}", lesson + 1)?;
        }
        let user = self.session.user();
        if let Some(assessment) = self.session.assessment()? {
            let task = match assessment.value {
                Wld::Win => "Win this",
                Wld::Draw => "Hold the draw",
                Wld::Loss => "You are lost: hold out as long as you can",
            };
            writeln!(out, "You have {user}. {task} ({assessment}).")?;
        }
        self.write(|| {
            let lesson = self.trainer.lesson.map(|lesson| lesson + 1);
            Ok(EndingRecord::position(lesson, &self.session, self.session.assessment()?))
        })
    }

    fn play(&mut self, mv: Move, out: &mut dyn Write) -> Result<(), Failure> {
        let before = *self.session.position();
        let played = report::line(self.session.game(), &[mv]);
        let was = self.session.assessment()?;
        let judgement = self.session.play(mv).map_err(failure)?;
        let is = self.session.assessment()?;
        if let (Some(was), Some(is)) = (was, is) {
            writeln!(out, "{played}   {was} -> {is}")?;
        }
        if let Some(judgement) = &judgement {
            writeln!(out, "{}", judgement.describe(&before))?;
            if judgement.verdict == Verdict::Mistake {
                writeln!(out, "'undo' lets you try again.")?;
            }
        }
        self.write(|| Ok(EndingRecord::step(&before, mv, &self.session, is, judgement.as_ref())))
    }

    fn reply(&mut self, _control: &Control, out: &mut dyn Write) -> Result<Option<Move>, Failure> {
        let game = self.session.game().clone();
        let reply = self.session.reply().map_err(failure)?;
        if let Some(mv) = reply {
            writeln!(out, "Opponent: {}", report::line(&game, &[mv]))?;
            self.write(|| {
                let is = self.session.assessment()?;
                Ok(EndingRecord::step(game.position(), mv, &self.session, is, None))
            })?;
        }
        Ok(reply)
    }

    fn undo(&mut self) -> Result<bool, Failure> {
        let is_undone = self.session.undo();
        if is_undone {
            self.write(|| Ok(EndingRecord::TakenBack { ply: self.session.game().ply() }))?;
        }
        Ok(is_undone)
    }

    fn restart(&mut self) -> Result<(), Failure> {
        let game = self.session.game();
        let start = Game::with_counters(*game.start(), *game.start_counters());
        self.session = self.trainer.begin(&start)?;
        Ok(())
    }

    fn another(&mut self) -> Result<(), Failure> {
        self.count();
        self.session = self.trainer.start()?;
        Ok(())
    }

    fn hint(&mut self, _control: &Control, out: &mut dyn Write) -> Result<(), Failure> {
        let answer = self.session.answer()?;
        let measure = Measure::of(&answer);
        let Some(best) = answer.moves.first() else { return Ok(()) };
        let mv = format_move(self.session.position(), best.mv);
        match Assessment::of_move(best, measure) {
            Some(assessment) => writeln!(out, "Hint: {mv} ({assessment})")?,
            None => writeln!(out, "Hint: {mv}")?,
        }
        Ok(())
    }

    fn command(&mut self, word: &str, out: &mut dyn Write) -> Result<bool, Failure> {
        match word {
            "show" if self.is_over() => writeln!(out, "The game is over.")?,
            "show" => self.show(out)?,
            "score" => {
                writeln!(out, "{}", self.total())?;
                self.write_score()?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn sum_up(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        if self.session.game().ply() > 0 {
            writeln!(out, "{}", self.session.summary())?;
            writeln!(out, "{}", self.total())?;
            self.write(|| Ok(EndingRecord::from(&self.session.summary())))?;
            self.write_score()?;
        }
        Ok(())
    }
}

/// How the positions of a session went.
#[derive(Clone, Copy, Default)]
struct Score {
    positions: u32,
    /// Played to the end with the result that the position was worth, or a better one.
    achieved: u32,
    /// Without a mistake, those taken back included.
    flawless: u32,
}

impl Score {
    /// With a position that was left.
    fn with(mut self, summary: &Summary) -> Score {
        if summary.moves + summary.taken_back == 0 {
            return self;
        }
        self.positions += 1;
        let value = summary.result();
        let rank = |value| match value {
            Wld::Loss => 0,
            Wld::Draw => 1,
            Wld::Win => 2,
        };
        let achieved = value.is_some_and(|value| rank(value) >= rank(summary.start.value));
        self.achieved += u32::from(achieved);
        self.flawless += u32::from(achieved && summary.mistakes + summary.mistakes_taken_back == 0);
        self
    }
}

impl Ending {
    /// Counts the position that is left.
    fn count(&mut self) {
        self.score = self.score.with(&self.session.summary());
    }

    /// Prints an object, if `--json` is given.
    fn write(&self, record: impl FnOnce() -> Result<EndingRecord, Failure>) -> Result<(), Failure> {
        if !self.json {
            return Ok(());
        }
        let mut out = stdout();
        json::write(&mut out, &record()?)?;
        Ok(out.flush()?)
    }

    fn write_score(&self) -> Result<(), Failure> {
        let Score { positions, achieved, flawless } = self.score.with(&self.session.summary());
        self.write(|| Ok(EndingRecord::Score { positions, solved: achieved, flawless }))
    }

    /// The score with the present position.
    fn total(&self) -> String {
        let Score { positions, achieved, flawless } = self.score.with(&self.session.summary());
        format!(
            "Score: {achieved} of {} solved, {flawless} without a mistake.",
            counted(positions, "position")
        )
    }
}

impl Ending {
    fn show(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let answer = self.session.answer()?;
        for m in &answer.moves {
            // A move to another value has its own kind of distance.
            let measure =
                if m.dtw.is_some() { Some(Measure::End) } else { Some(Measure::Conversion) };
            let mv = format_move(self.session.position(), m.mv);
            let worth = Assessment::of_move(m, measure)
                .map_or_else(|| "unknown".to_owned(), |assessment| assessment.to_string());
            writeln!(out, "  {mv:<12} {worth}")?;
        }
        Ok(())
    }
}

fn failure(error: TrainerError) -> Failure {
    Failure::Run(error.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_is_a_table() {
        super::super::console::check_help(Ending::HELP, 17);
    }

    #[test]
    fn slices_with_and_without_commas() {
        assert_eq!(slice("3,0,1,0"), slice("3010"));
        assert_eq!(slice("3, 0, 1, 0").unwrap().to_string(), "3010");
        for text in ["", "3,0,1", "6,0,1,0", "0,0,1,1", "3,0,1,0,0", "w"] {
            assert!(slice(text).unwrap_err().contains("black men"), "{text}");
        }
    }
}
