//! Groups assignments that belong together: reaching definitions and live ranges.
//!
//! A *live range* is a set of assignments of one local such that some read may see any of them (Muchnick, "Advanced
//! Compiler Design and Implementation", 16.3.3: du-chains with common uses). A live range is one variable of the typed
//! nest with one representation; a name used for an int here and for a float there is two live ranges. The values a
//! name may have at the end of the nest need not agree: what is written back is decided at run time.

use std::collections::{BTreeSet, HashMap};

use nestwise_ir::surface::UnOp;

use crate::builtins::{Builtin, Known};
use crate::lowering::hir::{
    BlockId, DefId, Expr, ExprKind, Hir, Kind, LocalId, Read, Stmt, Target,
};

/// The id of a live range, which is a variable of the typed nest.
pub(crate) type LiveRangeId = usize;

/// The mark in a reaching set for "a buffer swap lies between the assignment and here".
const STALE: u32 = u32::MAX;

/// The result of the analysis, in tables by id.
#[derive(Debug, Default)]
pub(crate) struct LiveRanges {
    /// The live range that each read sees; `None` if no assignment reaches it.
    pub of_occ: Vec<Option<LiveRangeId>>,
    /// For each read, whether it may find its local without a value.
    pub unassigned: Vec<bool>,
    /// For each read, whether it may see an assignment made before a buffer swap.
    pub stale: Vec<bool>,
    /// The live range of each definition (entries included).
    pub of_def: Vec<LiveRangeId>,
    /// The textual definitions of each live range.
    pub defs: Vec<Vec<DefId>>,
    /// For each live range, the local whose value at entry belongs to it, if there is one.
    pub entry: Vec<Option<LocalId>>,
    /// The local of each live range.
    pub local: Vec<LocalId>,
    /// For each local, the definitions (its entry included) whose value it may have when native code hands over to
    /// CPython after at least one iteration of the top loop: between two iterations, or where the loop has ended.
    pub exit: Vec<Vec<DefId>>,
    /// For each local, whether a swap may lie between its last assignment and the end.
    pub exit_stale: Vec<bool>,
    /// Whether an iteration of the top loop can end in any other way than by an exception.
    pub ends: bool,
}

/// A sorted set of definitions.
type Set = Vec<u32>;

fn insert(set: &mut Set, item: u32) {
    if let Err(at) = set.binary_search(&item) {
        set.insert(at, item);
    }
}

/// The definitions that reach a point, by local.
#[derive(Clone, PartialEq)]
struct Env(Vec<Set>);

impl Env {
    /// Adds the definitions that reach from another point.
    fn merge(&mut self, other: &Env) {
        for (to, from) in self.0.iter_mut().zip(&other.0) {
            from.iter().for_each(|d| insert(to, *d));
        }
    }
}

/// The definitions that reach from two sides together; `None` is a side that control never takes.
fn join(a: Option<Env>, b: Option<Env>) -> Option<Env> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.merge(&b);
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

/// The definitions that reach the ways out of a loop that has run at least one iteration.
struct Ends {
    /// The point between two iterations, before a condition is evaluated.
    boundary: Option<Env>,
    /// The statement behind the loop, when the iterable is used up or the condition has become false.
    natural: Option<Env>,
    /// The statement behind the loop, reached by the loop's `break`s.
    breaks: Option<Env>,
}

#[derive(Default)]
struct Frame {
    breaks: Option<Env>,
    continues: Option<Env>,
}

struct Flow<'h> {
    hir: &'h Hir,
    /// The definitions that reach each read.
    reach: Vec<Set>,
    loops: Vec<Frame>,
    blocks: HashMap<BlockId, Option<Env>>,
    returns: Option<Env>,
}

/// Runs the analysis. All assignments of a local in `joined` are one live range.
pub(crate) fn analyse(hir: &Hir, joined: &BTreeSet<LocalId>) -> LiveRanges {
    let entry = Env((0..hir.locals.len())
        .map(|l| vec![hir.entry(l) as u32])
        .collect());
    let mut flow = Flow {
        hir,
        reach: vec![Set::new(); hir.occs],
        loops: vec![],
        blocks: HashMap::new(),
        returns: None,
    };
    let mut exit = None;
    for stmt in &hir.top {
        let ends = flow.looped(stmt, entry.clone());
        // CPython may take the loop over between any two of its iterations, also where the loop has no end of its own:
        // names then hold what reaches the next iteration.
        exit = join(exit, join(ends.boundary, join(ends.natural, ends.breaks)));
    }
    let exit = join(exit, flow.returns.take());
    let ends = exit.is_some();
    LiveRanges {
        ends,
        ..group(hir, joined, &flow.reach, exit.unwrap_or(entry))
    }
}

