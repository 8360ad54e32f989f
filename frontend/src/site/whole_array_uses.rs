//! Names of which a site may use more than an element at once.
//!
//! The statement `y[i] = x[i] * 2` is the same work each time, whatever `x` holds, if `x` has one axis; `y[i] = x[i]`
//! copies a row if it has two, and `x * y` may be one operation or a million. The work of such a site is not told by
//! its text and the bounds of its loops: it depends on how many axes arrays have, which is known when the site is
//! called.

use nestwise_ir::PathId;
use nestwise_ir::surface::{Expr, ExprKind, Site, Stmt, StmtKind, Target};

use crate::site::walk::{children, walk_stmts};

/// An access path, and the number of axes for which an array in it is used element by element: one of more axes is used
/// in larger parts somewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WholeArrayUse {
    /// The access path.
    pub path: PathId,
    /// The fewest subscripts that the path has anywhere, without slices.
    pub axes: u32,
}

/// The whole-array uses of a site, each access path once.
pub(crate) fn whole_array_uses(site: &Site) -> Vec<WholeArrayUse> {
    let mut uses = Uses {
        site,
        found: vec![],
    };
    walk_stmts(std::slice::from_ref(&site.top), &mut |stmt| uses.stmt(stmt));
    uses.found
}

/// The attributes that do not use an array's elements.
const FACTS: [&str; 4] = ["shape", "size", "ndim", "dtype"];

struct Uses<'a> {
    site: &'a Site,
    found: Vec<WholeArrayUse>,
}

impl Uses<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { targets, value } => {
                targets.iter().for_each(|target| self.target(target));
                self.value(value, 0);
            }
            StmtKind::AugAssign { target, value, .. } => {
                if let Target::Path(path) = target {
                    self.add(*path, 0);
                }
                self.target(target);
                self.value(value, 0);
            }
            StmtKind::For { target, iter, .. } => {
                self.target(target);
                self.value(iter, 1);
            }
            StmtKind::If { test, .. } | StmtKind::While { test, .. } => self.value(test, 0),
            StmtKind::Return(Some(value)) | StmtKind::Call(value) => self.value(value, 0),
            StmtKind::Return(None)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Raise
            | StmtKind::Pass => {}
        }
    }

    fn target(&mut self, target: &Target) {
        match target {
            Target::Path(_) => {}
            Target::Subscript(base, index) => self.subscript(base, index, 0),
            Target::Attr(base, _) => self.value(base, 0),
            Target::Tuple(items) => items.iter().for_each(|item| self.target(item)),
        }
    }

    /// Looks at a value that has `axes` subscripts behind it.
    fn value(&mut self, expr: &Expr, axes: u32) {
        match &expr.kind {
            ExprKind::Path(path) => self.add(*path, axes),
            ExprKind::Subscript(base, index) => self.subscript(base, index, axes),
            ExprKind::Attr(base, name) if FACTS.contains(&name.as_str()) => {
                // A part of an array: its subscripts may be anything.
                if let ExprKind::Subscript(_, index) = &base.kind {
                    index.iter().for_each(|e| self.value(e, 0));
                }
            }
            ExprKind::Call { func, args, kwargs } => {
                self.called(func);
                let each = match self.name(func) {
                    Some("len") => return,
                    Some("enumerate" | "zip" | "reversed") => 1,
                    _ => 0,
                };
                let named = kwargs.iter().map(|(_, e)| e);
                args.iter().chain(named).for_each(|e| self.value(e, each));
            }
            _ => children(expr, &mut |e| self.value(e, 0)),
        }
    }

    fn subscript(&mut self, base: &Expr, index: &[Expr], axes: u32) {
        let taken = index.iter().filter(|e| !e.is_slice()).count() as u32;
        self.value(base, axes + taken);
        index.iter().for_each(|e| self.value(e, 0));
    }

    /// Looks at a called expression: a method may use all of its object.
    fn called(&mut self, func: &Expr) {
        match func.kind {
            ExprKind::Path(id) => {
                if let Some(object) = self.site.paths.get(id).and_then(|p| p.parent) {
                    self.add(object, 0);
                }
            }
            _ => self.value(func, 0),
        }
    }

    fn name(&self, func: &Expr) -> Option<&str> {
        let ExprKind::Path(id) = func.kind else {
            return None;
        };
        let path = self.site.paths.get(id)?;
        path.parent.is_none().then_some(path.name.as_str())
    }

    fn add(&mut self, path: PathId, axes: u32) {
        match self.found.iter_mut().find(|whole| whole.path == path) {
            Some(whole) => whole.axes = whole.axes.min(axes),
            None => self.found.push(WholeArrayUse { path, axes }),
        }
    }
}
