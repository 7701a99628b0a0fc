//! The files of `meerslag match` for spreadsheets and browsers.

use std::fs;

use meerslag_tests::{Output, run};
use movegen::Game;
use movegen::notation::hub;
use serde_json::Value;
use tempfile::TempDir;

struct Files {
    folder: TempDir,
}

impl Files {
    fn new() -> Files {
        Files { folder: TempDir::new().expect("a folder") }
    }

    fn arg(&self, option: &str, name: &str) -> String {
        format!("--{option}={}", self.folder.path().join(name).display())
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).expect(name)
    }
}

fn play(args: &[&str]) -> Output {
    let output = run(["match"].iter().chain(args), "");
    assert_eq!(output.code, 0, "{args:?}: {output:?}");
    output
}

/// The data that the script of a page shows.
fn data(page: &str) -> Value {
    let text = between(page, "<script type=\"application/json\" id=\"data\">", "</script>");
    serde_json::from_str(text).expect("JSON")
}

/// The values of a condition of a match, each put together of parts.
fn conditions<'a>(report: &'a Value, name: &str) -> Vec<&'a Value> {
    let list = report["conditions"].as_array().unwrap();
    list.iter().filter(|condition| condition[0] == name).map(|condition| &condition[1]).collect()
}

/// The text between two marks, which must be there.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end} after {start}")).0
}

#[test]
fn the_page_has_every_table_and_every_game() {
    let files = Files::new();
    let html = files.arg("html", "report.html");
    let csv = files.arg("csv", "games.csv");
    let evil = "<b>&'two'</script><script>x";
    let engines = [
        "--engine=builtin name=one param.hash-mb=1".to_owned(),
        format!("--engine=random name=\"{evil}\""),
        "--engine=random name=three param.seed=5".to_owned(),
    ];
    // White wins two of the openings whatever the players do. So, of three pairs against each
    // other engine, two are level: then all estimates are finite, in whatever order games end.
    let start = "W:W31-50:B1-20";
    let openings = files.folder.path().join("openings.fen");
    fs::write(&openings, format!("W:WK28,50:B22\n{start}\nW:WK33,50:B23\n")).unwrap();
    let openings = format!("--openings={}", openings.display());
    let mut args: Vec<&str> = engines.iter().map(String::as_str).collect();
    args.extend([
        openings.as_str(),
        "--tc=10,nodes=200",
        "--pairs=3",
        "--concurrency=2",
        "--json",
        "--event=A & B <i>",
    ]);
    args.extend([html.as_str(), csv.as_str()]);
    let output = play(&args);
    let mut lines: Vec<Value> =
        output.stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let table = lines.pop().unwrap();
    lines.sort_by_key(|game| game["game"].as_u64());
    assert_eq!(lines.len(), 18);

    let page = files.read("report.html");
    // One file, nothing from elsewhere, and no name that becomes markup.
    let foreign = page.replace("href=\"#", "").replace("url(#", "");
    for reference in ["src=", "href=", "url(", "@import", "<link", "<iframe", "fetch(", "import("] {
        assert!(!foreign.contains(reference), "{reference}");
    }
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<b>&'") && !page.contains("B <i>"));
    assert!(page.contains("<title>A &amp; B &lt;i&gt;</title>"));
    let board = between(&page, "<template id=\"sheet\">", "</template>");
    assert_eq!(board.matches("class=\"square\"").count(), 50);
    let report = data(&page);

    // The standings agree with the JSON.
    let standings = report["standings"].as_array().unwrap();
    assert_eq!(standings.len(), 3);
    for engine in table["engines"].as_array().unwrap() {
        let count = |key: &str| engine[key].as_u64().unwrap().to_string();
        let counts = [
            count("games"),
            format!("{:.1}", engine["points"].as_f64().unwrap()),
            count("wins"),
            count("draws"),
            count("losses"),
            "0".to_owned(),
        ];
        let row = standings.iter().find(|row| row["name"] == engine["name"]).expect("a row");
        assert_eq!(row["counts"], Value::from(counts.to_vec()));
    }
    // The cross table has a row and a column for each engine; nobody plays himself.
    let cross = report["cross"].as_array().unwrap();
    let cells: Vec<&Value> =
        cross.iter().flat_map(|row| row["cells"].as_array().unwrap()).collect();
    assert_eq!((cross.len(), cells.len()), (3, 9));
    assert_eq!(cells.iter().filter(|cell| cell.is_null()).count(), 3);
    // Each engine has a line in the plot, which breaks where no estimate is finite: which games end
    // first decides that. Bars with all games.
    let plot = report["elo_plot"].as_str().unwrap();
    for engine in ["e0", "e1", "e2"] {
        assert!(plot.contains(&format!("<polyline class=\"line {engine}\"")), "{engine}: {plot}");
    }
    assert!(!plot.contains("NaN") && !plot.contains("inf"), "{plot}");
    assert!(report["length_plot"].as_str().unwrap().contains("class=\"bar\""));
    let ends = report["terminations"].as_array().unwrap();
    assert_eq!(ends.iter().map(|end| end[1].as_u64().unwrap()).sum::<u64>(), 18);
    let times = report["times"].as_array().unwrap();
    assert_eq!(times.iter().filter(|row| row["control"] == "10,nodes=200").count(), 3);

    // Every game is listed and can be replayed from the data of the script.
    let games = report["games"].as_array().unwrap();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!((games.len(), rows.len()), (18, 18));
    for (index, ((game, row), line)) in games.iter().zip(rows).zip(&lines).enumerate() {
        assert_eq!(row["number"], index + 1);
        for key in ["white", "black", "result", "termination"] {
            assert_eq!(row[key], line[key], "{key}: {row} {line}");
        }
        let mut replayed = Game::new(hub::parse_position(game["p"].as_str().unwrap()).unwrap());
        let moves = game["m"].as_array().unwrap();
        assert_eq!(moves.len() as u64, line["plies"].as_u64().unwrap());
        for mv in moves {
            let mv = hub::parse_move(replayed.position(), mv.as_str().unwrap()).unwrap();
            replayed.play(mv).unwrap();
        }
        let infos = game["i"].as_array().unwrap();
        assert_eq!(infos.len(), moves.len());
        let by_one = line["white"] == "one";
        assert_eq!(infos[0][0].is_number(), by_one, "the random mover has no score");
        assert!(infos[0][2].is_number() && infos[0][3].is_number());
    }

    // The same games in the CSV.
    let text = files.read("games.csv");
    let mut rows = text.lines();
    let heading = rows.next().unwrap();
    assert!(heading.starts_with("game,pair,white,black,result,termination,detail,plies,"));
    let mut numbers: Vec<u64> = Vec::new();
    for row in rows {
        let number: u64 = row.split(',').next().unwrap().parse().unwrap();
        let line = &lines[number as usize - 1];
        // The position has commas, so it is quoted.
        assert!(row.ends_with(&format!(",\"{}\"", line["fen"].as_str().unwrap())), "{row}");
        assert!(row.contains(&format!(",{},", line["result"].as_str().unwrap())), "{row}");
        numbers.push(number);
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=18).collect::<Vec<_>>());
}

