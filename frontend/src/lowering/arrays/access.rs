//! Reads one element, or one row, of an array.

use nestwise_ir::model::nest::{Expr, ExprKind};
use nestwise_ir::{Access, ArrayDecl, ArrayKind, Scalar, Span};

use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::scalar::convert;
use crate::lowering::types::intervals::{self, Range};
use crate::lowering::types::kinds::Kinds;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::Section;
use crate::lowering::value::view::View;
use crate::refusal::{R, Refusal, refuse};

/// Adds subscripts to a view. Refuses more subscripts than the array has axes, and several at once for anything but an
/// ndarray.
pub(crate) fn extend(builder: &Builder, mut view: View, index: Vec<Val>, span: Span) -> R<View> {
    let decl = &builder.arrays[view.array];
    let (kind, rank, name) = (decl.kind, decl.rank, decl.name.clone());
    let given = view.index.len() + index.len();
    if given > rank as usize || (kind != ArrayKind::Ndarray && index.len() != 1) {
        return Err(refuse(
            span,
            Refusal::RankMismatch {
                name,
                rank,
                subscripts: given as u32,
            },
        ));
    }
    for value in index {
        let sv = convert::index(value, kind != ArrayKind::Ndarray, span)?;
        view.index.push(sv.e);
        view.checked.push(false);
    }
    Ok(view)
}

/// The bounds of an array's elements, if they are ints or texts.
fn range_of(decl: &ArrayDecl) -> Option<Range> {
    match (decl.storage, decl.kind) {
        (Scalar::Char, ArrayKind::Str) => Some(intervals::CHARACTERS),
        (Scalar::Char, _) => Some(intervals::TEXTS),
        (storage, _) => intervals::of(storage),
    }
}

/// The element of a view that has a subscript for each axis; else the view itself.
pub(crate) fn element(builder: &mut Builder, view: View, span: Span) -> R<Val> {
    if view.index.len() < builder.arrays[view.array].rank as usize {
        return Ok(Val::View(view));
    }
    let access = builder.accesses.push(Access {
        array: view.array,
        store: false,
        span,
    });
    let decl = &mut builder.arrays[view.array];
    decl.read = true;
    let (elem, range) = (decl.elem, range_of(decl));
    let kind = ExprKind::Load {
        access,
        array: view.array,
        index: view.index,
        guard: true,
    };
    let sv = Sv::new(build::expr(kind, elem, span), Kinds::of_ty(elem));
    let range = range.unwrap_or(sv.range);
    Ok(Val::Scalar(sv.with_range(range).with_wide()))
}

/// Makes a view that a load and a store can share: subscripts that read arrays or are long are evaluated once.
pub(crate) fn shared(builder: &mut Builder, view: View) -> View {
    let mut size = 0;
    let index = view.index.into_iter().map(|e| {
        e.walk(&mut |_| size += 1);
        if build::loads(&e) || size > 8 {
            builder.spill(e)
        } else {
            e
        }
    });
    let index: Vec<Expr> = index.collect();
    View { index, ..view }
}

/// The element of a section at the positions `counters` along its axes.
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
    let (elem, range) = (decl.elem, range_of(decl));
    let kind = ExprKind::Load {
        access,
        array: section.array,
        index: section.element_at(counters),
        guard: false,
    };
    let sv = Sv::new(build::expr(kind, elem, span), Kinds::of_ty(elem));
    let range = range.unwrap_or(sv.range);
    sv.with_range(range).with_wide()
}

/// Makes a view whose subscripts are checked, evaluated and not negative.
pub(crate) fn settled(builder: &mut Builder, view: View) -> View {
    let mut view = convert::check_view(builder, view);
    for k in 0..view.index.len() {
        let e = convert::normal_index(builder, &view, k);
        view.index[k] = builder.spill(e);
    }
    view
}
