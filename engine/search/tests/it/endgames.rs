//! Endings of 2 to 4 pieces against perfect play: won ones are won, in the exact number of plies
//! if the distance to win is known; drawn ones are not lost.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use egdb::DatabaseOptions;
use egdb::index::unrank;
use egdb::{Probe, Slice, Wld};
use meerslag_search::{Control, Engine, EngineOptions, Info, Limits, Mode};
use movegen::Score;
use movegen::notation::fen::Fen;
use movegen::random::Random;
use movegen::{Color, DrawCounters, DrawRules, Game, Move, Position, Status};

use crate::support::{position, random_position};

const THINKING_TIME: Duration = Duration::from_millis(10);

fn probe() -> &'static Probe {
    static PROBE: OnceLock<Probe> = OnceLock::new();
    PROBE.get_or_init(|| Probe::embedded().unwrap())
}

/// All arrangements of material of 2 to 4 pieces.
fn slices() -> impl Iterator<Item = Slice> {
    (2..=4).flat_map(Slice::stored)
}

fn position_in(random: &mut Random, slice: Slice) -> Position {
    let placement = unrank(slice, random.below_u64(slice.size())).unwrap();
    let position = placement.position(Color::ALL[random.below(2)]).unwrap();
    // Of a slice and its twin with exchanged colours only one is listed.
    if random.below(2) == 0 { position } else { position.reversed() }
}

/// Won positions of every slice, side to move and distance, as evenly as `tries` random positions
/// of each slice allow, and the longest wins of all.
fn won_positions(count: usize, tries: usize) -> Vec<(Position, u32)> {
    let mut random = Random::new(2_000);
    let mut by_distance: HashMap<(Slice, Color, u32), Vec<Position>> = HashMap::new();
    for slice in slices() {
        for _ in 0..tries {
            let position = position_in(&mut random, slice);
            if probe().wld(&position).unwrap() == Some(Wld::Win) {
                let plies = probe().dtw(&position).unwrap().unwrap();
                by_distance
                    .entry((slice, position.side_to_move(), plies))
                    .or_default()
                    .push(position);
            }
        }
    }
    let mut groups: Vec<_> = by_distance.into_iter().collect();
    groups.sort_by_key(|&((slice, side, plies), _)| (plies, slice.id(), side.index()));
    let mut found = longest_wins();
    let mut round = 0;
    while found.len() < count {
        let before = found.len();
        for ((.., plies), positions) in &groups {
            found.extend(positions.get(round).map(|&position| (position, *plies)));
        }
        assert!(found.len() > before, "not enough positions");
        round += 1;
    }
    found.truncate(count);
    found
}

/// The longest win of each slice and side to move, from the statistics of the databases.
fn longest_wins() -> Vec<(Position, u32)> {
    let text = include_str!("../../../../positions/egdb/statistics.jsonl");
    let mut found = Vec::new();
    for line in text.lines() {
        let Some((_, rest)) = line.split_once("\"longest_dtw_win_fen\":\"") else { continue };
        let position = position(rest.split('"').next().unwrap());
        if position.piece_count() <= 4 {
            found.push((position, probe().dtw(&position).unwrap().unwrap()));
        }
    }
    found
}

fn drawn_positions(count: usize) -> Vec<Position> {
    let mut random = Random::new(4_000);
    let slices: Vec<Slice> = slices().collect();
    let mut found = Vec::new();
    for number in 0.. {
        if found.len() == count {
            break;
        }
        let position = position_in(&mut random, slices[number % slices.len()]);
        if probe().wld(&position).unwrap() == Some(Wld::Draw) {
            found.push(position);
        }
    }
    found
}

/// The longest resistance of a lost side; a draw if the opponent has erred.
fn defence_by(probe: &Probe, game: &Game) -> Move {
    let after = |mv: &Move| probe.dtw(&game.position().after(*mv)).unwrap().unwrap_or(u32::MAX);
    game.position().legal_moves().iter().copied().max_by_key(after).unwrap()
}

fn defence(game: &Game) -> Move {
    defence_by(probe(), game)
}

