//! The generator as its users see it: files from nothing, read back through the probe, compared
//! with an independent solution; interrupted, damaged, short of memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use egdb::index::unrank;
use egdb::{Database, DbIndex, DbType, OpenOptions, Probe, Slice, Wld};
use egdb_build::builder::{BuildError, BuildEvent, BuildOptions, BuildReport, Builder};
use egdb_build::convert::{ConvertOptions, Target, convert};
use movegen::Color;

use crate::support::three_pieces;

const ALL: [DbType; 3] = [DbType::Wld2, DbType::Mtc, DbType::Dtw];

fn options() -> BuildOptions {
    BuildOptions { types: ALL.to_vec(), threads: 2, ..BuildOptions::default() }
}

fn build(dir: &Path, pieces: u8, options: &BuildOptions) {
    Builder::new(dir, options, &|_| true).unwrap().build(pieces).unwrap();
}

/// All database files of a folder, not the log or the work files.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    let named = files.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    let named = named.filter(|(name, _)| name.starts_with("db"));
    named.map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}

fn slice(digits: &str) -> Slice {
    digits.parse().unwrap()
}

/// Both ways to compact files: from the work files, and from version 2.
#[test]
fn compact_files_are_those_of_a_conversion() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let types = vec![DbType::Wld2, DbType::Compact];
    build(dirs[0].path(), 3, &BuildOptions { types, ..options() });
    let version2 = OpenOptions { db_type: Some(DbType::Wld2), ..OpenOptions::default() };
    let source = Arc::new(Database::open(dirs[0].path(), &version2).unwrap());
    let to_compact = ConvertOptions::new(Target::Database(DbType::Compact));
    convert(&source, dirs[1].path(), &to_compact, &mut |_| true).unwrap();
    let mut built = files(dirs[0].path());
    built.retain(|name, _| name.contains(".mdi") || name.contains(".mdb"));
    assert_eq!(built.len(), 8, "two files and their checksums for each piece count");
    assert!(built == files(dirs[1].path()));
}

#[test]
fn a_build_equals_the_slow_solver() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), 3, &options());
    assert!(!dir.path().join("work").exists(), "work files go when the build is done");
    let mut probe = Probe::new();
    for db_type in ALL {
        let options = OpenOptions { db_type: Some(db_type), ..OpenOptions::default() };
        let database = Database::open(dir.path(), &options).unwrap();
        let report = database.verify(|_| true).unwrap();
        assert_eq!(report.failures().count(), 0);
        probe.add(Arc::new(database));
    }
    let solution = three_pieces();
    let mut decided = 0;
    for slice in solution.slices() {
        for index in 0..slice.size() {
            let board = unrank(slice, index).unwrap();
            for side in Color::ALL {
                let position = board.position(side).unwrap();
                let entry = solution.entry(&DbIndex::of(&position).unwrap());
                assert_eq!(probe.wld(&position).unwrap(), Some(entry.wld), "{position:?}");
                if entry.wld == Wld::Draw || index % 5 != 0 {
                    continue;
                }
                decided += 1;
                let (dtw, mtc) = (u32::from(entry.dtw), u32::from(entry.mtc));
                assert_eq!(probe.dtw(&position).unwrap(), Some(dtw), "{position:?}");
                assert_eq!(probe.mtc(&position).unwrap(), Some(mtc), "{position:?}");
            }
        }
    }
    assert!(decided > 50_000, "{decided}");
}

#[test]
fn the_bytes_depend_neither_on_threads_nor_on_types_nor_on_memory() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), 3, &options());
    let expected = files(dir.path());
    assert!(expected.len() >= 16);

    // The least that works: missing values are read again and again.
    let mut memory = 48 << 20;
    let small = loop {
        let small = tempfile::tempdir().unwrap();
        let options = BuildOptions { threads: 1, memory, ..options() };
        let reads = AtomicU64::new(0);
        let observer = |event: &BuildEvent| {
            if let BuildEvent::SliceDone(report) = event {
                reads.fetch_add(report.levels_loaded, Ordering::Relaxed);
            }
            true
        };
        match Builder::new(small.path(), &options, &observer).unwrap().build(3) {
            Ok(_) => {
                assert!(reads.into_inner() > 0, "a small budget reads levels again");
                break small;
            }
            Err(BuildError::Memory { needed, budget, .. }) => assert!(needed > budget),
            Err(error) => panic!("{error}"),
        }
        memory += 64 << 10;
    };
    assert_eq!(files(small.path()), expected);

    let single = tempfile::tempdir().unwrap();
    build(single.path(), 3, &BuildOptions { types: vec![DbType::Wld2], threads: 1, ..options() });
    for (name, bytes) in files(single.path()) {
        assert_eq!(expected.get(&name), Some(&bytes), "{name}");
    }
}

