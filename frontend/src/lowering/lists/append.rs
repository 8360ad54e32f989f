//! Lowers `xs.append(value)`: the values go into columns of their own, which are appended to the list when the nest
//! ends.
//!
//! A list that the nest appends to may be read by subscript and `len` only; where it is not read, its old elements may
//! be anything. That no other name of the nest stands for the same list is checked when the columns are made.

use nestwise_ir::model::nest::{Access, Expr, StmtKind};
use nestwise_ir::{
    ArrayDecl, ArrayId, ArrayKind, BinOp, CmpOp, LiveOut, LiveOutKind, PathId, Scalar, Span, Ty,
    VarId, Work, surface as s,
};

use crate::lowering::arrays::access;
use crate::lowering::arrays::store::{self, pair};
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::hir::{self, Grown, Kind as Stmt};
use crate::lowering::live_outs::state::Appended;
use crate::lowering::names::resolve::{Names, Res, Resolver};
use crate::lowering::scalar::{convert, strings};
use crate::lowering::types::facts::Wish;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::view::View;
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::Capture;

impl Resolver<'_> {
    /// Resolves a call of a list's `append` with one argument; `None` for other calls.
    pub fn append(&mut self, names: &mut Names, call: &s::Expr) -> R<Option<Stmt>> {
        let s::ExprKind::Call { func, args, kwargs } = &call.kind else {
            return Ok(None);
        };
        let (s::ExprKind::Path(id), [value], []) = (&func.kind, &args[..], &kwargs[..]) else {
            return Ok(None);
        };
        if let Some(list) = self.made_here(names, *id, "append") {
            let value = self.expr(names, value)?;
            return Ok(Some(Stmt::AppendToMade { list, value }));
        }
        let name = names.dotted_name(*id);
        let method = self.index_of(names, *id);
        if names.locals.contains_key(id) || !matches!(self.capture(method), Capture::Append) {
            return Ok(None);
        }
        if let Some(list) = names.paths[*id].parent {
            self.is_fixed(names, list, call.span)?;
            let index = self.index_of(names, list);
            self.uses.copied.insert(index);
            self.uses.appended.insert(index);
        }
        let value = self.expr(names, value)?;
        Ok(Some(Stmt::Append {
            method,
            name,
            value,
        }))
    }

    /// The removal of the last element of a list that the nest makes, if a call is that.
    pub fn pop(
        &mut self,
        names: &mut Names,
        func: &s::Expr,
        (args, kwargs): (&[s::Expr], &[(String, s::Expr)]),
        span: Span,
    ) -> Option<hir::Expr> {
        let (s::ExprKind::Path(id), [], []) = (&func.kind, args, kwargs) else {
            return None;
        };
        let kind = hir::ExprKind::Pop(self.made_here(names, *id, "pop")?);
        Some(hir::Expr { kind, span })
    }

    /// A read of the name that the nest assigns, if the path is the method `called` of what it holds.
    fn made_here(&mut self, names: &mut Names, method: PathId, called: &str) -> Option<hir::Read> {
        let path = &names.paths[method];
        let list = path.parent.filter(|_| path.name == called)?;
        let span = Span::default();
        match self.resolve_path(names, list, span).ok()? {
            Res::Value(hir::ExprKind::Read(read)) => {
                let assigned = self.hir.locals[read.local].path.is_some();
                (assigned || names.locals.contains_key(&list)).then_some(read)
            }
            _ => None,
        }
    }

    /// The list that an expression names, if the nest appends to it.
    pub fn grown(&mut self, names: &mut Names, list: &s::Expr) -> R<Option<Grown>> {
        let s::ExprKind::Path(id) = list.kind else {
            return Ok(None);
        };
        let appends =
            |(_, p): &(PathId, &s::AccessPath)| p.parent == Some(id) && p.name == "append";
        let Some((method, _)) = names.paths.iter().find(appends) else {
            return Ok(None);
        };
        if self.made_here(names, method, "append").is_some() {
            return Ok(None);
        }
        let method = self.index_of(names, method);
        let index = self.index_of(names, id);
        let foreign = self.foreign.contains(&index);
        if foreign || !matches!(self.capture(method), Capture::Append) {
            return Ok(None);
        }
        self.is_fixed(names, id, list.span)?;
        let list = index;
        let grown = Grown { method, list };
        self.hir.grown.insert(method, grown);
        Ok(Some(grown))
    }

    /// Refuses a list under a name that the nest rebinds, which stands for another list later.
    fn is_fixed(&mut self, names: &mut Names, list: PathId, span: Span) -> R<()> {
        let rebound = || {
            let what = "appending to a list that the nest also rebinds".into();
            refuse(span, Refusal::Unsupported { what })
        };
        match self.resolve_path(names, list, span) {
            Ok(Res::Value(hir::ExprKind::Read(read))) => {
                let local = &self.hir.locals[read.local];
                let fixed = local.path.is_none() && !names.locals.contains_key(&list);
                fixed.then_some(()).ok_or_else(rebound)
            }
            Ok(_) => Err(rebound()),
            // A list of anything.
            Err(e) if matches!(e.error, Refusal::Type { .. }) => Ok(()),
            Err(e) => Err(e),
        }
    }
}

