//! The C interface: programs in C and C++ are compiled against the header, linked with the
//! libraries, and run on databases made here.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use egdb::index::unrank;
use egdb::{Category, DbIndex, DbType, Probe, Wld};
use movegen::random::Random;
use movegen::{Board, Color, DrawCounters, DrawRules, Position};

use crate::folder::scratch;
use crate::support::solver::Solution;
use crate::support::{build, fen, three_pieces};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The shared and the static library.
fn libraries() -> &'static [PathBuf; 2] {
    static LIBRARIES: OnceLock<[PathBuf; 2]> = OnceLock::new();
    LIBRARIES.get_or_init(|| {
        let output = Command::new(env!("CARGO"))
            .args(["rustc", "--lib", "--features=capi", "--crate-type=cdylib,staticlib"])
            .args(["--message-format=json", "--manifest-path"])
            .arg(root().join("egdb/Cargo.toml"))
            // The optimised library takes a minute to compile, and tests no more.
            .args(["--", "-Copt-level=0"])
            .stderr(Stdio::inherit())
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "the libraries cannot be built");
        let text = String::from_utf8(output.stdout).unwrap();
        let messages = text.lines().map(|line| serde_json::from_str(line).expect(line));
        let mut files: Vec<PathBuf> = Vec::new();
        for message in messages {
            let message: serde_json::Value = message;
            if message["reason"] == "compiler-artifact" && message["target"]["name"] == "egdb" {
                let names = message["filenames"].as_array().unwrap();
                files.extend(names.iter().map(|name| PathBuf::from(name.as_str().unwrap())));
            }
        }
        let ends = |ends: &[&str]| {
            let is_it = |f: &&PathBuf| ends.iter().any(|e| f.extension().is_some_and(|x| x == *e));
            files.iter().find(is_it).unwrap_or_else(|| panic!("{files:?}")).clone()
        };
        [ends(&["so", "dylib", "dll"]), ends(&["a", "lib"])]
    })
}

struct Built {
    solution: &'static Solution,
    dir: PathBuf,
}

fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let dir = scratch("capi");
        let solution = three_pieces();
        for (name, db_type) in [("wld", DbType::Wld2), ("mtc", DbType::Mtc), ("dtw", DbType::Dtw)] {
            fs::create_dir_all(dir.join(name)).unwrap();
            for written in build::write(&dir.join(name), db_type, solution, |_, _| true) {
                written.write_side_files().unwrap();
            }
        }
        Built { solution, dir }
    })
}

fn compile(compiler: &str, source: &str, program: &Path, link: &[&str]) {
    let output = Command::new(compiler)
        .args(["-Wall", "-Wextra", "-Werror", "-O1", "-I"])
        .arg(root().join("egdb/include"))
        .arg(root().join("tests/tests/endgames/capi").join(source))
        .arg("-o")
        .arg(program)
        .args(link)
        .output()
        .expect("the compiler starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{source}: {errors}");
    assert_eq!(errors, "", "{source}");
}

