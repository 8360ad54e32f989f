//! Names that hold a tuple of scalars: `where = (y, x)`, `state = step(state, dt)`.
//!
//! Such a name is not a value of the nest. Each of its elements is a local of its own, and a tuple made of them is
//! written back. This holds where nothing sees the tuple as an object: the name is assigned displays of one length, or
//! the results of user functions that return no other tuples; it is read by constant subscripts, by unpacking and by
//! loops over it, and handed to such functions. In a function, whose names nobody sees afterwards, elements may be
//! displays of tuples in turn. The value that a site's name holds at the beginning is looked at item by item.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nestwise_ir::surface::{
    AccessPath, Expr, ExprKind, Function, Item, Scope, Site, Stmt, StmtKind, Target, UnOp,
};
use nestwise_ir::{Arena, PathId};

use crate::site::definite_assignment::flow_of_loop;
use crate::site::item_attributes::item_name;
use crate::site::walk::{children, walk_stmts};

/// The kind of a callee.
pub(crate) enum Callee {
    /// The callee is not known yet.
    Any,
    /// A function that is inlined.
    User {
        function: Arc<Function>,
        /// The number of its first parameters that are not given by arguments of the call.
        skipped: usize,
        /// The length of the tuples that it returns, if it returns nothing else.
        length: Option<usize>,
    },
    /// The callee is a list's `append`, or a method of a dictionary or set, which get tuples of their own.
    Taker,
    Other,
}

/// The form of an element of a tuple.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Scalar,
    Tuple(Vec<Form>),
}

/// The form of a tuple of `length` scalars.
fn flat(length: usize) -> Vec<Form> {
    vec![Form::Scalar; length]
}

fn is_flat(form: &[Form]) -> bool {
    form.iter().all(|element| *element == Form::Scalar)
}

/// The form of a display's items, of which some may be displays in turn.
fn form_of(items: &[Expr]) -> Vec<Form> {
    let form = |e: &Expr| match &e.kind {
        ExprKind::Tuple(items) => Form::Tuple(form_of(items)),
        _ => Form::Scalar,
    };
    items.iter().map(form).collect()
}

/// A function that tells what a called expression is.
pub(crate) type Callees<'a> = &'a dyn Fn(&Expr) -> Callee;

/// The names of a site that may hold tuples of scalars, with the tuples' lengths.
pub(crate) fn tuples_of_site(site: &Site, callee: Callees<'_>) -> BTreeMap<PathId, usize> {
    let mut scan = Scan::new(callee, false);
    scan.stmt(&site.top);
    let found = scan.found(&site.paths).into_iter();
    found.map(|(id, form)| (id, form.len())).collect()
}

/// The local names of a function that hold tuples of scalars and of such tuples, with the tuples' forms.
pub(crate) fn tuples_of_function(f: &Function, callee: Callees<'_>) -> BTreeMap<PathId, Vec<Form>> {
    let mut scan = Scan::new(callee, true);
    scan.block(&f.body);
    scan.whole.extend(f.bound());
    scan.found(&f.paths)
}

/// Makes access paths of the items of tuples that the site reads before it assigns them.
pub(crate) fn add_items(site: &mut Site) {
    let reads = flow_of_loop(&site.paths, &site.top).reads;
    for (id, length) in tuples_of_site(site, &|_| Callee::Any) {
        if !site.paths[id].captured || !reads.contains_key(&id) {
            continue;
        }
        for which in 0..length as u32 {
            let of = length as u32;
            site.paths.push(AccessPath {
                parent: Some(id),
                name: item_name(which as usize),
                scope: Scope::Attr,
                captured: true,
                written: false,
                item: Some(Item::OfTuple { which, of }),
            });
        }
    }
}

/// The index of the element that a constant subscript names; `None` where it is out of range.
pub(crate) fn element(index: i128, length: usize) -> Option<usize> {
    let length = i128::try_from(length).ok()?;
    let at = if index < 0 { index + length } else { index };
    usize::try_from(at).ok().filter(|_| at < length)
}

/// The value of a subscript that is an int literal; `None` for others.
pub(crate) fn constant_index(index: &[Expr]) -> Option<i128> {
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

struct Scan<'a> {
    callee: Callees<'a>,
    /// Whether the statements are a function's, whose returned tuples are not seen as objects.
    in_function: bool,
    /// The access paths that are assigned displays, with the displays' form.
    forms: BTreeMap<PathId, Vec<Form>>,
    /// The access paths that are used in any other way.
    whole: BTreeSet<PathId>,
    /// The constant subscripts of access paths.
    uses: Vec<(PathId, i128)>,
}