/// Stores the value behind those that were appended before, and counts it.
pub(crate) fn append(
    cx: &mut Lowering<'_>,
    method: u32,
    name: &str,
    value: &hir::Expr,
    span: Span,
) -> R<()> {
    let before = std::mem::replace(&mut cx.env.want_tag, true);
    cx.builder.tally(Work::Append, 1.0);
    let value = cx.expression(value);
    cx.env.want_tag = before;
    let (values, tuple) = match value? {
        Val::Scalar(sv) => (vec![sv], false),
        Val::View(view) if let Some(text) = strings::number(cx, &view, span) => (vec![text], false),
        Val::Tuple(items) => {
            let items = items.into_iter().map(|item| scalar(cx, item, span));
            let items: Option<Vec<Sv>> = items.collect();
            (items.ok_or_else(|| cannot(name, span))?, true)
        }
        _ => return Err(cannot(name, span)),
    };
    let values: Vec<Sv> = values.into_iter().map(convert::commit).collect();
    if values.is_empty() || values.iter().any(Sv::is_bottom) {
        return Ok(());
    }
    let (columns, count) = columns(cx, method, name, &values, tuple, span)?;
    for (array, sv) in columns.into_iter().zip(values) {
        append_to(cx, method, array, &sv, count, span)?;
    }
    let next = build::binary(
        BinOp::Add,
        build::var(count, Ty::PY_INT, span),
        Expr::int(1, span),
        Ty::PY_INT,
        false,
        span,
    );
    cx.builder.emit_let(count, next);
    Ok(())
}

fn append_to(
    cx: &mut Lowering<'_>,
    method: u32,
    array: ArrayId,
    sv: &Sv,
    count: VarId,
    span: Span,
) -> R<()> {
    let elem = cx.builder.arrays[array].elem;
    let name = cx.builder.arrays[array].name.clone();
    let value = if elem.repr == Scalar::Num && sv.kinds.within(pair()) {
        store::number(cx, sv, span)
    } else if Kinds::of_ty(elem) == sv.kinds {
        convert::own_form(sv, elem)
    } else if Kinds::of_ty(elem).union(sv.kinds).within(pair()) {
        // Ints and floats: tagged numbers from the next round on.
        cx.env.facts.wish(Wish::Slot(method));
        Some(convert::literal(&Sv::float(0.0, span), 0, span))
    } else {
        None
    };
    let value = build::retype(value.ok_or_else(|| cannot(&name, span))?, elem);
    let access = cx.builder.accesses.push(Access {
        array,
        store: true,
        span,
    });
    let kind = StmtKind::Store {
        access,
        array,
        index: vec![build::var(count, Ty::PY_INT, span)],
        value,
        guard: true,
    };
    cx.builder.emit(kind, span);
    Ok(())
}

/// The columns of a list and the variable that counts its values, made for the types of the first values that are
/// appended.
fn columns(
    cx: &mut Lowering<'_>,
    method: u32,
    name: &str,
    values: &[Sv],
    tuple: bool,
    span: Span,
) -> R<(Vec<ArrayId>, VarId)> {
    if let Some(known) = cx.live_outs.appended.get(&method) {
        if known.tuple != tuple || known.columns.len() != values.len() {
            return Err(cannot(name, span));
        }
        return Ok((known.columns.clone(), known.count));
    }
    if let Some(list) = cx.env.hir.grown.get(&method).copied() {
        if tuple {
            return Err(cannot(name, span));
        }
        return Ok((
            vec![grown_column(cx, list, span)?],
            cx.live_outs.appended[&method].count,
        ));
    }
    let mut columns = Vec::with_capacity(values.len());
    for sv in values {
        let kind = if cx.env.facts.num_slots.contains(&method) && sv.kinds.within(pair()) {
            None
        } else if sv.kinds == pair() {
            cx.env.facts.wish(Wish::Slot(method));
            None
        } else {
            Some(sv.kinds.single().ok_or_else(|| cannot(name, span))?)
        };
        let elem = kind.map_or(Ty::PY_NUM, |k| Kinds::of(k).ty(k.natural()));
        columns.push(column(&mut cx.builder, method, name, elem));
    }
    let count = start(cx, method, columns.clone(), tuple, (0, 0));
    Ok((columns, count))
}

