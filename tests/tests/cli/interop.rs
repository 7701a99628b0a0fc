//! Other people's programs drive the engine.

use std::path::Path;
use std::process::Command;

/// Whole games under the Python package pydraughts; the script names the version.
#[test]
#[ignore = "slow, and needs Python with pydraughts (pip install pydraughts==0.6.7)"]
fn pydraughts_games() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("interop/pydraughts_games.py");
    let status = Command::new("python3").arg(script).arg(meerslag_tests::binary()).status();
    assert!(status.expect("python3 is installed").success());
}

/// A game over DXP that pydraughts initiates.
#[test]
#[ignore = "needs Python with pydraughts (pip install pydraughts==0.6.7)"]
fn pydraughts_initiates_a_dxp_game() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("interop/pydraughts_dxp.py");
    let status = Command::new("python3").arg(script).arg(meerslag_tests::binary()).status();
    assert!(status.expect("python3 is installed").success());
}

/// A validator of OpenAPI, and a library for JSON schemas.
#[test]
#[ignore = "needs Python (pip install openapi-spec-validator jsonschema)"]
fn the_description_of_the_server_is_valid() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("interop/openapi.py");
    let status = Command::new("python3").arg(script).arg(meerslag_tests::binary()).status();
    assert!(status.expect("python3 is installed").success());
}
