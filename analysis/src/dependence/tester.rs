//! Questions about two accesses: whether, and how related, their iterations touch one element.

use nestwise_ir::{ArrayId, LoopId};

use crate::dependence::ladder;
use crate::dependence::model::{Dependence, Dir, Guarded, Pair, Slots, Tester, common_loops};
use crate::dependence::problem::{Problem, Side};
use crate::integer::{Answer, Fuel};
use crate::values::condition::Clause;
use crate::values::forms::AccessForm;

/// The most direction vectors that are tested for one pair of accesses: their number grows with three to the power of
/// the loops' depth.
const MAX_QUESTIONS: u32 = 400;

impl<'a> Tester<'a> {
    /// Whether the element that `x` touches in one iteration is one that `y` touches in another, the iterations related
    /// by `dirs` (one per common loop; missing ones are [`Dir::Any`]). [`Answer::No`] is a proof.
    pub fn meet(&self, pair: Pair<'_>, dirs: &[Dir]) -> Answer {
        let free = self.guarded == Guarded::Anywhere && (pair.x.guarded || pair.y.guarded);
        if !free && ladder::apart(self.nest, self.forms, pair, dirs) {
            return Answer::No;
        }
        let p = self.problem(pair, dirs);
        match p.system.solve(&mut Fuel::default()) {
            Answer::Yes if !p.exact || p.has_symbols() => Answer::Unknown,
            answer => answer,
        }
    }

    /// Whether `x` in one iteration may touch an element that `y` touches in another, the iterations related by `dirs`.
    pub fn may_meet(&self, pair: Pair<'_>, dirs: &[Dir]) -> bool {
        self.meet(pair, dirs) != Answer::No
    }

    /// Whether `x`, in some iteration of the loop `first`, may touch an element that `y` touches in an earlier
    /// iteration of `second`, a loop with the same bounds and step beside it.
    pub fn may_meet_earlier(&self, pair: Pair<'_>, (first, second): (LoopId, LoopId)) -> bool {
        let around = common_loops(pair.x, pair.y).len();
        let mut p = self.problem(pair, &vec![Dir::Eq; around]);
        p.ahead(first, second);
        p.system.solve(&mut Fuel::default()) != Answer::No
    }

