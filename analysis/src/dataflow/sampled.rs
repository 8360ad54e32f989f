//! Whether two subscripts may be equal, tested by evaluating them for made-up values.
//!
//! LLVM simplifies: `i - i`, `2 * i // 2`, `k ^ k`. So it does not do to compare subscripts by their text. They are
//! evaluated for made-up values of everything they are computed from, as identities of polynomials are tested
//! (Schwartz, "Fast probabilistic algorithms for verification of polynomial identities", 1980): where the values
//! differ, so do the subscripts. Where the values never differ, the subscripts may be equal.

use std::cell::{Cell, RefCell};
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use nestwise_ir::{BinOp, CmpOp, Const, Expr, ExprKind, Stmt, StmtKind, UnOp, VarId};

/// How many sets of made-up values are tried.
const ROUNDS: u32 = 8;
/// The most expressions evaluated for one subscript; what is left of a larger one counts as 0.
const FUEL: u32 = 2000;

/// The assignments of a loop's body.
pub struct Assignments<'n> {
    values: HashMap<VarId, Vec<&'n Expr>>,
}

/// One evaluation: a set of made-up values (`round`), and values of the moving variables in it (`turn`).
struct Point<'a, 'n> {
    assignments: &'a Assignments<'n>,
    round: u32,
    turn: u32,
    /// Variables that have another value in each turn.
    moving: &'a HashSet<VarId>,
    /// Whether variables that are computed from their own last value have another value in each turn, too.
    carried_move: bool,
    /// Values of the variables that enclosing expressions bind.
    bound: RefCell<Vec<(VarId, i64)>>,
    /// Variables whose values are being computed, to notice those that depend on themselves.
    open: RefCell<Vec<VarId>>,
    fuel: Cell<u32>,
}

impl<'n> Assignments<'n> {
    pub fn of(body: &'n [Stmt]) -> Assignments<'n> {
        let mut values: HashMap<VarId, Vec<&'n Expr>> = HashMap::new();
        for s in body {
            s.walk(&mut |s| {
                if let StmtKind::Let { var, value } = &s.kind {
                    values.entry(*var).or_default().push(value);
                }
            });
        }
        Assignments { values }
    }

    /// Whether a subscript (one expression per axis) certainly changes when the `moving` variables change.
    pub fn moves(&self, place: &[Expr], moving: &HashSet<VarId>, carried_move: bool) -> bool {
        (0..ROUNDS).any(|round| {
            let at = |turn| self.point(round, turn, moving, carried_move).place(place);
            at(0) != at(1)
        })
    }

    /// Whether two subscripts certainly differ for the same values of all variables.
    pub fn differ(&self, a: &[Expr], b: &[Expr], moving: &HashSet<VarId>) -> bool {
        (0..ROUNDS).any(|round| {
            let at = |place| self.point(round, 0, moving, true).place(place);
            at(a) != at(b)
        })
    }

    fn point<'a>(
        &'a self,
        round: u32,
        turn: u32,
        moving: &'a HashSet<VarId>,
        carried_move: bool,
    ) -> Point<'a, 'n> {
        Point {
            assignments: self,
            round,
            turn,
            moving,
            carried_move,
            bound: RefCell::default(),
            open: RefCell::default(),
            fuel: Cell::new(FUEL),
        }
    }
}

/// A number derived from `of` by hashing, not negative and below 2**20.
fn made_up(of: impl Hash) -> i64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    (hasher.finish() >> 44) as i64
}

impl Point<'_, '_> {
    fn place(&self, place: &[Expr]) -> Vec<i64> {
        place.iter().map(|e| self.value(e)).collect()
    }

    fn value(&self, e: &Expr) -> i64 {
        let Some(left) = self.fuel.get().checked_sub(1) else {
            return 0;
        };
        self.fuel.set(left);
        match &e.kind {
            ExprKind::Const(Const::Int(v)) => *v as i64,
            ExprKind::Const(Const::Bool(b)) => i64::from(*b),
            ExprKind::Const(Const::Float(v)) => made_up(v.to_bits()),
            ExprKind::Const(Const::Complex(x, y)) => made_up((x.to_bits(), y.to_bits())),
            ExprKind::Var(v) => self.variable(*v),
            ExprKind::Dim(array, axis) => 1000 + made_up((self.round, array, axis)),
            ExprKind::Load { array, index, .. } => made_up((self.round, array, self.place(index))),
            ExprKind::Unary { op, a, .. } => match (op, self.value(a)) {
                (UnOp::Neg, v) => v.wrapping_neg(),
                (UnOp::Abs, v) => v.wrapping_abs(),
                (UnOp::Invert, v) => !v,
                (_, v) => made_up((format!("{op:?}"), v)),
            },
            ExprKind::Binary { op, a, b, .. } => binary(*op, self.value(a), self.value(b)),
            ExprKind::Compare { op, a, b } => {
                let (a, b) = (self.value(a), self.value(b));
                i64::from(match op {
                    CmpOp::Eq => a == b,
                    CmpOp::Ne => a != b,
                    CmpOp::Lt => a < b,
                    CmpOp::Le => a <= b,
                    CmpOp::Gt => a > b,
                    CmpOp::Ge => a >= b,
                })
            }
            ExprKind::Select { cond, then, orelse } => match self.value(cond) {
                0 => self.value(orelse),
                _ => self.value(then),
            },
            ExprKind::Cast { a, .. } => self.value(a),
            ExprKind::Call { fun, args, .. } => made_up((format!("{fun:?}"), self.place(args))),
            ExprKind::HostCall { fragment, args } => {
                made_up((fragment.to_string(), self.place(args)))
            }
            ExprKind::Bind { var, value, body } => {
                let value = self.value(value);
                self.bound.borrow_mut().push((*var, value));
                let value = self.value(body);
                self.bound.borrow_mut().pop();
                value
            }
        }
    }

    fn variable(&self, var: VarId) -> i64 {
        if let Some((_, value)) = self.bound.borrow().iter().rev().find(|b| b.0 == var) {
            return *value;
        }
        if self.moving.contains(&var) {
            return made_up((self.round, self.turn, var));
        }
        let Some(values) = self.assignments.values.get(&var) else {
            return made_up((self.round, var));
        };
        if self.open.borrow().contains(&var) {
            let turn = if self.carried_move { self.turn } else { 0 };
            return made_up((self.round, turn, var));
        }
        self.open.borrow_mut().push(var);
        let all: Vec<i64> = values.iter().map(|e| self.value(e)).collect();
        self.open.borrow_mut().pop();
        match all.iter().all(|v| *v == all[0]) {
            true => all[0],
            false => made_up(all),
        }
    }
}

fn binary(op: BinOp, a: i64, b: i64) -> i64 {
    match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::FloorDiv if b != 0 => a.wrapping_sub(modulo(a, b)).wrapping_div(b),
        BinOp::Mod if b != 0 => modulo(a, b),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Min => a.min(b),
        BinOp::Max => a.max(b),
        BinOp::Shl if (0..64).contains(&b) => a.wrapping_shl(b as u32),
        BinOp::Shr if (0..64).contains(&b) => a >> b,
        _ => made_up((op, a, b)),
    }
}

/// Python's `%`: the remainder has the divisor's sign.
fn modulo(a: i64, b: i64) -> i64 {
    let rest = a.wrapping_rem(b);
    if rest != 0 && (rest < 0) != (b < 0) {
        rest.wrapping_add(b)
    } else {
        rest
    }
}
