//! Games with their moves judged.

use std::borrow::Cow;

use movegen::notation::pdn::{GameResult, Grade, PdnGame, SideSummary};
use movegen::{Color, Move, Wld};
use schemars::JsonSchema;
use serde::Serialize;

use crate::annotate::{
    Endgame, JudgedGame, JudgedMove, Mistake, MistakeCounts, PlayerSummaries, PlayerSummary,
};
use movegen::json::Record;
use movegen::json::rounded;
use movegen::words::Words;

/// A game with its moves judged.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AnnotatedGame")]
pub struct AnnotatedGameRecord<'a> {
    /// Its number in the file, from 1.
    game: usize,
    /// The players.
    white: Option<&'a str>,
    black: Option<&'a str>,
    /// Its result.
    result: GameResult,
    /// For White's and Black's moves with a choice, in percent.
    white_accuracy: Option<f64>,
    black_accuracy: Option<f64>,
    /// The move that gave away most, if it was a mistake: its ply, from 0.
    turning_point: Option<usize>,
    /// The moves.
    moves: Vec<JudgedMoveRecord>,
    /// The bad ones among them, with their faults.
    mistakes: Vec<MistakeRecord<'a>>,
    /// The endgame, as far as the databases know it.
    endgame: Option<EndgameRecord>,
}

impl Record for AnnotatedGameRecord<'_> {
    const TYPE: &'static str = "annotated_game";
}

impl AnnotatedGameRecord<'_> {
    /// The record of a game; `number` is its place in the file.
    #[must_use]
    pub fn new<'a>(
        number: usize,
        pdn: &'a PdnGame,
        judged: &JudgedGame,
        words: &Words,
    ) -> AnnotatedGameRecord<'a> {
        let accuracy = |color: Color| accuracy(&judged.sides[color.index()]);
        let mistakes = judged.mistakes(pdn).into_iter();
        AnnotatedGameRecord {
            game: number,
            white: pdn.tags.get("White"),
            black: pdn.tags.get("Black"),
            result: pdn.result,
            white_accuracy: accuracy(Color::White),
            black_accuracy: accuracy(Color::Black),
            turning_point: judged.turning_point(),
            moves: judged.moves.iter().map(JudgedMoveRecord::from).collect(),
            mistakes: mistakes
                .map(|it| MistakeRecord::new(number, Cow::Owned(it), words))
                .collect(),
            endgame: judged.endgame().map(|endgame| EndgameRecord { game: number, endgame }),
        }
    }
}

/// A move with its judgement.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JudgedMove")]
struct JudgedMoveRecord {
    /// The move.
    #[serde(rename = "move")]
    mv: Move,
    /// White's score after it, in men.
    score: f64,
    /// The mover's share of the points before it, 0 to 1.
    chance: f64,
    /// The part of it given away.
    drop: f64,
    /// `good`, `inaccuracy`, `mistake` or `blunder`.
    grade: Grade,
    /// For a bad move: a better one.
    better: Option<Move>,
    /// The databases' value of the position before it, for its mover.
    value: Option<Wld>,
    /// The best line from before it.
    pv: Vec<Move>,
}

impl From<&JudgedMove> for JudgedMoveRecord {
    fn from(judged: &JudgedMove) -> JudgedMoveRecord {
        JudgedMoveRecord {
            mv: judged.mv,
            score: judged.score,
            chance: rounded(judged.before.expected(), 4),
            drop: rounded(judged.drop(), 4),
            grade: judged.grade,
            better: judged.better(),
            value: judged.exact.as_ref().map(|exact| exact.value),
            pv: judged.line.clone(),
        }
    }
}

/// A bad move, and its fault.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Mistake")]
pub struct MistakeRecord<'a> {
    /// The number of the game in the file, from 1.
    game: usize,
    /// The side that made it, `W` or `B`.
    side: Color,
    #[serde(flatten)]
    mistake: Cow<'a, Mistake>,
    /// All of it in words, in the language asked for.
    text: String,
}

