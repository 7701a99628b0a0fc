//! How well each player played, over all games of a file.

use std::collections::BTreeMap;

use movegen::Color;
use movegen::notation::pdn::{PdnGame, SideSummary, day};

use schemars::JsonSchema;
use serde::Serialize;

use super::judge::JudgedGame;
use super::mistake::{Endgame, Mistake, MistakeKind, Phase};
use super::strength::StrengthRange;

/// The most instructive positions that are kept.
const INSTRUCTIVE: usize = 10;

/// How many mistakes there were, by phase, kind and time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, JsonSchema)]
pub struct MistakeCounts {
    /// The inaccuracies, mistakes and blunders by when they were made.
    pub phases: PhaseCounts,
    /// The same by fault.
    pub kinds: KindCounts,
    /// How many of them were made with less than a minute on the clock.
    #[serde(rename = "time_trouble")]
    pub short_of_time: u32,
}

/// Numbers of mistakes by when they were made.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "see Phase")]
pub struct PhaseCounts {
    pub opening: u32,
    pub middle_game: u32,
    pub endgame: u32,
}

/// Numbers of mistakes by fault.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "see MistakeKind")]
pub struct KindCounts {
    pub allowed_combination: u32,
    pub missed_combination: u32,
    pub won_endgame_not_won: u32,
    pub drawn_endgame_lost: u32,
    pub positional: u32,
}

impl MistakeCounts {
    fn add(&mut self, mistake: &Mistake) {
        let MistakeCounts { phases, kinds, short_of_time } = self;
        *match mistake.phase {
            Phase::Opening => &mut phases.opening,
            Phase::MiddleGame => &mut phases.middle_game,
            Phase::Endgame => &mut phases.endgame,
        } += 1;
        *match mistake.kind {
            MistakeKind::AllowedCombination => &mut kinds.allowed_combination,
            MistakeKind::MissedCombination => &mut kinds.missed_combination,
            MistakeKind::WonEndgameNotWon => &mut kinds.won_endgame_not_won,
            MistakeKind::DrawnEndgameLost => &mut kinds.drawn_endgame_lost,
            MistakeKind::Positional => &mut kinds.positional,
        } += 1;
        *short_of_time += u32::from(mistake.is_short_of_time);
    }
}

/// A mistake, and the number of its game in the file, from 1.
type Numbered<T> = (usize, T);

/// The play of a player on a day.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct DayOfPlay {
    /// Games.
    pub games: u32,
    /// Their moves.
    pub play: SideSummary,
}

/// The play of one player.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayerSummary {
    /// Name as in the tags.
    pub name: String,
    /// Games.
    pub games: u32,
    /// The moves of all the player's games.
    pub play: SideSummary,
    /// What was wrong.
    pub mistakes: MistakeCounts,
    /// By the day that the tag `Date` means, as [`movegen::notation::pdn::day`] gives it, and the tag;
    /// games without one are left out.
    pub progress: BTreeMap<(Option<u32>, String), DayOfPlay>,
    /// The most instructive mistakes, at most ten, with the numbers of their games.
    pub instructive: Vec<Numbered<Mistake>>,
}

impl PlayerSummary {
    fn new(name: &str) -> PlayerSummary {
        PlayerSummary {
            name: name.to_owned(),
            games: 0,
            play: SideSummary::default(),
            mistakes: MistakeCounts::default(),
            progress: BTreeMap::new(),
            instructive: Vec::new(),
        }
    }

    /// The playing level that plays about as well; `None` with too few moves.
    #[must_use]
    pub fn strength(&self) -> Option<StrengthRange> {
        StrengthRange::of(&self.play)
    }

    fn add(&mut self, date: Option<&str>, play: &SideSummary) {
        self.games += 1;
        self.play.merge(play);
        if let Some(date) = date {
            let played = self.progress.entry((day(date), date.to_owned())).or_default();
            played.games += 1;
            played.play.merge(play);
        }
    }
}

/// All players, in order of appearance, and the totals of their games.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct PlayerSummaries {
    list: Vec<PlayerSummary>,
    games: usize,
    instructive: Vec<Numbered<Mistake>>,
    endgames: Vec<Numbered<Endgame>>,
}

impl PlayerSummaries {
    /// Adds the next game of the file.
    pub fn add(&mut self, pdn: &PdnGame, game: &JudgedGame) {
        self.games += 1;
        let date =
            pdn.tags.get("Date").filter(|date| date.starts_with(|c: char| c.is_ascii_digit()));
        let mut places = [0; 2];
        for color in [Color::White, Color::Black] {
            let place = self.place(player_name(pdn, color));
            self.list[place].add(date, &game.sides[color.index()]);
            places[color.index()] = place;
        }
        for mistake in game.mistakes(pdn) {
            let player = &mut self.list[places[mistake.position.side_to_move().index()]];
            player.mistakes.add(&mistake);
            keep(&mut player.instructive, self.games, &mistake);
            keep(&mut self.instructive, self.games, &mistake);
        }
        self.endgames.extend(game.endgame().map(|endgame| (self.games, endgame)));
    }

    fn place(&mut self, name: &str) -> usize {
        let place = self.list.iter().position(|player| player.name == name);
        place.unwrap_or_else(|| {
            self.list.push(PlayerSummary::new(name));
            self.list.len() - 1
        })
    }

    /// The players.
    #[must_use]
    pub fn list(&self) -> &[PlayerSummary] {
        &self.list
    }

    /// The most instructive mistakes, at most ten, with the numbers of their games.
    #[must_use]
    pub fn instructive(&self) -> &[Numbered<Mistake>] {
        &self.instructive
    }

    /// The endgames, with the numbers of their games.
    #[must_use]
    pub fn endgames(&self) -> &[Numbered<Endgame>] {
        &self.endgames
    }
}

/// Keeps a mistake if it is among the most instructive ones; each position once.
fn keep(list: &mut Vec<Numbered<Mistake>>, game: usize, mistake: &Mistake) {
    if list.iter().any(|(_, other)| other.position == mistake.position) {
        return;
    }
    let place = list.partition_point(|(_, other)| other.by_weight(mistake).is_le());
    if place < INSTRUCTIVE {
        list.insert(place, (game, mistake.clone()));
        list.truncate(INSTRUCTIVE);
    }
}

/// The name of a player; the colour if the game has none.
#[must_use]
pub fn player_name(pdn: &PdnGame, color: Color) -> &str {
    let (tag, otherwise) = match color {
        Color::White => ("White", "White"),
        Color::Black => ("Black", "Black"),
    };
    pdn.tags.get(tag).filter(|name| !matches!(*name, "" | "?")).unwrap_or(otherwise)
}
