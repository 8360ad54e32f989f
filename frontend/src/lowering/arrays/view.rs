//! Sections: parts of NumPy arrays with slices among their subscripts (`A[i, 1:-1]`), and whole rows in the place of
//! numbers.
//!
//! Bounds that lie outside of the array, or that turn out to be negative where that is not written, are clamped or
//! wrapped by NumPy; here they are events. So a section's axes are affine in what its bounds are made of, and every
//! element of it is in the array.

use nestwise_ir::model::nest::{CmpOp, Expr, ExprKind};
use nestwise_ir::{Access, ArrayId, ArrayKind, BinOp, Span, Ty};

use crate::lowering::arrays::elementwise::unsupported;
use crate::lowering::arrays::offsets::{difference, int_op, minus, plus, same, shifted, times};
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::hir::{self, Slice};
use crate::lowering::scalar::convert;
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::Kinds;
use crate::lowering::value::with_wide;
use crate::lowering::value::{Sv, Val, View};
use crate::refusal::R;
use crate::refusal::Refusal;
use crate::refusal::refuse;

/// One axis of an array in a section of it.
#[derive(Clone, Debug)]
pub(crate) enum Axis {
    /// One place along it, neither negative nor beyond its end.
    At(Expr),
    /// `start`, `start + step`, ...: so many. Not positive: none.
    Range { start: Expr, len: Expr, step: i64 },
    /// None of the array's: one of one element.
    New,
}

/// Some of the elements of an array, with as many axes as it has ranges and new ones.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// The flat capture whose array it is.
    pub capture: u32,
    pub array: ArrayId,
    /// All axes of the array, and new ones between them.
    pub axes: Vec<Axis>,
}

/// Whether there is one element along an axis, whatever is repeated along it.
pub(crate) fn is_one(len: &Expr) -> bool {
    len.as_int() == Some(1)
}

impl Section {
    /// How many there are along each of its axes.
    pub fn shape(&self) -> Vec<Expr> {
        let len = |axis: &Axis| match axis {
            Axis::Range { len, .. } => Some(len.clone()),
            Axis::New => Some(Expr::int(1, Span::default())),
            Axis::At(_) => None,
        };
        self.axes.iter().filter_map(len).collect()
    }

    /// Whether it has axes that the array has not.
    pub fn has_new_axes(&self) -> bool {
        self.axes.iter().any(|axis| matches!(axis, Axis::New))
    }

    /// The axes of the array.
    fn own_axes(&self) -> impl Iterator<Item = &Axis> {
        self.axes.iter().filter(|axis| !matches!(axis, Axis::New))
    }

    /// The subscripts of its element at these places along its axes; there is one place along one of one element.
    pub fn element_at(&self, counters: &[Expr]) -> Vec<Expr> {
        let mut counters = counters.iter();
        let at = |axis: &Axis| match axis {
            Axis::At(e) => Some(e.clone()),
            Axis::Range { start, len, step } => {
                let counter = counters.next().filter(|_| !is_one(len)).cloned();
                let counter = counter.unwrap_or_else(|| Expr::int(0, start.span));
                Some(plus(start, times(counter, *step)))
            }
            Axis::New => {
                counters.next();
                None
            }
        };
        self.axes.iter().filter_map(at).collect()
    }

    /// The part of it that lies at a place along one of its axes, none of which is new.
    pub fn at(&self, axis: usize, place: Expr) -> Section {
        let mut part = self.clone();
        let ranges = part.axes.iter_mut();
        let mut ranges = ranges.filter(|a| matches!(a, Axis::Range { .. }));
        if let Some(axis) = ranges.nth(axis)
            && let Axis::Range { start, step, .. } = axis
        {
            *axis = Axis::At(plus(start, times(place, *step)));
        }
        part
    }

    /// The line along one of its axes at places along the others.
    pub fn line(&self, axis: usize, places: &[Expr]) -> Section {
        let mut line = self.clone();
        for (k, place) in places.iter().enumerate() {
            // Each one that is taken leaves one axis fewer.
            line = line.at(usize::from(k >= axis), place.clone());
        }
        line
    }

    /// So many places along one of its axes, none of which is new, from a place on.
    pub fn narrowed(&self, axis: usize, place: Expr, many: Expr) -> Section {
        let mut part = self.clone();
        let mut ranges = part.axes.iter_mut();
        let mut ranges = ranges.by_ref().filter(|a| matches!(a, Axis::Range { .. }));
        if let Some(Axis::Range { start, len, step }) = ranges.nth(axis) {
            *start = plus(start, times(place, *step));
            *len = many;
        }
        part
    }

    /// The same backwards, of one axis.
    pub fn reversed(&self) -> Section {
        let mut back = self.clone();
        for axis in &mut back.axes {
            if let Axis::Range { start, len, step } = axis {
                let one = Expr::int(1, start.span);
                *start = plus(start, times(minus(len, &one), *step));
                *step = -*step;
            }
        }
        back
    }

