//! Messages within a game other than moves: most change nothing and are answered at once, whatever
//! we are doing.

use movegen::Color;

use super::connection::Connection;
use super::message::{
    Acceptance, EndReason, Message, TakeBack, answer_to_unreadable, is_unreadable_end,
};
use super::options::SessionOptions;

/// The effect of a message on the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// It has been answered, if it needed an answer, and nothing changes.
    Nothing,
    /// The opponent ends the game.
    End { reason: EndReason, stop: bool },
    /// Back to the position after this many plies.
    Back(usize),
}

/// The facts of the game for judging messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Situation {
    /// Plies that were played.
    pub plies: usize,
    /// The side that moved first.
    pub first: Color,
}

impl Situation {
    /// The plies before this move, if it was played or is the next one.
    fn target(self, number: u32, color: Color) -> Option<usize> {
        let ahead = i64::from(color == Color::Black) - i64::from(self.first == Color::Black);
        let target = 2 * (i64::from(number) - 1) + ahead;
        usize::try_from(target).ok().filter(|&target| target <= self.plies)
    }

    /// Finds out what a message means, and answers it if it changes nothing.
    pub(super) fn judge(
        self,
        text: &str,
        connection: &mut Connection,
        options: &SessionOptions,
    ) -> Meaning {
        match text.parse() {
            Ok(Message::End { reason: EndReason::Unknown, stop: false })
                if connection.take_owed_echo() =>
            {
                connection.remark("ignored: the late echo of an earlier end");
            }
            Ok(Message::End { reason, stop }) => return Meaning::End { reason, stop },
            Ok(Message::BackRequest { .. }) if !options.take_back => {
                connection.send(&Message::BackAnswer(TakeBack::Unsupported));
            }
            Ok(Message::BackRequest { number, color }) => match self.target(number, color) {
                Some(target) => return Meaning::Back(target),
                None => connection.send(&Message::BackAnswer(TakeBack::Refused)),
            },
            Ok(Message::Request(_)) => {
                let (name, code) = (options.name.clone(), Acceptance::NotThisGame);
                connection.send(&Message::Accept { name, code });
            }
            Ok(Message::Move(_)) => connection.remark("ignored: a move out of turn"),
            Ok(Message::Accept { .. } | Message::BackAnswer(_) | Message::Chat(_)) => {}
            Err(error) => {
                if is_unreadable_end(text) {
                    connection.remark(&format!("taken for the end of the game: {error}"));
                    return Meaning::End { reason: EndReason::Unknown, stop: false };
                }
                connection.remark(&format!("ignored: {error}"));
                if let Some(answer) = answer_to_unreadable(text, &options.name) {
                    connection.send(&answer);
                }
            }
        }
        Meaning::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_moves_to_go_back_to() {
        let white = Situation { plies: 3, first: Color::White };
        for (number, color, target) in [
            (1, Color::White, Some(0)),
            (1, Color::Black, Some(1)),
            (2, Color::Black, Some(3)),
            (3, Color::White, None),
            (0, Color::Black, None),
        ] {
            assert_eq!(white.target(number, color), target, "{number} {color}");
        }
        let black = Situation { plies: 3, first: Color::Black };
        for (number, color, target) in [
            (1, Color::White, None),
            (1, Color::Black, Some(0)),
            (2, Color::White, Some(1)),
            (2, Color::Black, Some(2)),
        ] {
            assert_eq!(black.target(number, color), target, "{number} {color}");
        }
    }
}
