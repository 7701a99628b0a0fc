//! Exact win/loss/draw values of all positions.
//!
//! A position with a capture is worth the best of its captures, which lead to fewer pieces. A quiet
//! position that the files leave out (the other side threatens to capture, or this side to move is
//! not stored) is worth the best of its moves; some of those may be left out too, and a chain of
//! threats and answers can even come back to where it began. So the left-out positions that are
//! reachable through each other are gathered in a small graph, which is solved like a database:
//! values spread backwards from the known positions; a position that never gets a value is a draw,
//! because neither side can leave the circle with profit. A move between two drawn positions
//! changes nothing and is removed, which keeps graphs small.

use std::collections::VecDeque;
use std::mem;

use movegen::{Position, Wld};
use rustc_hash::FxHashMap;

use super::look_up::{exact_wld, wld_without_pieces};
use super::question::{Asked, Question};
use super::{Probe, Stored};
use crate::database::LeftOut;
use crate::error::ProbeError;
use crate::index::Turned;

/// Left-out positions gathered for one question before giving up.
const MAX_NODES: usize = 1 << 16;

/// The answer for one position without search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direct {
    Known(Wld),
    /// Not in the databases; search would not help.
    Beyond,
    /// The best of the captures.
    Captures,
    /// The best of the moves.
    Moves,
}

#[derive(Debug)]
struct WldNode {
    position: Position,
    /// Nodes whose value can depend on this one's.
    parents: Vec<usize>,
    children: Vec<usize>,
    /// Children without a value that can still count.
    open: usize,
    /// It is worth a draw at least.
    has_draw: bool,
    has_unknown: bool,
    is_expanded: bool,
    is_queued: bool,
    value: Option<Wld>,
}

