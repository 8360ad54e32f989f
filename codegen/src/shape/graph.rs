//! Control flow: natural loops, and how often blocks run.

/// Basic blocks and where control goes from them; block 0 is the entry.
pub(super) struct Graph {
    /// For each block: its successors with their probabilities.
    pub(super) next: Vec<Vec<(usize, f32)>>,
}

/// A natural loop; loops with the same header are one.
#[derive(Debug)]
pub(super) struct Loop {
    pub(super) header: usize,
    /// The blocks that jump back to the header.
    pub(super) latches: Vec<usize>,
    /// For each block: whether it is in the loop, inner loops included.
    pub(super) holds: Vec<bool>,
    /// The innermost loop around this one.
    pub(super) parent: Option<usize>,
}

/// The loops of a function, outer ones first, and for each block the innermost one around it.
pub(super) struct Loops {
    pub(super) all: Vec<Loop>,
    pub(super) of: Vec<Option<usize>>,
    /// The blocks that are reached, each after its predecessors but for back edges.
    pub(super) order: Vec<usize>,
}

impl Graph {
    /// Finds the natural loops: Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm" (2001), for the
    /// dominators; a loop is what reaches a back edge without passing its header.
    pub(super) fn loops(&self) -> Loops {
        let order = self.order();
        let before = self.before();
        let dominator = dominators(&order, &before);
        let dominates = |a: usize, b: usize| {
            let mut at = b;
            loop {
                if at == a {
                    return true;
                }
                match dominator[at] {
                    Some(up) if up != at => at = up,
                    _ => return false,
                }
            }
        };
        let mut all: Vec<Loop> = Vec::new();
        for &header in &order {
            let reached = |b: &&usize| dominator[**b].is_some() && dominates(header, **b);
            let latches: Vec<usize> = before[header].iter().filter(reached).copied().collect();
            if !latches.is_empty() {
                let holds = self.natural(header, &latches, &before);
                all.push(Loop {
                    header,
                    latches,
                    holds,
                    parent: None,
                });
            }
        }
        // In this order a header comes after those of the loops around it.
        for k in 0..all.len() {
            let header = all[k].header;
            all[k].parent = (0..k).rev().find(|o| all[*o].holds[header]);
        }
        let innermost = |b: usize| (0..all.len()).rev().find(|k| all[*k].holds[b]);
        let of = (0..self.next.len()).map(innermost).collect();
        Loops { all, of, order }
    }

    fn before(&self) -> Vec<Vec<usize>> {
        let mut before = vec![Vec::new(); self.next.len()];
        for (b, next) in self.next.iter().enumerate() {
            for (s, _) in next {
                before[*s].push(b);
            }
        }
        before
    }

    /// The blocks in reverse postorder.
    fn order(&self) -> Vec<usize> {
        let mut seen = vec![false; self.next.len()];
        let mut order = Vec::new();
        let mut stack = vec![(0, 0)];
        seen[0] = true;
        while let Some((b, k)) = stack.pop() {
            match self.next[b].get(k) {
                Some((s, _)) => {
                    stack.push((b, k + 1));
                    if !seen[*s] {
                        seen[*s] = true;
                        stack.push((*s, 0));
                    }
                }
                None => order.push(b),
            }
        }
        order.reverse();
        order
    }

    fn natural(&self, header: usize, latches: &[usize], before: &[Vec<usize>]) -> Vec<bool> {
        let mut holds = vec![false; self.next.len()];
        holds[header] = true;
        let mut stack = latches.to_vec();
        while let Some(b) = stack.pop() {
            if !holds[b] {
                holds[b] = true;
                stack.extend(&before[b]);
            }
        }
        holds
    }

    /// For each block: how often it runs in one execution of the code directly around it, a loop's iteration or the
    /// function. The value of a loop's header is how often the loop is entered.
    pub(super) fn frequencies(&self, loops: &Loops) -> Vec<f32> {
        let mut runs = vec![0.0; self.next.len()];
        // Inner loops first: what leaves them is what has entered.
        let mut left: Vec<Vec<(usize, f32)>> = vec![Vec::new(); loops.all.len()];
        for k in (0..loops.all.len()).rev() {
            let inside = self.spread(Some(k), loops, &left);
            left[k] = self.exits(k, &inside, loops, &left);
            for (b, f) in inside.iter().enumerate() {
                let own = loops.of[b] == Some(k) && b != loops.all[k].header;
                let inner = loops
                    .all
                    .iter()
                    .any(|l| l.header == b && l.parent == Some(k));
                if own || inner {
                    runs[b] = *f;
                }
            }
        }
        let whole = self.spread(None, loops, &left);
        for (b, f) in whole.iter().enumerate() {
            let is_header = loops
                .all
                .iter()
                .any(|l| l.header == b && l.parent.is_none());
            if loops.of[b].is_none() || is_header {
                runs[b] = *f;
            }
        }
        runs
    }

    /// The frequency of each block in one iteration of a loop, or one run of the function; inner loops are passed
    /// through.
    fn spread(&self, of: Option<usize>, loops: &Loops, left: &[Vec<(usize, f32)>]) -> Vec<f32> {
        let start = of.map_or(0, |k| loops.all[k].header);
        let mut runs = vec![0.0; self.next.len()];
        runs[start] = 1.0;
        for &b in &loops.order {
            if runs[b] == 0.0 || loops.of[b] != of && !self.is_entry_of_inner(b, of, loops) {
                continue;
            }
            let edges: Vec<(usize, f32)> = match loops.of[b] == of {
                true => self.staying(b, of, loops),
                false => loops.of[b].map_or(vec![], |k| left[k].clone()),
            };
            for (s, p) in edges {
                let inside = of.is_none_or(|k| loops.all[k].holds[s]);
                if inside && s != start {
                    runs[s] += runs[b] * p;
                }
            }
        }
        runs
    }

