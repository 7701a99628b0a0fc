//! Tables of scores for the browser and for paper: one file without references to others.

use askama::Template;

/// A page of scores.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScoresPage {
    /// Its title.
    pub title: String,
    /// What the scores are of: what is told, and what it is.
    pub about: Vec<(&'static str, String)>,
    /// What the columns after the name are called.
    pub columns: Vec<&'static str>,
    /// The tables.
    pub tables: Vec<ScoreTable>,
    /// What is said below them.
    pub notes: Vec<&'static str>,
}

/// The scores of what is told apart by one thing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoreTable {
    /// By what.
    pub title: &'static str,
    /// The lines.
    pub rows: Vec<ScoreRow>,
}

/// A line of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoreRow {
    /// Of what.
    pub name: String,
    /// The figures, one for each column of the page.
    pub cells: Vec<String>,
    /// Games won, drawn and lost, for the bar.
    pub results: [u64; 3],
}

#[derive(Template)]
#[template(path = "scores.html")]
struct ScoresTemplate<'a> {
    page: StyledPage<'a>,
}

/// The page with the style of all pages.
struct StyledPage<'a> {
    language: &'static str,
    title: &'a str,
    style: String,
    about: &'a [(&'static str, String)],
    columns: &'a [&'static str],
    tables: &'a [ScoreTable],
    notes: &'a [&'static str],
}

impl ScoresPage {
    /// The page as HTML.
    ///
    /// # Errors
    /// If the template fails.
    pub fn to_html(&self) -> Result<String, askama::Error> {
        let ScoresPage { title, about, columns, tables, notes } = self;
        let (language, style) = ("en", meerslag_web::report_style());
        let page = StyledPage { language, title, style, about, columns, tables, notes };
        ScoresTemplate { page }.render()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_outside_are_text() {
        let row = |name: &str, results| ScoreRow {
            name: name.to_owned(),
            cells: vec!["7".to_owned()],
            results,
        };
        let page = ScoresPage {
            title: "<club>".to_owned(),
            about: vec![("player", "<b>".to_owned())],
            columns: vec!["games"],
            tables: vec![ScoreTable {
                title: "Opponents",
                rows: vec![row("<script>alert(1)</script>", [4, 2, 1])],
            }],
            notes: vec!["Scores are those of White."],
        };
        let html = page.to_html().unwrap();
        assert!(!html.contains("<script") && !html.contains("<club>") && !html.contains("<b>"));
        assert!(html.contains("&#60;script&#62;alert(1)") && html.contains("<td>7</td>"), "{html}");
        assert!(html.contains("flex: 4") && html.contains("@media print"), "{html}");
        assert!(!html.contains("src=") && !html.contains("href="), "{html}");
    }
}
