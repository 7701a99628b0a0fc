//! How well each player played, over all games of a file.

use movegen::Color;
use movegen::notation::pdn::PdnGame;

use super::judge::{JudgedGame, SideSummary};

/// The play of one player.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayerSummary {
    /// Name as in the tags.
    pub name: String,
    /// Games.
    pub games: u32,
    /// The moves of all of them.
    pub play: SideSummary,
}

/// All players, in the order in which they first appear.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Players(Vec<PlayerSummary>);

impl Players {
    /// Adds a game.
    pub fn add(&mut self, pdn: &PdnGame, game: &JudgedGame) {
        for color in [Color::White, Color::Black] {
            let name = player_name(pdn, color);
            let place = match self.0.iter().position(|player| player.name == name) {
                Some(place) => place,
                None => {
                    let play = SideSummary::default();
                    self.0.push(PlayerSummary { name: name.to_owned(), games: 0, play });
                    self.0.len() - 1
                }
            };
            self.0[place].games += 1;
            self.0[place].play.merge(&game.sides[color.index()]);
        }
    }

    /// The players.
    #[must_use]
    pub fn list(&self) -> &[PlayerSummary] {
        &self.0
    }
}

/// The name of a player; the colour where the game does not say it.
#[must_use]
pub fn player_name(pdn: &PdnGame, color: Color) -> &str {
    let (tag, otherwise) = match color {
        Color::White => ("White", "White"),
        Color::Black => ("Black", "Black"),
    };
    pdn.tags.get(tag).filter(|name| !matches!(*name, "" | "?")).unwrap_or(otherwise)
}
