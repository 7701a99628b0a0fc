//! From moves as written to legal moves.
//!
//! Short notation of a capture can fit several moves, and some sources write a capture step by
//! step. So reading a line is a search: each written move has the legal moves it may stand for, and
//! the first choice that makes the rest of the line playable counts. Almost every move has one
//! reading, so almost every line needs no retry.

use super::comment::Comment;
use super::game::{Annotation, Ply, Variation};
use super::raw::{Doubt, RawAnnotation, RawLine, RawPly, SetUp, plies_to_words};
use super::warning::{PdnWarning, PdnWarningKind, Warnings};
use crate::moves::Move;
use crate::notation::moves::{MoveText, ParseMoveError};
use crate::position::Position;

/// How many moves may be tried in one game in search of the right readings.
const MAX_RETRIES: usize = 50_000;

/// The result of reading a line.
pub(super) struct Resolved {
    pub(super) line: Variation,
    /// Why the line is shorter than it was written.
    pub(super) stopped: Option<PdnWarning>,
}

/// Reads the lines of one game and collects warnings.
pub(super) struct Resolver {
    pub(super) warnings: Warnings,
    pub(super) ambiguous: u64,
    /// Moves that may still be tried after a wrong reading.
    retries: usize,
}

/// A reading of one or more written moves.
#[derive(Clone)]
struct MoveReading {
    /// `None`: it is not a move.
    mv: Option<Move>,
    /// How many written moves it takes; more than one for a capture in steps.
    taken: usize,
    is_partial: bool,
}

#[derive(Clone)]
struct PdnStep {
    /// Index of the first written move.
    index: usize,
    before: Position,
    reading: MoveReading,
    /// The move in brackets after it that the other side answers with, and its place among the
    /// annotations.
    reply: Option<(usize, Move)>,
}

/// Several readings of one written move.
struct MoveChoice {
    /// Steps before it.
    depth: usize,
    index: usize,
    before: Position,
    readings: Vec<MoveReading>,
    next: usize,
}

/// The best path found.
#[derive(Default)]
struct Path {
    steps: Vec<PdnStep>,
    is_whole: bool,
    /// Readings of the first written move that has more than one.
    rivals: Option<(usize, Vec<Move>)>,
}

impl Resolver {
    pub(super) fn new() -> Resolver {
        Resolver { warnings: Warnings::default(), ambiguous: 0, retries: MAX_RETRIES }
    }

    /// Reads a line that starts at a position.
    pub(super) fn line(&mut self, start: Position, raw: RawLine) -> Resolved {
        let Some(first) = set_up(start, &raw.lead) else {
            let line =
                Variation { lead: self.annotations(start, start, raw.lead), plies: Vec::new() };
            return self.cut_short(line, start, &raw.plies, raw.stop);
        };
        let path = find_path(first, &raw.plies, &mut self.retries);
        self.report(&raw.plies, &path);
        let mut line =
            Variation { lead: self.annotations(start, start, raw.lead), plies: Vec::new() };
        let mut plies = raw.plies.into_iter();
        let mut last = first;
        // The position that a variation starts from.
        let mut base = start;
        for step in path.steps {
            if let Some(mv) = step.reading.mv {
                line.plies.push(Ply::from(mv));
                (base, last) = (step.before, step.before.after(mv));
            }
            for (number, mut written) in (1..).zip(plies.by_ref().take(step.reading.taken)) {
                if step.reading.mv.is_none() {
                    self.no_move(&mut line, &mut written);
                }
                let reply = step.reply.filter(|_| number == step.reading.taken);
                let rest = reply.map(|(at, _)| written.after.split_off(at)).unwrap_or_default();
                self.annotate(&mut line, (base, &mut last), written.nags, written.after);
                let mut rest = rest.into_iter();
                if let (Some((_, mv)), Some(RawAnnotation::Variation(mut bracket))) =
                    (reply, rest.next())
                {
                    self.annotate(&mut line, (base, &mut last), Vec::new(), bracket.lead);
                    line.plies.push(Ply::from(mv));
                    (base, last) = (last, last.after(mv));
                    for ply in bracket.plies.drain(..) {
                        self.annotate(&mut line, (base, &mut last), ply.nags, ply.after);
                    }
                    self.annotate(&mut line, (base, &mut last), Vec::new(), rest.collect());
                }
            }
        }
        self.cut_short(line, last, plies.as_slice(), raw.stop)
    }

