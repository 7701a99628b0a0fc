//! `meerslag egdb` on databases of two and three pieces, made here by our writers from an
//! independent solution.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use egdb::index::unrank;
use egdb::{DbIndex, DbType, Slice, Wld};
use meerslag_tests::{Client, Output, run};
use movegen::random::Random;
use movegen::{Color, Position};
use serde_json::Value;

use crate::folder::scratch;
use crate::support::solver::Solution;
use crate::support::{build, three_pieces};

struct Built {
    solution: &'static Solution,
    dir: PathBuf,
}

impl Built {
    fn dir(&self, name: &str) -> String {
        self.dir.join(name).to_str().unwrap().to_owned()
    }
}

/// Databases of all types, each in a folder.
fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let dir = scratch("egdb-cli");
        let solution = three_pieces();
        let types = [
            ("wld2", DbType::Wld2),
            ("wld1", DbType::Wld1),
            ("run", DbType::WldRun),
            ("mtc", DbType::Mtc),
            ("dtw", DbType::Dtw),
        ];
        for (name, db_type) in types {
            fs::create_dir(dir.join(name)).unwrap();
            for written in build::write(&dir.join(name), db_type, solution, |_, _| true) {
                written.write_side_files().unwrap();
            }
        }
        Built { solution, dir }
    })
}

fn copy(from: &str, name: &str) -> PathBuf {
    let dir = scratch(name);
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), dir.join(entry.file_name())).unwrap();
    }
    dir
}

fn egdb(args: &[&str], input: &str) -> Output {
    run([&["egdb"], args].concat(), input)
}

fn ok(args: &[&str], input: &str) -> String {
    egdb(args, input).success().stdout
}

fn fails(code: i32, args: &[&str], input: &str) -> String {
    let output = egdb(args, input);
    assert_eq!(output.code, code, "{args:?}: {output:?}");
    assert_eq!(output.stderr.lines().count(), 1, "{output:?}");
    output.stderr
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect(text)
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(json).inspect(meerslag_tests::check_line).collect()
}

/// Random positions, captures included, both colours to move.
fn random_positions(solution: &Solution, count: usize) -> Vec<Position> {
    let mut random = Random::new(42);
    let slices = solution.slices();
    let position = |_| {
        let slice = slices[random.below(slices.len())];
        let placement = unrank(slice, random.below_u64(slice.size())).unwrap();
        let turned = random.below(2) == 1;
        let placement = if turned { placement.reversed() } else { placement };
        placement.position(Color::ALL[random.below(2)]).unwrap()
    };
    (0..count).map(position).collect()
}

fn name(value: Wld) -> &'static str {
    match value {
        Wld::Win => "win",
        Wld::Loss => "loss",
        Wld::Draw => "draw",
    }
}

#[test]
fn identify_names_the_types() {
    let built = built();
    for (short, number) in [("wld2", 4), ("wld1", 3), ("run", 0), ("mtc", 1), ("dtw", 5)] {
        let dir = built.dir(short);
        let report = json(&ok(&["identify", "--egdb", &dir, "--json"], ""));
        let list = report["databases"].as_array().unwrap();
        assert_eq!(list.len(), 1, "{report}");
        assert_eq!(
            (&list[0]["database"], &list[0]["type_number"]),
            (&short.into(), &number.into())
        );
        assert_eq!(list[0]["max_pieces"], 3);
        assert_eq!(list[0]["genuine"], false);
        let text = ok(&["identify", "--egdb", &dir], "");
        assert!(text.contains(&format!("({short}), up to 3 pieces")), "{text}");
    }
    let empty = scratch("egdb-cli-empty");
    let empty = empty.to_str().unwrap();
    assert!(fails(2, &["identify", "--egdb", empty], "").contains("no endgame database in"));
    assert!(fails(2, &["probe", "--egdb", empty, "W:WK1:BK2"], "").contains("no endgame"));
    assert!(fails(2, &["identify", "--egdb", "/no/such/folder"], "").contains("cannot read"));
}

