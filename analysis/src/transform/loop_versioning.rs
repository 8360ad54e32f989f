//! Loop versioning: a loop becomes two, one without the guards of its subscripts, and one as written.
//!
//! ```text
//! for k in range(n):                if 0 <= begin and begin + n <= len(x):
//!     s += x[begin + k]     =>          for k in range(n):      # no guard
//!                                           s += x[begin + k]
//!                                   else:
//!                                       for k in range(n):
//!                                           s += x[begin + k]
//! ```
//!
//! Legal iff the version without guards runs only where, for every access `a[f(i)]` whose guard it drops and every
//! value of the counters `i` in their ranges, `0 <= f(i) < extent(a)`. A subscript that is linear in each counter is
//! least and greatest at the ends of their ranges, so a few comparisons before the loop tell. Where they do not hold (a
//! negative subscript, one that only some iterations get to), the loop runs as written.
//!
//! Source: the pre-loop tests of Gupta, Optimizing array bound checks using flow analysis, 1993.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use nestwise_ir::model::nest::{BinOp, Cast, CmpOp, Expr, ExprKind, For, Nest, Stmt, StmtKind};
use nestwise_ir::{AccessId, ArrayId, ArrayKind, LoopId, Ty, VarId};

use crate::launch_info::LaunchInfo;
use crate::structure::assigned;
use crate::transform::build::{Builder, hidden_of};
use crate::transform::copy::Copy;
use crate::transform::rewritten::{Rewritten, compact, splice_for, with_for_mut};
use crate::values::affine::{Affine, DefId, Ix, Sym};

/// The trip count of a loop from which checking its ends is cheaper than checking each of its subscripts.
const MIN_TRIPS: f64 = 16.0;
/// The most statements of a loop that is versioned.
const MAX_SIZE: usize = 64;
/// The most comparisons before a loop.
const MAX_TESTS: usize = 32;

/// The nest with its loops versioned, outermost loops first: what cannot be decided before a loop may be before one
/// inside it. The top loop is never versioned, since it has to stay the only top statement.
pub fn version_loops(nest: &Nest, info: &LaunchInfo) -> Option<Rewritten> {
    let mut todo = vec![];
    for block in nest.top.blocks() {
        find(nest, info, block, &mut todo);
    }
    if todo.is_empty() {
        return None;
    }
    let nonempty = info.assumed.nonempty;
    let runs = |id: LoopId| nonempty.contains(id);
    let (mut out, mut made) = (nest.clone(), vec![]);
    for (l, ends) in todo {
        let b = Builder {
            span: nest.loops.get(l.id)?.span,
        };
        let (before, cond) = ends.condition(&mut out, b)?;
        let (mut copy, mut slow) = (Copy::default(), l.clone());
        copy.declare(&mut out, &slow, &mut |of| made.push((of, runs(of))))?;
        copy.rename(&mut out, &mut slow);
        with_for_mut(&mut out, l.id, &mut |l| {
            l.body.iter_mut().for_each(|s| clear(s, &ends.accesses));
        });
        splice_for(std::slice::from_mut(&mut out.top), l.id, &mut |fast| {
            let either = b.either(cond.clone(), fast, b.repeat(slow.clone()));
            before.iter().cloned().chain([either]).collect()
        });
    }
    compact(&mut out);
    Some(Rewritten::of("loop versioning", out, nonempty, &made))
}

/// Adds the loops below a block that are worth versioning, with the tests before each.
fn find<'a>(nest: &Nest, info: &LaunchInfo, block: &'a [Stmt], out: &mut Vec<(&'a For, Ends<'a>)>) {
    for s in block {
        let ends = match &s.kind {
            StmtKind::For(l) => worth(nest, info, l).map(|ends| (l, ends)),
            _ => None,
        };
        match ends {
            Some(found) => out.push(found),
            None => {
                for inner in s.blocks() {
                    find(nest, info, inner, out);
                }
            }
        }
    }
}

