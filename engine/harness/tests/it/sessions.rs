//! Hub sessions in this process, through pipes.

use meerslag_harness::adapter::{Adapter, AdapterOptions, AdapterSettings};
use meerslag_harness::protocol::hub::{Options, Params, serve};
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

/// A session with an adapted engine, which has been started.
pub fn adapted(options: AdapterOptions) -> Client {
    let adapter = Adapter::start(options, &|_, _| {}).unwrap();
    Client::of_session(|input, output| {
        let settings = AdapterSettings::new(&adapter);
        let served = serve(input, output, settings, Some(adapter), Options::default());
        served.map_err(|error| error.to_string())
    })
}