#[test]
fn info_counts_everything() {
    let built = built();
    let report = json(&ok(&["info", "--egdb", &built.dir("wld2"), "--json", "--slices"], ""));
    // `docs/formats.md`, section 2: indices times sides of 2 and 3 pieces.
    assert_eq!(report["positions"], 8_845 + 806_300);
    assert_eq!(report["pieces"][0]["slices"], 3);
    assert_eq!(report["pieces"][1]["slices"], 6);
    assert_eq!(report["slices"].as_array().unwrap().len(), 9);
    let bytes: u64 = ["db2.idx1", "db2.cpr1", "db3.idx1", "db3.cpr1"]
        .iter()
        .map(|file| fs::metadata(built.dir.join("wld2").join(file)).unwrap().len())
        .sum();
    assert_eq!(report["bytes"], bytes);
    let less = json(&ok(&["info", "--egdb", &built.dir("wld2"), "--json", "--egdb-pieces=2"], ""));
    assert_eq!((&less["positions"], &less["max_pieces"]), (&8_845.into(), &2.into()));
    let text = ok(&["info", "--egdb", &built.dir("wld1"), "--slices"], "");
    assert!(text.contains("WLD version 1 (wld1)") && text.contains("\n1101   BW"), "{text}");
}

#[test]
fn probe_for_programs_answers_every_line_in_order() {
    let built = built();
    let positions = random_positions(built.solution, 1500);
    let mut input = String::new();
    for (n, position) in positions.iter().enumerate() {
        input += &position.to_fen();
        input += "\n";
        if n % 100 == 50 {
            input += "no position\n";
        }
    }
    let [wld, mtc, dtw] = ["wld2", "mtc", "dtw"].map(|name| built.dir(name));
    let args = ["probe", "--egdb", &wld, "--egdb", &mtc, "--egdb", &dtw, "-", "--json"];
    for extra in [&[][..], &["--egdb-cache=1"]] {
        let records = json_lines(&ok(&[&args[..], extra].concat(), &input));
        assert_eq!(records.len(), positions.len() + 15);
        let (errors, records): (Vec<_>, Vec<_>) =
            records.into_iter().partition(|record| record.get("error").is_some());
        assert_eq!(errors.len(), 15);
        for error in errors {
            assert_eq!(error["fen"], "no position");
            assert_eq!(error.as_object().unwrap().len(), 4);
        }
        for (position, record) in positions.iter().zip(&records) {
            check_record(built.solution, position, record);
        }
    }
}

fn check_record(solution: &Solution, position: &Position, record: &Value) {
    let fields: BTreeSet<_> = record.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        fields,
        BTreeSet::from([
            "type",
            "version",
            "fen",
            "value",
            "category",
            "database_pieces",
            "dtw",
            "mtc",
            "moves",
            "equal"
        ])
    );
    assert_eq!(record["fen"], position.to_fen());
    let distance = |wld: Wld, n: u16| if wld == Wld::Draw { Value::Null } else { n.into() };
    let entry = solution.entry(&DbIndex::of(position).unwrap());
    assert_eq!(record["value"], name(entry.wld), "{record}");
    let category = record["category"].as_str().unwrap();
    assert_eq!(category.rsplit('-').next(), Some(name(entry.wld)), "{record}");
    assert_eq!(record["dtw"], distance(entry.wld, entry.dtw), "{record}");
    assert_eq!(record["mtc"], distance(entry.wld, entry.mtc), "{record}");
    let moves = record["moves"].as_array().unwrap();
    let legal = position.legal_moves();
    let listed: BTreeSet<_> =
        moves.iter().map(|m| m["move"].as_str().unwrap().to_owned()).collect();
    assert_eq!(listed, legal.iter().map(ToString::to_string).collect(), "{record}");
    // The moves that keep the value.
    // Without a piece left there is no entry.
    let value_after =
        |mv| DbIndex::of(&position.after(mv)).map_or(Wld::Loss, |at| solution.entry(&at).wld);
    let keeping = legal.iter().filter(|&&mv| value_after(mv).opponent() == entry.wld);
    let keeping: BTreeSet<_> = keeping.map(ToString::to_string).collect();
    let listed = record["equal"]["keep_value"].as_array().into_iter().flatten();
    let listed: BTreeSet<_> = listed.map(|mv| mv.as_str().unwrap().to_owned()).collect();
    assert_eq!(listed, keeping, "{record}");
    for &mv in &legal {
        let text = mv.to_string();
        let entry = moves.iter().find(|m| m["move"] == text.as_str()).unwrap();
        let after = position.after(mv);
        let (wld, dtw) = if after.pieces(after.side_to_move()).is_empty() {
            (Wld::Win, 1)
        } else {
            let next = solution.entry(&DbIndex::of(&after).unwrap());
            (next.wld.opponent(), next.dtw.saturating_add(1))
        };
        assert_eq!(entry["value"], name(wld), "{text} in {record}");
        assert_eq!(entry["dtw"], distance(wld, dtw), "{text} in {record}");
    }
    // Best first.
    if let Some(best) = moves.first() {
        assert_eq!((&best["value"], &best["dtw"]), (&record["value"], &record["dtw"]), "{record}");
    }
}

