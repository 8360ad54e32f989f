//! Slots: the arrays of the nest that stand for captured ones.

use nestwise_ir::{ArrayDecl, ArrayId, ArrayKind, Scalar, Span, Ty};

use crate::lowering::context::Lowering;
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::Capture;

/// The slot of a captured array, made if there is none.
pub(crate) fn slot(cx: &mut Lowering<'_>, capture: u32, span: Span) -> R<ArrayId> {
    if let Some(array) = cx.env.slots.get(&capture) {
        return Ok(*array);
    }
    let local = cx
        .env
        .hir
        .locals
        .iter()
        .find(|l| l.capture == Some(capture));
    let name = local.map(|l| l.name.clone()).unwrap_or_default();
    if let Some(Capture::Objects { .. }) = cx.env.captures.get(capture as usize) {
        return Ok(objects(cx, capture, name));
    }
    let Some(Capture::Array {
        kind,
        storage,
        elem,
        rank,
        ..
    }) = cx.env.captures.get(capture as usize)
    else {
        return Err(refuse(
            span,
            Refusal::Internal {
                message: format!("capture {capture} is no array"),
            },
        ));
    };
    if !(1..=8).contains(rank) {
        return Err(refuse(span, Refusal::RankTooLarge { name, rank: *rank }));
    }
    let unsigned = *kind != ArrayKind::Ndarray && *storage == Scalar::U64;
    if *storage == Scalar::C64 || unsigned {
        let ty = format!("{kind} of {storage}");
        return Err(refuse(span, Refusal::Type { name, ty }));
    }
    let (mut storage, mut elem) = (*storage, *elem);
    if cx.env.facts.num_slots.contains(&capture) {
        (storage, elem) = (Scalar::Num, Ty::PY_NUM);
    }
    let decl = ArrayDecl {
        name,
        capture,
        kind: *kind,
        storage,
        elem,
        rank: *rank,
        read: false,
        written: false,
        like: vec![],
        starts: false,
        moved: false,
        attributes: false,
        list: false,
    };
    let array = cx.builder.arrays.push(decl);
    cx.env.slots.insert(capture, array);
    Ok(array)
}

/// Makes the slot of a list of objects.
pub(crate) fn objects(cx: &mut Lowering<'_>, capture: u32, name: String) -> ArrayId {
    let array = cx.builder.arrays.push(ArrayDecl {
        name,
        capture,
        kind: ArrayKind::Objects,
        storage: Scalar::Bool,
        elem: Ty::PY_BOOL,
        rank: 2,
        read: false,
        written: false,
        like: vec![],
        starts: false,
        moved: false,
        attributes: false,
        list: false,
    });
    cx.env.slots.insert(capture, array);
    array
}
