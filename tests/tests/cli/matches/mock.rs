//! Mock engines as child processes of a match.

use meerslag_tests::engine_program;

/// The description of a mock engine that may take its time: no machine is so busy that it is given
/// up by mistake.
pub fn mock(name: &str, switches: &str) -> String {
    let program = engine_program("mock_engine");
    let command = format!("'{}' {switches}", program.display());
    format!("--engine=name={name} cmd=\"{command}\" stall=60 start=60")
}
