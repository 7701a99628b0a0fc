//! Solutions for people: board, value, moves, and the line as PDN.

use std::io::{self, Write};

use ::egdb::Probe;
use meerslag_study::solve::{
    Limit, Solution, SolutionLine, SolvedLineKind, Value, ValueSource, Within,
};
use movegen::notation::moves::format_move;
use movegen::notation::pdn::{self, WriteOptions};
use movegen::words::counted;
use movegen::{DrawRules, Game};

use super::super::egdb::beyond;
use super::super::report;

pub(super) fn position(
    out: &mut impl Write,
    game: &Game,
    solution: &Solution,
    most_plies: usize,
    probe: &Probe,
) -> io::Result<()> {
    let position = game.position();
    let side = position.side_to_move();
    write!(out, "{}", report::board(position))?;
    writeln!(out, "{side} to move   {}\n", report::fen(position))?;
    if solution.moves.is_empty() {
        writeln!(out, "{side} has no legal move and has lost.")?;
        return Ok(());
    }
    writeln!(out, "Value for {side}: {}{}", value(solution), source(solution))?;
    let counters = game.counters();
    if let (Some(category), Some(left)) =
        (solution.category, counters.plies_left(DrawRules::default()))
        && (category.name() != solution.value.name() || counters.plies() > 0)
    {
        let plies = counted(left, "ply");
        writeln!(out, "Under the draw rules: {}, {plies} left to a draw", category.name())?;
    }
    if solution.limit.is_some() {
        writeln!(out, "{}", beyond(position, probe))?;
    }
    writeln!(out, "\nmove          value               dtw   mtc")?;
    let number = |n: Option<u32>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
    for m in &solution.moves {
        let mv = format_move(position, m.mv);
        let dtw = match m.within {
            Some(Within::End(plies)) => format!("<={plies}"),
            _ => number(m.dtw),
        };
        writeln!(out, "{mv:<12}  {:<15}  {dtw:>6} {:>5}", m.value, number(m.mtc))?;
    }
    writeln!(out)?;
    let Some(line) = &solution.line else {
        if matches!(solution.value, Value::Win | Value::Loss) {
            writeln!(out, "No line: these databases have no distances.")?;
        }
        return Ok(());
    };
    if let Some(note) = draw_note(game, line) {
        writeln!(out, "Note: {note}\n")?;
    }
    if let Some(note) = note_of_duals(game, line) {
        writeln!(out, "{note}\n")?;
    }
    if let Some(game) = solution.to_pdn(game, most_plies).filter(|_| !line.plies.is_empty()) {
        pdn::write_game(out, &game, &WriteOptions::default())?;
    }
    Ok(())
}

/// One line for a position of a file.
pub(super) fn row(
    out: &mut impl Write,
    line_number: u64,
    game: &Game,
    solution: &Solution,
) -> io::Result<()> {
    let position = game.position();
    let is_known = |value| !matches!(value, Value::Unknown);
    let best = solution.moves.first().filter(|m| is_known(m.value));
    let best = best.map_or_else(|| "-".to_owned(), |m| format_move(position, m.mv));
    let limit = match solution.limit {
        Some(Limit::Nodes) => "  (nodes used up)",
        Some(Limit::Memory) => "  (memory full)",
        Some(Limit::Stop) => "  (interrupted)",
        None => "",
    };
    let value = value(solution);
    writeln!(out, "{line_number:>5}  {value:<26} {best:<10} {}{limit}", report::fen(position))?;
    Ok(())
}

/// The value with the distance, such as `win in 7 plies`.
fn value(solution: &Solution) -> String {
    let value = solution.value;
    match (solution.dtw, solution.within) {
        (Some(plies), _) => format!("{value} in {}", counted(plies, "ply")),
        (None, Some(Within::End(plies))) => format!("{value} in at most {}", counted(plies, "ply")),
        (None, Some(Within::Databases(plies))) => {
            format!("{value}, databases within {}", counted(plies, "ply"))
        }
        (None, None) => value.to_string(),
    }
}

/// Where the value comes from, and why it is not known better.
fn source(solution: &Solution) -> String {
    let conversion = solution.mtc.map_or_else(String::new, |mtc| format!(", {mtc} to conversion"));
    let nodes = solution.nodes;
    let how = match (solution.source, solution.limit) {
        (Some(ValueSource::Rules), _) => String::new(),
        (Some(ValueSource::Databases), _) => "   (databases)".to_owned(),
        (_, None) => format!("   (proved by search, {})", counted(nodes, "node")),
        (_, Some(limit)) => {
            let what = match solution.value {
                Value::AtLeastDraw => "a win neither proved nor excluded",
                Value::AtMostDraw => "a loss neither proved nor excluded",
                _ => "nothing proved",
            };
            let why = match limit {
                Limit::Nodes => "more with --nodes",
                Limit::Memory => "memory full, more with --hash",
                Limit::Stop => "interrupted",
            };
            format!("   ({what} in {}; {why})", counted(nodes, "node"))
        }
    };
    format!("{conversion}{how}")
}

fn draw_note(game: &Game, line: &SolutionLine) -> Option<String> {
    if line.kind == SolvedLineKind::OneOfMany {
        return None;
    }
    let (ply, reason) = line.draw_by_rule(game, DrawRules::default())?;
    Some(match ply {
        0 => format!("by the draw rules the game is a draw already ({reason})."),
        _ => format!("by the draw rules this line is a draw after ply {ply} ({reason})."),
    })
}

/// Whether the solution is unique, which composers ask.
fn note_of_duals(game: &Game, line: &SolutionLine) -> Option<String> {
    let first = game.position().side_to_move();
    let winner = line.winner?;
    let moves = || line.winning_plies(first).map(|(_, ply)| ply);
    let duals = moves().filter(|ply| ply.equal.keep_value.len() > 1).count();
    Some(match line.is_unique(first) {
        Some(true) => format!("Unique: at each move of the line only one wins for {winner}."),
        Some(false) => {
            let all = counted(moves().count() as u64, "move");
            format!("Not unique: {winner} has other winning moves at {duals} of {all}.")
        }
        None => {
            let open = moves().filter(|ply| !ply.equal.unsettled.is_empty()).count() as u64;
            if open == 0 {
                return None;
            }
            let open = counted(open, "move");
            format!("Not known to be unique: other moves are not settled at {open} of {winner}.")
        }
    })
}