/// A move that keeps the value, by chance.
fn keeping(game: &Game, random: &mut Random) -> Move {
    let position = game.position();
    let value = probe().wld(position).unwrap().unwrap();
    let keeps = |mv: &&Move| probe().wld(&position.after(**mv)).unwrap() == Some(value.opponent());
    let moves = position.legal_moves();
    let moves: Vec<Move> = moves.iter().filter(keeps).copied().collect();
    moves[random.below(moves.len())]
}

/// Plays on until the game is over by the default rules; the engine begins.
fn play(
    engine: &mut Engine,
    start: Position,
    limits: &Limits,
    mut opponent: impl FnMut(&Game) -> Move,
) -> Game {
    let mut game = Game::new(start);
    let side = start.side_to_move();
    engine.new_game();
    while !game.status(DrawRules::default()).is_over() {
        let mv = if game.position().side_to_move() == side {
            engine.search(&game, limits, &Control::new(), &mut |_| {}).best.unwrap()
        } else {
            opponent(&game)
        };
        game.play(mv).unwrap();
    }
    game
}

fn has_won(game: &Game, side: Color) -> bool {
    matches!(game.status(DrawRules::default()), Status::Win(winner, _) if winner == side)
}

fn engine(databases: DatabaseOptions) -> Engine {
    Engine::new(EngineOptions { hash_mib: 4, databases, ..EngineOptions::default() }).unwrap()
}

/// A folder with the embedded files of these types only.
fn folder(extensions: &[&str]) -> tempfile::TempDir {
    folder_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../egdb/data/embedded"), extensions)
}

