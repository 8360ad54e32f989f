//! Values that LLVM may know.
//!
//! NumPy's warnings are read off the floating-point flags, which an operation on constants raises where it runs, and
//! not where LLVM computes it. LLVM sees constants through variables, through elements that were stored, through
//! choices (`1e300 if c else 2.0`, a bool as a number) and through arithmetic on these. So the values that may be known
//! are followed the same way: few of them for each variable and array, over all of the nest's assignments. An operation
//! that would raise a flag on some of those gets an operand that LLVM does not see through
//! ([`nestwise_codegen::lower`]).

use std::collections::HashMap;

use nestwise_ir::model::nest::BinOp;
use nestwise_ir::{ArrayId, Const, Expr, ExprKind, Fun, Nest, Scalar, StmtKind, UnOp, VarId};

use crate::may_warn;

/// The most values followed for one variable or array: with more, it counts as able to hold any.
const MOST: usize = 8;

/// The constants that the value of an expression may be, apart from values that are not known before the nest runs.
#[derive(Clone, Debug)]
enum Values {
    Few(Vec<f64>),
    Any,
}

impl Default for Values {
    fn default() -> Values {
        Values::Few(vec![])
    }
}

impl Values {
    fn is_none(&self) -> bool {
        matches!(self, Values::Few(all) if all.is_empty())
    }

    /// The possible results of an operation that is not followed: any, if all of its operands may be known, else none
    /// that is known.
    fn of_unknown(known: bool) -> Values {
        match known {
            true => Values::Any,
            false => Values::default(),
        }
    }

    /// Adds a value; true if it was not there yet.
    fn add(&mut self, value: f64) -> bool {
        let Values::Few(all) = self else {
            return false;
        };
        if all.iter().any(|v| v.to_bits() == value.to_bits()) {
            return false;
        }
        all.push(value);
        if all.len() > MOST {
            *self = Values::Any;
        }
        true
    }

    /// Adds all values of another set; true if one of them was not there yet.
    fn join(&mut self, other: &Values) -> bool {
        match (other, &self) {
            (Values::Few(all), _) => all.iter().fold(false, |new, v| self.add(*v) | new),
            (Values::Any, Values::Any) => false,
            (Values::Any, Values::Few(_)) => {
                *self = Values::Any;
                true
            }
        }
    }

    fn map(&self, f: impl Fn(f64) -> f64) -> Values {
        self.pairs(&Values::Few(vec![0.0]), |x, _| f(x))
    }

    /// The results of a binary operation on each pair of values; none where one of the operands is never known.
    fn pairs(&self, other: &Values, f: impl Fn(f64, f64) -> f64) -> Values {
        let (Values::Few(a), Values::Few(b)) = (self, other) else {
            return Values::of_unknown(!self.is_none() && !other.is_none());
        };
        let mut made = Values::default();
        for x in a {
            b.iter().for_each(|y| {
                made.add(f(*x, *y));
            });
        }
        made
    }

    fn any_pair(&self, other: &Values, f: impl Fn(f64, f64) -> bool) -> bool {
        match (self, other) {
            (Values::Few(a), Values::Few(b)) => a.iter().any(|x| b.iter().any(|y| f(*x, *y))),
            _ => !self.is_none() && !other.is_none(),
        }
    }
}

/// The constants of a nest's variables and arrays.
#[derive(Default, Debug)]
pub struct Constants {
    vars: HashMap<VarId, Values>,
    arrays: HashMap<ArrayId, Values>,
}

impl Constants {
    /// The constants of a nest.
    pub fn of(nest: &Nest) -> Constants {
        let mut found = Constants::default();
        if !crate::warns(nest) {
            return found;
        }
        loop {
            let mut changed = false;
            nest.walk(&mut |s| match &s.kind {
                StmtKind::Let { var, value } => changed |= found.assign(*var, value),
                StmtKind::Store { array, value, .. } => {
                    let values = found.values(value);
                    changed |= found.arrays.entry(*array).or_default().join(&values);
                }
                _ => {}
            });
            nest.walk_exprs(&mut |e| {
                if let ExprKind::Bind { var, value, .. } = &e.kind {
                    changed |= found.assign(*var, value);
                }
            });
            if !changed {
                return found;
            }
        }
    }

    fn assign(&mut self, var: VarId, value: &Expr) -> bool {
        let values = self.values(value);
        self.vars.entry(var).or_default().join(&values)
    }

