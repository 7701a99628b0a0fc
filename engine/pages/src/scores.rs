//! Tables of scores for the browser and for paper: one file without references to others.

use crate::diagram::Escaped;

use super::page;

/// A page of scores.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScoresPage {
    /// Its title.
    pub title: String,
    /// Facts about the scores: name and value.
    pub about: Vec<(&'static str, String)>,
    /// The names of the columns after the name.
    pub columns: Vec<&'static str>,
    /// The tables.
    pub tables: Vec<ScoreTable>,
    /// The text below them.
    pub notes: Vec<&'static str>,
}

/// The scores of groups by one property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoreTable {
    /// The property.
    pub title: &'static str,
    /// The lines.
    pub rows: Vec<ScoreRow>,
}

/// A line of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoreRow {
    /// The name of its group.
    pub name: String,
    /// The figures, one for each column of the page.
    pub cells: Vec<String>,
    /// Games won, drawn and lost, for the bar.
    pub results: [u64; 3],
}

impl ScoresPage {
    /// The page as HTML.
    #[must_use]
    pub fn to_html(&self) -> String {
        let mut html = "<dl>\n".to_owned();
        for (what, value) in &self.about {
            html += &format!("<dt>{}</dt><dd>{}</dd>\n", Escaped(what), Escaped(value));
        }
        html += "</dl>\n";
        for table in &self.tables {
            self.add_table(&mut html, table);
        }
        for note in &self.notes {
            html += &format!("<p>{}</p>\n", Escaped(note));
        }
        page("en", &self.title, &meerslag_web::report_style(), &html, "")
    }

    fn add_table(&self, html: &mut String, table: &ScoreTable) {
        let title = Escaped(table.title);
        *html += &format!(
            "<h2>{title}</h2>\n<div class=\"wide\" role=\"region\" aria-label=\"{title}\" tabindex=\"0\">\n\
             <table>\n<thead><tr><th class=\"name\"></th>"
        );
        for name in &self.columns {
            *html += &format!("<th>{}</th>", Escaped(name));
        }
        *html += "<th class=\"name\">won, drawn, lost</th></tr></thead>\n<tbody>\n";
        for row in &table.rows {
            *html += &format!("<tr><td class=\"name\">{}</td>", Escaped(&row.name));
            for cell in &row.cells {
                *html += &format!("<td>{}</td>", Escaped(cell));
            }
            *html += "<td><div class=\"part\">";
            for count in row.results {
                *html += &format!("<i style=\"flex: {count}\"></i>");
            }
            *html += "</div></td></tr>\n";
        }
        *html += "</tbody>\n</table>\n</div>\n";
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
        let html = page.to_html();
        assert!(!html.contains("<script") && !html.contains("<club>") && !html.contains("<b>"));
        assert!(html.contains("&lt;script&gt;alert(1)") && html.contains("<td>7</td>"), "{html}");
        assert!(html.contains("flex: 4") && html.contains("@media print"), "{html}");
        assert!(!html.contains("src=") && !html.contains("href="), "{html}");
    }
}
