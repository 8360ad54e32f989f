//! The few numbers that decide how much work a nest is.
//!
//! A site that lost against the interpreter is to be left alone while its sizes are as small. So the work must be
//! bounded by a function of some ints and lengths, its *atoms*, that grows with each of them. A loop over
//! `range(a, b, c)` has at most `|a| + |b|` trips, so it is enough that the size of each bound is such a function:
//! sums, products and quotients of atoms are. Nothing here decides what a nest computes; a bound that is missed only
//! costs the cheap test.

use std::collections::HashMap;

use nestwise_ir::PlaceId;
use nestwise_ir::surface::{BinOp, Expr, ExprKind, Scope, Site, Stmt, StmtKind, Target, UnOp};

use crate::places::{is_stable, targets_of, walk_expr, walk_stmts};

/// More than this are not worth a test.
pub(crate) const MAX_ATOMS: usize = 8;
/// Longest chain of definitions that is followed.
const MAX_CHAIN: u32 = 16;

/// What of a place counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomKind {
    /// The value of an int.
    Int,
    /// `len(place)`.
    Len,
    /// The extent of an axis: `place.shape[k]`, or the length of what `k` subscripts lead to. Axis 0 is `Len`.
    Dim(u32),
}

/// A number that the amount of work grows with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Atom {
    /// A name, or an attribute chain on one.
    pub place: PlaceId,
    /// What of it.
    pub kind: AtomKind,
}

/// What to look at, or `None` where some loop is not bounded so.
pub(crate) fn atoms(site: &Site, reads: &[String]) -> Option<Vec<Atom>> {
    let top = std::slice::from_ref(&site.top);
    let mut finder = Finder {
        site,
        definitions: definitions(top),
        found: vec![],
        asked: HashMap::new(),
    };
    let mut bounded = true;
    walk_stmts(top, &mut |stmt| {
        bounded = bounded
            && match &stmt.kind {
                StmtKind::For { iter, .. } => finder.iterable(iter, 0).is_some(),
                StmtKind::While { .. } => false,
                _ => true,
            }
            && exprs_of(stmt)
                .into_iter()
                .all(|e| finder.calls(e).is_some());
    });
    bounded.then(|| finder.finish(reads)).flatten()
}

/// How a place gets a value inside the site.
#[derive(Clone, Copy)]
enum Definition<'a> {
    /// By `place = value`.
    Value(&'a Expr),
    /// By `for place in iter`.
    Element(&'a Expr),
    /// Some other way.
    Unknown,
}

fn definitions(stmts: &[Stmt]) -> HashMap<PlaceId, Vec<Definition<'_>>> {
    let mut all: HashMap<PlaceId, Vec<Definition<'_>>> = HashMap::new();
    walk_stmts(stmts, &mut |stmt| {
        let plain = match &stmt.kind {
            StmtKind::Assign { targets, value } => targets
                .iter()
                .map(|target| (target, Definition::Value(value)))
                .collect(),
            StmtKind::For { target, iter, .. } => vec![(target, Definition::Element(iter))],
            _ => vec![],
        };
        let is_plain = |(target, _): &(&Target, _)| matches!(target, Target::Place(_));
        if !plain.is_empty() && plain.iter().all(is_plain) {
            for (target, definition) in plain {
                if let Target::Place(place) = target {
                    all.entry(*place).or_default().push(definition);
                }
            }
        } else {
            targets_of(stmt, &mut |place| {
                all.entry(place).or_default().push(Definition::Unknown)
            });
        }
    });
    all
}

/// The expressions that a statement itself evaluates.
fn exprs_of(stmt: &Stmt) -> Vec<&Expr> {
    fn of_target<'a>(target: &'a Target, out: &mut Vec<&'a Expr>) {
        match target {
            Target::Place(_) => {}
            Target::Subscript(base, index) => out.extend(std::iter::once(base).chain(index)),
            Target::Tuple(items) => items.iter().for_each(|item| of_target(item, out)),
        }
    }
    let mut out = Vec::new();
    match &stmt.kind {
        StmtKind::Assign { targets, value } => {
            targets
                .iter()
                .for_each(|target| of_target(target, &mut out));
            out.push(value);
        }
        StmtKind::AugAssign { target, value, .. }
        | StmtKind::For {
            target,
            iter: value,
            ..
        } => {
            of_target(target, &mut out);
            out.push(value);
        }
        StmtKind::If { test, .. } | StmtKind::While { test, .. } => out.push(test),
        StmtKind::Return(value) => out.extend(value),
        StmtKind::Call(value) => out.push(value),
        StmtKind::Break | StmtKind::Continue | StmtKind::Raise | StmtKind::Pass => {}
    }
    out
}

