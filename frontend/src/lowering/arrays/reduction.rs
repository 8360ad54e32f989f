//! Reductions of arrays as NumPy makes them: `np.sum`, `np.max`, ..., as functions and methods.
//!
//! NumPy adds floats pairwise, in an order of its own: a loop whose body is nothing but [`Fun::AddNext`] is one call of the very
//! same code. It reads elements, so what is computed from arrays is put into memory of the nest's own first, as NumPy does.

use nestwise_ir::model::nest::{CmpOp, Const, Expr, StmtKind};
use nestwise_ir::surface::CmpOp as Cmp;
use nestwise_ir::{ArrayKind, BinOp, Fun, Lib, Precondition, Scalar, Span, Ty, VarId, Work};

use crate::builtins::{ArrayFn, Known, NumpyFn};
use crate::lowering::arrays::axis_reduction::Along;
use crate::lowering::arrays::elementwise::{Elementwise, Node, unsupported};
use crate::lowering::arrays::materialise::ELEMENT;
use crate::lowering::arrays::variance::count;
use crate::lowering::arrays::view::{Axis, Section};
use crate::lowering::lower::Lower;
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::{Sv, Val};
use crate::lowering::{R, build, refuse};
use crate::refusal::Refusal;

impl Lower<'_> {
    /// A function of NumPy's that makes one value of arrays, or one for each line along an axis.
    pub fn reduction(
        &mut self,
        f: ArrayFn,
        mut args: Vec<Val>,
        named: Vec<(&str, Val)>,
        span: Span,
    ) -> R<Val> {
        let name = Known::Numpy(NumpyFn::Array(f)).name();
        let wrong = |why: &str| {
            let (name, why) = (name.clone(), why.into());
            refuse(span, Refusal::Arguments { name, why })
        };
        let unknown = |v: &Val| matches!(v, Val::Scalar(sv) if sv.is_bottom());
        if args.iter().any(unknown) {
            return Ok(Val::Scalar(Sv::bottom(span)));
        }
        if matches!(f, ArrayFn::Var | ArrayFn::Std) {
            return self.spread(f, args, named, span);
        }
        let product = matches!(f, ArrayFn::Dot | ArrayFn::MatMul);
        let second = if args.len() > 1 { args.pop() } else { None };
        let Some(first) = args.pop().filter(|_| args.is_empty()) else {
            return Err(wrong("a wrong number of arguments"));
        };
        if !first.is_array() || product && !second.as_ref().is_some_and(Val::is_array) {
            return Err(wrong("it takes arrays"));
        }
        // Calls from Python through NumPy's dispatcher; those of C functions are cheaper.
        self.tally(Work::ArrayCall, if product { 1.0 } else { 5.0 });
        let mut along = Along::default();
        for (key, value) in named {
            along
                .set(key, value)
                .ok_or_else(|| wrong("these keyword arguments are not supported"))?;
        }
        if product {
            let (Some(b), true) = (second, along == Along::default()) else {
                return Err(wrong("this form is not supported"));
            };
            let (a, b) = (self.reduced(first, span)?, self.reduced(b, span)?);
            return self.product(f, a, b, span);
        }
        if let Some(axis) = second {
            along
                .set("axis", axis)
                .ok_or_else(|| wrong("this axis is not supported"))?;
        }
        if f == ArrayFn::Norm && along != Along::default() {
            return Err(wrong("this form is not supported"));
        }
        let a = self.reduced(first, span)?;
        match along.axis_of(a.shape.len()) {
            Some(axis) if a.shape.len() > 1 => self.along(
                f,
                a,
                axis.ok_or_else(|| wrong("there is no such axis"))?,
                along.keep,
                span,
            ),
            Some(Some(_)) | None if !along.keep => {
                self.reduce_all(f, a, &name, span).map(Val::Scalar)
            }
            _ => Err(wrong("this form is not supported")),
        }
    }

    /// One value of all elements.
    pub fn reduce_all(&mut self, f: ArrayFn, a: Elementwise, name: &str, span: Span) -> R<Sv> {
        let one_axis = matches!(f, ArrayFn::Argmax | ArrayFn::Argmin);
        if a.shape.len() != 1 && one_axis {
            let what = format!("{name} of {} axes", a.shape.len());
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        match f {
            ArrayFn::Norm => self.norm(a, span),
            ArrayFn::Sum => self.sum_of(&a, span),
            ArrayFn::Mean => self.mean(&a, span),
            ArrayFn::Max | ArrayFn::Min => self.extreme(f == ArrayFn::Max, &a, span),
            ArrayFn::Any | ArrayFn::All => self.any_or_all(f == ArrayFn::All, &a, span),
            ArrayFn::Argmax | ArrayFn::Argmin => self.where_extreme(f == ArrayFn::Argmax, &a, span),
            _ => Err(unsupported(name, span)),
        }
    }

    /// What a reduction is of.
    pub fn reduced(&mut self, value: Val, span: Span) -> R<Elementwise> {
        let tree = self.operand(value, span)?;
        self.tally(Work::ArrayCall, tree.node.operations());
        // Whatever the type of what is computed.
        self.not_empty_of(&tree.node, Scalar::Bool, &tree.shape, span);
        Ok(tree)
    }

    /// Loops over all elements.
    fn every(
        &mut self,
        tree: &Elementwise,
        span: Span,
        body: impl FnOnce(&mut Self, Sv) -> R<()>,
    ) -> R<()> {
        self.over(&tree.shape, span, |l, counters| {
            l.tally(Work::ArrayElement, 1.0 + tree.node.operations());
            let element = l.element_of(&tree.node, counters, span)?;
            if element.is_bottom() {
                return Ok(());
            }
            body(l, element)
        })
    }

    /// A loop over the elements of one axis from the `first` one on, with each one's value and place.
    fn each_of(
        &mut self,
        tree: &Elementwise,
        first: i64,
        span: Span,
        body: impl FnOnce(&mut Self, Sv, Expr) -> R<()>,
    ) -> R<()> {
        let stop = tree.shape[0].clone();
        self.hidden_loop(ELEMENT, (first, stop), span, |l, counter| {
            l.tally(Work::ArrayElement, 1.0 + tree.node.operations());
            let at = build::var(counter, Ty::PY_INT, span);
            let element = l.element_of(&tree.node, std::slice::from_ref(&at), span)?;
            if element.is_bottom() {
                return Ok(());
            }
            body(l, element, at)
        })
    }

    /// The type of an element; none: it is not known yet.
    pub fn element_kind(&mut self, tree: &Elementwise, span: Span) -> R<Option<Kind>> {
        // Lowered for its type alone.
        let at = vec![Expr::int(0, span); tree.shape.len()];
        let (sv, _) = self.inner(|l| l.element_of(&tree.node, &at, span))?;
        match sv.kinds.single() {
            None if !sv.is_bottom() => {
                let what = format!("an array of elements that are {}", sv.kinds);
                Err(refuse(span, Refusal::Unsupported { what }))
            }
            kind => Ok(kind),
        }
    }

    /// The tree as elements that lie in memory: what is computed is put into memory of the nest's own.
    pub fn in_memory(&mut self, tree: &Elementwise, kind: Kind, span: Span) -> R<Section> {
        let lies = |section: &Section| !section.has_new_axes();
        match &tree.node {
            Node::Part(section) if lies(section) && (!tree.fresh || self.is_own_result(tree)) => {
                Ok(section.clone())
            }
            _ => self.copied(tree, kind, span),
        }
    }

    /// The same as elements that NumPy goes through in one go.
    fn flat(&mut self, tree: &Elementwise, kind: Kind, span: Span) -> R<Section> {
        if tree.shape.len() == 1 {
            return self.in_memory(tree, kind, span);
        }
        let section = match &tree.node {
            Node::Part(section) if tree.whole => {
                self.lies_so_at_first(section);
                return Ok(section.clone());
            }
            Node::Part(section) if !tree.fresh || self.is_own_result(tree) => section.clone(),
            _ => {
                self.goes_by_rows(&tree.node, span)?;
                return self.in_memory(tree, kind, span);
            }
        };
        let what = "a sum of several axes of a part of an array";
        if self.arrays[section.array].kind != ArrayKind::Ndarray {
            // How large the array is of which that is a part is not known here.
            return Err(unsupported(what, span));
        }
        let mut inside = false;
        for (k, axis) in section.axes.iter().enumerate() {
            match axis {
                Axis::At(_) if !inside => {}
                Axis::Range { step: 1, .. } if !inside => inside = true,
                Axis::Range { step: 1, len, .. } => {
                    let all = build::dim(section.array, k, span);
                    self.check_alike(len, &all, span);
                }
                _ => return Err(unsupported(what, span)),
            }
        }
        self.require(Precondition::Contiguous(section.array));
        Ok(section)
    }

    /// An array of the nest's own that is one from outside at first, or that of another name is, lies as its copies do.
    pub fn lies_so_at_first(&mut self, part: &Section) {
        if self.arrays[part.array].starts {
            self.require(Precondition::Contiguous(part.array));
        }
        let Some(owner) = self.owner(part.array) else {
            return;
        };
        let names = self.names(self.webs.local[owner]);
        for (_, capture) in self.starting(&names) {
            if let Some(array) = self.slots.get(&capture) {
                self.require(Precondition::Contiguous(*array));
            }
        }
    }

    /// Memory that [`Lower::in_memory`] took for a tree may be used for something else.
    pub fn let_go(&mut self, tree: &Elementwise, part: &Section) {
        if !matches!(tree.node, Node::Part(_)) {
            self.release(part);
        }
    }

    /// A copy of it in memory of the nest's own.
    pub fn copied(&mut self, tree: &Elementwise, kind: Kind, span: Span) -> R<Section> {
        let to = self.temporary(tree.like.clone(), &tree.shape, kind.natural(), span)?;
        self.store_all(&to, false, &tree.node, tree.node.operations(), span)?;
        Ok(to)
    }

    /// Loops that are one call: `acc = fun(acc, elements)`.
    pub fn folded(&mut self, fun: Fun, parts: &[Section], kind: Kind, span: Span) -> R<Expr> {
        let ty = Ty::np(kind.natural());
        let acc = self.hidden(ty);
        self.emit_let(acc, build::float(0.0, ty, span));
        let shape = parts[0].shape();
        let fun = match (shape.len(), fun) {
            (1, fun) => fun,
            (_, Fun::AddNext) => Fun::AddFlatNext,
            (_, _) => Fun::DotFlatNext,
        };
        self.over(&shape, span, |l, counters| {
            l.tally(Work::ArraySum, 1.0);
            let mut args = vec![build::var(acc, ty, span)];
            for part in parts {
                args.push(l.section_element(part, counters, span).e);
            }
            // It may overflow.
            let value = build::call(fun, Lib::Numpy, args, ty, true, span);
            l.emit(StmtKind::Let { var: acc, value }, span);
            Ok(())
        })?;
        self.stable.push(acc);
        Ok(build::var(acc, ty, span))
    }

    pub fn sum_of(&mut self, a: &Elementwise, span: Span) -> R<Sv> {
        let Some(kind) = self.element_kind(a, span)? else {
            return Ok(Sv::bottom(span));
        };
        match kind.natural() {
            Scalar::F64 | Scalar::F32 => {
                let part = self.flat(a, kind, span)?;
                let sum = self.folded(Fun::AddNext, std::slice::from_ref(&part), kind, span)?;
                self.let_go(a, &part);
                Ok(Sv::of(sum, kind))
            }
            s if s == Scalar::Bool || s.is_int() => self.int_sum(a, None, span),
            _ => Err(no_sum(kind, span)),
        }
    }

    /// The sum of ints, or of the products of two arrays of ints; whatever leaves 64 bits is CPython's.
    pub fn int_sum(&mut self, a: &Elementwise, b: Option<&Node>, span: Span) -> R<Sv> {
        let Some(kind) = self.element_kind(a, span)? else {
            return Ok(Sv::bottom(span));
        };
        let repr = match kind.natural().is_unsigned() {
            true if kind.natural() != Scalar::Bool => Scalar::U64,
            _ => Scalar::I64,
        };
        let ty = Ty::np(repr);
        let sum = self.hidden(ty);
        self.emit_let(sum, build::integer(0, ty, span));
        self.over(&a.shape, span, |l, counters| {
            l.tally(Work::ArrayElement, 1.0 + a.node.operations());
            let element = l.element_of(&a.node, counters, span)?;
            let element = match b {
                None => element,
                Some(b) => {
                    let other = l.element_of(b, counters, span)?;
                    l.arith(nestwise_ir::surface::BinOp::Mul, element, other, span)?
                }
            };
            if element.is_bottom() {
                return Ok(());
            }
            let x = l.in_repr(&element, repr, true);
            let x = x.ok_or_else(|| no_sum(kind, span))?;
            let before = build::var(sum, ty, span);
            let value = build::binary(BinOp::Add, before, build::retype(x, ty), ty, true, span);
            l.emit(StmtKind::Let { var: sum, value }, span);
            Ok(())
        })?;
        self.stable.push(sum);
        let all = intervals::of(repr).unwrap_or(intervals::I64);
        Ok(Sv::of(build::var(sum, ty, span), Kind::Np(repr)).with_range(all))
    }

    pub fn mean(&mut self, a: &Elementwise, span: Span) -> R<Sv> {
        match self.element_kind(a, span)? {
            None => return Ok(Sv::bottom(span)),
            Some(kind) if kind.is_float() => {}
            Some(Kind::Np(Scalar::C64 | Scalar::C128)) => {
                return Err(unsupported("a mean of complex numbers", span));
            }
            Some(_) => return self.int_mean(a, span),
        }
        for len in &a.shape {
            self.check_not_empty(len, span);
        }
        let sum = self.sum_of(a, span)?;
        let len = count(&a.shape, span);
        let len = Sv::of(len, Kind::PyInt).with_range((1, i64::MAX.into()));
        let len = self.spill_sv(len);
        self.divided(sum, len, span)
    }

    /// The mean of ints, which NumPy adds up as floats: in whatever order, that is exact as long as none is so large that sums could
    /// have more than 53 bits; else it is CPython's.
    fn int_mean(&mut self, a: &Elementwise, span: Span) -> R<Sv> {
        for len in &a.shape {
            self.check_not_empty(len, span);
        }
        let int = |op, a, b| build::binary(op, a, b, Ty::PY_INT, false, span);
        let len = Sv::of(count(&a.shape, span), Kind::PyInt).with_range((1, i64::MAX.into()));
        let len = self.spill_sv(len);
        let most = int(BinOp::FloorDiv, Expr::int(1 << 53, span), len.e.clone());
        let most = self.spill(most);
        let sum = self.hidden(Ty::PY_INT);
        self.emit_let(sum, Expr::int(0, span));
        self.over(&a.shape, span, |l, counters| {
            l.tally(Work::ArrayElement, 1.0 + a.node.operations());
            let element = l.element_of(&a.node, counters, span)?;
            if element.is_bottom() {
                return Ok(());
            }
            let kind = element.kinds.single();
            let x = l.in_repr(&element, Scalar::I64, true);
            let x = x.ok_or_else(|| no_sum(kind.unwrap_or(Kind::PyInt), span))?;
            let x = l.spill(build::retype(x, Ty::PY_INT));
            let least = int(BinOp::Sub, Expr::int(0, span), most.clone());
            for (low, high) in [(&least, &x), (&x, &most)] {
                let fits = build::compare(CmpOp::Le, low.clone(), high.clone(), Ty::PY_BOOL, span);
                l.emit_check(fits);
            }
            let before = build::var(sum, Ty::PY_INT, span);
            let value = int(BinOp::Add, before, x);
            l.emit(StmtKind::Let { var: sum, value }, span);
            Ok(())
        })?;
        self.stable.push(sum);
        let sum = Sv::of(build::var(sum, Ty::PY_INT, span), Kind::PyInt);
        let sum = sum.with_range((-(1 << 53), 1 << 53));
        let sum = self.numpy_type(Scalar::F64, vec![sum], span)?;
        self.divided(sum, len, span)
    }

    /// A sum by the number of its terms: one of float32 is divided as a float64, and rounded.
    pub fn divided(&mut self, sum: Sv, len: Sv, span: Span) -> R<Sv> {
        let narrow = sum.kinds.single() == Some(Kind::Np(Scalar::F32));
        let sum = match narrow {
            true => self.numpy_type(Scalar::F64, vec![sum], span)?,
            false => sum,
        };
        let mean = self.arith(nestwise_ir::surface::BinOp::Div, sum, len, span)?;
        match narrow {
            true => self.numpy_type(Scalar::F32, vec![mean], span),
            false => Ok(mean),
        }
    }

    /// The Euclidean norm, as `numpy.linalg.norm` makes it of a vector of floats.
    fn norm(&mut self, a: Elementwise, span: Span) -> R<Sv> {
        match self.element_kind(&a, span)? {
            None => return Ok(Sv::bottom(span)),
            Some(Kind::Np(Scalar::F64)) => {}
            Some(kind) => return Err(no_sum(kind, span)),
        }
        // It is flattened first, which copies what does not lie together, and multiplied with itself.
        if a.shape.len() > 1 {
            self.goes_by_rows(&a.node, span)?;
        }
        let part = self.copied(&a, Kind::Np(Scalar::F64), span)?;
        let parts = [part.clone(), part.clone()];
        let kind = Kind::Np(Scalar::F64);
        let square = self.folded(Fun::DotNext, &parts, kind, span)?;
        self.release(&part);
        self.numpy(NumpyFn::Unary(Fun::Sqrt), vec![Sv::of(square, kind)], span)
    }

    /// The first element, in a variable.
    fn head(&mut self, a: &Elementwise, span: Span) -> R<Option<(VarId, Sv)>> {
        for len in &a.shape {
            self.check_not_empty(len, span);
        }
        let first = vec![Expr::int(0, span); a.shape.len()];
        let first = self.element_of(&a.node, &first, span)?;
        if first.is_bottom() {
            return Ok(None);
        }
        let first = self.commit(first);
        let var = self.hidden(first.e.ty);
        let (kinds, range) = (first.kinds, first.range);
        self.emit_let(var, first.e);
        let best = build::var(var, self.vars[var].ty, span);
        Ok(Some((var, Sv::new(best, kinds).with_range(range))))
    }

    /// The least or greatest element. Which NaN and which zero it is, NumPy's vectors decide: those are CPython's.
    fn extreme(&mut self, greatest: bool, a: &Elementwise, span: Span) -> R<Sv> {
        let Some((var, best)) = self.head(a, span)? else {
            return Ok(Sv::bottom(span));
        };
        let repr = best.repr();
        if !repr.is_int() && !repr.is_float() {
            return Err(no_order(best.kinds, span));
        }
        let op = if greatest { BinOp::Max } else { BinOp::Min };
        let ty = best.e.ty;
        self.every(a, span, |l, element| {
            let element = l.commit(element);
            let before = build::var(var, ty, span);
            let value = build::binary(op, before, element.e, ty, false, span);
            l.emit(StmtKind::Let { var, value }, span);
            Ok(())
        })?;
        if repr.is_float() {
            let zero = self.literal(&best, 0, span);
            let (up, down) = (CmpOp::Gt, CmpOp::Lt);
            let is = |op| build::compare(op, best.e.clone(), zero.clone(), Ty::PY_BOOL, span);
            self.emit_check(build::or(is(up), is(down)));
        }
        self.stable.push(var);
        Ok(best)
    }

    /// Where the least or greatest element is, the first of several.
    fn where_extreme(&mut self, greatest: bool, a: &Elementwise, span: Span) -> R<Sv> {
        let Some((var, best)) = self.head(a, span)? else {
            return Ok(Sv::bottom(span));
        };
        if !best.repr().is_int() && !best.repr().is_float() {
            return Err(no_order(best.kinds, span));
        }
        let ty = Ty::np(Scalar::I64);
        let place = self.hidden(ty);
        self.emit_let(place, build::integer(0, ty, span));
        let float = best.repr().is_float();
        let number = |l: &mut Self, e: &Expr| {
            let itself = build::compare(CmpOp::Eq, e.clone(), e.clone(), Ty::PY_BOOL, span);
            l.emit_check(itself);
        };
        if float {
            number(self, &best.e);
        }
        let op = if greatest { Cmp::Gt } else { Cmp::Lt };
        self.each_of(a, 1, span, |l, element, at| {
            let element = l.spill_sv(element);
            if float {
                number(l, &element.e);
            }
            let better = l.compare(op, element.clone(), best.clone(), span)?;
            let ((), then) = l.inner(|l| {
                l.emit_let(var, element.e);
                l.emit_let(place, at);
                Ok(())
            })?;
            let cond = build::condition(better.e);
            l.emit(
                StmtKind::If {
                    cond,
                    then,
                    orelse: vec![],
                },
                span,
            );
            Ok(())
        })?;
        self.stable.push(place);
        let all = (0, i64::MAX.into());
        Ok(Sv::of(build::var(place, ty, span), Kind::Np(Scalar::I64)).with_range(all))
    }

    /// `np.any` and `np.all` of bools.
    fn any_or_all(&mut self, all: bool, a: &Elementwise, span: Span) -> R<Sv> {
        let own = Kind::Np(Scalar::Bool);
        match self.element_kind(a, span)? {
            None => return Ok(Sv::bottom(span)),
            Some(kind) if kind == own => {}
            Some(kind) => return Err(no_order(Kinds::of(kind), span)),
        }
        let ty = Ty::NP_BOOL;
        let found = self.hidden(ty);
        self.emit_let(found, Expr::constant(Const::Bool(all), ty, span));
        let op = if all { BinOp::And } else { BinOp::Or };
        self.every(a, span, |l, element| {
            let before = build::var(found, ty, span);
            let value = build::binary(op, before, element.e, ty, false, span);
            l.emit(StmtKind::Let { var: found, value }, span);
            Ok(())
        })?;
        self.stable.push(found);
        Ok(Sv::of(build::var(found, ty, span), own))
    }
}

pub(crate) fn no_sum(kind: Kind, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let what = format!("this sum of an array of {kind}");
    refuse(span, Refusal::Unsupported { what })
}

fn no_order(kinds: Kinds, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let what = format!("this reduction of an array of {kinds}");
    refuse(span, Refusal::Unsupported { what })
}
