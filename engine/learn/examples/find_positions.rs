//! Finds positions for the suites in `positions/`, see [`meerslag_study::suite`], and prints them.
//!
//! `cargo run --release -p meerslag-learn --example find_positions endings COUNT SEED NODES` makes
//! random positions of 4 to 6 pieces and solves them with the embedded databases and proof searches.
//! It takes those where only one move keeps the win or the draw and puts the opponent in zugzwang,
//! those where the side to move is in zugzwang itself, and long wins with kings; of these, those
//! that a search of NODES nodes without databases does not solve, or all for 0.
//!
//! `cargo run --release -p meerslag-learn --example find_positions under-rules COUNT SEED FOLDER` makes
//! positions with as many pieces as the databases in FOLDER, at random and near others whose wins take
//! long, each with a counter near the last one at which the win comes in time. It takes those that
//! players who know the databases' wins but not the draw rules may misplay.
//!
//! `cargo run --release -p meerslag-learn --example find_positions combinations COUNT GAMES...`
//! searches games of self-play for sacrifices that win a man and a half more than any other move,
//! at three depths of search.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use egdb::probe::Lookup;
use egdb::value::RulesValue;
use egdb::{Category, DatabaseOptions, DbType, Probe, Wld};
use meerslag_learn::{Contents, files};
use meerslag_search::{Control, Engine, EngineOptions, Info, Limits};
use meerslag_study::solve::{Solution, SolveOptions, Solver, Value};
use meerslag_study::suite::SuitePosition;
use movegen::notation::format_move;
use movegen::random::Random;
use movegen::{
    Color, DrawCounters, DrawRules, Fen, Game, Kind, Move, Piece, Position, Setup, Square,
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["endings", count, seed, easy] => endings(count.parse()?, seed.parse()?, easy.parse()?),
        ["under-rules", count, seed, folder] => under_rules(count.parse()?, seed.parse()?, folder),
        ["combinations", count, ref folders @ ..] => combinations(count.parse()?, folders),
        _ => Err("usage: endings COUNT SEED NODES | under-rules COUNT SEED FOLDER | \
                  combinations COUNT GAMES..."
            .into()),
    }
}

/// Prints a line of a suite.
fn print(fen: &Fen, best: &[Move], id: &str, value: &str, source: &str) {
    let position = fen.position().expect("a position");
    let mut best: Vec<String> = best.iter().map(|&mv| format_move(&position, mv)).collect();
    if best.is_empty() {
        best.push("-".to_owned());
    }
    let best = best.join(" ");
    println!("{}; {best}; {id}; {value}; {source}", fen.to_string_with_counters());
}

/// The most positions of a proof search before an ending is left out.
const PROOF_NODES: u64 = 8_000;
/// The least length of a long win, in plies.
const LONG_GAME: u32 = 15;

struct Endings<'a> {
    solver: Solver<'a>,
    go_on: AtomicBool,
}

/// The kind of exercise that an ending makes.
enum Theme {
    /// One move keeps the value, and after it the opponent would rather pass.
    Waiting(Move),
    /// The side to move would rather pass.
    Zugzwang,
    /// Long, with kings; the only move, if there is one.
    Kings(Option<Move>, u32),
}

impl Endings<'_> {
    fn solve(&mut self, position: &Position) -> Option<Solution> {
        self.solver.solve(position, &self.go_on).ok()
    }

    /// The value if the opponent of the side to move could pass, seen by the side to move.
    fn passed(&mut self, position: &Position) -> Option<Value> {
        Some(self.solve(&position.with_other_side())?.value.opponent())
    }

    /// Whether the side to move loses more by moving than by passing.
    fn is_zugzwang(&mut self, position: &Position, value: Value) -> bool {
        let is_quiet = Color::ALL.iter().all(|&color| !position.has_capture(color));
        is_quiet
            && position.legal_moves().len() > 1
            && match (value, self.passed(position)) {
                (Value::Loss, Some(passed)) => matches!(passed, Value::Draw | Value::Win),
                (Value::Draw, Some(passed)) => passed == Value::Win,
                _ => false,
            }
    }

    fn theme(&mut self, position: &Position) -> Option<(Theme, Value)> {
        let solution = self.solve(position)?;
        let value = solution.value;
        if !matches!(value, Value::Win | Value::Draw | Value::Loss) {
            return None;
        }
        if value == Value::Loss {
            return self.is_zugzwang(position, value).then_some((Theme::Zugzwang, value));
        }
        let (mut keeping, mut others) = (Vec::new(), 0);
        for mv in &solution.moves {
            match (mv.value, value) {
                (known, wanted) if known == wanted => keeping.push(mv.mv),
                (Value::Loss, _) | (Value::Draw | Value::AtMostDraw, Value::Win) => others += 1,
                _ => {
                    // The proof of the position did not need this move.
                    let next = self.solve(&position.after(mv.mv))?.value.opponent();
                    match next {
                        known if known == value => keeping.push(mv.mv),
                        Value::Loss => others += 1,
                        Value::Draw if value == Value::Win => others += 1,
                        _ => return None,
                    }
                }
            }
        }
        let only = match keeping[..] {
            [only] if others > 0 => Some(only),
            _ => None,
        };
        if let Some(mv) = only
            && !mv.is_capture()
        {
            let next = position.after(mv);
            let reply = self.solve(&next)?.value;
            if self.is_zugzwang(&next, reply) {
                return Some((Theme::Waiting(mv), value));
            }
        }
        let kings = position.all_kings().len();
        match solution.dtw {
            Some(plies) if plies >= LONG_GAME && kings >= 2 && value == Value::Win => {
                Some((Theme::Kings(only, plies), value))
            }
            _ => None,
        }
    }
}

