//! Arrays that the iterations of a loop do nothing but accumulate into: histograms, scattered sums and extremes.
//!
//! Every access of such an array in the loop is the load or the store of an update `a[e] = a[e] op x`, with one
//! operation throughout and an `x` that does not read the array. Iterations may then run in any order, each part of
//! them on an array of its own that starts from the operation's identity, merged element by element afterwards (as in
//! Rauchwerger and Padua, "The LRPD test", 1995). Which elements are updated does not matter, so subscripts may be
//! anything.

use nestwise_ir::model::nest::{ExprKind, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{ArrayId, ArrayKind, FpMode, Scalar};

use crate::parallelism::updates::{Accumulator, Place, Way};

/// The operation with which a loop's body accumulates into elements of `array`; `None` if it does anything else with
/// them.
pub fn array_reduction(nest: &Nest, body: &[Stmt], array: ArrayId, fp: FpMode) -> Option<RedOp> {
    let decl = nest.arrays.get(array)?;
    // Other kinds raise where a value does not fit, and a part's sum may fit where the whole sum does not on its way.
    if !matches!(decl.kind, ArrayKind::Ndarray | ArrayKind::List) {
        return None;
    }
    let mut found = Found {
        nest,
        array,
        fp,
        op: None,
        way: None,
        reads: 0,
        ok: true,
    };
    body.iter().for_each(|s| found.stmt(s));
    let op = found
        .op
        .filter(|_| found.ok && found.reads == loads(body, array))?;
    // The order of floats' minima shows in NaNs and zeros.
    let repr = decl.elem.repr;
    let mergeable = match op {
        RedOp::Min | RedOp::Max => repr.is_int(),
        _ => repr.is_int() || repr == Scalar::Bool || repr.is_float(),
    };
    mergeable.then_some(op)
}

/// The number of loads of an array in a block.
fn loads(block: &[Stmt], array: ArrayId) -> usize {
    let mut n = 0;
    let mut count = |s: &Stmt| {
        for e in s.exprs() {
            e.walk(&mut |e| {
                n += usize::from(matches!(e.kind, ExprKind::Load { array: a, .. } if a == array));
            });
        }
    };
    block.iter().for_each(|s| s.walk(&mut |s| count(s)));
    n
}

struct Found<'a> {
    nest: &'a Nest,
    array: ArrayId,
    fp: FpMode,
    op: Option<RedOp>,
    way: Option<Way>,
    /// The number of loads that belong to an update of the element they read.
    reads: usize,
    ok: bool,
}

impl Found<'_> {
    fn update(&mut self, op: Option<RedOp>, reads: usize) {
        self.ok &= op.is_some() && self.op.is_none_or(|old| Some(old) == op);
        self.op = self.op.or(op);
        self.reads += reads;
    }

    /// The recogniser of updates of the element that a store is to, and the stored value, if the store is to the array.
    fn updates<'s>(&self, s: &'s Stmt) -> Option<(Accumulator<'s>, &'s nestwise_ir::Expr)> {
        let StmtKind::Store {
            array,
            index,
            value,
            ..
        } = &s.kind
        else {
            return None;
        };
        let ty = self
            .nest
            .arrays
            .get(*array)
            .filter(|_| *array == self.array)?
            .elem;
        let place = Place::Element(*array, index);
        let fp = self.fp;
        Some((Accumulator { place, ty, fp }, value))
    }

    fn stmt(&mut self, s: &Stmt) {
        if let Some((updates, value)) = self.updates(s) {
            self.update(updates.combining(value), updates.reads(value));
            self.ok &= updates.one_way(value, &mut self.way);
            return;
        }
        // `if x < a[e]: a[e] = x`
        if let StmtKind::If { cond, then, orelse } = &s.kind
            && orelse.is_empty()
            && let [only] = then.as_slice()
            && let Some((updates, value)) = self.updates(only)
            && let Some(op) = updates.replacing(cond, value)
        {
            self.update(Some(op), updates.reads(cond));
            return;
        }
        for block in s.blocks() {
            block.iter().for_each(|s| self.stmt(s));
        }
    }
}
