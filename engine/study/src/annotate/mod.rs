//! Games with every move judged: by how much winning chance a move gave away, and by the endgame
//! databases where they know the value.
//!
//! [`analyse`] searches every position of a game. That is what takes time: [`each_game`] does
//! it on several threads, and keeps finished games in a [`AnnotationJournal`]. [`judge`] compares each move
//! with the best one; [`write()`] turns the result into PDN, [`PlayerSummaries`] sums up how well each
//! player played, and the harness has the report for the browser.

mod analysis;
mod games;
mod journal;
mod judge;
mod mistake;
mod pdn;
mod players;
mod strength;

pub use analysis::{PositionAnalysis, analyse, analyse_with};
pub use games::{AnalyseGamesError, GameWork, OneGame, each_game};
pub use journal::{AnnotationJournal, JournalError, JournalHeader};
pub use judge::{JudgedGame, JudgedMove, judge};
pub use mistake::{Endgame, Mistake, MistakeKind, Phase};
pub use pdn::{better_line, describe, write};
pub use players::{
    DayOfPlay, KindCounts, MistakeCounts, PhaseCounts, PlayerSummaries, PlayerSummary, player_name,
};
pub use strength::{Strength, StrengthRange};