#[test]
fn an_interrupted_build_goes_on() {
    let whole = tempfile::tempdir().unwrap();
    build(whole.path(), 3, &options());
    let expected = files(whole.path());

    let dir = tempfile::tempdir().unwrap();
    let resume = BuildOptions { resume: true, ..options() };
    let mut interruptions = 0;
    let mut last = 0;
    for stop_after in (0..).map(|round| 1 << round) {
        let events = AtomicU64::new(0);
        let observer = |event: &BuildEvent| {
            let is_news = !matches!(event, BuildEvent::SliceReused { .. });
            events.fetch_add(u64::from(is_news), Ordering::Relaxed) < stop_after
        };
        match Builder::new(dir.path(), &resume, &observer).unwrap().build(3) {
            Ok(_) => break,
            Err(BuildError::Interrupted) => interruptions += 1,
            Err(error) => panic!("{error}"),
        }
        // Nothing is lost that was complete.
        let work = fs::read_dir(dir.path().join("work")).unwrap();
        let names = work.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let (done, unfinished): (Vec<_>, Vec<_>) = names.partition(|name| name.ends_with(".raw"));
        assert!(done.len() >= last);
        let parts = unfinished.iter().filter(|name| name.ends_with(".part")).count();
        let marks = unfinished.iter().filter(|name| name.ends_with(".none")).count();
        assert!(parts <= 1 && parts + marks == unfinished.len(), "{unfinished:?}");
        last = done.len();
    }
    assert!(interruptions >= 3, "{interruptions}");
    assert_eq!(files(dir.path()), expected);
}

/// A slice continues from its complete units, whatever was left of the unfinished one.
#[test]
fn a_slice_goes_on_where_it_stopped() {
    let whole = tempfile::tempdir().unwrap();
    let keep = BuildOptions { keep_work: true, ..options() };
    build(whole.path(), 3, &keep);
    let digits = "1110";
    let of = |dir: &Path, extension: &str| dir.join(format!("work/{digits}.{extension}"));
    let expected = fs::read(of(whole.path(), "raw")).unwrap();

    let dir = tempfile::tempdir().unwrap();
    let resume = BuildOptions { resume: true, ..keep };
    let mut stopped = None;
    for stop_after in 1..1000 {
        let units = AtomicU64::new(0);
        let observer = |event: &BuildEvent| match event {
            BuildEvent::SliceProgress { slice: of, done, .. }
                if *of == slice(digits) && *done > 0 =>
            {
                units.fetch_add(1, Ordering::Relaxed) < stop_after
            }
            _ => true,
        };
        match Builder::new(dir.path(), &resume, &observer).unwrap().build(3) {
            Err(BuildError::Interrupted) => {}
            other => panic!("{other:?}"),
        }
        let length = fs::metadata(of(dir.path(), "part")).unwrap().len();
        assert!(stopped.is_none_or(|before| length > before));
        stopped = Some(length);
        if length > expected.len() as u64 / 2 {
            break;
        }
    }
    let half = fs::read(of(dir.path(), "part")).unwrap();
    assert_eq!(half, expected[..half.len()]);

    let (mut least, mut most) = (u64::MAX, 0);
    for round in 0..12 {
        let mut part = half.clone();
        let middle = part.len() / 2 + 1000 * round;
        match round % 4 {
            0 => part.truncate(middle),
            1 => part[middle] ^= 1,
            // Written in advance, as when the list of a unit has not been written.
            2 => part.extend([0; 5000]),
            _ => part[20] ^= 1,
        }
        fs::remove_file(of(dir.path(), "raw")).ok();
        fs::write(of(dir.path(), "part"), &part).unwrap();
        let builder = Builder::new(dir.path(), &resume, &|_| true).unwrap();
        let report = builder.build_slice(slice(digits)).unwrap();
        assert!(fs::read(of(dir.path(), "raw")).unwrap() == expected, "{round}");
        let report = report.slices[0];
        (least, most) = (least.min(report.solved), most.max(report.solved));
        assert_eq!(report.solved == report.positions, round % 4 == 3, "{round}");
    }
    assert!(least < most / 2 + most / 8, "{least} {most}");
}

