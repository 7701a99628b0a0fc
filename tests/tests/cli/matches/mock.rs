//! Mock engines as child processes of a match.

/// The description of a mock engine that may take its time: no machine is so busy that it is given
/// up by mistake.
pub fn mock(name: &str, switches: &str) -> String {
    let program = meerslag_tests::engine_program("mock_engine").display().to_string();
    format!("--engine=name={name} cmd=\"'{program}' {switches}\" stall=60 start=60")
}

/// One that will stop answering, and is given up soon.
pub fn hasty(name: &str, switches: &str) -> String {
    mock(name, switches).replace("stall=60", "stall=0.5")
}
