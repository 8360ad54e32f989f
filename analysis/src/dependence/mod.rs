//! Which iterations touch the same element.
//!
//! A dependence between two accesses carried by a loop is a solution of: equal subscripts, both iterations in
//! their domains, equal counters of the loops around, and the one iteration before the other in that loop. The
//! subscripts stay coupled (as in Goff, Kennedy and Tseng's delta test, 1991), triangular, strided and clamped bounds and
//! conditions are constraints like others, and equal symbolic terms cancel by being one unknown. Products of a counter
//! and a symbol (`A[i * n + j]`) are unknowns of their own, related by the products of the bounds with that symbol
//! (as in Maslov's lazy delinearisation, 1992).
//!
//! The cheap tests of [`ladder`] come first; [`problem`] writes down what they leave as a system of integers, which
//! [`crate::integer`] decides exactly. Where symbols are unknown, [`Tester::clause`] says for which of their values there
//! is a dependence.

mod cover;
pub(crate) mod index_arrays;
mod ladder;
pub(crate) mod non_affine;
mod problem;
pub(crate) mod subrange;

use std::fmt;

use nestwise_ir::{AccessId, ArrayId, LoopId, Nest};

use crate::dependence::problem::{Problem, Side};
use crate::integer::{Answer, Fuel};
use crate::values::affine::Affine;
use crate::values::condition::Clause;
use crate::values::forms::{AccessForm, Forms};

pub use crate::dependence::index_arrays::Property;

/// How the iteration of the first access relates to that of the second in one loop, in the order of its counter's way:
/// in one execution of the loop, the order of time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dir {
    /// Earlier.
    Lt,
    /// The same.
    Eq,
    /// Later.
    Gt,
    /// Any of these.
    Any,
}

/// What two accesses do to an element, the earlier first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Written, then read.
    Flow,
    /// Read, then written.
    Anti,
    /// Written, then written.
    Output,
}

/// Two accesses that touch one element in different iterations of a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Dependence {
    /// What they do.
    pub kind: Kind,
    /// The earlier access.
    pub src: AccessId,
    /// The later access.
    pub dst: AccessId,
    /// The loop that carries it; none: it stays inside an iteration of all of them.
    pub carrier: Option<LoopId>,
    /// The loops around both, outermost first.
    pub loops: Vec<LoopId>,
    /// Per loop.
    pub directions: Vec<Dir>,
    /// Per loop: iterations between them, where that is one number.
    pub distance: Vec<Option<i64>>,
    /// It is there, if what is executed depends on counters, ints and extents alone; otherwise it may be there.
    pub exact: bool,
}

impl fmt::Display for Dir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dir::Lt => "<",
            Dir::Eq => "=",
            Dir::Gt => ">",
            Dir::Any => "*",
        })
    }
}

/// Whether accesses with a set guard are where their subscripts say (`Trusted`), or anywhere (a negative index
/// wraps).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guarded {
    /// Subscripts may wrap.
    Anywhere,
    /// Subscripts are taken literally.
    Trusted,
}

/// How the array of the second access lies in that of the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slots<'a> {
    /// They are one array.
    Same,
    /// Its element at an index is the first one's at that index plus this, times the sign.
    Shifted(&'a [i64], i64),
}

impl Slots<'_> {
    fn shift(self, axis: usize) -> i64 {
        match self {
            Slots::Same => 0,
            Slots::Shifted(by, sign) => by.get(axis).map_or(0, |v| v * sign),
        }
    }
}

/// Loops around both accesses, outermost first.
pub fn common_loops(x: &AccessForm, y: &AccessForm) -> Vec<LoopId> {
    let both = x.loops.iter().zip(&y.loops);
    both.take_while(|(a, b)| a == b).map(|(a, _)| *a).collect()
}

/// Answers questions about pairs of accesses of a nest.
#[derive(Clone, Copy)]
pub struct Tester<'a> {
    /// The nest.
    pub nest: &'a Nest,
    /// Its forms.
    pub forms: &'a Forms,
    /// Clauses known not to hold.
    pub absent: &'a [Clause],
    /// What is known of the elements of arrays that nothing writes.
    pub elements: &'a [(ArrayId, Property)],
    /// What to take guarded accesses for.
    pub guarded: Guarded,
    /// Only iterations in which none of these is negative are asked about.
    pub within: &'a [Affine],
}

/// Two accesses, the first one the earlier.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    /// The first.
    pub x: &'a AccessForm,
    /// The second.
    pub y: &'a AccessForm,
    /// Whether they are of one array.
    pub slots: Slots<'a>,
}

impl<'a> Pair<'a> {
    /// Two accesses to one array.
    pub fn new(x: &'a AccessForm, y: &'a AccessForm) -> Pair<'a> {
        Pair {
            x,
            y,
            slots: Slots::Same,
        }
    }
    fn kind(&self) -> Kind {
        match (self.x.store, self.y.store) {
            (true, false) => Kind::Flow,
            (false, _) => Kind::Anti,
            (true, true) => Kind::Output,
        }
    }
}

/// Direction vectors that are asked for, of one pair of accesses: their number grows with three to the power of the
/// loops' depth.
const MAX_QUESTIONS: u32 = 400;

impl<'a> Tester<'a> {
    /// For a nest of which nothing but its forms is known.
    pub fn new(nest: &'a Nest, forms: &'a Forms, guarded: Guarded) -> Tester<'a> {
        Tester {
            nest,
            forms,
            absent: &[],
            elements: &[],
            guarded,
            within: &[],
        }
    }

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

    /// Whether it may be.
    pub fn may_meet(&self, pair: Pair<'_>, dirs: &[Dir]) -> bool {
        self.meet(pair, dirs) != Answer::No
    }

    /// Whether `x`, in some iteration of the loop `first`, may touch an element that `y` touches in an earlier iteration of
    /// `second`, a loop with the same bounds and step beside it.
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

    /// The first dependence between two accesses (the one possibly the other itself) that `carrier` carries, in either
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

    /// When `carrier` carries a dependence between two accesses, in either order: a clause per order in which there may
    /// be one.
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

    /// For which values of symbols the two may meet; none: for no values.
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

    /// The arrays by whose elements it is decided whether two accesses meet.
    pub fn index_arrays(&self, pair: Pair<'_>) -> Vec<ArrayId> {
        self.problem(pair, &[]).index_arrays()
    }

    /// The pair and, unless it is an access and itself, its reverse.
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

    /// Those in one iteration of the `around` outermost common loops, told apart by the next `depth` loops alone. Where
    /// there are more loops inside those, `(=, ..., =)` says nothing about which of the two is the earlier. None: there
    /// are too many direction vectors to ask for each.
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

    /// Adds those whose directions begin with `dirs`. None: `questions` were not enough.
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

/// `(=, ..., =, <)`.
pub(crate) fn at_level(level: usize) -> Vec<Dir> {
    let mut dirs = vec![Dir::Eq; level];
    dirs.push(Dir::Lt);
    dirs
}
