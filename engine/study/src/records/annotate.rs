//! Games with their moves judged.

use movegen::Color;
use movegen::notation::pdn::{PdnGame, SideSummary};
use schemars::JsonSchema;
use serde::Serialize;

use crate::annotate::{
    Endgame, JudgedGame, JudgedMove, Mistake, MistakeCounts, MistakeKind, Phase, PlayerSummary,
    PlayerSummaries,
};
use movegen::json::Record;
use movegen::json::rounded;

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
    result: &'static str,
    /// For White's and Black's moves with a choice, in percent.
    white_accuracy: Option<f64>,
    black_accuracy: Option<f64>,
    /// The move that gave away most, if it was a mistake: its ply, from 0.
    turning_point: Option<usize>,
    /// The moves.
    moves: Vec<JudgedMoveRecord>,
    /// The bad ones among them, with their faults.
    mistakes: Vec<MistakeRecord>,
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
    ) -> AnnotatedGameRecord<'a> {
        let accuracy = |color: Color| accuracy(&judged.sides[color.index()]);
        AnnotatedGameRecord {
            game: number,
            white: pdn.tags.get("White"),
            black: pdn.tags.get("Black"),
            result: pdn.result.as_str(),
            white_accuracy: accuracy(Color::White),
            black_accuracy: accuracy(Color::Black),
            turning_point: judged.turning_point(),
            moves: judged.moves.iter().map(JudgedMoveRecord::from).collect(),
            mistakes: judged
                .mistakes(pdn)
                .iter()
                .map(|it| MistakeRecord::new(number, it))
                .collect(),
            endgame: judged.endgame().map(|endgame| EndgameRecord::new(number, &endgame)),
        }
    }
}

/// A move with its judgement.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JudgedMove")]
struct JudgedMoveRecord {
    /// The move.
    #[serde(rename = "move")]
    mv: String,
    /// White's score after it, in men.
    score: f64,
    /// The mover's share of the points before it, 0 to 1.
    chance: f64,
    /// The part of it given away.
    drop: f64,
    /// `good`, `inaccuracy`, `mistake` or `blunder`.
    grade: &'static str,
    /// For a bad move: a better one.
    better: Option<String>,
    /// The databases' value of the position before it, for its mover.
    value: Option<String>,
    /// The best line from before it.
    pv: Vec<String>,
}

impl From<&JudgedMove> for JudgedMoveRecord {
    fn from(judged: &JudgedMove) -> JudgedMoveRecord {
        JudgedMoveRecord {
            mv: judged.mv.to_string(),
            score: judged.score,
            chance: rounded(judged.before.expected(), 4),
            drop: rounded(judged.drop(), 4),
            grade: judged.grade.name(),
            better: judged.better().map(|better| better.to_string()),
            value: judged.exact.as_ref().map(|exact| exact.value.to_string()),
            pv: judged.line.iter().map(ToString::to_string).collect(),
        }
    }
}

/// A bad move, and its fault.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Mistake")]
pub struct MistakeRecord {
    /// The number of the game in the file, from 1.
    game: usize,
    /// The place of the move in the game, from 0.
    ply: usize,
    /// The side that made it, `W` or `B`.
    side: char,
    /// The position before it.
    fen: String,
    /// The move.
    #[serde(rename = "move")]
    mv: String,
    /// A better one.
    better: Option<String>,
    /// The share of the points that it gave away, 0 to 1.
    drop: f64,
    /// `inaccuracy`, `mistake` or `blunder`.
    grade: &'static str,
    /// `opening`, `middle_game` or `endgame`.
    phase: &'static str,
    /// `allowed_combination`, `missed_combination`, `won_endgame_not_won`, `drawn_endgame_lost` or
    /// `positional`.
    kind: &'static str,
    /// For a combination: the material lost or not won, in men; a king counts three. Otherwise 0.
    men: u32,
    /// The line that shows it: after the move if it allowed a combination, otherwise instead of it.
    line: Vec<String>,
    /// Less than a minute was left on the clock.
    time_trouble: bool,
    /// All of it in words, in English.
    text: String,
}

impl MistakeRecord {
    fn new(game: usize, mistake: &Mistake) -> MistakeRecord {
        MistakeRecord {
            game,
            ply: mistake.ply,
            side: mistake.position.side_to_move().letter(),
            fen: mistake.position.to_fen(),
            mv: mistake.mv.to_string(),
            better: mistake.better.map(|better| better.to_string()),
            drop: rounded(mistake.drop, 4),
            grade: mistake.grade.name(),
            phase: mistake.phase.name(),
            kind: mistake.kind.name(),
            men: mistake.men,
            line: mistake.line.iter().map(ToString::to_string).collect(),
            time_trouble: mistake.is_short_of_time,
            text: mistake.describe(),
        }
    }

