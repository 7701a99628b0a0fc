//! Diagrams on paper: pages of six or twelve with captions, and their solutions on separate pages.
//! Pages are A4. The board in the browser lays its sheets out in the same rows
//! (`engine/web/diagrams.js`).

use std::fmt::{self, Write as _};
use std::str::FromStr;

use movegen::words::Words;

use super::svg::symbols;
use super::{Coordinates, Diagram, ParseDiagramError};

/// The style of the page that [`Paper::to_html`] makes.
const STYLE: &str = include_str!("paper.css");

/// A page, its margin, and the gaps, in millimetres.
const PAGE: [f32; 2] = [210.0, 297.0];
const MARGIN: f32 = 12.0;
const WIDTH: f32 = PAGE[0] - 2.0 * MARGIN;
/// The position of the title, and where everything else begins.
const TITLE: f32 = MARGIN + 4.5;
const TOP: f32 = MARGIN + 8.0;
/// Sizes of letters: of titles and of solutions.
const TITLE_SIZE: f32 = 4.5;
const TEXT_SIZE: f32 = 3.5;
/// From one line to the next, as a share of the size of letters.
const LINE: f32 = 1.3;
/// The width of most letters of a sans-serif face, as a share of their size. A separate file cannot
/// measure its text.
const LETTER: f32 = 0.52;
/// Room for the number of a solution.
const INDENT: f32 = 9.0;

/// The number of diagrams on a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PerPage {
    /// Two columns, three rows.
    Six,
    /// Three columns, four rows.
    Twelve,
}

impl PerPage {
    /// The number.
    #[must_use]
    pub const fn count(self) -> usize {
        let (columns, rows) = self.grid();
        columns * rows
    }

    /// Columns and rows.
    const fn grid(self) -> (usize, usize) {
        match self {
            PerPage::Six => (2, 3),
            PerPage::Twelve => (3, 4),
        }
    }

    /// The size of the letters of captions.
    const fn caption_size(self) -> f32 {
        match self {
            PerPage::Six => 3.5,
            PerPage::Twelve => 2.8,
        }
    }
}

impl FromStr for PerPage {
    type Err = ParseDiagramError;

    fn from_str(text: &str) -> Result<PerPage, ParseDiagramError> {
        let all = [PerPage::Six, PerPage::Twelve];
        let found = all.into_iter().find(|number| number.count().to_string() == text);
        found.ok_or_else(|| ParseDiagramError::new(text, "6 or 12 diagrams"))
    }
}

/// A diagram with the texts below it and on the page of solutions.
#[derive(Clone, Debug)]
pub struct Captioned {
    /// The picture. Arrows are not drawn on paper.
    pub diagram: Diagram,
    /// The task.
    pub task: String,
    /// Where it comes from; may be empty.
    pub origin: String,
    /// The solution, as text.
    pub solution: String,
}

/// Diagrams to be printed. Their numbers are their places, from 1.
#[derive(Clone, Debug)]
pub struct Paper {
    /// The title of each page.
    pub title: String,
    /// The words of its language.
    pub words: Words,
    /// How many are on a page.
    pub per_page: PerPage,
    /// The diagrams.
    pub diagrams: Vec<Captioned>,
}

/// A page as SVG.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SvgPage {
    /// Solutions, and no diagrams.
    pub is_of_solutions: bool,
    /// The file.
    pub svg: String,
}

/// Text for HTML and XML, between tags or as an attribute: signs of theirs are escaped, and characters that
/// XML does not allow become blanks.
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\u{fffe}' | '\u{ffff}' => f.write_char(' ')?,
                _ if letter.is_control() => f.write_char(' ')?,
                _ => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