fn endings(count: usize, seed: u64, easy: u64) -> Result<(), Box<dyn Error>> {
    let probe = Probe::embedded()?;
    let options = SolveOptions { nodes: PROOF_NODES, hash_mib: 2, ..SolveOptions::default() };
    let solver = Solver::new(&probe, options);
    let mut engine = Engine::new(EngineOptions {
        hash_mib: 1,
        databases: DatabaseOptions::none(),
        ..EngineOptions::default()
    })?;
    let mut endings = Endings { solver, go_on: AtomicBool::new(false) };
    let mut random = Random::new(seed);
    let mut found: HashMap<&str, usize> = HashMap::new();
    let mut seen = HashSet::new();
    while found.values().sum::<usize>() < count {
        let pieces = [4, 4, 4, 5, 6][random.below(5)];
        let kings = if pieces == 4 { [20, 60] } else { [0, 25] }[random.below(2)];
        let Some(position) = random_ending(&mut random, pieces, kings) else { continue };
        let Some((theme, value)) = endings.theme(&position) else { continue };
        let (kind, best, most) = match theme {
            Theme::Waiting(mv) => ("waiting", Some(mv), count * 6 / 10),
            Theme::Zugzwang => ("zugzwang", None, count / 10),
            Theme::Kings(mv, _) => ("kings", mv, count * 3 / 10),
        };
        let number = found.entry(kind).or_default();
        if *number >= most || !seen.insert(position) {
            continue;
        }
        let wanted = SuitePosition {
            start: Game::new(position),
            best: best.into_iter().collect(),
            id: String::new(),
            value: Some(value.bounds().0),
            source: String::new(),
        };
        engine.new_game();
        let first =
            engine.search(&wanted.start, &Limits::nodes(easy), &Control::new(), &mut |_| {});
        if easy > 0 && wanted.is_solved_by(first.best, first.info.score) {
            continue;
        }
        *number += 1;
        let source = match theme {
            Theme::Kings(_, plies) => format!("random position, won in {plies} plies"),
            _ => format!("random position of {pieces} pieces"),
        };
        let value = value.to_string();
        print(&Fen::from(&position), &wanted.best, &format!("{kind}-{number}"), &value, &source);
    }
    Ok(())
}

/// Counters of each so many plies have the same number of positions.
const DECADES: usize = 5;
/// Of eight positions: wins that some moves delay too long, losses that only some moves delay long
/// enough, and wins that no move reaches in time.
const UNDER_RULES: [(&str, usize); 3] = [("in-time", 4), ("saved", 2), ("stopped", 2)];
/// From so many plies on a way is long, and so many positions with the longest ones are remembered.
const LONG_WAY: u16 = 20;
const MOST_LONG_WAYS: usize = 1_000;
/// Positions searched where the databases do not tell.
const EFFORT: u32 = 2_000;