    /// Adds glyphs and annotations to the last move of a line, which was played on the first position
    /// and led to the second.
    fn annotate(
        &mut self,
        line: &mut Variation,
        (before, last): (Position, &mut Position),
        nags: Vec<u32>,
        after: Vec<RawAnnotation>,
    ) {
        if !after.is_empty() {
            let next = set_up(*last, &after).unwrap_or(*last);
            let annotations = self.annotations(before, *last, after);
            line.tail().extend(annotations);
            *last = next;
        }
        if let Some(ply) = line.plies.last_mut() {
            ply.nags.extend(nags);
        }
    }

    /// Keeps a word that is not a move as a comment, with its glyphs.
    fn no_move(&mut self, line: &mut Variation, written: &mut RawPly) {
        if written.doubt != Doubt::Likely {
            let kind = PdnWarningKind::Unreadable(written.text.clone());
            self.warnings.push(PdnWarning::at(written.place, kind));
        }
        let mut words = vec![written.text.clone()];
        words.extend(written.nags.drain(..).map(|nag| format!("${nag}")));
        line.tail().push(Annotation::Comment(Comment::new(&words.join(" "))));
    }

    /// Adds unread text as a comment and says why.
    fn cut_short(
        &mut self,
        mut line: Variation,
        position: Position,
        rest: &[RawPly],
        stop: Option<(super::chars::TextPos, String)>,
    ) -> Resolved {
        let mut words = Vec::new();
        plies_to_words(rest, &mut words);
        let stopped = match (rest.first(), &stop) {
            (Some(ply), _) => {
                let error = match &ply.written {
                    Err(error) => error.clone(),
                    Ok(written) => {
                        let moves = written.candidates(&position);
                        let error = ParseMoveError::only(&ply.text, moves).err();
                        error.unwrap_or_else(|| ParseMoveError::illegal(&ply.text))
                    }
                };
                Some(PdnWarning::at(ply.place, PdnWarningKind::Move(error)))
            }
            (None, Some((place, text))) => {
                let first = text.split(' ').next().unwrap_or_default().to_owned();
                Some(PdnWarning::at(*place, PdnWarningKind::NullMove(first)))
            }
            (None, None) => None,
        };
        words.extend(stop.map(|(_, text)| text));
        if !words.is_empty() {
            line.tail().push(Annotation::Comment(Comment::new(&words.join(" "))));
        }
        Resolved { line, stopped }
    }

    /// Warns of readings that are doubtful.
    fn report(&mut self, plies: &[RawPly], path: &Path) {
        for step in &path.steps {
            let ply = &plies[step.index];
            if let Some(mv) = step.reading.mv.filter(|_| step.reading.is_partial) {
                let (text, whole) = (ply.text.clone(), mv.to_string());
                let kind = PdnWarningKind::PartialCapture { text, whole };
                self.warnings.push(PdnWarning::at(ply.place, kind));
            }
        }
        if let Some((index, candidates)) = &path.rivals {
            let ply = &plies[*index];
            if let Err(error) = ParseMoveError::only(&ply.text, candidates.clone()) {
                self.ambiguous += 1;
                self.warnings.push(PdnWarning::at(ply.place, PdnWarningKind::AmbiguousMove(error)));
            }
        }
    }

    /// The items after a move that was played on `before` and led to `after`.
    fn annotations(
        &mut self,
        before: Position,
        after: Position,
        list: Vec<RawAnnotation>,
    ) -> Vec<Annotation> {
        let mut position = after;
        // A variation replaces the last move, or starts from the last set-up.
        let mut base = before;
        let mut out = Vec::new();
        for annotation in list {
            match annotation {
                RawAnnotation::Comment(text) | RawAnnotation::Prose(text) => {
                    if !text.is_empty() {
                        out.push(Annotation::Comment(Comment::new(&text)));
                    }
                }
                RawAnnotation::SetUp { set_up, text, .. } => match apply(position, &set_up) {
                    Some(next) => {
                        position = next;
                        base = next;
                        out.push(Annotation::SetUp(next));
                    }
                    None => {
                        let text = format!("/FEN \"{text}\"/");
                        out.push(Annotation::Comment(Comment::new(&text)));
                    }
                },
                RawAnnotation::Variation(raw) => out.extend(self.variation(base, raw)),
            }
        }
        out
    }

