//! `meerslag egdb check`, `stats` and `plan` as their users see them, on databases of up to three
//! pieces.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use egdb::DbType;
use meerslag_tests::{Output, run};
use movegen::Color;
use serde_json::Value;

use crate::folder::scratch;
use crate::support::{build, known, three_pieces};

/// A right database of all types, and one with a wrong win/loss/draw value.
fn built() -> &'static (String, String) {
    static BUILT: OnceLock<(String, String)> = OnceLock::new();
    BUILT.get_or_init(|| {
        let (right, wrong) = (scratch("survey-right"), scratch("survey-wrong"));
        let solution = three_pieces();
        for db_type in [DbType::Wld2, DbType::Mtc, DbType::Dtw] {
            build::write(&right, db_type, solution, |_, _| true);
        }
        // The first draw of two kings becomes a win.
        let slice = "0101".parse().unwrap();
        let table = solution.table(slice, Color::Black);
        let at = table.iter().position(|e| !e.has_capture && e.wld == egdb::Wld::Draw).unwrap();
        build::write_altered(
            &wrong,
            DbType::Wld2,
            solution,
            |_, _| true,
            |id, index, value| {
                if id.slice == slice && index == at as u64 { 1 } else { value }
            },
        );
        let text = |dir: PathBuf| dir.to_str().unwrap().to_owned();
        (text(right), text(wrong))
    })
}

/// Published greatest distances of the slices whose distances have been counted.
const RECORDS: usize = 47;

fn egdb(args: &[&str]) -> Output {
    run([&["egdb"], args].concat(), "")
}

fn ok(args: &[&str]) -> String {
    egdb(args).success().stdout
}

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| serde_json::from_str(line).expect(line));
    lines.inspect(meerslag_tests::check_line).collect()
}

#[test]
fn check_says_what_was_compared() {
    let (right, _) = built();
    let report = lines(&ok(&["check", "--egdb", right, "--full", "--pieces=2", "--json"]));
    let [report] = &report[..] else { panic!("{report:?}") };
    assert_eq!((&report["positions"], &report["wrong"]), (&8_845.into(), &0.into()));
    assert_eq!((&report["full"], &report["complete"]), (&true.into(), &true.into()));
    let wld = &report["wld"];
    let sum = wld["compared"].as_u64().unwrap() + wld["captures"].as_u64().unwrap();
    assert_eq!((sum, &wld["undecided"]), (8_845, &0.into()));
    assert!(report["dtw"]["compared"].as_u64().unwrap() > 1000);
    // 2 pieces have no distances to conversion, 3 have.
    let text = ok(&["check", "--egdb", right, "--sample=5000", "--seed=7", "--threads=1"]);
    assert!(text.contains("a sample of 5000 positions of 9 slices"), "{text}");
    assert!([" wld", " mtc", " dtw"].iter().all(|kind| text.contains(kind)), "{text}");
    // A slice as it is met is checked as it is stored.
    let report =
        lines(&ok(&["check", "--egdb", right, "--slices=0111,2010", "--sample=100", "--json"]));
    assert_eq!((&report[0]["slices"], &report[0]["full"]), (&2.into(), &false.into()));
}

