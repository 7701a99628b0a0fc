//! Scores of a player or of a whole file.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use egdb::{Probe, Wld};
use movegen::notation::pdn::{Comment, Grade, RecordedPlay, SideSummary, recorded};
use movegen::{Color, Position};

use super::coding::Replay;
use super::error::GamesError;
use super::file::GamesFile;
use super::movetext::{Unpacker, follow};
use super::records::Successes;
use super::rows::{GameRows, Games, MovesRow, result_number};
use crate::query::Query;

/// Games and points of one side.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SideScore {
    /// Games.
    pub games: u64,
    /// Their results.
    pub results: Successes,
    /// Moves of both sides in all games.
    pub plies: u64,
    /// How well the side played, by the annotations of annotated games.
    pub play: SideSummary,
}

impl SideScore {
    /// The mean number of moves of both sides.
    #[must_use]
    pub fn length(&self) -> Option<f64> {
        (self.games > 0).then(|| self.plies as f64 / self.games as f64)
    }

    fn add(&mut self, game: &GameFacts, side: Color) {
        self.games += 1;
        self.plies += game.plies;
        self.results.add(game.result, side);
        self.play.merge(&game.play[side.index()]);
    }
}

/// What the lines are grouped by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Group {
    /// All games.
    All,
    /// The side's colour.
    Color,
    /// The value of the endgame, for the side, by the databases.
    Endgame,
    /// The year.
    Year,
    /// The first move of each side.
    Opening,
    /// The opponent of the query's player.
    Opponent,
    /// The player, where the query names none.
    Player,
}

impl Group {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Group::All => "all",
            Group::Color => "color",
            Group::Endgame => "endgame",
            Group::Year => "year",
            Group::Opening => "opening",
            Group::Opponent => "opponent",
            Group::Player => "player",
        }
    }
}

/// A line of the statistics: a group with its score.
#[derive(Clone, PartialEq, Debug)]
pub struct StatisticsRow {
    /// What the lines are grouped by.
    pub group: Group,
    /// The group's name: `White`, `won`, `1977`, `32-28 19-23`, a name.
    pub name: String,
    /// The score.
    pub score: SideScore,
}

/// Plies that count as the opening.
const OPENING: usize = 2;

/// The facts of a game that the statistics use.
struct GameFacts {
    players: [i64; 2],
    result: i64,
    year: Option<u32>,
    plies: u64,
    opening: String,
    /// The first position that the databases know: who is to move, and its value for that side.
    endgame: Option<(Color, Wld)>,
    /// The play by its annotations.
    play: [SideSummary; 2],
}

/// A line: its group, and its place and name there. Those of people are their rows in the file.
type Line = (Group, i64, String);

/// The scores so far.
struct Scores(HashMap<Line, SideScore>);

impl Scores {
    /// Adds a game of this side; `is_one_player` if the query names a player.
    fn add(&mut self, game: &GameFacts, side: Color, is_one_player: bool) {
        let mut add = |group, place, name: &str, side| {
            self.0.entry((group, place, name.to_owned())).or_default().add(game, side);
        };
        add(Group::All, 0, "", side);
        match side {
            Color::White => add(Group::Color, 0, "White", side),
            Color::Black => add(Group::Color, 1, "Black", side),
        }
        match game.endgame.map(|(mover, it)| if mover == side { it } else { it.opponent() }) {
            Some(Wld::Win) => add(Group::Endgame, 0, "won", side),
            Some(Wld::Draw) => add(Group::Endgame, 1, "drawn", side),
            Some(Wld::Loss) => add(Group::Endgame, 2, "lost", side),
            None => {}
        }
        if let Some(year) = game.year {
            add(Group::Year, year.into(), &year.to_string(), side);
        }
        add(Group::Opening, 0, &game.opening, side);
        if is_one_player {
            return add(Group::Opponent, game.players[side.opponent().index()], "", side);
        }
        for side in [Color::White, Color::Black] {
            add(Group::Player, game.players[side.index()], "", side);
        }
    }
}

