//! Names of players to look for.

use std::fmt;

use glob::Pattern;

/// A name, or a pattern of names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayerName {
    text: String,
    /// In small letters, because the pattern ignores case only in ASCII.
    pattern: Pattern,
}

impl PlayerName {
    /// A name, where `*` stands for any letters, `?` for one and `[ab]` for one of several. Capital
    /// and small letters are the same.
    ///
    /// # Errors
    /// If it is not a pattern.
    pub fn parse(text: &str) -> Result<PlayerName, String> {
        let pattern = Pattern::new(&text.to_lowercase())
            .map_err(|error| format!("not a pattern of names: {error}"))?;
        Ok(PlayerName { text: text.to_owned(), pattern })
    }

    /// Whether this player is meant: the name fits the pattern, or is the same text, such as `[x]`.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let name = name.trim().to_lowercase();
        self.pattern.matches(&name) || name == self.text.to_lowercase()
    }
}

impl fmt::Display for PlayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_patterns_or_are_written_so() {
        assert!(PlayerName::parse("[x").is_err());
        assert!(PlayerName::parse("Иванов*").unwrap().matches("ИВАНОВ А."));
        let odd = PlayerName::parse("[x] Bot?").unwrap();
        assert!(odd.matches("[X] bot?") && odd.matches("x Bots") && !odd.matches("[y] Bot?"));
    }
}