    /// A variation, or a comment with its text if its first move is not legal.
    fn variation(&mut self, start: Position, raw: RawLine) -> Option<Annotation> {
        let is_playable = set_up(start, &raw.lead).is_some_and(|position| {
            let is_first = |ply: &RawPly| ply.doubt == Doubt::None;
            let first = raw.plies.iter().position(is_first).unwrap_or_default();
            is_playable(position, &raw.plies, first)
                && !readings(position, &raw.plies, 0).is_empty()
        });
        if is_playable {
            let resolved = self.line(start, raw);
            if let Some(warning) = resolved.stopped {
                self.warnings.push(warning);
            }
            return Some(Annotation::Variation(resolved.line));
        }
        if let Some(ply) = raw.plies.first() {
            let error = ply.written.as_ref().err().cloned();
            let error = error.unwrap_or_else(|| ParseMoveError::illegal(&ply.text));
            self.warnings.push(PdnWarning::at(ply.place, PdnWarningKind::Move(error)));
        }
        let text = raw.to_text();
        let comment = Comment::new(&format!("({text})"));
        (!text.is_empty()).then_some(Annotation::Comment(comment))
    }
}

fn apply(position: Position, set_up: &SetUp) -> Option<Position> {
    match set_up {
        SetUp::Position(next) => Some(next.with_variant(position.variant())),
        SetUp::Side(side) if *side == position.side_to_move() => Some(position),
        SetUp::Side(_) => Some(position.with_other_side()),
        SetUp::Unusable(_) => None,
    }
}

/// The position after the set-up commands of a list; `None` if one is unusable.
fn set_up(position: Position, list: &[RawAnnotation]) -> Option<Position> {
    list.iter().try_fold(position, |position, annotation| match annotation {
        RawAnnotation::SetUp { set_up, .. } => apply(position, set_up),
        _ => Some(position),
    })
}

/// What the written move at `index` may stand for: legal moves, or nothing to be played.
fn readings(position: Position, plies: &[RawPly], index: usize) -> Vec<MoveReading> {
    let found = move_readings(position, plies, index);
    let goes_on = || match plies.get(index + 1) {
        None => plies[index].doubt == Doubt::Likely,
        Some(_) => set_up(position, &plies[index].after)
            .is_some_and(|position| is_playable(position, plies, index + 1)),
    };
    let is_no_move = found.is_empty() && plies[index].doubt != Doubt::None && goes_on();
    if is_no_move { vec![MoveReading { mv: None, taken: 1, is_partial: false }] } else { found }
}

/// Whether the written move at `index` is legal.
fn is_playable(position: Position, plies: &[RawPly], index: usize) -> bool {
    index < plies.len() && !move_readings(position, plies, index).is_empty()
}

/// The legal moves that the written move at `index` may stand for.
fn move_readings(position: Position, plies: &[RawPly], index: usize) -> Vec<MoveReading> {
    let Ok(written) = &plies[index].written else { return Vec::new() };
    let with = |moves: Vec<Move>, taken, is_partial| -> Vec<MoveReading> {
        moves.into_iter().map(|mv| MoveReading { mv: Some(mv), taken, is_partial }).collect()
    };
    let moves = written.candidates(&position);
    if !moves.is_empty() || !position.has_capture(position.side_to_move()) {
        return with(moves, 1, false);
    }
    // A capture in steps: `26x37 37x28`.
    let mut squares = written.squares.clone();
    for (taken, next) in (2..).zip(plies[index + 1..].iter().take(32)) {
        let Ok(next) = &next.written else { break };
        if squares.last() != next.squares.first() {
            break;
        }
        squares.extend_from_slice(&next.squares[1..]);
        let joined = MoveText { squares: squares.clone(), captured: None };
        let moves = joined.candidates(&position);
        if !moves.is_empty() {
            return with(moves, taken, false);
        }
    }
    let moves = written.continuations(&position);
    if moves.len() == 1 { with(moves, 1, true) } else { Vec::new() }
}