    /// The part of it that lies at a place along its first axis.
    pub fn row(&self, at: Expr) -> Section {
        let mut row = self.clone();
        let first = row.axes.iter().position(|a| !matches!(a, Axis::At(_)));
        let Some(first) = first else { return row };
        match &row.axes[first] {
            Axis::Range { start, step, .. } => {
                row.axes[first] = Axis::At(plus(start, times(at, *step)));
            }
            _ => _ = row.axes.remove(first),
        }
        row
    }
}

/// Whether storing the elements of `target` one by one, each after those of `source` at the same places were read, is storing
/// all of them after all were read. Both are of one array, whose elements are apart.
pub(crate) fn keep_apart(target: &Section, source: &Section) -> bool {
    let mut alike = !target.has_new_axes() && !source.has_new_axes();
    let rank = |s: &Section| s.shape().len();
    // Axes are aligned at their ends.
    let (mut t, mut s) = (0, 0);
    let shift = rank(target) as isize - rank(source) as isize;
    for (a, b) in target.own_axes().zip(source.own_axes()) {
        match (a, b) {
            // One place: the other one's elements are all there, or none is.
            (Axis::At(x), Axis::At(y)) => {
                if difference(x, y).is_some_and(|d| d != 0) {
                    return true;
                }
            }
            (
                Axis::Range { start, len, step },
                Axis::Range {
                    start: start2,
                    len: len2,
                    step: step2,
                },
            ) => {
                let end = |start: &Expr, len: &Expr| plus(start, len.clone());
                let behind = |x: &Expr, y: &Expr| difference(x, y).is_some_and(|d| d >= 0);
                let forward = *step == 1 && *step2 == 1;
                if forward
                    && (behind(start, &end(start2, len2)) || behind(start2, &end(start, len)))
                {
                    return true;
                }
                let interleaved =
                    difference(start, start2).is_some_and(|d| d % i128::from(*step) != 0);
                if step == step2 && interleaved {
                    return true;
                }
                let repeated = is_one(len) != is_one(len2);
                alike &= same(start, start2) && step == step2 && t - s == shift && !repeated;
            }
            (
                Axis::Range {
                    start,
                    len,
                    step: 1,
                },
                Axis::At(x),
            )
            | (
                Axis::At(x),
                Axis::Range {
                    start,
                    len,
                    step: 1,
                },
            ) => {
                let before = difference(start, x).is_some_and(|d| d > 0);
                let after = difference(x, &plus(start, len.clone())).is_some_and(|d| d >= 0);
                if before || after {
                    return true;
                }
                alike = false;
            }
            _ => alike = false,
        }
        t += isize::from(matches!(a, Axis::Range { .. }));
        s += isize::from(matches!(b, Axis::Range { .. }));
    }
    alike
}

/// Whether NumPy's copy of one part of an array to another, with nothing computed, leaves what a copy by way of other memory
/// would. Along one axis it copies element by element, forward or backward as is right for equal strides; of strides of
/// different signs, and of several axes, it makes a copy first.
pub(crate) fn copies_like_memmove(target: &Section, source: &Section) -> bool {
    let ranges = |s: &Section| -> Vec<(usize, i64)> {
        let step = |(k, axis): (usize, &Axis)| match axis {
            Axis::Range { step, .. } => Some((k, *step)),
            Axis::At(_) | Axis::New => None,
        };
        s.own_axes().enumerate().filter_map(step).collect()
    };
    if target.has_new_axes() || source.has_new_axes() {
        return false;
    }
    match (ranges(target).as_slice(), ranges(source).as_slice()) {
        ([(a, p)], [(b, q)]) => a == b && (p == q || p.signum() != q.signum()),
        _ => true,
    }
}

/// What one subscript asks for.
#[derive(Clone)]
enum Item<'a> {
    /// A new axis.
    New,
    /// All of an axis.
    Whole,
    /// A part of an axis, or one place along it.
    Of(&'a hir::Expr),
}

/// `section[index, ...]`, with slices or without.
pub(crate) fn section(
    cx: &mut Lowering<'_>,
    base: Section,
    index: &[hir::Expr],
    span: Span,
) -> R<Section> {
    if base.has_new_axes() {
        return Err(unsupported("a subscript behind a new axis", span));
    }
    let free = base.shape().len();
    let items = items_of(&cx.builder, &base, index, free, span)?;
    section_of(cx, base, items)
}