    fn problem(&self, Pair { x, y, slots }: Pair<'_>, dirs: &[Dir]) -> Problem<'a> {
        let common = common_loops(x, y);
        let equal = dirs.iter().take_while(|d| **d == Dir::Eq).count();
        let shared = &common[..equal.min(common.len())];
        let mut p = Problem::new(self, shared);
        let free = |a: &AccessForm| a.guarded && self.guarded == Guarded::Anywhere;
        match free(x) || free(y) {
            true => p.exact = false,
            false => p.same_element(x, y, slots),
        }
        p.domain(x, Side::Src);
        p.domain(y, Side::Dst);
        p.within(self.within);
        for (l, d) in common.iter().zip(dirs).skip(shared.len()) {
            p.direction(*l, *d);
        }
        p.multiply();
        p.relate(self.elements);
        for clause in self.absent {
            p.absent(clause);
        }
        p
    }

    /// The first dependence between two accesses (which may be one and the same) that `carrier` carries, in either
    /// order.
    pub fn carried(&self, pair: Pair<'_>, carrier: LoopId) -> Option<Dependence> {
        let level = common_loops(pair.x, pair.y)
            .iter()
            .position(|l| *l == carrier)?;
        self.both_ways(pair).find_map(|pair| {
            let answer = self.meet(pair, &at_level(level));
            (answer != Answer::No).then(|| self.describe(pair, level, answer))
        })
    }

    /// The conditions under which `carrier` carries a dependence between two accesses: one clause for each order of the
    /// two in which there may be one.
    pub fn clauses(&self, pair: Pair<'_>, carrier: LoopId) -> Vec<Clause> {
        let common = common_loops(pair.x, pair.y);
        let Some(level) = common.iter().position(|l| *l == carrier) else {
            return vec![];
        };
        let found = self
            .both_ways(pair)
            .filter(|p| self.may_meet(*p, &at_level(level)));
        found
            .filter_map(|p| self.clause(p, &at_level(level)))
            .collect()
    }

    /// The values of symbols for which the two may touch one element, as a clause; `None` if there are none.
    pub(crate) fn clause(&self, pair: Pair<'_>, dirs: &[Dir]) -> Option<Clause> {
        let mut p = self.problem(pair, dirs);
        let symbols = p.symbols();
        let projection = p
            .system
            .project(&|u| symbols.contains_key(&u), &mut Fuel::default())?;
        let loops = [pair.x.loops.as_slice(), &pair.y.loops].concat();
        let usual = p.usual(pair.x, &loops);
        Some(Clause::of(&projection, &symbols, &p.context, &usual))
    }

    /// The index arrays whose elements decide whether two accesses touch one element.
    pub fn index_arrays(&self, pair: Pair<'_>) -> Vec<ArrayId> {
        self.problem(pair, &[]).index_arrays()
    }

    /// The pair and, unless both are the same access, the reversed pair.
    fn both_ways<'p>(&self, pair: Pair<'p>) -> impl Iterator<Item = Pair<'p>> {
        let Pair { x, y, slots } = pair;
        let reversed = match slots {
            Slots::Same => Some(Pair { x: y, y: x, slots }),
            // The other way round the shift is the opposite: asked by whoever has it.
            Slots::Shifted(..) => None,
        };
        let second = reversed.filter(|_| x.id != y.id);
        [pair].into_iter().chain(second)
    }

    /// Directions and distances of a dependence carried at `level`.
    fn describe(&self, pair: Pair<'_>, level: usize, answer: Answer) -> Dependence {
        let loops = common_loops(pair.x, pair.y);
        let mut directions = at_level(level);
        for _ in level + 1..loops.len() {
            let mut only = |d: Dir| {
                directions.push(d);
                let may = self.may_meet(pair, &directions);
                directions.pop();
                may
            };
            let (lt, eq, gt) = (only(Dir::Lt), only(Dir::Eq), only(Dir::Gt));
            directions.push(match (lt, eq, gt) {
                (true, false, false) => Dir::Lt,
                (false, true, false) => Dir::Eq,
                (false, false, true) => Dir::Gt,
                _ => Dir::Any,
            });
        }
        self.dependence(pair, directions, answer)
    }

    fn dependence(&self, pair: Pair<'_>, directions: Vec<Dir>, answer: Answer) -> Dependence {
        let loops = common_loops(pair.x, pair.y);
        let mut p = self.problem(pair, &directions);
        let distance = loops.iter().zip(&directions).map(|(l, d)| match d {
            Dir::Eq => Some(0),
            _ => p.distance(*l),
        });
        let distance = distance.collect();
        let carrier = directions.iter().position(|d| *d != Dir::Eq);
        Dependence {
            kind: pair.kind(),
            src: pair.x.id,
            dst: pair.y.id,
            carrier: carrier.map(|level| loops[level]),
            loops,
            directions,
            distance,
            exact: answer == Answer::Yes,
        }
    }

    /// Every dependence from `x` to `y`, one per direction vector of `<`, `=` and `>`.
    pub fn dependences(&self, pair: Pair<'_>) -> Vec<Dependence> {
        let depth = common_loops(pair.x, pair.y).len();
        let mut out = vec![];
        let (mut questions, mut add) = (u32::MAX, |d| out.push(d));
        self.refine(pair, depth, &mut vec![], &mut questions, &mut add);
        out
    }

    /// The dependences within one iteration of the `around` outermost common loops, with directions for the next
    /// `depth` loops only. Where there are more common loops inside those, `(=, ..., =)` does not tell which access is
    /// the earlier one. `None`: there are too many direction vectors to test each.
    pub fn dependences_within(
        &self,
        pair: Pair<'_>,
        around: usize,
        depth: usize,
    ) -> Option<Vec<Dependence>> {
        let mut out = vec![];
        let mut questions = MAX_QUESTIONS;
        let all = common_loops(pair.x, pair.y).len();
        let depth = all.min(around + depth);
        let mut add = |d| out.push(d);
        let dirs = &mut vec![Dir::Eq; around];
        self.refine(pair, depth, dirs, &mut questions, &mut add)?;
        Some(out)
    }

    /// Adds the dependences whose directions begin with `dirs`. `None`: `questions` were not enough.
    fn refine(
        &self,
        pair: Pair<'_>,
        depth: usize,
        dirs: &mut Vec<Dir>,
        questions: &mut u32,
        add: &mut impl FnMut(Dependence),
    ) -> Option<()> {
        let common = common_loops(pair.x, pair.y).len();
        let inside = dirs.iter().all(|d| *d == Dir::Eq);
        // In one iteration of all loops the order of the text decides.
        if dirs.len() == common && inside && pair.x.order >= pair.y.order {
            return Some(());
        }
        *questions = questions.checked_sub(1)?;
        let answer = self.meet(pair, dirs);
        if answer == Answer::No {
            return Some(());
        }
        if dirs.len() == depth {
            add(self.dependence(pair, dirs.clone(), answer));
            return Some(());
        }
        // What comes first is never later: the first loop that tells them apart has `<`.
        let ways = if inside {
            &[Dir::Lt, Dir::Eq][..]
        } else {
            &[Dir::Lt, Dir::Eq, Dir::Gt][..]
        };
        for d in ways {
            dirs.push(*d);
            let refined = self.refine(pair, depth, dirs, questions, add);
            dirs.pop();
            refined?;
        }
        Some(())
    }
}

/// The direction vector `(=, ..., =, <)` with `level` leading `=`.
pub(crate) fn at_level(level: usize) -> Vec<Dir> {
    let mut dirs = vec![Dir::Eq; level];
    dirs.push(Dir::Lt);
    dirs
}
