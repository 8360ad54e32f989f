//! Finds the few numbers that decide how much work a nest is.
//!
//! A site that lost against the interpreter is to be left alone while its sizes are as small. So the work must be
//! bounded by a function of several ints and lengths, its *atoms*, that grows with each of them. A loop over `range(a,
//! b, c)` has at most `|a| + |b|` trips, so it is enough that the size of each end is such a function: sums, products
//! and quotients of atoms are. Nothing here decides what a nest computes; a bound that is missed only costs the cheap
//! test.

use std::collections::HashMap;

use nestwise_ir::PathId;
use nestwise_ir::surface::{
    BinOp, Expr, ExprKind, Generator, Scope, Site, Stmt, StmtKind, Target, UnOp,
};

use crate::site::access_paths::is_stable;
use crate::site::bounds::{Atom, AtomKind, Bound};
use crate::site::item_attributes::exprs_of;
use crate::site::static_cost::{Effort, Turn};
use crate::site::walk::{children, targets_of, walk_expr, walk_stmts};

/// The most atoms that are worth a test.
pub(crate) const MAX_ATOMS: usize = 8;
/// The longest chain of definitions that is followed.
const MAX_CHAIN: u32 = 16;

/// The atoms that bound a site's work, if it is bounded, and the work of CPython.
pub(crate) fn atoms(site: &Site, reads: &[String]) -> (Option<Vec<Atom>>, Effort) {
    let top = std::slice::from_ref(&site.top);
    let mut finder = Finder {
        site,
        definitions: definitions(top),
        found: vec![],
        asked: HashMap::new(),
        open: false,
    };
    let turns = finder.block(top);
    let atoms = (!finder.open).then(|| finder.chosen(reads)).flatten();
    let all = finder.found.iter();
    let effort = Effort {
        atoms: all.map(|&(path, kind)| Atom { path, kind }).collect(),
        turns,
    };
    (atoms, effort)
}

/// The way in which an access path gets a value inside the site.
#[derive(Clone, Copy)]
enum Definition<'a> {
    /// The path gets this value in `path = value`.
    Value(&'a Expr),
    /// The path gets elements of this iterable in `for path in iter`, of a statement or a comprehension.
    Element(&'a Expr),
    /// The path gets a value in another way.
    Unknown,
}

fn definitions<'a>(stmts: &'a [Stmt]) -> HashMap<PathId, Vec<Definition<'a>>> {
    let mut all: HashMap<PathId, Vec<Definition<'a>>> = HashMap::new();
    walk_stmts(stmts, &mut |stmt| {
        let mut generator = |part: &'a Generator| {
            if let Target::Path(path) = part.target {
                let element = Definition::Element(&part.iter);
                all.entry(path).or_default().push(element);
            }
        };
        exprs_of(stmt, &mut |e| {
            walk_expr(e, &mut |e| {
                if let ExprKind::Comprehension { parts, .. } = &e.kind {
                    parts.iter().for_each(&mut generator);
                }
            });
        });
        let plain = match &stmt.kind {
            StmtKind::Assign { targets, value } => targets
                .iter()
                .map(|target| (target, Definition::Value(value)))
                .collect(),
            StmtKind::For { target, iter, .. } => vec![(target, Definition::Element(iter))],
            _ => vec![],
        };
        let is_plain = |(target, _): &(&Target, _)| matches!(target, Target::Path(_));
        if !plain.is_empty() && plain.iter().all(is_plain) {
            for (target, definition) in plain {
                if let Target::Path(path) = target {
                    all.entry(*path).or_default().push(definition);
                }
            }
        } else {
            targets_of(stmt, &mut |path| {
                all.entry(path).or_default().push(Definition::Unknown)
            });
        }
    });
    all
}