fn run(program: &Path, args: &[&Path], input: &str) -> String {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// Positions of both colours, captures included, and the lines that describe them.
fn positions(solution: &Solution) -> (Vec<Position>, String) {
    let mut random = Random::new(7);
    let slices = solution.slices();
    let (mut list, mut text) = (Vec::new(), String::new());
    // A published record of distance to conversion: 10, the least that is stored.
    list.push(fen("W:WK11:BK2,K6"));
    for _ in 0..3000 {
        let slice = slices[random.below(slices.len())];
        let board = unrank(slice, random.below_u64(slice.size())).unwrap();
        let board = if random.below(2) == 1 { board.reversed() } else { board };
        let color = random.below(2);
        list.push(board.position(Color::ALL[color]).unwrap());
    }
    for position in &list {
        let Board { black, white, kings } = Board::from(position);
        let side = usize::from(position.side_to_move() == Color::White);
        writeln!(text, "{black:x} {white:x} {kings:x} {side}").unwrap();
    }
    (list, text)
}

fn code(value: Wld) -> i64 {
    match value {
        Wld::Win => 1,
        Wld::Loss => 2,
        Wld::Draw => 3,
    }
}

#[test]
fn a_c_program() {
    let Built { solution, dir } = built();
    let [shared, _] = libraries();
    let program = dir.join("engine-c");
    let folder = shared.parent().unwrap().to_str().unwrap();
    let rpath = format!("-Wl,-rpath,{folder}");
    compile("cc", "engine.c", &program, &[shared.to_str().unwrap(), &rpath, "-lpthread"]);

    let (list, input) = positions(solution);
    let output = run(
        &program,
        &["wld", "mtc", "dtw"].map(|n| dir.join(n)).each_ref().map(PathBuf::as_path),
        &input,
    );
    assert_eq!(output.lines().count(), list.len());
    let (mut captures, mut long, mut stopped) = (0, 0, 0);
    // With values under the draw rules, which the program's databases lack.
    let probe = Probe::embedded().unwrap();
    for (position, line) in list.iter().zip(output.lines()) {
        let numbers: Vec<i64> = line.split(' ').map(|n| n.parse().unwrap()).collect();
        let &[wld, mtc, dtw, exact_wld, exact_mtc, exact_dtw, category, left] = &numbers[..] else {
            panic!("{line}")
        };
        let counters = DrawCounters::with_plies(position, 9);
        let under_rules = probe.category(position, &counters, DrawRules::default()).unwrap();
        let expected = match under_rules.unwrap() {
            Category::Win => 2,
            Category::CursedWin => 1,
            Category::Draw => 0,
            Category::BlessedLoss => -1,
            Category::Loss => -2,
        };
        stopped += usize::from([-1, 1].contains(&category));
        assert_eq!(category, expected, "{position:?}");
        assert_eq!(left, i64::from(counters.plies_left(DrawRules::default()).unwrap()));
        let entry = solution.entry(&DbIndex::of(position).unwrap());
        let is_draw = entry.wld == Wld::Draw;
        if entry.has_capture {
            captures += 1;
            assert_eq!((wld, mtc, dtw), (0, 1, -2), "{position:?}");
        } else {
            assert_eq!(wld, code(entry.wld), "{position:?}");
            if !is_draw {
                let stored = if entry.mtc < 10 { 1 } else { i64::from(entry.mtc) & !1 };
                long += usize::from(stored > 1);
                assert_eq!((mtc, dtw), (stored, i64::from(entry.dtw) / 2), "{position:?}");
            }
        }
        assert_eq!(exact_wld, code(entry.wld), "{position:?}");
        let distance = |n: u16| if is_draw { -1 } else { i64::from(n) };
        assert_eq!(
            (exact_mtc, exact_dtw),
            (distance(entry.mtc), distance(entry.dtw)),
            "{position:?}"
        );
    }
    assert!(captures > 100 && long > 0 && stopped > 3, "{captures} {long} {stopped}");
}

#[test]
#[ignore = "needs a C++ compiler (g++)"]
fn a_cpp_program_with_the_static_library() {
    let Built { solution, dir } = built();
    let [_, archive] = libraries();
    let program = dir.join("engine-cpp");
    let mut link = vec![archive.to_str().unwrap()];
    if cfg!(target_os = "linux") {
        link.extend(["-lpthread", "-ldl", "-lm"]);
    }
    compile("g++", "engine.cpp", &program, &link);
    let foreign = dir.join("caller-cpp");
    compile("g++", "caller.c", &foreign, &link);
    let input = asked(&quiet(), false);
    let output = run(&foreign, &["".as_ref(), "0".as_ref(), &dir.join("wld")], &input);
    assert!(output.ends_with("pieces 3 2 0 0\n2\n"), "{output}");
    let (list, input) = positions(solution);
    let output = run(&program, &[&dir.join("wld")], &input);
    assert_eq!(output.lines().count(), list.len());
    for (position, line) in list.iter().zip(output.lines()) {
        let entry = solution.entry(&DbIndex::of(position).unwrap());
        let expected = if entry.has_capture { 0 } else { code(entry.wld) };
        assert_eq!(line, expected.to_string(), "{position:?}");
    }
}

/// The program `caller.c`, compiled as C.
fn caller() -> &'static Path {
    static CALLER: OnceLock<PathBuf> = OnceLock::new();
    CALLER.get_or_init(|| {
        let [shared, _] = libraries();
        let program = scratch("caller").join("caller");
        let rpath = format!("-Wl,-rpath,{}", shared.parent().unwrap().to_str().unwrap());
        compile("cc", "caller.c", &program, &[shared.to_str().unwrap(), &rpath]);
        program
    })
}