impl Probe {
    /// The exact value for the side to move; `None` where the databases do not reach.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn wld(&self, position: &Position) -> Result<Option<Wld>, ProbeError> {
        self.wld_with(position, &mut Question::new(0))
    }

    /// As [`Probe::wld`], with the facts known already.
    pub fn wld_with(
        &self,
        position: &Position,
        question: &mut Question,
    ) -> Result<Option<Wld>, ProbeError> {
        self.wld_asked(position, Asked::Value, question)
    }

    #[inline]
    fn wld_asked(
        &self,
        position: &Position,
        asked: Asked,
        question: &mut Question,
    ) -> Result<Option<Wld>, ProbeError> {
        match self.direct(position)? {
            Direct::Known(value) => Ok(Some(value)),
            Direct::Beyond => Ok(None),
            Direct::Captures => self.best_capture(position, asked, question),
            Direct::Moves => self.solve_graph(position, asked, question),
        }
    }

    /// As [`Probe::wld_with`]; known facts are not asked for again.
    pub(super) fn known(
        &self,
        position: &Position,
        question: &mut Question,
    ) -> Result<Option<Wld>, ProbeError> {
        self.known_asked(position, Asked::Value, question)
    }

    /// As `Probe::known`, for less than the whole value.
    pub fn known_asked(
        &self,
        position: &Position,
        asked: Asked,
        question: &mut Question,
    ) -> Result<Option<Wld>, ProbeError> {
        if let Some(wld) = question.wld(position, asked) {
            return Ok(wld);
        }
        let wld = self.wld_asked(position, asked, question)?;
        question.note_wld(position, asked, wld);
        Ok(wld)
    }

    /// The value of a position whose side to move has a legal move but no capture, if one lookup
    /// gives it: for a search, which resolves captures itself. With `conditional`, data that are
    /// not in memory count as not there. `None` also where the files leave the position out.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    #[inline]
    pub fn wld_quiet(
        &self,
        position: &Position,
        conditional: bool,
    ) -> Result<Option<Wld>, ProbeError> {
        debug_assert!(
            !position.has_capture(position.side_to_move()) && position.has_legal_move(),
            "{position:?}"
        );
        if position.pieces(position.side_to_move().opponent()).is_empty() {
            return Ok(Some(wld_without_pieces(position.board(), position.side_to_move())));
        }
        let board = position.board();
        for database in self.wld_databases() {
            let found =
                database.lookup(board, position.side_to_move(), conditional, LeftOut::Threats)?;
            if let Some(value) = found.and_then(exact_wld) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The value, if one lookup gives it.
    pub(super) fn stored_wld(&self, position: &Position) -> Result<Stored<Wld>, ProbeError> {
        Ok(match self.direct(position)? {
            Direct::Known(value) => Stored::Value(value),
            Direct::Beyond => Stored::Nowhere,
            Direct::Captures | Direct::Moves => Stored::InSuccessors,
        })
    }

    fn direct(&self, position: &Position) -> Result<Direct, ProbeError> {
        if position.variant() != self.variant {
            return Ok(Direct::Beyond);
        }
        if position.has_capture(position.side_to_move()) {
            return Ok(Direct::Captures);
        }
        if !position.has_legal_move() {
            return Ok(Direct::Known(Wld::Loss));
        }
        if position.pieces(position.side_to_move().opponent()).is_empty() {
            let value = wld_without_pieces(position.board(), position.side_to_move());
            return Ok(Direct::Known(value));
        }
        let turned = Turned::of(position.board(), position.side_to_move());
        let Some(Turned { slice, .. }) = turned else { return Ok(Direct::Beyond) };
        let mut is_there = false;
        for database in self.wld_databases().filter(|db| db.has_slice(slice)) {
            is_there = true;
            let side = position.side_to_move();
            let found = database.lookup(position.board(), side, false, LeftOut::Threats)?;
            if let Some(value) = found.and_then(exact_wld) {
                return Ok(Direct::Known(value));
            }
        }
        Ok(if is_there { Direct::Moves } else { Direct::Beyond })
    }

    /// The best of the captures.
    fn best_capture(
        &self,
        position: &Position,
        asked: Asked,
        question: &mut Question,
    ) -> Result<Option<Wld>, ProbeError> {
        let mut best = Some(Wld::Loss);
        for &mv in &position.legal_moves() {
            let after = match (asked, best) {
                (Asked::Value, Some(Wld::Loss)) => Asked::Value,
                (Asked::IsLost, _) => Asked::IsWon,
                // Nothing but a win changes the answer.
                _ => Asked::IsLost,
            };
            match self.known_asked(&position.after(mv), after, question)? {
                Some(Wld::Loss) => return Ok(Some(Wld::Win)),
                Some(Wld::Draw) if asked == Asked::IsLost => return Ok(Some(Wld::Draw)),
                Some(Wld::Draw) => best = best.map(|_| Wld::Draw),
                Some(Wld::Win) => {}
                None => best = None,
            }
        }
        Ok(best)
    }

    fn solve_graph(
        &self,
        root: &Position,
        asked: Asked,
        question: &mut Question,
    ) -> Result<Option<Wld>, ProbeError> {
        if asked == Asked::IsLost && self.has_safe_move(root)? {
            return Ok(Some(Wld::Draw));
        }
        let mut graph = CaptureGraph::default();
        graph.link(0, *root);
        while graph.nodes[0].value.is_none()
            && let Some(number) = graph.queue.pop_front()
        {
            if graph.nodes.len() > MAX_NODES {
                return Ok(None);
            }
            graph.nodes[number].is_queued = false;
            if graph.counts(number) {
                self.expand(number, &mut graph, question)?;
            }
        }
        let is_complete = !graph.nodes.iter().any(|n| n.value.is_none() && n.has_unknown);
        Ok(graph.nodes[0].value.or(is_complete.then_some(Wld::Draw)))
    }

    /// Whether the values of single successors show that a position is not lost.
    fn has_safe_move(&self, position: &Position) -> Result<bool, ProbeError> {
        for &mv in &position.legal_moves() {
            if let Direct::Known(Wld::Draw | Wld::Loss) = self.direct(&position.after(mv))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn expand(
        &self,
        number: usize,
        graph: &mut CaptureGraph,
        question: &mut Question,
    ) -> Result<(), ProbeError> {
        let position = graph.nodes[number].position;
        let (mut children, mut captures) = (Vec::new(), Vec::new());
        let (mut has_draw, mut has_unknown) = (false, false);
        // One lookup may settle it, and captures take many.
        for &mv in &position.legal_moves() {
            let child = position.after(mv);
            match self.direct(&child)? {
                Direct::Known(Wld::Loss) => {
                    graph.settle(number, Wld::Win);
                    return Ok(());
                }
                Direct::Known(Wld::Draw) => has_draw = true,
                Direct::Known(Wld::Win) => {}
                Direct::Beyond => has_unknown = true,
                Direct::Captures => captures.push(child),
                Direct::Moves => children.push(child),
            }
        }
        for child in captures {
            let asked = if has_draw { Asked::IsLost } else { Asked::Value };
            match self.known_asked(&child, asked, question)? {
                Some(Wld::Loss) => {
                    graph.settle(number, Wld::Win);
                    return Ok(());
                }
                Some(Wld::Draw) => has_draw = true,
                Some(Wld::Win) => {}
                None => has_unknown = true,
            }
        }
        graph.nodes[number].has_unknown = has_unknown;
        for child in children {
            // Beside a draw, only a lost successor would count.
            if has_draw && self.has_safe_move(&child)? {
                continue;
            }
            match graph.link(number, child) {
                Some(Wld::Loss) => {
                    graph.settle(number, Wld::Win);
                    return Ok(());
                }
                Some(Wld::Draw) => has_draw = true,
                Some(Wld::Win) | None => {}
            }
        }
        graph.nodes[number].is_expanded = true;
        if has_draw {
            graph.draws(number);
        } else {
            graph.close(number);
        }
        Ok(())
    }
}

/// The left-out positions of one question; the first is the one asked for.
#[derive(Debug, Default)]
struct CaptureGraph {
    nodes: Vec<WldNode>,
    numbers: FxHashMap<Position, usize>,
    /// Nodes to expand.
    queue: VecDeque<usize>,
}

impl CaptureGraph {
    /// Makes a position a child of a node, or the root if there are no nodes; returns its value.
    fn link(&mut self, parent: usize, position: Position) -> Option<Wld> {
        let is_root = self.nodes.is_empty();
        let number = *self.numbers.entry(position).or_insert(self.nodes.len());
        if number == self.nodes.len() {
            self.nodes.push(WldNode::new(position));
        }
        if is_root {
            self.queue.push_back(number);
            return None;
        }
        let node = &mut self.nodes[number];
        if node.value.is_some() {
            return node.value;
        }
        node.parents.push(parent);
        if !node.is_expanded && !node.is_queued {
            node.is_queued = true;
            self.queue.push_back(number);
        }
        self.nodes[parent].children.push(number);
        self.nodes[parent].open += 1;
        None
    }

    /// Whether the value of a node can change another one's.
    fn counts(&self, number: usize) -> bool {
        let is_open = |&parent: &usize| self.nodes[parent].value.is_none();
        let node = &self.nodes[number];
        node.value.is_none() && (number == 0 || node.parents.iter().any(is_open))
    }

    /// Gives a node its value and passes it to the nodes before it.
    fn settle(&mut self, number: usize, value: Wld) {
        let mut work = vec![(number, value)];
        while let Some((number, value)) = work.pop() {
            if self.nodes[number].value.is_some() {
                continue;
            }
            self.nodes[number].value = Some(value);
            for parent in mem::take(&mut self.nodes[number].parents) {
                self.nodes[parent].open -= 1;
                if value == Wld::Loss {
                    work.push((parent, Wld::Win));
                    continue;
                }
                if value == Wld::Draw {
                    self.note_draw(parent, &mut work);
                }
                work.extend(self.closed(parent));
            }
        }
    }

    /// A node turns out to be worth a draw at least.
    fn draws(&mut self, number: usize) {
        let mut work = Vec::new();
        self.note_draw(number, &mut work);
        work.extend(self.closed(number));
        for (number, value) in work {
            self.settle(number, value);
        }
    }

    /// Marks a node as worth a draw, and takes out the moves that no longer count: from a draw to
    /// what is a draw at least for the other side. `work` gets what is settled by that.
    fn note_draw(&mut self, number: usize, work: &mut Vec<(usize, Wld)>) {
        if mem::replace(&mut self.nodes[number].has_draw, true) {
            return;
        }
        let parents = mem::take(&mut self.nodes[number].parents);
        let (out, kept) = parents.into_iter().partition(|&parent| self.nodes[parent].has_draw);
        self.nodes[number].parents = kept;
        let out: Vec<usize> = out;
        for parent in out {
            self.nodes[parent].open -= 1;
            work.extend(self.closed(parent));
        }
        for child in mem::take(&mut self.nodes[number].children) {
            if self.nodes[child].has_draw && self.nodes[child].value.is_none() {
                let parents = &mut self.nodes[child].parents;
                let before = parents.len();
                parents.retain(|&parent| parent != number);
                let gone = before - parents.len();
                self.nodes[number].open -= gone;
            }
        }
    }

    /// Settles a node if nothing can change its value any more.
    fn close(&mut self, number: usize) {
        if let Some((number, value)) = self.closed(number) {
            self.settle(number, value);
        }
    }

    fn closed(&self, number: usize) -> Option<(usize, Wld)> {
        let node = &self.nodes[number];
        let is_closed = node.is_expanded && node.open == 0 && !node.has_unknown;
        is_closed.then_some((number, if node.has_draw { Wld::Draw } else { Wld::Loss }))
    }
}

impl WldNode {
    fn new(position: Position) -> WldNode {
        WldNode {
            position,
            parents: Vec::new(),
            children: Vec::new(),
            open: 0,
            has_draw: false,
            has_unknown: false,
            is_expanded: false,
            is_queued: false,
            value: None,
        }
    }
}

#[cfg(all(test, feature = "embedded"))]
mod tests {
    use movegen::Color;
    use movegen::random::Random;

    use super::*;
    use crate::index::unrank;
    use crate::slice::Slice;

    /// Random positions of 3 and 4 pieces, all kinds of material and both sides to move.
    fn positions(count: usize) -> Vec<Position> {
        let slices: Vec<Slice> = (3..=4).flat_map(Slice::stored).collect();
        let mut random = Random::new(20261127);
        let mut list = Vec::new();
        while list.len() < count {
            let slice = slices[random.below_u64(slices.len() as u64) as usize];
            let Some(board) = unrank(slice, random.below_u64(slice.size())) else { continue };
            let side = Color::ALL[random.below_u64(2) as usize];
            list.extend(board.position(side).ok());
        }
        list
    }

    #[test]
    fn narrow_questions_and_known_facts_agree_with_the_value() {
        let probe = Probe::embedded().unwrap();
        let mut kept = Question::new(0);
        let mut by_value = [0; 3];
        for position in positions(20_000) {
            let value = probe.wld(&position).unwrap().unwrap();
            let mut best = Wld::Loss;
            for &mv in &position.legal_moves() {
                match probe.wld(&position.after(mv)).unwrap().unwrap() {
                    Wld::Loss => best = Wld::Win,
                    Wld::Draw if best == Wld::Loss => best = Wld::Draw,
                    _ => {}
                }
            }
            assert_eq!(value, best, "{position}");
            let ask = |asked, question: &mut Question| {
                probe.known_asked(&position, asked, question).unwrap().unwrap()
            };
            for question in [&mut Question::new(0), &mut kept] {
                assert_eq!(ask(Asked::IsWon, question) == Wld::Win, value == Wld::Win);
                assert_eq!(ask(Asked::IsLost, question) == Wld::Loss, value == Wld::Loss);
                assert_eq!(ask(Asked::Value, question), value, "{position}");
                assert_eq!(ask(Asked::IsLost, question) == Wld::Loss, value == Wld::Loss);
            }
            by_value[value as usize] += 1;
        }
        assert!(by_value.iter().all(|&count| count > 100), "{by_value:?}");
    }

    #[test]
    fn moves_from_a_draw_to_a_draw_do_not_count() {
        let list = positions(4);
        // In both orders: the child is known to be worth a draw after its parent, and before it.
        for order in [[0, 1], [1, 0]] {
            let mut graph = CaptureGraph::default();
            graph.link(0, list[0]);
            graph.link(0, list[1]);
            // What this leads to stays open.
            graph.link(1, list[2]);
            for number in order {
                assert_eq!(graph.nodes[0].value, None);
                graph.nodes[number].is_expanded = true;
                graph.draws(number);
            }
            assert_eq!(graph.nodes[0].value, Some(Wld::Draw));
            assert_eq!(graph.nodes[1].value, None);
            assert!(!graph.counts(1) && !graph.counts(0));
        }
        // A win is still seen, and a draw at the end of a line of lost moves.
        for (value, expected) in [(Wld::Loss, Wld::Loss), (Wld::Draw, Wld::Draw)] {
            let mut graph = CaptureGraph::default();
            graph.link(0, list[0]);
            graph.link(0, list[1]);
            graph.link(1, list[2]);
            graph.nodes[0].is_expanded = true;
            graph.nodes[1].is_expanded = true;
            graph.settle(2, value);
            assert_eq!(graph.nodes[0].value, Some(expected));
        }
    }

    #[test]
    fn no_and_no_make_a_draw() {
        let position = positions(1)[0];
        let mut question = Question::new(0);
        question.note_wld(&position, Asked::IsWon, Some(Wld::Loss));
        assert_eq!(question.wld(&position, Asked::IsLost), None);
        assert_eq!(question.wld(&position, Asked::Value), None);
        question.note_wld(&position, Asked::IsLost, Some(Wld::Win));
        assert_eq!(question.wld(&position, Asked::Value), Some(Some(Wld::Draw)));
    }
}
