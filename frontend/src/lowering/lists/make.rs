//! Lists that the nest makes: `row = [0] * n`, `new = [f(x) for x in old]`, `[[0.0] * m for _ in range(n)]`, `copy = row[:]`.
//!
//! A list that nobody has named yet is kept as a tree of what its elements are, like an array that is computed. A name gives it memory
//! of the nest's own, as it does to arrays ([`crate::lowering::arrays::temporary`]): second names, rows that have names, and what is left behind are as with
//! those. Where the name is read it is a view, as of a list from outside. For that the memory is exactly as long as the list, which
//! is a length that is known before the nest runs.

use nestwise_ir::model::nest::{CmpOp, Expr, ExprKind, StmtKind};
use nestwise_ir::{ArrayId, ArrayKind, BinOp, Extent, Prov, Scalar, Span, Ty, Work};

use crate::lowering::arrays::elementwise::{Elementwise, Node, unsupported};
use crate::lowering::arrays::temporary::{Made, no_size};
use crate::lowering::arrays::view::{Axis, Section};
use crate::lowering::hir::{self, Kind as Stmt, LocalId};
use crate::lowering::interpreter_cost::HALF;
use crate::lowering::lower::Lower;
use crate::lowering::types::facts::Wish;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::types::live_ranges::WebId;
use crate::lowering::value::{Sv, Val, View};
use crate::lowering::{R, build, refuse};
use crate::refusal::Refusal;
use crate::site::captures::Capture;

/// Displays that are longer are left to CPython: each item is a store of its own.
const LONGEST: usize = 16;

/// A list that nobody has named.
pub(crate) fn fresh(node: Node, shape: Vec<Expr>, like: Vec<Extent>) -> Val {
    Val::List(Box::new(Elementwise {
        node,
        shape,
        like: Some(like),
        fresh: true,
        whole: true,
        lent: false,
        viewed: false,
    }))
}

/// How elements of these types lie in memory, and what they are loaded as; none: not all in one way.
fn element(kinds: Kinds) -> Option<(Scalar, Ty)> {
    if kinds == crate::lowering::arrays::subscript::pair() {
        return Some((Scalar::Num, Ty::PY_NUM));
    }
    match kinds.single()? {
        Kind::PyInt => Some((Scalar::I64, Ty::PY_INT)),
        Kind::PyFloat => Some((Scalar::F64, Ty::PY_FLOAT)),
        Kind::PyBool => Some((Scalar::Bool, Ty::PY_BOOL)),
        Kind::PyComplex => Some((Scalar::C128, Ty::PY_COMPLEX)),
        Kind::Np(storage) => Some((storage, Ty::np(storage))),
        _ => None,
    }
}

/// Of an element in a list: how long the list is at most, and where the element is in it.
type Place = (Extent, Expr);

/// Whether a comprehension leaves items out.
fn has_tests(stmt: &hir::Stmt) -> bool {
    match &stmt.kind {
        Stmt::If { .. } => true,
        Stmt::For { body, .. } => body.iter().any(has_tests),
        _ => false,
    }
}