#[test]
fn a_limit_of_disk_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let resume = BuildOptions { resume: true, ..options() };
    let mut limit = 20 << 10;
    let mut refusals = 0;
    loop {
        let options = BuildOptions { disk: Some(limit), ..resume.clone() };
        match Builder::new(dir.path(), &options, &|_| true).unwrap().build(3) {
            Ok(_) => break,
            Err(BuildError::Disk { used, limit: of, .. }) => assert!(used > of && of == limit),
            Err(error) => panic!("{error}"),
        }
        refusals += 1;
        limit = limit / 2 * 3;
    }
    assert!(refusals > 3);
    let whole = tempfile::tempdir().unwrap();
    build(whole.path(), 3, &options());
    assert_eq!(files(dir.path()), files(whole.path()));
}

#[test]
fn damaged_work_files_and_databases_are_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let keep = BuildOptions { keep_work: true, ..options() };
    build(dir.path(), 3, &keep);
    let expected = files(dir.path());

    let work = dir.path().join("work");
    let damage = |path: &Path, at: usize| {
        let mut bytes = fs::read(path).unwrap();
        bytes[at] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    damage(&work.join("1110.raw"), 3000);
    damage(&work.join("2001.raw"), 0);
    fs::write(work.join("0201.raw"), b"short").unwrap();
    fs::write(work.join("0210.raw.Qw3rTy.tmp"), b"left by a crash").unwrap();
    fs::remove_file(work.join("0210.raw")).unwrap();
    damage(&dir.path().join("db3.cpr1"), 700);
    fs::remove_file(dir.path().join("db3.idx_dtw")).unwrap();

    let log = std::sync::Mutex::new((Vec::new(), Vec::new(), Vec::new()));
    let observer = |event: &BuildEvent| {
        let mut log = log.lock().unwrap();
        match event {
            BuildEvent::SliceDiscarded { slice, .. } => log.0.push(*slice),
            BuildEvent::SliceDone(report) => log.1.push(report.slice),
            BuildEvent::Packed { db_type, stem, .. } => log.2.push(format!("{stem} {db_type}")),
            _ => {}
        }
        true
    };
    let resume = BuildOptions { resume: true, ..keep };
    Builder::new(dir.path(), &resume, &observer).unwrap().build(3).unwrap();
    let (discarded, built, mut packed) = log.into_inner().unwrap();
    assert_eq!(discarded, [slice("0201"), slice("1110"), slice("2001")]);
    assert_eq!(built, [slice("0201"), slice("0210"), slice("1110"), slice("2001")]);
    packed.sort();
    assert_eq!(packed, ["db3 DTW", "db3 WLD version 2"]);
    assert_eq!(files(dir.path()), expected);
}

#[test]
fn two_builders_in_a_folder_are_kept_apart() {
    let dir = tempfile::tempdir().unwrap();
    let resume = BuildOptions { resume: true, ..options() };
    let refusals = std::sync::Mutex::new(Vec::new());
    let second = |options: &BuildOptions,
                  work: &dyn Fn(Builder<'_>) -> Result<BuildReport, BuildError>| {
        let error = Builder::new(dir.path(), options, &|_| true).and_then(work).unwrap_err();
        refusals.lock().unwrap().push(error.to_string());
    };
    let observer = |event: &BuildEvent| {
        if matches!(event, BuildEvent::SliceDone(report) if report.slice == slice("0210")) {
            second(&options(), &|builder| builder.build(2));
            second(&resume, &|builder| builder.build(3));
            second(&resume, &|builder| builder.build_slice(slice("0101")));
            second(&resume, &|builder| builder.pack_only(2));
        }
        true
    };
    Builder::new(dir.path(), &options(), &observer).unwrap().build(3).unwrap();
    let me = format!("process {}", std::process::id());
    let refusals = refusals.into_inner().unwrap();
    assert_eq!(refusals.len(), 4);
    assert!(refusals.iter().all(|text| text.contains(&me)), "{refusals:?}");
    // The first one was not disturbed, and has left the folder to others.
    let alone = tempfile::tempdir().unwrap();
    build(alone.path(), 3, &options());
    assert_eq!(files(dir.path()), files(alone.path()));
    Builder::new(dir.path(), &resume, &|_| true).unwrap().build(3).unwrap();
}

