//! Pairs all nodes of a graph with the greatest total weight: the primal-dual method with blossoms
//! (J. Edmonds, *Maximum matching and a polyhedron with 0,1-vertices*, 1965; Z. Galil, *Efficient
//! algorithms for finding maximum matching in graphs*, 1986).
//!
//! Weights are rows of numbers that are added place by place; of two sums, the first place that differs
//! decides. The method only adds, subtracts, halves and compares weights.

/// Rows of the same length, of small numbers.
pub(super) type Weight = Vec<i32>;

/// As above, with many places packed into one number.
type Packed = Vec<i128>;

/// The most that a number may hold, so that sums do not overflow.
const MAX_WORTH: i128 = 1 << 100;

/// The partner of each of `count` nodes, so that the sum of the weights of the pairs is greatest;
/// `None` if not all nodes can be paired. `weight` is `None` for two that cannot be a pair, and
/// gets the lower number first.
pub(super) fn heaviest(
    count: usize,
    weight: &dyn Fn(usize, usize) -> Option<Weight>,
) -> Option<Vec<usize>> {
    let mut graph = PairingGraph::new(count, weight);
    for _ in 0..count.div_ceil(2) {
        graph.add_pair()?;
    }
    graph.mates.into_iter().collect()
}

/// Packs places as digits wide enough that a sum of `count / 2` rows never carries into the digit
/// before.
fn pack(rows: &[Option<Weight>], count: usize) -> Vec<Option<Packed>> {
    let length = rows.iter().flatten().next().map_or(0, Vec::len);
    let base = |place: usize| {
        let largest = rows.iter().flatten().map(|row| row[place].unsigned_abs()).max();
        1 + count as i128 * i128::from(largest.unwrap_or(0))
    };
    // The number that a place belongs to, and the value of one there.
    let mut digits = vec![(0, 1_i128); length];
    let (mut numbers, mut worth) = (1, 1_i128);
    for place in (0..length).rev() {
        if worth > MAX_WORTH / base(place) {
            (numbers, worth) = (numbers + 1, 1);
        }
        digits[place] = (numbers, worth);
        worth *= base(place);
    }
    let pack_row = |row: &Weight| {
        let mut packed = vec![0; numbers];
        for (place, (number, worth)) in row.iter().zip(&digits) {
            packed[numbers - number] += i128::from(*place) * worth;
        }
        packed
    };
    rows.iter().map(|row| row.as_ref().map(pack_row)).collect()
}

/// A way into a part from outside: the node outside, and the one within.
type Entry = (usize, usize);

/// The role of a part in the forest of alternating paths, whose roots are the parts without a
/// partner.
#[derive(Clone, Copy)]
enum Label {
    None,
    /// At an even distance from a root; the root itself has no entry.
    Outer(Option<Entry>),
    /// At an odd distance.
    Inner(Entry),
}

/// A node, or a blossom: an odd cycle of parts that is treated as one node.
struct Part {
    /// For a node, its price; for a blossom, the rebate for pairs within.
    dual: Packed,
    label: Label,
    /// The innermost blossom that it belongs to.
    parent: Option<usize>,
    /// Whether it is in no blossom.
    is_top: bool,
    /// The cycle; its first part has the partner outside. Empty for a node.
    children: Vec<usize>,
    /// The edge from each child to the next, by the nodes within them.
    links: Vec<(usize, usize)>,
}

/// What ends a change of prices.
enum Event {
    /// An outer node can be paired with one that is outer or in no tree.
    Meeting(usize, usize),
    /// An inner blossom has no rebate left.
    Expansion(usize),
}

struct PairingGraph {
    count: usize,
    /// Twice the weights, so that prices remain whole; the lower node counts rows.
    weights: Vec<Option<Packed>>,
    /// Nodes first.
    parts: Vec<Part>,
    /// The outermost part that each node belongs to.
    tops: Vec<usize>,
    mates: Vec<Option<usize>>,
}

