//! Values that may be computed more than once: where a loop is distributed, each loop that uses such a value computes
//! it again, since that is cheaper than reading it from an array as long as the loop.

use nestwise_ir::model::nest::{BinOp, Expr, ExprKind, Stmt, StmtKind};
use nestwise_ir::{For, VarId};

use crate::parallelism::legality::Given;
use crate::structure::variables;

/// The most operations of a value that is computed again.
const MAX_SIZE: usize = 12;

/// The statements of a body that may be repeated in several loops.
pub(crate) struct Values {
    /// By statement: the statements that use its value, repeated ones among them; `None` if it may not be repeated.
    users: Vec<Option<Vec<usize>>>,
}

impl Given<'_> {
    /// The statements of a loop's body that each loop it is distributed into may repeat.
    ///
    /// Legal iff such a statement
    ///   - does nothing but assign a variable that is private to an iteration,
    ///   - which no other statement of the loop assigns.
    ///
    /// The variable's value after the loops is then that of the last iteration, whichever of the loops comes last.
    /// Repeating pays if the value is cheap. The statement's loads are ordered like those of the statements that use
    /// it.
    pub(crate) fn repeatable(&self, l: &For) -> Values {
        let sets: Vec<_> = l.body.iter().map(variables).collect();
        let private = |v: &VarId| {
            let info = self.info(l.id);
            info.is_some_and(|i| i.private.contains(v))
        };
        let users = |(s, stmt): (usize, &Stmt)| {
            let StmtKind::Let { var, value } = &stmt.kind else {
                return None;
            };
            let others = || sets.iter().enumerate().filter(|(t, _)| *t != s);
            let once = sets[s].0 == [*var] && !others().any(|(_, t)| t.0.contains(var));
            let users = others().filter(|(_, t)| t.1.contains(var)).map(|(t, _)| t);
            (once && private(var) && cheap(value)).then(|| users.collect())
        };
        Values {
            users: l.body.iter().enumerate().map(users).collect(),
        }
    }
}

impl Values {
    /// Whether a statement may be repeated, and some other statement uses its value.
    pub(crate) fn has(&self, s: usize) -> bool {
        let users = self.users.get(s).and_then(Option::as_ref);
        users.is_some_and(|u| !u.is_empty())
    }

    /// The statements that are repeated, with their users, in the order of the text: a value is used by later
    /// statements only.
    pub(crate) fn users(&self) -> impl Iterator<Item = (usize, &[usize])> {
        let all = self.users.iter().enumerate();
        all.filter_map(|(s, users)| Some((s, users.as_deref()?)))
            .filter(|(_, users)| !users.is_empty())
    }

    /// Adds to a group the repeatable statements whose values it uses, and those that these use, in the order of the
    /// text.
    pub(crate) fn add_to(&self, group: &mut Vec<usize>) {
        let all: Vec<_> = self.users().collect();
        for (s, users) in all.into_iter().rev() {
            if users.iter().any(|u| group.contains(u)) {
                group.push(s);
            }
        }
        group.sort_unstable();
    }
}

/// Whether a value is cheap to compute: a few plain operations, no division and no function.
fn cheap(value: &Expr) -> bool {
    let (mut size, mut plain) = (0, true);
    value.walk(&mut |e| {
        size += 1;
        plain &= match &e.kind {
            ExprKind::Call { .. } | ExprKind::HostCall { .. } | ExprKind::Bind { .. } => false,
            ExprKind::Binary { op, .. } => {
                !matches!(op, BinOp::Div | BinOp::FloorDiv | BinOp::Mod | BinOp::Pow)
            }
            _ => true,
        };
    });
    plain && size <= MAX_SIZE
}
