//! The lessons: kinds of endgames to learn, from easy to hard.

use egdb::Wld;
use movegen::Color;

/// A kind of endgame to learn.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// The subject, in words.
    pub goal: &'static str,
    /// The material, as an [`egdb::Slice`] is written.
    pub slice: &'static str,
    /// The value of the positions to the side that learns, which is to move.
    pub value: Wld,
    /// The side that learns.
    pub side: Color,
    /// The least and the greatest distance to the end in plies.
    pub dtw: Option<(u32, u32)>,
}

impl Lesson {
    const fn new(
        goal: &'static str,
        slice: &'static str,
        value: Wld,
        side: Color,
        dtw: Option<(u32, u32)>,
    ) -> Lesson {
        Lesson { goal, slice, value, side, dtw }
    }
}

/// From easy to hard; all within the databases of the program.
pub const LESSONS: [Lesson; 12] = {
    use Color::White;
    use Wld::{Draw, Win};
    [
        Lesson::new("catch a man with a king.", "1001", Win, White, Some((3, 3))),
        Lesson::new("catch a man with a king, further away.", "1001", Win, White, Some((5, 7))),
        Lesson::new("one man against one: the opposition.", "1010", Win, White, Some((5, 40))),
        Lesson::new("two men against one.", "1020", Win, White, Some((7, 60))),
        Lesson::new("a king and a man against a man.", "1011", Win, White, Some((7, 60))),
        Lesson::new("hold a man against two.", "2010", Draw, White, None),
        Lesson::new("two kings against two men.", "2002", Win, White, Some((7, 60))),
        Lesson::new("three kings catch one.", "0103", Win, White, Some((5, 40))),
        Lesson::new("hold a king against two kings and a man.", "1201", Draw, White, None),
        Lesson::new("a king and two men against a king.", "0121", Win, White, Some((9, 80))),
        Lesson::new("two men each: hold the draw.", "2020", Draw, White, None),
        Lesson::new("two men each: the long win.", "2020", Win, White, Some((21, 99))),
    ]
};

#[cfg(test)]
mod tests {
    use egdb::{Probe, Slice};
    use movegen::DrawRules;

    use super::super::{Criteria, Picker};
    use super::*;

    /// The positions of the lesson, for the side that learns or another one.
    fn criteria(lesson: &Lesson, side: Option<Color>) -> Criteria {
        let slice: Slice = lesson.slice.parse().unwrap();
        let side = side.unwrap_or(lesson.side);
        let slice = if side == lesson.side { slice } else { slice.reversed() };
        let dtw = lesson.dtw.map(|(min, max)| min..=max);
        Criteria { slice, value: lesson.value, side: Some(side), dtw }
    }

    #[test]
    fn every_lesson_has_positions_for_both_sides() {
        let probe = Probe::embedded().unwrap();
        for (number, lesson) in (1..).zip(&LESSONS) {
            for side in [None, Some(Color::White), Some(Color::Black)] {
                let criteria = criteria(lesson, side);
                let position = Picker::new(number).pick(&probe, &criteria, DrawRules::default());
                let position = position.unwrap_or_else(|error| panic!("lesson {number}: {error}"));
                assert_eq!(probe.wld(&position).unwrap(), Some(lesson.value), "lesson {number}");
                assert_eq!(position.side_to_move(), side.unwrap_or(Color::White));
            }
        }
    }
}
