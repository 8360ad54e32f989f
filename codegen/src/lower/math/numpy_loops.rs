//! Loops that are one call of NumPy's: a body of nothing but `acc = fun(acc, elements)`, and for products with matrices
//! three loops of nothing but that and a store.
//!
//! The analysis knows nothing of such a step but that each needs the one before, and a step that stands anywhere else
//! does not compile. So no rewriting can change the order in which NumPy adds without being found out.

use std::ffi::CString;

use nestwise_ir::{ArrayId, Expr, ExprKind, For, Fun, Scalar, Span, Stmt, StmtKind, VarId};

use crate::error::{CodegenError, Result, unsupported};
use crate::link::numpy::folds;
use crate::llvm::{IntPred, Ir, V, Wrap};
use crate::lower::control::ranges;
use crate::lower::control::ranges::Range;
use crate::lower::emitter::Emitter;
use crate::lower::math::libm;
use crate::lower::memory::places;
use crate::lower::unit::Unit;
use crate::lower::value::Val;

/// A loop body of nothing but `acc = fun(acc, elements)`.
struct Fold<'a> {
    acc: VarId,
    fun: Fun,
    elements: Vec<(ArrayId, &'a [Expr])>,
}

/// What a loop folds, if it does nothing else.
fn folds(l: &For) -> Option<Vec<Fold<'_>>> {
    let all: Option<Vec<Fold<'_>>> = l.body.iter().map(Fold::of).collect();
    all.filter(|all| !all.is_empty())
}

