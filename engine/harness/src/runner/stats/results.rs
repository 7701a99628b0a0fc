//! The finished games of a match, and what they add up to.

use crate::runner::config::MatchConfig;
use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::standings::Standings;

/// The finished games of a match, in the order in which they ended, and its table.
#[derive(Clone, Debug)]
pub struct MatchResults {
    games: Vec<MatchGame>,
    standings: Standings,
}

impl MatchResults {
    /// The results of these games.
    #[must_use]
    pub fn new(config: &MatchConfig, games: Vec<MatchGame>) -> MatchResults {
        let mut standings = Standings::new(config);
        games.iter().for_each(|game| standings.add(game));
        MatchResults { games, standings }
    }

    /// The games.
    #[must_use]
    pub fn games(&self) -> &[MatchGame] {
        &self.games
    }

    /// The table.
    #[must_use]
    pub const fn standings(&self) -> &Standings {
        &self.standings
    }

    /// Adds a finished game.
    pub fn add(&mut self, game: MatchGame) {
        self.standings.add(&game);
        self.games.push(game);
    }

    /// Drops the moves of all games, which would fill the memory in a long match.
    pub fn drop_moves(&mut self) {
        self.games.iter_mut().for_each(MatchGame::drop_moves);
    }

    /// Drops the moves of the last game.
    pub(in crate::runner) fn drop_last_moves(&mut self) {
        if let Some(game) = self.games.last_mut() {
            game.drop_moves();
        }
    }
}