impl PairingGraph {
    fn new(count: usize, weight: &dyn Fn(usize, usize) -> Option<Weight>) -> Self {
        let mut weights: Vec<Option<Weight>> = vec![None; count * count];
        for a in 0..count {
            for b in a + 1..count {
                weights[a * count + b] = weight(a, b);
            }
        }
        let mut weights = pack(&weights, count);
        let price = weights.iter().flatten().max().cloned().unwrap_or_default();
        weights.iter_mut().flatten().flatten().for_each(|place| *place *= 2);
        let node = |_| Part {
            dual: price.clone(),
            label: Label::None,
            parent: None,
            is_top: true,
            children: Vec::new(),
            links: Vec::new(),
        };
        Self {
            count,
            weights,
            parts: (0..count).map(node).collect(),
            tops: (0..count).collect(),
            mates: vec![None; count],
        }
    }

    /// Lowers prices at outer nodes and raises them at inner ones until there is one more pair.
    fn add_pair(&mut self) -> Option<()> {
        for part in 0..self.parts.len() {
            let is_root = self.parts[part].is_top && self.mates[self.base(part)].is_none();
            self.parts[part].label = if is_root { Label::Outer(None) } else { Label::None };
        }
        loop {
            let (change, event) = self.next_event()?;
            self.change_prices(&change);
            match event {
                Event::Expansion(blossom) => self.expand(blossom),
                Event::Meeting(a, b) if matches!(self.label(b), Label::None) => self.grow(a, b),
                Event::Meeting(a, b) => {
                    let (ours, theirs) = (self.path(a), self.path(b));
                    match ours.iter().position(|part| theirs.contains(part)) {
                        Some(at) => self.contract((a, b), &ours[..=at], &theirs),
                        None => {
                            self.turn(a, b);
                            self.turn(b, a);
                            return Some(());
                        }
                    }
                }
            }
        }
    }

    /// The next event, and twice the change of prices until then.
    fn next_event(&self) -> Option<(Packed, Event)> {
        let mut first: Option<(Packed, Event)> = None;
        for a in 0..self.count {
            if !matches!(self.label(a), Label::Outer(_)) {
                continue;
            }
            for b in 0..self.count {
                let factor = match self.label(b) {
                    Label::None => 2,
                    Label::Outer(_) if a < b && self.tops[a] != self.tops[b] => 1,
                    _ => continue,
                };
                let Some(weight) = &self.weights[a.min(b) * self.count + a.max(b)] else {
                    continue;
                };
                let prices = self.parts[a].dual.iter().zip(&self.parts[b].dual).zip(weight);
                let left = prices.map(|((a, b), weight)| factor * (a + b - weight));
                if first.as_ref().is_none_or(|(least, _)| left.clone().lt(least.iter().copied())) {
                    first = Some((left.collect(), Event::Meeting(a, b)));
                }
            }
        }
        for (number, part) in self.parts.iter().enumerate().skip(self.count) {
            let is_inner = part.is_top && matches!(part.label, Label::Inner(_));
            if is_inner && first.as_ref().is_none_or(|(least, _)| part.dual < *least) {
                first = Some((part.dual.clone(), Event::Expansion(number)));
            }
        }
        first
    }

    fn change_prices(&mut self, twice: &[i128]) {
        for number in 0..self.parts.len() {
            let is_node = number < self.count;
            if !is_node && !self.parts[number].is_top {
                continue;
            }
            let label = if is_node { self.label(number) } else { self.parts[number].label };
            // Nodes change by half of it, blossoms by all of it, the other way.
            let (numerator, denominator) = match (label, is_node) {
                (Label::None, _) => continue,
                (Label::Outer(_), true) => (-1, 2),
                (Label::Inner(_), true) => (1, 2),
                (Label::Outer(_), false) => (1, 1),
                (Label::Inner(_), false) => (-1, 1),
            };
            let places = self.parts[number].dual.iter_mut().zip(twice);
            places.for_each(|(place, twice)| *place += numerator * twice / denominator);
        }
    }

    /// The label of the part that a node belongs to.
    fn label(&self, node: usize) -> Label {
        self.parts[self.tops[node]].label
    }

    /// The node of a part whose partner is outside.
    fn base(&self, part: usize) -> usize {
        self.parts[part].children.first().map_or(part, |&child| self.base(child))
    }