/// The lines that the caller prints.
fn call(options: &str, cache_mb: u32, dir: &Path, input: &str) -> Vec<String> {
    let cache_mb = cache_mb.to_string();
    let output = run(caller(), &[options.as_ref(), cache_mb.as_ref(), dir], input);
    output.lines().map(str::to_owned).collect()
}

/// The caller's line for a position.
fn asked(position: &Position, conditional: bool) -> String {
    let Board { black, white, kings } = Board::from(position);
    let side = u8::from(position.side_to_move() == Color::White);
    format!("{black:x} {white:x} {kings:x} {side} {}\n", u8::from(conditional))
}

/// A stored position of three pieces, lost in more plies than the threshold of conversions.
fn quiet() -> Position {
    fen("W:WK11:BK2,K6")
}

#[test]
fn options_are_taken_as_by_the_original() {
    let dir = built().dir.join("wld");
    let opened = |options: &str, cache_mb| {
        let lines = call(options, cache_mb, &dir, &asked(&quiet(), false));
        let (messages, rest): (Vec<String>, _) =
            lines.into_iter().partition(|line| line.starts_with("message"));
        (messages.len(), rest)
    };
    let three = ["pieces 3 2 0 0", "2"].map(str::to_owned).to_vec();
    // The last message says what was opened.
    for (options, messages) in [("", 1), ("maxpieces=300", 1), ("maxpieces = -1;a=b", 2)] {
        for cache_mb in [0, 1, 64] {
            assert_eq!(opened(options, cache_mb), (messages, three.clone()), "{options}");
        }
    }
    let two = ["pieces 2 1 0 0", "-2"].map(str::to_owned).to_vec();
    assert_eq!(opened("maxpieces=2,foo=2", 0), (2, two));
    assert_eq!(opened("backend=tape", 0), (1, vec!["closed".to_owned()]));
}

#[test]
fn damage_found_by_a_look_up_is_a_message() {
    let dir = scratch("capi-damage");
    for (name, content) in crate::folder::files(&built().dir.join("wld")) {
        fs::write(dir.join(name), content).unwrap();
    }
    let file = dir.join("db3.cpr1");
    let mut bytes = fs::read(&file).unwrap();
    bytes.iter_mut().step_by(500).for_each(|byte| *byte ^= 1);
    fs::write(&file, bytes).unwrap();
    let input = asked(&quiet(), false).repeat(3);
    for options in ["backend=mmap", "backend=cache"] {
        let lines = call(options, 64, &dir, &input);
        let [_, _, message, values @ ..] = &lines[..] else { panic!("{lines:?}") };
        assert!(message.contains("db3.cpr1") && message.contains("checksum"), "{lines:?}");
        assert_eq!(values, ["-2", "-2", "-2"], "{options}");
    }
    // All damage at once, and then nothing new.
    let lines = call("preload=1", 64, &dir, &input);
    let messages = lines.iter().filter(|line| line.contains("checksum")).count();
    assert!(messages > 0, "{lines:?}");
    assert_eq!(lines[lines.len() - 4..], ["pieces 3 2 0 0", "-2", "-2", "-2"]);
}