#[test]
fn probe_answers_while_the_input_is_open() {
    let dir = built().dir("wld2");
    let mut client = Client::start(&["egdb", "probe", "--egdb", &dir, "-", "--json"]);
    for (fen, value) in [("W:WK1:BK40", "win"), ("W:W:BK50", "loss"), ("W:WK1:BK6", "draw")] {
        client.send(fen);
        let record = json(&client.line_within(Duration::from_secs(30)).expect("an answer"));
        assert_eq!((&record["fen"], &record["value"]), (&fen.into(), &value.into()));
    }
}

#[test]
fn probe_for_people() {
    let built = built();
    let [wld, mtc, dtw] = ["wld2", "mtc", "dtw"].map(|name| built.dir(name));
    let dirs = ["probe", "--egdb", &wld, "--egdb", &mtc, "--egdb", &dtw];
    // A published record: ten in the counting of conversions.
    let text = ok(&[&dirs[..], &["W:WK11:BK2,K6"]].concat(), "");
    assert!(text.contains("White to move   W:WK11:BK2,K6"), "{text}");
    assert!(text.contains("\nloss   dtw ") && text.contains("   mtc 10\n"), "{text}");
    let rows = text.lines().skip_while(|line| !line.starts_with("move")).skip(1);
    let rows = rows.filter(|line| line.contains("loss")).count();
    assert_eq!(
        rows,
        text.lines().filter(|line| line.contains('-') && line.contains("loss")).count()
    );
    assert!(rows > 5, "{text}");
    let beyond = ok(&[&dirs[..], &["W:WK11,K12,K13:BK2,K6"]].concat(), "");
    assert!(beyond.contains("\nunknown\nThe position has 5 pieces, the databases in use up to 3;"));
    assert!(
        fails(2, &[&dirs[..], &["W:WK11:BX2"]].concat(), "").contains("cannot read the position")
    );
    assert!(egdb(&dirs, "").stderr.contains("FEN"), "a position is needed");
    let lines = ok(&[&dirs[..], &["-"]].concat(), "W:WK1:BK40\nnonsense\n");
    assert!(lines.contains("\nwin   dtw 1") && lines.contains("error: "), "{lines}");
}

#[test]
fn odd_lines_are_errors_in_their_place() {
    let dir = built().dir("wld2");
    let input = ["", "W:WK1:BK6", "W:W51:B1", "\u{fffd}\u{0}", "W:W1-5:BK1", "  B:WK1:BK6 \r"];
    let long = "x".repeat(100_000);
    let text = [&input[..], &[&long]].concat().join("\n");
    let records = json_lines(&ok(&["probe", "--egdb", &dir, "-", "--json"], &text));
    let kinds: Vec<bool> = records.iter().map(|r| r.get("error").is_some()).collect();
    assert_eq!(kinds, [true, false, true, true, true, false, true]);
    assert_eq!(records[5]["fen"], "B:WK1:BK6");
    assert!(records[6]["fen"].as_str().unwrap().len() <= 4096);
    assert_eq!(ok(&["probe", "--egdb", &dir, "-", "--json"], ""), "");
}