struct Finder<'a> {
    site: &'a Site,
    definitions: HashMap<PlaceId, Vec<Definition<'a>>>,
    found: Vec<(PlaceId, AtomKind)>,
    /// Places assigned inside whose size was asked for: whether the answer is there yet.
    asked: HashMap<PlaceId, bool>,
}

impl<'a> Finder<'a> {
    fn add(&mut self, place: PlaceId, kind: AtomKind) -> Option<()> {
        if !is_stable(&self.site.places, place, &[]) {
            return None;
        }
        let atom = (place, kind);
        if !self.found.contains(&atom) {
            self.found.push(atom);
        }
        Some(())
    }

    /// The name of the builtin that `func` is, as far as the text shows.
    fn builtin(&self, func: &Expr) -> Option<&'a str> {
        let ExprKind::Place(id) = func.kind else {
            return None;
        };
        let place = self.site.places.get(id)?;
        (place.scope == Scope::Global && !place.written).then_some(place.name.as_str())
    }

    /// Bounds the number of elements of something iterated.
    fn iterable(&mut self, iter: &'a Expr, chain: u32) -> Option<()> {
        if let ExprKind::Call { func, args, .. } = &iter.kind {
            return match self.builtin(func)? {
                "range" => args.iter().try_for_each(|arg| self.size(arg, chain)),
                "enumerate" | "reversed" => self.iterable(args.first()?, chain),
                // The shortest decides, so any one of them bounds it.
                "zip" => args.iter().find_map(|arg| self.iterable(arg, chain)),
                _ => None,
            };
        }
        if let ExprKind::Tuple(_) | ExprKind::Str(_) | ExprKind::Bytes(_) = iter.kind {
            return Some(());
        }
        let (place, depth) = self.view(iter, chain)?;
        self.add_extent(place, depth)
    }

    fn add_extent(&mut self, place: PlaceId, axis: u32) -> Option<()> {
        self.add(
            place,
            if axis == 0 {
                AtomKind::Len
            } else {
                AtomKind::Dim(axis)
            },
        )
    }

    /// The captured sequence that an expression is part of, and how many subscripts deep.
    fn view(&self, expr: &'a Expr, chain: u32) -> Option<(PlaceId, u32)> {
        if chain > MAX_CHAIN {
            return None;
        }
        match &expr.kind {
            ExprKind::Subscript(base, index) => {
                let (place, depth) = self.view(base, chain + 1)?;
                Some((place, depth.checked_add(u32::try_from(index.len()).ok()?)?))
            }
            ExprKind::Place(place) => match self.definitions.get(place).map(Vec::as_slice) {
                None => Some((*place, 0)),
                // A row under a name.
                Some([Definition::Value(value)]) => match value.kind {
                    ExprKind::Subscript(..) | ExprKind::Place(_) => self.view(value, chain + 1),
                    _ => None,
                },
                Some([Definition::Element(iter)]) => {
                    let (place, depth) = self.view(iter, chain + 1)?;
                    Some((place, depth + 1))
                }
                Some(_) => None,
            },
            _ => None,
        }
    }

    /// Bounds the size of a number.
    fn size(&mut self, expr: &'a Expr, chain: u32) -> Option<()> {
        if chain > MAX_CHAIN {
            return None;
        }
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) => Some(()),
            ExprKind::Place(place) => self.size_of_place(*place, chain),
            ExprKind::Unary(UnOp::Neg | UnOp::Pos | UnOp::Invert, a) => self.size(a, chain),
            ExprKind::Binary(BinOp::Div, a, b) => match b.kind {
                ExprKind::Int(v) if v != 0 => self.size(a, chain),
                ExprKind::Float(v) if v.abs() >= 1e-9 => self.size(a, chain),
                _ => None,
            },
            ExprKind::Binary(BinOp::Pow, ..) => None,
            ExprKind::Binary(_, a, b) => {
                self.size(a, chain)?;
                self.size(b, chain)
            }
            ExprKind::IfExp { body, orelse, .. } => {
                self.size(body, chain)?;
                self.size(orelse, chain)
            }
            ExprKind::Subscript(base, index) => self.shape(base, index),
            ExprKind::Call { func, args, .. } => match self.builtin(func)? {
                // Of one argument, `min` and `max` are of a sequence's elements.
                "min" | "max" if args.len() < 2 => None,
                "min" | "max" | "abs" | "int" => {
                    args.iter().try_for_each(|arg| self.size(arg, chain))
                }
                "len" => {
                    let (place, depth) = self.view(args.first()?, chain)?;
                    self.add_extent(place, depth)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn size_of_place(&mut self, place: PlaceId, chain: u32) -> Option<()> {
        let site = self.site;
        let Some(definitions) = self.definitions.get(&place) else {
            return self.add(place, AtomKind::Int);
        };
        match self.asked.insert(place, false) {
            // Defined by itself: it may grow with every iteration.
            Some(false) => return None,
            Some(true) => {}
            None => {
                for definition in definitions.clone() {
                    match definition {
                        Definition::Value(value) => self.size(value, chain + 1)?,
                        Definition::Element(iter) => self.size_of_element(iter, chain + 1)?,
                        Definition::Unknown => return None,
                    }
                }
                // The value at entry may be seen too.
                if site.places.get(place)?.captured {
                    self.add(place, AtomKind::Int)?;
                }
            }
        }
        self.asked.insert(place, true);
        Some(())
    }

    /// A loop variable over a range is as large as the range's ends.
    fn size_of_element(&mut self, iter: &'a Expr, chain: u32) -> Option<()> {
        let ExprKind::Call { func, args, .. } = &iter.kind else {
            return None;
        };
        match self.builtin(func)? {
            "range" => args.iter().try_for_each(|arg| self.size(arg, chain)),
            "reversed" => self.size_of_element(args.first()?, chain),
            _ => None,
        }
    }

    /// `A.shape[k]`.
    fn shape(&mut self, base: &Expr, index: &[Expr]) -> Option<()> {
        let (ExprKind::Place(attr), [axis]) = (&base.kind, index) else {
            return None;
        };
        let attr = self.site.places.get(*attr)?;
        let (parent, ExprKind::Int(axis)) = (attr.parent?, &axis.kind) else {
            return None;
        };
        if attr.name != "shape" || self.definitions.contains_key(&parent) {
            return None;
        }
        self.add_extent(parent, u32::try_from(*axis).ok()?)
    }

    /// Bounds the work of the calls in an expression: those of known functions of scalars are constant.
    fn calls(&mut self, expr: &'a Expr) -> Option<()> {
        let (mut calls, mut inner) = (Vec::new(), Vec::new());
        walk_expr(expr, &mut |e| {
            if let ExprKind::Comprehension { iter, .. } = &e.kind {
                inner.push(iter.as_ref());
            }
            if let ExprKind::Call { func, args, .. } = &e.kind {
                calls.push((func.as_ref(), args));
            }
        });
        for iter in inner {
            self.iterable(iter, 0)?;
        }
        for (func, args) in calls {
            if self.is_library(func) {
                continue;
            }
            match self.builtin(func)? {
                "range" | "enumerate" | "zip" | "reversed" | "len" | "abs" | "int" | "float"
                | "bool" | "complex" | "round" | "pow" | "divmod" | "ord" => {}
                "min" | "max" if args.len() > 1 => {}
                "min" | "max" | "sum" => self.iterable(args.first()?, 0)?,
                _ => return None,
            }
        }
        Some(())
    }

    /// A function of `math` or NumPy under one of its usual names.
    fn is_library(&self, func: &Expr) -> bool {
        let ExprKind::Place(id) = func.kind else {
            return false;
        };
        let places = &self.site.places;
        let module = places
            .get(id)
            .and_then(|p| p.parent)
            .and_then(|p| places.get(p));
        module.is_some_and(|m| {
            m.parent.is_none() && matches!(m.name.as_str(), "math" | "cmath" | "np" | "numpy")
        })
    }

    fn finish(self, reads: &[String]) -> Option<Vec<Atom>> {
        let places = &self.site.places;
        let mut plan = Vec::new();
        for (place, kind) in self.found {
            let mut root = places.get(place)?;
            while let Some(parent) = root.parent {
                root = places.get(parent)?;
            }
            // What is looked at must have a value.
            if root.scope == Scope::Local && !reads.contains(&root.name) {
                return None;
            }
            plan.push(Atom { place, kind });
        }
        (plan.len() <= MAX_ATOMS).then_some(plan)
    }
}
