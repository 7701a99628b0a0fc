//! The games among players who are rated.

use std::collections::{BTreeMap, HashMap};

use movegen::notation::pdn::GameResult;
use movegen::{Color, Position, Wld};

use super::counts::Tally;

/// The games among any number of players.
#[derive(Clone, Debug, Default)]
pub struct RatingGames {
    pub(super) names: Vec<String>,
    pub(super) numbers: HashMap<String, usize>,
    /// White's results, by the players of White and of Black.
    pub(super) meetings: BTreeMap<(usize, usize), Tally>,
    /// Pairs of games from the same start with colours exchanged: the player who had White first,
    /// the other one, and the [`Wld::rank`] of White's results in both games; with their number.
    pub(super) pairs: BTreeMap<(usize, usize, u8, u8), u64>,
    /// First games of pairs whose second one has not come: by White, Black and the start.
    halves: HashMap<(usize, usize, Position), Vec<Wld>>,
}

impl RatingGames {
    /// The most players. The work grows with the third power of their number.
    pub const MAX_PLAYERS: usize = 2000;

    /// No games.
    #[must_use]
    pub fn new() -> RatingGames {
        RatingGames::default()
    }

    /// The number of a player.
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len();
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Adds a game as [`RatingGames::add`]; `false` if it does not count: its result is unknown, or
    /// both lost.
    pub fn add_result(
        &mut self,
        white: &str,
        black: &str,
        result: GameResult,
        start: &Position,
    ) -> bool {
        let [mine, theirs] = [Color::White, Color::Black].map(|side| result.for_side(side));
        match (mine, theirs) {
            (Some(mine), Some(theirs)) if mine == theirs.opponent() => {
                self.add(white, black, mine, start);
                true
            }
            _ => false,
        }
    }

    /// Adds a game: White's result, and where it began. Two games of the same players from the same
    /// position with exchanged colours are a pair, unless that is the initial position.
    pub fn add(&mut self, white: &str, black: &str, result: Wld, start: &Position) {
        let (white, black) = (self.number(white), self.number(black));
        self.meetings.entry((white, black)).or_default().add(result);
        if *start == Position::initial() {
            return;
        }
        let first = self.halves.get_mut(&(black, white, *start)).and_then(Vec::pop);
        match first {
            Some(first) => {
                let ranks = (black, white, first.rank(), result.rank());
                *self.pairs.entry(ranks).or_default() += 1;
            }
            None => self.halves.entry((white, black, *start)).or_default().push(result),
        }
    }

    /// Ends a file: its games do not pair with those of the next.
    pub fn end_file(&mut self) {
        self.halves.clear();
    }

    /// The number of players.
    #[must_use]
    pub fn players(&self) -> usize {
        self.names.len()
    }

    /// The number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.meetings.values().map(Tally::games).sum()
    }

    /// All games from White's view.
    #[must_use]
    pub fn white(&self) -> Tally {
        let mut all = Tally::default();
        self.meetings.values().for_each(|tally| all.merge(*tally));
        all
    }

    /// Whether there is a player of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }

    /// The games among players with at least this many, leaving out the others; leaving out one can
    /// put another below the number.
    #[must_use]
    pub fn with_at_least(mut self, games: u64) -> RatingGames {
        loop {
            let totals = self.totals();
            let stays = |player: usize| totals[player].games() >= games;
            if (0..self.names.len()).all(|player| stays(player) || totals[player].games() == 0) {
                return self.without_idle();
            }
            self.meetings.retain(|&(white, black), _| stays(white) && stays(black));
            self.pairs.retain(|&(white, black, ..), _| stays(white) && stays(black));
        }
    }

    /// Drops the players without a game.
    fn without_idle(self) -> RatingGames {
        let totals = self.totals();
        let kept: Vec<usize> =
            (0..self.names.len()).filter(|&player| totals[player].games() > 0).collect();
        let place: HashMap<usize, usize> =
            kept.iter().enumerate().map(|(new, &old)| (old, new)).collect();
        let names: Vec<String> = kept.iter().map(|&player| self.names[player].clone()).collect();
        RatingGames {
            numbers: names.iter().cloned().enumerate().map(|(at, name)| (name, at)).collect(),
            names,
            meetings: self
                .meetings
                .into_iter()
                .map(|((white, black), tally)| ((place[&white], place[&black]), tally))
                .collect(),
            pairs: self
                .pairs
                .into_iter()
                .map(|((one, other, a, b), count)| ((place[&one], place[&other], a, b), count))
                .collect(),
            halves: HashMap::new(),
        }
    }

    /// The results of each player.
    pub(super) fn totals(&self) -> Vec<Tally> {
        let mut totals = vec![Tally::default(); self.names.len()];
        for (&(white, black), &tally) in &self.meetings {
            totals[white].merge(tally);
            totals[black].merge(tally.reversed());
        }
        totals
    }

    /// The groups within which the results allow finite ratings: everybody took something from
    /// everybody else, directly or through others. Groups are numbered in no order.
    pub(super) fn groups(&self) -> Vec<usize> {
        let count = self.names.len();
        let mut took = vec![Vec::new(); count];
        let mut gave = vec![Vec::new(); count];
        let mut link = |from: usize, to: usize| {
            took[from].push(to);
            gave[to].push(from);
        };
        for (&(white, black), tally) in &self.meetings {
            if tally.wins + tally.draws > 0 {
                link(white, black);
            }
            if tally.losses + tally.draws > 0 {
                link(black, white);
            }
        }
        strong_components(&took, &gave)
    }

    /// Groups of players linked by games.
    pub(super) fn connected(&self) -> Vec<usize> {
        let mut links = vec![Vec::new(); self.names.len()];
        for &(white, black) in self.meetings.keys() {
            links[white].push(black);
            links[black].push(white);
        }
        strong_components(&links, &links)
    }
}

/// The strong components of a graph with these edges and the same backwards (Kosaraju): the component
/// of each node.
fn strong_components(out: &[Vec<usize>], back: &[Vec<usize>]) -> Vec<usize> {
    let count = out.len();
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    for start in 0..count {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut path = vec![(start, 0)];
        while let Some((node, next)) = path.last_mut() {
            if let Some(&to) = out[*node].get(*next) {
                *next += 1;
                if !seen[to] {
                    seen[to] = true;
                    path.push((to, 0));
                }
            } else {
                order.push(*node);
                path.pop();
            }
        }
    }
    let mut component = vec![usize::MAX; count];
    let mut found = 0;
    for &start in order.iter().rev() {
        if component[start] != usize::MAX {
            continue;
        }
        component[start] = found;
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            for &from in &back[node] {
                if component[from] == usize::MAX {
                    component[from] = found;
                    open.push(from);
                }
            }
        }
        found += 1;
    }
    component
}