impl Flow<'_> {
    fn block(&mut self, stmts: &[Stmt], mut env: Option<Env>) -> Option<Env> {
        for stmt in stmts {
            // Unreachable statements are lowered all the same, so their reads need some answer.
            let live = env.is_some();
            let here = env.unwrap_or_else(|| Env(vec![Set::new(); self.hir.locals.len()]));
            let after = self.stmt(stmt, here);
            env = if live { after } else { None };
        }
        env
    }

    fn stmt(&mut self, stmt: &Stmt, mut env: Env) -> Option<Env> {
        match &stmt.kind {
            Kind::Assign { targets, value } => {
                self.expr(value, &mut env);
                targets.iter().for_each(|t| self.target(t, &mut env));
            }
            Kind::Aug {
                target,
                read,
                value,
                ..
            } => {
                if let Some(read) = read {
                    self.read(*read, &env);
                }
                let is_name = matches!(target, Target::Local(_));
                if !is_name {
                    self.target(target, &mut env);
                }
                self.expr(value, &mut env);
                if is_name {
                    self.target(target, &mut env);
                }
            }
            Kind::Swap(_) => {
                for (local, set) in env.0.iter_mut().enumerate() {
                    if !self.hir.locals[local].swapped {
                        insert(set, STALE);
                    }
                }
            }
            Kind::If { test, body, orelse } => {
                self.expr(test, &mut env);
                let then = self.block(body, Some(env.clone()));
                let other = self.block(orelse, Some(env));
                return join(then, other);
            }
            Kind::For { orelse, .. } | Kind::While { orelse, .. } => {
                let zero = self.header(stmt, &mut env);
                let ends = self.looped(stmt, env);
                let natural = self.block(orelse, join(zero, ends.natural));
                return join(natural, ends.breaks);
            }
            Kind::Break => {
                if let Some(frame) = self.loops.last_mut() {
                    frame.breaks = join(frame.breaks.take(), Some(env));
                }
                return None;
            }
            Kind::Continue => {
                if let Some(frame) = self.loops.last_mut() {
                    frame.continues = join(frame.continues.take(), Some(env));
                }
                return None;
            }
            Kind::Raise => return None,
            Kind::Keep(stacks, local) => {
                for read in [stacks.values, stacks.types, *local] {
                    self.read(read, &env);
                }
            }
            Kind::BringBack(stacks, target, like) => {
                for read in [stacks.values, stacks.types, *like] {
                    self.read(read, &env);
                }
                self.target(&Target::Local(*target), &mut env);
            }
            Kind::Clear(defs) | Kind::BeginStacks(defs) => {
                for def in defs {
                    self.target(&Target::Local(*def), &mut env);
                }
            }
            Kind::Effect(value) | Kind::Append { value, .. } => self.expr(value, &mut env),
            Kind::AppendToMade { list, value } => {
                self.read(*list, &env);
                self.expr(value, &mut env);
            }
            Kind::Return(value) => {
                if let Some(value) = value {
                    self.expr(value, &mut env);
                }
                self.returns = join(self.returns.take(), Some(env));
                return None;
            }
            Kind::Leave(block) => {
                let before = self.blocks.remove(block).flatten();
                self.blocks.insert(*block, join(before, Some(env)));
                return None;
            }
        }
        Some(env)
    }

    /// The definitions that reach the statement after a loop that runs zero iterations.
    fn header(&mut self, stmt: &Stmt, env: &mut Env) -> Option<Env> {
        match &stmt.kind {
            Kind::For { iter, .. } => {
                self.expr(iter, env);
                if always_runs(iter) {
                    return None;
                }
            }
            Kind::While { test, .. } => {
                self.expr(test, env);
                if forever(test) {
                    return None;
                }
            }
            _ => {}
        }
        Some(env.clone())
    }

    /// The definitions that reach the ways out of a loop that is entered with `env`.
    fn looped(&mut self, stmt: &Stmt, env: Env) -> Ends {
        let mut head = env.clone();
        if let Kind::For { iter, .. } = &stmt.kind {
            self.expr(iter, &mut head);
        }
        loop {
            self.loops.push(Frame::default());
            let mut inside = head.clone();
            let (body, endless) = match &stmt.kind {
                Kind::For { target, body, .. } => {
                    self.target(target, &mut inside);
                    (body, false)
                }
                Kind::While { test, body, .. } => {
                    self.expr(test, &mut inside);
                    (body, forever(test))
                }
                _ => {
                    return Ends {
                        boundary: Some(inside.clone()),
                        natural: Some(inside),
                        breaks: None,
                    };
                }
            };
            let end = self.block(body, Some(inside));
            let frame = self.loops.pop().unwrap_or_default();
            let back = join(end, frame.continues);
            let next = join(Some(head.clone()), back.clone());
            match next {
                Some(next) if next != head => head = next,
                _ => {
                    let natural = match endless {
                        true => None,
                        false => self.tested(stmt, back.clone()),
                    };
                    return Ends {
                        boundary: back,
                        natural,
                        breaks: frame.breaks,
                    };
                }
            }
        }
    }

    /// The definitions that reach the end of a loop from the end of its body: a condition is evaluated once more.
    fn tested(&mut self, stmt: &Stmt, mut back: Option<Env>) -> Option<Env> {
        if let (Kind::While { test, .. }, Some(env)) = (&stmt.kind, &mut back) {
            self.expr(test, env);
        }
        back
    }

    fn read(&mut self, read: Read, env: &Env) {
        let (Some(to), Some(from)) = (self.reach.get_mut(read.occ), env.0.get(read.local)) else {
            return;
        };
        from.iter().for_each(|d| insert(to, *d));
    }

    fn target(&mut self, target: &Target, env: &mut Env) {
        match target {
            Target::Local(def) => {
                // A swapped name keeps its slot; any other assignment of it is refused later.
                if let Some(set) = env.0.get_mut(def.local) {
                    *set = vec![def.def as u32];
                }
            }
            Target::Subscript(base, index) => {
                self.expr(base, env);
                index.iter().for_each(|e| self.expr(e, env));
            }
            Target::Attr(base, _) => self.expr(base, env),
            Target::Tuple(items) => items.iter().for_each(|t| self.target(t, env)),
        }
    }

    /// Notes that a local begins without a value.
    fn enters(&self, local: LocalId, env: &mut Env) {
        let entry = self.hir.entry(local) as u32;
        if let Some(set) = env.0.get_mut(local) {
            *set = vec![entry];
        }
    }

    fn expr(&mut self, e: &Expr, env: &mut Env) {
        match &e.kind {
            ExprKind::Read(read) | ExprKind::Pop(read) => self.read(*read, env),
            ExprKind::Inline(call) => {
                for local in &call.fresh {
                    self.enters(*local, env);
                }
                // `break` and `continue` never cross a call, so the frames need no marker.
                let end = self.block(&call.body, Some(env.clone()));
                let left = call.block.and_then(|b| self.blocks.remove(&b)).flatten();
                if let Some(after) = join(end, left) {
                    *env = after;
                }
                call.results.iter().for_each(|r| self.read(*r, env));
            }
            ExprKind::ListComprehension(all) => {
                for local in &all.fresh {
                    self.enters(*local, env);
                }
                let each = std::slice::from_ref(&all.each);
                if let Some(after) = self.block(each, Some(env.clone())) {
                    *env = after;
                }
            }
            ExprKind::IfExp { test, body, orelse } => {
                self.expr(test, env);
                let mut other = env.clone();
                self.expr(body, env);
                self.expr(orelse, &mut other);
                env.merge(&other);
            }
            // Any of them but the first may be the last that is evaluated; of a comparison any but the first two.
            ExprKind::And(_) | ExprKind::Or(_) => self.one_after_the_other(&e.children(), 1, env),
            ExprKind::Compare(..) => self.one_after_the_other(&e.children(), 2, env),
            _ => e.children().into_iter().for_each(|c| self.expr(c, env)),
        }
    }

    /// Follows expressions of which the first `sure` are evaluated, and each of the others only perhaps, after those
    /// before it.
    fn one_after_the_other(&mut self, all: &[&Expr], sure: usize, env: &mut Env) {
        let mut ends: Option<Env> = None;
        for (k, e) in all.iter().enumerate() {
            if k >= sure {
                ends = join(ends, Some(env.clone()));
            }
            self.expr(e, env);
        }
        if let Some(ends) = ends {
            env.merge(&ends);
        }
    }
}

