//! Anti-dependence copies: loads that may read the elements as they were before a loop from a copy.
//!
//! ```text
//! for i in range(n):                copy = a[..]
//!     a[i] = a[i + 1] * c   =>      parallel for i in range(n):
//!                                       a[i] = copy[i + 1] * c
//! ```
//!
//! Where an iteration reads an element that only a later one writes (`a[i] = a[i + 1] * c`), no value flows between the
//! two: the load may as well be from a copy of the array made before the loop (node splitting: Kuck, Kuhn, Padua,
//! Leasure and Wolfe, "Dependence graphs and compiler optimizations", 1981). Iterations that run one after the other
//! need no copy among themselves, so a part of a loop on threads needs it only for what later parts write: where no
//! write comes more than a few iterations after the read, for its last few iterations.
//!
//! A copy of the whole array would double the memory that the loop goes through, and threads would gain nothing where
//! memory is what the loop waits for. Where that distance, or the place of the reads, is not known, a part copies all
//! that its iterations read, or the whole array.

use nestwise_ir::model::nest::{Expr, ExprKind, Stmt};
use nestwise_ir::schedule::{AntiDependenceCopy, Window};
use nestwise_ir::{AccessId, ArrayId, For, LoopId};

use crate::dependence::{Pair, Tester, at_level, common_loops};
use crate::values::affine::Ix;
use crate::values::condition::Clause;
use crate::values::forms::AccessForm;

/// The most accesses to an array in one loop; an array with more is not examined.
const MAX_ACCESSES: usize = 40;
/// The largest constant added to a counter in a subscript that is followed: far from where sums leave 64 bits.
const MAX_OFFSET: i128 = 1 << 31;
/// The most iterations from a read to the write after it that are told apart from any number: what a part copies should
/// be little.
const MAX_REACH: u32 = 256;
/// A depth that no nest of loops exceeds.
const ALL: usize = 64;

/// The loads of an array that read a copy, and when that is legal.
pub struct LegalCopy {
    /// The array, the loads, and what the copy has to contain.
    pub copy: AntiDependenceCopy,
    /// Clauses none of which may hold for the copy to be legal.
    pub absent: Vec<Clause>,
}

/// The loads of `array` in the loop that have to read a copy made before it, so that iterations may run in parallel;
/// `accesses` are the array's accesses in the loop, whose subscripts must not wrap. Clauses have at most `atoms` atoms.
///
/// Legal iff, of the dependences on the array that the loop carries,
///   - none is an output dependence;
///   - none is a flow dependence;
///   - every anti-dependence leaves a load that nothing written in its own iteration reaches either: whatever it finds
///     was there before the loop. Those loads read the copy.
pub fn legal_copy(
    tester: &Tester<'_>,
    l: &For,
    array: ArrayId,
    accesses: &[&AccessForm],
    atoms: usize,
) -> Option<LegalCopy> {
    let (writes, reads): (Vec<&AccessForm>, _) = accesses.iter().partition(|a| a.store);
    let q = Question {
        tester,
        id: l.id,
        atoms,
    };
    let small = accesses.len() <= MAX_ACCESSES;
    if !small {
        return None;
    }
    let mut absent = vec![];
    for w in &writes {
        for sink in accesses {
            absent.extend(q.carries_if(w, sink)?);
        }
    }
    let leaves = |r: &&AccessForm| writes.iter().any(|w| q.carries(r, w));
    let copied: Vec<&AccessForm> = reads.into_iter().filter(leaves).collect();
    let reached = |r: &AccessForm| writes.iter().any(|w| q.reaches_inside(w, r));
    if copied.is_empty() || copied.iter().any(|r| reached(r)) {
        return None;
    }
    let found = AntiDependenceCopy {
        array,
        reads: copied.iter().map(|r| r.id).collect(),
        reach: q.reach(&copied, &writes),
        window: q.window(l, &copied),
    };
    nested(&l.body, &found).then_some(LegalCopy {
        copy: found,
        absent,
    })
}

struct Question<'a> {
    tester: &'a Tester<'a>,
    id: LoopId,
    atoms: usize,
}