#[test]
fn check_names_a_wrong_value() {
    let (_, wrong) = built();
    let output = egdb(&["check", "--egdb", wrong, "--full", "--slices=0101"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("wrong"), "{output:?}");
    let expected = "WLD version 2: expected draw, found win";
    let line = output.stdout.lines().find(|line| line.contains(expected)).unwrap();
    let fen = line.split_whitespace().nth(1).unwrap();
    let output =
        egdb(&["check", "--egdb", wrong, "--full", "--slices=0101", "--json", "--show=1000"]);
    let report = lines(&output.stdout);
    let (summary, findings) = report.split_last().unwrap();
    assert_eq!(summary["wrong"], findings.len());
    let finding = findings.iter().find(|f| f["fen"] == fen).unwrap();
    assert_eq!((&finding["expected"], &finding["found"]), (&"draw".into(), &"win".into()));
    assert_eq!((&finding["database"], &finding["problem"]), (&"wld2".into(), &"stored".into()));
}

#[test]
#[cfg(unix)]
fn check_can_be_interrupted() {
    use std::process::{Command, Stdio};

    let (right, _) = built();
    let child = Command::new(meerslag_tests::binary())
        .args([
            "egdb",
            "check",
            "--egdb",
            right,
            "--egdb",
            right,
            "--egdb",
            right,
            "--full",
            "--threads=1",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    meerslag_tests::interrupt(child.id());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("interrupted after ") && text.contains("\nstored values "), "{text}");
}

#[test]
fn bad_usage() {
    let (right, _) = built();
    let empty = scratch("survey-empty");
    let empty = empty.to_str().unwrap();
    for (args, part) in [
        (&["check", "--egdb", right, "--sample=0"][..], "--sample"),
        (&["check", "--egdb", right, "--full", "--sample=5"], "cannot be used with"),
        (&["check", "--egdb", right, "--slices=9999"], "is not a slice"),
        (&["check", "--egdb", right, "--slices=1111"], "slice 1111 is not in the database"),
        (&["check", "--egdb", empty], "no endgame database"),
        (&["stats", "--egdb", right, "--slices=1111"], "slice 1111 is not in the database"),
        (&["stats", "--egdb", right, "--slices=1101", "--pieces=2"], "no slice"),
        (&["plan", "--pieces=9"], "9"),
        (&["plan", "--pieces=3", "--types=abc"], "abc"),
        (&["plan", "--pieces=5", "--memory=64M", "--format=snakemake"], "takes at least"),
    ] {
        let output = egdb(args);
        assert_eq!(output.code, 2, "{args:?}: {output:?}");
        assert!(output.stderr.contains(part), "{args:?}: {output:?}");
    }
}

#[test]
fn stats_for_programs() {
    let (right, _) = built();
    let records = lines(&ok(&["stats", "--egdb", right, "--json", "--threads=2"]));
    assert_eq!(records.len(), 16);
    let number = |value: &Value| value.as_u64().unwrap();
    let positions: u64 = records.iter().map(|r| number(&r["positions"])).sum();
    assert_eq!(positions, 8_845 + 806_300);
    for record in &records {
        let sum = number(&record["wins"]) + number(&record["losses"]) + number(&record["draws"]);
        assert_eq!(sum, number(&record["positions"]), "{record}");
        assert!(record["side"] == "B" || record["side"] == "W");
        assert!(record.get("unknown").is_none());
        assert!(record["bytes"]["wld2"].is_u64() && record["bits_per_position"]["dtw"].is_f64());
        let is_won = number(&record["wins"]) > 0;
        assert_eq!(record["longest_dtw_win"].is_u64(), is_won);
        assert_eq!(record["longest_dtw_win_fen"].is_string(), is_won);
    }
    let record = records.iter().find(|r| r["longest_mtc"] == 10).unwrap();
    assert_eq!(record["slice"], "0201");
    assert_eq!(
        (&record["side"], &record["longest_mtc_fen"]),
        (&"W".into(), &"W:WK11:BK2,K6".into())
    );
}

#[test]
fn stats_for_people() {
    let (right, wrong) = built();
    let text = ok(&["stats", "--egdb", right]);
    assert!(text.contains("0201 w "), "{text}");
    assert!(text.contains("greatest mtc  W:WK11:BK2,K6"), "{text}");
    assert!(text.contains("3 pieces, 6 slices: 806300 positions"), "{text}");
    let page = ok(&["stats", "--egdb", right, "--format=markdown", "--pieces=2"]);
    assert!(page.starts_with("# ") && page.contains("\n## 2 pieces\n"), "{page}");
    assert!(!page.contains("## 3 pieces"));
    // Every row of a table has as many cells as its heading.
    let rows = page.lines().filter(|line| line.starts_with('|'));
    let widths: BTreeSet<usize> = rows.map(|row| row.matches('|').count()).collect();
    assert_eq!(widths.len(), 2, "{page}");
    assert!(page.contains("| longest win |"), "{page}");
    // Where no distances were counted, there is no table of the longest.
    let page = ok(&["stats", "--egdb", wrong, "--format=markdown"]);
    assert!(page.contains("## 3 pieces") && !page.contains("| longest win |"), "{page}");
}

#[test]
fn stats_by_distances_and_under_the_draw_rules() {
    let (right, _) = built();
    let records = lines(&ok(&["stats", "--egdb", right, "--json", "--distances", "--pieces=2"]));
    for record in &records {
        let sum = |name: &str| -> u64 {
            let counts = record["distances"][name].as_array().unwrap();
            counts.iter().map(|count| count.as_u64().unwrap()).sum()
        };
        assert_eq!(
            (record["wins"].as_u64(), record["losses"].as_u64()),
            (Some(sum("wins")), Some(sum("losses")))
        );
        assert!(record.get("rules").is_none());
    }
    let text = ok(&["stats", "--egdb", right, "--distances", "--pieces=2"]);
    // A man each: the side that has no move has lost.
    assert!(text.lines().any(|line| line.starts_with("1010   b  loss       0 ")), "{text}");

    let folder = scratch("survey-rules");
    let dir = folder.to_str().unwrap();
    ok(&["build", "--pieces=3", "--out", dir, "--types=compact,rules", "--threads=2"]);
    let records = lines(&ok(&["stats", "--egdb", dir, "--json"]));
    let of = |slice: &str, side: &str| {
        let is_it = |r: &&Value| r["slice"] == slice && r["side"] == side;
        &records.iter().find(is_it).unwrap()["rules"]
    };
    // Against two kings White needs not lose with one ply left, and at no counter can Black not win.
    let rules = of("0201", "W");
    assert_eq!((&rules["blessed_losses"], &rules["longest"]), (&0.into(), &8.into()), "{rules}");
    assert!(rules["last_blessed_losses"].as_u64().unwrap() > 100, "{rules}");
    assert!(of("2010", "B")["longest"].is_null());
    let text = ok(&["stats", "--egdb", dir]);
    assert!(
        text.contains("stopped by the draw rules: 0 wins and 0 losses, with one ply left "),
        "{text}"
    );
    let page = ok(&["stats", "--egdb", dir, "--format=markdown"]);
    let heading = "\n| slice |  | wins | losses | last wins | last losses | longest |\n";
    assert_eq!(page.matches(heading).count(), 2, "{page}");
}

/// What a build counts while it writes compact files is what is in the files.
#[test]
fn a_build_counts_what_it_writes() {
    let folder = scratch("survey-build");
    let dir = folder.to_str().unwrap();
    ok(&["build", "--pieces=3", "--out", dir, "--types=compact", "--threads=2"]);
    let counted = |text: &str| -> BTreeSet<String> {
        let counts = lines(text).into_iter().filter(|line| line["type"] == "slice");
        let keys = ["slice", "side", "positions", "wins", "losses", "draws", "captures"];
        counts.map(|line| keys.map(|key| line[key].to_string()).join(" ")).collect()
    };
    let log = counted(&fs::read_to_string(folder.join("build.jsonl")).unwrap());
    assert_eq!(log.len(), 4 + 12);
    assert_eq!(log, counted(&ok(&["stats", "--egdb", dir, "--json"])));
}

/// The statistics that the project offers hold the published greatest distances to conversion.
#[test]
fn offered_statistics_have_the_published_records() {
    let list = lines(include_str!("../../../positions/egdb/statistics.jsonl"));
    assert_eq!(list.len(), 155 + 16); // 155 of 2 to 6 pieces, and eight slices of 7
    let known = list.iter().filter(|line| line["longest_mtc"].is_u64()).map(|line| {
        let side = if line["side"] == "B" { Color::Black } else { Color::White };
        let slice = line["slice"].as_str().unwrap().parse().unwrap();
        (slice, side, line["longest_mtc"].as_u64().map(|number| number as u32))
    });
    assert_eq!(known::compare_greatest(known), RECORDS);
}

#[test]
fn plans() {
    let tasks = lines(&ok(&["plan", "--pieces=4", "--json"]));
    assert_eq!(tasks.len(), 3 + 6 + 14);
    let mut built = BTreeSet::new();
    for task in &tasks {
        let needs = task["needs"].as_array().unwrap();
        assert!(needs.iter().all(|need| built.contains(&need.to_string())), "{task}");
        built.insert(task["slice"].to_string());
    }
    // The log of a build says how fast the machine is.
    let folder = scratch("plan-log");
    let log = r#"{"event":"slice","slice":"2111","positions":9,"positions_solved":9,"seconds":100.0}
{"event":"slice","slice":"2210","positions":9,"positions_solved":4,"seconds":100.0}"#;
    fs::write(folder.join("build.jsonl"), log).unwrap();
    let plan = ["plan", "--pieces=5", "--types=compact", "--out", folder.to_str().unwrap()];
    let seconds = |args: &[&str]| -> BTreeMap<String, f64> {
        let tasks = lines(&ok(&[&plan[..], args].concat()));
        let seconds = |task: &Value| task["seconds"].as_f64().unwrap();
        tasks.iter().map(|task| (task["slice"].as_str().unwrap().into(), seconds(task))).collect()
    };
    let (here, fast) = (seconds(&["--json"]), seconds(&["--json", "--rate=100000000"]));
    assert!((100.0..1000.0).contains(&here["2111"]), "{here:?}");
    assert!(here["2210"] > 10.0 * fast["2210"], "{here:?} {fast:?}");
    assert!(ok(&plan).contains("log of the folder, of 1 slice"));
    let text = ok(&["plan", "--pieces=5", "--memory=64M"]);
    assert!(text.contains("more than --memory") && text.contains("1570600750"), "{text}");
    assert!(text.contains("refused: at least"), "{text}");
    let workflow = ok(&["plan", "--pieces=3", "--format=snakemake", "--types=wld,dtw"]);
    assert!(workflow.contains("DEFAULT_TYPES = \"wld,dtw\""), "{workflow}");
}
