//! PDN, the portable draughts notation: files of games.
//!
//! [`PdnReader`] takes one game after another from any buffered input and holds only one at a time.
//! It is tolerant: a broken tag, move or variation gives a [`PdnWarning`] with its line and column,
//! the readable part of the game stays, and the next game is read as if nothing had happened.
//! [`write_game`] writes PDN 3.0 in one strict form, which reads back the same.
//!
//! Games pass three stages: characters with places (`chars`, from bytes in any of the `encoding`s),
//! words (`token`), the shape of a game (`raw`). Only then `resolve` compares moves with the rules,
//! because a short capture may fit several moves, and the rest of the game decides.
//!
//! # Examples
//! ```
//! use movegen::notation::pdn::{self, GameResult, PdnReader, WriteOptions};
//!
//! let text = "[White \"A\"]\n1. 32-28 19-23 2. 28x19 14x23 {a man each} 2-0";
//! let mut reader = PdnReader::new(text.as_bytes());
//! let game = reader.next().expect("one game")?;
//! assert_eq!(game.result, GameResult::WhiteWins);
//! assert_eq!(game.line.moves().count(), 4);
//! assert!(game.warnings.is_empty());
//!
//! let written = pdn::game_to_string(&game, &WriteOptions::default());
//! assert!(written.ends_with("1. 32-28 19-23 2. 28x19 14x23 {a man each} 2-0\n\n"));
//! # Ok::<(), movegen::notation::pdn::ParsePdnError>(())
//! ```

mod chars;
mod comment;
mod date;
mod encoding;
mod game;
mod kind;
mod languages;
mod play;
mod player;
mod raw;
mod reader;
mod resolve;
mod result;
mod runs;
mod text;
mod token;
mod warning;
mod writer;

pub use chars::{decode, encodings_of};
pub use comment::{ANNOTATION, ClockTime, Comment, format_time};
pub use date::{day, year};
pub use encoding::{Encoding, Encodings};
pub use game::{Annotation, PdnGame, Ply, Tags, Variation};
pub use kind::OtherGame;
pub use play::{Grade, RecordedPlay, SideSummary, Signs, recorded};
pub use player::PlayerName;
pub use reader::{Counters, PdnReader, ReadOptions};
pub use result::GameResult;
pub use warning::{ParsePdnError, PdnWarning, PdnWarningKind, WarningCount, WarningSummary};
pub use writer::{WriteOptions, game_to_string, tags_to_string, write_game};