fn under_rules(count: usize, seed: u64, folder: &str) -> Result<(), Box<dyn Error>> {
    let probe = DatabaseOptions { pieces: 6, ..DatabaseOptions::in_folders([folder]) }.open()?;
    let pieces = usize::from(probe.max_pieces());
    let mut databases = probe.databases().iter();
    let rules_database =
        databases.find(|it| it.db_type() == DbType::Rules).ok_or("no such files")?;
    let rules = DrawRules::default();
    let mut random = Random::new(seed);
    let mut found: HashMap<(&str, usize), usize> = HashMap::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    // Each kind has each counter once.
    let mut seen = HashSet::new();
    // Long ways are rare, but near each other.
    let mut long_ways: Vec<(u16, Position)> = Vec::new();
    while numbers.values().sum::<usize>() < count {
        let known = random.below(long_ways.len() * 4 / 3 + 1);
        let found_one = match long_ways.get(known) {
            Some((_, near)) => with_a_piece_elsewhere(&mut random, near),
            None => random_ending(&mut random, pieces, 60),
        };
        let Some(position) = found_one else { continue };
        // Most are, and this is known sooner.
        if probe.wld(&position)? == Some(Wld::Draw) {
            continue;
        }
        // Near the last counter at which the win comes in time.
        let plies = match rules_database.look_up(&position)? {
            Lookup::Rules(RulesValue::Plies(way @ 0..50)) => {
                if way >= LONG_WAY {
                    long_ways.push((way, position));
                }
                if long_ways.len() > MOST_LONG_WAYS {
                    long_ways.sort_by_key(|&(way, _)| Reverse(way));
                    long_ways.truncate(MOST_LONG_WAYS / 2);
                }
                (50 - usize::from(way) + random.below(6)).saturating_sub(3).min(49)
            }
            Lookup::Rules(RulesValue::BelowThreshold) => 40 + random.below(10),
            _ => continue,
        };
        let decade = plies * DECADES / 50;
        let is_full = |found: &HashMap<_, usize>, kind, share| {
            found.get(&(kind, decade)).is_some_and(|number| number * 8 * DECADES >= count * share)
        };
        if UNDER_RULES.iter().all(|&(kind, share)| is_full(&found, kind, share)) {
            continue;
        }
        let counters = DrawCounters::with_plies(&position, plies as u16);
        let mut under = probe.under(rules, EFFORT);
        let Some(category) = under.category(&position, &counters)? else { continue };
        let kind = match category {
            Category::Win => 0,
            Category::BlessedLoss => 1,
            Category::CursedWin => 2,
            Category::Draw | Category::Loss => continue,
        };
        let (kind, share) = UNDER_RULES[kind];
        if is_full(&found, kind, share) {
            continue;
        }
        let (mut keeping, mut others) = (Vec::new(), 0);
        let mut is_known = true;
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            let after = under.category(&next, &counters.after(&position, mv, &next))?;
            let is_same = |after: Category| after.wld() == category.wld().opponent();
            keeping.extend(after.filter(|&after| is_same(after)).map(|_| mv));
            is_known &= after.is_some();
            // As good if the rules did not count.
            others += usize::from(match category {
                Category::Win => after == Some(Category::BlessedLoss),
                _ => after == Some(Category::Win),
            });
        }
        let is_stopped = category == Category::CursedWin;
        let is_hard = others > 0 && 3 * keeping.len() <= position.legal_moves().len();
        if !is_known || !is_stopped && !is_hard || !seen.insert((kind, plies)) {
            continue;
        }
        if is_stopped {
            keeping.clear();
        }
        *found.entry((kind, decade)).or_default() += 1;
        let number = numbers.entry(kind).or_default();
        *number += 1;
        let fen = Fen { halfmoves: Some(plies as u32), ..Fen::from(&position) };
        let value = category.wld().to_string();
        let source = format!("position of {pieces} pieces, seed {seed}");
        print(&fen, &keeping, &format!("{kind}-{number}"), &value, &source);
    }
    Ok(())
}

/// A quiet position with several moves and one piece on another square, whoever is to move.
fn with_a_piece_elsewhere(random: &mut Random, near: &Position) -> Option<Position> {
    let (mut setup, mut pieces) = (Setup::empty(Color::ALL[random.below(2)]), Vec::new());
    for color in Color::ALL {
        pieces.extend(near.men(color).into_iter().map(|at| (Piece { color, kind: Kind::Man }, at)));
        let kings = near.kings(color).into_iter();
        pieces.extend(kings.map(|at| (Piece { color, kind: Kind::King }, at)));
    }
    let moved = random.below(pieces.len());
    pieces[moved].1 = Square::new(1 + random.below(50) as u8)?;
    for (piece, square) in pieces {
        if setup.occupied().contains(square) {
            return None;
        }
        setup.put(piece, square);
    }
    quiet(&setup)
}

