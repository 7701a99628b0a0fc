//! What is reported of a match, for spreadsheets and browsers.

use meerslag_harness::runner::csv_lines;
use movegen::Game;
use movegen::notation::hub;
use serde_json::Value;

use crate::played::{Match, why};

/// The data that the script of a page shows.
fn data(page: &str) -> Value {
    let text = between(page, "<script type=\"application/json\" id=\"data\">", "</script>");
    serde_json::from_str(text).expect("JSON")
}

/// The text between two marks, which must be there.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end} after {start}")).0
}

#[test]
fn the_page_has_every_table_and_every_game() {
    let evil = "<b>&'two'</script><script>x";
    let random = format!("random name=\"{evil}\"");
    let engines = ["builtin name=one param.hash-mb=1", &random, "random name=three param.seed=5"];
    // White wins two of the openings whatever the players do. So, of three pairs against each
    // other engine, two are level: then all estimates are finite, in whatever order games end.
    let openings = "W:WK28,50:B22\nW:W31-50:B1-20\nW:WK29,50:B23\n";
    let played = Match::new(&engines, "10,nodes=200").openings(openings).pairs(3).at_once(2);
    let played = played.with(|config| config.conditions.event = "A & B <i>".to_owned()).play();
    let table = played.table();
    let mut lines: Vec<_> = played.games.iter().collect();
    lines.sort_by_key(|game| game.game);
    assert_eq!(lines.len(), 18);

    let page = played.page();
    // One file, nothing from elsewhere, and no name that becomes markup.
    let foreign = page.replace("href=\"#", "").replace("url(#", "");
    for reference in ["src=", "href=", "url(", "@import", "<link", "<iframe", "fetch(", "import("] {
        assert!(!foreign.contains(reference), "{reference}");
    }
    assert_eq!(page.matches("<script").count(), 3);
    assert_eq!(page.matches("</script>").count(), 3);
    assert!(!page.contains("<b>&'") && !page.contains("B <i>"));
    assert!(page.contains("<title>A &amp; B &lt;i&gt;</title>"));
    let drawings = between(&page, "<div class=\"drawings\"", "</div>");
    assert!(drawings.contains("id=\"man\"") && drawings.contains("id=\"king\""));
    let report = data(&page);

    // The standings agree with the JSON.
    assert_eq!(report["standings"]["engines"], table["engines"]);
    // The cross table has a row and a column for each engine; nobody plays himself.
    let cross = report["cross"].as_array().unwrap();
    let cells: Vec<&Value> = cross.iter().flat_map(|row| row.as_array().unwrap()).collect();
    assert_eq!((cross.len(), cells.len()), (3, 9));
    let none = serde_json::json!({ "wins": 0, "draws": 0, "losses": 0 });
    assert_eq!(cells.iter().filter(|cell| ***cell == none).count(), 3);
    // The Elo of each engine after each of its games, as far as it is finite: which games end first
    // decides that.
    let courses = report["courses"].as_array().unwrap();
    for (engine, course) in courses.iter().enumerate() {
        let course = course.as_array().unwrap();
        assert_eq!(course.len(), 12, "{engine}");
        let [value, low, high] = [0, 1, 2].map(|which| course[11][which].as_f64().unwrap());
        assert!(low < value && value < high, "{engine}: {course:?}");
    }
    let ends = report["standings"]["terminations"].as_object().unwrap();
    assert_eq!(ends.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 18);
    let engines = report["engines"].as_array().unwrap();
    assert_eq!(engines.iter().filter(|row| row["control"] == "10,nodes=200").count(), 3);

    // Every game is listed and can be replayed from the data of the script.
    let games = report["games"].as_array().unwrap();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!((games.len(), rows.len()), (18, 18));
    for (index, ((game, row), line)) in games.iter().zip(rows).zip(&lines).enumerate() {
        assert_eq!(row["number"], index + 1);
        assert_eq!(row["white"], played.white(line), "{row} {line:?}");
        assert_eq!(row["black"], played.black(line), "{row} {line:?}");
        assert_eq!(row["result"], line.result().as_str(), "{row} {line:?}");
        assert_eq!(row["termination"], why(line), "{row} {line:?}");
        let mut replayed = Game::new(hub::parse_position(game["p"].as_str().unwrap()).unwrap());
        let moves = game["m"].as_array().unwrap();
        assert_eq!(moves.len(), line.record.plies.len());
        for mv in moves {
            let mv = hub::parse_move(replayed.position(), mv.as_str().unwrap()).unwrap();
            replayed.play(mv).unwrap();
        }
        let infos = game["i"].as_array().unwrap();
        assert_eq!(infos.len(), moves.len());
        let by_one = played.white(line) == "one";
        assert_eq!(infos[0][0].is_number(), by_one, "the random mover has no score");
        assert!(infos[0][2].is_number() && infos[0][3].is_number());
    }

    // The same games in the CSV.
    let text = csv_lines(&played.config, &played.games, true).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut rows = text.lines();
    let heading = rows.next().unwrap();
    assert!(heading.starts_with("game,pair,white,black,result,termination,detail,plies,"));
    let mut numbers: Vec<u64> = Vec::new();
    for row in rows {
        let number: u64 = row.split(',').next().unwrap().parse().unwrap();
        let line = &lines[number as usize - 1];
        // The position has commas, so it is quoted.
        assert!(row.ends_with(&format!(",\"{}\"", line.record.start_fen())), "{row}");
        assert!(row.contains(&format!(",{},", line.result())), "{row}");
        numbers.push(number);
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=18).collect::<Vec<_>>());
}

/// Until results differ the strength is unknown, on the page and off it.
#[test]
fn after_too_few_games_nothing_is_known() {
    // White wins whatever the players do: each pair is even.
    let engines = ["random name=a", "random name=b"];
    let played = Match::new(&engines, "20").openings("W:WK28,50:B22\nW:WK29,50:B23\n").pairs(2);
    let played = played.play();
    let record = played.table();
    for key in ["elo", "elo_low", "elo_high", "nelo", "superiority"] {
        assert!(record["engines"][0][key].is_null(), "{key}: {record}");
    }
    let report = data(&played.page());
    assert_eq!(report["standings"]["engines"], record["engines"], "{report}");
    let courses: Vec<&Value> = report["courses"].as_array().unwrap().iter().collect();
    assert!(courses.iter().all(|course| course.as_array().unwrap().iter().all(Value::is_null)));
    let table = played.results.standings().to_text(&played.config);
    assert!(table.contains(" not known yet "), "{table}");
    assert!(!table.contains("±0.0") && !table.contains("normalised"), "{table}");
}
