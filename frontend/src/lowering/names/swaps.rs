//! Buffer swaps: arrays that change names, in one statement or through a temporary.

use std::collections::BTreeSet;

use nestwise_ir::{ArrayId, ArrayKind, PathId, Precondition, Span, surface as s};

use crate::lowering::context::Lowering;
use crate::lowering::environment::Environment;
use crate::lowering::hir::{Expr, ExprKind, Kind, Local, LocalId, Stmt, Target};
use crate::lowering::names::resolve::{Names, Resolver};
use crate::site::captures::Capture;

impl Resolver<'_> {
    /// The site's local of a name that holds an array at entry.
    fn array_local(&self, names: &Names, e: &s::Expr) -> Option<LocalId> {
        let s::ExprKind::Path(id) = &e.kind else {
            return None;
        };
        self.array_path(names, *id)
    }

    fn array_path(&self, names: &Names, id: PathId) -> Option<LocalId> {
        let local = *names.locals.get(&id)?;
        let capture = self.hir.locals.get(local)?.capture?;
        matches!(self.capture(capture), Capture::Array { .. }).then_some(local)
    }

    /// Recognises `a, b = b, a` on names of arrays: the permutation, as pairs of target and source.
    pub fn swap(
        &self,
        names: &Names,
        targets: &[s::Target],
        value: &s::Expr,
    ) -> Option<Vec<(LocalId, LocalId)>> {
        let ([s::Target::Tuple(targets)], s::ExprKind::Tuple(values)) = (targets, &value.kind)
        else {
            return None;
        };
        let sources: Option<Vec<LocalId>> =
            values.iter().map(|e| self.array_local(names, e)).collect();
        let path = |t: &s::Target| match t {
            s::Target::Path(id) => self.array_path(names, *id),
            _ => None,
        };
        let targets: Option<Vec<LocalId>> = targets.iter().map(path).collect();
        let (sources, targets) = (sources?, targets?);
        let sorted = |v: &[LocalId]| {
            let mut v = v.to_vec();
            v.sort_unstable();
            v.dedup();
            v
        };
        let permutes = sorted(&sources) == sorted(&targets)
            && sorted(&sources).len() == sources.len()
            && targets.len() == sources.len();
        permutes.then(|| targets.into_iter().zip(sources).collect())
    }

    /// Recognises `tmp = a; a = b; b = tmp`, and longer rotations: the temporary, the names in order, and the number of
    /// statements used.
    pub fn rotation(
        &self,
        names: &Names,
        stmts: &[s::Stmt],
    ) -> Option<(PathId, Vec<PathId>, usize)> {
        let plain = |stmt: &s::Stmt| match &stmt.kind {
            s::StmtKind::Assign { targets, value } => match (targets.as_slice(), &value.kind) {
                ([s::Target::Path(target)], s::ExprKind::Path(source)) => Some((*target, *source)),
                _ => None,
            },
            _ => None,
        };
        let (tmp, first) = plain(stmts.first()?)?;
        self.array_path(names, first)?;
        names.locals.get(&tmp)?;
        let mut cycle = vec![first];
        for (k, stmt) in stmts.iter().enumerate().skip(1) {
            let (target, source) = plain(stmt)?;
            if Some(&target) != cycle.last() || cycle.contains(&tmp) {
                return None;
            }
            if source == tmp {
                return (cycle.len() > 1).then_some((tmp, cycle, k + 1));
            }
            self.array_path(names, source)?;
            if cycle.contains(&source) {
                return None;
            }
            cycle.push(source);
        }
        None
    }

    /// Emits a rotation as a swap, and the assignment of the temporary.
    pub fn emit_rotation(
        &mut self,
        names: &Names,
        out: &mut Vec<Stmt>,
        tmp: PathId,
        cycle: &[PathId],
        span: Span,
    ) {
        let locals: Vec<LocalId> = cycle
            .iter()
            .filter_map(|id| names.locals.get(id).copied())
            .collect();
        let next = |k: usize| locals[(k + 1) % locals.len()];
        let pairs: Vec<(LocalId, LocalId)> = locals
            .iter()
            .enumerate()
            .map(|(k, l)| (*l, next(k)))
            .collect();
        self.note_swap(&pairs);
        out.push(Stmt {
            kind: Kind::Swap(pairs),
            span,
        });
        // What the temporary holds afterwards is what the last name got.
        if let (Some(tmp), Some(last)) = (names.locals.get(&tmp), locals.last()) {
            let value = Expr {
                kind: ExprKind::Read(self.read(*last)),
                span,
            };
            let def = self.def(*tmp);
            out.push(Stmt {
                kind: Kind::Assign {
                    targets: vec![Target::Local(def)],
                    value,
                },
                span,
            });
        }
    }

    /// Notes that the arrays of these names change places.
    pub fn note_swap(&mut self, pairs: &[(LocalId, LocalId)]) {
        let mut group: Vec<LocalId> = pairs.iter().map(|(target, _)| *target).collect();
        for local in &group {
            self.hir.locals[*local].swapped = true;
        }
        let (mut touching, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.hir.swap_groups)
            .into_iter()
            .partition(|g: &Vec<LocalId>| g.iter().any(|l| group.contains(l)));
        touching.iter_mut().for_each(|g| group.append(g));
        group.sort_unstable();
        group.dedup();
        self.hir.swap_groups = rest;
        self.hir.swap_groups.push(group);
    }
}