/// A quiet position with several moves and pieces of both sides, so many of a hundred kings.
fn random_ending(random: &mut Random, pieces: usize, king_percent: usize) -> Option<Position> {
    let mut setup = Setup::empty(Color::ALL[random.below(2)]);
    for index in 0..pieces {
        let square = Square::new(1 + random.below(50) as u8)?;
        let kind = if random.below(100) < king_percent { Kind::King } else { Kind::Man };
        if setup.occupied().contains(square) {
            return None;
        }
        // Sides of nearly equal size.
        let color = Color::ALL[if index == 4 { random.below(2) } else { index % 2 }];
        setup.put(Piece { color, kind }, square);
    }
    setup.promote_stranded_men();
    quiet(&setup)
}

/// The position, if it is quiet and has several moves.
fn quiet(setup: &Setup) -> Option<Position> {
    let position = setup.position().ok()?;
    let is_quiet = Color::ALL.iter().all(|&color| !position.has_capture(color));
    (is_quiet && position.legal_moves().len() > 1).then_some(position)
}

/// How much better than every other move the solution must be, and how much it must win, in
/// hundredths of a man.
const GAP: i32 = 150;
const GAIN: i32 = 100;
/// Depths at which this must be so.
const DEPTHS: [u32; 3] = [7, 12, 16];
/// Solutions that may begin with the same two moves.
const SAME: usize = 2;

fn combinations(count: usize, folders: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut engine = Engine::new(EngineOptions { hash_mib: 64, ..EngineOptions::default() })?;
    let mut found = 0;
    let mut beginnings: HashMap<Vec<Move>, usize> = HashMap::new();
    for folder in folders {
        for file in files(Path::new(folder))? {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let set = file.parent().and_then(Path::file_name).unwrap_or_default();
            let set = set.to_string_lossy().into_owned();
            let mut contents = Contents::open(&file)?;
            let mut number = 0;
            while let Some(games) = contents.next_games()? {
                for game in &games {
                    number += 1;
                    let chance = game.positions().enumerate().find_map(|(ply, (position, _))| {
                        let line = combination(&mut engine, &position)?;
                        let same = beginnings.entry(line[..2].to_vec()).or_default();
                        *same += 1;
                        (*same <= SAME).then_some((ply, position, line[0]))
                    });
                    let Some((ply, position, mv)) = chance else { continue };
                    found += 1;
                    let source = format!("self-play, {set}/{name}, game {number}, ply {ply}");
                    print(&Fen::from(&position), &[mv], &format!("shot-{found}"), "-", &source);
                    if found == count {
                        return Ok(());
                    }
                }
            }
        }
    }
    Ok(())
}

/// The line of a sacrifice that alone wins something.
fn combination(engine: &mut Engine, position: &Position) -> Option<Vec<Move>> {
    let side = position.side_to_move();
    let is_quiet = Color::ALL.iter().all(|&color| !position.has_capture(color));
    if !is_quiet || position.piece_count() < 12 {
        return None;
    }
    let legal = position.legal_moves();
    let offers = |mv: Move| position.after(mv).has_capture(side.opponent());
    if legal.len() < 3 || !legal.iter().any(|&mv| offers(mv)) {
        return None;
    }
    let material = |position: &Position| {
        let worth =
            |color| position.men(color).len() as i32 + 3 * position.kings(color).len() as i32;
        worth(side) - worth(side.opponent())
    };
    engine.new_game();
    let mut line: Vec<Move> = Vec::new();
    for depth in DEPTHS {
        let mut variations: [Option<Info>; 2] = [None, None];
        let limits = Limits { multipv: 2, ..Limits::depth(depth) };
        engine.search(&Game::new(*position), &limits, &Control::new(), &mut |info: &Info| {
            variations[info.multipv - 1] = Some(info.clone());
        });
        let [Some(best), Some(second)] = variations else { return None };
        let (score, next) = (best.score.hundredths(), second.score.hundredths());
        let wins = score >= 100 * material(position) + GAIN && score >= GAIN && score - next >= GAP;
        let is_steady = line.is_empty() || best.pv.first() == line.first();
        if !wins || !is_steady || !offers(best.pv[0]) || best.pv.len() < 4 {
            return None;
        }
        line = best.pv;
    }
    // Something is given away before more comes back.
    let mut after = *position;
    let mut least = material(position);
    for &mv in &line {
        after = after.after(mv);
        least = least.min(material(&after));
    }
    (least < material(position)).then_some(line)
}