/// A folder with these types of files of another one.
fn folder_of(source: &Path, extensions: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(source).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if extensions.contains(&extension) {
            std::fs::copy(&path, dir.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    dir
}

fn options(dir: &tempfile::TempDir) -> DatabaseOptions {
    DatabaseOptions { folders: vec![dir.path().to_owned()], ..DatabaseOptions::default() }
}

const WLD: [&str; 4] = ["mdi", "mdb", "idx1", "cpr1"];
const WLD_MTC: [&str; 6] = ["mdi", "mdb", "idx1", "cpr1", "idx_mtc", "cpr_mtc"];

#[test]
fn wins_2000_positions_in_the_exact_number_of_plies() {
    let mut engine = engine(DatabaseOptions::default());
    let limits = Limits::move_time(THINKING_TIME);
    let positions = won_positions(2_000, 20_000);
    let longest = positions.iter().map(|&(_, plies)| plies).max();
    assert_eq!(longest, Some(43), "the longest win of 4 pieces is among them");
    for (start, plies) in positions {
        let game = play(&mut engine, start, &limits, defence);
        assert!(has_won(&game, start.side_to_move()), "{} in {plies}", start.to_fen());
        assert_eq!(game.ply() as u32, plies, "{}", start.to_fen());
    }
}

#[test]
fn wins_2000_positions_by_conversions() {
    let dir = folder(&WLD_MTC);
    let mut engine = engine(options(&dir));
    // Where the 5 moves count it searches: less than 10 ms, and the same on every machine.
    let limits = Limits::nodes(20_000);
    let mut random = Random::new(1);
    let (mut plies, mut shortest) = (0, 0);
    for (number, (start, distance)) in won_positions(2_000, 20_000).into_iter().enumerate() {
        // Against the longest resistance, and against any other.
        let game = if number % 2 == 0 {
            play(&mut engine, start, &limits, defence)
        } else {
            play(&mut engine, start, &limits, |game| keeping(game, &mut random))
        };
        assert!(has_won(&game, start.side_to_move()), "{} in {distance}", start.to_fen());
        plies += game.ply();
        shortest += distance as usize;
    }
    println!("{plies} plies for {shortest}");
}

#[test]
fn wins_without_distances_by_search() {
    let dir = folder(&WLD);
    let mut engine = engine(options(&dir));
    // Nodes, so that the result does not depend on the machine.
    let limits = Limits::nodes(20_000);
    let positions = won_positions(600, 2_000);
    let mut won = 0;
    for (start, _) in &positions {
        let game = play(&mut engine, *start, &limits, defence);
        won += usize::from(has_won(&game, start.side_to_move()));
    }
    println!("{won} of {} won", positions.len());
    assert!(won * 100 >= positions.len() * 98, "{won} of {}", positions.len());
}

/// As above with five pieces or more: with any database types, a won position is won.
#[test]
#[ignore = "needs databases with distances to win: MEERSLAG_EGDB_DIR=DIR"]
fn wins_positions_of_larger_databases() {
    let dir = std::env::var_os("MEERSLAG_EGDB_DIR").expect("MEERSLAG_EGDB_DIR names a folder");
    let dir = PathBuf::from(dir);
    let probe = DatabaseOptions::in_folders([&dir]).open().unwrap();
    let slices: Vec<Slice> = Slice::stored(probe.max_pieces()).collect();
    let (wld_mtc, wld) = (folder_of(&dir, &WLD_MTC), folder_of(&dir, &WLD));
    let all = DatabaseOptions { folders: vec![dir], ..DatabaseOptions::default() };
    let limits = Limits::move_time(THINKING_TIME);
    let mut missed = Vec::new();
    for (name, databases) in
        [("all types", all), ("WLD and MTC", options(&wld_mtc)), ("WLD", options(&wld))]
    {
        let mut engine = engine(databases);
        let mut random = Random::new(5);
        let (mut count, mut won, mut plies, mut shortest) = (0, 0, 0, 0);
        while count < 1_000 {
            let start = position_in(&mut random, slices[count % slices.len()]);
            if probe.wld(&start).unwrap() != Some(Wld::Win) {
                continue;
            }
            count += 1;
            let game = play(&mut engine, start, &limits, |game| defence_by(&probe, game));
            if has_won(&game, start.side_to_move()) {
                won += 1;
                plies += game.ply();
                shortest += probe.dtw(&start).unwrap().unwrap() as usize;
            } else {
                missed.push((name, start.to_fen(), game.status(DrawRules::default())));
            }
        }
        println!("{name}: {won} of {count} won, {plies} plies for {shortest}");
        assert!(name != "all types" || plies == shortest, "the shortest way");
    }
    assert!(missed.iter().all(|(name, ..)| *name == "WLD"), "{missed:?}");
    println!("not won: {missed:?}");
}

fn never_loses(count: usize, limits: &Limits) {
    let mut engine = engine(DatabaseOptions::default());
    let mut random = Random::new(3);
    let (mut plies, mut won) = (0, 0);
    for start in drawn_positions(count) {
        let side = start.side_to_move();
        let game = play(&mut engine, start, limits, |game| {
            // Mostly a move that keeps the draw, at times any.
            if random.below(8) == 0 {
                let moves = game.position().legal_moves();
                moves[random.below(moves.len())]
            } else {
                keeping(game, &mut random)
            }
        });
        assert!(!has_won(&game, side.opponent()), "{}", start.to_fen());
        won += usize::from(has_won(&game, side));
        plies += game.ply();
    }
    println!("{count} drawn positions: {won} won, none lost, {plies} plies");
    assert!(won > 0, "a mistake is punished");
}

#[test]
fn never_loses_a_drawn_position() {
    never_loses(200, &Limits::nodes(500));
}

#[test]
#[ignore = "slow: about ten minutes"]
fn never_loses_2000_drawn_positions() {
    never_loses(2_000, &Limits::move_time(THINKING_TIME));
}

/// The shortest way to win.
fn attack(game: &Game) -> Move {
    let position = game.position();
    let rating = |mv: &Move| {
        let next = position.after(*mv);
        let is_won = probe().wld(&next).unwrap() == Some(Wld::Loss);
        (!is_won, probe().dtw(&next).unwrap())
    };
    position.legal_moves().iter().copied().min_by_key(rating).unwrap()
}

#[test]
fn lost_positions_resist_as_long_as_possible() {
    let mut engine = engine(DatabaseOptions::default());
    let limits = Limits::move_time(THINKING_TIME);
    let mut random = Random::new(8);
    let slices: Vec<Slice> = slices().collect();
    let mut count = 0;
    for number in 0..4_000 {
        let start = position_in(&mut random, slices[number % slices.len()]);
        if probe().wld(&start).unwrap() != Some(Wld::Loss) || !start.has_legal_move() {
            continue;
        }
        let game = play(&mut engine, start, &limits, attack);
        let plies = probe().dtw(&start).unwrap().unwrap();
        assert_eq!(game.ply() as u32, plies, "{}", start.to_fen());
        count += 1;
    }
    assert!(count > 300, "{count}");
}

#[test]
fn a_lost_position_is_saved_by_a_rule_if_one_comes_in_time() {
    let mut engine = engine(DatabaseOptions::default());
    let limits = Limits::move_time(THINKING_TIME);
    // Two kings and one against one: lost in 8 plies, and the 5 moves are up after 7.
    let start = position("B:WK2,K6:BK11");
    assert_eq!(probe().dtw(&start).unwrap(), Some(8));
    for (left, is_saved) in [(10, false), (8, false), (7, true), (2, true)] {
        let counters = DrawCounters::with_plies(&start, 10 - left);
        let mut game = Game::with_counters(start, counters);
        engine.new_game();
        while !game.status(DrawRules::default()).is_over() {
            let mv = if game.position().side_to_move() == Color::Black {
                engine.search(&game, &limits, &Control::new(), &mut |_| {}).best.unwrap()
            } else {
                attack(&game)
            };
            game.play(mv).unwrap();
        }
        assert_eq!(!has_won(&game, Color::White), is_saved, "{left}");
    }
}

/// How many in a thousand of the replies to a move lose.
fn temptation(position: &Position, mv: Move) -> usize {
    let next = position.after(mv);
    let replies = next.legal_moves();
    let loses = |reply: &&Move| probe().wld(&next.after(**reply)).unwrap() == Some(Wld::Win);
    replies.iter().filter(loses).count() * 1000 / replies.len()
}

#[test]
fn drawn_positions_are_played_for_mistakes() {
    let mut engine = engine(DatabaseOptions::default());
    let limits = Limits::nodes(300);
    let mut choices = 0;
    for start in drawn_positions(1_000) {
        let answer = probe().answer(&start).unwrap();
        let holding = answer.moves.iter().filter(|m| m.wld == Some(Wld::Draw));
        let tempting: Vec<usize> = holding.map(|m| temptation(&start, m.mv)).collect();
        let outcome = engine.search(&Game::new(start), &limits, &Control::new(), &mut |_| {});
        assert_eq!(outcome.info.score, Score::DRAW, "{}", start.to_fen());
        let played = outcome.best.unwrap();
        let value = probe().wld(&start.after(played)).unwrap();
        assert_eq!(value, Some(Wld::Draw), "{} {played}", start.to_fen());
        assert_eq!(
            Some(temptation(&start, played)),
            tempting.iter().copied().max(),
            "{} {played}",
            start.to_fen()
        );
        choices += usize::from(tempting.iter().any(|&t| t != tempting[0]));
    }
    assert!(choices > 300, "{choices}");
}

#[test]
fn several_threads_share_the_databases() {
    let options = EngineOptions { hash_mib: 4, threads: 4, ..EngineOptions::default() };
    let mut engine = Engine::new(options).unwrap();
    // Six pieces: exchanges lead into the databases everywhere.
    let start = Game::new(position("W:WK24,42,48:B22,36,44"));
    let infos = ask(&mut engine, &start, &Limits::nodes(400_000));
    assert!(infos.last().unwrap().probes > 1_000, "{:?}", infos.last());
}

fn ask(engine: &mut Engine, game: &Game, limits: &Limits) -> Vec<Info> {
    let mut infos = Vec::new();
    engine.search(game, limits, &Control::new(), &mut |info| infos.push(info.clone()));
    infos
}

#[test]
fn all_moves_are_rated() {
    let mut random = Random::new(11);
    let slices: Vec<Slice> = slices().collect();
    let mut engine = engine(DatabaseOptions::default());
    let limits = Limits { depth: Some(3), multipv: 100, mode: Mode::Analyze, ..Limits::default() };
    for number in 0..500 {
        let start = position_in(&mut random, slices[number % slices.len()]);
        let answer = probe().answer(&start).unwrap();
        if answer.wld == Some(Wld::Draw) || answer.moves.is_empty() {
            continue;
        }
        let infos = ask(&mut engine, &Game::new(start), &limits);
        assert_eq!(infos.len(), answer.moves.len());
        for info in &infos {
            let known = answer.moves.iter().find(|m| m.mv == info.pv[0]).unwrap();
            let expected = match known.wld.unwrap() {
                Wld::Win => Score::win_in(known.dtw.unwrap()),
                Wld::Draw => Score::DRAW,
                Wld::Loss => Score::loss_in(known.dtw.unwrap()),
            };
            assert_eq!(info.score, expected, "{} {}", start.to_fen(), info.pv[0]);
            if let Some(plies) = known.dtw {
                assert_eq!(info.pv.len() as u32, plies, "{} {:?}", start.to_fen(), info.pv);
            }
        }
        assert!(infos.is_sorted_by(|a, b| a.score >= b.score));
    }
}

#[test]
fn losing_moves_of_a_drawn_position_are_shown_too() {
    let mut random = Random::new(12);
    let slices: Vec<Slice> = slices().collect();
    let mut engine = engine(DatabaseOptions::default());
    let limits = Limits { depth: Some(3), multipv: 100, mode: Mode::Analyze, ..Limits::default() };
    let mut shown = 0;
    for number in 0..300 {
        let start = position_in(&mut random, slices[number % slices.len()]);
        let answer = probe().answer(&start).unwrap();
        if answer.wld != Some(Wld::Draw) {
            continue;
        }
        let infos = ask(&mut engine, &Game::new(start), &limits);
        for known in &answer.moves {
            // The last word on each.
            let info = infos.iter().rev().find(|info| info.pv[0] == known.mv).unwrap();
            let expected = known.dtw.map_or(Score::DRAW, Score::loss_in);
            assert_eq!(info.score, expected, "{} {}", start.to_fen(), known.mv);
            shown += usize::from(known.dtw.is_some());
        }
    }
    assert!(shown > 100, "{shown}");
}

/// Whatever the databases say about the others.
#[test]
fn some_moves_only_have_the_values_that_the_databases_have() {
    let mut random = Random::new(13);
    let slices: Vec<Slice> = slices().collect();
    let mut engine = engine(DatabaseOptions::default());
    let mut kinds = [0; 3];
    for number in 0..400 {
        let start = position_in(&mut random, slices[number % slices.len()]);
        let answer = probe().answer(&start).unwrap();
        let Some(wanted) = answer.moves.last().filter(|_| answer.moves.len() > 1) else { continue };
        let moves = vec![wanted.mv];
        let limits = Limits { moves, mode: Mode::Analyze, ..Limits::depth(5) };
        let infos = ask(&mut engine, &Game::new(start), &limits);
        assert!(infos.iter().all(|info| info.pv[0] == wanted.mv), "{}", start.to_fen());
        let (kind, expected) = match wanted.wld.unwrap() {
            Wld::Win => (0, Score::win_in(wanted.dtw.unwrap())),
            Wld::Draw => (1, Score::DRAW),
            Wld::Loss => (2, Score::loss_in(wanted.dtw.unwrap())),
        };
        assert_eq!(infos.last().unwrap().score, expected, "{} {}", start.to_fen(), wanted.mv);
        kinds[kind] += 1;
    }
    assert!(kinds.iter().all(|&count| count > 5), "{kinds:?}");
}

/// With the counter running, the exact distance is too long; a conversion comes in time.
#[test]
fn a_conversion_comes_before_the_25_moves() {
    let mut engine = engine(DatabaseOptions::default());
    let limits = Limits::move_time(THINKING_TIME);
    let mut late = 0;
    for (start, plies) in won_positions(2_000, 20_000) {
        let mtc = probe().mtc(&start).unwrap().unwrap();
        // Only the 25 moves count here, a conversion fits in, the whole way does not.
        let left = mtc + 2;
        let counters = DrawCounters::with_plies(&start, (50 - left.min(50)) as u16);
        if plies <= left || counters.class() != movegen::draw::MaterialClass::Other {
            continue;
        }
        late += 1;
        let mut game = Game::with_counters(start, counters);
        let side = start.side_to_move();
        engine.new_game();
        while !game.status(DrawRules::default()).is_over() {
            let mv = if game.position().side_to_move() == side {
                engine.search(&game, &limits, &Control::new(), &mut |_| {}).best.unwrap()
            } else {
                defence(&game)
            };
            game.play(mv).unwrap();
        }
        assert!(has_won(&game, side), "{} {left} plies left", start.to_fen());
    }
    assert!(late > 300, "{late}");
}

/// Positions with counters near a limit, and their values under the rules.
fn counted_positions() -> Vec<(Game, Wld)> {
    let text = include_str!("../../../../positions/egdb/rules-values.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    let row = |row: &str| {
        let mut columns = row.split('\t');
        let fen: Fen = columns.next().unwrap().parse().unwrap();
        (fen.game().unwrap(), Wld::from_name(columns.next().unwrap()).unwrap())
    };
    rows.map(row).collect()
}

#[test]
fn scores_are_those_under_the_rules() {
    let mut engine = engine(DatabaseOptions::default());
    let game = |fen: &str| fen.parse::<Fen>().unwrap().game().unwrap();
    let mut positions = counted_positions();
    // In time by conversions, and by a capture after which another rule counts.
    for fen in ["B:WK46,44:B31,K23:H46", "B:WK46,44:B31,K23:H47", "W:WK29,K19,50:BK11:H6"] {
        positions.push((game(fen), Wld::Win));
    }
    for (game, value) in positions {
        let fen = game.position().to_fen();
        let result = engine.search(&game, &Limits::nodes(2_000), &Control::new(), &mut |_| {});
        let score = result.info.score;
        let found = match score.is_decided() {
            true if score > Score::DRAW => Wld::Win,
            true => Wld::Loss,
            false => Wld::Draw,
        };
        assert_eq!(found, value, "{fen}:H{} {score:?}", game.counters().plies());
    }
}

#[test]
fn games_end_as_the_rules_let_them() {
    let mut engine = engine(DatabaseOptions::default());
    for (mut game, value) in counted_positions().into_iter().step_by(7) {
        let (side, fen) = (game.position().side_to_move(), game.position().to_fen());
        engine.new_game();
        while !game.status(DrawRules::default()).is_over() {
            let found = engine.search(&game, &Limits::nodes(300), &Control::new(), &mut |_| {});
            game.play(found.best.unwrap()).unwrap();
        }
        let found = match game.status(DrawRules::default()) {
            Status::Win(winner, ..) if winner == side => Wld::Win,
            Status::Win(..) => Wld::Loss,
            _ => Wld::Draw,
        };
        assert_eq!(found, value, "{fen}");
    }
}

#[test]
fn a_bad_folder_is_an_error_and_changes_nothing() {
    let mut engine = engine(DatabaseOptions::default());
    assert_eq!(engine.database_pieces(), 4);
    let empty = tempfile::tempdir().unwrap();
    for folder in [empty.path().to_owned(), empty.path().join("missing")] {
        let databases =
            DatabaseOptions { folders: vec![folder.clone()], ..DatabaseOptions::default() };
        let options = EngineOptions { databases, ..engine.options().clone() };
        let error = engine.set_options(options).unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains(folder.to_str().unwrap()), "{error}: {cause}");
        assert_eq!(engine.database_pieces(), 4);
    }
    let options = EngineOptions { databases: DatabaseOptions::none(), ..engine.options().clone() };
    engine.set_options(options).unwrap();
    assert_eq!(engine.database_pieces(), 0);
}

#[test]
fn a_search_above_the_databases_finds_their_wins() {
    // Exchanges into endings of four pieces and fewer.
    let mut random = Random::new(21);
    let mut with = engine(DatabaseOptions::default());
    let limits = Limits::depth(9);
    let (mut decided, mut probes) = (0, 0);
    for _ in 0..60 {
        let start = random_position(&mut random, 3, 20);
        if start.piece_count() != 5 || !start.has_legal_move() {
            continue;
        }
        with.new_game();
        let infos = ask(&mut with, &Game::new(start), &limits);
        let last = infos.last().unwrap();
        probes += last.probes;
        decided += usize::from(last.score.is_decided());
    }
    assert!(decided >= 5 && probes > 1_000, "{decided} {probes}");
}