/// A missing file does not make a smaller database: its index or its checksums refer to it.
#[test]
fn verify_names_missing_files() {
    let built = built();
    for (name, gone, witness, other) in [
        ("mtc", "db3.cpr_mtc", "db3.idx_mtc", None),
        ("dtw", "db3.cpr_dtw", "db3.idx_dtw", Some("db2.cpr_dtw")),
        ("dtw", "db2.cpr_dtw", "db2.idx_dtw", Some("db3.cpr_dtw")),
        ("dtw", "db3.idx_dtw", "db3.cpr_dtw", None),
    ] {
        let dir = copy(&built.dir(name), &format!("egdb-cli-missing-{gone}"));
        fs::remove_file(dir.join(gone)).unwrap();
        let dir_name = dir.to_str().unwrap();
        for more in [&["--json"][..], &["--json", "--blocks"], &["--json", "--type", name]] {
            let output = egdb(&[&["verify", "--egdb", dir_name], more].concat(), "");
            assert_eq!(output.code, 1, "{gone} {more:?}: {output:?}");
            let records = json_lines(&output.stdout);
            let missing: Vec<&Value> =
                records.iter().filter(|record| record["result"] == "missing").collect();
            assert_eq!(missing.len(), 1, "{output:?}");
            assert_eq!(
                (&missing[0]["file"], &missing[0]["database"]),
                (&gone.into(), &name.into())
            );
            // The others are verified.
            let is_other = |record: &&Value| record["result"] == "ok";
            let found = records.iter().filter(is_other).map(|record| record["file"].as_str());
            assert!(other.is_none_or(|other| found.flatten().any(|file| file == other)));
        }
        let text = egdb(&["verify", "--egdb", dir_name], "").stdout;
        assert!(text.contains(&format!("MISSING, but {witness} is there")), "{text}");
        // If only the checksums are left, they are the evidence.
        fs::remove_file(dir.join(witness)).unwrap();
        let text = egdb(&["verify", "--egdb", dir_name], "").stdout;
        assert!(text.contains(&format!("MISSING, but {gone}.sum is there")), "{text}");
    }
}

/// Piece counts that a folder lacks are named, and the databases of the program fill them.
#[test]
fn gaps_are_named_and_filled() {
    let built = built();
    for name in ["dtw", "wld2", "run"] {
        let dir = copy(&built.dir(name), &format!("egdb-cli-gap-{name}"));
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_string_lossy().starts_with("db2") {
                fs::remove_file(path).unwrap();
            }
        }
        let dir_name = dir.to_str().unwrap();
        let text = ok(&["identify", "--egdb", dir_name], "");
        assert!(text.contains("up to 3 pieces, without those of 2 pieces"), "{text}");
        let report = json(&ok(&["identify", "--egdb", dir_name, "--json"], ""));
        assert_eq!(report["databases"][0]["missing_pieces"], serde_json::json!([2]));
        let of = |dir: &str| {
            let lines: String = (6..50).map(|square| format!("W:WK1:B{square}\n")).collect();
            let answers = json_lines(&ok(&["probe", "--json", "--egdb", dir, "-"], &lines));
            let values = answers.iter().map(|it| (it["value"].clone(), it["dtw"].clone()));
            values.collect::<Vec<_>>()
        };
        let found = of(dir_name);
        assert_eq!(found, of(&built.dir(name)));
        assert!(found.iter().filter(|found| found.0 == "win" || found.1.is_u64()).count() > 0);
    }
    let report = json(&ok(&["identify", "--egdb", &built.dir("mtc"), "--json"], ""));
    assert_eq!(report["databases"][0]["missing_pieces"], serde_json::json!([]));
}