/// The trips of a loop over `range(ends...)`, whose ends are taken not to be negative.
fn trips(mut ends: Vec<Bound>, step: Option<&Expr>) -> Bound {
    let step = step.map(|step| match &step.kind {
        ExprKind::Int(v) => Some(*v as f64),
        ExprKind::Unary(UnOp::Neg, v) => match v.kind {
            ExprKind::Int(v) => Some(-(v as f64)),
            _ => None,
        },
        _ => None,
    });
    ends.truncate(2);
    let far = match (ends.len(), step) {
        (2, None) => ends.swap_remove(1),
        (2, Some(Some(step))) => {
            let far = ends.swap_remove(usize::from(step > 0.0));
            let each = Bound::Number(1.0 / step.abs().max(1.0));
            Bound::Product(Box::new(far), Box::new(each))
        }
        _ => Bound::Largest(ends),
    };
    far.short()
}

/// Whether a loop of this body may be left before its last iteration.
fn may_be_left(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Return(_) => true,
        StmtKind::If { body, orelse, .. } => may_be_left(body) || may_be_left(orelse),
        // A `break` inside is that loop's own.
        StmtKind::For { body, .. } | StmtKind::While { body, .. } => returns(body),
        _ => false,
    })
}

fn returns(body: &[Stmt]) -> bool {
    let mut found = false;
    walk_stmts(body, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Return(_))
    });
    found
}

/// An expression as an access path and a constant that is added to it; `None` for other expressions.
fn offset(expr: &Expr) -> Option<(PathId, f64)> {
    match &expr.kind {
        ExprKind::Path(path) => Some((*path, 0.0)),
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => match (&a.kind, &b.kind) {
            (ExprKind::Path(path), ExprKind::Int(n)) if *op == BinOp::Add => {
                Some((*path, *n as f64))
            }
            (ExprKind::Path(path), ExprKind::Int(n)) => Some((*path, -(*n as f64))),
            (ExprKind::Int(n), ExprKind::Path(path)) if *op == BinOp::Add => {
                Some((*path, *n as f64))
            }
            _ => None,
        },
        _ => None,
    }
}

struct Finder<'a> {
    site: &'a Site,
    definitions: HashMap<PathId, Vec<Definition<'a>>>,
    found: Vec<(PathId, AtomKind)>,
    /// The access paths, assigned inside the site, whose size was asked for, and the answer once it is there.
    asked: HashMap<PathId, Option<Bound>>,
    /// Whether something is not bounded.
    open: bool,
}

impl<'a> Finder<'a> {
    /// The operations of statements.
    fn block(&mut self, stmts: &'a [Stmt]) -> Turn {
        let mut turn = Turn::default();
        for stmt in stmts {
            self.stmt(stmt, &mut turn);
        }
        turn
    }

    fn stmt(&mut self, stmt: &'a Stmt, turn: &mut Turn) {
        match &stmt.kind {
            StmtKind::For {
                target,
                iter,
                body,
                orelse,
            } => {
                let mut trips = self.trips(iter);
                if may_be_left(body) {
                    trips = Bound::Left(Box::new(trips));
                }
                self.evaluated(iter, turn);
                let mut each = self.block(body);
                self.assigned(target, &mut each);
                turn.add_loop(trips, each);
                orelse.iter().for_each(|stmt| self.stmt(stmt, turn));
            }
            StmtKind::While { test, body, orelse } => {
                self.open = true;
                let mut each = self.block(body);
                self.evaluated(test, &mut each);
                turn.add_loop(Bound::ONE, each);
                orelse.iter().for_each(|stmt| self.stmt(stmt, turn));
            }
            StmtKind::If { test, body, orelse } => {
                self.evaluated(test, turn);
                for block in [body, orelse] {
                    turn.add_branch(self.block(block));
                }
            }
            StmtKind::Assign { targets, value } => {
                targets.iter().for_each(|t| self.assigned(t, turn));
                self.evaluated(value, turn);
            }
            StmtKind::AugAssign { target, value, .. } => {
                // Read and written.
                self.assigned(target, turn);
                self.assigned(target, turn);
                turn.add_operator();
                self.evaluated(value, turn);
            }
            StmtKind::Return(Some(value)) | StmtKind::Call(value) => self.evaluated(value, turn),
            StmtKind::Return(None)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Raise
            | StmtKind::Pass => {}
        }
    }

