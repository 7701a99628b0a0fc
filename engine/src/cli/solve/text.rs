//! Solutions for people: board, value, moves, and the line as PDN.

use std::io::{self, Write};

use ::egdb::Probe;
use meerslag_study::record::{GameRecord, PlyRecord, comment};
use meerslag_study::solve::{
    Conversion, Limit, LinePly, Solution, SolutionLine, SolvedLineKind, Value, ValueSource, Within,
};
use movegen::notation::moves::format_move;
use movegen::notation::pdn::{self, GameResult, PdnGame, WriteOptions};
use movegen::words::counted;
use movegen::{Color, DrawRules, Game};

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
    if !line.plies.is_empty() {
        let game = pdn_game(game, solution, line, most_plies);
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

fn pdn_game(game: &Game, solution: &Solution, line: &SolutionLine, most_plies: usize) -> PdnGame {
    let start = *game.position();
    let side = start.side_to_move();
    let winner = match solution.value {
        Value::Win => Some(side),
        Value::Loss => Some(side.opponent()),
        _ => None,
    };
    let shown = line.plies.len().min(most_plies);
    let mut record = GameRecord::new(start);
    record.plies = line.plies[..shown]
        .iter()
        .map(|ply| PlyRecord { remark: remark(ply, winner), ..PlyRecord::from(ply.mv) })
        .collect();
    record.result = match (winner, solution.value) {
        (Some(winner), _) => GameResult::won_by(winner),
        (None, Value::Draw) => GameResult::Draw,
        (None, _) => GameResult::Unknown,
    };
    let how = match line.kind {
        SolvedLineKind::Shortest => "shortest win, longest defence",
        SolvedLineKind::UnderRules => "won under the rules: the shortest win in time",
        SolvedLineKind::ByConversions => "each conversion as soon as possible, as late as possible",
        SolvedLineKind::Proof => "proved by search",
        SolvedLineKind::OneOfMany => "one of many ways to hold the draw",
    };
    let what = match (winner, solution.dtw, solution.within) {
        (None, ..) => solution.value.to_string(),
        (Some(winner), Some(plies), _) => format!("{winner} wins in {}", counted(plies, "ply")),
        (Some(winner), None, Some(Within::End(plies))) => {
            format!("{winner} wins in at most {}", counted(plies, "ply"))
        }
        (Some(winner), None, _) => format!("{winner} wins"),
    };
    let mut pdn = record.to_pdn("Endgame solution", None);
    pdn.tags.set("Annotator", concat!("Meerslag ", env!("CARGO_PKG_VERSION")));
    pdn.line.lead.push(comment(&format!("{what}; {how}")));
    let rest = line.plies.len() - shown;
    let end = match (rest, line.is_complete, winner) {
        (1.., _, Some(_)) => {
            Some(format!("the line continues for {}", counted(rest as u32, "ply")))
        }
        (0, false, Some(_)) if line.kind == SolvedLineKind::Proof => {
            Some("the line breaks off: the rest of the proof is no longer in memory".to_owned())
        }
        (0, false, Some(_)) => Some("the line breaks off: no distances from here".to_owned()),
        _ => None,
    };
    if let Some(text) = end {
        let list = match pdn.line.plies.last_mut() {
            Some(ply) => &mut ply.after,
            None => &mut pdn.line.lead,
        };
        list.push(comment(&text));
    }
    pdn
}

/// The remark on a move of the line.
fn remark(ply: &LinePly, winner: Option<Color>) -> Option<String> {
    let what = match ply.conversion {
        Some(Conversion::Capture(1)) => Some("conversion: 1 piece left".to_owned()),
        Some(Conversion::Capture(pieces)) => {
            Some(format!("conversion: {} left", counted(pieces, "piece")))
        }
        Some(Conversion::Promotion) => Some("conversion: promotion".to_owned()),
        Some(Conversion::ManMove) => Some("conversion: man move".to_owned()),
        None => None,
    };
    let enters = ply.enters_databases.then(|| "into the databases".to_owned());
    let mut parts: Vec<String> = what.into_iter().chain(enters).collect();
    if parts.is_empty() {
        return None;
    }
    if let (Some(winner), Some(plies)) = (winner, ply.dtw) {
        parts.push(match plies {
            0 => format!("{winner} has won"),
            _ => format!("{winner} wins in {}", counted(plies, "ply")),
        });
    }
    if let (Some(_), Some(mtc)) = (winner, ply.mtc) {
        parts.push(format!("{mtc} to the next"));
    }
    Some(parts.join(", "))
}