/// Whether the slot of a captured array may hold another array than at first, because of swaps.
pub(crate) fn trades_places(env: &Environment<'_>, capture: u32) -> bool {
    let of = |l: &Local| l.swapped && l.capture == Some(capture);
    env.hir.locals.iter().any(of)
}

/// The groups of slots whose arrays change places.
fn swap_groups(env: &Environment<'_>) -> Vec<Vec<ArrayId>> {
    let of = |local: &usize| env.slots.get(&env.hir.locals[*local].capture?).copied();
    let groups = env.hir.swap_groups.iter();
    groups.map(|g| g.iter().filter_map(of).collect()).collect()
}

/// The preconditions of the nest: the conditions that statements have asked for, of every array that may come to stand
/// for one of theirs.
///
/// A condition on an array holds for its partners too: arrays that swap buffers with it, and the captured array
/// that a copy begins as. What is copied when the nest begins must share no memory with what is written meanwhile.
pub(crate) fn preconditions(cx: &Lowering<'_>) -> Vec<Precondition> {
    let groups = swap_groups(&cx.env);
    let group = |slot: ArrayId| -> Vec<ArrayId> {
        let own = groups.iter().find(|g| g.contains(&slot));
        own.cloned().unwrap_or_else(|| vec![slot])
    };
    let origin = |array: ArrayId| {
        let decl = &cx.builder.arrays[array];
        let from = decl.starts.then(|| cx.env.slots.get(&decl.capture));
        from.flatten().copied()
    };
    let mut all = BTreeSet::new();
    for condition in cx.preconditions.required() {
        match *condition {
            Precondition::NoAlias(a, b) => all.extend(no_alias(a, b, &group)),
            one => {
                let arrays = one.arrays().flat_map(|a| [Some(a), origin(a)]).flatten();
                all.extend(arrays.flat_map(&group).map(|a| one.map(|_| a)));
            }
        }
    }
    for copied in cx.builder.arrays.values().filter(|d| d.starts) {
        let Some(from) = cx.env.slots.get(&copied.capture) else {
            continue;
        };
        let written = cx.builder.arrays.iter().filter(|(_, d)| d.written);
        let written = written.filter(|(_, d)| d.kind == ArrayKind::Ndarray);
        all.extend(written.flat_map(|(to, _)| no_alias(*from, to, &group)));
    }
    // Extents are compared as they are at first.
    for group in groups.iter().filter(|_| cx.preconditions.sliced) {
        if let Some((first, others)) = group.split_first() {
            let same = |other: &ArrayId| Precondition::SameShape(*first, *other);
            all.extend(others.iter().map(same));
        }
    }
    all.into_iter().collect()
}

/// The preconditions that two arrays share no memory, whichever arrays stand in their slots by swaps.
fn no_alias(a: ArrayId, b: ArrayId, group: &impl Fn(ArrayId) -> Vec<ArrayId>) -> Vec<Precondition> {
    let pairs = group(a).into_iter().flat_map(|x| {
        // One slot with itself is no pair of two that swap buffers.
        let others = if a == b { vec![x] } else { group(b) };
        others.into_iter().map(move |y| (x.min(y), x.max(y)))
    });
    pairs.map(|(x, y)| Precondition::NoAlias(x, y)).collect()
}
