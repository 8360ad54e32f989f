//! Widening with thresholds.

use nestwise_ir::model::nest::{Const, ExprKind, Nest};

use crate::values::float_enclosure::Floats;
use crate::values::interval::Interval;
use crate::values::state::State;
use crate::values::transfer::Val;

/// The values an unstable end may jump to.
pub struct Thresholds {
    ints: Vec<i128>,
}

impl Thresholds {
    /// The thresholds of a nest: its own constants (and their neighbours), the ends of live-ins and of the machine's
    /// types.
    pub fn of(nest: &Nest) -> Thresholds {
        let mut ints = vec![
            0,
            1,
            -1,
            1 << 31,
            -(1 << 31),
            1 << 40,
            1 << 53,
            1 << 62,
            -(1 << 62),
        ];
        ints.extend([
            i128::from(i64::MIN),
            i128::from(i64::MAX),
            i128::MIN,
            i128::MAX,
        ]);
        nest.walk_exprs(&mut |e| {
            if let ExprKind::Const(Const::Int(v)) = e.kind {
                ints.extend([v.saturating_sub(1), v, v.saturating_add(1)]);
            }
        });
        for d in nest.vars.values() {
            ints.extend(
                d.range
                    .iter()
                    .flat_map(|(lo, hi)| [i128::from(*lo), i128::from(*hi)]),
            );
        }
        ints.sort_unstable();
        ints.dedup();
        Thresholds { ints }
    }

    /// The state `next` with its unstable ends moved outward to a threshold, or to the very end if `hard`.
    pub fn widen(&self, old: &State, next: &State, hard: bool) -> State {
        let one = |(a, b): (&Val, &Val)| match (a, b) {
            (Val::Int(a, p), Val::Int(b, q)) => Val::Int(self.ints(*a, *b, hard), *p && *q),
            (Val::Float(a), Val::Float(b)) => Val::Float(floats(*a, *b)),
            (_, b) => *b,
        };
        old.iter().zip(next).map(one).collect()
    }

    fn ints(&self, old: Interval, next: Interval, hard: bool) -> Interval {
        let (mut lo, mut hi) = (next.lo, next.hi);
        if next.lo < old.lo {
            let below = self
                .ints
                .iter()
                .rev()
                .find(|t| **t <= next.lo)
                .filter(|_| !hard);
            lo = below.copied().unwrap_or(i128::MIN);
        }
        if next.hi > old.hi {
            let above = self.ints.iter().find(|t| **t >= next.hi).filter(|_| !hard);
            hi = above.copied().unwrap_or(i128::MAX);
        }
        Interval { lo, hi }
    }
}

fn floats(old: Floats, next: Floats) -> Floats {
    let mut out = next;
    if next.lo < old.lo {
        out.lo = if next.lo >= 0.0 {
            0.0
        } else {
            f64::NEG_INFINITY
        };
    }
    if next.hi > old.hi {
        out.hi = if next.hi <= 0.0 { 0.0 } else { f64::INFINITY };
    }
    // Zero was excluded as a point; a wider interval may not rely on it.
    out.zero = next.zero || out.lo != next.lo || out.hi != next.hi;
    out
}