/// Some archives have names in capitals.
#[test]
fn names_in_capitals_are_found() {
    let built = built();
    for name in ["wld2", "dtw", "mtc"] {
        let dir = copy(&built.dir(name), &format!("egdb-cli-capitals-{name}"));
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let capitals = path.file_name().unwrap().to_string_lossy().to_uppercase();
            fs::rename(&path, dir.join(capitals)).unwrap();
        }
        let dir_name = dir.to_str().unwrap();
        let report = json(&ok(&["identify", "--egdb", dir_name, "--json"], ""));
        assert_eq!(report["databases"][0]["database"], name);
        let text = ok(&["verify", "--egdb", dir_name], "");
        let count = fs::read_dir(built.dir(name)).unwrap().count() / 2;
        assert_eq!(text.matches("ok (side file)").count(), count, "{text}");
        let _ = ok(&["verify", "--blocks", "--egdb", dir_name], "");
        let _ = ok(&["info", "--egdb", dir_name], "");
        if name == "wld2" {
            let _ = ok(&["stats", "--egdb", dir_name], "");
        }
        let fen = "W:WK1,K2:BK6";
        let of = |dir: &str| {
            let answer = json(&ok(&["probe", "--json", "--egdb", dir, fen], ""));
            [answer["value"].clone(), answer["dtw"].clone(), answer["mtc"].clone()]
        };
        assert_eq!(of(dir_name), of(&built.dir(name)));
    }
}

#[test]
fn verify_finds_the_damaged_block() {
    let built = built();
    for name in ["wld2", "mtc", "dtw"] {
        let text = ok(&["verify", "--egdb", &built.dir(name)], "");
        assert!(text.lines().all(|line| line.ends_with("ok (side file)")), "{text}");
    }
    let dir = copy(&built.dir("wld2"), "egdb-cli-damaged");
    let file = dir.join("db3.cpr1");
    let mut bytes = fs::read(&file).unwrap();
    bytes[2 * 4096 + 5] ^= 0x55;
    fs::write(&file, &bytes).unwrap();
    let dir_name = dir.to_str().unwrap();
    let output = egdb(&["verify", "--egdb", dir_name], "");
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.contains("damaged blocks: 2"), "{output:?}");
    let records = json_lines(&egdb(&["verify", "--egdb", dir_name, "--json"], "").stdout);
    let bad: Vec<_> = records.iter().filter(|record| record["result"] == "bad").collect();
    assert_eq!(bad.len(), 1);
    assert_eq!((&bad[0]["file"], &bad[0]["blocks"][0]), (&"db3.cpr1".into(), &2.into()));

    // Without side files there is nothing to compare with, but the data can be decoded.
    for entry in fs::read_dir(&dir).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "sum") {
            fs::remove_file(path).unwrap();
        }
    }
    assert!(fails(1, &["verify", "--egdb", dir_name], "").contains("--blocks"));
    let mut swapped = fs::read(built.dir.join("wld2/db3.cpr1")).unwrap();
    let text = {
        fs::write(&file, &swapped).unwrap();
        ok(&["verify", "--egdb", dir_name, "--blocks"], "")
    };
    assert!(text.contains("ok (all blocks decoded)"), "{text}");
    let (first, second) = swapped.split_at_mut(4096);
    first[1024..].swap_with_slice(&mut second[1024..4096]);
    fs::write(&file, &swapped).unwrap();
    let output = egdb(&["verify", "--egdb", dir_name, "--blocks"], "");
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.contains("damaged block"), "{output:?}");
    // Lookups in the damaged blocks fail, and say where.
    let output = egdb(&["dump", "--egdb", dir_name, "--slice=2010", "--all"], "");
    let all = Slice::stored(3).map(|slice| slice.to_string());
    let dumps =
        all.map(|slice| egdb(&["dump", "--egdb", dir_name, "--slice", &slice, "--all"], ""));
    let failed = dumps.chain([output]).filter(|o| o.code == 1);
    let damaged = failed.filter(|o| o.stderr.contains("db3.cpr1") && o.stderr.contains("damaged"));
    assert!(damaged.count() > 0);
}

