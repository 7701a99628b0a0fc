//! `meerslag board --sheet`: diagrams to be printed.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use meerslag_files::Existing;
use meerslag_pages::diagram::{Captioned, Diagram, Paper, PerPage};
use meerslag_pages::words;
use meerslag_study::puzzles::{Exercise, themes_in_words};
use movegen::notation::moves::format_move;
use movegen::words::{Words, shortened};
use movegen::{Game, Wld};

use super::BoardArgs;
use crate::cli::source::{self, Source};
use crate::cli::streams::stdout;
use crate::cli::{Failure, files, report};

/// The most diagrams of a sheet; more are probably a whole file by mistake.
const MAX_DIAGRAMS: usize = 10_000;
/// Letters of players and date that a caption keeps.
const LONGEST_ORIGIN: usize = 120;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Html,
    Svg,
}

pub(super) fn run(args: &BoardArgs, per_page: PerPage) -> Result<(), Failure> {
    let form = form(args)?;
    let out = args.out.as_deref().filter(|path| !files::is_special(path));
    if form == Form::Svg && out.is_none() {
        return Err(Failure::Input(anyhow!(
            "--svg makes a file for each sheet: name them with --out, such as sheet.svg"
        )));
    }
    let existing = args.force.existing();
    if let (Form::Html, Some(path)) = (form, out) {
        files::check(path, existing)?;
    }
    let paper = paper(args, per_page)?;
    match (form, out) {
        (Form::Html, Some(path)) => write(&[(path.to_owned(), paper.to_html())], existing),
        (Form::Html, None) => args.print(paper.to_html().as_bytes()),
        (Form::Svg, path) => {
            let path = path.unwrap_or(Path::new(""));
            write(&numbered(path, &paper), existing)?;
            let mut out = stdout();
            let pages = paper.diagrams.len().div_ceil(per_page.count());
            let (first, last) = (name(path, "", 1), name(path, "", pages));
            let solutions = name(path, "solutions-", 1);
            let (first, last) = (first.display(), last.display());
            let sheets = if pages == 1 { first.to_string() } else { format!("{first} to {last}") };
            Ok(writeln!(out, "{sheets}, solutions from {} on", solutions.display())?)
        }
    }
}

/// By an option, or by the name of the file; HTML without both.
fn form(args: &BoardArgs) -> Result<Form, Failure> {
    let path = args.out.as_deref().filter(|path| !files::is_special(path));
    let end = path.and_then(Path::extension).map(|end| end.to_string_lossy().to_lowercase());
    let by_name = match end.as_deref() {
        Some("svg") => Some(Form::Svg),
        Some("html" | "htm") => Some(Form::Html),
        _ => None,
    };
    let path = path.unwrap_or(Path::new("")).display();
    match (args.svg, by_name, end) {
        (true, Some(Form::Html), Some(end)) => {
            Err(Failure::Input(anyhow!("{path}: a .{end} file cannot be written with --svg")))
        }
        (false, None, Some(end)) => Err(Failure::Input(anyhow!(
            "{path}: there is no form for .{end}; a sheet is .html or .svg (--svg allows other names)"
        ))),
        (true, ..) => Ok(Form::Svg),
        (false, name, _) => Ok(name.unwrap_or(Form::Html)),
    }
}

/// The diagrams of the file.
fn paper(args: &BoardArgs, per_page: PerPage) -> Result<Paper, Failure> {
    let name = args.input.as_deref().unwrap_or_default();
    let no_file = || Failure::Input(anyhow!("--sheet needs a PDN file"));
    let Source::Games(mut games) = source::open(Some(name), args.encoding.options())? else {
        return Err(no_file());
    };
    let exercises = games.exercises(MAX_DIAGRAMS)?;
    let words = words(args.language.code());
    let diagrams = exercises.list().iter().map(|it| captioned(args, &words, it)).collect();
    let title = Path::new(name).file_stem().filter(|_| name != "-");
    let title = title
        .map_or_else(|| words.say("sheet.title", &[]), |stem| stem.to_string_lossy().into_owned());
    Ok(Paper { title, words, per_page, diagrams })
}

fn captioned(args: &BoardArgs, words: &Words, exercise: &Exercise) -> Captioned {
    let diagram = Diagram {
        is_flipped: args.flip,
        coordinates: args.coordinates.unwrap_or_default(),
        ..Diagram::new(exercise.position)
    };
    let mut solution = report::line(&Game::new(exercise.position), &exercise.solution);
    if let Some(played) = exercise.played {
        let played = format_move(&exercise.position, played);
        solution += &format!("; {}", words.say("sheet.played", &[("move", &played)]));
    }
    let themes = exercise.theme.as_ref().map(|theme| themes_in_words(theme, words));
    if let Some(themes) = themes.filter(|themes| !themes.is_empty()) {
        solution += &format!(" ({})", shortened(&themes, LONGEST_ORIGIN));
    }
    let number = |number: usize| words.say("sheet.move", &[("number", &number)]);
    let origin = shortened(&exercise.origin_with(number), LONGEST_ORIGIN).to_string();
    let side = exercise.position.side_to_move().letter();
    let name = words.say(&format!("side.{side}"), &[]);
    let task = match exercise.goal {
        Some(Wld::Win) => words.say("puzzleTask", &[("side", &name)]),
        Some(Wld::Draw) => words.say("puzzleDraw", &[("side", &name)]),
        _ => words.say(&format!("toMove.{side}"), &[]),
    };
    Captioned { diagram, task, origin, solution }
}

/// The files with the pages: `sheet-1.svg`, ..., then `sheet-solutions-1.svg`, ...
fn numbered(path: &Path, paper: &Paper) -> Vec<(PathBuf, String)> {
    let mut counts = [0, 0];
    let named = paper.to_svg().into_iter().map(|page| {
        let (count, kind) = match page.is_of_solutions {
            false => (&mut counts[0], ""),
            true => (&mut counts[1], "solutions-"),
        };
        *count += 1;
        (name(path, kind, *count), page.svg)
    });
    named.collect()
}

fn name(path: &Path, kind: &str, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = path.extension().map(|end| format!(".{}", end.to_string_lossy()));
    path.with_file_name(format!("{stem}-{kind}{number}{}", end.unwrap_or_default()))
}

/// Writes the files; none gets its name before all are written.
fn write(pages: &[(PathBuf, String)], existing: Existing) -> Result<(), Failure> {
    for (path, _) in pages {
        files::check(path, existing)?;
    }
    let pages: Vec<_> = pages.iter().map(|(path, text)| (&**path, text.as_bytes())).collect();
    Ok(files::write_all(&pages, existing)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_numbers_in_their_names() {
        let name = |path: &str, kind| name(Path::new(path), kind, 2);
        assert_eq!(name("a/sheet.svg", ""), Path::new("a/sheet-2.svg"));
        assert_eq!(name("sheet.svg", "solutions-"), Path::new("sheet-solutions-2.svg"));
        assert_eq!(name("sheet", ""), Path::new("sheet-2"));
    }
}