    fn nodes(&self, part: usize) -> Vec<usize> {
        let children = &self.parts[part].children;
        if children.is_empty() {
            return vec![part];
        }
        children.iter().flat_map(|&child| self.nodes(child)).collect()
    }

    /// The child of a blossom with this node, by its place in the cycle.
    fn place(&self, blossom: usize, node: usize) -> usize {
        let mut part = node;
        while let Some(parent) = self.parts[part].parent.filter(|parent| *parent != blossom) {
            part = parent;
        }
        self.parts[blossom].children.iter().position(|child| *child == part).unwrap_or(0)
    }

    /// The parts from this node to the root of its tree.
    fn path(&self, node: usize) -> Vec<usize> {
        let mut path = vec![self.tops[node]];
        let mut next = self.label(node);
        while let Label::Outer(Some((outside, _))) | Label::Inner((outside, _)) = next {
            path.push(self.tops[outside]);
            next = self.label(outside);
        }
        path
    }

    /// The part of `b` and its partner join the tree of `a`.
    fn grow(&mut self, a: usize, b: usize) {
        let inner = self.tops[b];
        let base = self.base(inner);
        if let Some(mate) = self.mates[base] {
            self.parts[inner].label = Label::Inner((a, b));
            self.parts[self.tops[mate]].label = Label::Outer(Some((base, mate)));
        }
    }

    /// Makes a blossom from the two paths to the part where they meet, the last of `ours`.
    fn contract(&mut self, (a, b): (usize, usize), ours: &[usize], theirs: &[usize]) {
        let common = ours[ours.len() - 1];
        let down = ours.iter().rev();
        let up = theirs.iter().take_while(|part| **part != common);
        let entry = |part: usize| match self.parts[part].label {
            Label::Outer(Some(entry)) | Label::Inner(entry) => entry,
            _ => (part, part),
        };
        let mut links: Vec<(usize, usize)> =
            down.clone().skip(1).map(|&part| entry(part)).collect();
        links.push((a, b));
        links
            .extend(up.clone().map(|&part| entry(part)).map(|(outside, inside)| (inside, outside)));
        let children: Vec<usize> = down.chain(up).copied().collect();
        let number = self.parts.len();
        for &child in &children {
            self.parts[child].parent = Some(number);
            self.parts[child].is_top = false;
        }
        self.parts.push(Part {
            dual: vec![0; self.parts[common].dual.len()],
            label: self.parts[common].label,
            parent: None,
            is_top: true,
            children,
            links,
        });
        for node in self.nodes(number) {
            self.tops[node] = number;
        }
    }

    /// Takes an inner blossom apart. Of its children, those on the even way from the entry to the base
    /// remain in the tree.
    fn expand(&mut self, blossom: usize) {
        let Label::Inner(mut entry) = self.parts[blossom].label else { return };
        let way = self.way(blossom, self.place(blossom, entry.1));
        self.parts[blossom].is_top = false;
        for child in self.parts[blossom].children.clone() {
            self.parts[child].parent = None;
            self.parts[child].is_top = true;
            self.parts[child].label = Label::None;
            for node in self.nodes(child) {
                self.tops[node] = child;
            }
        }
        let children = self.parts[blossom].children.clone();
        for (step, place) in way.iter().enumerate() {
            let is_inner = step.is_multiple_of(2);
            let label = if is_inner { Label::Inner(entry) } else { Label::Outer(Some(entry)) };
            self.parts[children[*place]].label = label;
            if let Some(next) = way.get(step + 1) {
                entry = self.link(blossom, *place, *next);
            }
        }
    }

    /// The places from one in a cycle to the first, in the direction with an even number of steps.
    fn way(&self, blossom: usize, place: usize) -> Vec<usize> {
        let length = self.parts[blossom].children.len();
        if place.is_multiple_of(2) {
            (0..=place).rev().collect()
        } else {
            (place..length).chain([0]).collect()
        }
    }

    /// The edge between two neighbours in a cycle.
    fn link(&self, blossom: usize, from: usize, to: usize) -> (usize, usize) {
        let links = &self.parts[blossom].links;
        if (from + 1) % links.len() == to {
            return links[from];
        }
        let (end, start) = links[to];
        (start, end)
    }