#[test]
fn a_broken_index_is_refused_with_its_line() {
    let dir = copy(&built().dir("wld2"), "egdb-cli-broken");
    let file = dir.join("db3.idx1");
    let text = fs::read_to_string(&file).unwrap();
    let lines = text.lines().count();
    fs::write(&file, text + "99999999999,1,2\n").unwrap();
    let dir = dir.to_str().unwrap();
    let message = fails(2, &["info", "--egdb", dir], "");
    assert!(message.contains(&format!("db3.idx1:{}: ", lines + 1)), "{message}");
}

#[test]
fn dump_lists_stored_values() {
    let built = built();
    let slice: Slice = "1101".parse().unwrap();
    let args =
        ["dump", "--egdb", &built.dir("wld2"), "--slice", "1101", "--side", "white", "--json"];
    let records = json_lines(&ok(&args, ""));
    let table = built.solution.table(slice, Color::White);
    let expected: Vec<(u64, &str)> = table
        .iter()
        .enumerate()
        .filter(|(_, entry)| !entry.has_capture)
        .map(|(index, entry)| (index as u64, name(entry.wld)))
        .collect();
    let listed: Vec<(u64, &str)> = records
        .iter()
        .map(|r| (r["index"].as_u64().unwrap(), r["value"].as_str().unwrap()))
        .collect();
    assert_eq!(listed, expected);
    for record in records.iter().step_by(100) {
        let position = Position::from_fen(record["fen"].as_str().unwrap()).unwrap();
        let place = DbIndex::of(&position).unwrap();
        assert_eq!((place.slice, place.index), (slice, record["index"].as_u64().unwrap()));
    }
    let wins = ok(&[&args[..7], &["--value=win", "--count=5"]].concat(), "");
    assert_eq!(wins.lines().filter(|line| line.ends_with("\twin")).count(), 5, "{wins}");
    // A range, beyond the values that are read at a time.
    let range = json_lines(&ok(&[&args[..], &["--all", "--from=7", "--count=20000"]].concat(), ""));
    let range: Vec<_> = range.iter().map(|r| r["index"].as_u64().unwrap()).collect();
    assert_eq!(range, (7..slice.size().min(20_007)).collect::<Vec<_>>());

    let mtc = built.dir("mtc");
    let records =
        json_lines(&ok(&["dump", "--egdb", &mtc, "--slice=0201", "--min=10", "--json"], ""));
    let stored = |side| {
        let table = built.solution.table("0201".parse().unwrap(), side).iter();
        table.filter(|e| !e.has_capture && e.wld != Wld::Draw && e.mtc >= 10).count()
    };
    assert_eq!(records.len(), stored(Color::White) + stored(Color::Black));
    assert!(fails(2, &["dump", "--egdb", &mtc, "--slice=0102"], "").contains("0201"));
    assert!(
        fails(2, &["dump", "--egdb", &mtc, "--slice=0201", "--value=win"], "").contains("--value")
    );
}

