//! The JSON objects of searches, endgames, books and judged games.

mod annotate;
mod book;
mod endgame;
mod search;

pub use annotate::{AnnotatedGameRecord, AnnotationSummaryRecord, PlayerRecord, accuracy};
pub use book::{BookRecord, BookTreeMoveRecord};
pub use endgame::{AnswerRecord, LineRecord, category_name, value_name};
pub use search::{BestRecord, InfoRecord, PositionRecord, ResultRecord};
