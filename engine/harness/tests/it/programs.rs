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

/// The command of an adapter that shows the engine of this description over Hub.
pub fn adapted_command(engine: &str) -> String {
    command("own_engine", &format!("adapt '{}'", engine.replace('\'', "'\\''")))
}

/// The description of a mock engine that may take its time: no machine is so busy that it is given
/// up by mistake.
pub fn mock(name: &str, switches: &str) -> String {
    format!("name={name} cmd=\"{}\" stall=60 start=60", mock_command(switches))
}

/// One that will stop answering, and is given up soon.
pub fn hasty(name: &str, switches: &str) -> String {
    mock(name, switches).replace("stall=60", "stall=0.5")
}

/// The description of our own engine over Hub as it is.
pub fn own_engine() -> String {
    format!("cmd=\"{}\" start=60", own_hub_command())
}

/// The same with little memory and no databases.
pub fn own_hub(name: &str, more: &str) -> String {
    let command = own_hub_command();
    format!("name={name} cmd=\"{command}\" param.hash-mb=1 param.bb-size=0 start=60 {more}")
}

/// The description of our own engine as a DXP program that listens.
pub fn own_dxp(name: &str, more: &str) -> String {
    let command = command("own_engine", "dxp {port}");
    format!("name={name} dxp=localhost:0 start=60 {more} cmd=\"{command}\"")
}

/// One that connects with the runner.
pub fn own_dxp_that_connects(name: &str, more: &str) -> String {
    let command = command("own_engine", "dxp {port} connect");
    format!("name={name} dxp-listen=localhost:0 start=60 {more} cmd=\"{command}\"")
}
