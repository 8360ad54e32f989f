//! Loops that are one call of NumPy's: a body of nothing but `acc = fun(acc, elements)`.

use std::ffi::CString;

use nestwise_ir::{ArrayId, Expr, ExprKind, For, Fun, Stmt, StmtKind, VarId};

use super::loops::Range;
use super::{Func, Val};
use crate::error::{CodegenError, Result, unsupported};
use crate::folds;
use crate::llvm::{IntPred, V, Wrap};

/// `acc = fun(acc, elements)`.
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

impl Func<'_, '_> {
    /// Emits the loop as calls, if it is one of those.
    pub(crate) fn folded(&mut self, l: &For, range: Range) -> Result<bool> {
        let Some(folds) = folds(l) else {
            return Ok(false);
        };
        if self.lanes.is_some() {
            return unsupported("a sum of NumPy's in vectors");
        }
        for fold in folds {
            self.fold_call(l, range, &fold)?;
        }
        Ok(true)
    }

    fn fold_call(&mut self, l: &For, range: Range, fold: &Fold) -> Result<()> {
        let repr = self.repr(fold.acc)?;
        if !folds::is_registered(fold.fun, repr) {
            return Err(CodegenError::Unregistered(fold.fun, repr));
        }
        let ir = self.ir();
        let n = ir.sub(range.hi, range.lo, Wrap::Signed);
        let some = ir.icmp(IntPred::LLVMIntSGT, n, ir.const_i64(0));
        let n = ir.select(some, n, ir.const_i64(0));
        let (fty, suffix) = self.float_type(repr);
        let before = self.read(fold.acc)?;
        let mut args = vec![before.a];
        for (array, index) in &fold.elements {
            let first = self.address(l, range, range.lo, *array, index)?;
            let ir = self.ir();
            let next = ir.add(range.lo, ir.const_i64(1), Wrap::Signed);
            let second = self.address(l, range, next, *array, index)?;
            let ir = self.ir();
            let stride = ir.sub(ir.address(second), ir.address(first), Wrap::Any);
            args.extend([first, stride]);
        }
        args.push(n);
        let name = match fold.fun {
            Fun::AddNext => "sum",
            Fun::DotNext => "dot",
            _ => "matmul",
        };
        let symbol = CString::new(format!("nw_{name}_{suffix}")).unwrap_or_default();
        let value = self.u.reading_call(&symbol, fty, &args);
        self.write(fold.acc, Val::one(value))
    }

    /// The address of an element in the iteration number `k`.
    fn address(
        &mut self,
        l: &For,
        range: Range,
        k: V,
        array: ArrayId,
        index: &[Expr],
    ) -> Result<V> {
        let ir = self.ir();
        let distance = ir.mul(k, range.step, Wrap::Signed);
        let counter = ir.add(range.start, distance, Wrap::Signed);
        self.fixed.insert(l.counter, Val::one(counter));
        let at = self.indices(index);
        self.fixed.remove(&l.counter);
        Ok(self.place(array, &at?)?.at)
    }
}
