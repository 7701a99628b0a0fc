//! The programs that play: mock engines and our own.

use meerslag_tests::engine_program;

fn command(program: &str, words: &str) -> String {
    format!("'{}' {words}", engine_program(program).display())
}

/// The command of a mock engine that behaves as these words say.
pub fn mock_command(switches: &str) -> String {
    command("mock_engine", switches)
}

/// The command of our own engine over Hub.
pub fn own_hub_command() -> String {
    command("own_engine", "hub")
}
