//! The syntax of one Hub line: a command and its arguments.
//!
//! ```text
//! line     = ws* command ( ws+ argument )* ws*
//! argument = name | name ws* "=" ws* value
//! value    = bare | '"' any characters except '"' '"'
//! ```
//! There is no escape: a backslash is an ordinary character. White space around `=` is read but
//! never written. Source: the Hub protocol description that comes with Scan 3.1.

use std::fmt::Write as _;

use super::error::HubError;

/// A parsed line. The command is compared exactly, case included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line<'a> {
    command: &'a str,
    arguments: Vec<(&'a str, &'a str)>,
}

/// A line with a command but unreadable arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLine<'a> {
    /// The command word, if readable: commands without arguments still take effect.
    pub command: Option<&'a str>,
    /// What is wrong.
    pub error: HubError,
}

impl<'a> Line<'a> {
    /// Reads a line, without its line end or with it. `Ok(None)` for a blank line.
    ///
    /// # Errors
    /// The first offence against the syntax, with its column.
    pub fn parse(text: &'a str) -> Result<Option<Line<'a>>, BadLine<'a>> {
        let mut scanner = Scanner { text, at: 0, equals_in_values: false };
        scanner.skip_space();
        if scanner.at_end() {
            return Ok(None);
        }
        let fail = |command, error| Err(BadLine { command, error });
        let command = match scanner.bare("a command") {
            Ok(command) => command,
            Err(error) => return fail(None, error),
        };
        let mut arguments = Vec::new();
        loop {
            match scanner.argument() {
                Ok(Some(argument)) => arguments.push(argument),
                Ok(None) => return Ok(Some(Line { command, arguments })),
                Err(error) => return fail(Some(command), error),
            }
        }
    }

    /// The first word.
    #[must_use]
    pub fn command(&self) -> &'a str {
        self.command
    }

    /// The value of an argument; empty for a flag, `None` if it is missing. If there are several of
    /// the same name, the last one counts.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&'a str> {
        self.arguments.iter().rev().find(|(n, _)| *n == name).map(|&(_, value)| value)
    }

    /// Whether there is such an argument, with or without a value.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// All arguments in the order of the line; a flag has an empty value.
    pub fn arguments(&self) -> impl ExactSizeIterator<Item = (&'a str, &'a str)> + '_ {
        self.arguments.iter().copied()
    }
}

/// Arguments without a command, in the order of the text; a flag has an empty value. Unlike in a
/// line of the protocol a value without quotes may have `=` in it: `tc=nodes=2000`. It follows `=`
/// at once, so that a value that is missing does not swallow the next argument.
///
/// # Errors
/// The first offence against the syntax, with its column.
pub(crate) fn loose_arguments(text: &str) -> Result<Vec<(&str, &str)>, HubError> {
    let mut scanner = Scanner { text, at: 0, equals_in_values: true };
    let mut arguments = Vec::new();
    while let Some(argument) = scanner.argument()? {
        arguments.push(argument);
    }
    Ok(arguments)
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\x0b'
}