    fn is_entry_of_inner(&self, b: usize, of: Option<usize>, loops: &Loops) -> bool {
        loops.all.iter().any(|l| l.header == b && l.parent == of)
    }

    /// The successors of a block of a loop's own and their probabilities, given that the loop goes on.
    fn staying(&self, b: usize, of: Option<usize>, loops: &Loops) -> Vec<(usize, f32)> {
        let Some(k) = of else {
            return self.next[b].clone();
        };
        let stays = |s: &&(usize, f32)| loops.all[k].holds[s.0];
        let kept: Vec<(usize, f32)> = self.next[b].iter().filter(stays).copied().collect();
        let sum: f32 = kept.iter().map(|s| s.1).sum();
        match sum > 0.0 {
            true => kept.into_iter().map(|(s, p)| (s, p / sum)).collect(),
            false => vec![],
        }
    }

    /// The blocks to which a loop is left, each with its share of 1.
    fn exits(
        &self,
        k: usize,
        runs: &[f32],
        loops: &Loops,
        left: &[Vec<(usize, f32)>],
    ) -> Vec<(usize, f32)> {
        let holds = &loops.all[k].holds;
        let mut out: Vec<(usize, f32)> = Vec::new();
        for &b in &loops.order {
            if !holds[b] {
                continue;
            }
            let own = loops.of[b] == Some(k);
            let inner = loops
                .all
                .iter()
                .position(|l| l.header == b && l.parent == Some(k));
            let edges: &[(usize, f32)] = match (own, inner) {
                (true, _) => &self.next[b],
                (false, Some(inner)) => &left[inner],
                _ => &[],
            };
            for (s, p) in edges.iter().filter(|e| !holds[e.0]) {
                out.push((*s, runs[b] * p));
            }
        }
        let sum: f32 = out.iter().map(|e| e.1).sum();
        if sum > 0.0 {
            out.iter_mut().for_each(|e| e.1 /= sum);
        }
        out
    }
}

fn dominators(order: &[usize], before: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut number = vec![usize::MAX; before.len()];
    for (k, b) in order.iter().enumerate() {
        number[*b] = k;
    }
    let mut dominator: Vec<Option<usize>> = vec![None; before.len()];
    let Some((entry, rest)) = order.split_first() else {
        return dominator;
    };
    dominator[*entry] = Some(*entry);
    let mut changed = true;
    while changed {
        changed = false;
        for b in rest {
            let mut known = before[*b].iter().filter(|p| dominator[**p].is_some());
            let Some(first) = known.next() else { continue };
            let meet = |mut x: usize, mut y: usize| {
                while x != y {
                    while number[x] > number[y] {
                        x = dominator[x].unwrap_or(*entry);
                    }
                    while number[y] > number[x] {
                        y = dominator[y].unwrap_or(*entry);
                    }
                }
                x
            };
            let found = known.fold(*first, |x, y| meet(x, *y));
            if dominator[*b] != Some(found) {
                dominator[*b] = Some(found);
                changed = true;
            }
        }
    }
    dominator
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(next: &[&[(usize, f32)]]) -> Graph {
        Graph {
            next: next.iter().map(|n| n.to_vec()).collect(),
        }
    }

    #[test]
    fn a_branch_in_an_inner_loop_runs_half_of_its_iterations() {
        // 0 -> 1 (outer header) -> 2 (inner header) -> 3 | 4 -> 5 (inner latch) -> 2 | 6 (outer latch) -> 1 | 7
        let g = graph(&[
            &[(1, 1.0)],
            &[(2, 1.0)],
            &[(3, 0.5), (4, 0.5)],
            &[(5, 1.0)],
            &[(5, 1.0)],
            &[(2, 0.5), (6, 0.5)],
            &[(1, 0.5), (7, 0.5)],
            &[],
        ]);
        let loops = g.loops();
        assert_eq!(loops.all.len(), 2);
        assert_eq!(loops.all[1].parent, Some(0));
        assert_eq!(loops.of[3], Some(1));
        assert_eq!(loops.of[6], Some(0));
        let runs = g.frequencies(&loops);
        assert_eq!(runs[3], 0.5);
        assert_eq!(runs[5], 1.0);
        // The inner loop is entered once in an iteration of the outer one, and left as often.
        assert_eq!(runs[2], 1.0);
        assert_eq!(runs[6], 1.0);
        assert_eq!(runs[7], 1.0);
    }

    #[test]
    fn what_leaves_a_loop_early_takes_its_share_along() {
        // A loop with a test in its head that leaves to 3, whose latch leaves to 4.
        let g = graph(&[
            &[(1, 1.0)],
            &[(3, 0.0), (2, 1.0)],
            &[(1, 0.5), (4, 0.5)],
            &[],
            &[],
        ]);
        let loops = g.loops();
        let runs = g.frequencies(&loops);
        assert_eq!((runs[2], runs[3], runs[4]), (1.0, 0.0, 1.0));
    }

    #[test]
    fn code_that_nothing_reaches_does_not_run() {
        let g = graph(&[&[(2, 1.0)], &[(2, 1.0)], &[]]);
        let loops = g.loops();
        assert_eq!(g.frequencies(&loops), vec![1.0, 0.0, 1.0]);
    }
}
