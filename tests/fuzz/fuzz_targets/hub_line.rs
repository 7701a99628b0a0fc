//! Lines of the Hub protocol, read as the engine's parameters and limits.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use meerslag_harness::protocol::hub::{Level, Line, LineWriter, Params};
use meerslag_search::Mode;

fuzz_target!(|text: &str| {
    let line = match Line::parse(text) {
        Ok(Some(line)) => line,
        Ok(None) => {
            assert!(text.trim().is_empty());
            return;
        }
        Err(bad) => {
            fits(&bad.error.to_string());
            return;
        }
    };
    let mut writer = LineWriter::new(line.command());
    for (name, value) in line.arguments() {
        writer = writer.arg(name, value);
    }
    let written = writer.finish();
    let again = Line::parse(&written).expect("what is written reads").expect("a command");
    assert_eq!(again.command(), line.command());
    // Control characters inside quotes are not written.
    let clean = |value: &str| value.replace(|c: char| c.is_ascii_control(), " ");
    let expected: Vec<_> = line.arguments().map(|(n, v)| (n, clean(v))).collect();
    let read: Vec<_> = again.arguments().map(|(n, v)| (n, v.to_owned())).collect();
    assert_eq!(read, expected);

    let mut level = Level::default();
    if let Err(error) = level.add(&line) {
        fits(&error.to_string());
    }
    for mode in [Mode::Think, Mode::Ponder, Mode::Analyze] {
        let _ = level.limits(mode, Duration::from_secs(60));
    }

    let mut params = Params::default();
    for (name, value) in line.arguments() {
        let names = params.declarations();
        if let Err(error) = params.set(name, value) {
            fits(&error.to_string());
        }
        assert_eq!(params.declarations().len(), names.len());
        for declaration in params.declarations() {
            let line = Line::parse(&declaration).expect("a good line").expect("a command");
            let value = line.value("value").expect("a value");
            let number = |name| line.value(name).and_then(|v| v.parse::<f64>().ok());
            if let (Some(min), Some(max)) = (number("min"), number("max")) {
                let value: f64 = value.parse().expect("a number");
                assert!((min..=max).contains(&value), "{declaration}");
            }
        }
        let _ = params.engine_options();
    }
});

fn fits(message: &str) {
    assert!(message.len() < 400, "{message}");
}
