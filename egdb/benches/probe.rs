//! Speed of indexing and lookups.
fn main() { divan::main(); }
