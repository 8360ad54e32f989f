//! The values of all variables at a point of a nest.

use nestwise_ir::VarId;
use nestwise_ir::model::nest::Expr;

use crate::values::transfer::Val;

/// The values of all variables at a point.
pub type State = Vec<Val>;

/// The join of two states, where `None` stands for a point that is not reached.
pub(crate) fn join(a: Option<State>, b: Option<State>) -> Option<State> {
    match (a, b) {
        (None, x) | (x, None) => x,
        (Some(mut a), Some(b)) => {
            a.iter_mut().zip(b).for_each(|(x, y)| *x = x.join(y));
            Some(a)
        }
    }
}

pub(crate) fn set(st: &mut State, var: VarId, v: Val) {
    if let Some(slot) = st.get_mut(var.index()) {
        *slot = v;
    }
}

/// A variable's value; one that is unassigned is never really read, so anything will do.
pub(crate) fn get(st: &State, var: VarId, e: &Expr) -> Val {
    match st.get(var.index()) {
        Some(Val::None) | None => Val::of_type(e.ty.repr),
        Some(v) => *v,
    }
}