impl<'a> Fold<'a> {
    fn of(s: &'a Stmt) -> Option<Fold<'a>> {
        let StmtKind::Let { var, value } = &s.kind else {
            return None;
        };
        let ExprKind::Call { fun, args, .. } = &value.kind else {
            return None;
        };
        let (acc, rest) = args.split_first()?;
        let own = matches!(acc.kind, ExprKind::Var(v) if v == *var);
        (fun.is_fold() && own).then_some(())?;
        let mut elements = Vec::with_capacity(rest.len());
        for e in rest {
            match &e.kind {
                ExprKind::Load {
                    array,
                    index,
                    guard: false,
                    ..
                } => elements.push((*array, index.as_slice())),
                _ => return None,
            }
        }
        Some(Fold {
            acc: *var,
            fun: *fun,
            elements,
        })
    }
}

/// The loops inside of one over the first axis, and what all of them fold together.
fn flat(l: &For) -> Option<(Vec<&For>, Fold<'_>)> {
    let mut inner = vec![];
    let mut body = l.body.as_slice();
    loop {
        let [only] = body else { return None };
        match &only.kind {
            StmtKind::For(next) => {
                inner.push(next);
                body = &next.body;
            }
            _ => {
                let fold = Fold::of(only).filter(|fold| fold.fun.is_flat())?;
                return (!inner.is_empty()).then_some((inner, fold));
            }
        }
    }
}

/// Three loops over `i`, `j` and `k`: `acc = fun(acc, x[i, k], y[k, j])`, and after each `k` `z[i, j] = acc`.
struct Product<'a> {
    columns: &'a For,
    summed: &'a For,
    fold: Fold<'a>,
    to: (ArrayId, &'a [Expr]),
}

impl<'a> Product<'a> {
    /// The product that a loop over rows computes, if it does nothing else.
    fn of(rows: &'a For) -> Option<Product<'a>> {
        let [columns] = rows.body.as_slice() else {
            return None;
        };
        let StmtKind::For(columns) = &columns.kind else {
            return None;
        };
        let [summed, store] = columns.body.as_slice() else {
            return None;
        };
        let StmtKind::For(summed) = &summed.kind else {
            return None;
        };
        let [step] = summed.body.as_slice() else {
            return None;
        };
        let fold = Fold::of(step).filter(|fold| fold.fun.is_of_matrices())?;
        let StmtKind::Store {
            array,
            index,
            value,
            guard: false,
            ..
        } = &store.kind
        else {
            return None;
        };
        let all = matches!(value.kind, ExprKind::Var(v) if v == fold.acc);
        all.then_some(Product {
            columns,
            summed,
            fold,
            to: (*array, index),
        })
    }
}

/// Emits the loop as calls, if it is a fold or a product; returns whether it is.
pub(crate) fn folded(em: &mut Emitter<'_, '_>, l: &For, range: Range) -> Result<bool> {
    if let Some(product) = Product::of(l) {
        return product_call(em, l, range, &product).map(|()| true);
    }
    if let Some((inner, fold)) = flat(l) {
        let mut loops = vec![(l, range)];
        for inner in inner {
            loops.push((inner, ranges::range(em, inner, Span::default())?));
        }
        return flat_call(em, &loops, &fold).map(|()| true);
    }
    let Some(folds) = folds(l) else {
        return Ok(false);
    };
    // A step of what several loops compute together means nothing alone.
    let several = |fold: &Fold| fold.fun.is_of_matrices() || fold.fun.is_flat();
    if em.lanes.open.is_some() || folds.iter().any(several) {
        return unsupported("a part of a sum or a product of NumPy's");
    }
    for fold in folds {
        fold_call(em, l, range, &fold)?;
    }
    Ok(true)
}

/// The type that is folded; an error if NumPy's loop for it is not registered.
fn registered(unit: &Unit<'_>, fold: &Fold) -> Result<Scalar> {
    let repr = unit.repr(fold.acc)?;
    match folds::is_registered(fold.fun, repr) {
        true => Ok(repr),
        false => Err(CodegenError::Unregistered(fold.fun, repr)),
    }
}

fn fold_call(em: &mut Emitter<'_, '_>, l: &For, range: Range, fold: &Fold) -> Result<()> {
    let repr = registered(em.unit, fold)?;
    let n = trips_of(em.ir, range);
    let (fty, suffix) = libm::float_type(em.ir, repr);
    let before = em.vars.read(&em.lanes, fold.acc)?;
    let mut args = vec![before.a];
    for element in &fold.elements {
        let (first, steps) = lies(em, &[(l, range)], *element)?;
        args.push(first);
        args.extend(steps);
    }
    args.push(n);
    let name = match fold.fun {
        Fun::AddNext => "sum",
        Fun::DotNext => "dot",
        _ => "matmul",
    };
    let symbol = CString::new(format!("nw_{name}_{suffix}")).unwrap_or_default();
    let value = em.unit.reading_call(&symbol, fty, &args);
    em.vars.write(&em.lanes, fold.acc, Val::one(value))
}

fn product_call(
    em: &mut Emitter<'_, '_>,
    rows: &For,
    range: Range,
    product: &Product,
) -> Result<()> {
    if em.lanes.open.is_some() {
        return unsupported("a product of NumPy's in vectors");
    }
    let fold = &product.fold;
    let repr = registered(em.unit, fold)?;
    let [x, y] = fold.elements.as_slice() else {
        return unsupported("a product of other than two");
    };
    let rows = (rows, range);
    let columns = (
        product.columns,
        ranges::range(em, product.columns, Span::default())?,
    );
    let summed = (
        product.summed,
        ranges::range(em, product.summed, Span::default())?,
    );
    let mut words = Vec::with_capacity(12);
    for (loops, element) in [
        ([rows, summed], *x),
        ([summed, columns], *y),
        ([rows, columns], product.to),
    ] {
        let (first, steps) = lies(em, &loops, element)?;
        words.push(em.ir.address(first));
        words.extend(steps);
    }
    words.extend([rows, summed, columns].map(|(_, range)| trips_of(em.ir, range)));
    let operands = in_a_row(em.ir, words);
    let name = match fold.fun {
        Fun::DotEachNext => "dot",
        _ => "matmul",
    };
    let (_, suffix) = libm::float_type(em.ir, repr);
    let symbol = CString::new(format!("nw_{name}_each_{suffix}")).unwrap_or_default();
    em.unit.writing_call(&symbol, em.ir.void(), &[operands]);
    Ok(())
}

/// Emits loops around a fold of arrays that NumPy takes for arrays of one axis.
fn flat_call(em: &mut Emitter<'_, '_>, loops: &[(&For, Range)], fold: &Fold) -> Result<()> {
    let repr = registered(em.unit, fold)?;
    let mut words: Vec<V> = loops
        .iter()
        .map(|(_, range)| trips_of(em.ir, *range))
        .collect();
    for element in &fold.elements {
        let (first, steps) = lies(em, loops, *element)?;
        words.push(em.ir.address(first));
        words.extend(steps);
    }
    let axes = em.ir.const_i64(loops.len() as i64);
    let operands = in_a_row(em.ir, words);
    let (fty, suffix) = libm::float_type(em.ir, repr);
    let before = em.vars.read(&em.lanes, fold.acc)?;
    let name = match fold.fun {
        Fun::AddFlatNext => "sum",
        _ => "dot",
    };
    let symbol = CString::new(format!("nw_{name}_flat_{suffix}")).unwrap_or_default();
    let args = [before.a, axes, operands];
    let value = em.unit.writing_call(&symbol, fty, &args);
    em.vars.write(&em.lanes, fold.acc, Val::one(value))
}

/// Memory in which words lie one behind the other.
fn in_a_row(ir: &Ir<'_>, words: Vec<V>) -> V {
    let row = ir.alloca(ir.array(ir.i64(), words.len() as u64));
    for (k, word) in words.into_iter().enumerate() {
        ir.store(word, ir.offset_const(row, k * size_of::<i64>()));
    }
    row
}

fn trips_of(ir: &Ir<'_>, range: Range) -> V {
    let n = ir.sub(range.hi, range.lo, Wrap::Signed);
    let some = ir.icmp(IntPred::LLVMIntSGT, n, ir.const_i64(0));
    ir.select(some, n, ir.const_i64(0))
}

/// The address of an element in the first iterations of loops, and the distance in bytes from there to the element in
/// the second iteration of each loop.
fn lies(
    em: &mut Emitter<'_, '_>,
    loops: &[(&For, Range)],
    element: (ArrayId, &[Expr]),
) -> Result<(V, Vec<V>)> {
    let first = address(em, loops, None, element)?;
    let mut steps = Vec::with_capacity(loops.len());
    for k in 0..loops.len() {
        let next = address(em, loops, Some(k), element)?;
        let ir = em.ir;
        steps.push(ir.sub(ir.address(next), ir.address(first), Wrap::Any));
    }
    Ok((first, steps))
}

/// The address of an element in the first iterations of loops, but in the second one of the `next` loop.
fn address(
    em: &mut Emitter<'_, '_>,
    loops: &[(&For, Range)],
    next: Option<usize>,
    (array, index): (ArrayId, &[Expr]),
) -> Result<V> {
    for (k, (l, range)) in loops.iter().enumerate() {
        let ir = em.ir;
        let trip = match next == Some(k) {
            true => ir.add(range.lo, ir.const_i64(1), Wrap::Signed),
            false => range.lo,
        };
        let distance = ir.mul(trip, range.step, Wrap::Signed);
        let counter = ir.add(range.start, distance, Wrap::Signed);
        em.vars.fixed.insert(l.counter, Val::one(counter));
    }
    let at = places::indices(em, index);
    for (l, _) in loops {
        em.vars.fixed.remove(&l.counter);
    }
    Ok(places::place(em, array, &at?)?.at)
}
