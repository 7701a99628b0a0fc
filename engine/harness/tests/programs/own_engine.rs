//! Our own engine as a program that needs nothing but the library: over Hub with `hub`, and over
//! DXP with `dxp PORT`, as a follower that listens there, or `dxp PORT connect`, as one that connects.
//! It searches two plies deep. With `adapt DESCRIPTION` it shows another engine over Hub.

#![allow(clippy::disallowed_methods, reason = "the session knows when its client is gone")]

use std::error::Error;
use std::io;
use std::net::TcpStream;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use egdb::DatabaseOptions;
use meerslag_harness::adapter::{Adapter, AdapterOptions, AdapterSettings};
use meerslag_harness::protocol::Log;
use meerslag_harness::protocol::dxp::{
    Connection, DxpEngine, DxpPlay, Listener, SessionOptions, connect, follow,
};
use meerslag_harness::protocol::hub::{Options, Params, serve};
use meerslag_harness::runner::EngineSpec;
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
        ["adapt", engine] => {
            let options = AdapterOptions::new(EngineSpec::parse(engine)?);
            let adapter = Adapter::start(options, &|_, _| {})?;
            let settings = AdapterSettings::new(&adapter);
            // The other engine gets time to end.
            let options = Options { patience: Duration::from_secs(2), ..Options::default() };
            serve(io::stdin(), io::stdout(), settings, Some(adapter), options)?;
            Ok(())
        }
        ["dxp", port] => {
            let listener = Listener::bind("localhost", port.parse()?)?;
            play(|stop| listener.accept(stop, None))
        }
        ["dxp", port, "connect"] => {
            let port = port.parse()?;
            play(|stop| connect("localhost", port, Duration::from_secs(10), stop))
        }
        _ => Err("expected 'hub', 'dxp PORT [connect]' or 'adapt DESCRIPTION'".into()),
    }
}

/// Plays over one connection after the other.
fn play(
    mut next: impl FnMut(&AtomicBool) -> io::Result<Option<TcpStream>>,
) -> Result<(), Box<dyn Error>> {
    let databases = DatabaseOptions::none();
    let options = EngineOptions { hash_mib: 1, databases, ..EngineOptions::default() };
    let thinker = Box::new(Engine::new(options)?);
    let mut engine = DxpEngine { thinker, depth: Some(2), rules: DrawRules::default() };
    let stop = AtomicBool::new(false);
    while let Some(stream) = next(&stop)? {
        let mut connection = Connection::new(stream, Duration::ZERO, Log::none())?;
        let options = SessionOptions::default();
        let (connection, engine) = (&mut connection, &mut engine);
        let mut play = DxpPlay { connection, engine, options: &options, stop: &stop };
        follow(&mut play, &mut || false, &mut |_| Ok(()));
    }
    Ok(())
}
