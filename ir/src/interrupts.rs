//! Which loops inside the top loop may keep signal handlers and other threads waiting.
//!
//! Between two iterations of the top loop a launch serves whatever waits: signal handlers, other threads, asynchronous
//! exceptions. Inside an iteration it can only give up: the iteration is rolled back and CPython runs it. A loop inside
//! is *interruptible* if a kernel has to poll meanwhile whether anything waits, which is a guard failure like any other
//! (see [`guarded`](crate::guarded)). Kernels never poll in loops that are proved short.
//!
//! As after any guard that may fail, a launch of such a kernel copies what it writes and keeps the interpreter lock. A
//! nest whose loops inside are all short has no such guard.

use crate::model::ids::LoopId;
use crate::model::nest::{Expr, ExprKind, Nest, Stmt, StmtKind};

/// The time in nanoseconds, roughly, that one iteration of the top loop may take without polling.
pub const SHORT: f64 = 2e7;
/// The time in nanoseconds, roughly, that a loop without loops inside runs between two polls.
pub const PIECE: i64 = 20_000_000;
/// The time in nanoseconds, roughly, that a loop inside must take in all for a kernel to poll in it.
const WORTH_ASKING: f64 = 1e6;
/// The time of an operation in nanoseconds, roughly.
const OPERATION: i64 = 1;
const CALL: i64 = 20;
/// The time in nanoseconds, roughly, that an inner loop counts for if the kernel does not poll in it: the loop is known
/// to be short, but not how short.
const INNER_LOOP: i64 = 1000;

/// The time in nanoseconds, roughly, of one run of a block. Loops in which a kernel polls are left out.
pub fn own_work(nest: &Nest, block: &[Stmt]) -> i64 {
    block.iter().map(|s| statement(nest, s)).sum::<i64>().max(1)
}

fn statement(nest: &Nest, s: &Stmt) -> i64 {
    let own: i64 = s.exprs().map(expression).sum::<i64>() + OPERATION;
    let id = match &s.kind {
        StmtKind::For(l) => Some(l.id),
        StmtKind::While(l) => Some(l.id),
        _ => None,
    };
    let inside = |s: &Stmt| -> i64 {
        let blocks = s.blocks();
        blocks.flatten().map(|s| statement(nest, s)).sum()
    };
    match id {
        Some(id) if nest.interruptible.contains(&id) => own,
        Some(_) => own + INNER_LOOP,
        None => own + inside(s),
    }
}

fn expression(e: &Expr) -> i64 {
    let mut work = 0;
    e.walk(&mut |e| {
        work += match e.kind {
            ExprKind::Call { .. } => CALL,
            _ => OPERATION,
        };
    });
    work
}

/// The loops inside the top loop in which a kernel has to poll, by the trips of each loop, as far as they are known;
/// empty if an iteration of the top loop is proved short.
pub fn interruptible(nest: &Nest, trips: &[Option<f64>]) -> Vec<LoopId> {
    let mut found = Vec::new();
    let mut whole = Some(0.0);
    for s in nest.top.blocks().flatten() {
        let work = bound(s, trips, &mut found);
        whole = whole.zip(work).map(|(a, b)| a + b);
    }
    match whole {
        Some(whole) if whole <= SHORT => Vec::new(),
        _ => found,
    }
}

/// An upper bound of a statement's time in nanoseconds, roughly, if it has one; loops in it that may take long are
/// added to `found`.
fn bound(s: &Stmt, trips: &[Option<f64>], found: &mut Vec<LoopId>) -> Option<f64> {
    let own = s.exprs().map(expression).sum::<i64>() + OPERATION;
    let before = found.len();
    let mut inside = Some(own as f64);
    for part in s.blocks().flatten() {
        let work = bound(part, trips, found);
        inside = inside.zip(work).map(|(a, b)| a + b);
    }
    let id = match &s.kind {
        StmtKind::For(l) => l.id,
        StmtKind::While(l) => l.id,
        _ => return inside,
    };
    let trips = trips.get(id.index()).copied().flatten();
    let whole = inside.zip(trips).map(|(each, trips)| each * trips);
    // A loop around one that is asked in need not be asked in, unless it is long by what else is in it.
    let asked_inside = found.len() > before;
    if whole.is_none_or(|w| w > WORTH_ASKING) && !(asked_inside && trips.is_some()) {
        found.push(id);
    }
    whole
}