/// A resumed match reports the games of before, too.
#[test]
fn resumed_matches_report_everything() {
    let files = Files::new();
    let state = files.arg("state", "match.jsonl");
    play(&["--engine=random name=a", "--engine=random name=b", "--pairs=4", &state]);
    // As if the last five games had not been played.
    let text = files.read("match.jsonl");
    let kept: Vec<&str> = text.lines().take(4).collect();
    fs::write(files.folder.path().join("match.jsonl"), kept.join("\n") + "\n").unwrap();
    let (html, csv) = (files.arg("html", "report.html"), files.arg("csv", "games.csv"));
    play(&["--resume", &state, &html, &csv]);
    let page = files.read("report.html");
    let report = data(&page);
    let games = report["games"].as_array().unwrap();
    assert_eq!((games.len(), report["rows"].as_array().unwrap().len()), (8, 8));
    assert!(games.iter().all(|g| !g["m"].as_array().unwrap().is_empty()), "{report}");
    assert_eq!(files.read("games.csv").lines().count(), 9);
    // And the engines, the times and the commands.
    let text = files.read("match.jsonl");
    let versions = text.replace("\"engines\":[null,null]", "\"engines\":[\"a 1\",\"b 2\"]");
    fs::write(files.folder.path().join("match.jsonl"), versions).unwrap();
    play(&["--resume", &state, &html, "--force"]);
    let page = files.read("report.html");
    let report = data(&page);
    assert_eq!(report["engines"][0]["identities"][0], "a 1", "{report}");
    let duration = conditions(&report, "duration")[0];
    assert_eq!((&duration[1]["key"], &duration[1]["parts"]), (&"inParts".into(), &3.into()));
    let commands = conditions(&report, "command");
    assert_eq!((commands.len(), conditions(&report, "continued").len()), (1, 2));
    let command = commands[0][0].as_str().unwrap();
    assert!(command.contains("--pairs=4") && !command.contains("--resume"), "{command}");
}

