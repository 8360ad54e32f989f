//! The cheap tests: most pairs are proven independent without a system.
//!
//! The tests go axis by axis, as in Goff, Kennedy and Tseng, "Practical dependence testing" (PLDI 1991): no index
//! variable (ZIV), one with equal coefficients (strong SIV), and for any number the GCD test and Banerjee's inequality,
//! of which the weak SIV tests are cases.

use nestwise_ir::{LoopId, Nest};

use crate::dependence::model::{Dir, Pair};
use crate::guards::static_facts::affine_interval;
use crate::values::affine::{Affine, Ix};
use crate::values::forms::Forms;

/// Whether the cheap tests prove that the two accesses never touch one element in iterations related by `dirs`.
pub(super) fn apart(nest: &Nest, forms: &Forms, pair: Pair<'_>, dirs: &[Dir]) -> bool {
    let Pair { x, y, slots } = pair;
    let common = crate::dependence::model::common_loops(x, y);
    let level = dirs
        .iter()
        .take_while(|d| **d == Dir::Eq)
        .count()
        .min(common.len());
    let axes = x.index.iter().zip(&y.index).enumerate();
    axes.into_iter().any(|(axis, (f, g))| {
        let (Some(f), Some(g)) = (f.affine(), g.affine()) else {
            return false;
        };
        let Some(g) = g.add_const(slots.shift(axis).into()) else {
            return false;
        };
        let fixed = |ix: Ix| forms.home(ix).is_none_or(|h| common[..level].contains(&h));
        no_divisor(f, &g, fixed)
            || no_overlap(nest, forms, f, &g, fixed)
            || strong_siv(forms, f, &g, (&common, level), dirs)
    })
}

/// Whether the GCD test proves that `f(i) = g(j)` has no solution: the greatest common divisor of the coefficients does
/// not divide the constant. Index variables that `fixed` names have one value on both sides.
fn no_divisor(f: &Affine, g: &Affine, fixed: impl Fn(Ix) -> bool) -> bool {
    let Some(gap) = f.sub(g) else { return false };
    let (mut divisor, mut open) = (0u128, false);
    let mut take = |coef: i128| divisor = gcd(divisor, coef.unsigned_abs());
    for t in gap.terms() {
        match t.ix {
            None if t.syms.is_empty() => {}
            None => take(t.coef),
            Some(ix) if fixed(ix) => take(t.coef),
            Some(_) => {}
        }
    }
    for t in f.terms().iter().chain(g.terms()) {
        if t.ix.is_some_and(|ix| !fixed(ix)) {
            take(t.coef);
            open = true;
        }
    }
    let rest = gap.constant_term().unsigned_abs();
    if divisor == 0 {
        // Nothing varies: equal always or never.
        return !open && rest != 0;
    }
    rest % divisor != 0
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Whether Banerjee's inequality proves that `f(i) = g(j)` has no solution: the intervals of both sides do not meet.
/// Index variables that `fixed` names have one value on both sides, and cancel first.
fn no_overlap(
    nest: &Nest,
    forms: &Forms,
    f: &Affine,
    g: &Affine,
    fixed: impl Fn(Ix) -> bool,
) -> bool {
    let open: Vec<Ix> = f
        .ixs()
        .into_iter()
        .chain(g.ixs())
        .filter(|ix| !fixed(*ix))
        .collect();
    let closed = |a: &Affine| open.iter().fold(a.clone(), |a, ix| a.without(*ix));
    let varying = |a: &Affine| a.sub(&closed(a));
    let (Some(common), Some(p), Some(q)) = (closed(f).sub(&closed(g)), varying(f), varying(g))
    else {
        return false;
    };
    let interval = |a: &Affine| affine_interval(nest, forms, a, 3);
    !interval(&common)
        .add(interval(&p))
        .sub(interval(&q))
        .contains(0)
}

/// Whether the strong SIV test proves independence: subscripts `c * i + e` and `c * i + e + d` of the loop after the
/// leading `=` levels, with `e` fixed there, are equal only in iterations `d / c` apart, and that contradicts the
/// direction.
fn strong_siv(
    forms: &Forms,
    f: &Affine,
    g: &Affine,
    (common, level): (&[LoopId], usize),
    dirs: &[Dir],
) -> bool {
    let (Some(id), Some(dir)) = (common.get(level), dirs.get(level)) else {
        return false;
    };
    let Some(gap) = f.sub(g).and_then(|d| d.as_constant()) else {
        return false;
    };
    let counter = Ix::Counter(*id);
    let fixed = |ix: &Ix| {
        *ix == counter
            || forms
                .home(*ix)
                .is_some_and(|h| common[..level].contains(&h))
    };
    let Some(c) = f.const_coef(counter) else {
        return false;
    };
    if !f.ixs().iter().chain(&g.ixs()).all(fixed) || !matches!(dir, Dir::Lt | Dir::Gt) {
        return false;
    }
    if c == 0 || gap == 0 {
        // Without the counter they are equal always or never; with it, only in the same iteration.
        return (c == 0) != (gap == 0);
    }
    if gap % c != 0 {
        return true;
    }
    // The second access's counter minus the first's.
    let Some(up) = forms.loop_form(*id).and_then(|l| l.ascending) else {
        return false;
    };
    let later = (gap / c > 0) == up;
    later != (*dir == Dir::Lt)
}
