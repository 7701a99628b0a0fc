//! Import and search of a file that the bench builds itself, from games that it makes.
//!
//! `MEERSLAG_GAMES=500000 cargo bench -p meerslag-games` takes the size of the issue; without it
//! 20,000 games. Each search is checked against what it must find.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use meerslag_games::{GamesFile, ImportOptions, Outcome, Query, Sort};
use movegen::notation::pdn::{GameResult, PdnGame, Ply, WriteOptions, write_game};
use movegen::random::Random;
use movegen::{Game, Position};

/// Moves of both sides of a game.
const PLIES: usize = 100;

/// Games of a hundred plies: the first ten among few moves, as openings are; then at random, but
/// with as few pieces lost as can be, so that the games last.
fn make(path: &Path, count: usize) -> u64 {
    let mut out = BufWriter::new(File::create(path).expect("a file"));
    let mut random = Random::new(1);
    let mut plies = 0;
    for number in 0..count {
        let mut game = PdnGame::new(Position::initial());
        let mut below = |most: u64| random.next_u64() % most;
        for (name, value) in [
            ("Event", format!("Tournament {}", below(2_000))),
            ("Site", "Utrecht".to_owned()),
            ("Date", format!("{}.{:02}.{:02}", 1950 + below(75), 1 + below(12), 1 + below(28))),
            ("Round", (1 + number % 11).to_string()),
            ("White", format!("Surname{}, Given{}", below(9_000), below(40))),
            ("Black", format!("Surname{}, Given{}", below(9_000), below(40))),
            ("WhiteRating", (1_600 + below(900)).to_string()),
            ("BlackRating", (1_600 + below(900)).to_string()),
        ] {
            game.tags.set(name, &value);
        }
        let mut position = game.start;
        while game.line.plies.len() < PLIES {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let few = if game.line.plies.len() < 10 { moves.len().min(3) } else { moves.len() };
            // Of some random moves, the one that allows the fewest captures.
            let tries = (0..4).map(|_| moves[below(few as u64) as usize]);
            let lost = |mv: &movegen::Move| {
                let after = position.after(*mv).legal_moves();
                after.first().map_or(0, |reply| reply.captured().len())
            };
            let Some(mv) = tries.min_by_key(lost) else { break };
            game.line.plies.push(Ply::from(mv));
            position = position.after(mv);
        }
        plies += game.line.plies.len() as u64;
        let results = [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins];
        game.result = results[below(3) as usize];
        write_game(&mut out, &game, &WriteOptions::default()).expect("room on the disk");
    }
    out.flush().expect("room on the disk");
    plies
}

/// The time limits for an exact position, a search in the columns, and a search of all boards, in
/// 500,000 games on two cores.
const POSITION: Duration = Duration::from_millis(50);
const COLUMNS: Duration = Duration::from_millis(100);
const BOARDS: Duration = Duration::from_secs(5);

/// The most memory that this process has used, in MiB, if the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib / 1024)
}

fn timed<T>(what: &str, most: Duration, work: impl Fn() -> T) -> T {
    let start = Instant::now();
    let first = work();
    let once = start.elapsed();
    let start = Instant::now();
    let again = black_box(work());
    let again_took = start.elapsed();
    println!("{what:<42} {once:>10.1?} first, {again_took:>10.1?} again (wanted: {most:?})");
    drop(first);
    again
}