    /// Whether the operation may warn where all of its operands are known, and what it warns of is therefore lost.
    pub fn would_warn(&self, e: &Expr) -> bool {
        if !may_warn(e) {
            return false;
        }
        match &e.kind {
            ExprKind::Binary { op, a, b, .. } => {
                let (x, y) = (self.values(a), self.values(b));
                x.any_pair(&y, |x, y| raises(*op, x, y, e.ty.repr))
            }
            _ => self.all_known(e),
        }
    }

    fn all_known(&self, e: &Expr) -> bool {
        e.children().all(|c| !self.values(c).is_none())
    }

    fn values(&self, e: &Expr) -> Values {
        let repr = e.ty.repr;
        match &e.kind {
            ExprKind::Const(Const::Int(v)) => Values::Few(vec![*v as f64]),
            ExprKind::Const(Const::Float(v)) => Values::Few(vec![rounded(*v, repr)]),
            ExprKind::Const(Const::Bool(v)) => Values::Few(vec![f64::from(u8::from(*v))]),
            ExprKind::Const(Const::Complex(..)) => Values::Any,
            // A choice of two, whatever it hangs on.
            _ if repr == Scalar::Bool => Values::Few(vec![0.0, 1.0]),
            ExprKind::Var(v) => self.vars.get(v).cloned().unwrap_or_default(),
            ExprKind::Load { array, .. } => self.arrays.get(array).cloned().unwrap_or_default(),
            ExprKind::Unary { op, a, .. } if !repr.is_complex() && !a.ty.repr.is_complex() => {
                match op {
                    UnOp::Neg => self.values(a).map(|x| -x),
                    UnOp::Abs => self.values(a).map(f64::abs),
                    _ => Values::of_unknown(!self.values(a).is_none()),
                }
            }
            ExprKind::Cast { a, .. } if !repr.is_complex() && !a.ty.repr.is_complex() => {
                self.values(a).map(|x| rounded(x, repr))
            }
            ExprKind::Select { then, orelse, .. } => {
                let mut both = self.values(then);
                both.join(&self.values(orelse));
                both
            }
            ExprKind::Bind { body, .. } => self.values(body),
            ExprKind::Binary { op, a, b, .. } => self.binary(*op, a, b, repr),
            ExprKind::Call { fun, args, .. } if *fun == Fun::Sqrt => match args.first() {
                Some(a) => self.values(a).map(|x| rounded(x.sqrt(), repr)),
                None => Values::default(),
            },
            ExprKind::Dim(..) | ExprKind::Compare { .. } | ExprKind::HostCall { .. } => {
                Values::default()
            }
            ExprKind::Unary { .. } | ExprKind::Cast { .. } | ExprKind::Call { .. } => {
                Values::of_unknown(self.all_known(e))
            }
        }
    }

    fn binary(&self, op: BinOp, a: &Expr, b: &Expr, repr: Scalar) -> Values {
        let (x, y) = (self.values(a), self.values(b));
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div if !repr.is_complex() => {
                x.pairs(&y, |x, y| computed(op, x, y, repr))
            }
            // One of them, known or not.
            BinOp::Min | BinOp::Max => {
                let mut both = x;
                both.join(&y);
                both
            }
            _ => Values::of_unknown(!x.is_none() && !y.is_none()),
        }
    }
}

fn rounded(v: f64, repr: Scalar) -> f64 {
    match repr {
        Scalar::F32 => f64::from(v as f32),
        r if r.is_int() => v.trunc(),
        _ => v,
    }
}

fn computed(op: BinOp, x: f64, y: f64, repr: Scalar) -> f64 {
    let exact = match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x * y,
        _ => x / y,
    };
    // For these four, rounding twice is rounding once.
    rounded(exact, repr)
}

/// Whether an operation on two floats overflows, underflows or has no result. Operations other than `+`, `-`, `*` and
/// `/` are not examined here.
fn raises(op: BinOp, x: f64, y: f64, repr: Scalar) -> bool {
    if repr.is_complex() || !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div) {
        return true;
    }
    let r = computed(op, x, y, repr);
    let least = match repr {
        Scalar::F32 => f64::from(f32::MIN_POSITIVE),
        _ => f64::MIN_POSITIVE,
    };
    let no_result = r.is_nan() && !x.is_nan() && !y.is_nan();
    let large = r.is_infinite() && x.is_finite() && y.is_finite();
    let product = matches!(op, BinOp::Mul | BinOp::Div) && x != 0.0 && y != 0.0;
    let small = product && r.abs() < least && x.is_finite() && y.is_finite();
    no_result || large || small
}