impl Paper {
    /// One page for browsers, which lay it out as pages of paper when it is printed.
    #[must_use]
    pub fn to_html(&self) -> String {
        let title = Escaped(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n\
             <svg width=\"0\" height=\"0\" style=\"position: absolute\" aria-hidden=\"true\">\n{}</svg>\n\
             <main>\n",
            self.words.language,
            self.symbols()
        );
        let count = self.per_page.count();
        for (page, list) in self.diagrams.chunks(count).enumerate() {
            let heading = if page == 0 { ("h1", "h1") } else { ("p class=\"title\"", "p") };
            let _ = write!(
                html,
                "<section class=\"of-{count}\">\n<{}>{title}</{}>\n<div class=\"grid\">\n",
                heading.0, heading.1
            );
            for (number, captioned) in (page * count + 1..).zip(list) {
                let Captioned { task, origin, .. } = captioned;
                let _ = writeln!(
                    html,
                    "<figure>\n{}<figcaption>{number}. {}{}</figcaption>\n</figure>",
                    captioned.picture("class=\"board\""),
                    Escaped(task),
                    Line(origin)
                );
            }
            html.push_str("</div>\n</section>\n");
        }
        let solutions = self.words.say("sheet.solutions", &[]);
        let _ = write!(html, "<section class=\"solutions\">\n<h2>{solutions}</h2>\n<ol>\n");
        for (number, captioned) in (1..).zip(&self.diagrams) {
            let solution = Escaped(&captioned.solution);
            let _ = writeln!(html, "<li><b>{number}.</b>{solution}</li>");
        }
        html.push_str("</ol>\n</section>\n</main>\n</body>\n</html>\n");
        html
    }

    /// The pages as separate files: first the diagrams, then the solutions.
    #[must_use]
    pub fn to_svg(&self) -> Vec<SvgPage> {
        let count = self.per_page.count();
        let diagrams = self.diagrams.chunks(count).enumerate().map(|(page, list)| {
            let body = self.page_of_diagrams(page * count + 1, list);
            SvgPage { is_of_solutions: false, svg: self.page(&self.title, &self.symbols(), &body) }
        });
        let solutions = self.pages_of_solutions().map(|body| {
            let title = self.words.say("sheet.solutionsOf", &[("title", &self.title)]);
            SvgPage { is_of_solutions: true, svg: self.page(&title, "", &body) }
        });
        diagrams.chain(solutions).collect()
    }

    fn symbols(&self) -> String {
        let is_used =
            |one: &Coordinates| self.diagrams.iter().any(|it| it.diagram.coordinates == *one);
        symbols(&Coordinates::ALL.into_iter().filter(is_used).collect::<Vec<_>>())
    }

    fn page(&self, title: &str, symbols: &str, body: &str) -> String {
        let [width, height] = PAGE;
        let shown = fitted(title, WIDTH, TITLE_SIZE);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}mm\" height=\"{height}mm\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Liberation Sans, Arial, sans-serif\" \
             fill=\"#222222\">\n<title>{}</title>\n{symbols}\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
             <text x=\"{MARGIN}\" y=\"{TITLE}\" font-size=\"{TITLE_SIZE}\" font-weight=\"bold\">{}</text>\n\
             {body}</svg>\n",
            Escaped(title),
            Escaped(&shown)
        )
    }

    fn page_of_diagrams(&self, first: usize, list: &[Captioned]) -> String {
        let (columns, rows) = self.per_page.grid();
        let size = self.per_page.caption_size();
        let step = [WIDTH / columns as f32, (PAGE[1] - TOP - MARGIN) / rows as f32];
        let below = 2.0 * LINE * size + 2.0;
        let side = (step[0] - 4.0).min(step[1] - below);
        let mut body = String::new();
        for (place, captioned) in list.iter().enumerate() {
            let middle = MARGIN + step[0] * ((place % columns) as f32 + 0.5);
            let top = TOP + step[1] * (place / columns) as f32;
            let at = format!(
                "x=\"{:.2}\" y=\"{top:.2}\" width=\"{side:.2}\" height=\"{side:.2}\"",
                middle - side / 2.0
            );
            body.push_str(&captioned.picture(&at));
            let task = format!("{}. {}", first + place, captioned.task);
            for (line, text) in [&task, &captioned.origin].into_iter().enumerate() {
                let y = top + side + size * (1.1 + LINE * line as f32);
                let _ = writeln!(
                    body,
                    "<text x=\"{middle:.2}\" y=\"{y:.2}\" font-size=\"{size}\" \
                     text-anchor=\"middle\">{}</text>",
                    Escaped(&fitted(text, step[0] - 2.0, size))
                );
            }
        }
        body
    }

    fn pages_of_solutions(&self) -> impl Iterator<Item = String> {
        let height = LINE * TEXT_SIZE;
        let mut pages = Vec::new();
        let (mut body, mut y) = (String::new(), TOP);
        for (number, captioned) in (1..).zip(&self.diagrams) {
            let lines = wrapped(&captioned.solution, WIDTH - INDENT, TEXT_SIZE);
            for (place, line) in lines.iter().enumerate() {
                if y + height > PAGE[1] - MARGIN {
                    pages.push(std::mem::take(&mut body));
                    y = TOP;
                }
                y += height;
                if place == 0 {
                    let _ = write!(
                        body,
                        "<text x=\"{MARGIN}\" y=\"{y:.2}\" font-size=\"{TEXT_SIZE}\" \
                         font-weight=\"bold\">{number}.</text>"
                    );
                }
                let _ = writeln!(
                    body,
                    "<text x=\"{}\" y=\"{y:.2}\" font-size=\"{TEXT_SIZE}\">{}</text>",
                    MARGIN + INDENT,
                    Escaped(line)
                );
            }
            y += 1.2;
        }
        pages.push(body);
        pages.into_iter()
    }
}

