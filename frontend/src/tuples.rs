//! Names that hold a tuple of scalars: `where = (y, x)`.
//!
//! Such a name is not a value of the nest. Each of its elements is a local of its own, and what is written back is a
//! tuple made of them. This holds where nothing in the site sees the tuple as an object: it is assigned displays of
//! one length only, and read by constant subscripts and by unpacking. What it held before is never read.

use std::collections::{BTreeMap, BTreeSet};

use nestwise_ir::PlaceId;
use nestwise_ir::surface::{Expr, ExprKind, Scope, Site, Stmt, StmtKind, Target, UnOp};

use crate::places::flow_of_loop;

/// The names of the site that are such tuples, with their lengths.
pub(super) fn tuple_places(site: &Site) -> BTreeMap<PlaceId, usize> {
    let mut scan = Scan::default();
    scan.stmt(&site.top);
    // An attribute of it is an attribute of the object.
    scan.whole
        .extend(site.places.values().filter_map(|p| p.parent));
    let flow = flow_of_loop(&site.places, &site.top);
    scan.lengths.retain(|id, _| {
        let place = &site.places[*id];
        let name = place.written && place.parent.is_none() && place.scope != Scope::Attr;
        name && !scan.whole.contains(id) && !flow.reads.contains_key(id)
    });
    for (id, index) in &scan.uses {
        if scan
            .lengths
            .get(id)
            .is_some_and(|n| element(*index, *n).is_none())
        {
            scan.lengths.remove(id);
        }
    }
    scan.lengths
}

/// The element that a constant subscript names.
pub(super) fn element(index: i128, length: usize) -> Option<usize> {
    let length = i128::try_from(length).ok()?;
    let at = if index < 0 { index + length } else { index };
    usize::try_from(at).ok().filter(|_| at < length)
}

/// A subscript that is an int literal.
pub(super) fn constant_index(index: &[Expr]) -> Option<i128> {
    match index {
        [one] => match &one.kind {
            ExprKind::Int(v) => Some(*v),
            ExprKind::Unary(UnOp::Neg, a) => match a.kind {
                ExprKind::Int(v) => v.checked_neg(),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

#[derive(Default)]
struct Scan {
    /// Places that are assigned displays, and their length.
    lengths: BTreeMap<PlaceId, usize>,
    /// Places that are used in any other way.
    whole: BTreeSet<PlaceId>,
    /// Constant subscripts.
    uses: Vec<(PlaceId, i128)>,
}

impl Scan {
    fn block(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { targets, value } => self.assign(targets, value),
            StmtKind::AugAssign { target, value, .. } => {
                self.target(target);
                self.expr(value);
            }
            StmtKind::If { test, body, orelse } | StmtKind::While { test, body, orelse } => {
                self.expr(test);
                self.block(body);
                self.block(orelse);
            }
            StmtKind::For {
                target,
                iter,
                body,
                orelse,
            } => {
                self.target(target);
                self.expr(iter);
                self.block(body);
                self.block(orelse);
            }
            StmtKind::Return(Some(value)) | StmtKind::Call(value) => self.expr(value),
            StmtKind::Return(None)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Raise
            | StmtKind::Pass => {}
        }
    }

    fn assign(&mut self, targets: &[Target], value: &Expr) {
        match (targets, &value.kind) {
            // Elements that are tuples themselves are objects that somebody may see.
            ([Target::Place(id)], ExprKind::Tuple(items))
                if !items.is_empty() && !items.iter().any(is_tuple) =>
            {
                let length = *self.lengths.entry(*id).or_insert(items.len());
                if length != items.len() {
                    self.whole.insert(*id);
                }
                items.iter().for_each(|e| self.expr(e));
            }
            ([Target::Tuple(items)], ExprKind::Place(_)) => {
                items.iter().for_each(|t| self.target(t));
            }
            _ => {
                targets.iter().for_each(|t| self.target(t));
                self.expr(value);
            }
        }
    }

    fn target(&mut self, target: &Target) {
        match target {
            Target::Place(id) => {
                self.whole.insert(*id);
            }
            Target::Subscript(base, index) => {
                self.expr(base);
                index.iter().for_each(|e| self.expr(e));
            }
            Target::Tuple(items) => items.iter().for_each(|t| self.target(t)),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Place(id) => {
                self.whole.insert(*id);
            }
            ExprKind::Subscript(base, index) => match (&base.kind, constant_index(index)) {
                (ExprKind::Place(id), Some(at)) => self.uses.push((*id, at)),
                _ => {
                    self.expr(base);
                    index.iter().for_each(|e| self.expr(e));
                }
            },
            ExprKind::Attr(a, _)
            | ExprKind::Unary(_, a)
            | ExprKind::InText(a, _)
            | ExprKind::IsNone(a) => self.expr(a),
            ExprKind::Call { func, args, kwargs } => {
                self.expr(func);
                args.iter().for_each(|e| self.expr(e));
                kwargs.iter().for_each(|(_, e)| self.expr(e));
            }
            ExprKind::Binary(_, a, b) | ExprKind::MatMul(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::And(items)
            | ExprKind::Or(items)
            | ExprKind::Tuple(items)
            | ExprKind::List(items) => {
                items.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Compare(first, rest) => {
                self.expr(first);
                rest.iter().for_each(|(_, e)| self.expr(e));
            }
            ExprKind::IfExp { test, body, orelse } => {
                self.expr(test);
                self.expr(body);
                self.expr(orelse);
            }
            ExprKind::Slice { start, stop, step } => {
                let parts = [start, stop, step].into_iter().flatten();
                parts.for_each(|e| self.expr(e));
            }
            ExprKind::Comprehension {
                func,
                element,
                target,
                iter,
                tests,
            } => {
                self.expr(func);
                self.expr(element);
                self.target(target);
                self.expr(iter);
                tests.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Imag(_)
            | ExprKind::Bool(_)
            | ExprKind::None
            | ExprKind::Ellipsis
            | ExprKind::Str(_)
            | ExprKind::Bytes(_) => {}
        }
    }
}

fn is_tuple(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Tuple(_))
}
