//! A nest for known sizes: ints and extents that somebody states become numbers.

use std::collections::{HashMap, HashSet};

use nestwise_ir::model::nest::{Const, Expr, ExprKind, Nest, Stmt};
use nestwise_ir::{ArrayId, VarId};

use crate::structure::{Classes, for_each_assigned};

/// Sizes that are stated for captures, by capture number.
#[derive(Clone, Debug, Default)]
pub struct Stated {
    /// Values of ints, by capture number.
    pub ints: HashMap<u32, i64>,
    /// Extents of arrays, by capture number.
    pub extents: HashMap<u32, Vec<i64>>,
}

/// Replaces variables that the nest does not assign, and extents, by the numbers stated for them.
pub fn fix(nest: &mut Nest, stated: &Stated) {
    let (vars, dims) = (values(nest, stated), extents(nest, stated));
    let mut replace = |e: &mut Expr| {
        let value = match e.kind {
            ExprKind::Var(v) => vars.get(&v).copied(),
            ExprKind::Dim(a, axis) => dims.get(&a).and_then(|d| d.get(axis as usize)).copied(),
            _ => None,
        };
        if let Some(value) = value {
            e.kind = ExprKind::Const(Const::Int(value.into()));
        }
    };
    for s in nest.prologue.iter_mut().chain([&mut nest.top]) {
        rewrite(s, &mut replace);
    }
}

/// The stated values of int variables that the nest does not assign. Variables that it does assign only get a range:
/// they start from the stated value.
fn values(nest: &mut Nest, stated: &Stated) -> HashMap<VarId, i64> {
    let mut assigned = HashSet::new();
    nest.walk(&mut |s| {
        for_each_assigned(s, &mut |v| {
            assigned.insert(v);
        });
    });
    let mut out = HashMap::new();
    for v in nest.vars.ids().collect::<Vec<_>>() {
        let decl = &mut nest.vars[v];
        let value = decl.live_in.and_then(|c| stated.ints.get(&c).copied());
        if let Some(value) = value.filter(|_| decl.ty.repr.is_int()) {
            decl.range = Some((value, value));
            if !assigned.contains(&v) {
                out.insert(v, value);
            }
        }
    }
    out
}

/// The stated extents of slots; among slots that swap arrays, only if all of them have the same.
fn extents(nest: &Nest, stated: &Stated) -> HashMap<ArrayId, Vec<i64>> {
    let classes = Classes::of(nest);
    let of = |a: ArrayId| {
        nest.arrays
            .get(a)
            .and_then(|d| stated.extents.get(&d.capture))
    };
    let alike = |a: &ArrayId| classes.members(*a).all(|b| of(b) == of(*a));
    let ids = nest.arrays.ids().filter(alike);
    ids.filter_map(|a| Some((a, of(a)?.clone()))).collect()
}

fn rewrite(stmt: &mut Stmt, f: &mut impl FnMut(&mut Expr)) {
    for e in stmt.exprs_mut() {
        rewrite_expr(e, f);
    }
    for block in stmt.blocks_mut() {
        block.iter_mut().for_each(|s| rewrite(s, f));
    }
}

fn rewrite_expr(e: &mut Expr, f: &mut impl FnMut(&mut Expr)) {
    f(e);
    for child in e.children_mut() {
        rewrite_expr(child, f);
    }
}