impl Captioned {
    fn picture(&self, attributes: &str) -> String {
        Diagram { arrows: Vec::new(), ..self.diagram.clone() }.picture_of_symbols(attributes)
    }
}

/// A second line of a caption, if there is something to say.
struct Line<'a>(&'a str);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => Ok(()),
            text => write!(f, "<span>{}</span>", Escaped(text)),
        }
    }
}

/// Letters that have room in a line.
fn room(width: f32, size: f32) -> usize {
    (width / (LETTER * size)) as usize
}

/// The text, cut off where it would be too wide.
fn fitted(text: &str, width: f32, size: f32) -> String {
    let room = room(width, size);
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let short: String = text.chars().take(room.saturating_sub(1)).collect();
    format!("{}…", short.trim_end())
}

/// The text in lines of this width, at least one.
fn wrapped(text: &str, width: f32, size: f32) -> Vec<String> {
    let room = room(width, size);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && line + 1 + word.chars().count() > room {
            lines.push(String::new());
        }
        let Some(last) = lines.last_mut() else { break };
        if !last.is_empty() {
            last.push(' ');
        }
        last.push_str(&fitted(word, width, size));
    }
    lines
}

#[cfg(test)]
mod tests {
    use movegen::Position;

    use super::*;

    fn paper(per_page: PerPage, count: usize) -> Paper {
        let position = Position::from_fen("W:WK28:BK1").unwrap();
        let captioned = |number: usize| Captioned {
            diagram: Diagram::new(position),
            task: "White to move".to_owned(),
            origin: format!("A <b> & \"C\"\u{1}, {number}"),
            solution: "1. 28-22 1-6 ".repeat(number),
        };
        let diagrams = (0..count).map(captioned).collect();
        Paper { title: "T<1>".to_owned(), words: crate::words("en"), per_page, diagrams }
    }

    /// Places of the boards of a page: left, top and width.
    fn boards(svg: &str) -> Vec<[f32; 3]> {
        let parts = svg.split("<svg x=\"").skip(1);
        let number = |text: &str, name: &str| -> f32 {
            let (_, rest) = text.split_once(name).unwrap();
            rest.split('"').next().unwrap().parse().unwrap()
        };
        let board = |part: &str| {
            let part = format!("x=\"{part}");
            [number(&part, "x=\""), number(&part, " y=\""), number(&part, " width=\"")]
        };
        parts.map(board).collect()
    }