fn is_bare(c: char) -> bool {
    !is_space(c) && !c.is_ascii_control() && c != '=' && c != '"'
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Whether bare values run to the next blank.
    equals_in_values: bool,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn at_end(&self) -> bool {
        self.at == self.text.len()
    }

    fn column(&self) -> usize {
        self.text[..self.at].chars().count() + 1
    }

    /// Moves on while the characters satisfy a condition.
    fn take(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let taken = &rest[..rest.find(|c| !accept(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn skip_space(&mut self) {
        self.take(is_space);
    }

    fn unexpected(&self, expected: &'static str) -> HubError {
        let found = match self.peek() {
            Some(c) if c.is_control() => format!("character {}", c.escape_default()),
            Some('"') => "quote".to_owned(),
            Some(c) => format!("'{c}'"),
            None => "end of line".to_owned(),
        };
        HubError::Unexpected { column: self.column(), found, expected }
    }

    fn bare(&mut self, expected: &'static str) -> Result<&'a str, HubError> {
        self.word(expected, is_bare)
    }

    fn word(
        &mut self,
        expected: &'static str,
        accept: impl Fn(char) -> bool,
    ) -> Result<&'a str, HubError> {
        let word = self.take(accept);
        if word.is_empty() { Err(self.unexpected(expected)) } else { Ok(word) }
    }

    fn argument(&mut self) -> Result<Option<(&'a str, &'a str)>, HubError> {
        let before = self.at;
        self.skip_space();
        if self.at_end() {
            return Ok(None);
        }
        if self.at == before && before > 0 {
            return Err(self.unexpected("white space"));
        }
        let name = self.bare("the name of an argument")?;
        let end_of_name = self.at;
        self.skip_space();
        if self.peek() != Some('=') {
            self.at = end_of_name;
            return Ok(Some((name, "")));
        }
        self.at += 1;
        // In a description, `env.X= next=5` is an empty value without its quotes.
        if !self.equals_in_values {
            self.skip_space();
        }
        let value = match self.peek() {
            end if end.is_none_or(is_space) => {
                return Err(HubError::MissingValue {
                    column: self.column(),
                    name: super::error::quotable(name),
                });
            }
            Some('"') => {
                let column = self.column();
                self.at += 1;
                let value = self.take(|c| c != '"');
                if self.at_end() {
                    return Err(HubError::UnclosedQuote { column });
                }
                self.at += 1;
                value
            }
            _ => {
                let takes_equals = self.equals_in_values;
                self.word("a value", |c| is_bare(c) || takes_equals && c == '=')?
            }
        };
        Ok(Some((name, value)))
    }
}

/// Writes one line in the strict form: arguments in the order of the calls, quotes only where
/// the syntax or a known client needs them.
#[derive(Debug)]
pub struct LineWriter(String);

impl LineWriter {
    /// A line that so far has only its command.
    #[must_use]
    pub fn new(command: &str) -> LineWriter {
        LineWriter(command.to_owned())
    }

    /// Adds `name=value`, quoted if the value needs it.
    #[must_use]
    pub fn arg(mut self, name: &str, value: impl std::fmt::Display) -> LineWriter {
        let start = self.0.len() + 2 + name.len();
        let _ = write!(self.0, " {name}={value}");
        let value = &self.0[start..];
        if value.is_empty() || !value.chars().all(is_bare) {
            let value = value.to_owned();
            self.0.truncate(start);
            self.push_quoted(&value);
        }
        self
    }

    /// Adds `name="value"`, always quoted.
    #[must_use]
    pub fn quoted(mut self, name: &str, value: &str) -> LineWriter {
        let _ = write!(self.0, " {name}=");
        self.push_quoted(value);
        self
    }

    fn push_quoted(&mut self, value: &str) {
        self.0.push('"');
        // A value cannot contain a double quote, and a line end would end the line.
        self.0.extend(value.chars().map(|c| match c {
            '"' => '\'',
            c if c.is_ascii_control() => ' ',
            c => c,
        }));
        self.0.push('"');
    }

    /// The finished line, without a line end.
    #[must_use]
    pub fn finish(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> (&str, Vec<(&str, &str)>) {
        let line = Line::parse(text).unwrap().unwrap();
        (line.command(), line.arguments().collect())
    }

    #[test]
    fn arguments_of_every_form() {
        let expected = ("level", vec![("depth", "5"), ("infinite", ""), ("x", "a b=c")]);
        for text in [
            "level depth=5 infinite x=\"a b=c\"",
            "  level\tdepth = 5   infinite x= \"a b=c\" \r\n",
            "level depth=\"5\" infinite x =\"a b=c\"\r",
        ] {
            assert_eq!(parsed(text), expected, "{text:?}");
        }
        assert_eq!(parsed("pos moves=\"\""), ("pos", vec![("moves", "")]));
        assert_eq!(parsed("set-param name=p value=C:\\\\x"), {
            ("set-param", vec![("name", "p"), ("value", "C:\\\\x")])
        });
        assert_eq!(parsed("id author=\"Zoë\" x=é"), ("id", vec![("author", "Zoë"), ("x", "é")]));
    }

    #[test]
    fn last_of_the_same_name_counts() {
        let line = Line::parse("level depth=3 depth=4").unwrap().unwrap();
        assert_eq!(line.value("depth"), Some("4"));
        assert!(!line.has("time"));
    }

    #[test]
    fn blank_lines_are_nothing() {
        for text in ["", " ", "\t \r\n", "\n"] {
            assert_eq!(Line::parse(text), Ok(None), "{text:?}");
        }
    }

    #[test]
    fn errors_name_the_column() {
        let message = |text| Line::parse(text).unwrap_err().error.to_string();
        assert!(message("pos pos=\"Wbb").contains("column 9"));
        assert!(message("pos pos=").contains("column 9"));
        assert!(message("=x").contains("column 1"));
        assert!(message("go think=a=b").contains("column 11"));
        assert!(message("go x=\"a\"b").contains("column 9"));
        assert!(message("go \"think\"").contains("column 4"));
        assert!(message("go th\0ink").contains("column 6"));
        assert_eq!(Line::parse("stop x=\"").unwrap_err().command, Some("stop"));
        assert_eq!(Line::parse("\"stop").unwrap_err().command, None);
    }

    #[test]
    fn writer_quotes_what_needs_it() {
        let line = LineWriter::new("info").arg("depth", 3).arg("a", "").arg("b", "x y");
        let line = line.arg("c", "1=2").quoted("pv", "32-28").arg("d", "say \"hi\"").finish();
        let expected = "info depth=3 a=\"\" b=\"x y\" c=\"1=2\" pv=\"32-28\" d=\"say 'hi'\"";
        assert_eq!(line, expected);
    }

    /// Found by fuzzing: bytes beyond ASCII are ordinary characters, control codes or not.
    #[test]
    fn control_codes_beyond_ascii_are_kept() {
        let line = LineWriter::new("x").arg("a", "7\u{9a}").arg("b", "7 \u{9a}\u{7}").finish();
        assert_eq!(parsed(&line), ("x", vec![("a", "7\u{9a}"), ("b", "7 \u{9a} ")]));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*|[a-z=\" \t\\x00-\\x1f]{0,40}") {
            let _ = Line::parse(&text);
        }

        #[test]
        fn what_is_written_is_read(
            command in "[a-z][a-z-]{0,8}",
            arguments in prop::collection::vec(("[a-z-]{1,8}", "[^\"\\p{C}]{0,12}"), 0..6),
        ) {
            let mut writer = LineWriter::new(&command);
            for (name, value) in &arguments {
                writer = writer.arg(name, value);
            }
            let text = writer.finish();
            let line = Line::parse(&text).unwrap().unwrap();
            prop_assert_eq!(line.command(), command);
            let read: Vec<_> =
                line.arguments().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
            prop_assert_eq!(read, arguments);
        }
    }

    #[test]
    fn loose_values_run_to_the_next_blank() {
        let expected =
            vec![("builtin", ""), ("tc", "10,nodes=2000"), ("cmd", "a b=c"), ("x", ""), ("y", "=")];
        for text in [
            "builtin tc=10,nodes=2000 cmd=\"a b=c\" x y==",
            "  builtin\ttc=10,nodes=2000  cmd=\"a b=c\" x=\"\" y=\"=\" ",
        ] {
            assert_eq!(loose_arguments(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn errors_in_loose_arguments_name_their_column() {
        for (text, message) in [
            ("=x builtin", "column 1: unexpected '=', expected the name"),
            ("é tc=\"10", "column 6: the quoted value"),
            ("cmd=\"a\"b", "column 8: unexpected 'b', expected white space"),
            ("cmd=a\"b\"", "column 6: unexpected quote, expected white space"),
            ("tc=", "column 4: no value after 'tc='"),
            ("a=\u{1}", "column 3: unexpected character \\u{1}, expected a value"),
        ] {
            let error = loose_arguments(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}