impl GamesFile {
    /// The scores of the query's player in the games that match it; without a player those of
    /// White, and of each player. At most `most` openings, opponents and players, those with most
    /// games first. With `probe`, endgames are grouped by their value in the databases, too.
    /// `observe` gets the number of games done and of all games, and ends the work by returning false.
    ///
    /// # Errors
    /// As [`GamesFile::find`], if the databases cannot be read, or the work was ended.
    pub fn statistics(
        &self,
        query: &Query,
        most: usize,
        probe: &Probe,
        observe: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Vec<StatisticsRow>, GamesError> {
        let players = query.player.as_ref().map(|name| self.players(name)).transpose()?;
        let players: Option<HashSet<i64>> = players.map(|list| list.into_iter().collect());
        let ids = self.find_ids(query)?;
        let all = ids.len() as u64;
        let mut which = match self.game_count()? == all {
            true => Games::After(i64::MIN),
            false => Games::Of(ids.into_iter()),
        };
        let all_games = (Group::All, 0, String::new());
        let mut scores = Scores(HashMap::from([(all_games, SideScore::default())]));
        let mut done = 0;
        loop {
            let games = self.work_on(&mut which, |unpacker, raw| {
                let id = raw.id;
                Ok::<_, GamesError>((id, played(unpacker, raw, probe)?))
            })?;
            if games.is_empty() {
                return self.rows(scores, most);
            }
            done += games.len() as u64;
            for game in games {
                let game = match game? {
                    (_, Ok(game)) => game,
                    (id, Err(what)) => {
                        self.leave_out(id, what);
                        continue;
                    }
                };
                let is_ours = |side: Color| {
                    players.as_ref().is_none_or(|set| set.contains(&game.players[side.index()]))
                };
                let seat = if is_ours(Color::White) { Color::White } else { Color::Black };
                scores.add(&game, query.color.unwrap_or(seat), players.is_some());
            }
            if !observe(done, all) {
                return Err(GamesError::Interrupted);
            }
        }
    }

    /// The lines in their order: of openings and people at most `most`, those with most games first.
    fn rows(&self, scores: Scores, most: usize) -> Result<Vec<StatisticsRow>, GamesError> {
        let is_by_games = |group| group >= Group::Opening;
        let mut lines: Vec<(Line, SideScore)> = scores.0.into_iter().collect();
        lines.sort_by(|(a, one), (b, other)| {
            let games =
                if is_by_games(a.0) { other.games.cmp(&one.games) } else { Ordering::Equal };
            a.0.cmp(&b.0).then(games).then_with(|| a.cmp(b))
        });
        let mut rows = Vec::new();
        for lines in lines.chunk_by(|(a, _), (b, _)| a.0 == b.0) {
            let shown = if is_by_games(lines[0].0.0) { most } else { lines.len() };
            for ((group, place, name), score) in lines.iter().take(shown) {
                let (group, score, mut name) = (*group, *score, name.clone());
                if matches!(group, Group::Opponent | Group::Player) {
                    let sql = format!("SELECT name FROM players WHERE id = {place}");
                    name = self.named(|| self.value(&sql))?;
                }
                rows.push(StatisticsRow { group, name, score });
            }
        }
        Ok(rows)
    }
}

/// The facts of a game, or what is wrong with it.
fn played(
    unpacker: &mut Unpacker,
    raw: GameRows,
    probe: &Probe,
) -> Result<Result<GameFacts, String>, GamesError> {
    let read = raw.rows.and_then(|(header, row)| {
        let start = row.start()?;
        let play = play(start, &row, unpacker)?;
        Ok((header, row, start, play))
    });
    let (header, row, start, play) = match read {
        Ok(read) => read,
        Err(what) => return Ok(Err(what)),
    };
    Ok(Ok(GameFacts {
        players: raw.players,
        result: result_number(header.result),
        year: header.year,
        plies: u64::from(header.plies),
        opening: match start == Position::initial_of(header.variant) {
            true => opening(start, &row.moves),
            false => "(other start)".to_owned(),
        },
        endgame: endgame(start, &row.moves, probe)?,
        play,
    }))
}

/// The play of both sides by the annotations.
fn play(
    start: Position,
    row: &MovesRow,
    unpacker: &mut Unpacker,
) -> Result<[SideSummary; 2], String> {
    let Some(text) = row.text(unpacker)? else { return Ok(Default::default()) };
    let mut play = RecordedPlay::default();
    let is_followed = follow(&text, start, &row.moves, &mut |ply| {
        let comments = ply.comments.iter().map(|&text| Comment { text: text.to_owned() });
        let comments: Vec<Comment> = comments.collect();
        let score = comments.iter().find_map(Comment::evaluation);
        let grade = Grade::recorded(&ply.glyphs, comments.iter().any(Comment::is_inaccuracy));
        play.see(&ply.before, ply.mv, score, grade);
        if ply.is_set_up_after {
            play.set_up();
        }
    });
    if is_followed { Ok(play.sides) } else { Ok(recorded(&row.parsed(&text)?)) }
}

/// The first moves of a game from the initial position.
fn opening(start: Position, moves: &[u8]) -> String {
    let mut replay = Replay::new(start, moves);
    let moves: Vec<String> =
        std::iter::from_fn(|| replay.advance()).take(OPENING).map(|mv| mv.to_string()).collect();
    if moves.is_empty() { "(no moves)".to_owned() } else { moves.join(" ") }
}

/// The value of the first position of a game that the databases know, and who is to move in it.
fn endgame(
    start: Position,
    moves: &[u8],
    probe: &Probe,
) -> Result<Option<(Color, Wld)>, GamesError> {
    let mut replay = Replay::new(start, moves);
    loop {
        let position = *replay.position();
        if probe.reaches(&position)
            && let Some(value) = probe.wld(&position)?
        {
            return Ok(Some((position.side_to_move(), value)));
        }
        if replay.advance().is_none() {
            return Ok(None);
        }
    }
}