#[cfg(unix)]
#[test]
fn a_pipe_with_the_name_of_a_file_does_not_stop_the_builder_for_ever() {
    for name in ["db2.cpr1", "work/0101.raw"] {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("work")).unwrap();
        let pipe = dir.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let resume = BuildOptions { resume: true, ..options() };
        let error = Builder::new(dir.path(), &resume, &|_| true).unwrap().build(2).unwrap_err();
        let text = meerslag_files::with_causes(&error);
        assert!(text.contains(name) && text.contains("not a regular file"), "{text}");
    }
}

#[test]
fn slices_alone_and_what_they_need() {
    let whole = tempfile::tempdir().unwrap();
    build(whole.path(), 2, &options());

    let dir = tempfile::tempdir().unwrap();
    let keep = BuildOptions { keep_work: true, ..options() };
    let resume = BuildOptions { resume: true, ..options() };
    let builder = Builder::new(dir.path(), &keep, &|_| true).unwrap();
    let report = builder.build_slices(&[slice("0201")]).unwrap();
    let built: Vec<Slice> = report.slices.iter().map(|report| report.slice).collect();
    assert_eq!(built, [slice("0101"), slice("0201")]);
    let of_two = || {
        let mut files = files(dir.path());
        files.retain(|name, _| name.starts_with("db2"));
        files
    };
    assert!(!of_two().is_empty() && of_two() != files(whole.path()));

    // As several processes would do it: each slice separately, then the files.
    let builder = || Builder::new(dir.path(), &resume, &|_| true).unwrap();
    assert!(matches!(
        builder().build_slice(slice("1010")),
        Err(BuildError::Missing { missing, .. }) if missing == slice("0110")
    ));
    assert!(matches!(builder().pack_only(2), Err(BuildError::Missing { .. })));
    for digits in ["0101", "0110", "1010"] {
        builder().build_slice(slice(digits)).unwrap();
    }
    builder().pack_only(2).unwrap();
    assert!(of_two() == files(whole.path()));
}

/// Files of distances do not say which slices they are for, but those of a piece count are all there.
#[test]
fn distances_alone_are_packed_by_piece_count() {
    let types = vec![DbType::Mtc, DbType::Rules];
    let options = BuildOptions { types, keep_work: true, resume: true, ..options() };
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), 3, &options);
    let whole = files(dir.path());
    for name in whole.keys().filter(|name| name.starts_with("db3")) {
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    Builder::new(dir.path(), &options, &|_| true).unwrap().pack_only(3).unwrap();
    assert!(files(dir.path()) == whole);
}

/// Files for several slices hold those that are built; later ones join them.
#[test]
fn files_of_a_part_grow() {
    let types = [&ALL[..], &[DbType::Compact, DbType::Rules]].concat();
    let options = BuildOptions { types: types.clone(), ..options() };
    let resume = BuildOptions { resume: true, ..options.clone() };
    let [dir, both, whole] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let build_slices = |dir: &tempfile::TempDir, options: &BuildOptions, digits: &[&str]| {
        let slices: Vec<Slice> = digits.iter().map(|digits| slice(digits)).collect();
        let report = Builder::new(dir.path(), options, &|_| true).unwrap().build_slices(&slices);
        report.unwrap().files.len()
    };
    // Ten files of two pieces but one without a distance to conversion, and ten of three.
    assert!(build_slices(&dir, &options, &["0201"]) > 12);
    fs::write(dir.path().join("db7-0502.cpr1.Qw3rTy.tmp"), b"of a type that is not built").unwrap();
    for db_type in [DbType::Wld2, DbType::Compact] {
        let open = OpenOptions { db_type: Some(db_type), ..OpenOptions::default() };
        let database = Arc::new(Database::open(dir.path(), &open).unwrap());
        let has = ["0101", "0201", "1010", "1101"].map(|digits| database.has_slice(slice(digits)));
        assert_eq!(has, [true, true, false, false], "{db_type}");
        let mut probe = Probe::new();
        probe.add(database);
        for index in (0..slice("0201").size()).step_by(97) {
            let position = unrank(slice("0201"), index).unwrap().position(Color::Black).unwrap();
            let value = three_pieces().entry(&DbIndex::of(&position).unwrap()).wld;
            assert_eq!(probe.wld(&position).unwrap(), Some(value), "{position:?}");
        }
    }

    build_slices(&dir, &resume, &["1101"]);
    build_slices(&both, &options, &["0201", "1101"]);
    assert!(files(dir.path()).keys().all(|name| !name.ends_with(".tmp")));
    assert!(files(dir.path()) == files(both.path()));
    assert_eq!(build_slices(&dir, &resume, &["0201"]), 0);
    Builder::new(dir.path(), &resume, &|_| true).unwrap().build(3).unwrap();
    build(whole.path(), 3, &options);
    assert!(files(dir.path()) == files(whole.path()));

    // Such a file of distances to conversion alone would not say which slices it is for.
    let mtc = BuildOptions { types: vec![DbType::Mtc], ..options };
    let dir = tempfile::tempdir().unwrap();
    let builder = Builder::new(dir.path(), &mtc, &|_| true).unwrap();
    let error = builder.build_slices(&[slice("0201")]).unwrap_err();
    assert!(matches!(error, BuildError::Part { pieces: 2, .. }), "{error}");
}

