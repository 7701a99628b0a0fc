//! Hub sessions in this process, through pipes.

use std::time::Duration;

use meerslag_harness::adapter::{Adapter, AdapterOptions, AdapterSettings, Remark};
use meerslag_harness::protocol::Log;
use meerslag_harness::protocol::hub::{Options, Params, serve};
use meerslag_harness::runner::EngineSpec;
use meerslag_tests::Client;

/// A session with our own engine.
pub fn own() -> Client {
    Client::of_session(|input, output| {
        let served = serve(input, output, Params::default(), None, Options::default());
        served.map_err(|error| error.to_string())
    })
}

/// The same, ready with these parameters.
pub fn ready(params: &[(&str, &str)]) -> Client {
    own().prepared(params)
}

/// How to adapt the engine of this description; what the adapter remarks goes into this log.
pub fn adapter_options(engine: &str, log: &Log) -> AdapterOptions {
    let log = log.clone();
    let remark = Remark::new(move |text| log.remark(text)).keeping_faults();
    AdapterOptions { remark, ..AdapterOptions::new(EngineSpec::parse(engine).expect(engine)) }
}

/// A session with an adapted engine, which has been started.
pub fn adapted(options: AdapterOptions, log: Log) -> Client {
    let adapter = Adapter::start(options, &|_, _| {}).unwrap();
    Client::of_session(|input, output| {
        let settings = AdapterSettings::new(&adapter);
        let patience = Duration::from_secs(10);
        let options = Options { log, patience, ..Options::default() };
        let served = serve(input, output, settings, Some(adapter), options);
        served.map_err(|error| error.to_string())
    })
}