/// The move in brackets that answers the one before `next`, as courses write it,
/// `27-22 (18x27) 37-31 (26x37)`: a single move of the other side, without which the line cannot
/// continue. A variation has a move of the same side.
fn reply(
    before: Position,
    after: Position,
    plies: &[RawPly],
    next: usize,
    has_replies: impl FnOnce() -> bool,
) -> Option<(usize, Move)> {
    let list = &plies[next - 1].after;
    let is_line = |annotation: &RawAnnotation| matches!(annotation, RawAnnotation::Variation(_));
    let at = list.iter().position(is_line)?;
    let RawAnnotation::Variation(line) = &list[at] else { return None };
    let ([ply], None) = (&line.plies[..], &line.stop) else { return None };
    let written = ply.written.as_ref().ok()?;
    let [mv] = written.candidates(&after)[..] else { return None };
    if list.iter().chain(&ply.after).any(RawAnnotation::is_set_up) {
        return None;
    }
    let then = after.after(mv);
    let is_needed = match plies.get(next) {
        Some(_) => !is_playable(after, plies, next) && is_playable(then, plies, next),
        None => has_replies() || at == 0,
    };
    (is_needed && written.candidates(&before).is_empty()).then_some((at, mv))
}

/// The first path through all written moves, or else the longest.
fn find_path(start: Position, plies: &[RawPly], retries: &mut usize) -> Path {
    let mut best = Path::default();
    let mut steps: Vec<PdnStep> = Vec::new();
    let mut choices: Vec<MoveChoice> = Vec::new();
    let mut is_retry = false;
    let (mut index, mut position) = (0, Some(start));
    loop {
        // Forward until the end or until nothing fits.
        while let (Some(before), true) = (position, index < plies.len()) {
            let mut found = readings(before, plies, index);
            let Some(reading) = found.first().cloned() else { break };
            if found.len() > 1 {
                let depth = steps.len();
                let readings = std::mem::take(&mut found);
                choices.push(MoveChoice { depth, index, before, readings, next: 1 });
            }
            (index, position) = advance(&mut steps, plies, index, before, reading);
            if is_retry {
                *retries = retries.saturating_sub(1);
                if *retries == 0 {
                    return longer(best, steps, index == plies.len());
                }
            }
        }
        let is_whole = index == plies.len();
        if is_whole && best.is_whole {
            best.rivals = rivals(&best.steps, &steps);
            return best;
        }
        if is_whole || (!best.is_whole && steps.len() > best.steps.len()) {
            // Keeping a path costs as much as trying some moves.
            *retries = retries.saturating_sub(steps.len() / 64);
            best = Path { steps: steps.clone(), is_whole, rivals: None };
        }
        // Back to the last choice that is not used up.
        while choices.last().is_some_and(|c| c.next == c.readings.len()) {
            choices.pop();
        }
        let Some(choice) = choices.last_mut() else { return best };
        steps.truncate(choice.depth);
        let reading = choice.readings[choice.next].clone();
        choice.next += 1;
        is_retry = true;
        if *retries == 0 {
            return best;
        }
        (index, position) = advance(&mut steps, plies, choice.index, choice.before, reading);
    }
}

/// The better of the best path and the current one.
fn longer(best: Path, steps: Vec<PdnStep>, is_whole: bool) -> Path {
    if best.is_whole || best.steps.len() >= steps.len() {
        best
    } else {
        Path { steps, is_whole, rivals: None }
    }
}

/// Plays a reading; the position is `None` if a set-up after it is unusable.
fn advance(
    steps: &mut Vec<PdnStep>,
    plies: &[RawPly],
    index: usize,
    before: Position,
    reading: MoveReading,
) -> (usize, Option<Position>) {
    let next = index + reading.taken;
    let mut position = Some(reading.mv.map_or(before, |mv| before.after(mv)));
    let has_replies = || steps.iter().any(|step| step.reply.is_some());
    let reply = position
        .filter(|_| reading.mv.is_some() && !plies[next - 1].after.is_empty())
        .and_then(|after| reply(before, after, plies, next, has_replies));
    if let (Some(after), Some((_, mv))) = (position, reply) {
        position = Some(after.after(mv));
    }
    for ply in &plies[index..next] {
        position = position.and_then(|p| set_up(p, &ply.after));
    }
    steps.push(PdnStep { index, before, reading, reply });
    (next, position)
}

/// Where two paths part, and with which moves.
fn rivals(a: &[PdnStep], b: &[PdnStep]) -> Option<(usize, Vec<Move>)> {
    let (a, b) = a.iter().zip(b).find(|(a, b)| a.reading.mv != b.reading.mv)?;
    Some((a.index, [a, b].into_iter().filter_map(|step| step.reading.mv).collect()))
}