#[test]
fn convert_there_and_back() {
    let built = built();
    let dir = scratch("egdb-cli-converted");
    let at = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let report = json(&ok(&["convert", &built.dir("wld1"), &at("a"), "--to=wld2", "--json"], ""));
    assert_eq!(report["positions"], 8_845 + 806_300);
    assert_eq!(report["unknown"], 0);
    ok(&["convert", &at("a"), &at("b"), "--to=run"], "");
    ok(&["convert", &at("b"), &at("c"), "--to=wld1"], "");
    ok(&["verify", "--egdb", &at("c")], "");
    let input: String =
        random_positions(built.solution, 300).iter().map(|p| p.to_fen() + "\n").collect();
    let answers = |dir: &str| ok(&["probe", "--egdb", dir, "-", "--json"], &input);
    let expected = answers(&built.dir("wld1"));
    for name in ["a", "b", "c"] {
        assert!(answers(&at(name)) == expected, "{name}");
    }
    assert!(fails(2, &["convert", &at("a"), &at("b"), "--to=run"], "").contains("exists"));
    ok(&["convert", &at("a"), &at("b"), "--to=run", "--force"], "");
    let said = ok(&["convert", &at("a"), &at("b"), "--to=run", "--resume"], "");
    assert!(said.starts_with("0 files, 0 positions") && said.contains("finished before"), "{said}");
    assert!(fails(2, &["convert", &at("a"), &at("d"), "--to=mtc"], "").contains("cannot become"));
    ok(&["convert", &at("a"), &at("raw"), "--to=raw", "--slices=0101", "--no-checksums"], "");
    let files: Vec<_> =
        fs::read_dir(dir.join("raw")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(files, ["db2-0101-b.raw"]);
    assert_eq!(fs::metadata(dir.join("raw/db2-0101-b.raw")).unwrap().len(), 2450);
}

#[test]
fn compact_files_answer_as_those_that_they_come_from() {
    let built = built();
    let dir = scratch("egdb-cli-compact");
    let at = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let report =
        json(&ok(&["convert", &built.dir("wld2"), &at("a"), "--to=compact", "--json"], ""));
    assert_eq!((&report["positions"], &report["unknown"]), (&815_145.into(), &0.into()));
    let size = |folder: &str, extension: &str| -> u64 {
        let file = |n| fs::metadata(Path::new(folder).join(format!("db{n}.{extension}"))).unwrap();
        (2..=3).map(|n| file(n).len()).sum()
    };
    let compact = size(&at("a"), "mdi") + size(&at("a"), "mdb");
    let version_2 = size(&built.dir("wld2"), "idx1") + size(&built.dir("wld2"), "cpr1");
    assert!(compact < version_2, "{compact} {version_2}");
    ok(&["convert", &at("a"), &at("b"), "--to=wld2"], "");
    let input: String =
        random_positions(built.solution, 300).iter().map(|p| p.to_fen() + "\n").collect();
    let answers = |dir: &str| ok(&["probe", "--egdb", dir, "-", "--json"], &input);
    let expected = answers(&built.dir("wld2"));
    assert!(answers(&at("a")) == expected);
    assert!(answers(&at("b")) == expected);

    assert!(
        ok(&["verify", "--egdb", &at("a")], "")
            .lines()
            .all(|line| line.ends_with("ok (side file)"))
    );
    assert!(ok(&["info", "--egdb", &at("a"), "--json"], "").contains("\"compact\""));
    let dump = |name: &str| ok(&["dump", "--egdb", &at(name), "--slice=1101", "--value=win"], "");
    assert!(dump("a").lines().count() > 1000);
    let bench = ["bench", "--egdb", &at("a"), "--time=0.1", "--json"];
    assert!(json(&ok(&bench, ""))["lookups"].as_u64() > Some(0));

    // A block has its checksum in itself: no side file is needed to see that it is damaged.
    let mut bytes = fs::read(dir.join("a/db3.mdb")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(dir.join("a/db3.mdb"), &bytes).unwrap();
    fs::remove_file(dir.join("a/db3.mdb.sum")).unwrap();
    let output = egdb(&["verify", "--egdb", &at("a"), "--blocks"], "");
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.contains("its checksum is wrong"), "{output:?}");
}

#[test]
fn several_databases_in_a_folder() {
    let built = built();
    let dir = copy(&built.dir("wld2"), "egdb-cli-several");
    for name in ["mtc", "dtw"] {
        for entry in fs::read_dir(built.dir.join(name)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), dir.join(entry.file_name())).unwrap();
        }
    }
    let dir = dir.to_str().unwrap();
    let types = json_lines(&ok(&["info", "--egdb", dir, "--json"], ""));
    let mut types: Vec<_> =
        types.iter().map(|report| report["database"].as_str().unwrap()).collect();
    types.sort_unstable();
    assert_eq!(types, ["dtw", "mtc", "wld2"]);
    assert!(ok(&["info", "--egdb", dir, "--type=dtw"], "").starts_with("DTW (dtw)"));
    // Where only one can be meant it is win/loss/draw.
    let line = ok(&["dump", "--egdb", dir, "--slice=1101", "--count=1", "--side=black"], "");
    assert!(["win", "loss", "draw"].iter().any(|value| line.trim_end().ends_with(value)), "{line}");
    let record = json(&ok(&["probe", "--egdb", dir, "W:WK11:BK2,K6", "--json"], ""));
    assert_eq!((&record["value"], &record["mtc"]), (&"loss".into(), &10.into()));
    let position = Position::from_fen("W:WK11:BK2,K6").unwrap();
    assert_eq!(record["dtw"], built.solution.entry(&DbIndex::of(&position).unwrap()).dtw);
}