    /// Counts the operations of a target, besides those of the value.
    fn assigned(&mut self, target: &'a Target, turn: &mut Turn) {
        match target {
            Target::Path(_) => turn.add_name(),
            Target::Subscript(base, index) => {
                turn.add_element(base, index);
                std::iter::once(base)
                    .chain(index)
                    .for_each(|e| self.calls(e, turn));
            }
            Target::Attr(base, _) => {
                turn.add_element(base, &[]);
                self.calls(base, turn);
            }
            Target::Tuple(items) => items.iter().for_each(|item| self.assigned(item, turn)),
        }
    }

    fn evaluated(&mut self, expr: &'a Expr, turn: &mut Turn) {
        turn.add_expr(expr);
        self.calls(expr, turn);
    }

    /// The trips of a loop over an iterable; where it is not bounded, what is known of them, or at least 1.
    fn trips(&mut self, iter: &'a Expr) -> Bound {
        if let Some(trips) = self.window(iter) {
            return Bound::Number(trips);
        }
        if let Some(trips) = self.iterable(iter, 0) {
            // A triangle: on average its rows have half of what there is in the longest one.
            return match self.follows_counter(iter) {
                true => Bound::Product(Box::new(trips), Box::new(Bound::Number(0.5))),
                false => trips,
            };
        }
        self.open = true;
        let range = |f: &Self, func| f.builtin(func) == Some("range");
        match &iter.kind {
            ExprKind::Call { func, args, .. } if range(self, func) => {
                let ends = args.iter().take(2).rev();
                let known = ends.filter_map(|end| self.size(end, 0)).next();
                known.unwrap_or(Bound::ONE)
            }
            _ => Bound::ONE,
        }
    }

    /// The length of a range around a number, possibly cut off at the edges: `range(i - 1, i + 2)`, `range(max(i - 1,
    /// 0), min(i + 2, n))`. `None` for other iterables.
    fn window(&self, iter: &'a Expr) -> Option<f64> {
        let (first, last) = match self.range(iter)? {
            [first, last] => (first, last),
            _ => return None,
        };
        let (first, last) = (self.any_of("max", first), self.any_of("min", last));
        let lengths = first.iter().flat_map(|a| {
            let of = offset(a);
            last.iter().filter_map(move |b| {
                let ((p, low), (q, high)) = (of?, offset(b)?);
                (p == q && high > low).then_some(high - low)
            })
        });
        lengths.reduce(f64::min)
    }

    /// Whether a range begins or ends at the counter of a loop around it.
    fn follows_counter(&self, iter: &'a Expr) -> bool {
        let mut follows = false;
        let counts = |id: &PathId| match self.definitions.get(id).map(Vec::as_slice) {
            Some([Definition::Element(iter)]) => self.range(iter).is_some(),
            _ => false,
        };
        for end in self.range(iter).into_iter().flatten() {
            walk_expr(end, &mut |e| {
                follows |= matches!(&e.kind, ExprKind::Path(id) if counts(id));
            });
        }
        follows
    }

