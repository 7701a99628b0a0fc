//! Our own engine as a program that needs nothing but the library: over Hub with `hub`, and over
//! DXP with `dxp PORT`, as a follower that listens there and searches two plies deep.

use std::error::Error;
use std::io;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use egdb::DatabaseOptions;
use meerslag_harness::protocol::Log;
use meerslag_harness::protocol::dxp::{Connection, DxpEngine, Listener, SessionOptions, follow};
use meerslag_harness::protocol::hub::{Options, Params, serve};
use meerslag_search::{Engine, EngineOptions};
use movegen::DrawRules;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["hub"] => {
            serve(io::stdin(), io::stdout(), Params::default(), None, Options::default())?;
            Ok(())
        }
        ["dxp", port] => play(port.parse()?),
        _ => Err("expected 'hub' or 'dxp PORT'".into()),
    }
}

fn play(port: u16) -> Result<(), Box<dyn Error>> {
    let listener = Listener::bind("localhost", port)?;
    let databases = DatabaseOptions::none();
    let options = EngineOptions { hash_mib: 1, databases, ..EngineOptions::default() };
    let thinker = Box::new(Engine::new(options)?);
    let mut engine = DxpEngine { thinker, depth: Some(2), rules: DrawRules::default() };
    let stop = AtomicBool::new(false);
    while let Some(stream) = listener.accept(&stop, None)? {
        let mut connection = Connection::new(stream, Duration::ZERO, Log::none())?;
        let options = SessionOptions::default();
        follow(&mut connection, &mut engine, &options, &stop, &mut || false, &mut |_| Ok(()));
    }
    Ok(())
}