/// Whether the text alone shows that what is iterated has an item.
fn always_runs(iter: &Expr) -> bool {
    let int = |e: &Expr| match &e.kind {
        ExprKind::Int(v) => Some(*v),
        ExprKind::Unary(UnOp::Neg, a) => match a.kind {
            ExprKind::Int(v) => v.checked_neg(),
            _ => None,
        },
        _ => None,
    };
    match &iter.kind {
        ExprKind::Tuple(items) => !items.is_empty(),
        ExprKind::Call {
            known: Known::Builtin(builtin),
            args,
            ..
        } => match (builtin, args.as_slice()) {
            (Builtin::Reversed | Builtin::Enumerate, [inner, ..]) => always_runs(inner),
            (Builtin::Range, args) => {
                let ints: Option<Vec<i128>> = args.iter().map(int).collect();
                match ints.as_deref() {
                    Some([stop]) => *stop > 0,
                    Some([start, stop]) => start < stop,
                    Some([start, stop, step]) => {
                        (*step > 0 && start < stop) || (*step < 0 && start > stop)
                    }
                    _ => false,
                }
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether the condition is a constant that is true.
pub(crate) fn forever(test: &Expr) -> bool {
    match test.kind {
        ExprKind::Bool(v) => v,
        ExprKind::Int(v) => v != 0,
        _ => false,
    }
}

fn root(parents: &mut [usize], mut x: usize) -> usize {
    while parents[x] != x {
        parents[x] = parents[parents[x]];
        x = parents[x];
    }
    x
}

/// Groups the definitions that a common read may see.
fn group(hir: &Hir, joined: &BTreeSet<LocalId>, reach: &[Set], exit: Env) -> LiveRanges {
    let mut parents: Vec<usize> = (0..hir.all_defs()).collect();
    let bound = |d: usize| d < hir.defs.len() || hir.locals[d - hir.defs.len()].capture.is_some();
    let seen = |set: &Set| -> Vec<usize> {
        set.iter()
            .filter(|d| **d != STALE)
            .map(|d| *d as usize)
            .filter(|d| bound(*d))
            .collect()
    };
    for set in reach {
        let defs = seen(set);
        for pair in defs.windows(2) {
            let (a, b) = (root(&mut parents, pair[0]), root(&mut parents, pair[1]));
            parents[a] = b;
        }
    }
    // A tuple is written back from one variable an element.
    let mut whole: HashMap<LocalId, usize> = HashMap::new();
    let entries = (0..hir.locals.len()).map(|local| (hir.defs.len() + local, local));
    let assigned = hir.defs.iter().copied().enumerate();
    for (d, local) in assigned.chain(entries) {
        if (hir.locals[local].element.is_some() || joined.contains(&local)) && bound(d) {
            let first = *whole.entry(local).or_insert(d);
            let (a, b) = (root(&mut parents, first), root(&mut parents, d));
            parents[a] = b;
        }
    }
    let mut live_ranges = LiveRanges::default();
    let mut number: HashMap<usize, LiveRangeId> = HashMap::new();
    for d in 0..hir.all_defs() {
        let r = root(&mut parents, d);
        let entry = d.checked_sub(hir.defs.len());
        let local = entry.unwrap_or_else(|| hir.defs[d]);
        let live = *number.entry(r).or_insert_with(|| {
            live_ranges.defs.push(vec![]);
            live_ranges.entry.push(None);
            live_ranges.local.push(local);
            live_ranges.local.len() - 1
        });
        live_ranges.of_def.push(live);
        match entry {
            Some(local) if bound(d) => live_ranges.entry[live] = Some(local),
            Some(_) => {}
            None => live_ranges.defs[live].push(d),
        }
    }
    for set in reach {
        let defs = seen(set);
        live_ranges
            .of_occ
            .push(defs.first().map(|d| live_ranges.of_def[*d]));
        let unbound = set.iter().any(|d| *d != STALE && !bound(*d as usize));
        live_ranges.unassigned.push(unbound || set.is_empty());
        live_ranges.stale.push(set.contains(&STALE));
    }
    for set in &exit.0 {
        live_ranges.exit.push(
            set.iter()
                .filter(|d| **d != STALE)
                .map(|d| *d as usize)
                .collect(),
        );
        live_ranges.exit_stale.push(set.contains(&STALE));
    }
    live_ranges
}