impl<'a> MistakeRecord<'a> {
    fn new(game: usize, mistake: Cow<'a, Mistake>, words: &Words) -> MistakeRecord<'a> {
        let side = mistake.position.side_to_move();
        MistakeRecord { game, side, text: mistake.describe(words), mistake }
    }

    fn list(mistakes: &'a [(usize, Mistake)], words: &Words) -> Vec<MistakeRecord<'a>> {
        let record =
            |(game, it): &'a (usize, Mistake)| MistakeRecord::new(*game, Cow::Borrowed(it), words);
        mistakes.iter().map(record).collect()
    }
}

/// An endgame that the databases know. Values are White's.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Endgame")]
pub struct EndgameRecord {
    /// The number of the game in the file, from 1.
    game: usize,
    #[serde(flatten)]
    endgame: Endgame,
}

/// The play of a player on a day.
#[derive(Serialize, JsonSchema)]
struct ProgressRecord<'a> {
    /// As in the file.
    date: &'a str,
    games: u32,
    accuracy: Option<f64>,
    inaccuracies: u32,
    mistakes: u32,
    blunders: u32,
}

/// How a player played in all games.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Player")]
pub struct PlayerRecord<'a> {
    /// Name as in the file.
    player: &'a str,
    /// Games.
    games: u32,
    /// Moves with a choice.
    moves: u32,
    /// The part of the stakes that the moves kept, in percent.
    accuracy: Option<f64>,
    /// The playing level that plays about as well; null with fewer than 40 moves.
    level: Option<u8>,
    /// Elo over level 1, by the same measure.
    elo: Option<u32>,
    /// The ends of the interval of 95 % of the level.
    level_range: Option<[u8; 2]>,
    /// Those of `elo`.
    elo_range: Option<[u32; 2]>,
    inaccuracies: u32,
    mistakes: u32,
    blunders: u32,
    #[serde(flatten)]
    counts: MistakeCounts,
    /// The play on each day that the file names, in its order.
    progress: Vec<ProgressRecord<'a>>,
    /// The most instructive mistakes, at most ten.
    instructive: Vec<MistakeRecord<'a>>,
}

impl Record for PlayerRecord<'_> {
    const TYPE: &'static str = "player";
}

impl<'a> PlayerRecord<'a> {
    /// The record of a player.
    #[must_use]
    pub fn new(player: &'a PlayerSummary, words: &Words) -> PlayerRecord<'a> {
        let [inaccuracies, mistakes, blunders] = player.play.grades;
        let strength = player.strength();
        PlayerRecord {
            player: &player.name,
            games: player.games,
            moves: player.play.moves,
            accuracy: accuracy(&player.play),
            level: strength.map(|strength| strength.mean.level),
            elo: strength.map(|strength| strength.mean.elo),
            level_range: strength.map(|strength| [strength.low.level, strength.high.level]),
            elo_range: strength.map(|strength| [strength.low.elo, strength.high.elo]),
            inaccuracies,
            mistakes,
            blunders,
            counts: player.mistakes,
            progress: progress(player),
            instructive: MistakeRecord::list(&player.instructive, words),
        }
    }
}

fn progress(player: &PlayerSummary) -> Vec<ProgressRecord<'_>> {
    let days = player.progress.iter().map(|((_, date), day)| {
        let [inaccuracies, mistakes, blunders] = day.play.grades;
        let accuracy = accuracy(&day.play);
        ProgressRecord { date, games: day.games, accuracy, inaccuracies, mistakes, blunders }
    });
    days.collect()
}

/// The totals of the games of a file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AnnotationSummary")]
pub struct AnnotationSummaryRecord<'a> {
    /// The most instructive mistakes, at most ten.
    instructive: Vec<MistakeRecord<'a>>,
    /// All endgames that the databases know.
    endgames: Vec<EndgameRecord>,
}

impl Record for AnnotationSummaryRecord<'_> {
    const TYPE: &'static str = "annotation_summary";
}

impl<'a> AnnotationSummaryRecord<'a> {
    /// The totals of all players.
    #[must_use]
    pub fn new(players: &'a PlayerSummaries, words: &Words) -> AnnotationSummaryRecord<'a> {
        let endgame = |&(game, endgame): &(usize, Endgame)| EndgameRecord { game, endgame };
        AnnotationSummaryRecord {
            instructive: MistakeRecord::list(players.instructive(), words),
            endgames: players.endgames().iter().map(endgame).collect(),
        }
    }
}

/// How accurate the moves of a side are, in percent; `None` without a choice.
#[must_use]
pub fn accuracy(play: &SideSummary) -> Option<f64> {
    play.accuracy().map(|percent| rounded(percent, 2))
}
