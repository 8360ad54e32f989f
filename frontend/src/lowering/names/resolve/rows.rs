//! Names that hold an object of one list, as far as the text tells: what loops over the list, or a subscript of it,
//! gives them. CPython is given such an object as an item of the list.

use std::collections::HashMap;

use nestwise_ir::{PathId, surface as s};

use crate::lowering::hir::{Expr, ExprKind, HostObject};
use crate::lowering::names::resolve::fragments::Draft;
use crate::lowering::names::resolve::{Names, Resolver};
use crate::site::captures::Capture;
use crate::site::item_attributes::targets;
use crate::site::walk::walk_stmts;

/// Methods that keep what they are given, and look at nothing of it.
const KEEPING: [&str; 3] = ["append", "appendleft", "insert"];

/// The names of a site that only ever hold objects of one list, each with the list's capture.
pub(crate) fn rows(site: &s::Site, captures: &[Capture]) -> HashMap<PathId, u32> {
    let mut found: HashMap<PathId, Option<u32>> = HashMap::new();
    let list_of = |e: &s::Expr| match e.kind {
        s::ExprKind::Path(id) if !site.paths[id].written => {
            let of_objects = matches!(captures.get(id.index()), Some(Capture::Objects { .. }));
            of_objects.then_some(id.0)
        }
        _ => None,
    };
    let mut define = |path: PathId, list: Option<u32>| {
        let known = found.entry(path).or_insert(list);
        if *known != list {
            *known = None;
        }
    };
    walk_stmts(
        std::slice::from_ref(&site.top),
        &mut |stmt| match &stmt.kind {
            s::StmtKind::For { target, iter, .. } => {
                items_of(site, target, iter, &mut |path, e| {
                    define(path, e.and_then(list_of));
                });
            }
            s::StmtKind::Assign { targets, value } => {
                let list = match &value.kind {
                    s::ExprKind::Subscript(base, index) if !index.iter().any(s::Expr::is_slice) => {
                        list_of(base)
                    }
                    _ => None,
                };
                for target in targets {
                    match target {
                        s::Target::Path(path) => define(*path, list),
                        other => names_in(other, &mut |path| define(path, None)),
                    }
                }
            }
            _ => targets(stmt, &mut |t| names_in(t, &mut |path| define(path, None))),
        },
    );
    let known = found.into_iter();
    known
        .filter_map(|(path, list)| Some((path, list?)))
        .collect()
}

fn names_in(target: &s::Target, f: &mut dyn FnMut(PathId)) {
    match target {
        s::Target::Path(path) => f(*path),
        s::Target::Tuple(items) => items.iter().for_each(|item| names_in(item, f)),
        s::Target::Subscript(..) | s::Target::Attr(..) => {}
    }
}

/// Calls `f` on the names that a loop assigns, with what each gets the items of, if it is one iterable.
fn items_of(
    site: &s::Site,
    target: &s::Target,
    iter: &s::Expr,
    f: &mut dyn FnMut(PathId, Option<&s::Expr>),
) {
    if let s::Target::Path(path) = target
        && let s::ExprKind::Path(_) = iter.kind
    {
        return f(*path, Some(iter));
    }
    if let s::ExprKind::Call { func, args, .. } = &iter.kind
        && let s::ExprKind::Path(id) = func.kind
    {
        match (site.paths[id].name.as_str(), target, args.as_slice()) {
            ("reversed", target, [inner]) => return items_of(site, target, inner, f),
            ("enumerate", s::Target::Tuple(two), [inner, ..]) if two.len() == 2 => {
                names_in(&two[0], &mut |path| f(path, None));
                return items_of(site, &two[1], inner, f);
            }
            ("zip", s::Target::Tuple(items), all) if items.len() == all.len() => {
                for (item, inner) in items.iter().zip(all) {
                    items_of(site, item, inner, f);
                }
                return;
            }
            _ => {}
        }
    }
    names_in(target, &mut |path| f(path, None));
}

impl Resolver<'_> {
    /// Whether a call is of a method that keeps what it is given.
    pub(crate) fn keeps(&self, names: &Names, func: &s::Expr) -> bool {
        match func.kind {
            s::ExprKind::Path(id) => {
                let path = &names.paths[id];
                path.parent.is_some() && KEEPING.contains(&path.name.as_str())
            }
            _ => false,
        }
    }

    /// Whether a call keeps an object of a list. CPython is called for it in branches from which iterations exit, too: it
    /// is no rare thing to pick objects.
    pub(crate) fn keeps_row(&self, names: &Names, e: &s::Expr) -> bool {
        let s::ExprKind::Call { func, args, .. } = &e.kind else {
            return false;
        };
        let is_row = |e: &s::Expr| match &e.kind {
            s::ExprKind::Tuple(items) => items.iter().any(|e| self.row_of(names, e).is_some()),
            _ => self.row_of(names, e).is_some(),
        };
        !self.in_header && self.keeps(names, func) && args.iter().any(is_row)
    }

    /// The list that a name holds an object of.
    pub(crate) fn row_of(&self, names: &Names, e: &s::Expr) -> Option<u32> {
        let s::ExprKind::Path(id) = e.kind else {
            return None;
        };
        self.rows.get(&id).copied().filter(|_| names.call.is_none())
    }

    /// Writes a name that holds an object of a list as an item of the list, whose index is computed natively.
    pub(crate) fn row(
        &mut self,
        names: &mut Names,
        (e, list): (&s::Expr, u32),
        draft: &mut Draft,
    ) -> Option<()> {
        let object = Box::new(self.native_expr(names, e).ok()?);
        let kind = ExprKind::IndexOf(object, list);
        let (index, _) = draft.scalar(Expr { kind, span: e.span });
        let known = draft.objects.iter().position(|o| o.capture == list);
        let at = known.unwrap_or_else(|| {
            let name = format!("o{}", draft.objects.len());
            draft.objects.push(HostObject {
                name,
                capture: list,
                changed: false,
            });
            draft.objects.len() - 1
        });
        self.uses.read.insert(list);
        let text = format!("{}[{index}]", draft.objects[at].name);
        draft.text.push_str(&text);
        draft.holds_rows = true;
        Some(())
    }
}