impl Question<'_> {
    fn level(&self, x: &AccessForm, y: &AccessForm) -> usize {
        let common = common_loops(x, y);
        common.iter().position(|l| *l == self.id).unwrap_or(0)
    }

    /// Whether the loop carries a dependence from `x` to `y`.
    fn carries(&self, x: &AccessForm, y: &AccessForm) -> bool {
        let dirs = at_level(self.level(x, y));
        self.tester.may_meet(Pair::new(x, y), &dirs)
    }

    /// The condition on values under which the loop carries a dependence from `x` to `y`: `Some(None)` for none, `None`
    /// if it is not known.
    fn carries_if(&self, x: &AccessForm, y: &AccessForm) -> Option<Option<Clause>> {
        if !self.carries(x, y) {
            return Some(None);
        }
        if self.atoms == 0 {
            return None;
        }
        let dirs = at_level(self.level(x, y));
        match self.tester.clause(Pair::new(x, y), &dirs) {
            Some(c) if !(1..=self.atoms).contains(&c.atoms.len()) => None,
            clause => Some(clause),
        }
    }

    /// The distances, in iterations of the loop, of the dependences from `x` to `y` that it carries.
    fn distances(&self, x: &AccessForm, y: &AccessForm) -> Vec<Option<i64>> {
        let level = self.level(x, y);
        let all = self.tester.dependences_within(Pair::new(x, y), level, 1);
        let carried = all
            .into_iter()
            .flatten()
            .filter(|d| d.carrier == Some(self.id));
        carried
            .map(|d| d.distance.get(level).copied().flatten())
            .collect()
    }

    /// Whether `y` may read what `x` writes in the same iteration of the loop.
    fn reaches_inside(&self, x: &AccessForm, y: &AccessForm) -> bool {
        let inside = self.level(x, y) + 1;
        let pair = Pair::new(x, y);
        let all = self.tester.dependences_within(pair, inside, ALL);
        all.is_none_or(|all| !all.is_empty())
    }

    /// The most iterations from a read to a write of its element, if there is a limit of at most [`MAX_REACH`].
    fn reach(&self, reads: &[&AccessForm], writes: &[&AccessForm]) -> Option<u32> {
        let pairs = reads
            .iter()
            .flat_map(|r| writes.iter().map(move |w| (r, w)));
        let all = pairs.flat_map(|(r, w)| self.distances(r, w));
        let most = all.map(|d| d.and_then(|d| u32::try_from(d).ok()));
        let most = most.collect::<Option<Vec<u32>>>()?.into_iter().max();
        most.filter(|reach| *reach <= MAX_REACH)
    }

    /// The window in which the reads of some iterations are: an axis along which each subscript is the counter, or its
    /// negative, plus a constant. The subscripts must be written so, since variables may hold anything after a failed
    /// guard.
    fn window(&self, l: &For, reads: &[&AccessForm]) -> Option<Window> {
        let rank = reads.first()?.index.len();
        (0..rank).find_map(|axis| {
            let offset = |r: &&AccessForm| {
                let form = r.index.get(axis)?.affine()?;
                let counter = Ix::Counter(self.id);
                let scale = form.const_coef(counter)?;
                let offset = form.without(counter).as_constant()?;
                let index = subscripts(&l.body, r.id)?.get(axis)?;
                let plain = !r.guarded && scale.abs() == 1 && mentions_only(index, l);
                (plain && offset.abs() <= MAX_OFFSET).then_some((scale as i64, offset as i64))
            };
            let all: Vec<(i64, i64)> = reads.iter().map(offset).collect::<Option<_>>()?;
            let scale = all.first()?.0;
            let alike = all.iter().all(|a| a.0 == scale);
            let offsets = || all.iter().map(|a| a.1);
            alike.then_some(Window {
                axis: axis as u32,
                scale,
                least: offsets().min()?,
                most: offsets().max()?,
            })
        })
    }
}

/// Whether no subscript of a load that reads the copy reads the array itself.
fn nested(body: &[Stmt], found: &AntiDependenceCopy) -> bool {
    let reads = |e: &Expr| {
        let mut own = false;
        e.walk(&mut |e| {
            own |= matches!(e.kind, ExprKind::Load { array, .. } if array == found.array);
        });
        own
    };
    found.reads.iter().all(|r| {
        let index = subscripts(body, *r);
        index.is_some_and(|index| !index.iter().any(reads))
    })
}

fn mentions_only(e: &Expr, l: &For) -> bool {
    let mut only = true;
    e.walk(&mut |e| {
        only &= match e.kind {
            ExprKind::Var(v) => v == l.counter,
            ExprKind::Load { .. } | ExprKind::Bind { .. } => false,
            _ => true,
        };
    });
    only
}

/// The subscripts of a load in a block.
fn subscripts(block: &[Stmt], load: AccessId) -> Option<&[Expr]> {
    fn of(e: &Expr, load: AccessId) -> Option<&[Expr]> {
        match &e.kind {
            ExprKind::Load { access, index, .. } if *access == load => Some(index),
            _ => e.children().find_map(|c| of(c, load)),
        }
    }
    block.iter().find_map(|s| {
        let own = s.exprs().find_map(|e| of(e, load));
        own.or_else(|| s.blocks().find_map(|b| subscripts(b, load)))
    })
}