    /// The ends of a `range`; `None` for other iterables.
    fn range(&self, iter: &'a Expr) -> Option<&'a [Expr]> {
        match &iter.kind {
            ExprKind::Call { func, args, .. } if self.builtin(func) == Some("range") => {
                Some(&args[..args.len().min(2)])
            }
            _ => None,
        }
    }

    /// The arguments of a call of that builtin, or else the expression itself.
    fn any_of(&self, name: &str, expr: &'a Expr) -> &'a [Expr] {
        match &expr.kind {
            ExprKind::Call { func, args, .. } if self.builtin(func) == Some(name) => args,
            _ => std::slice::from_ref(expr),
        }
    }

    fn add(&mut self, path: PathId, kind: AtomKind) -> Option<Bound> {
        if !is_stable(&self.site.paths, path, &[]) {
            return None;
        }
        let atom = (path, kind);
        let known = self.found.iter().position(|found| *found == atom);
        Some(Bound::Atom(known.unwrap_or_else(|| {
            self.found.push(atom);
            self.found.len() - 1
        })))
    }

    /// The name of the builtin that `func` is, as far as the text shows.
    fn builtin(&self, func: &Expr) -> Option<&'a str> {
        let ExprKind::Path(id) = func.kind else {
            return None;
        };
        let path = self.site.paths.get(id)?;
        (path.scope == Scope::Global && !path.written).then_some(path.name.as_str())
    }

    /// The bound of the number of elements of an iterable, if there is one.
    fn iterable(&mut self, iter: &'a Expr, chain: u32) -> Option<Bound> {
        if let ExprKind::Call { func, args, .. } = &iter.kind {
            return match self.builtin(func)? {
                "range" => {
                    let ends = self.sizes(args, chain)?;
                    Some(trips(ends, args.get(2)))
                }
                "enumerate" | "reversed" => self.iterable(args.first()?, chain),
                // The shortest decides, so any one of them bounds it.
                "zip" => args.iter().find_map(|arg| self.iterable(arg, chain)),
                _ => None,
            };
        }
        let known = match &iter.kind {
            ExprKind::Tuple(items) => Some(items.len()),
            ExprKind::Str(text) => Some(text.len()),
            ExprKind::Bytes(bytes) => Some(bytes.len()),
            _ => None,
        };
        if let Some(known) = known {
            return Some(Bound::Number(known as f64));
        }
        let (path, depth) = self.view(iter, chain)?;
        self.add_extent(path, depth)
    }

    fn add_extent(&mut self, path: PathId, axis: u32) -> Option<Bound> {
        self.add(
            path,
            if axis == 0 {
                AtomKind::Len
            } else {
                AtomKind::Dim(axis)
            },
        )
    }

    /// The captured sequence that an expression is part of, and the number of subscripts; `None` for other expressions.
    fn view(&self, expr: &'a Expr, chain: u32) -> Option<(PathId, u32)> {
        if chain > MAX_CHAIN {
            return None;
        }
        match &expr.kind {
            ExprKind::Subscript(base, index) if !index.iter().any(Expr::is_slice) => {
                let (path, depth) = self.view(base, chain + 1)?;
                Some((path, depth.checked_add(u32::try_from(index.len()).ok()?)?))
            }
            ExprKind::Path(path) => match self.definitions.get(path).map(Vec::as_slice) {
                None => Some((*path, 0)),
                // A row under a name.
                Some([Definition::Value(value)]) => match value.kind {
                    ExprKind::Subscript(..) | ExprKind::Path(_) => self.view(value, chain + 1),
                    _ => None,
                },
                Some([Definition::Element(iter)]) => {
                    let (path, depth) = self.view(iter, chain + 1)?;
                    Some((path, depth + 1))
                }
                Some(_) => None,
            },
            _ => None,
        }
    }

    fn sizes(&mut self, exprs: &'a [Expr], chain: u32) -> Option<Vec<Bound>> {
        exprs.iter().map(|e| self.size(e, chain)).collect()
    }

    /// The bound of the magnitude of a number, if there is one.
    fn size(&mut self, expr: &'a Expr, chain: u32) -> Option<Bound> {
        if chain > MAX_CHAIN {
            return None;
        }
        match &expr.kind {
            ExprKind::Int(v) => Some(Bound::Number((*v as f64).abs())),
            ExprKind::Float(v) => Some(Bound::Number(v.abs())),
            ExprKind::Bool(_) => Some(Bound::Number(1.0)),
            ExprKind::Path(path) => self.size_of_path(*path, chain),
            ExprKind::Unary(UnOp::Neg | UnOp::Pos | UnOp::Invert, a) => self.size(a, chain),
            ExprKind::Binary(op, a, b) => self.size_of_binary(*op, a, b, chain),
            ExprKind::IfExp { body, orelse, .. } => {
                let branches = [body, orelse].map(|e| self.size(e, chain));
                let [Some(body), Some(orelse)] = branches else {
                    return None;
                };
                Some(Bound::Largest(vec![body, orelse]))
            }
            ExprKind::Subscript(base, index) => self.shape(base, index),
            ExprKind::Call { func, args, .. } => match self.builtin(func)? {
                // `min` and `max` with one argument are of a sequence's elements.
                "min" | "max" if args.len() < 2 => None,
                "min" => Some(Bound::Smallest(self.sizes(args, chain)?)),
                "max" | "abs" | "int" => Some(Bound::Largest(self.sizes(args, chain)?)),
                "len" => {
                    let (path, depth) = self.view(args.first()?, chain)?;
                    self.add_extent(path, depth)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn size_of_binary(&mut self, op: BinOp, a: &'a Expr, b: &'a Expr, chain: u32) -> Option<Bound> {
        let known = match b.kind {
            ExprKind::Int(v) => Some((v as f64).abs()),
            ExprKind::Float(v) => Some(v.abs()),
            _ => None,
        };
        let divided = |a, by: f64| Bound::Product(Box::new(a), Box::new(Bound::Number(1.0 / by)));
        if op == BinOp::Div {
            let by = known.filter(|v| *v >= 1e-9)?;
            return Some(divided(self.size(a, chain)?, by));
        }
        if op == BinOp::Pow {
            return None;
        }
        let (a, b) = (self.size(a, chain)?, self.size(b, chain)?);
        Some(match (op, known) {
            (BinOp::FloorDiv, Some(by)) if by >= 1.0 => divided(a, by),
            (BinOp::Shr, Some(by)) => divided(a, by.exp2()),
            (BinOp::Shl, Some(by)) => divided(a, (-by).exp2()),
            (BinOp::FloorDiv | BinOp::Shr, _) => a,
            (BinOp::Mod, _) => b,
            (BinOp::Mul, _) => Bound::Product(Box::new(a), Box::new(b)),
            (BinOp::Shl, None) => Bound::Number(f64::INFINITY),
            // Sizes are not negative: the difference is no larger than the larger one.
            (BinOp::Sub, _) => Bound::Largest(vec![a, b]),
            _ => Bound::Sum(vec![a, b]),
        })
    }

    fn size_of_path(&mut self, path: PathId, chain: u32) -> Option<Bound> {
        let site = self.site;
        let Some(definitions) = self.definitions.get(&path) else {
            return self.add(path, AtomKind::Int);
        };
        match self.asked.insert(path, None) {
            // Defined by itself: it may grow with every iteration.
            Some(None) => return None,
            Some(known) => {
                self.asked.insert(path, known.clone());
                return known;
            }
            None => {}
        }
        let mut bounds = Vec::new();
        for definition in definitions.clone() {
            bounds.push(match definition {
                Definition::Value(value) => self.size(value, chain + 1)?,
                Definition::Element(iter) => self.size_of_element(iter, chain + 1)?,
                Definition::Unknown => return None,
            });
        }
        // The value at entry may be seen too.
        if site.paths.get(path)?.captured {
            bounds.push(self.add(path, AtomKind::Int)?);
        }
        let bound = Bound::Largest(bounds).short();
        self.asked.insert(path, Some(bound.clone()));
        Some(bound)
    }

    /// The bound of a loop variable's magnitude: over a range it is as large as the range's ends.
    fn size_of_element(&mut self, iter: &'a Expr, chain: u32) -> Option<Bound> {
        let ExprKind::Call { func, args, .. } = &iter.kind else {
            return None;
        };
        match self.builtin(func)? {
            "range" => Some(Bound::Largest(self.sizes(args, chain)?)),
            "reversed" => self.size_of_element(args.first()?, chain),
            _ => None,
        }
    }

    /// The extent `A.shape[k]`; `None` for other subscripts.
    fn shape(&mut self, base: &Expr, index: &[Expr]) -> Option<Bound> {
        let (ExprKind::Path(attr), [axis]) = (&base.kind, index) else {
            return None;
        };
        let attr = self.site.paths.get(*attr)?;
        let (parent, ExprKind::Int(axis)) = (attr.parent?, &axis.kind) else {
            return None;
        };
        if attr.name != "shape" || self.definitions.contains_key(&parent) {
            return None;
        }
        self.add_extent(parent, u32::try_from(*axis).ok()?)
    }

    /// Counts the work of the calls in an expression: known functions of scalars take constant work. What is done for
    /// each element of an iterable is added to `turn`.
    fn calls(&mut self, expr: &'a Expr, turn: &mut Turn) {
        match &expr.kind {
            ExprKind::Comprehension { element, parts, .. } => {
                self.comprehended(element, parts, turn)
            }
            ExprKind::Call { func, args, kwargs } => {
                self.called(func, args, turn);
                self.calls(func, turn);
                let named = kwargs.iter().map(|(_, e)| e);
                args.iter().chain(named).for_each(|e| self.calls(e, turn));
            }
            _ => children(expr, &mut |e| self.calls(e, turn)),
        }
    }

    /// Counts the loops of a comprehension, whose inner parts run once for each turn of the loops around them.
    fn comprehended(&mut self, element: &'a Expr, parts: &'a [Generator], turn: &mut Turn) {
        let Some((part, rest)) = parts.split_first() else {
            return self.evaluated(element, turn);
        };
        self.calls(&part.iter, turn);
        let trips = self.trips(&part.iter);
        let mut each = Turn::default();
        part.tests.iter().for_each(|e| self.evaluated(e, &mut each));
        if let Some(next) = rest.first() {
            each.add_expr(&next.iter);
        }
        self.comprehended(element, rest, &mut each);
        turn.add_loop(trips, each);
    }

    fn called(&mut self, func: &'a Expr, args: &'a [Expr], turn: &mut Turn) {
        if self.is_library(func) {
            return;
        }
        match (self.builtin(func), args.first()) {
            (
                Some(
                    "range" | "enumerate" | "zip" | "reversed" | "len" | "abs" | "int" | "float"
                    | "bool" | "complex" | "round" | "pow" | "divmod" | "ord" | "chr",
                ),
                _,
            ) => {}
            (Some("min" | "max"), _) if args.len() > 1 => {}
            (Some("min" | "max" | "sum"), Some(elements)) => {
                let trips = self.trips(elements);
                turn.add_loop(trips, Turn::default());
            }
            _ => self.open = true,
        }
    }

    /// Whether a called function is one of `math` or NumPy under one of its usual names.
    fn is_library(&self, func: &Expr) -> bool {
        let ExprKind::Path(id) = func.kind else {
            return false;
        };
        let paths = &self.site.paths;
        let module = paths
            .get(id)
            .and_then(|p| p.parent)
            .and_then(|p| paths.get(p));
        module.is_some_and(|m| {
            m.parent.is_none() && matches!(m.name.as_str(), "math" | "cmath" | "np" | "numpy")
        })
    }

    /// The atoms, if they can be looked up and are few.
    fn chosen(&self, reads: &[String]) -> Option<Vec<Atom>> {
        let paths = &self.site.paths;
        let mut plan = Vec::new();
        for &(path, kind) in &self.found {
            let mut root = paths.get(path)?;
            while let Some(parent) = root.parent {
                root = paths.get(parent)?;
            }
            // What is looked at must have a value.
            let has_value = match root.scope {
                Scope::Local => reads.contains(&root.name),
                Scope::Computed => false,
                Scope::Global | Scope::Attr => true,
            };
            if !has_value {
                return None;
            }
            plan.push(Atom { path, kind });
        }
        (plan.len() <= MAX_ATOMS).then_some(plan)
    }
}
