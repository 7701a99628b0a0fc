//! Which opening a game has, and the position it starts from.

pub(in crate::runner) mod order;
pub(in crate::runner) mod starts;
