//! `meerslag board`: a picture of a position, and sheets of diagrams.

mod paper;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use meerslag_pages::diagram::{Arrow, Coordinates, Diagram, MarkedSquare, PerPage};
use movegen::Game;

use super::files::{self, ForceArgs};
use super::language::LanguageArgs;
use super::source::{self, EncodingArgs, Source};
use super::streams::{only_print, stdout};
use super::{Failure, terminal};

const EXAMPLES: &str = "\
Examples:
  meerslag board \"W:W27,28,32,37:B14,18,19,23\"
  meerslag board \"W:W27,28,32,37:B14,18,19,23\" --arrows 28-22 -o board.svg
  meerslag board game.pdn --ply 30 --coordinates=edge --size 1200 -o board.png
  meerslag board \"W:WK28:B23,12\" --marks 17:win,11:win,6:draw --svg > board.svg
  meerslag board puzzles.pdn --sheet 6 -o sheet.html

In text 'w b' are men, 'W B' kings, '.' is an empty square. A sign before a square is its mark: \
'<' and '>' where the last move came from and went, '+', '=' and '-' for win, draw and loss.

A sheet has six or twelve diagrams on a page of A4, with players and date, and the solutions on \
separate pages. It takes the mistakes of annotated games, where a move has a glyph for a bad move \
and a better line beside it, and games of up to 31 plies that begin with a set-up position, such \
as those of 'meerslag puzzles'. It is one file to print out of the browser, or with --svg a file \
for each page: sheet-1.svg, sheet-2.svg, sheet-solutions-1.svg.";

/// Draw a position as text, SVG or PNG, or exercises as sheets to be printed
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct BoardArgs {
    /// A position (draughts FEN or 51-character Hub string) or a PDN file; '-' reads PDN from
    /// standard input [default: the initial position]
    #[arg(value_name = "FEN|FILE")]
    input: Option<String>,
    #[command(flatten)]
    encoding: EncodingArgs,
    /// As SVG, sharp at any size
    #[arg(long, group = "form")]
    svg: bool,
    /// As PNG
    #[arg(long, group = "form")]
    png: bool,
    /// As text with colours for a terminal, even where the output goes elsewhere
    #[arg(long, group = "form")]
    ansi: bool,
    /// Of a file: sheets with its puzzles and mistakes, this many on a page, and their solutions:
    /// as HTML, or with --svg
    #[arg(long, value_name = "6|12", requires = "input",
          conflicts_with_all = ["png", "ansi", "game", "ply", "arrows", "marks", "size"])]
    sheet: Option<PerPage>,
    #[command(flatten)]
    language: LanguageArgs,
    /// Of a file: this game, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    game: u64,
    /// Of a file: the position after this many plies [default: the last one]
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Where numbers of squares are drawn: beside the rows (edge), on the squares (numbers) or nowhere
    /// (none) [default: edge for text, none for pictures; numbers without a word]
    #[arg(long, value_name = "WHERE", num_args = 0..=1, require_equals = true,
          default_missing_value = "numbers")]
    coordinates: Option<Coordinates>,
    /// Arrows, such as 32-28; ':other' and ':bad' after one give it another colour. In text their
    /// ends are marked
    #[arg(long, value_name = "FROM-TO[:KIND],...", value_delimiter = ',')]
    arrows: Vec<Arrow>,
    /// Marked squares: from, to, win, draw, loss, chosen or target
    #[arg(long, value_name = "SQUARE:MARK,...", value_delimiter = ',')]
    marks: Vec<MarkedSquare>,
    /// Black at the bottom
    #[arg(long)]
    flip: bool,
    /// Width of a picture in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 800,
          value_parser = clap::value_parser!(u32).range(i64::from(Diagram::MIN_PIXELS)..=i64::from(Diagram::MAX_PIXELS)))]
    size: u32,
    /// Write to this file instead of standard output; a name that ends in .svg, .png or .txt chooses
    /// the form
    #[arg(short, long = "out", visible_alias = "output", value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text { has_colours: bool },
    Svg,
    Png,
}

