//! What a person reads about openings, books and times of a match.

use meerslag_tests::{Output, run};

use super::mock::mock;

fn start(args: &[&str]) -> Output {
    run(["match"].iter().chain(args), "")
}

#[test]
fn the_table_says_what_became_of_opening_books() {
    let common = ["--engine=random name=x", "--tc=20", "--pairs=1", "--max-moves=2"];
    let play = |more: &[&str]| start(&[&common[..], more].concat());
    let off = play(&[&mock("a", "book=bool")]).success().stdout;
    let words = "opening books: switched off in engines that have a parameter 'book'\n";
    assert!(off.contains(words), "{off}");
    // Without openings it stays on, and this engine complains.
    let on = play(&[&mock("a", "book=bool"), "--openings=start"]);
    assert_eq!(on.code, 0, "{on:?}");
    assert!(on.stderr.contains("engine 'a' reports an error: book off: false"), "{on:?}");
}

#[test]
fn a_decimal_comma_is_refused() {
    let output = start(&["--engine=random name=a", "--engine=random name=b", "--tc=move=0,5"]);
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("decimals follow a point, as in 10.5"), "{output:?}");
}

/// Output of engines does not reach the terminal as commands.
#[test]
fn escape_sequences_of_engines_are_written_out() {
    let args = ["--engine=random name=x", "--tc=20", "--pairs=1", "--max-moves=2"];
    let output = start(&[&args[..], &[&mock("a", "escape")]].concat()).success();
    assert!(output.stdout.contains("\\u{1b}[2Jcleared\\u{9b}1m"), "{output:?}");
    let crashing = start(&[&args[..], &[&mock("a", "escape crash=1")]].concat()).success();
    assert!(crashing.stdout.contains("\\u{1b}]0;title\\u{7}"), "{crashing:?}");
    for text in [output.stdout, output.stderr, crashing.stdout, crashing.stderr] {
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
}