    fn list(mistakes: &[(usize, Mistake)]) -> Vec<MistakeRecord> {
        mistakes.iter().map(|(game, mistake)| MistakeRecord::new(*game, mistake)).collect()
    }
}

/// An endgame that the databases know. Values are White's.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Endgame")]
pub struct EndgameRecord {
    /// The number of the game in the file, from 1.
    game: usize,
    /// The place of the first move that they know, from 0.
    ply: usize,
    /// The position before it.
    fen: String,
    /// Its value: `win`, `draw` or `loss`.
    entry: &'static str,
    /// The value of the last position that they know.
    end: &'static str,
}

impl EndgameRecord {
    fn new(game: usize, endgame: &Endgame) -> EndgameRecord {
        EndgameRecord {
            game,
            ply: endgame.ply,
            fen: endgame.position.to_fen(),
            entry: endgame.entry.name(),
            end: endgame.end.name(),
        }
    }
}

/// Numbers of mistakes by when they were made.
#[derive(Serialize, JsonSchema)]
struct PhasesRecord {
    opening: u32,
    middle_game: u32,
    endgame: u32,
}

/// Numbers of mistakes by fault.
#[derive(Serialize, JsonSchema)]
struct KindsRecord {
    allowed_combination: u32,
    missed_combination: u32,
    won_endgame_not_won: u32,
    drawn_endgame_lost: u32,
    positional: u32,
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
    inaccuracies: u32,
    mistakes: u32,
    blunders: u32,
    /// The inaccuracies, mistakes and blunders by when they were made.
    phases: PhasesRecord,
    /// The same by fault.
    kinds: KindsRecord,
    /// How many of them were made with less than a minute on the clock.
    time_trouble: u32,
    /// The play on each day that the file names, in its order.
    progress: Vec<ProgressRecord<'a>>,
    /// The ten mistakes at most with most to learn from.
    instructive: Vec<MistakeRecord>,
}

impl Record for PlayerRecord<'_> {
    const TYPE: &'static str = "player";
}

impl<'a> From<&'a PlayerSummary> for PlayerRecord<'a> {
    fn from(player: &'a PlayerSummary) -> PlayerRecord<'a> {
        let [inaccuracies, mistakes, blunders] = player.play.grades;
        let MistakeCounts { phases, kinds, short_of_time } = player.mistakes;
        let phase = |phase: Phase| phases[phase as usize];
        let kind = |kind: MistakeKind| kinds[kind as usize];
        let strength = player.strength();
        PlayerRecord {
            player: &player.name,
            games: player.games,
            moves: player.play.moves,
            accuracy: accuracy(&player.play),
            level: strength.map(|strength| strength.level),
            elo: strength.map(|strength| strength.elo),
            inaccuracies,
            mistakes,
            blunders,
            phases: PhasesRecord {
                opening: phase(Phase::Opening),
                middle_game: phase(Phase::MiddleGame),
                endgame: phase(Phase::Endgame),
            },
            kinds: KindsRecord {
                allowed_combination: kind(MistakeKind::AllowedCombination),
                missed_combination: kind(MistakeKind::MissedCombination),
                won_endgame_not_won: kind(MistakeKind::WonEndgameNotWon),
                drawn_endgame_lost: kind(MistakeKind::DrawnEndgameLost),
                positional: kind(MistakeKind::Positional),
            },
            time_trouble: short_of_time,
            progress: progress(player),
            instructive: MistakeRecord::list(&player.instructive),
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
pub struct AnnotationSummaryRecord {
    /// The ten mistakes at most with most to learn from.
    instructive: Vec<MistakeRecord>,
    /// All endgames that the databases know.
    endgames: Vec<EndgameRecord>,
}

impl Record for AnnotationSummaryRecord {
    const TYPE: &'static str = "annotation_summary";
}

impl From<&PlayerSummaries> for AnnotationSummaryRecord {
    fn from(players: &PlayerSummaries) -> AnnotationSummaryRecord {
        let endgame = |(game, endgame): &(usize, Endgame)| EndgameRecord::new(*game, endgame);
        AnnotationSummaryRecord {
            instructive: MistakeRecord::list(players.instructive()),
            endgames: players.endgames().iter().map(endgame).collect(),
        }
    }
}

/// How accurate the moves of a side are, in percent; `None` without a choice.
#[must_use]
pub fn accuracy(play: &SideSummary) -> Option<f64> {
    play.accuracy().map(|percent| rounded(percent, 2))
}