/// The page begins in the language that was asked for, also when the match goes on.
#[test]
fn the_page_speaks_a_language() {
    let files = Files::new();
    let (state, html) = (files.arg("state", "match.jsonl"), files.arg("html", "report.html"));
    let engines = ["--engine=random name=a", "--engine=random name=b", "--pairs=1"];
    play(&[&engines[..], &[&state, &html, "--language=pl"]].concat());
    assert!(files.read("report.html").contains("<html lang=\"pl\">"));
    play(&["--resume", &state, &html, "--force"]);
    assert!(files.read("report.html").contains("<html lang=\"pl\">"));
    play(&["--resume", &state, &html, "--force", "--language=fr"]);
    assert!(files.read("report.html").contains("<html lang=\"fr\">"));
    for (args, said) in [
        (["--language=xx", &html], "[possible values: en, nl, fr, ru, de, pl]"),
        (["--language=nl", "--pairs=2"], "--html is missing"),
    ] {
        let output = run(["match"].iter().chain(&engines[..2]).chain(&args), "");
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains(said), "{output:?}");
    }
}

/// Until results differ the strength is unknown, on the page and off it.
#[test]
fn after_too_few_games_nothing_is_known() {
    let files = Files::new();
    let html = files.arg("html", "report.html");
    // White wins whatever the players do: each pair is even.
    let openings = files.folder.path().join("openings.fen");
    fs::write(&openings, "W:WK28,50:B22\nW:WK33,50:B23\n").unwrap();
    let openings = format!("--openings={}", openings.display());
    let engines = ["--engine=random name=a", "--engine=random name=b", &openings];
    let output = play(&[&engines[..], &["--json", &html]].concat());
    let record = output.json_lines().pop().unwrap();
    for key in ["elo", "elo_low", "elo_high", "nelo", "superiority"] {
        assert!(record["engines"][0][key].is_null(), "{key}: {record}");
    }
    let page = files.read("report.html");
    let report = data(&page);
    let row = &report["standings"][0];
    assert_eq!((&row["elo"], &row["nelo"]), (&"not known yet".into(), &"–".into()), "{report}");
    assert_eq!((&row["superiority"], &report["elo_plot"]), (&"–".into(), &"".into()), "{report}");
    let table = play(&engines).stdout;
    assert!(table.contains(" not known yet "), "{table}");
    assert!(!table.contains("±0.0") && !table.contains("normalised"), "{table}");
}

#[test]
fn paths_that_cannot_be_written_are_told_before_the_match() {
    for option in ["html", "csv", "pdn"] {
        let arg = format!("--{option}=/nonexistent/file");
        let output = run(["match", "--engine=random", "--engine=random name=b", &arg], "");
        assert_eq!(output.code, 1, "{output:?}");
        assert!(output.stderr.contains("cannot write /nonexistent/file"), "{output:?}");
        assert_eq!(output.stdout, "");
    }
}

/// The report of before stays until there is a better one, and links stay links.
#[test]
#[cfg(unix)]
fn pages_replace_files_and_nothing_else() {
    let files = Files::new();
    let path = |name: &str| files.folder.path().join(name);
    let engines = ["--engine=random", "--engine=random name=b", "--pairs=1"];
    fs::write(path("real.html"), "old").unwrap();
    std::os::unix::fs::symlink(path("real.html"), path("link.html")).unwrap();
    play(&[&engines[..], &["--force", &files.arg("html", "link.html")]].concat());
    assert!(fs::symlink_metadata(path("link.html")).unwrap().is_symlink());
    assert!(files.read("real.html").contains("</html>"));

    // Anything but a file is written to, not replaced.
    std::os::unix::fs::symlink("/dev/stdout", path("out.html")).unwrap();
    let output = play(&[&engines[..], &["--json", &files.arg("html", "out.html")]].concat());
    assert!(fs::symlink_metadata(path("out.html")).unwrap().is_symlink());
    assert_eq!(output.stdout.matches("</html>").count(), 1, "{}", output.stdout);
}

/// A runner that is killed early leaves a page, or the one from before.
#[test]
fn there_is_a_page_from_the_start() {
    let files = Files::new();
    let (state, html) = (files.arg("state", "match.jsonl"), files.arg("html", "report.html"));
    play(&["--engine=random name=a", "--engine=random name=b", "--pairs=4", &state, &html]);
    let text = files.read("match.jsonl");
    let kept: Vec<&str> = text.lines().take(7).collect();
    let stalls = kept[0].replacen("\"pairs\":4", "\"pairs\":2000000", 1);
    let kept = text.replacen(kept[0], &stalls, 1);
    fs::write(files.folder.path().join("match.jsonl"), kept).unwrap();
    let mut runner = std::process::Command::new(meerslag_tests::binary())
        .args(["match", "--resume", &state, &html])
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let lines = text.lines().count();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while files.read("match.jsonl").lines().count() < lines + 2 {
        assert!(std::time::Instant::now() < deadline);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    runner.kill().unwrap();
    runner.wait().unwrap();
    assert!(data(&files.read("report.html"))["rows"].as_array().unwrap().len() >= 8);
}