/// The tests before a loop if they decide all of its subscripts, or, for an innermost loop, some.
fn worth<'a>(nest: &Nest, info: &LaunchInfo, l: &'a For) -> Option<Ends<'a>> {
    let (mut size, mut inner, mut able) = (0, false, true);
    for s in &l.body {
        s.walk(&mut |s| {
            size += 1;
            inner |= matches!(s.kind, StmtKind::For(_) | StmtKind::While(_));
            able &= !matches!(s.kind, StmtKind::Rebind(_) | StmtKind::Scope { .. });
        });
    }
    let trips = info.trips.get(l.id.index()).copied().flatten();
    let short = !inner && !info.eager && trips.is_some_and(|t| t < MIN_TRIPS);
    if !able || size > MAX_SIZE || short {
        return None;
    }
    let mut ends = Ends {
        varying: assigned(&l.body),
        ..Ends::default()
    };
    let all = ends.block(nest, &l.body, &mut vec![l]);
    let some = !ends.tests.is_empty() && ends.tests.len() <= MAX_TESTS;
    (some && (all || !inner)).then_some(ends)
}

/// Clears the guards of these accesses.
fn clear(s: &mut Stmt, accesses: &HashSet<AccessId>) {
    fn expr(e: &mut Expr, accesses: &HashSet<AccessId>) {
        if let ExprKind::Load { access, guard, .. } = &mut e.kind {
            *guard &= !accesses.contains(access);
        }
        e.children_mut().into_iter().for_each(|c| expr(c, accesses));
    }
    if let StmtKind::Store { access, guard, .. } = &mut s.kind {
        *guard &= !accesses.contains(access);
    }
    s.exprs_mut().into_iter().for_each(|e| expr(e, accesses));
    for block in s.blocks_mut() {
        block.iter_mut().for_each(|s| clear(s, accesses));
    }
}

/// A test before a loop. A form's counters are those of the loop and the loops inside it; a variable has the value that
/// it has there; a definition stands for the last value of the counter of the loop with that number.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Test {
    /// The form is not negative.
    Natural(Affine),
    /// The form is less than the extent of an axis.
    Below(Affine, ArrayId, u32),
}

/// The tests before a loop.
#[derive(Default)]
struct Ends<'a> {
    /// The variables that the loop assigns.
    varying: Vec<VarId>,
    /// The accesses whose guards the tests make unnecessary.
    accesses: HashSet<AccessId>,
    tests: BTreeSet<Test>,
    /// The loops whose counters' last values take a division to compute.
    strided: BTreeMap<LoopId, &'a For>,
}

impl<'a> Ends<'a> {
    /// Adds the guarded accesses of a block inside the loops `around`. Returns whether all of them could be added.
    fn block(&mut self, nest: &Nest, block: &'a [Stmt], around: &mut Vec<&'a For>) -> bool {
        let mut all = true;
        for s in block {
            if let StmtKind::Store {
                access,
                array,
                index,
                guard: true,
                ..
            } = &s.kind
            {
                all &= self.access(nest, *access, (*array, index), around);
            }
            for e in s.exprs() {
                e.walk(&mut |e| {
                    if let ExprKind::Load {
                        access,
                        array,
                        index,
                        guard: true,
                    } = &e.kind
                    {
                        all &= self.access(nest, *access, (*array, index), around);
                    }
                });
            }
            let depth = around.len();
            if let StmtKind::For(l) = &s.kind {
                around.push(l);
            }
            for inner in s.blocks() {
                all &= self.block(nest, inner, around);
            }
            around.truncate(depth);
        }
        all
    }

