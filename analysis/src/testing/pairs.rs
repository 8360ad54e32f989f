//! The dependences of a trace: every pair of accesses to one element, at least one of which stores.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use nestwise_ir::AccessId;

use crate::dependence::Dir;
use crate::testing::trace::Touch;

/// A dependence of a trace: the earlier access, the later one, and the direction in each loop around both.
pub type Traced = (AccessId, AccessId, Vec<Dir>);

/// The most pairs of accesses that are examined in one trace.
const MAX_PAIRS: usize = 3_000_000;

/// The dependences of a trace; `None` if it has more pairs than are examined.
pub fn traced(touches: &[Touch]) -> Option<HashSet<Traced>> {
    let mut by_element: HashMap<(usize, usize), Vec<&Touch>> = HashMap::new();
    for t in touches {
        by_element.entry((t.object, t.element)).or_default().push(t);
    }
    let pairs: usize = by_element.values().map(|v| v.len() * v.len() / 2).sum();
    if pairs > MAX_PAIRS {
        return None;
    }
    let mut out = HashSet::new();
    for list in by_element.values() {
        for (i, x) in list.iter().enumerate() {
            for y in list[i + 1..].iter().filter(|y| x.store || y.store) {
                out.insert((x.access, y.access, directions(x, y)));
            }
        }
    }
    Some(out)
}

fn directions(x: &Touch, y: &Touch) -> Vec<Dir> {
    let both = x.iterations.iter().zip(&y.iterations);
    let common = both.take_while(|(a, b)| a.0 == b.0).count();
    let along = x.along.iter().zip(&y.along).take(common);
    along
        .map(|(a, b)| match a.cmp(b) {
            Ordering::Less => Dir::Lt,
            Ordering::Equal => Dir::Eq,
            Ordering::Greater => Dir::Gt,
        })
        .collect()
}