fn column(builder: &mut Builder, method: u32, name: &str, elem: Ty) -> ArrayId {
    builder.arrays.push(ArrayDecl {
        name: name.into(),
        capture: method,
        kind: ArrayKind::Appended,
        storage: elem.repr,
        elem,
        rank: 1,
        read: false,
        written: true,
        like: vec![],
        starts: false,
        moved: false,
        attributes: false,
        list: false,
    })
}

/// Notes the columns of a list, with a new variable that counts the elements in them: at entry the list's own, if it is
/// read.
fn start(
    cx: &mut Lowering<'_>,
    method: u32,
    columns: Vec<ArrayId>,
    tuple: bool,
    range: (i64, i64),
) -> VarId {
    let count = cx.builder.hidden(Ty::PY_INT);
    cx.builder.vars[count].live_in = Some(method);
    cx.builder.vars[count].range = Some(range);
    let known = Appended {
        columns,
        count,
        tuple,
    };
    cx.live_outs.appended.insert(method, known);
    count
}

/// The column of a list that is read, made for the type of its elements at entry.
fn grown_column(cx: &mut Lowering<'_>, list: Grown, span: Span) -> R<ArrayId> {
    if let Some(known) = cx.live_outs.appended.get(&list.method) {
        return Ok(known.columns[0]);
    }
    let local = cx
        .env
        .hir
        .locals
        .iter()
        .find(|l| l.capture == Some(list.list));
    let name = local.map_or("", |l| l.name.as_str());
    let Some(Capture::Array {
        kind: ArrayKind::List,
        elem,
        rank: 1,
        ..
    }) = cx.env.captures.get(list.list as usize)
    else {
        let what = "reading a list that grows and holds no plain numbers".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    };
    let num = cx.env.facts.num_slots.contains(&list.method);
    let elem = if num { Ty::PY_NUM } else { *elem };
    let column = column(&mut cx.builder, list.method, name, elem);
    cx.builder.arrays[column].read = true;
    start(cx, list.method, vec![column], false, (0, i64::MAX));
    Ok(column)
}

/// Lowers `xs[index]` of a list that grows: a guard fails behind the last element, where there is room in the column
/// but no element.
pub(crate) fn grown_item(
    cx: &mut Lowering<'_>,
    list: Grown,
    index: &hir::Expr,
    span: Span,
) -> R<Val> {
    let index = cx.expression(index)?;
    let index = convert::index(index, true, span)?;
    let array = grown_column(cx, list, span)?;
    let zero = || Expr::int(0, span);
    let len = grown_len(cx, list, span)?;
    let (at, below) = if index.range.0 >= 0 {
        (index.e, None)
    } else {
        let at = cx.builder.spill(index.e);
        let sum = build::binary(
            BinOp::Add,
            at.clone(),
            len.e.clone(),
            Ty::PY_INT,
            true,
            span,
        );
        let negative = build::compare(CmpOp::Lt, at.clone(), zero(), Ty::PY_BOOL, span);
        let at = cx
            .builder
            .spill(build::select(negative, sum, at, Ty::PY_INT));
        let below = build::compare(CmpOp::Ge, at.clone(), zero(), Ty::PY_BOOL, span);
        (at, Some(below))
    };
    let at = cx.builder.spill(at);
    below
        .into_iter()
        .for_each(|cond| cx.builder.emit_check(cond));
    cx.builder.emit_check(build::compare(
        CmpOp::Lt,
        at.clone(),
        len.e,
        Ty::PY_BOOL,
        span,
    ));
    let view = View {
        capture: list.list,
        array,
        index: vec![at],
        checked: vec![true],
    };
    access::element(&mut cx.builder, view, span)
}

/// The length of a list that grows.
pub(crate) fn grown_len(cx: &mut Lowering<'_>, list: Grown, span: Span) -> R<Sv> {
    grown_column(cx, list, span)?;
    let count = cx.live_outs.appended[&list.method].count;
    let e = build::var(count, Ty::PY_INT, span);
    Ok(Sv::of(e, Kind::PyInt).with_range((0, i64::MAX.into())))
}

/// The live-outs of the lists that grow, in the order of their access paths.
pub(crate) fn appended_outs(cx: &Lowering<'_>) -> impl Iterator<Item = LiveOut> {
    cx.live_outs.appended.iter().map(|(method, a)| LiveOut {
        path: PathId(*method),
        kind: LiveOutKind::Appended {
            columns: a.columns.clone(),
            count: a.count,
            tuple: a.tuple,
        },
        assigned: None,
    })
}

fn scalar(cx: &mut Lowering<'_>, value: Val, span: Span) -> Option<Sv> {
    match value {
        Val::Scalar(sv) => Some(sv),
        Val::View(view) => strings::number(cx, &view, span),
        Val::Str(text) => Some(convert::text(&text, span)),
        _ => None,
    }
}

fn cannot(name: &str, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let callee = Some(name.into());
    refuse(span, Refusal::ExpressionStatement { callee })
}
