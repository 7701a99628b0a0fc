//! The games of a match.

use movegen::Color;
use serde::{Deserialize, Serialize};

use crate::runner::config::{MatchConfig, MatchFormat};
use crate::runner::openings::order::OpeningOrder;

/// One game: who plays it and from where.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Pairing {
    /// The engine with White.
    pub white: usize,
    /// The engine with Black.
    pub black: usize,
    /// The pair that the game belongs to, from 0; a pair has two games.
    pub pair: usize,
    /// The index of the opening in the configuration.
    pub opening: usize,
    /// 0 if the game starts at the opening itself, otherwise the number of the position after it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub variation: usize,
    /// The round of a tournament, from 1; 0 in matches, which have none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub round: usize,
}

impl Pairing {
    /// The engines under [`Color::index`].
    #[must_use]
    pub const fn engines(&self) -> [usize; 2] {
        [self.black, self.white]
    }

    /// The colour of an engine; `None` if it does not play.
    #[must_use]
    pub fn color_of(&self, engine: usize) -> Option<Color> {
        Color::ALL.into_iter().find(|color| self.engines()[color.index()] == engine)
    }
}

/// A paired round of a tournament.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Round {
    /// From 1. Deciding games of a knock-out have the number of their round.
    pub round: usize,
    /// Its games, in playing order.
    pub games: Vec<Pairing>,
    /// The engines that are free.
    #[serde(default)]
    pub free: Vec<usize>,
}

impl Round {
    /// The games of each two engines that meet.
    pub fn meetings(&self) -> impl Iterator<Item = &[Pairing]> {
        self.games.chunk_by(|a, b| a.pair == b.pair)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// All games of a match in order: opening after opening, for each two engines two games with
/// colours exchanged. (A tournament is paired round by round, see `rounds`.) The same configuration
/// gives the same list.
#[must_use]
pub fn schedule(config: &MatchConfig) -> Vec<Pairing> {
    let order = OpeningOrder::new(&config.conditions);
    let count = config.conditions.engines.len();
    let meetings: Vec<(usize, usize)> = match config.format {
        MatchFormat::Gauntlet => (1..count).map(|other| (0, other)).collect(),
        MatchFormat::RoundRobin => {
            (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).collect()
        }
    };
    let mut games = Vec::with_capacity(config.game_count());
    for round in 0..config.pairs() {
        let (opening, variation) = order.at(round);
        for &(a, b) in &meetings {
            let pair = games.len() / 2;
            games.push(Pairing { white: a, black: b, pair, opening, variation, round: 0 });
            games.push(Pairing { white: b, black: a, pair, opening, variation, round: 0 });
        }
    }
    games
}

#[cfg(test)]
pub(in crate::runner) mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::runner::config::spec::EngineSpec;
    use crate::runner::config::{Conditions, Contest};
    use crate::runner::stats::results::MatchResults;

    fn plan(engines: usize, openings: usize, pairs: usize) -> MatchConfig {
        let engine = |i| EngineSpec::parse(&format!("random name=e{i}")).unwrap();
        let conditions = Conditions {
            engines: (0..engines).map(engine).collect(),
            openings: vec![movegen::Position::initial().into(); openings],
            seed: Some(1),
            margin: std::time::Duration::ZERO,
            ..Conditions::default()
        };
        MatchConfig { conditions, pairs: Some(pairs as u32), ..MatchConfig::default() }
    }

    /// A match between random movers.
    pub(in crate::runner) fn config(engines: usize, openings: usize, pairs: usize) -> Contest {
        Contest::Match(plan(engines, openings, pairs))
    }

    /// All games of a match.
    pub(in crate::runner) fn games(config: &Contest) -> Vec<Pairing> {
        MatchResults::new(config, Vec::new()).schedule(config)
    }

    #[test]
    fn the_classic_match_has_158_games() {
        let games = schedule(&plan(2, 79, 79));
        assert_eq!(games.len(), 158);
        let openings: HashSet<_> = games.iter().map(|g| (g.opening, g.white)).collect();
        assert_eq!(openings.len(), 158);
        for pair in games.chunks(2) {
            assert_eq!(pair[0].opening, pair[1].opening);
            assert_eq!(pair[0].pair, pair[1].pair);
            assert_eq!((pair[0].white, pair[0].black), (pair[1].black, pair[1].white));
        }
    }

    #[test]
    fn everybody_meets_as_the_format_says() {
        let mut config = plan(4, 3, 5);
        assert_eq!(schedule(&config).len(), 2 * 5 * 6);
        config.format = MatchFormat::Gauntlet;
        let games = schedule(&config);
        assert_eq!(games.len(), 2 * 5 * 3);
        assert!(games.iter().all(|g| g.white == 0 || g.black == 0));
        assert_eq!(games, schedule(&config));
        assert_eq!(games.len(), Contest::Match(config.clone()).game_count());
        config.conditions.seed = Some(2);
        let first = |games: &[Pairing]| games.iter().map(|g| g.opening).collect::<Vec<_>>();
        let orders: HashSet<_> = (0..20)
            .map(|seed| {
                config.conditions.seed = Some(seed);
                first(&schedule(&config))
            })
            .collect();
        assert!(orders.len() > 1);
        config.conditions.seed = None;
        assert_eq!(schedule(&config)[0].opening, 0);
        config.conditions.openings.clear();
        assert_eq!(schedule(&config).len(), 30);
    }
}
