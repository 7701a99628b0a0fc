//! The greatest number of pairs in a graph: augmenting paths with blossoms (J. Edmonds, *Paths, trees, and
//! flowers*, 1965).

use std::collections::VecDeque;

/// The partner of each of `count` nodes, in a matching of the greatest number of pairs.
pub(super) fn matching(
    count: usize,
    may_pair: &dyn Fn(usize, usize) -> bool,
) -> Vec<Option<usize>> {
    let mut graph = Graph { count, may_pair, mates: vec![None; count] };
    for node in 0..count {
        if graph.mates[node].is_none() {
            let mate = (0..count).find(|&other| {
                other != node && graph.mates[other].is_none() && may_pair(node, other)
            });
            if let Some(mate) = mate {
                graph.mates[node] = Some(mate);
                graph.mates[mate] = Some(node);
            }
        }
    }
    for root in 0..count {
        if graph.mates[root].is_none() {
            graph.augment(root);
        }
    }
    graph.mates
}

struct Graph<'a> {
    count: usize,
    may_pair: &'a dyn Fn(usize, usize) -> bool,
    mates: Vec<Option<usize>>,
}

/// A search for an augmenting path from one root.
struct Forest {
    is_outer: Vec<bool>,
    parents: Vec<Option<usize>>,
    /// The base of the blossom to which each node belongs.
    bases: Vec<usize>,
}

impl Graph<'_> {
    /// Looks for a path from this node to another one without a partner, and turns its pairs around.
    fn augment(&mut self, root: usize) {
        let mut forest = Forest {
            is_outer: vec![false; self.count],
            parents: vec![None; self.count],
            bases: (0..self.count).collect(),
        };
        forest.is_outer[root] = true;
        let mut queue = VecDeque::from([root]);
        while let Some(node) = queue.pop_front() {
            for other in 0..self.count {
                let is_inside = forest.bases[node] == forest.bases[other];
                if !(self.may_pair)(node, other) || is_inside || self.mates[node] == Some(other) {
                    continue;
                }
                let mate = self.mates[other];
                if other == root || mate.is_some_and(|mate| forest.parents[mate].is_some()) {
                    self.contract(&mut forest, &mut queue, node, other);
                } else if forest.parents[other].is_none() {
                    forest.parents[other] = Some(node);
                    let Some(mate) = mate else { return self.turn(&forest, other) };
                    forest.is_outer[mate] = true;
                    queue.push_back(mate);
                }
            }
        }
    }

    /// Makes one node of an odd cycle.
    fn contract(&self, forest: &mut Forest, queue: &mut VecDeque<usize>, a: usize, b: usize) {
        let base = self.common_base(forest, a, b);
        let mut is_in = vec![false; self.count];
        self.mark(forest, &mut is_in, a, base, b);
        self.mark(forest, &mut is_in, b, base, a);
        for node in 0..self.count {
            if is_in[forest.bases[node]] {
                forest.bases[node] = base;
                if !forest.is_outer[node] {
                    forest.is_outer[node] = true;
                    queue.push_back(node);
                }
            }
        }
    }

    fn common_base(&self, forest: &Forest, a: usize, b: usize) -> usize {
        let above = |node: usize| forest.parents[self.mates[node]?];
        let mut seen = vec![false; self.count];
        let mut next = Some(a);
        while let Some(node) = next {
            let base = forest.bases[node];
            seen[base] = true;
            next = above(base);
        }
        let mut base = forest.bases[b];
        while !seen[base] {
            let Some(node) = above(base) else { break };
            base = forest.bases[node];
        }
        base
    }

    /// Marks the blossoms from this node to the base, and how to come back from there.
    fn mark(
        &self,
        forest: &mut Forest,
        is_in: &mut [bool],
        mut node: usize,
        base: usize,
        mut child: usize,
    ) {
        while forest.bases[node] != base {
            let Some(mate) = self.mates[node] else { break };
            is_in[forest.bases[node]] = true;
            is_in[forest.bases[mate]] = true;
            forest.parents[node] = Some(child);
            child = mate;
            let Some(parent) = forest.parents[mate] else { break };
            node = parent;
        }
    }

    /// Exchanges pairs and gaps along the path that ends here.
    fn turn(&mut self, forest: &Forest, end: usize) {
        let mut next = Some(end);
        while let Some(node) = next {
            let Some(parent) = forest.parents[node] else { break };
            next = self.mates[parent];
            self.mates[node] = Some(parent);
            self.mates[parent] = Some(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use movegen::random::Random;

    use super::*;

    /// The most pairs among the nodes of a set, by trying all.
    fn most(set: u32, rows: &[u32]) -> u32 {
        if set == 0 {
            return 0;
        }
        let node = set.trailing_zeros();
        let rest = set & (set - 1);
        let mut best = most(rest, rows);
        let mut partners = rows[node as usize] & rest;
        while partners != 0 {
            let partner = partners & partners.wrapping_neg();
            best = best.max(1 + most(rest & !partner, rows));
            partners &= partners - 1;
        }
        best
    }

    #[test]
    fn as_many_pairs_as_trying_all_finds() {
        let mut random = Random::new(7);
        for round in 0..400 {
            let count = 1 + round % 11;
            let mut rows = vec![0_u32; count];
            for a in 0..count {
                for b in a + 1..count {
                    if random.next_u64() % 100 < 15 + (round as u64 % 5) * 10 {
                        rows[a] |= 1 << b;
                        rows[b] |= 1 << a;
                    }
                }
            }
            let may_pair = |a: usize, b: usize| rows[a] >> b & 1 == 1;
            let mates = matching(count, &may_pair);
            for (node, mate) in mates.iter().enumerate() {
                let Some(mate) = *mate else { continue };
                assert!(may_pair(node, mate) && mates[mate] == Some(node), "{rows:?} {mates:?}");
            }
            let pairs = mates.iter().flatten().count() as u32 / 2;
            assert_eq!(pairs, most((1 << count) - 1, &rows), "{rows:?}");
        }
    }
}