impl BoardArgs {
    /// The form asked for, by an option or by the name of the file.
    ///
    /// # Errors If the ending of the name is for another form, or unknown.
    fn form(&self) -> Result<Form, Failure> {
        let path = self.out.as_deref().filter(|path| !files::is_special(path));
        let end = path.and_then(Path::extension).map(|end| end.to_string_lossy().to_lowercase());
        let end = end.as_deref();
        let (form, option) = match () {
            () if self.svg => (Form::Svg, Some("--svg")),
            () if self.png => (Form::Png, Some("--png")),
            () if self.ansi => (Form::Text { has_colours: true }, Some("--ansi")),
            () if end == Some("svg") => (Form::Svg, None),
            () if end == Some("png") => (Form::Png, None),
            () => (
                Form::Text {
                    has_colours: self.out.as_deref().is_none_or(|out| files::given(out).is_none())
                        && terminal::has_colours(),
                },
                None,
            ),
        };
        let fits = match (form, end) {
            (_, None) | (Form::Svg, Some("svg")) | (Form::Png, Some("png")) => true,
            (Form::Text { .. }, Some("txt")) => true,
            // With an option the user gives the form; an extension for another form is a slip.
            (_, Some(end)) => {
                option.is_some() && !["svg", "png", "txt"].contains(&end) && !is_picture(end)
            }
        };
        if fits {
            return Ok(form);
        }
        let (path, end) = (path.unwrap_or(Path::new("")).display(), end.unwrap_or_default());
        Err(Failure::Input(match option {
            Some(option) => anyhow!("{path}: a .{end} file cannot be written with {option}"),
            None => anyhow!(
                "{path}: there is no form for .{end}; a picture is .svg or .png, text is .txt \
                 (--svg, --png or --ansi allow other names)"
            ),
        }))
    }
}

impl BoardArgs {
    /// Writes to standard output, or to the terminal or pipe that `--out` names.
    fn print(&self, bytes: &[u8]) -> Result<(), Failure> {
        if let Some(path) = self.out.as_deref().and_then(files::given) {
            return Ok(std::fs::write(path, bytes).map_err(|error| files::named(path, &error))?);
        }
        let mut out = stdout();
        out.write_all(bytes)?;
        Ok(out.flush()?)
    }
}

/// Whether files with this extension are pictures or documents of another kind.
fn is_picture(end: &str) -> bool {
    ["gif", "jpg", "jpeg", "webp", "bmp", "tif", "tiff", "avif", "ico", "pdf", "eps", "ps"]
        .contains(&end)
}

pub(super) fn run(args: &BoardArgs) -> Result<(), Failure> {
    only_print();
    let input = args.input.as_deref().map(Path::new).filter(|path| path.is_file());
    files::check_distinct(&[("FILE", input)], &[("--out", args.out.as_deref())])?;
    args.language.check(args.sheet.is_some(), "--sheet")?;
    if let Some(per_page) = args.sheet {
        return paper::run(args, per_page);
    }
    let form = args.form()?;
    let existing = args.force.existing();
    match args.out.as_deref().and_then(files::given) {
        Some(path) => files::check(path, existing)?,
        None if form == Form::Png && stdout().is_terminal() => {
            return Err(Failure::Input(anyhow!(
                "a PNG cannot be shown on a terminal: name a file with --out"
            )));
        }
        None => {}
    }
    let game = game(args)?;
    let otherwise = match form {
        Form::Text { .. } => Coordinates::Edge,
        Form::Svg | Form::Png => Coordinates::None,
    };
    let diagram = Diagram {
        is_flipped: args.flip,
        last: game.moves().last().copied(),
        marks: args.marks.iter().map(|&MarkedSquare(square, mark)| (square, mark)).collect(),
        arrows: args.arrows.clone(),
        coordinates: args.coordinates.unwrap_or(otherwise),
        ..Diagram::new(*game.position())
    };
    let bytes = match form {
        Form::Text { has_colours } => diagram.to_text(has_colours).into_bytes(),
        Form::Svg => diagram.to_svg(args.size).into_bytes(),
        Form::Png => png(&diagram, args.size)?,
    };
    match &args.out {
        Some(path) if !files::is_special(path) => Ok(files::write(path, &bytes, existing)?),
        _ => args.print(&bytes),
    }
}

#[cfg(feature = "png")]
fn png(diagram: &Diagram, pixels: u32) -> Result<Vec<u8>, Failure> {
    diagram.to_png(pixels).map_err(Failure::run)
}

#[cfg(not(feature = "png"))]
fn png(_: &Diagram, _: u32) -> Result<Vec<u8>, Failure> {
    Err(Failure::Input(anyhow!("this program was built without PNG: --svg draws the same")))
}

/// The game up to the position that is wanted.
fn game(args: &BoardArgs) -> Result<Game, Failure> {
    let mut games = match source::open(args.input.as_deref(), args.encoding.options())? {
        Source::Position(game) => {
            if args.ply.is_some() {
                return Err(Failure::Input(anyhow!("--ply needs a PDN file")));
            }
            return Ok(*game);
        }
        Source::Games(games) => games,
    };
    let mut is_any = false;
    for found in games.by_ref() {
        let found = found?;
        is_any = true;
        if found.number == args.game {
            return found.at_ply(args.ply.unwrap_or_else(|| found.game.ply()));
        }
    }
    if !is_any {
        return Err(games.no_game());
    }
    Err(Failure::Input(anyhow!("there is no game {} in the file", args.game)))
}
