//! A game of a match as PDN.

use movegen::notation::pdn::PdnGame;

use crate::runner::config::Contest;
use crate::runner::game::match_game::MatchGame;
use crate::runner::tournament::schedule::Pairing;
use meerslag_study::record::{GameRecord, Players, comment};

/// A game as PDN, with the tags that all games of a match have.
pub(super) fn to_pdn(
    config: &Contest,
    game: usize,
    pairing: Pairing,
    record: &GameRecord,
    termination: &str,
) -> PdnGame {
    let name = |engine: usize| config.engines[engine].name.as_str();
    let Pairing { white, black, pair, round, .. } = pairing;
    let players = Players { white: name(white), black: name(black) };
    let mut pdn = record.to_pdn(&config.event, Some(players));
    let round = if round > 0 { round } else { pair + 1 };
    pdn.tags.set("Round", &format!("{round}.{}", game + 1));
    pdn.tags.set("WhiteType", "program");
    pdn.tags.set("BlackType", "program");
    pdn.tags.set("TimeControlWhite", &config.time_control(white).to_string());
    pdn.tags.set("TimeControlBlack", &config.time_control(black).to_string());
    pdn.tags.set("Books", &config.books());
    pdn.tags.set("Termination", termination);
    pdn
}

impl MatchGame {
    /// The game as PDN, see [`GameRecord::to_pdn`](meerslag_study::record::GameRecord::to_pdn).
    #[must_use]
    pub fn to_pdn(&self, config: &Contest) -> PdnGame {
        let why = self.termination.to_string();
        let mut pdn = to_pdn(config, self.game, self.pairing, &self.record, &why);
        if !self.detail.is_empty() {
            let note = comment(&format!("{why}: {}", self.detail));
            match pdn.line.plies.last_mut() {
                Some(ply) => ply.after.push(note),
                None => pdn.line.lead.push(note),
            }
        }
        pdn
    }
}
