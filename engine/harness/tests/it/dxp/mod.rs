//! Our own player over DXP, and tournaments on bad lines.

mod clients;
mod games;
mod lines;
mod odd_peers;
