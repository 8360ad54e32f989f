//! Counts the work of CPython in a nest from its text alone.
//!
//! Finding out what a nest may do, and what it costs where, takes about a millisecond: many loops are over sooner. The
//! most work of one call is counted here by kinds of operations, each times the bounds of the loops around it, which
//! are functions of several ints and lengths. Types are not known yet, so kinds are coarse; each branch of an `if` is
//! taken every other time, and a loop that nothing bounds turns once.

use nestwise_ir::surface::{Expr, ExprKind};

use crate::site::bounds::{Atom, Bound};
use crate::site::walk::children;

/// The number of operations of each kind.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Operations {
    /// The names and constants that are read, and the names that are assigned.
    pub names: f64,
    /// The operators, comparisons, tests and attributes.
    pub arithmetic: f64,
    /// The operators inside subscripts, where numbers are ints.
    pub indexing: f64,
    /// The elements of arrays and lists that are read or written.
    pub elements: f64,
    /// The calls of functions.
    pub calls: f64,
    /// The turns of loops.
    pub turns: f64,
}

impl Operations {
    fn add(&mut self, other: &Operations, times: f64) {
        self.names += other.names * times;
        self.arithmetic += other.arithmetic * times;
        self.indexing += other.indexing * times;
        self.elements += other.elements * times;
        self.calls += other.calls * times;
        self.turns += other.turns * times;
    }
}

/// The work of a site, as a function of its atoms.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Effort {
    /// The atoms that the work depends on.
    pub atoms: Vec<Atom>,
    pub(crate) turns: Turn,
}

impl Effort {
    /// The operations of the site where its atoms have these sizes.
    pub fn operations(&self, sizes: &[f64]) -> Operations {
        self.turns.operations(sizes)
    }
}

/// The work of a block: operations that happen once, and loops.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Turn {
    once: Operations,
    loops: Vec<(Bound, Turn)>,
}

impl Turn {
    fn operations(&self, sizes: &[f64]) -> Operations {
        let mut all = self.once;
        for (trips, body) in &self.loops {
            all.add(&body.operations(sizes), trips.value(sizes));
        }
        all
    }

    /// Adds one of two branches, which is taken half of the time.
    pub(crate) fn add_branch(&mut self, branch: Turn) {
        self.once.add(&branch.once, 0.5);
        let loops = branch.loops.into_iter();
        self.loops.extend(loops.map(|(trips, body)| {
            let half = Bound::Product(Box::new(trips), Box::new(Bound::Number(0.5)));
            (half, body)
        }));
    }

    /// Adds a loop with this number of trips.
    pub(crate) fn add_loop(&mut self, trips: Bound, mut body: Turn) {
        body.once.turns += 1.0;
        self.loops.push((trips, body));
    }

    /// Adds the evaluation of an expression; the elements of comprehensions are counted elsewhere.
    pub(crate) fn add_expr(&mut self, expr: &Expr) {
        let once = &mut self.once;
        match &expr.kind {
            ExprKind::Subscript(base, index) => return self.add_element(base, index),
            ExprKind::Call { .. } => once.calls += 1.0,
            ExprKind::Comprehension { func, parts, .. } => {
                once.calls += 1.0;
                func.iter().for_each(|e| self.add_expr(e));
                return parts.iter().take(1).for_each(|p| self.add_expr(&p.iter));
            }
            ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Attr(..)
            | ExprKind::MatMul(..)
            | ExprKind::Slice { .. }
            | ExprKind::InText(..)
            | ExprKind::IsNone(_)
            | ExprKind::Is(..)
            | ExprKind::IfExp { .. }
            | ExprKind::Tuple(_) => once.arithmetic += 1.0,
            ExprKind::And(all) | ExprKind::Or(all) => once.arithmetic += all.len() as f64,
            ExprKind::Compare(_, rest) => once.arithmetic += rest.len() as f64,
            _ => once.names += 1.0,
        }
        children(expr, &mut |child| self.add_expr(child));
    }

    /// Adds the evaluation of a subscript.
    fn add_index(&mut self, expr: &Expr) {
        let mut index = Turn::default();
        index.add_expr(expr);
        index.once.indexing += std::mem::take(&mut index.once.arithmetic);
        self.once.add(&index.once, 1.0);
    }

    /// Adds the assignment of a name.
    pub(crate) fn add_name(&mut self) {
        self.once.names += 1.0;
    }

    /// Adds the read or write of an element.
    pub(crate) fn add_element(&mut self, base: &Expr, index: &[Expr]) {
        self.once.elements += 1.0;
        // A slice makes two objects, and is there for an operation on each element of what it is.
        let slices = index.iter().any(Expr::is_slice);
        self.once.calls += if slices { 2.0 } else { 0.0 };
        self.add_expr(base);
        index.iter().for_each(|e| self.add_index(e));
    }

    /// Adds one operator.
    pub(crate) fn add_operator(&mut self) {
        self.once.arithmetic += 1.0;
    }
}