    /// Swaps pairs and gaps on the path from this node to its root; the node has a new partner.
    fn turn(&mut self, mut node: usize, mut partner: usize) {
        loop {
            let outer = self.tops[node];
            self.rebase(outer, node);
            self.mates[node] = Some(partner);
            let Label::Outer(Some((outside, _))) = self.parts[outer].label else { return };
            let inner = self.tops[outside];
            let Label::Inner((next, within)) = self.parts[inner].label else { return };
            self.rebase(inner, within);
            self.mates[within] = Some(next);
            (node, partner) = (next, within);
        }
    }

    /// Turns the pairs within a part so that this node of it has its partner outside.
    fn rebase(&mut self, part: usize, node: usize) {
        if part == node {
            return;
        }
        let place = self.place(part, node);
        self.rebase(self.parts[part].children[place], node);
        for two in self.way(part, place)[1..].chunks_exact(2) {
            let (a, b) = self.link(part, two[0], two[1]);
            self.rebase(self.parts[part].children[two[0]], a);
            self.rebase(self.parts[part].children[two[1]], b);
            self.mates[a] = Some(b);
            self.mates[b] = Some(a);
        }
        self.parts[part].children.rotate_left(place);
        self.parts[part].links.rotate_left(place);
    }
}

#[cfg(test)]
mod tests {
    use movegen::random::Random;

    use super::*;

    /// The greatest weight of a pairing of the remaining nodes, by trying all.
    fn greatest(left: &[usize], weights: &[Vec<Option<Weight>>], length: usize) -> Option<Weight> {
        let Some((&first, others)) = left.split_first() else { return Some(vec![0; length]) };
        let with = |&partner: &usize| {
            let weight = weights[first][partner].as_ref()?;
            let rest: Vec<usize> = others.iter().copied().filter(|i| *i != partner).collect();
            let sum = greatest(&rest, weights, length)?;
            Some(sum.iter().zip(weight).map(|(a, b)| a + b).collect())
        };
        others.iter().filter_map(with).max()
    }

    #[test]
    fn no_other_pairs_weigh_more() {
        let mut random = Random::new(7);
        let mut complete = 0;
        for round in 0..3_000 {
            let (count, length) = (2 + 2 * (round % 5), round % 6);
            let (density, range) = (30 + 10 * (round % 8), 1 + random.below(6));
            let mut weights: Vec<Vec<Option<Weight>>> = vec![vec![None; count]; count];
            for (a, others) in (0..count).map(|a| (a, a + 1..count)) {
                for b in others {
                    let is_there = random.below(100) < density;
                    // Large values need more than one number to pack.
                    let scale = if round % 3 == 0 { 10_000_000 } else { 1 };
                    let place = |_| scale * (random.below(2 * range + 1) as i32 - range as i32);
                    let row: Weight = (0..length).map(place).collect();
                    weights[a][b] = is_there.then(|| row.clone());
                    weights[b][a] = weights[a][b].clone();
                }
            }
            let all: Vec<usize> = (0..count).collect();
            let expected = greatest(&all, &weights, length);
            let mates = heaviest(count, &|a, b| weights[a][b].clone());
            assert_eq!(mates.is_some(), expected.is_some(), "{weights:?}");
            let Some(mates) = mates else { continue };
            complete += 1;
            let mut sum = vec![0; length];
            for (a, &b) in mates.iter().enumerate().filter(|(a, b)| a < *b) {
                assert_eq!(mates[b], a);
                let weight = weights[a][b].as_ref().unwrap();
                sum.iter_mut().zip(weight).for_each(|(sum, place)| *sum += place);
            }
            assert_eq!(Some(sum), expected, "{weights:?}");
        }
        assert!(complete > 1_500, "{complete}");
    }

    #[test]
    fn an_odd_number_cannot_be_in_pairs() {
        assert_eq!(heaviest(3, &|_, _| Some(Vec::new())), None);
        assert_eq!(heaviest(0, &|_, _| None), Some(Vec::new()));
    }
}