    #[test]
    fn boards_of_a_page_lie_on_it_and_not_on_each_other() {
        for (per_page, count) in [(PerPage::Six, 6), (PerPage::Twelve, 12)] {
            assert_eq!(count.to_string().parse(), Ok(per_page));
            let pages = paper(per_page, count + 1).to_svg();
            let kinds: Vec<_> = pages.iter().map(|page| page.is_of_solutions).collect();
            assert_eq!(kinds, [false, false, true]);
            let found = boards(&pages[0].svg);
            assert_eq!((found.len(), boards(&pages[1].svg).len()), (count, 1));
            for (place, [x, y, side]) in found.iter().enumerate() {
                assert!(*x >= MARGIN && x + side <= PAGE[0] - MARGIN, "{x}");
                // The caption is below.
                assert!(*y >= TOP && y + side + 5.0 <= PAGE[1] - MARGIN, "{y}");
                let far = |other: &[f32; 3]| {
                    let [dx, dy] = [other[0] - x, other[1] - y].map(f32::abs);
                    dx >= *side || dy >= side + 5.0
                };
                assert!(found[..place].iter().all(far), "{place}");
            }
            assert!(pages[0].svg.contains(&format!(">{count}. White to move</text>")));
            assert!(pages[1].svg.contains(&format!(">{}. White to move</text>", count + 1)));
        }
        assert_eq!(
            "7".parse::<PerPage>().unwrap_err().to_string(),
            "'7': expected 6 or 12 diagrams"
        );
    }

    #[test]
    fn sheets_are_in_the_language_of_their_words() {
        let dutch = Paper { words: crate::words("nl"), ..paper(PerPage::Six, 1) };
        let html = dutch.to_html();
        assert!(html.contains("<html lang=\"nl\">") && html.contains("<h2>Oplossingen</h2>"));
        assert!(dutch.to_svg()[1].svg.contains("T&lt;1&gt;: oplossingen"));
        let side = dutch.words.say("side.W", &[]);
        let task = dutch.words.say("puzzleTask", &[("side", &side)]);
        assert_eq!(task, "Wit speelt en wint");
    }

    #[test]
    fn solutions_go_on_on_the_next_page_and_none_is_lost() {
        let pages = paper(PerPage::Twelve, 40).to_svg();
        let solutions: Vec<_> = pages.iter().filter(|page| page.is_of_solutions).collect();
        assert!(solutions.len() > 1);
        let text: String = solutions.iter().map(|page| page.svg.as_str()).collect();
        assert_eq!(text.matches("28-22").count(), (0..40).sum::<usize>());
        for number in 1..=40 {
            assert_eq!(text.matches(&format!(">{number}.</text>")).count(), 1, "{number}");
        }
        let lowest = solutions.iter().flat_map(|page| page.svg.split(" y=\"").skip(1));
        let lowest = lowest.map(|rest| rest.split('"').next().unwrap().parse::<f32>().unwrap());
        assert!(lowest.fold(0.0, f32::max) <= PAGE[1] - MARGIN);
    }

    #[test]
    fn names_cannot_break_the_page() {
        let paper = paper(PerPage::Six, 7);
        let html = paper.to_html();
        assert!(html.contains("<h1>T&lt;1&gt;</h1>") && !html.contains("<b> &"));
        assert!(html.contains(
            "<figcaption>7. White to move<span>A &lt;b&gt; &amp; &quot;C&quot; , 6</span>"
        ));
        assert_eq!(html.matches("<section class=\"of-6\">").count(), 2);
        assert_eq!(html.matches("<h1>").count(), 1);
        // Each symbol has its name once in the page.
        assert_eq!(html.matches("id=\"white-king\"").count(), 1);
        assert_eq!(html.matches("href=\"#white-king\"").count(), 7);
        assert_eq!(html.matches("id=\"board-none\"").count(), 1);
        assert_eq!(html.matches("href=\"#board-none\"").count(), 7);
        for page in paper.to_svg() {
            assert!(!page.svg.contains("T<1>") && !page.svg.contains('\u{1}'), "{}", page.svg);
        }
    }

    #[test]
    fn long_words_and_lines_keep_to_their_width() {
        assert_eq!(room(52.0, 10.0), 10);
        assert_eq!(fitted("abcdefghij", 52.0, 10.0), "abcdefghij");
        assert_eq!(fitted("abcdefgh jklm", 52.0, 10.0), "abcdefgh…");
        assert_eq!(wrapped("", 52.0, 10.0), [""]);
        assert_eq!(wrapped("1. 28-22 18x27", 52.0, 10.0), ["1. 28-22", "18x27"]);
        assert_eq!(wrapped("ab abcdefghijklm", 52.0, 10.0), ["ab", "abcdefghi…"]);
    }
}
