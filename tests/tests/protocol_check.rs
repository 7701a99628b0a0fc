//! `meerslag protocol-check` judges our own engine and the mock engines.

use meerslag_tests::{Output, binary, run};

fn check(command: &str) -> Output {
    run(["protocol-check", "--hub", command], "")
}

fn check_fast(command: &str) -> Output {
    run(["protocol-check", "--patience=1", "--hub", command], "")
}

#[test]
fn our_own_engine_follows_the_protocol() {
    let output = check(&format!("'{}' hub", binary().display()));
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.ends_with("0 errors, 0 warnings\n"), "{output:?}");
    for step in ["ping: pong", "pondering", "end of input"] {
        assert!(output.stdout.contains(&format!("     ok  {step}\n")), "{output:?}");
    }
}

#[test]
fn what_is_wrong_is_found() {
    let mock =
        |switches: &str| check_fast(&format!("'{}' {switches}", env!("CARGO_BIN_EXE_mock_engine")));
    for (switches, messages) in [
        ("", &["no 'info' before 'done'", "ends only on 'stop'"][..]),
        ("crash=1", &["WRONG  a search to a depth", "the engine ended"]),
        ("illegal=1", &["done move=1-50"]),
        ("no-wait", &["no 'wait' within 1s"]),
        ("nonsense", &["unreadable line 'info depth=x score=much pv='", "score must be a number"]),
    ] {
        let output = mock(switches);
        assert_eq!(output.code, 1, "{switches}: {output:?}");
        for message in messages {
            assert!(output.stdout.contains(message), "{switches}: {}", output.stdout);
        }
    }
    let missing = check("/nonexistent/engine hub");
    assert_eq!(missing.code, 1);
    assert!(missing.stderr.contains("cannot start '/nonexistent/engine hub'"), "{missing:?}");
    assert_eq!(check("").code, 2);
}
