//! A game of a match as PDN.

use movegen::notation::pdn::PdnGame;

use crate::runner::config::Contest;
use crate::runner::game::match_game::MatchGame;
use crate::runner::tournament::schedule::Pairing;
use meerslag_study::record::{Players, comment};

impl MatchGame {
    /// The game as PDN, see [`GameRecord::to_pdn`](meerslag_study::record::GameRecord::to_pdn).
    #[must_use]
    pub fn to_pdn(&self, config: &Contest) -> PdnGame {
        let name = |engine: usize| config.engines[engine].name.as_str();
        let Pairing { white, black, pair, round, .. } = self.pairing;
        let players = Players { white: name(white), black: name(black) };
        let mut pdn = self.record.to_pdn(&config.event, Some(players));
        let round = if round > 0 { round } else { pair + 1 };
        pdn.tags.set("Round", &format!("{round}.{}", self.game + 1));
        pdn.tags.set("WhiteType", "program");
        pdn.tags.set("BlackType", "program");
        pdn.tags.set("TimeControlWhite", &config.time_control(white).to_string());
        pdn.tags.set("TimeControlBlack", &config.time_control(black).to_string());
        pdn.tags.set("Books", &config.books());
        pdn.tags.set("Termination", &self.termination.to_string());
        if !self.detail.is_empty() {
            let note = comment(&format!("{}: {}", self.termination, self.detail));
            match pdn.line.plies.last_mut() {
                Some(ply) => ply.after.push(note),
                None => pdn.line.lead.push(note),
            }
        }
        pdn
    }
}