fn main() {
    // `cargo test` runs benches, too, with an option.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let count: usize =
        std::env::var("MEERSLAG_GAMES").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let folder = std::env::var_os("MEERSLAG_GAMES_DIR");
    let folder = folder.map_or_else(std::env::temp_dir, Into::into).join("meerslag-games-bench");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let (pdn, path) = (folder.join("games.pdn"), folder.join("all.games"));
    let start = Instant::now();
    let plies = make(&pdn, count);
    let bytes = std::fs::metadata(&pdn).map_or(0, |data| data.len());
    println!("{count} games, {plies} plies, {bytes} bytes of PDN, made in {:.1?}", start.elapsed());

    let start = Instant::now();
    let mut games = GamesFile::open_or_create(&path).expect("a file of games");
    let report = games.import(&[pdn], ImportOptions::default(), &mut |_| true).expect("import");
    println!(
        "import: {:.1?} (wanted: 6 minutes), {} added, {} duplicates",
        start.elapsed(),
        report.added,
        report.duplicates
    );
    assert_eq!(report.games, count as u64);
    if let Some(most) = peak_memory() {
        println!("peak memory so far: {most} MiB (wanted: 500 MB)");
    }
    drop(games);
    let games = GamesFile::open(&path).expect("a file of games");
    let info = games.info().expect("info");
    let each = info.bytes as f64 / count as f64;
    println!("file: {} bytes, {each:.0} a game (wanted: 1.2 GB, 2,400 a game)", info.bytes);

    let all = games.find(&Query::default(), 0, 1).expect("find");
    assert_eq!(all.total, report.added);
    let stored = games.game(all.hits[0].game.id).expect("a game").expect("a game").game;
    let mut line = Game::new(stored.start);
    for (ply, mv) in stored.line.moves().enumerate() {
        if [1, 6, 20, 60].contains(&ply) {
            let query = Query { position: Some(*line.position()), ..Query::default() };
            let page = timed(&format!("position after {ply} plies"), POSITION, || {
                games.find(&query, 0, 50).expect("find")
            });
            println!("    {} games", page.total);
            assert!(page.total >= 1);
            if ply <= 6 {
                let tree = timed("    its tree", BOARDS, || games.tree(&query).expect("tree"));
                assert_eq!(tree.games, page.total);
            }
        }
        line.play(mv).expect("a legal move");
    }
    for sort in Sort::ALL {
        let query = Query { sort, ..Query::default() };
        let far = report.added / 5 * 4;
        for skip in [0, far] {
            let what = format!("all by {sort:?}, from {skip} on");
            let page = timed(&what, COLUMNS, || games.find(&query, skip, 50).expect("find"));
            assert_eq!(page.hits.len(), 50);
        }
    }
    for (what, query) in [
        ("player", Query { player: Some("surname77".into()), ..Query::default() }),
        (
            "player, colour, result, years",
            Query {
                player: Some("surname7*".into()),
                color: Some(movegen::Color::White),
                result: Some(Outcome::PlayerWins),
                years: Some(1970..=1979),
                ..Query::default()
            },
        ),
        ("rating", Query { min_rating: Some(2_400), ..Query::default() }),
        ("event", Query { event: Some("tournament 77".into()), ..Query::default() }),
        (
            "pattern, both sides",
            Query {
                pattern: Some("w27,32 b18 .22 not w31".parse().expect("a pattern")),
                twin: true,
                ..Query::default()
            },
        ),
        (
            "the same by date",
            Query {
                pattern: Some("w27,32 b18 .22 not w31".parse().expect("a pattern")),
                twin: true,
                sort: Sort::Date,
                ..Query::default()
            },
        ),
        (
            "pattern that lasts, and a rare one",
            Query {
                pattern: Some("w27,28,32,37,38 b16,18,19 .22".parse().expect("a pattern")),
                lasting: Some(4),
                ..Query::default()
            },
        ),
        (
            "manoeuvre, both sides",
            Query {
                moves: Some("31-26 36-31 31-27".parse().expect("moves")),
                within: Some(12),
                twin: true,
                ..Query::default()
            },
        ),
        ("sacrifice of three", Query { sacrifice: Some(3), within: Some(6), ..Query::default() }),
    ] {
        let is_of_boards =
            query.pattern.is_some() || query.moves.is_some() || query.sacrifice.is_some();
        let most = if is_of_boards { BOARDS } else { COLUMNS };
        let page = timed(what, most, || games.find(&query, 0, 50).expect("find"));
        println!("    {} games", page.total);
    }
    drop(games);
    let _ = std::fs::remove_dir_all(&folder);
}