impl Lower<'_> {
    /// `[a, b, c]`.
    pub fn list_display(&mut self, items: &[hir::Expr], span: Span) -> R<Val> {
        if items.is_empty() || items.len() > LONGEST {
            return Err(unsupported("a list display of so many items", span));
        }
        let values = self.tuple(items)?;
        self.tally(Work::Tuple, 1.0);
        let mut elements = Vec::with_capacity(values.len());
        for value in values {
            let sv = self.need_scalar(value, "an item of a list", span)?;
            if sv.is_bottom() {
                return Ok(Val::Scalar(sv));
            }
            elements.push(self.spill_sv(sv));
        }
        let count = elements.len();
        let shape = vec![Expr::int(count as i64, span)];
        Ok(fresh(
            Node::Items(elements),
            shape,
            vec![Extent::Fixed(count as u32)],
        ))
    }

    /// `[x] * n`.
    pub fn repeated(&mut self, list: Elementwise, count: Val, span: Span) -> R<Val> {
        let Node::Items(items) = &list.node else {
            return Err(unsupported("a product with a list that is computed", span));
        };
        let count = self.need_scalar(count, "a number of repetitions", span)?;
        if count.is_bottom() {
            return Ok(Val::Scalar(count));
        }
        if count.kinds != Kinds::of(Kind::PyInt) {
            return Err(unsupported(
                "a list repeated a number of times that is no int",
                span,
            ));
        }
        self.tally(Work::Builtin, 1.0);
        if let Some(times) = count.as_int() {
            let times = usize::try_from(times.max(0)).unwrap_or(usize::MAX);
            let all = items.len().saturating_mul(times);
            if items.len() > 1 && (1..=LONGEST).contains(&all) {
                let items = items.iter().cycle().take(all).cloned().collect();
                let like = vec![Extent::Fixed(all as u32)];
                return Ok(fresh(
                    Node::Items(items),
                    vec![Expr::int(all as i64, span)],
                    like,
                ));
            }
        }
        let ([item], Some(extent)) = (items.as_slice(), self.exact_extent(&count.e)) else {
            return Err(no_size(span));
        };
        Ok(fresh(
            Node::Scalar(item.clone()),
            vec![count.e],
            vec![extent],
        ))
    }

    /// `[element for target in iter if tests ...]`, computed into memory of its own.
    pub fn list_comprehension(&mut self, all: &hir::ListComprehension, span: Span) -> R<Val> {
        self.forget(&all.fresh, span);
        self.tally(Work::Builtin, 1.0);
        let count = has_tests(&all.each).then(|| self.counter(span));
        let mut made: Option<(ArrayId, Section)> = None;
        let each = std::slice::from_ref(&all.each);
        self.each_element(each, None, span, &mut |l, element, (extent, place)| {
            let at = count.map_or(place, |var| build::var(var, Ty::PY_INT, span));
            let value = l.expr(element)?;
            made = l.put_item(value, extent, at, span)?;
            count.into_iter().for_each(|var| l.count_on(var, span));
            Ok(())
        })?;
        let Some((array, mut section)) = made else {
            return Ok(Val::Scalar(Sv::bottom(span)));
        };
        if let Some(count) = count {
            self.stable.push(count);
            let (zero, count) = (Expr::int(0, span), build::var(count, Ty::PY_INT, span));
            section = section.narrowed(0, zero, count);
        }
        let like = self.arrays[array].like.clone();
        Ok(fresh(Node::Part(section.clone()), section.shape(), like))
    }

    /// The loops and tests of a comprehension, with `body` for each element. `around`: how many there would be without tests, and the
    /// place of this one among them, by the loops around.
    fn each_element(
        &mut self,
        block: &[hir::Stmt],
        around: Option<Place>,
        span: Span,
        body: &mut dyn FnMut(&mut Self, &hir::Expr, Place) -> R<()>,
    ) -> R<()> {
        match (block.first().map(|s| &s.kind), around) {
            (Some(Stmt::Effect(element)), Some(place)) => body(self, element, place),
            (
                Some(Stmt::If {
                    test, body: inner, ..
                }),
                around,
            ) => {
                let cond = self.cond(test)?;
                let within = |l: &mut Self| l.inner(|l| l.each_element(inner, around, span, body));
                let ((), then) = self.scaled(HALF, within)?;
                let orelse = vec![];
                self.emit(StmtKind::If { cond, then, orelse }, span);
                Ok(())
            }
            (
                Some(Stmt::For {
                    target,
                    iter,
                    body: inner,
                    ..
                }),
                around,
            ) => self.each_item(iter, span, |l, (extent, length), item, counter| {
                l.assign_target(target, item, span)?;
                let place = match around {
                    None => (extent, counter),
                    Some((many, at)) => {
                        let int = |op, a, b| build::binary(op, a, b, Ty::PY_INT, false, span);
                        let first = int(BinOp::Mul, at, length);
                        // Neither is below zero.
                        let many = l.facts.computed(BinOp::Max, many, Extent::Fixed(0));
                        let each = l.facts.computed(BinOp::Max, extent, Extent::Fixed(0));
                        let all = l.facts.computed(BinOp::Mul, many, each);
                        (all, int(BinOp::Add, first, counter))
                    }
                };
                l.each_element(inner, Some(place), span, body)
            }),
            _ => Err(no_size(span)),
        }
    }

    /// Refuses a list of which only running tells how long it is, where nobody asks for that.
    fn of_known_length(&self, list: &Elementwise, span: Span) -> R<()> {
        match self.is_counted(list) {
            true => Err(unsupported(
                "a list whose length only running tells, but as a value that is not looked at",
                span,
            )),
            false => Ok(()),
        }
    }

    /// Whether a list has as many elements as were counted: the memory that it lies in may be longer.
    fn is_counted(&self, list: &Elementwise) -> bool {
        let made = matches!(&list.node, Node::Part(s) if self.arrays[s.array].list);
        let most = list.like.as_ref().and_then(|like| like.first().copied());
        made && list.shape.first().and_then(|len| self.exact_extent(len)) != most
    }

    /// Whether it is all of a list that the nest makes, or a row of it.
    fn is_whole_list(&self, section: &Section) -> bool {
        let whole = |axis: &Axis| match axis {
            Axis::Range { start, len, step } => {
                start.as_int() == Some(0) && *step == 1 && matches!(len.kind, ExprKind::Dim(..))
            }
            _ => true,
        };
        self.arrays[section.array].list && section.axes.iter().all(whole)
    }

    /// Stores an item of a list of so many; a row of a list of lists by its elements. None: its type is not known yet.
    fn put_item(
        &mut self,
        value: Val,
        extent: Extent,
        counter: Expr,
        span: Span,
    ) -> R<Option<(ArrayId, Section)>> {
        let mut like = vec![extent];
        let row = match value {
            Val::List(row) => {
                self.of_known_length(&row, span)?;
                like.extend(row.like.iter().flatten().copied());
                *row
            }
            other => {
                let sv = self.need_scalar(other, "an item of a list", span)?;
                if sv.is_bottom() {
                    return Ok(None);
                }
                let sv = self.spill_sv(sv);
                Elementwise {
                    node: Node::Scalar(sv),
                    shape: vec![],
                    like: Some(vec![]),
                    fresh: true,
                    whole: true,
                    lent: false,
                    viewed: false,
                }
            }
        };
        let Some((storage, ty)) = self.type_of_items(&row, span)? else {
            return Ok(None);
        };
        let (array, section) = self.temporary_list(like, storage, ty, span)?;
        let mut to = section.clone();
        to.axes[0] = Axis::At(counter);
        self.copy_items(&to, &row, span)?;
        self.let_go_of_list(&row);
        Ok(Some((array, section)))
    }

    /// Memory for a list until it is released.
    fn temporary_list(
        &mut self,
        like: Vec<Extent>,
        storage: Scalar,
        ty: Ty,
        span: Span,
    ) -> R<(ArrayId, Section)> {
        let made = Made {
            storage,
            like,
            starts: None,
            list: Some(ty),
        };
        let array = self.temporary_array(&made, span)?;
        Ok((array, self.all_of_list(array, span)))
    }

    /// The type of a list's elements; none: it is not known yet.
    fn type_of_items(&mut self, list: &Elementwise, span: Span) -> R<Option<(Scalar, Ty)>> {
        let kinds = match &list.node {
            Node::Scalar(sv) => sv.kinds,
            Node::Items(items) => items
                .iter()
                .fold(Kinds::NONE, |all, sv| all.union(sv.kinds)),
            Node::Part(section) => Kinds::of_ty(self.arrays[section.array].elem),
            _ => Kinds::NONE,
        };
        if kinds.is_empty() {
            return Ok(None);
        }
        let known = element(kinds).ok_or_else(|| {
            let what = format!("a list of {kinds}");
            refuse(span, Refusal::Unsupported { what })
        })?;
        Ok(Some(known))
    }

    /// All of a list that the nest makes.
    pub fn all_of_list(&self, array: ArrayId, span: Span) -> Section {
        let decl = &self.arrays[array];
        let axis = |k: usize| Axis::Range {
            start: Expr::int(0, span),
            len: build::dim(array, k, span),
            step: 1,
        };
        Section {
            capture: decl.capture,
            array,
            axes: (0..decl.rank as usize).map(axis).collect(),
        }
    }

    /// A part of a list that the nest makes, all of it or a row, as a view.
    pub fn view_of_list(&self, section: &Section) -> View {
        let at = section.axes.iter().map_while(|axis| match axis {
            Axis::At(e) => Some(e.clone()),
            _ => None,
        });
        let index: Vec<Expr> = at.collect();
        View {
            capture: section.capture,
            array: section.array,
            checked: vec![true; index.len()],
            index,
        }
    }

    /// A view of a list that the nest makes, as what names are given.
    pub fn list_as_part(&mut self, view: View, span: Span) -> Elementwise {
        let whole = view.index.is_empty();
        let section = self.section_of_view(view, span);
        Elementwise {
            whole,
            ..Elementwise::of(section, &self.arrays)
        }
    }

    /// A new list as a view of where it lies; other values as they are.
    pub fn settled_list(&mut self, value: Val, span: Span) -> R<Val> {
        let Val::List(mut list) = value else {
            return Ok(value);
        };
        self.of_known_length(&list, span)?;
        let lies = matches!(&list.node, Node::Part(section) if self.is_whole_list(section));
        if !lies {
            list = match self.kept_list(*list, span)? {
                Val::List(kept) => kept,
                other => return Ok(other),
            };
        }
        match &list.node {
            Node::Part(section) => Ok(Val::View(self.view_of_list(section))),
            _ => Err(no_size(span)),
        }
    }

    /// A list that an inlined call returns: a new one, if it has made it.
    pub fn list_of_call(&mut self, view: View, own: &[LocalId], span: Span) -> Val {
        let tree = self.list_as_part(view.clone(), span);
        match tree.whole && self.is_named_by(&tree, own) {
            true => Val::List(Box::new(Elementwise {
                fresh: true,
                ..tree
            })),
            false => Val::View(view),
        }
    }

    /// The same list, in memory that nothing else is stored into.
    pub fn kept_list(&mut self, list: Elementwise, span: Span) -> R<Val> {
        self.of_known_length(&list, span)?;
        let Some((storage, ty)) = self.type_of_items(&list, span)? else {
            return Ok(Val::Scalar(Sv::bottom(span)));
        };
        let like = list.like.clone().ok_or_else(|| no_size(span))?;
        let (_, to) = self.temporary_list(like.clone(), storage, ty, span)?;
        self.copy_items(&to, &list, span)?;
        self.let_go_of_list(&list);
        Ok(fresh(Node::Part(to.clone()), to.shape(), like))
    }

    /// The list at entry of a web that assignments make lists for, if it has one.
    fn list_at_start(&self, web: WebId) -> Option<(Scalar, Ty, Vec<Extent>, u32)> {
        let local = self.webs.entry.get(web).copied().flatten()?;
        let capture = self.hir.locals.get(local)?.capture?;
        match self.captures.get(capture as usize)? {
            Capture::Array {
                kind: ArrayKind::List,
                storage,
                elem,
                rank,
                ..
            } => {
                let (storage, elem) = match self.facts.num_slots.contains(&capture) {
                    true => (Scalar::Num, Ty::PY_NUM),
                    false => (*storage, *elem),
                };
                let plus = 0;
                let axis = |axis| Extent::Axis {
                    capture,
                    axis,
                    plus,
                };
                Some((storage, elem, (0..*rank).map(axis).collect(), capture))
            }
            _ => None,
        }
    }

    /// Computes a list into the memory of a web; none: its type is not known in this round.
    pub fn make_list(&mut self, web: WebId, tree: &Elementwise, span: Span) -> R<Option<Section>> {
        let Some((storage, ty)) = self.type_of_items(tree, span)? else {
            return Ok(None);
        };
        let like = tree.like.clone().ok_or_else(|| no_size(span))?;
        if self.webs.of_occ.contains(&Some(web)) {
            self.of_known_length(tree, span)?;
        }
        if self.facts.webs[web].made.is_none() {
            let made = match self.list_at_start(web) {
                Some((storage, ty, like, capture)) => Made {
                    storage,
                    like,
                    starts: Some(capture),
                    list: Some(ty),
                },
                None => Made {
                    storage,
                    like: like.clone(),
                    starts: None,
                    list: Some(ty),
                },
            };
            self.facts.restart |= made.starts.is_some();
            self.facts.webs[web].made = Some(made);
            self.facts.changed = true;
        }
        self.hold(web, storage, ty, span)?;
        let Some((array, made)) = self.made_array(web, span)? else {
            return Ok(None);
        };
        if made.like.len() != like.len() {
            return Err(self.type_changes(web, span));
        }
        let mut to = self.all_of_list(array, span);
        if self.is_counted(tree) {
            if made.like != like {
                return Err(self.type_changes(web, span));
            }
            to = to.narrowed(0, Expr::int(0, span), tree.shape[0].clone());
        }
        for ((own, axis), (len, other)) in to
            .shape()
            .iter()
            .zip(&made.like)
            .zip(tree.shape.iter().zip(&like))
        {
            if axis != other {
                let zero = Expr::int(0, span);
                let len = build::binary(BinOp::Max, len.clone(), zero, Ty::PY_INT, false, span);
                let same = build::compare(CmpOp::Eq, own.clone(), len, Ty::PY_BOOL, span);
                self.emit_check(same);
            }
        }
        self.may_be_made(array, &made, span)?;
        self.made_anew(web, span);
        self.copy_items(&to, tree, span)?;
        self.let_go_of_list(tree);
        Ok(Some(to))
    }

    /// Elements of one more type go into the memory of a web's lists.
    fn hold(&mut self, web: WebId, storage: Scalar, ty: Ty, span: Span) -> R<()> {
        let Some(made) = &mut self.facts.webs[web].made else {
            return Ok(());
        };
        if made.storage == storage && made.list == Some(ty) {
            return Ok(());
        }
        let numbers = [Scalar::I64, Scalar::F64, Scalar::Num];
        let python = |ty: Option<Ty>| ty.is_some_and(|ty| ty.prov == Prov::Py);
        if !python(made.list)
            || !python(Some(ty))
            || !numbers.contains(&made.storage)
            || !numbers.contains(&storage)
        {
            return Err(self.type_changes(web, span));
        }
        self.facts.wish(Wish::Made(web));
        Ok(())
    }

    /// Stores the items of a list into a part of memory of the same shape.
    fn copy_items(&mut self, to: &Section, list: &Elementwise, span: Span) -> R<()> {
        if let (Node::Items(items), 1) = (&list.node, to.shape().len()) {
            for (k, item) in items.iter().enumerate() {
                let place = [Expr::int(k as i64, span)];
                self.fill_element(to, false, &place, item.clone(), span)?;
            }
            return Ok(());
        }
        self.over(&to.shape(), span, |l, counters| {
            let value = l.element_of(&list.node, counters, span)?;
            l.fill_element(to, false, counters, value, span)
        })
    }

    /// Memory that a list was computed into is free, once it has been copied.
    fn let_go_of_list(&mut self, list: &Elementwise) {
        if let (Node::Part(section), true) = (&list.node, list.fresh) {
            self.in_use.remove(&section.array);
        }
    }
}