/// Several machines share a build by copying files: what is in a work file is not solved again.
#[test]
fn a_set_grows_by_slices_of_other_machines() {
    let types = vec![DbType::Compact, DbType::Dtw, DbType::Rules];
    let options = BuildOptions { types, keep_work: true, resume: true, ..options() };
    let [first, second, whole] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    build(whole.path(), 3, &options);
    build(first.path(), 2, &options);
    let copy_work = |from: &tempfile::TempDir, to: &tempfile::TempDir, wanted: &[&str]| {
        for folder in ["work", "work/rules"] {
            fs::create_dir_all(to.path().join(folder)).unwrap();
            for entry in fs::read_dir(from.path().join(folder)).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                if wanted.iter().any(|digits| name.starts_with(digits)) {
                    let path = |dir: &tempfile::TempDir| dir.path().join(folder).join(&name);
                    fs::copy(path(from), path(to)).unwrap();
                }
            }
        }
    };
    let solved = |dir: &tempfile::TempDir, digits: &[&str]| -> Vec<String> {
        let slices: Vec<Slice> = digits.iter().map(|digits| slice(digits)).collect();
        let report = Builder::new(dir.path(), &options, &|_| true).unwrap().build_slices(&slices);
        report.unwrap().slices.iter().map(|it| it.slice.to_string()).collect()
    };
    // One has the files of two pieces, the other what its slice needs: each slice in two passes.
    assert_eq!(solved(&first, &["0201"]), ["0201", "0201"]);
    copy_work(&first, &second, &["0101", "0110", "0201"]);
    assert_eq!(solved(&second, &["0210"]), ["0210", "0210"]);
    // And back: nothing is solved twice.
    copy_work(&second, &first, &["0210"]);
    let left = solved(&first, &["2010", "2001", "1110", "1101", "0210", "0201"]);
    assert_eq!(left.len(), 2 * 4, "{left:?}");
    assert!(!left.contains(&"0210".into()));
    assert!(files(first.path()) == files(whole.path()));
}

/// Captures and crowning convert, so the slices they lead to may lack distances.
#[test]
fn distances_to_conversion_of_one_slice() {
    let mtc = BuildOptions {
        types: vec![DbType::Wld2, DbType::Mtc],
        resume: true,
        keep_work: true,
        ..options()
    };
    let [whole, single] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    build(whole.path(), 3, &mtc);
    build(single.path(), 3, &BuildOptions { types: vec![DbType::Wld2], ..mtc.clone() });
    let work = |dir: &Path| fs::read(dir.join("work/1110.raw")).unwrap();
    assert_ne!(work(single.path()), work(whole.path()));
    let builder = Builder::new(single.path(), &mtc, &|_| true).unwrap();
    assert_eq!(builder.build_slice(slice("1110")).unwrap().slices.len(), 1);
    assert_eq!(work(single.path()), work(whole.path()));
}

#[test]
fn a_folder_with_files_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), 2, &options());
    let error = Builder::new(dir.path(), &options(), &|_| true).map(|_| ()).unwrap_err();
    assert!(matches!(error, BuildError::NotEmpty { .. }), "{error}");
    assert!(error.to_string().contains(&*dir.path().to_string_lossy()));
}
