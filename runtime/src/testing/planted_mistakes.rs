//! A switch for tests: nests, or what is done about a guard failure, are made wrong on purpose.
//!
//! `NESTWISE_BREAK=OP` has every nest compute something else wherever it uses one operation: `add` subtracts, `lt`
//! tells greater or equal. It happens before anything is proved, so that a wrong nest is compiled rightly: its
//! subscripts are guarded as those of any other.
//!
//! `undo-elements`, `undo-frame` and `stale-names` leave nests right, and break what makes work be done once: rolling
//! back elements, rolling back variables, and handing names over to CPython.

use std::collections::HashSet;
use std::str::FromStr;

use nestwise_analysis::warns;
use nestwise_ir::guarded::nest_may_fail;
use nestwise_ir::{
    BinOp, CmpOp, Expr, ExprKind, Fun, LiveOutKind, Nest, Stmt, StmtKind, UnOp, VarId,
};

/// The mistakes that can be planted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlantedMistake {
    /// An arithmetic operation, and the one that is computed in its place.
    Binary(BinOp, BinOp),
    /// A comparison, and the one that is made in its place.
    Compare(CmpOp, CmpOp),
    /// Negation or absolute value, which is left out.
    Unary(UnOp),
    /// A mathematical function, and the one that is called in its place.
    Call(Fun, Fun),
    /// NumPy's floating-point warnings, which are never given.
    Warning,
    /// A chunk that is rolled back leaves the elements that it wrote as they are.
    UndoElements,
    /// A chunk that is rolled back leaves variables as they are: counters, and how many elements were appended.
    UndoFrame,
    /// After an early end CPython goes on with the values that names had before the launch.
    StaleNames,
}

/// The mistakes by their names.
const ALL: [(&str, PlantedMistake); 25] = [
    ("add", PlantedMistake::Binary(BinOp::Add, BinOp::Sub)),
    ("sub", PlantedMistake::Binary(BinOp::Sub, BinOp::Add)),
    ("mul", PlantedMistake::Binary(BinOp::Mul, BinOp::Add)),
    ("div", PlantedMistake::Binary(BinOp::Div, BinOp::Mul)),
    (
        "floordiv",
        PlantedMistake::Binary(BinOp::FloorDiv, BinOp::Mod),
    ),
    ("mod", PlantedMistake::Binary(BinOp::Mod, BinOp::FloorDiv)),
    ("pow", PlantedMistake::Binary(BinOp::Pow, BinOp::Mul)),
    ("and", PlantedMistake::Binary(BinOp::And, BinOp::Or)),
    ("or", PlantedMistake::Binary(BinOp::Or, BinOp::And)),
    ("xor", PlantedMistake::Binary(BinOp::Xor, BinOp::Or)),
    ("shl", PlantedMistake::Binary(BinOp::Shl, BinOp::Shr)),
    ("shr", PlantedMistake::Binary(BinOp::Shr, BinOp::Shl)),
    ("lt", PlantedMistake::Compare(CmpOp::Lt, CmpOp::Ge)),
    ("le", PlantedMistake::Compare(CmpOp::Le, CmpOp::Gt)),
    ("gt", PlantedMistake::Compare(CmpOp::Gt, CmpOp::Le)),
    ("eq", PlantedMistake::Compare(CmpOp::Eq, CmpOp::Ne)),
    ("neg", PlantedMistake::Unary(UnOp::Neg)),
    ("abs", PlantedMistake::Unary(UnOp::Abs)),
    ("sqrt", PlantedMistake::Call(Fun::Sqrt, Fun::Fabs)),
    ("exp", PlantedMistake::Call(Fun::Exp, Fun::Expm1)),
    ("sin", PlantedMistake::Call(Fun::Sin, Fun::Cos)),
    ("warning", PlantedMistake::Warning),
    ("undo-elements", PlantedMistake::UndoElements),
    ("undo-frame", PlantedMistake::UndoFrame),
    ("stale-names", PlantedMistake::StaleNames),
];

impl FromStr for PlantedMistake {
    type Err = String;
    fn from_str(text: &str) -> Result<PlantedMistake, String> {
        let found = ALL.iter().find(|(name, _)| *name == text);
        found.map(|(_, broken)| *broken).ok_or_else(|| {
            let names: Vec<&str> = ALL.iter().map(|(name, _)| *name).collect();
            format!("break {text}: none of {}", names.join(", "))
        })
    }
}