/// `section.T[index, ...]`, turned.
pub(crate) fn section_of_turned(
    cx: &mut Lowering<'_>,
    base: Section,
    index: &[hir::Expr],
    span: Span,
) -> R<Section> {
    let free = base.shape().len();
    let mut items = items_of(&cx.builder, &base, index, free, span)?;
    if base.has_new_axes() || items.iter().any(|item| matches!(item, Item::New)) {
        return Err(unsupported("a new axis of a transposed array", span));
    }
    items.resize(free, Item::Whole);
    items.reverse();
    section_of(cx, base, items)
}

fn section_of(cx: &mut Lowering<'_>, base: Section, items: Vec<Item>) -> R<Section> {
    let mut items = items.into_iter();
    let mut section = Section {
        axes: Vec::with_capacity(base.axes.len()),
        ..base
    };
    for axis in base.axes {
        let Axis::Range { start, len, step } = &axis else {
            section.axes.push(axis);
            continue;
        };
        let mut item = items.next();
        while let Some(Item::New) = item {
            section.axes.push(Axis::New);
            item = items.next();
        }
        let Some(Item::Of(e)) = item else {
            section.axes.push(axis);
            continue;
        };
        section.axes.push(match &e.kind {
            hir::ExprKind::Slice(slice) => {
                let own = range_of_slice(cx, slice, len, e.span)?;
                Axis::Range {
                    start: plus(start, times(own.0, *step)),
                    len: own.1,
                    step: step * own.2,
                }
            }
            _ => {
                let at = place_along(cx, e, len)?;
                Axis::At(plus(start, times(at, *step)))
            }
        });
    }
    section.axes.extend(items.map(|_| Axis::New));
    Ok(section)
}

/// What subscripts ask of an array of so many axes, one after the other.
fn items_of<'a>(
    builder: &Builder,
    base: &Section,
    index: &'a [hir::Expr],
    free: usize,
    span: Span,
) -> R<Vec<Item<'a>>> {
    let is = |kind: fn(&hir::ExprKind) -> bool| index.iter().filter(move |e| kind(&e.kind));
    let new = is(|k| matches!(k, hir::ExprKind::None)).count();
    let dots = is(|k| matches!(k, hir::ExprKind::Ellipsis)).count();
    let given = index.len() - new - dots;
    if given > free || dots > 1 {
        let name = builder.arrays[base.array].name.clone();
        let (rank, subscripts) = (free as u32, given as u32);
        return Err(refuse(
            span,
            Refusal::RankMismatch {
                name,
                rank,
                subscripts,
            },
        ));
    }
    let mut items = Vec::with_capacity(free + new);
    for e in index {
        match e.kind {
            hir::ExprKind::None => items.push(Item::New),
            hir::ExprKind::Ellipsis => {
                items.extend(std::iter::repeat_n(Item::Whole, free - given));
            }
            _ => items.push(Item::Of(e)),
        }
    }
    Ok(items)
}

/// All of a view of a NumPy array.
pub(crate) fn whole_section(cx: &mut Lowering<'_>, view: View, span: Span) -> R<Section> {
    let kind = cx.builder.arrays[view.array].kind;
    if kind != ArrayKind::Ndarray {
        let what = format!("a {kind} as an operand");
        return Err(refuse(span, Refusal::ArrayExpression { what }));
    }
    cx.preconditions.sliced = true;
    Ok(section_of_view(&mut cx.builder, view, span))
}

/// What a view is of, as a part of its array; its subscripts are checked.
pub(crate) fn section_of_view(builder: &mut Builder, view: View, span: Span) -> Section {
    let view = convert::check_view(builder, view);
    let rank = builder.arrays[view.array].rank as usize;
    let mut axes = Vec::with_capacity(rank);
    for k in 0..view.index.len() {
        let e = convert::normal_index(builder, &view, k);
        axes.push(Axis::At(builder.spill(e)));
    }
    axes.extend((view.index.len()..rank).map(|k| Axis::Range {
        start: Expr::int(0, span),
        len: build::dim(view.array, k, span),
        step: 1,
    }));
    Section {
        capture: view.capture,
        array: view.array,
        axes,
    }
}

/// A subscript along an axis of so many elements, checked, and counted from its beginning.
fn place_along(cx: &mut Lowering<'_>, item: &hir::Expr, len: &Expr) -> R<Expr> {
    let value = cx.expr(item)?;
    place_of(&mut cx.builder, value, len, item.span)
}