impl<'a> Scan<'a> {
    fn new(callee: Callees<'a>, in_function: bool) -> Scan<'a> {
        Scan {
            callee,
            in_function,
            forms: BTreeMap::new(),
            whole: BTreeSet::new(),
            uses: vec![],
        }
    }

    fn found(mut self, paths: &Arena<PathId, AccessPath>) -> BTreeMap<PathId, Vec<Form>> {
        // An attribute of it is an attribute of the object.
        let attributes = paths.values().filter(|p| p.item.is_none());
        self.whole.extend(attributes.filter_map(|p| p.parent));
        self.forms.retain(|id, form| {
            let path = &paths[*id];
            let name = path.written && path.parent.is_none() && path.scope != Scope::Attr;
            let there = |(_, index): &&(PathId, i128)| element(*index, form.len()).is_some();
            let uses = self.uses.iter().filter(|(used, _)| used == id);
            name && !self.whole.contains(id) && uses.clone().count() == uses.filter(there).count()
        });
        self.forms
    }

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
                if !matches!(iter.kind, ExprKind::Path(_)) {
                    self.expr(iter);
                }
                self.block(body);
                self.block(orelse);
            }
            StmtKind::Return(Some(value))
                if self.in_function && matches!(value.kind, ExprKind::Path(_)) => {}
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
            ([Target::Path(id)], ExprKind::Tuple(items))
                if !items.is_empty() && (self.in_function || !items.iter().any(is_tuple)) =>
            {
                self.is_tuple(*id, form_of(items));
                items.iter().for_each(|e| self.expr(e));
            }
            ([Target::Path(id)], ExprKind::Call { func, .. }) => {
                match (self.callee)(func) {
                    Callee::Any => {}
                    Callee::User {
                        length: Some(length),
                        ..
                    } => self.is_tuple(*id, flat(length)),
                    Callee::User { .. } | Callee::Taker | Callee::Other => {
                        self.whole.insert(*id);
                    }
                }
                self.expr(value);
            }
            ([Target::Tuple(items)], ExprKind::Path(_)) => {
                items.iter().for_each(|t| self.target(t));
            }
            _ => {
                targets.iter().for_each(|t| self.target(t));
                self.expr(value);
            }
        }
    }

    fn is_tuple(&mut self, id: PathId, form: Vec<Form>) {
        match self.forms.get(&id) {
            Some(known) if *known != form => _ = self.whole.insert(id),
            _ => _ = self.forms.insert(id, form),
        }
    }

    /// Scans the arguments of a call; an inlined function may take a tuple apart, as long as its parameter is not
    /// assigned.
    fn arguments(&mut self, func: &Expr, args: &[Expr], kwargs: &[(String, Expr)]) {
        let callee = (self.callee)(func);
        let takes = |param: Option<PathId>| match (&callee, param) {
            (Callee::Any | Callee::Taker, _) => true,
            (Callee::User { function, .. }, Some(param)) => !function.paths[param].written,
            _ => false,
        };
        let (function, skipped) = match &callee {
            Callee::User {
                function, skipped, ..
            } => (Some(function), *skipped),
            _ => (None, 0),
        };
        let named = |name: &String| {
            let f = function?;
            let mut params = f.params.iter().map(|p| p.path);
            params.find(|p| f.paths[*p].name == *name)
        };
        // Behind a star nobody knows which parameter an argument is for.
        let first_star = args.iter().position(Expr::is_star).unwrap_or(args.len());
        let at = |k: usize| {
            let known = Some(k).filter(|k| *k < first_star)?;
            Some(function?.params.get(known + skipped)?.path)
        };
        let given = args.iter().enumerate().map(|(k, e)| match &e.kind {
            // Taken apart, whoever is called.
            ExprKind::Star(tuple) => (true, &**tuple),
            _ => (takes(at(k)), e),
        });
        let given = given.chain(kwargs.iter().map(|(name, e)| (takes(named(name)), e)));
        for (takes, e) in given.collect::<Vec<_>>() {
            if !takes || !matches!(e.kind, ExprKind::Path(_)) {
                self.expr(e);
            }
        }
    }

    fn target(&mut self, target: &Target) {
        match target {
            Target::Path(id) => {
                self.whole.insert(*id);
            }
            Target::Subscript(base, index) => {
                self.expr(base);
                self.subscripts(index);
            }
            Target::Attr(base, _) => self.expr(base),
            Target::Tuple(items) => items.iter().for_each(|t| self.target(t)),
        }
    }

    /// Scans subscripts: a tuple that is the only one stands for a subscript for each element.
    fn subscripts(&mut self, index: &[Expr]) {
        match index {
            [whole] if matches!(whole.kind, ExprKind::Path(_)) => {}
            _ => index.iter().for_each(|e| self.expr(e)),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Path(id) => {
                self.whole.insert(*id);
            }
            ExprKind::Subscript(base, index) => match (&base.kind, constant_index(index)) {
                (ExprKind::Path(id), Some(at)) => self.uses.push((*id, at)),
                _ => {
                    self.expr(base);
                    self.subscripts(index);
                }
            },
            ExprKind::Call { func, args, kwargs } => {
                self.expr(func);
                self.arguments(func, args, kwargs);
            }
            // A key: nothing keeps it.
            ExprKind::Contains {
                item, container, ..
            } => {
                self.subscripts(std::slice::from_ref(item));
                self.expr(container);
            }
            ExprKind::Comprehension {
                func,
                element,
                parts,
                key,
            } => {
                key.iter().for_each(|(_, e)| self.expr(e));
                func.iter().for_each(|e| self.expr(e));
                self.expr(element);
                for part in parts {
                    self.target(&part.target);
                    self.expr(&part.iter);
                    part.tests.iter().for_each(|e| self.expr(e));
                }
            }
            _ => children(e, &mut |e| self.expr(e)),
        }
    }
}

fn is_tuple(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Tuple(_))
}

/// The number of items of the tuples that a function returns; `None` if they differ or it returns something else.
pub(crate) fn returned(function: &Function, callee: Callees<'_>) -> Option<usize> {
    let own = tuples_of_function(function, callee);
    let length = |e: &Expr| match &e.kind {
        ExprKind::Tuple(items) if !items.iter().any(is_tuple) => Some(items.len()),
        ExprKind::Path(id) => own.get(id).filter(|form| is_flat(form)).map(Vec::len),
        ExprKind::Call { func, .. } => match callee(func) {
            Callee::User { length, .. } => length,
            _ => None,
        },
        _ => None,
    };
    let mut lengths = BTreeSet::new();
    walk_stmts(&function.body, &mut |stmt| {
        if let StmtKind::Return(value) = &stmt.kind {
            lengths.insert(value.as_ref().and_then(length));
        }
    });
    let only = lengths.pop_first().filter(|_| lengths.is_empty())?;
    only.filter(|length| *length > 0)
}