    fn access(
        &mut self,
        nest: &Nest,
        access: AccessId,
        (array, index): (ArrayId, &[Expr]),
        around: &[&'a For],
    ) -> bool {
        // How much of a list that grows is there is told by a variable.
        let fixed = nest.arrays.get(array).map(|a| a.kind) != Some(ArrayKind::Appended);
        let tests = (0..)
            .zip(index)
            .map(|(axis, e)| self.tests_of((array, axis), e, around));
        let Some(tests) = tests.collect::<Option<Vec<_>>>().filter(|_| fixed) else {
            return false;
        };
        self.accesses.insert(access);
        for (tests, strided) in tests {
            self.tests.extend(tests);
            self.strided.extend(strided.into_iter().map(|l| (l.id, l)));
        }
        true
    }

    /// The tests for one subscript, and the loops whose last values they mention.
    #[allow(clippy::type_complexity)]
    fn tests_of(
        &self,
        (array, axis): (ArrayId, u32),
        index: &Expr,
        around: &[&'a For],
    ) -> Option<(Vec<Test>, Vec<&'a For>)> {
        let index = self.form(index, around)?;
        let (mut least, mut most, mut strided) = (vec![index.clone()], vec![index], vec![]);
        // Bounds may follow the counters of the loops around, which are next.
        for (k, l) in around.iter().enumerate().rev() {
            let ix = Ix::Counter(l.id);
            if !least.iter().chain(&most).any(|e| e.mentions(ix)) {
                continue;
            }
            let first = self.form(&l.start, &around[..k])?;
            let up = l.step.as_int().map(|s| s > 0);
            let last = match l.step.as_int() {
                Some(one @ (1 | -1)) => self.form(&l.stop, &around[..k])?.add_const(-one)?,
                _ => {
                    for e in [&l.start, &l.stop, &l.step] {
                        self.form(e, &[])?;
                    }
                    strided.push(*l);
                    Affine::sym(last_of(l.id))
                }
            };
            least = at_end(least, ix, (&first, &last), up)?;
            most = at_end(most, ix, (&last, &first), up)?;
        }
        let fits = least.iter().chain(&most).all(|e| size(e).is_some());
        let natural = |e: &Affine| e.as_constant().is_none_or(|c| c < 0);
        let low = least.into_iter().filter(natural).map(Test::Natural);
        let high = most.into_iter().map(|e| Test::Below(e, array, axis));
        fits.then(|| (low.chain(high).collect(), strided))
    }

    /// The form of an int expression in the counters of `around` and in what the loop does not change.
    fn form(&self, e: &Expr, around: &[&For]) -> Option<Affine> {
        if !e.ty.repr.is_signed() {
            return None;
        }
        match &e.kind {
            ExprKind::Const(_) => e.as_int().map(Affine::constant),
            ExprKind::Var(v) => match around.iter().find(|l| l.counter == *v) {
                Some(l) => Some(Affine::ix(Ix::Counter(l.id))),
                None => {
                    let fixed = !self.varying.contains(v) && e.ty.repr.bits() <= 64;
                    fixed.then(|| Affine::sym(Sym::Var(*v)))
                }
            },
            ExprKind::Dim(array, axis) => Some(Affine::sym(Sym::Dim(*array, *axis))),
            ExprKind::Binary { op, a, b, .. } => {
                let (a, b) = (self.form(a, around)?, self.form(b, around)?);
                match op {
                    BinOp::Add => a.add(&b),
                    BinOp::Sub => a.sub(&b),
                    BinOp::Mul => a.mul(&b),
                    _ => None,
                }
            }
            ExprKind::Cast {
                kind: Cast::Value,
                a,
                ..
            } => self.form(a, around),
            _ => None,
        }
    }

    /// The assignments before the loop, and the condition on which it needs no guards.
    fn condition(&self, nest: &mut Nest, b: Builder) -> Option<(Vec<Stmt>, Expr)> {
        let mut before = vec![];
        let mut lasts = BTreeMap::new();
        for l in self.strided.values() {
            let form = |e: &Expr| value(nest, b, &self.form(e, &[])?, &BTreeMap::new());
            let last = last_value(b, form(&l.start)?, form(&l.stop)?, form(&l.step)?);
            let home = hidden_of(nest, Ty::PY_WIDE);
            before.push(b.set(home, last));
            lasts.insert(last_of(l.id), home);
        }
        let mut cond: Option<Expr> = None;
        for test in &self.tests {
            let holds = match test {
                Test::Natural(e) => b.compare(CmpOp::Ge, value(nest, b, e, &lasts)?, b.number(0)),
                Test::Below(e, array, axis) => {
                    let extent = b.symbol(nest, Sym::Dim(*array, *axis))?;
                    b.compare(CmpOp::Lt, value(nest, b, e, &lasts)?, extent)
                }
            };
            cond = Some(match cond {
                Some(cond) => b.both(cond, holds),
                None => holds,
            });
        }
        Some((before, cond?))
    }
}

/// The symbol that stands for the last value of a loop's counter.
fn last_of(id: LoopId) -> Sym {
    Sym::Def(DefId(id.index() as u32))
}

/// The forms with a counter replaced by the end of its range at which each form is least: `near` for a form that grows
/// with the counter's way, else `far`, and both if that is not known.
fn at_end(
    forms: Vec<Affine>,
    ix: Ix,
    (near, far): (&Affine, &Affine),
    up: Option<bool>,
) -> Option<Vec<Affine>> {
    let mut out = vec![];
    for e in forms {
        if !e.mentions(ix) {
            out.push(e);
            continue;
        }
        let grows = up.zip(e.const_coef(ix)).map(|(up, c)| up == (c > 0));
        if grows != Some(false) {
            out.push(e.subst(ix, near)?);
        }
        if grows != Some(true) {
            out.push(e.subst(ix, far)?);
        }
    }
    Some(out)
}

/// The largest absolute value that a form may have; `None` if it or a part of it may not fit 128 bits.
fn size(e: &Affine) -> Option<u128> {
    let mut sum = 0u128;
    for t in e.terms() {
        let bits: u32 = t
            .syms
            .iter()
            .map(|s| if matches!(s, Sym::Def(_)) { 66 } else { 63 })
            .sum();
        let factor = 1u128.checked_shl(bits).filter(|_| bits < 127)?;
        sum = sum.checked_add(t.coef.unsigned_abs().checked_mul(factor)?)?;
    }
    Some(sum).filter(|s| *s < 1 << 127)
}

/// The value of a form without counters, in 128 bits; `lasts` has the variables with last values of counters.
fn value(nest: &Nest, b: Builder, e: &Affine, lasts: &BTreeMap<Sym, VarId>) -> Option<Expr> {
    let mut sum: Option<Expr> = None;
    for t in e.terms() {
        let mut product: Option<Expr> = None;
        for s in &t.syms {
            let factor = match lasts.get(s) {
                Some(home) => b.value(*home, Ty::PY_WIDE),
                None => b.symbol(nest, *s)?,
            };
            product = Some(match product {
                Some(p) => b.op(BinOp::Mul, p, factor),
                None => factor,
            });
        }
        let term = match product {
            Some(p) => b.times(p, t.coef),
            None => b.number(t.coef),
        };
        sum = Some(match sum {
            Some(sum) => b.add(sum, term),
            None => term,
        });
    }
    Some(sum.unwrap_or_else(|| b.number(0)))
}

/// The last value `start + (stop -+ 1 - start) // step * step` of a counter. A step of 0 counts as 1: a guard fails
/// where such a loop begins.
fn last_value(b: Builder, start: Expr, stop: Expr, step: Expr) -> Expr {
    let is = |op: CmpOp| b.compare(op, step.clone(), b.number(0));
    let one = b.choose(is(CmpOp::Lt), b.number(-1), b.number(1));
    let by = b.choose(is(CmpOp::Eq), b.number(1), step.clone());
    let count = b.op(
        BinOp::FloorDiv,
        b.sub(b.sub(stop, one), start.clone()),
        by.clone(),
    );
    b.add(start, b.op(BinOp::Mul, count, by))
}