#[test]
fn bench_measures() {
    let dir = built().dir("wld2");
    let args = ["bench", "--egdb", &dir, "--threads=2", "--time=0.2", "--json"];
    let report = json(&ok(&args, ""));
    assert!(report["lookups"].as_u64().unwrap() > 0, "{report}");
    assert_eq!((&report["pieces"], &report["threads"]), (&3.into(), &2.into()));
    let less = json(&ok(&[&args[..], &["--egdb-pieces=2"]].concat(), ""));
    assert_eq!(less["pieces"], 2);
    assert!(fails(2, &["bench", "--egdb-pieces=1"], "").contains("no data of 1 pieces"));
}

/// A match ends as soon as the database knows the position, with its value.
#[test]
fn games_of_a_match_are_adjudicated() {
    use std::sync::Arc;

    let dir = scratch("egdb-match");
    let (openings, state) = (dir.join("openings.fen"), dir.join("match.jsonl"));
    fs::write(&openings, "W:WK10,48:BK4,20\nB:WK46,K49:BK4,19\nW:W33,K40:B14,20\n").unwrap();
    let output = run(
        [
            "match".to_owned(),
            "--engine=random name=a".to_owned(),
            "--engine=random name=b param.seed=9".to_owned(),
            "--pairs=60".to_owned(),
            "--concurrency=2".to_owned(),
            format!("--egdb={}", built().dir("wld2")),
            format!("--openings={}", openings.display()),
            format!("--state={}", state.display()),
        ],
        "",
    );
    assert_eq!(output.code, 0, "{output:?}");
    // Another format of the same values judges.
    let database = egdb::Database::open(built().dir("wld1"), &egdb::OpenOptions::default());
    let mut probe = egdb::Probe::new();
    probe.add(Arc::new(database.unwrap()));
    let mut results = BTreeSet::new();
    for line in fs::read_to_string(&state).unwrap().lines().skip(1) {
        let game: Value = serde_json::from_str(line).unwrap();
        let mut position = Position::from_fen(game["fen"].as_str().unwrap()).unwrap();
        let plies = game["plies"].as_array().unwrap();
        for (index, ply) in plies.iter().enumerate() {
            assert!(index == 0 || position.piece_count() > 3, "continued in {}", position.to_fen());
            let mv = movegen::notation::hub::parse_move(&position, ply["mv"].as_str().unwrap());
            position = position.after(mv.unwrap());
        }
        if game["termination"] != "database" {
            continue;
        }
        let value = probe.wld(&position).unwrap().unwrap();
        let white = match (value, position.side_to_move()) {
            (Wld::Draw, _) => "draw",
            (Wld::Win, Color::White) | (Wld::Loss, Color::Black) => "win",
            _ => "loss",
        };
        assert_eq!(game["white"], white, "{}", position.to_fen());
        results.insert(white);
    }
    assert_eq!(results.len(), 3, "{results:?}");
    let missing =
        run(["match", "--engine=random", "--engine=random name=b", "--egdb=/nonexistent"], "");
    assert_eq!(missing.code, 1, "{missing:?}");
    assert!(missing.stderr.contains("endgame database"), "{missing:?}");
}
