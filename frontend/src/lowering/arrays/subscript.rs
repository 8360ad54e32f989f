//! Subscripts, loads and stores.

use nestwise_ir::model::nest::{Cast, Expr, ExprKind, StmtKind};
use nestwise_ir::{Access, ArrayKind, Prov, Scalar, Span, Ty, Work};

use crate::lowering::arrays::alias;
use crate::lowering::arrays::axis_reduction;
use crate::lowering::arrays::elementwise::{Elementwise, Node, unsupported};
use crate::lowering::arrays::gather;
use crate::lowering::arrays::gather::Scattered;
use crate::lowering::arrays::mask::Masked;
use crate::lowering::arrays::materialise;
use crate::lowering::arrays::reduction;
use crate::lowering::arrays::view;
use crate::lowering::arrays::view::Section;
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::expr;
use crate::lowering::hir;
use crate::lowering::interpreter_cost;
use crate::lowering::lists::make;
use crate::lowering::lists::slice;
use crate::lowering::objects::records;
use crate::lowering::scalar::compare;
use crate::lowering::scalar::convert;
use crate::lowering::scalar::strings;
use crate::lowering::spill;
use crate::lowering::types::facts::Wish;
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::natural_in;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::types::provenance;
use crate::lowering::value::{Sv, Val, View};
use crate::refusal::R;
use crate::refusal::Refusal;
use crate::refusal::refuse;
use crate::site::captures::Capture;

/// What a subscript assigns to.
pub(crate) enum Place {
    Element(View),
    /// A part of a NumPy array.
    Part(Section),
    /// What a mask selects of one.
    Masked(Masked),
    /// The elements of one where the ints of another array say.
    Scattered(Scattered),
    /// Of a type that a later round will know.
    Unknown,
}

/// `base[index, ...]`.
pub(crate) fn subscript(
    cx: &mut Lowering<'_>,
    base: &hir::Expr,
    index: &[hir::Expr],
    span: Span,
) -> R<Val> {
    let value = cx.expr(base)?;
    let mut value = make::settled_list(cx, value, span)?;
    let slices = index.iter().any(hir::Expr::is_slice);
    if slices || matches!(value, Val::Array(_)) {
        return sliced(cx, value, index, slices, span);
    }
    if index.iter().any(hir::Expr::stores) {
        value = spill::spill_val(cx, value);
    }
    let index = expr::tuple(cx, index)?;
    if let Some(item) = records::item_of_tuple(cx, &value, &index, span)? {
        return Ok(item);
    }
    value = records::opened(cx, value, span)?;
    match value {
        Val::View(view) if gather::gathers(&cx.builder, &view, &index) => {
            let from = view::whole_section(cx, view, span)?;
            gather::gather(cx, from, index, span)
        }
        Val::View(view) => {
            interpreter_cost::count_access(&mut cx.builder, &view, &index, false);
            let view = extend(&cx.builder, view, index, span)?;
            element(&mut cx.builder, view, span)
        }
        Val::Str(_) | Val::Bytes(_) => {
            cx.builder.tally(Work::BufferGet, 1.0);
            let items = strings::literal_items(&value, span).unwrap_or_default();
            let [at] = index.as_slice() else {
                let operands = vec![value.type_name()];
                return Err(refuse(span, Refusal::Operator { op: "[]", operands }));
            };
            let at = convert::index(at.clone(), true, span)?;
            strings::item_at(cx, items, at, span)
        }
        Val::Tuple(items) => {
            cx.builder.tally(Work::ListGet, 1.0);
            let at = match index.as_slice() {
                [Val::Scalar(sv)] if sv.is_int() => sv.as_int(),
                _ => None,
            };
            let len = items.len() as i128;
            if let (None, [computed]) = (at, index.as_slice()) {
                let computed = convert::index(computed.clone(), true, span)?;
                return strings::item_at(cx, items, computed, span);
            }
            let at = at
                .map(|k| if k < 0 { k + len } else { k })
                .and_then(|k| usize::try_from(k).ok());
            let Some(at) = at.filter(|k| *k < items.len()) else {
                let what = "a tuple subscript that is not a literal".into();
                return Err(refuse(span, Refusal::Unsupported { what }));
            };
            let mut chosen = Val::None;
            for (k, item) in items.into_iter().enumerate() {
                match item {
                    item if k == at => chosen = item,
                    Val::Scalar(sv) => convert::keep_events(&mut cx.builder, &sv),
                    _ => {}
                }
            }
            Ok(chosen)
        }
        Val::Scalar(sv) if sv.is_bottom() => Ok(Val::Scalar(sv)),
        other => {
            let operands = vec![other.type_name()];
            Err(refuse(span, Refusal::Operator { op: "[]", operands }))
        }
    }
}