/// Makes the system forget what it holds of the files of a folder.
#[cfg(target_os = "linux")]
fn drop_from_memory(dir: &Path) {
    use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
    for entry in fs::read_dir(dir).unwrap() {
        let file = fs::File::open(entry.unwrap().path()).unwrap();
        // Only pages that are on the disk can go.
        file.sync_all().unwrap();
        posix_fadvise(&file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_conditional_look_up_does_not_touch_the_disk() {
    let Built { solution, dir } = built();
    let position = quiet();
    let half = (solution.entry(&DbIndex::of(&position).unwrap()).dtw / 2).to_string();
    let [cold, warm] = [true, false].map(|conditional| asked(&position, conditional));
    let input = format!("{cold}{warm}{cold}");
    for (name, missing, value) in [("wld", "-1", "2"), ("dtw", "-1", &half), ("mtc", "1", "10")] {
        // Its own files: pages that another test has mapped stay in memory.
        let own = scratch(&format!("capi-cold-{name}"));
        for (file, content) in crate::folder::files(&dir.join(name)) {
            fs::write(own.join(file), content).unwrap();
        }
        let dir = own;
        for backend in ["mmap", "cache"] {
            drop_from_memory(&dir);
            let lines = call(&format!("backend={backend}"), 64, &dir, &input);
            assert_eq!(lines[2..], [missing, value, value], "{name} {backend}");
            drop_from_memory(&dir);
            let lines = call(&format!("preload=1;backend={backend}"), 64, &dir, &cold);
            assert_eq!(lines[2..], [value], "{name} {backend}");
        }
    }
}

#[test]
fn files_of_eight_pieces() {
    use egdb::SubId;
    use egdb_build::encode::DatabaseWriter;

    let dir = scratch("capi-eight");
    let mut asks = String::new();
    // The smallest of all subslices: the last one of each.
    for (digits, sub, stored) in [("0503", 14, 12), ("1403", 63, 20)] {
        let slice: egdb::Slice = digits.parse().unwrap();
        let length = DbType::Mtc.subslice_length();
        let size = slice.subslice_size(sub, length);
        assert!((1..2_000_000).contains(&size), "{size}");
        let mut writer =
            DatabaseWriter::create(&dir, DbType::Mtc, &DbType::Mtc.file_stem(slice)).unwrap();
        let id = SubId { slice, sub: sub as u32, side: Color::Black };
        writer.add(id, &mut |_, out| out.fill(stored)).unwrap();
        writer.finish().unwrap().unwrap().write_side_files().unwrap();
        let first = sub * length;
        let mut all = (first..first + size).map(|n| unrank(slice, n).unwrap());
        let quiet = all.find_map(|board| {
            let position = board.position(Color::Black).ok()?;
            let captures = Color::ALL.iter().any(|&side| position.has_capture(side));
            (!captures).then_some(position)
        });
        asks += &asked(&quiet.unwrap(), false);
    }
    let lines = |options| call(options, 0, &dir, &asks)[1..].to_vec();
    assert_eq!(lines(""), ["pieces 8 5 0 5", "12", "20"]);
    assert_eq!(lines("maxkings_1side_8pcs=5"), ["pieces 8 5 0 5", "12", "20"]);
    assert_eq!(lines("maxkings_1side_8pcs=4"), ["pieces 8 5 0 4", "1", "20"]);
}

/// The names after `marker` in a text.
fn names<'t>(text: &'t str, marker: &str) -> BTreeSet<&'t str> {
    let after = text.split(marker).skip(1);
    after.map(|rest| rest.split(['(', '<']).next().unwrap().trim()).collect()
}

#[test]
fn the_header_declares_what_the_library_exports() {
    let mut exported = BTreeSet::new();
    let sources: Vec<String> = ["driver", "failure", "probe"]
        .iter()
        .map(|name| fs::read_to_string(root().join(format!("egdb/src/capi/{name}.rs"))).unwrap())
        .collect();
    for source in &sources {
        for item in source.split("#[unsafe(no_mangle)]").skip(1) {
            exported.extend(names(item.split('{').next().unwrap(), "extern \"C\" fn "));
        }
    }
    let header = fs::read_to_string(root().join("egdb/include/egdb.h")).unwrap();
    // Declarations of functions: a name before a parenthesis at the start of a statement.
    let code: String = header.split("/*").map(|part| part.split("*/").last().unwrap()).collect();
    let code: Vec<&str> = code.lines().filter(|line| !line.starts_with('#')).collect();
    let code = code.join("\n");
    let declared: BTreeSet<&str> = code
        .split(';')
        .filter(|statement| !statement.contains("(*lookup)") && !statement.contains("typedef"))
        .filter_map(|statement| statement.trim().split_once('('))
        .map(|(head, _)| head.rsplit([' ', '*', '\n']).next().unwrap())
        .filter(|name| {
            name.starts_with("egdb_") || name.starts_with("is_") || name.starts_with("meerslag_")
        })
        .collect();
    assert_eq!(declared, exported);
    assert_eq!(exported.len(), 12 + 8);
}
