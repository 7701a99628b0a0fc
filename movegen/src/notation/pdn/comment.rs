//! Comments and the commands in them: clock times and evaluations.

use std::time::Duration;

use crate::color::Color;

/// The command that marks a comment of our own annotation. Its value is the CRC-32 of the rest of the
/// comment, as eight hexadecimal digits, and the additions beside the comment: the glyph, such as
/// `$4`, the word `inaccuracy`, and the first move of the variation.
pub const ANNOTATION: &str = "annotate";
/// The word in it.
pub(super) const INACCURACY: &str = "inaccuracy";

/// A comment, kept as text. Commands such as `[%clk 0:12:30]` stay in the text and
/// are read from it on demand, so that nothing of a file is lost.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Comment {
    /// The text between the braces, blanks and single line ends folded. An empty line (`\n\n`)
    /// separates paragraphs.
    pub text: String,
}

/// One time of a `[%clock ...]` or `[%clk ...]` command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockTime {
    /// Whose clock; unknown if the time has no letter.
    pub color: Option<Color>,
    /// Whether this clock is running (a capital letter).
    pub is_running: bool,
    /// The time left on it.
    pub time: Duration,
}

impl Comment {
    /// A comment with this text, blanks folded, in its paragraphs.
    #[must_use]
    pub fn new(text: &str) -> Comment {
        Comment { text: super::text::paragraphs(text) }
    }

    /// The commands: name and value of each `[%name value]`.
    pub fn commands(&self) -> impl Iterator<Item = (&str, &str)> {
        self.text.split("[%").skip(1).filter_map(|part| {
            let command = &part[..part.find(']')?];
            let command = command.trim();
            Some(match command.split_once(char::is_whitespace) {
                Some((name, value)) => (name, value.trim()),
                None => (command, ""),
            })
        })
    }

    /// The value of the first command of this name.
    #[must_use]
    pub fn command(&self, name: &str) -> Option<&str> {
        self.commands().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v)
    }

    /// Takes the first command of this name out of the text, and gives its value.
    pub fn take_command(&mut self, name: &str) -> Option<String> {
        let mut from = 0;
        while let Some(start) = self.text[from..].find("[%").map(|at| from + at) {
            let end = start + self.text[start..].find(']')? + 1;
            let command = Comment { text: self.text[start..end].to_owned() };
            if let Some(value) = command.command(name) {
                *self = Comment::new(&[&self.text[..start], &self.text[end..]].concat());
                return Some(value.to_owned());
            }
            from = start + 2;
        }
        None
    }

    /// `[%emt 0:00:04]`: the time used for the move.
    #[must_use]
    pub fn elapsed_move_time(&self) -> Option<Duration> {
        parse_time(self.command("emt")?)
    }

    /// The time left to the side that has made the move: `[%clk 1:02:03]`, or its own of both clocks.
    #[must_use]
    pub fn remaining_time(&self, mover: Color) -> Option<Duration> {
        let clocks = self.clocks();
        let of = |color| clocks.iter().find(|clock| clock.color == color).map(|clock| clock.time);
        of(Some(mover)).or_else(|| of(None))
    }

    /// `[%clock w0:01:10 B0:01:15]`, also named `clk`: the clocks of one or both sides. Of two times
    /// without letters the first is White's.
    #[must_use]
    pub fn clocks(&self) -> Vec<ClockTime> {
        let is_clock = |name: &str| ["clk", "clock"].iter().any(|n| n.eq_ignore_ascii_case(name));
        let mut all = Vec::new();
        for (_, value) in self.commands().filter(|(name, _)| is_clock(name)) {
            let mut clocks: Vec<_> =
                value.split_whitespace().filter_map(clock_time).take(2).collect();
            if let [ClockTime { color: white @ None, .. }, ClockTime { color: black @ None, .. }] =
                &mut clocks[..]
            {
                (*white, *black) = (Some(Color::White), Some(Color::Black));
            }
            all.append(&mut clocks);
        }
        all
    }

    /// `[%eval 0.13]`: an evaluation in men, from White's point of view where we wrote it.
    #[must_use]
    pub fn evaluation(&self) -> Option<f64> {
        let value = self.command("eval")?.split_whitespace().next_back()?;
        value.parse().ok().filter(|v: &f64| v.is_finite())
    }

    /// Whether an annotation of ours ([`ANNOTATION`]) calls the move an inaccuracy, which has no sign
    /// in draughts.
    #[must_use]
    pub fn is_inaccuracy(&self) -> bool {
        let words = self.command(ANNOTATION).map(str::split_whitespace);
        words.is_some_and(|mut words| words.any(|word| word == INACCURACY))
    }

    /// The text without its commands.
    #[must_use]
    pub fn plain_text(&self) -> String {
        let mut plain = String::new();
        let mut rest = self.text.as_str();
        while let Some(start) = rest.find("[%") {
            plain.push_str(&rest[..start]);
            rest = rest[start..].find(']').map_or("", |end| &rest[start + end + 1..]);
        }
        plain.push_str(rest);
        super::text::paragraphs(&plain)
    }
}

fn clock_time(text: &str) -> Option<ClockTime> {
    let letter = text.chars().next()?;
    let color = match letter.to_ascii_uppercase() {
        'W' => Some(Color::White),
        'B' => Some(Color::Black),
        _ => None,
    };
    let time = parse_time(if color.is_some() { &text[1..] } else { text })?;
    Some(ClockTime { color, is_running: color.is_some() && letter.is_ascii_uppercase(), time })
}