/// `value[index, ...]` with slices among them, or of a part of an array.
fn sliced(
    cx: &mut Lowering<'_>,
    value: Val,
    index: &[hir::Expr],
    slices: bool,
    span: Span,
) -> R<Val> {
    if index.iter().any(hir::Expr::stores) {
        let what = "a call that assigns something, in a subscript of an array's part".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    if let Val::Array(tree) = &value
        && let Node::Turned(base) = &tree.node
    {
        return part_of_turned(cx, base.clone(), index, span);
    }
    if let [one] = index
        && let Some(list) = slice::list_slice(cx, &value, one, span)?
    {
        return Ok(list);
    }
    let value = match value {
        Val::Array(tree) if !matches!(tree.node, Node::Part(_)) => lying(cx, &tree, span)?,
        value => value,
    };
    let fresh = matches!(&value, Val::Array(tree) if tree.fresh);
    let Some(base) = base_section(cx, value, span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    if gather::gathers_of_part(cx, index)? {
        let index = expr::tuple(cx, index)?;
        return gather::gather(cx, base, index, span);
    }
    let section = view::section(cx, base, index, span)?;
    let whole = section.shape().is_empty();
    interpreter_cost::count_section(&mut cx.builder, index.len(), slices || !whole, false);
    if whole {
        return Ok(Val::Scalar(view::section_element(
            &mut cx.builder,
            &section,
            &[],
            span,
        )));
    }
    // A view, but of an array that nobody else has.
    Ok(Val::Array(Box::new(Elementwise {
        fresh,
        lent: fresh,
        viewed: false,
        ..Elementwise::of(section, &cx.builder.arrays)
    })))
}

/// What is computed, in memory of the nest's own.
fn lying(cx: &mut Lowering<'_>, tree: &Elementwise, span: Span) -> R<Val> {
    if tree.node.turns() {
        let what = "a subscript of what is computed of a transposed array";
        return Err(unsupported(what, span));
    }
    Ok(match reduction::element_kind(cx, tree, span)? {
        None => Val::Scalar(Sv::bottom(span)),
        Some(kind) => {
            let part = reduction::copied(cx, tree, kind, span)?;
            Val::Array(Box::new(Elementwise::made(part, &cx.builder.arrays)))
        }
    })
}

/// `base.T[index, ...]`: the subscripts in the opposite order, and of the part the axes.
fn part_of_turned(cx: &mut Lowering<'_>, base: Section, index: &[hir::Expr], span: Span) -> R<Val> {
    if gather::gathers_of_part(cx, index)? {
        return Err(unsupported("this subscript of a transposed array", span));
    }
    let section = view::section_of_turned(cx, base, index, span)?;
    interpreter_cost::count_section(&mut cx.builder, index.len(), true, false);
    if section.shape().is_empty() {
        return Ok(Val::Scalar(view::section_element(
            &mut cx.builder,
            &section,
            &[],
            span,
        )));
    }
    Ok(axis_reduction::turned(&cx.builder, section))
}

/// What may be sliced as a part of an array; none: its type is not known yet.
fn base_section(cx: &mut Lowering<'_>, value: Val, span: Span) -> R<Option<Section>> {
    match value {
        Val::View(view) => view::whole_section(cx, view, span).map(Some),
        Val::Array(tree) => match tree.node {
            Node::Part(section) => Ok(Some(section)),
            _ => {
                let what = "a subscript of an array that is computed".into();
                Err(refuse(span, Refusal::Unsupported { what }))
            }
        },
        Val::Scalar(sv) if sv.is_bottom() => Ok(None),
        _ => Err(refuse(span, Refusal::Slice)),
    }
}

/// A view with more subscripts.
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

/// The element if the view has a subscript for each axis, else the view.
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
    let (elem, storage) = (decl.elem, decl.storage);
    let kind = ExprKind::Load {
        access,
        array: view.array,
        index: view.index,
        guard: true,
    };
    let sv = Sv::new(build::expr(kind, elem, span), Kinds::of_ty(elem));
    let range = intervals::of(storage).unwrap_or(sv.range);
    Ok(Val::Scalar(crate::lowering::value::with_wide(
        sv.with_range(range),
    )))
}

/// A subscript target, evaluated: base, then subscripts.
pub(crate) fn place(
    cx: &mut Lowering<'_>,
    base: &hir::Expr,
    index: &[hir::Expr],
    span: Span,
) -> R<Place> {
    let value = cx.expr(base)?;
    let slices = index.iter().any(hir::Expr::is_slice);
    if slices || matches!(value, Val::Array(_)) {
        if matches!(&value, Val::Array(tree) if tree.fresh) {
            let what = "storing into an array that nobody has".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        let Some(base) = base_section(cx, value, span)? else {
            return Ok(Place::Unknown);
        };
        if gather::gathers_of_part(cx, index)? {
            let index = expr::tuple(cx, index)?;
            return gather::chosen_place(cx, base, index, span);
        }
        let section = view::section(cx, base, index, span)?;
        let whole = section.shape().is_empty();
        interpreter_cost::count_section(&mut cx.builder, index.len(), slices || !whole, true);
        return Ok(Place::Part(section));
    }
    let view = match value {
        Val::View(view) => view,
        other => {
            let operands = vec![other.type_name()];
            let op = "[] =";
            return Err(refuse(span, Refusal::Operator { op, operands }));
        }
    };
    let index = expr::tuple(cx, index)?;
    if gather::gathers(&cx.builder, &view, &index) {
        let from = view::whole_section(cx, view, span)?;
        return gather::chosen_place(cx, from, index, span);
    }
    interpreter_cost::count_access(&mut cx.builder, &view, &index, true);
    let view = extend(&cx.builder, view, index, span)?;
    let decl = &cx.builder.arrays[view.array];
    if view.index.len() < decl.rank as usize {
        if decl.kind == ArrayKind::Ndarray {
            return view::whole_section(cx, view, span).map(Place::Part);
        }
        let what = format!("assigning a whole row of {}", decl.name);
        return Err(refuse(span, Refusal::ArrayExpression { what }));
    }
    if decl.list {
        materialise::may_update(cx, view.array, span)?;
        return Ok(Place::Element(view));
    }
    let writable = matches!(
        cx.env.captures.get(view.capture as usize),
        Some(Capture::Array { writable: true, kind, .. }) if !matches!(kind, ArrayKind::Tuple | ArrayKind::Str)
    );
    if !writable {
        return Err(refuse(
            span,
            Refusal::ReadOnly {
                name: decl.name.clone(),
            },
        ));
    }
    Ok(Place::Element(view))
}

/// The same place for a load and a store: subscripts that read arrays or are long are evaluated once.
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
    View {
        index,
        ..view_shell(view.capture, view.array, view.checked)
    }
}

/// `view = value`, converted as the array converts.
pub(crate) fn store(cx: &mut Lowering<'_>, view: View, value: Val, span: Span) -> R<()> {
    let sv = match value {
        Val::Scalar(sv) => sv,
        Val::View(_) => {
            return Err(refuse(
                span,
                Refusal::ArrayExpression {
                    what: "storing an array".into(),
                },
            ));
        }
        other => {
            let what = format!("a {} in an array", other.type_name());
            return Err(refuse(span, Refusal::ObjectIdentity { what }));
        }
    };
    let access = cx.builder.accesses.push(Access {
        array: view.array,
        store: true,
        span,
    });
    cx.builder.arrays[view.array].written = true;
    if sv.is_bottom() {
        return Ok(());
    }
    let sv = convert::commit(sv);
    let kind = cx.builder.arrays[view.array].kind;
    let value = match kind {
        ArrayKind::Ndarray => ndarray_form(&mut cx.builder, &sv, view.array, span)?,
        ArrayKind::List => list_form(cx, &sv, &view, span)?,
        ArrayKind::Scratch if cx.builder.arrays[view.array].list => {
            list_form(cx, &sv, &view, span)?
        }
        _ => buffer_form(&cx.builder, &sv, view.array, span)?,
    };
    let value = build::retype(value, cx.builder.arrays[view.array].elem);
    let kind = StmtKind::Store {
        access,
        array: view.array,
        index: view.index,
        value,
        guard: true,
    };
    cx.builder.emit(kind, span);
    Ok(())
}

fn cannot_store(
    builder: &Builder,
    sv: &Sv,
    array: nestwise_ir::ArrayId,
    span: Span,
) -> nestwise_ir::WithSpan<Refusal> {
    let decl = &builder.arrays[array];
    let operands = vec![
        format!("{} of {}", decl.kind, decl.elem),
        sv.kinds.to_string(),
    ];
    refuse(
        span,
        Refusal::Operator {
            op: "[] =",
            operands,
        },
    )
}

/// NumPy's assignment of a scalar to an element. Where NumPy raises or warns (NaN or a value out of range
/// into an int array, a finite float64 that becomes infinite as a float32), a guard fires; where it wraps
/// (NumPy ints into a narrower type), the guard fires too and CPython does it.
pub(crate) fn ndarray_form(
    builder: &mut Builder,
    sv: &Sv,
    array: nestwise_ir::ArrayId,
    span: Span,
) -> R<Expr> {
    let storage = builder.arrays[array].storage;
    let wrong = cannot_store(builder, sv, array, span);
    if sv.kinds.has(Kind::Char) || (sv.kinds.any(Kind::is_complex) && storage != Scalar::C128) {
        return Err(wrong);
    }
    let from = sv.repr();
    if storage == Scalar::Bool {
        return convert::truth(builder, Val::Scalar(sv.clone()), span);
    }
    if storage.is_int() && from == Scalar::Num {
        let e = build::cast(Cast::Value, sv.e.clone(), Ty::PY_FLOAT, false);
        return Ok(build::cast(Cast::Trunc, e, Ty::np(storage), true));
    }
    if storage.is_int() && from.is_float() {
        return Ok(build::cast(
            Cast::Trunc,
            sv.e.clone(),
            Ty::np(storage),
            true,
        ));
    }
    if storage == Scalar::F32 && from.is_int() {
        // A Python int goes through float64, a NumPy int does not; they differ beyond 2**53 only, where the
        // first cast is not exact.
        let python = sv.kinds.every(Kind::is_py);
        let numpy = sv.kinds.every(|k| !k.is_py());
        let exact = !python && !numpy;
        let limit = build::exact_limit(Scalar::F64);
        if python || exact || intervals::within(sv.range, (-limit, limit)) {
            let e = convert::in_repr(sv, Scalar::F64, exact).ok_or(wrong)?;
            let ty = Ty {
                prov: e.ty.prov,
                repr: storage,
            };
            // No 64-bit int is too large for a float32.
            return Ok(build::cast(Cast::Round, e, ty, false));
        }
        return Ok(build::cast(
            Cast::Value,
            sv.e.clone(),
            Ty::np(storage),
            false,
        ));
    }
    // An int that is held as a float stores as the int would.
    convert::in_repr(sv, storage, false).ok_or(wrong)
}

/// A list keeps objects: only Python numbers of its own type fit the buffer; ints and floats together make
/// its elements tagged numbers.
pub(crate) fn list_form(cx: &mut Lowering<'_>, sv: &Sv, view: &View, span: Span) -> R<Expr> {
    let array = view.array;
    let storage = cx.builder.arrays[array].storage;
    let wrong = cannot_store(&cx.builder, sv, array, span);
    let py = sv.kinds.filter(Kind::is_py);
    let elem = cx.builder.arrays[array].elem;
    if elem.prov == Prov::Np {
        // A list of NumPy's scalars stays one.
        let own = sv.kinds == Kinds::of_ty(elem) && sv.repr() == storage;
        return own.then(|| sv.e.clone()).ok_or(wrong);
    }
    if py != sv.kinds {
        // Python's or NumPy's: only the first can be kept.
        if py.is_empty() {
            return Err(wrong);
        }
        let cond = provenance::is_among(cx, sv.kinds, &sv.tag, py, span).ok_or(wrong)?;
        cx.builder.emit_check(cond);
        let only = Sv {
            kinds: py,
            ..sv.clone()
        };
        return list_form(cx, &only, view, span);
    }
    if let Some(kind) = sv.kinds.single().filter(|k| !natural_in(*k, sv.repr())) {
        // Of one type, but computed where it could be another.
        let own = convert::own_form(sv, Kinds::of(kind).ty(kind.natural())).ok_or(wrong)?;
        return list_form(
            cx,
            &Sv {
                e: own,
                ..sv.clone()
            },
            view,
            span,
        );
    }
    let pair = pair();
    match storage {
        Scalar::Num if sv.kinds.within(pair) => number(cx, sv, span).ok_or(wrong),
        Scalar::I64 | Scalar::F64 if sv.kinds.within(pair) => {
            let own = if storage == Scalar::I64 {
                Kind::PyInt
            } else {
                Kind::PyFloat
            };
            if sv.kinds == Kinds::of(own) && sv.repr() != Scalar::Num {
                return convert::in_repr(sv, storage, true).ok_or(wrong);
            }
            // An accumulator that starts as 0 and has become a float by now, nearly always: an event fires
            // when it has not.
            let now = if sv.kinds == pair && sv.repr() == storage {
                provenance::is_among(cx, sv.kinds, &sv.tag, Kinds::of(own), span)
            } else {
                None
            };
            if let Some(cond) = now {
                cx.builder.emit_check(cond);
                return Ok(sv.e.clone());
            }
            make_num(cx, view);
            Ok(compare::literal(&Sv::float(0.0, span), 0, span))
        }
        _ => {
            let own = Kinds::of_ty(cx.builder.arrays[array].elem);
            if sv.kinds == own && sv.repr() == storage {
                Ok(sv.e.clone())
            } else {
                Err(wrong)
            }
        }
    }
}

/// A Python int or float as a tagged number. A float that may stand for an int has lost its type.
pub(crate) fn number(cx: &mut Lowering<'_>, sv: &Sv, span: Span) -> Option<Expr> {
    if sv.kinds == pair() && sv.repr() != Scalar::Num {
        return tagged_number(cx, sv, span);
    }
    convert::in_repr(sv, Scalar::Num, true)
}

/// A float that stands for an int in some cases, with the tag that says when.
fn tagged_number(cx: &mut Lowering<'_>, sv: &Sv, span: Span) -> Option<Expr> {
    let ints = Kinds::of(Kind::PyInt);
    let cond = provenance::is_among(cx, sv.kinds, &sv.tag, ints, span)?;
    let int = build::cast(Cast::Trunc, sv.e.clone(), Ty::PY_INT, true);
    let int = build::cast(Cast::Value, int, Ty::PY_NUM, true);
    let float = build::cast(Cast::Value, sv.e.clone(), Ty::PY_NUM, false);
    Some(build::select(cond, int, float, Ty::PY_NUM))
}

/// The list, and those it changes places with, hold tagged numbers from the next round on.
fn make_num(cx: &mut Lowering<'_>, view: &View) {
    if cx.builder.arrays[view.array].list {
        let owner = alias::owner(cx, view.array).map(Wish::Made);
        return owner.into_iter().for_each(|wish| cx.env.facts.wish(wish));
    }
    let capture = view.capture;
    let mut captures = vec![capture];
    for group in &cx.env.hir.swap_groups {
        let members: Vec<u32> = group
            .iter()
            .filter_map(|l| cx.env.hir.locals.get(*l))
            .filter_map(|l| l.capture)
            .collect();
        if members.contains(&capture) {
            captures.extend(members);
        }
    }
    for capture in captures {
        cx.env.facts.wish(Wish::Slot(capture));
    }
}

/// `array.array` and `bytearray`: ints in range, floats from any real number.
fn buffer_form(builder: &Builder, sv: &Sv, array: nestwise_ir::ArrayId, span: Span) -> R<Expr> {
    let decl = &builder.arrays[array];
    let (storage, elem) = (decl.storage, decl.elem);
    let wrong = cannot_store(builder, sv, array, span);
    if storage.is_float() {
        let real = sv.kinds.every(|k| k.is_integral() || k.is_float());
        if !real {
            return Err(wrong);
        }
        let e = convert::in_repr(sv, Scalar::F64, false).ok_or(wrong)?;
        if storage == Scalar::F64 {
            return Ok(e);
        }
        // Stored as a C float, which a read widens again.
        let e = build::cast(Cast::Round, e, Ty::py(storage), true);
        return Ok(build::cast(Cast::Value, e, elem, false));
    }
    // NumPy's bool has no __index__.
    let ints = sv.is_int() && !sv.kinds.has(Kind::Np(Scalar::Bool)) && storage.is_int();
    if !ints {
        return Err(wrong);
    }
    let e = convert::in_repr(sv, storage, true).ok_or(wrong)?;
    // In range of the storage: the guard is on the narrow cast, the element type is wider.
    Ok(build::cast(Cast::Value, e, elem, false))
}

/// Python's ints and floats: what a list of tagged numbers holds.
pub(crate) fn pair() -> Kinds {
    Kinds::all(&[Kind::PyInt, Kind::PyFloat])
}

fn view_shell(capture: u32, array: nestwise_ir::ArrayId, checked: Vec<bool>) -> View {
    View {
        capture,
        array,
        index: vec![],
        checked,
    }
}
