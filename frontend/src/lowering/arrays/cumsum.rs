//! `np.cumsum(x)` of an array of one axis: NumPy adds one element after the other.

use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{Scalar, Span, Work};

use crate::lowering::arrays::elementwise::{Elementwise, kind_ty, unsupported};
use crate::lowering::lower::Lower;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::{Sv, Val};
use crate::lowering::{R, build};

impl Lower<'_> {
    /// The sums so far, in memory of the nest's own. The first of them is the first element, whatever its sign.
    pub fn accumulated(&mut self, mut args: Vec<Val>, span: Span) -> R<Val> {
        let wrong = || unsupported("this form of numpy.cumsum", span);
        let (Some(x), true) = (args.pop(), args.is_empty()) else {
            return Err(wrong());
        };
        if matches!(&x, Val::Scalar(sv) if sv.is_bottom()) {
            return Ok(Val::Scalar(Sv::bottom(span)));
        }
        if !self.is_numpy_array(&x) {
            return Err(wrong());
        }
        self.tally(Work::ArrayCall, 2.0);
        let tree = self.reduced(x, span)?;
        let Some(kind) = self.element_kind(&tree, span)? else {
            return Ok(Val::Scalar(Sv::bottom(span)));
        };
        let storage = match kind.natural() {
            s @ (Scalar::F64 | Scalar::F32 | Scalar::I64) => s,
            _ => return Err(wrong()),
        };
        if tree.shape.len() != 1 {
            return Err(wrong());
        }
        let kind = Kind::Np(storage);
        let ty = kind_ty(kind);
        let to = self.temporary(tree.like.clone(), &tree.shape, storage, span)?;
        let sum = self.hidden(ty);
        // What changes no element, be it a zero of either sign.
        let nothing = match storage {
            Scalar::I64 => build::integer(0, ty, span),
            _ => build::float(-0.0, ty, span),
        };
        self.emit_let(sum, nothing);
        self.over(&tree.shape, span, |l, counters| {
            l.tally(Work::ArrayElement, 1.0 + tree.node.operations());
            let element = l.element_of(&tree.node, counters, span)?;
            let before = Sv::of(build::var(sum, ty, span), kind);
            let value = l.arith(Op::Add, before, element, span)?;
            if value.is_bottom() {
                return Ok(());
            }
            l.emit_let(sum, value.e);
            let value = Sv::of(build::var(sum, ty, span), kind);
            l.fill_element(&to, false, counters, value, span)
        })?;
        Ok(Val::Array(Box::new(Elementwise::made(to, &self.arrays))))
    }
}