/// A time as `[%clk]` and `[%emt]` have it: `h:mm:ss`, with as many decimals of the seconds as it
/// needs, three at the most.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use movegen::notation::pdn::format_time;
///
/// assert_eq!(format_time(Duration::from_secs(3723)), "1:02:03");
/// assert_eq!(format_time(Duration::from_millis(59_870)), "0:00:59.87");
/// ```
#[must_use]
pub fn format_time(time: Duration) -> String {
    let (seconds, millis) = (time.as_secs(), time.subsec_millis());
    let mut text = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if millis > 0 {
        text.push_str(format!(".{millis:03}").trim_end_matches('0'));
    }
    text
}

/// `h:mm:ss`, `mm:ss` or `ss`; the seconds may have decimals.
fn parse_time(text: &str) -> Option<Duration> {
    let parts: Vec<&str> = text.trim().split(':').collect();
    let (seconds, larger) = parts.split_last().filter(|(_, l)| l.len() <= 2)?;
    let mut total = 0u64;
    for part in larger {
        total = (total + number(part)?) * 60;
    }
    let (whole, part) = seconds.split_once('.').unwrap_or((seconds, "0"));
    if part.is_empty() || part.len() > 9 || !part.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let nanos = format!("{part:0<9}").parse().ok()?;
    Some(Duration::new(total + number(whole)?, nanos))
}

fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.len() <= 6 && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_every_kind() {
        let comment = Comment::new("[%clk 1:02:03] good [%emt 0:00:04.5]\n[%mct x]");
        assert_eq!(comment.remaining_time(Color::Black), Some(Duration::from_secs(3723)));
        assert_eq!(comment.elapsed_move_time(), Some(Duration::from_millis(4500)));
        assert_eq!(comment.command("MCT"), Some("x"));
        assert_eq!(comment.plain_text(), "good");
        let clocks = Comment::new("[%clock w0:01:10 B0:01:15]").clocks();
        let time = Duration::from_secs;
        assert_eq!(
            clocks,
            [
                ClockTime { color: Some(Color::White), is_running: false, time: time(70) },
                ClockTime { color: Some(Color::Black), is_running: true, time: time(75) },
            ]
        );
        let bare = Comment::new("[%clock 0:01:10]").clocks();
        assert_eq!(bare, [ClockTime { color: None, is_running: false, time: time(70) }]);
    }

    #[test]
    fn the_time_left_is_that_of_the_mover() {
        for (text, white, black) in [
            ("[%clk 0:09:57]", Some(597), Some(597)),
            ("[%clock 0:49:11]", Some(2951), Some(2951)),
            ("[%clock w0:09:57 B0:09:58]", Some(597), Some(598)),
            ("[%clk w0:00:10 B0:00:03]", Some(10), Some(3)),
            ("[%CLOCK B0:00:03 w0:00:10]", Some(10), Some(3)),
            ("[%clock w0:09:57 b0:09:58] the end", Some(597), Some(598)),
            ("[%clock 0:00:10 0:00:03]", Some(10), Some(3)),
            ("[%clock W0:00:10]", Some(10), None),
            ("[%clk 0:00:07] [%clock w0:00:10]", Some(10), Some(7)),
            ("[%emt 0:00:03]", None, None),
        ] {
            let left = |side| Comment::new(text).remaining_time(side).map(|time| time.as_secs());
            assert_eq!((left(Color::White), left(Color::Black)), (white, black), "{text}");
        }
    }

    #[test]
    fn commands_are_taken_out_one_by_one() {
        let mut comment = Comment::new("[%eval 1] good [%EVAL 2][%x y z] [%broken");
        assert_eq!(comment.take_command("clk"), None);
        assert_eq!(comment.take_command("eval").as_deref(), Some("1"));
        assert_eq!(comment.text, "good [%EVAL 2][%x y z] [%broken");
        assert_eq!(comment.take_command("x").as_deref(), Some("y z"));
        assert_eq!(comment.take_command("eval").as_deref(), Some("2"));
        assert_eq!(comment.text, "good [%broken");
        assert_eq!(comment.take_command("broken"), None);
    }

    #[test]
    fn evaluations_of_several_dialects() {
        for (text, value) in [
            ("[%eval 0.13] [%depth 21]", Some(0.13)),
            ("[%eval -2]", Some(-2.0)),
            ("{%eval \"name\" 0.15}", None),
            ("[%eval \"name\" 0.15]", Some(0.15)),
            ("1.23/17 5s", None),
            ("[%eval nan]", None),
            ("[%eval", None),
        ] {
            assert_eq!(Comment::new(text).evaluation(), value, "{text}");
        }
    }

    #[test]
    fn broken_times_are_no_times() {
        for text in ["", "[%clk]", "[%clk 1:2:3:4]", "[%clk 1:-2]", "[%clk 1:02.]", "[%clk é]"] {
            let comment = Comment::new(text);
            assert_eq!(
                (comment.remaining_time(Color::White), comment.clocks()),
                (None, vec![]),
                "{text}"
            );
        }
        assert_eq!(Comment::new("[%clock é1:00 w x]").clocks(), []);
    }
}
