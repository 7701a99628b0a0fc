//! The rules and the notation from outside the crate.

#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

mod draw_rules;
mod notation_broken;
mod notation_encodings;
mod notation_fen;
mod notation_pdn;
mod notation_properties;
mod perft;
mod properties;
mod rules;
mod support;
mod variant_endings;
mod variants;