impl PlantedMistake {
    /// Makes a nest wrong; returns whether it uses the operation.
    pub fn plant(self, nest: &mut Nest) -> bool {
        match self {
            PlantedMistake::Warning => return warns(nest),
            PlantedMistake::UndoElements
            | PlantedMistake::UndoFrame
            | PlantedMistake::StaleNames => {
                return nest_may_fail(nest);
            }
            _ => {}
        }
        let counts = nest.live_outs.iter().filter_map(|out| match out.kind {
            LiveOutKind::Appended { count, .. } => Some(count),
            _ => None,
        });
        let mut kept: HashSet<VarId> = counts.collect();
        keep_places(nest, &mut kept);
        self.stmt(&mut nest.top, &kept, false)
    }

    /// Makes a statement wrong; returns whether it uses the operation. What is no operation of the user's stays right:
    /// checks, how many elements were appended, and unguarded subscripts. So do ints inside a `while`: most of them are
    /// what it waits for.
    fn stmt(self, stmt: &mut Stmt, kept: &HashSet<VarId>, waiting: bool) -> bool {
        let waiting = waiting || matches!(stmt.kind, StmtKind::While(_));
        let mut used = false;
        match &mut stmt.kind {
            StmtKind::Check { .. } => return false,
            StmtKind::Let { var, .. } if kept.contains(var) => return false,
            StmtKind::Store {
                value,
                guard: false,
                ..
            } => return self.expr(value, waiting),
            StmtKind::For(l) if kept.contains(&l.counter) => {}
            _ => {
                for expr in stmt.exprs_mut() {
                    used |= self.expr(expr, waiting);
                }
            }
        }
        for inner in stmt.blocks_mut().into_iter().flatten() {
            used |= self.stmt(inner, kept, waiting);
        }
        used
    }

    fn expr(self, expr: &mut Expr, waiting: bool) -> bool {
        if matches!(expr.kind, ExprKind::Load { guard: false, .. }) {
            return false;
        }
        let mut used = false;
        for child in expr.children_mut() {
            used |= self.expr(child, waiting);
        }
        let is_int = expr.ty.repr.is_int();
        match (&mut expr.kind, self) {
            (ExprKind::Binary { .. }, _) if is_int && waiting => {}
            (ExprKind::Binary { op, guard, .. }, PlantedMistake::Binary(right, wrong))
                if *op == right =>
            {
                *op = wrong;
                *guard = true;
                return true;
            }
            (ExprKind::Compare { op, a, .. }, PlantedMistake::Compare(right, wrong))
                if *op == right && !(waiting && a.ty.repr.is_int()) =>
            {
                *op = wrong;
                return true;
            }
            (ExprKind::Unary { op, a, .. }, PlantedMistake::Unary(right))
                if *op == right && a.ty.repr == expr.ty.repr =>
            {
                let operand = std::mem::replace(&mut **a, Expr::int(0, expr.span));
                expr.kind = operand.kind;
                return true;
            }
            (ExprKind::Call { fun, .. }, PlantedMistake::Call(right, wrong)) if *fun == right => {
                *fun = wrong;
                return true;
            }
            _ => {}
        }
        used
    }
}

/// Adds the variables that unguarded subscripts rest on: the front end knows these to be in range.
fn keep_places(nest: &Nest, kept: &mut HashSet<VarId>) {
    let mut places: Vec<&Expr> = Vec::new();
    nest.walk_exprs(&mut |e| match &e.kind {
        ExprKind::Load { index, guard, .. } if !guard => places.extend(index),
        _ => {}
    });
    nest.walk(&mut |stmt| match &stmt.kind {
        StmtKind::Store { index, guard, .. } if !guard => places.extend(index),
        _ => {}
    });
    let mut before = None;
    while before != Some(kept.len()) {
        before = Some(kept.len());
        for place in places.drain(..) {
            place.walk(&mut |e| {
                if let ExprKind::Var(var) = e.kind {
                    kept.insert(var);
                }
            });
        }
        nest.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Let { var, value } if kept.contains(var) => places.push(value),
            StmtKind::For(l) if kept.contains(&l.counter) => {
                places.extend([&l.start, &l.stop, &l.step]);
            }
            _ => {}
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_and_others_are_not() {
        for (name, broken) in ALL {
            assert_eq!(name.parse(), Ok(broken));
        }
        assert!("".parse::<PlantedMistake>().is_err() && "adds".parse::<PlantedMistake>().is_err());
    }
}
