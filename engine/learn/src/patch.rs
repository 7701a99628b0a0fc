//! New values of the search numbers, as a patch of their source.

use std::fmt::Write as _;

/// The file to change, from the root of the repository.
const FILE: &str = "engine/search/src/search/params.rs";
/// Lines around a change.
const CONTEXT: usize = 3;

/// The patch that changes the lines `name: value in range;` of the source to these values, for `git
/// apply` and `patch -p1`; empty if they have them already.
pub(super) fn of_values(source: &str, values: &[(&str, i32)]) -> String {
    let lines: Vec<(&str, String)> =
        source.lines().map(|line| (line, with_values(line, values))).collect();
    let changed = |(old, new): &(&str, String)| old != new;
    let (Some(first), Some(last)) =
        (lines.iter().position(changed), lines.iter().rposition(changed))
    else {
        return String::new();
    };
    let from = first.saturating_sub(CONTEXT);
    let lines = &lines[from..(last + 1 + CONTEXT).min(lines.len())];
    let (at, count) = (from + 1, lines.len());
    let mut patch = format!("--- a/{FILE}\n+++ b/{FILE}\n@@ -{at},{count} +{at},{count} @@\n");
    for line in lines {
        let (old, new) = line;
        let _ = match changed(line) {
            true => write!(patch, "-{old}\n+{new}\n"),
            false => writeln!(patch, " {old}"),
        };
    }
    patch
}

/// The line with the new value, if it has one of these numbers.
fn with_values(line: &str, values: &[(&str, i32)]) -> String {
    let parts = line.trim_start().split_once(": ").and_then(|(name, rest)| {
        let (_, range) = rest.split_once(" in ")?;
        let (_, value) = values.iter().find(|(other, _)| *other == name)?;
        Some(format!("    {name}: {value} in {range}"))
    });
    parts.unwrap_or_else(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use meerslag_search::SearchNumbers;

    use super::*;
    use crate::number::TunedNumber;

    /// The source after the patch, and its old lines that are no longer there.
    fn applied(patch: &str) -> (String, usize) {
        let mut source: Vec<&str> = SearchNumbers::SOURCE.lines().collect();
        let mut lines = patch.lines().skip(2);
        let place = lines.next().unwrap().split(['-', ',']).nth(1).unwrap();
        let mut at = place.parse::<usize>().unwrap() - 1;
        let mut removed = 0;
        for line in lines {
            let (sign, text) = line.split_at(1);
            match sign {
                "+" => {
                    source.insert(at, text);
                    at += 1;
                }
                "-" => {
                    assert_eq!(source.remove(at), text);
                    removed += 1;
                }
                _ => {
                    assert_eq!(source[at], text);
                    at += 1;
                }
            }
        }
        (source.join("\n") + "\n", removed)
    }

    #[test]
    fn a_patch_changes_the_values_and_nothing_else() {
        let all = TunedNumber::all();
        let started: Vec<_> = all.iter().map(|it| (it.name.as_str(), it.start)).collect();
        assert_eq!(of_values(SearchNumbers::SOURCE, &started), "");
        for number in &all {
            let other = (number.name.as_str(), number.start + 1);
            let (source, removed) = applied(&of_values(SearchNumbers::SOURCE, &[other]));
            assert_eq!(removed, 1, "{}", number.name);
            assert!(source.contains(&format!("\n    {}: {} in ", other.0, other.1)));
            // And back.
            assert_eq!(of_values(&source, &[(other.0, number.start)]).matches("\n-").count(), 1);
        }
        let more: Vec<_> = all.iter().map(|it| (it.name.as_str(), it.start + 1)).collect();
        assert_eq!(applied(&of_values(SearchNumbers::SOURCE, &more)).1, all.len());
    }
}
