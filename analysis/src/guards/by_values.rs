//! Guards that cannot fail for the values of one launch, by interval analysis with those values.
//!
//! [`crate::BoundsPlan`] decides what is affine in counters and sizes, in no time. This takes a pass over the nest, and
//! sees what forms do not: subscripts that are computed from floats (`int(y * scale)`), sums of elements that are known
//! to be small.

use nestwise_ir::model::nest::{Expr, ExprKind, Nest};
use nestwise_ir::{ArrayId, ArrayKind, BinOp, UnOp};

use crate::guards::launch_values::LaunchValues;
use crate::guards::{GuardSet, Site, count, for_each};
use crate::structure::Classes;
use crate::values::interval::Interval;
use crate::values::range::{Ranges, ranges_known};

/// By slot: the least and the greatest element, if known.
type Contents = Vec<Option<(i64, i64)>>;

/// The most rounds in which stored values may widen the range of what arrays hold.
const ROUNDS: usize = 3;

/// What the values of a launch prove.
pub struct Known {
    /// The guards that no execution from these values makes fail.
    pub proven: GuardSet,
    /// By slot: the least and the greatest value that its elements ever have, where the range at entry was known.
    pub contents: Vec<Option<(i64, i64)>>,
}

/// Proves what the values of a launch prove; `values.contents` are the elements at entry, of written slots too.
pub fn known(nest: &Nest, values: &LaunchValues) -> Known {
    let mut constant = values.clone();
    forget_written(nest, &mut constant);
    let mut proven = without_guards(nest, &ranges_known(nest, &constant), |_| true);
    let mut contents = constant.contents;
    if contents != values.contents
        && let Some((found, invariant)) = kept(nest, values)
    {
        proven.extend(&without_guards(nest, &found, is_arithmetic));
        contents = invariant;
    }
    Known { proven, contents }
}

fn without_guards(nest: &Nest, found: &Ranges, of: impl Fn(Site<'_>) -> bool) -> GuardSet {
    let mut set = GuardSet::new(count(nest));
    for_each(nest, &mut |id, site, flag| {
        if flag && of(site) && !found.unsafe_nodes.contains(&site.key()) {
            set.insert(id);
        }
    });
    set
}

/// Whether the guard is on a sum, difference or product of ints. Only those may be proven by what the nest itself
/// stores: after a failed guard, a loop that goes on may find any elements, and subscripts and divisors must be
/// checked.
fn is_arithmetic(site: Site<'_>) -> bool {
    let Site::Expr(e) = site else { return false };
    e.ty.repr.is_int()
        && match &e.kind {
            ExprKind::Binary { op, .. } => matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul),
            ExprKind::Unary { op, .. } => *op == UnOp::Neg,
            _ => false,
        }
}

/// The slots whose elements [`known`] needs to know; empty if that can prove no guard.
pub fn worth_looking(nest: &Nest) -> Vec<ArrayId> {
    let (mut guarded, mut read) = (false, vec![]);
    for_each(nest, &mut |_, site, flag| {
        guarded |= flag && is_arithmetic(site)
    });
    let classes = Classes::of(nest);
    nest.walk_exprs(&mut |e: &Expr| {
        if let ExprKind::Load { array, .. } = &e.kind
            && e.ty.repr.is_int()
            && nest.arrays[*array].kind != ArrayKind::Appended
            && !read.contains(array)
        {
            read.extend(classes.members(*array));
        }
    });
    if guarded { read } else { vec![] }
}

fn forget_written(nest: &Nest, values: &mut LaunchValues) {
    let classes = Classes::of(nest);
    for a in nest.arrays.ids() {
        let mut members = classes.members(a);
        if members.any(|m| nest.arrays.get(m).is_none_or(|d| d.written)) {
            values.contents[a.index()] = None;
        }
    }
}

/// The ranges under an invariant on what written arrays hold, and that invariant: the elements at entry, and whatever
/// is stored there; `None` if it keeps growing. By induction over the stores, each stores a value within the invariant,
/// as long as that held before.
fn kept(nest: &Nest, values: &LaunchValues) -> Option<(Ranges, Contents)> {
    let classes = Classes::of(nest);
    let mut values = values.clone();
    // Slots that trade places hold each other's elements.
    let join = |all: &[Option<(i64, i64)>], a: ArrayId| {
        let ends = classes
            .members(a)
            .map(|m| all.get(m.index()).copied().flatten());
        ends.reduce(|x, y| Some((x?.0.min(y?.0), x?.1.max(y?.1))))
            .flatten()
    };
    let entry = values.contents.clone();
    values.contents = nest.arrays.ids().map(|a| join(&entry, a)).collect();
    for _ in 0..ROUNDS {
        let found = ranges_known(nest, &values);
        let mut grown = false;
        for a in nest.arrays.ids() {
            let Some((lo, hi)) = values.contents[a.index()] else {
                continue;
            };
            let stored = classes.members(a).filter_map(|m| found.stored.get(&m));
            let Some(all) = stored.copied().reduce(Interval::join) else {
                continue;
            };
            let (Ok(least), Ok(most)) = (i64::try_from(all.lo), i64::try_from(all.hi)) else {
                values.contents[a.index()] = None;
                grown = true;
                continue;
            };
            if least < lo || most > hi {
                values.contents[a.index()] = Some((lo.min(least), hi.max(most)));
                grown = true;
            }
        }
        if !grown {
            return Some((found, values.contents));
        }
    }
    None
}