/// The same of a subscript's value.
pub(crate) fn place_of(builder: &mut Builder, value: Val, len: &Expr, span: Span) -> R<Expr> {
    if matches!(&value, Val::Scalar(sv) if sv.is_bottom()) {
        return Ok(Expr::int(0, span));
    }
    let sv = convert::index(value, false, span)?;
    let at = spill_long(builder, sv.e.clone());
    let zero = Expr::int(0, span);
    let compare =
        |op, a: &Expr, b: &Expr| build::compare(op, a.clone(), b.clone(), Ty::PY_BOOL, span);
    if sv.range.0 >= 0 {
        builder.emit_check(compare(CmpOp::Lt, &at, len));
        return Ok(at);
    }
    let from_end = int_op(BinOp::Add, len.clone(), at.clone());
    let inside = |e: &Expr| build::and(compare(CmpOp::Ge, e, &zero), compare(CmpOp::Lt, e, len));
    if let Some(c) = sv.as_int() {
        let from_end = shifted(Some(len), c, span);
        builder.emit_check(compare(CmpOp::Ge, &from_end, &zero));
        return Ok(from_end);
    }
    let wrapped = build::select(
        compare(CmpOp::Lt, &at, &zero),
        from_end,
        at.clone(),
        Ty::PY_INT,
    );
    let wrapped = builder.spill(wrapped);
    builder.emit_check(inside(&wrapped));
    Ok(wrapped)
}

/// The range of a slice along an axis of so many elements: its start, length, and step.
fn range_of_slice(
    cx: &mut Lowering<'_>,
    slice: &Slice,
    dim: &Expr,
    span: Span,
) -> R<(Expr, Expr, i64)> {
    let step = match &slice.step {
        None => 1,
        Some(step) => match cx.expr(step)? {
            Val::Scalar(sv) => sv.as_int().and_then(|s| i64::try_from(s).ok()).unwrap_or(0),
            _ => 0,
        },
    };
    if step == -1 && slice.start.is_none() && slice.stop.is_none() {
        return Ok((minus(dim, &Expr::int(1, span)), dim.clone(), step));
    }
    if !(1..=1 << 20).contains(&step) {
        let what = "a slice with this step".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    let start = match &slice.start {
        None => Expr::int(0, span),
        Some(e) => end_of_slice(cx, e, dim)?,
    };
    let stop = match &slice.stop {
        None => dim.clone(),
        Some(e) => end_of_slice(cx, e, dim)?,
    };
    let mut len = minus(&stop, &start);
    if step > 1 {
        let more = plus(&len, Expr::int(step - 1, span));
        len = int_op(BinOp::FloorDiv, more, Expr::int(step, span));
    }
    Ok((start, len, step))
}

/// A slice's start or stop, which an event keeps within the axis.
fn end_of_slice(cx: &mut Lowering<'_>, e: &hir::Expr, dim: &Expr) -> R<Expr> {
    let span = e.span;
    let value = cx.expr(e)?;
    if matches!(&value, Val::Scalar(sv) if sv.is_bottom()) {
        return Ok(Expr::int(0, span));
    }
    let sv = convert::index(value, false, span)?;
    let signed = matches!(
        e.kind,
        hir::ExprKind::Unary(nestwise_ir::surface::UnOp::Neg, _)
    );
    let zero = Expr::int(0, span);
    let check = |cx: &mut Lowering<'_>, op, a: &Expr, b: &Expr| {
        let holds = build::compare(op, a.clone(), b.clone(), Ty::PY_BOOL, span);
        if crate::lowering::expr::constant_bool(&holds) != Some(true) {
            cx.builder.emit_check(holds);
        }
    };
    let at = spill_long(&mut cx.builder, sv.e.clone());
    if sv.range.1 < 0 || (signed && sv.range.1 <= 0) || (signed && sv.range.0 < 0) {
        // Counted from the end.
        let from_end = match sv.as_int() {
            Some(c) => shifted(Some(dim), c, span),
            None => {
                check(cx, CmpOp::Lt, &at, &zero);
                int_op(BinOp::Add, dim.clone(), at)
            }
        };
        check(cx, CmpOp::Ge, &from_end, &zero);
        return Ok(from_end);
    }
    if sv.range.0 < 0 {
        check(cx, CmpOp::Ge, &at, &zero);
    }
    if !same(&at, dim) {
        check(cx, CmpOp::Le, &at, dim);
    }
    Ok(at)
}

/// Evaluated once, but for short expressions that keep their values.
pub(crate) fn spill_long(builder: &mut Builder, e: Expr) -> Expr {
    if builder.is_stable(&e, 5) {
        e
    } else {
        builder.spill(e)
    }
}

/// The element of a section at some places along its axes.
pub(crate) fn section_element(
    builder: &mut Builder,
    section: &Section,
    counters: &[Expr],
    span: Span,
) -> Sv {
    let access = builder.accesses.push(Access {
        array: section.array,
        store: false,
        span,
    });
    let decl = &mut builder.arrays[section.array];
    decl.read = true;
    let (elem, storage) = (decl.elem, decl.storage);
    let kind = ExprKind::Load {
        access,
        array: section.array,
        index: section.element_at(counters),
        guard: false,
    };
    let sv = Sv::new(build::expr(kind, elem, span), Kinds::of_ty(elem));
    let range = intervals::of(storage).unwrap_or(sv.range);
    with_wide(sv.with_range(range))
}
