//! Peeling: the interior of a loop, in which its first and last iterations are left out, has a simpler body.
//!
//! ```text
//! for j in range(n):                for j in range(0, n - 1):   # the interior
//!     a[j] = b[(j + 1) % n] =>          a[j] = b[j + 1]
//!                                   for j in range(n - 1, n):   # as written
//!                                       a[j] = b[(j + 1) % n]
//! ```
//!
//! Operations such as `(j + 1) % n`, `a[j - 1]` at `j == 0`, `max(j - r, 0)` and `if j > 0` decide anew in every
//! iteration what is the same in all but the first and the last ones. [`split`] finds them and the part of the loop in
//! which they are all decided, the *interior*; there the body is simpler, and its subscripts follow the counter.
//!
//! Every decision is a bound on the counter, `j >= E` or `j < E`, with `E` invariant in the loop.
//!
//! Legal iff the interior's body runs only in iterations `j` in which all bounds hold. Which side of a bound is the
//! interior is a guess about speed alone.
//!
//! Source: Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 5.7.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use nestwise_ir::guarded::any_expr_may_fail;
use nestwise_ir::model::ids::VarId;
use nestwise_ir::model::nest::{
    BinOp, Cast, CmpOp, Const, Expr, ExprKind, For, Nest, Stmt, StmtKind, UnOp,
};
use nestwise_ir::model::span::Span;
use nestwise_ir::model::types::{Prov, Scalar, Ty};

/// The largest distance from an end of the loop at which a condition may change for it to count as decided but for a
/// few iterations.
const NEAR: i128 = 64;
/// The most bounds of an interior on each side.
const MAX_BOUNDS: usize = 6;

/// The interior of a loop: the iterations whose counter is at least every `lower` and less than every `upper`.
#[derive(Clone, Debug)]
pub struct Split {
    /// The least values, inclusive: invariant in the loop, of type `i128`, and safe to evaluate wherever the loop runs
    /// an iteration.
    pub lower: Vec<Expr>,
    /// The greatest values, exclusive: as `lower` otherwise.
    pub upper: Vec<Expr>,
    /// The body for the interior.
    pub body: Vec<Stmt>,
}

/// The interior of an innermost loop of step 1, if its body gets simpler there.
pub fn split(nest: &Nest, l: &For) -> Option<Split> {
    if l.step.as_int() != Some(1) || !l.body.iter().all(is_plain) {
        return None;
    }
    let mut s = Splitter::new(nest, l);
    s.ends = Some((s.linear(&l.start)?, s.linear(&l.stop)?));
    let mut body = l.body.clone();
    s.block(&mut body);
    let span = l.start.span;
    let found = !(s.lower.is_empty() && s.upper.is_empty());
    let exprs = |l: &[Linear]| l.iter().map(|b| b.to_expr(span)).collect();
    found.then(|| Split {
        lower: exprs(&s.lower),
        upper: exprs(&s.upper),
        body,
    })
}

/// Whether a statement runs in order, without loops or jumps.
fn is_plain(s: &Stmt) -> bool {
    let mut plain = true;
    s.walk(&mut |s| {
        plain &= matches!(
            s.kind,
            StmtKind::Let { .. } | StmtKind::Store { .. } | StmtKind::If { .. } | StmtKind::Eval(_)
        );
    });
    plain
}

/// A linear form: `own * counter + konst +` a sum of invariants, computed exactly.
#[derive(Clone, Debug, Default)]
struct Linear {
    own: i128,
    konst: i128,
    /// By the text of an invariant: its coefficient, and its expression, of type `i64`.
    rest: BTreeMap<String, (i128, Expr)>,
}

impl Linear {
    fn constant(konst: i128) -> Linear {
        Linear {
            konst,
            ..Linear::default()
        }
    }

    /// The form `self + factor * other`; `None` if a coefficient grows too large.
    fn plus(mut self, other: &Linear, factor: i128) -> Option<Linear> {
        let sum = |a: i128, b: i128| a.checked_add(b.checked_mul(factor)?);
        self.own = sum(self.own, other.own)?;
        self.konst = sum(self.konst, other.konst)?;
        for (key, (coef, e)) in &other.rest {
            let entry = self.rest.entry(key.clone()).or_insert((0, e.clone()));
            entry.0 = sum(entry.0, *coef)?;
        }
        self.rest.retain(|_, (coef, _)| *coef != 0);
        // What is built from it must stay far inside 128 bits.
        let small = |v: i128| v.unsigned_abs() < 1 << 60;
        let all = small(self.own) && small(self.konst);
        (all && self.rest.values().all(|(c, _)| small(*c)) && self.rest.len() <= 8).then_some(self)
    }

    fn minus(&self, other: &Linear) -> Option<Linear> {
        self.clone().plus(other, -1)
    }

    fn is_near(&self) -> bool {
        self.own == 0 && self.rest.is_empty() && self.konst.abs() <= NEAR
    }

    /// The form as an expression of type `i128`, without the counter's term.
    fn to_expr(&self, span: Span) -> Expr {
        let wide = |kind: ExprKind| Expr {
            kind,
            ty: Ty::PY_WIDE,
            span,
        };
        let binary = |op: BinOp, a: Expr, b: Expr| {
            wide(ExprKind::Binary {
                op,
                a: Box::new(a),
                b: Box::new(b),
                guard: false,
            })
        };
        let number = |v: i128| wide(ExprKind::Const(Const::Int(v)));
        let mut sum = number(self.konst);
        for (coef, e) in self.rest.values() {
            let leaf = wide(ExprKind::Cast {
                kind: Cast::Value,
                a: Box::new(e.clone()),
                guard: false,
            });
            sum = match coef {
                1 => binary(BinOp::Add, sum, leaf),
                -1 => binary(BinOp::Sub, sum, leaf),
                c => binary(BinOp::Add, sum, binary(BinOp::Mul, number(*c), leaf)),
            };
        }
        sum
    }
}

/// The side of a bound on which most iterations are taken to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    AtLeast,
    Below,
}

struct Splitter<'a> {
    nest: &'a Nest,
    counter: VarId,
    /// The variables assigned anywhere in the body.
    assigned: Vec<VarId>,
    /// The values of variables at the current point.
    values: HashMap<VarId, Linear>,
    ends: Option<(Linear, Linear)>,
    /// The number of conditions around the current point.
    depth: u32,
    lower: Vec<Linear>,
    upper: Vec<Linear>,
}

impl<'a> Splitter<'a> {
    fn new(nest: &'a Nest, l: &For) -> Splitter<'a> {
        let mut assigned = vec![];
        for s in &l.body {
            s.walk(&mut |s| {
                if let StmtKind::Let { var, .. } = &s.kind {
                    assigned.push(*var);
                }
                for e in s.exprs() {
                    e.walk(&mut |e| {
                        if let ExprKind::Bind { var, .. } = &e.kind {
                            assigned.push(*var);
                        }
                    });
                }
            });
        }
        Splitter {
            nest,
            counter: l.counter,
            assigned,
            values: HashMap::new(),
            ends: None,
            depth: 0,
            lower: vec![],
            upper: vec![],
        }
    }

    // Linear forms.

    /// The form of an int expression whose guards cannot fail. Arithmetic on NumPy's ints has none: only that on
    /// Python's ints is exact.
    fn linear(&self, e: &Expr) -> Option<Linear> {
        if !matches!(e.ty.repr, Scalar::I64 | Scalar::I128) {
            return None;
        }
        match &e.kind {
            ExprKind::Const(Const::Int(v)) => Linear::default().plus(&Linear::constant(*v), 1),
            ExprKind::Var(v) if *v == self.counter => Some(Linear {
                own: 1,
                ..Linear::default()
            }),
            ExprKind::Var(v) => match self.values.get(v) {
                Some(known) => Some(known.clone()),
                None => self.leaf(e),
            },
            ExprKind::Dim(..) | ExprKind::Load { .. } => self.leaf(e),
            ExprKind::Cast {
                kind: Cast::Value,
                a,
                guard: false,
            } => self.linear(a),
            ExprKind::Unary {
                op: UnOp::Neg,
                a,
                guard: false,
            } if e.ty.prov == Prov::Py => Linear::default().plus(&self.linear(a)?, -1),
            ExprKind::Binary {
                op,
                a,
                b,
                guard: false,
            } if e.ty.prov == Prov::Py => {
                let (x, y) = (self.linear(a)?, self.linear(b)?);
                let plain = |l: &Linear| (l.own == 0 && l.rest.is_empty()).then_some(l.konst);
                match op {
                    BinOp::Add => x.plus(&y, 1),
                    BinOp::Sub => x.plus(&y, -1),
                    BinOp::Mul => match (plain(&x), plain(&y)) {
                        (Some(c), _) => Linear::default().plus(&y, c),
                        (_, Some(c)) => Linear::default().plus(&x, c),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The form of an invariant of type `i64`, which is a term of its own.
    fn leaf(&self, e: &Expr) -> Option<Linear> {
        let key = self.leaf_key(e).filter(|_| e.ty.repr == Scalar::I64)?;
        Some(Linear {
            rest: BTreeMap::from([(key, (1, e.clone()))]),
            ..Linear::default()
        })
    }

    /// The text of an expression that is invariant in the loop. A load counts as invariant only where it is made in
    /// every iteration (elsewhere its subscript may have been proved under conditions), from an array that nothing
    /// writes.
    fn leaf_key(&self, e: &Expr) -> Option<String> {
        match &e.kind {
            ExprKind::Const(Const::Int(v)) => Some(v.to_string()),
            ExprKind::Var(v) if *v != self.counter && !self.assigned.contains(v) => {
                Some(v.to_string())
            }
            ExprKind::Dim(a, axis) => Some(format!("dim({a}, {axis})")),
            ExprKind::Load {
                array,
                index,
                guard: false,
                ..
            } if self.depth == 0 && self.nest.arrays.get(*array).is_some_and(|a| !a.written) => {
                let keys: Option<Vec<String>> = index.iter().map(|i| self.leaf_key(i)).collect();
                Some(format!("{array}[{}]", keys?.join(", ")))
            }
            _ => None,
        }
    }

    // Decisions.

    /// The side of `bound` on which the interior is; `None` if the loop may well be on both. `clamp`: the operation
    /// keeps a value in a range, so that even a bound of unknown distance is taken to be near one of the ends.
    fn side(&self, bound: &Linear, clamp: bool) -> Option<Side> {
        let (start, stop) = self.ends.as_ref()?;
        if bound.minus(start)?.is_near() {
            return Some(Side::AtLeast);
        }
        if bound.minus(stop)?.is_near() {
            return Some(Side::Below);
        }
        if !clamp || bound.rest.is_empty() {
            return None;
        }
        let same = |(key, (coef, _)): (&String, &(i128, Expr))| {
            bound.rest.get(key).is_some_and(|b| b.0 == *coef)
        };
        let of_stop = !stop.rest.is_empty() && stop.rest.iter().all(same);
        Some(if of_stop { Side::Below } else { Side::AtLeast })
    }

    /// Whether a form is close to the loop's start or stop.
    fn is_end(&self, form: &Linear) -> bool {
        let near = |end: &Linear| form.minus(end).is_some_and(|d| d.is_near());
        self.ends
            .as_ref()
            .is_some_and(|(start, stop)| near(start) || near(stop))
    }

    fn add(&mut self, side: Side, bound: Linear) -> Option<()> {
        let list = match side {
            Side::AtLeast => &mut self.lower,
            Side::Below => &mut self.upper,
        };
        let known = |b: &Linear| {
            b.konst == bound.konst
                && b.rest
                    .iter()
                    .map(|(k, v)| (k, v.0))
                    .eq(bound.rest.iter().map(|(k, v)| (k, v.0)))
        };
        if !list.iter().any(known) {
            if list.len() >= MAX_BOUNDS {
                return None;
            }
            list.push(bound);
        }
        Some(())
    }

    /// Whether `form >= 0` everywhere in the interior or nowhere; the interior is narrowed so that one of the two is
    /// true.
    fn not_negative(&mut self, form: &Linear, clamp: bool) -> Option<bool> {
        let rest = Linear {
            own: 0,
            ..form.clone()
        };
        // Where it changes, and on which side it holds.
        let (bound, holds) = match form.own {
            1 => (Linear::default().plus(&rest, -1)?, Side::AtLeast),
            -1 => (rest.plus(&Linear::constant(1), 1)?, Side::Below),
            _ => return None,
        };
        let side = self.side(&bound, clamp)?;
        self.add(side, bound)?;
        Some(side == holds)
    }

    /// Whether the form is zero in the interior: never, if the one iteration in which it is zero lies at an end and is
    /// cut off.
    fn is_zero(&mut self, form: &Linear) -> Option<bool> {
        let rest = Linear {
            own: 0,
            ..form.clone()
        };
        let at = match form.own {
            1 => Linear::default().plus(&rest, -1)?,
            -1 => rest,
            _ => return None,
        };
        match self.side(&at, false)? {
            Side::AtLeast => self.add(Side::AtLeast, at.plus(&Linear::constant(1), 1)?)?,
            Side::Below => self.add(Side::Below, at)?,
        }
        Some(false)
    }

    fn compare(&mut self, op: CmpOp, a: &Expr, b: &Expr) -> Option<bool> {
        let (x, y) = (self.linear(a)?, self.linear(b)?);
        let less = |x: &Linear, y: &Linear| y.minus(x)?.plus(&Linear::constant(-1), 1);
        match op {
            CmpOp::Lt => self.not_negative(&less(&x, &y)?, false),
            CmpOp::Gt => self.not_negative(&less(&y, &x)?, false),
            CmpOp::Le => self.not_negative(&y.minus(&x)?, false),
            CmpOp::Ge => self.not_negative(&x.minus(&y)?, false),
            CmpOp::Eq => self.is_zero(&x.minus(&y)?),
            CmpOp::Ne => self.is_zero(&x.minus(&y)?).map(|zero| !zero),
        }
    }

    /// The floored quotient of two forms in the interior: 0, 1 or -1, whichever most iterations have.
    fn quotient(&mut self, a: &Expr, n: &Expr) -> Option<i128> {
        let (x, n) = (self.linear(a)?, self.linear(n)?);
        if x.own != 1 || n.own != 0 {
            return None;
        }
        let rest = Linear { own: 0, ..x };
        let ends = |q: i128| {
            let lower = Linear::default().plus(&n, q)?.minus(&rest)?;
            let upper = lower.clone().plus(&n, 1)?;
            Some((lower, upper))
        };
        let (start, stop) = self.ends.clone()?;
        let near = |a: &Linear, b: &Linear| a.minus(b).is_some_and(|d| d.is_near());
        let fits = |q: &i128| {
            ends(*q).is_some_and(|(lower, upper)| near(&lower, &start) && near(&upper, &stop))
        };
        let q = [0, 1, -1].into_iter().find(fits);
        // By some unknown distance, where the loop goes round once: taken to be a small one.
        let round = near(&n, &stop) && !rest.rest.is_empty();
        let q = q.or_else(|| round.then_some(0))?;
        let (lower, upper) = ends(q)?;
        self.add(Side::AtLeast, lower)?;
        self.add(Side::Below, upper)?;
        Some(q)
    }

    // The body.

    fn block(&mut self, block: &mut Vec<Stmt>) {
        let mut out = Vec::with_capacity(block.len());
        for mut s in std::mem::take(block) {
            s.exprs_mut().into_iter().for_each(|e| self.expr(e));
            match s.kind {
                StmtKind::If {
                    cond,
                    mut then,
                    mut orelse,
                } => {
                    if let ExprKind::Const(Const::Bool(taken)) = cond.kind {
                        let mut side = if taken { then } else { orelse };
                        self.block(&mut side);
                        out.append(&mut side);
                        continue;
                    }
                    self.branches(&mut then, &mut orelse);
                    s.kind = StmtKind::If { cond, then, orelse };
                }
                StmtKind::Let { var, ref value } => self.assign(var, value),
                _ => {}
            }
            out.push(s);
        }
        *block = out;
    }

    fn branches(&mut self, then: &mut Vec<Stmt>, orelse: &mut Vec<Stmt>) {
        self.depth += 1;
        let before = self.values.clone();
        self.block(then);
        self.values = before.clone();
        self.block(orelse);
        self.values = before;
        self.depth -= 1;
        for s in then.iter().chain(orelse.iter()) {
            s.walk(&mut |s| {
                if let StmtKind::Let { var, .. } = &s.kind {
                    self.values.remove(var);
                }
            });
        }
    }

    fn assign(&mut self, var: VarId, value: &Expr) {
        let form = self
            .linear(value)
            .filter(|_| value.ty.repr == Scalar::I64 && !any_expr_may_fail(value));
        match form {
            Some(form) => self.values.insert(var, form),
            None => self.values.remove(&var),
        };
    }

    /// Simplifies an expression, its operands first.
    fn expr(&mut self, e: &mut Expr) {
        match &mut e.kind {
            ExprKind::Select { cond, then, orelse } => {
                self.expr(cond);
                if let ExprKind::Const(Const::Bool(taken)) = cond.kind {
                    let side = if taken { &mut **then } else { &mut **orelse };
                    let mut side = std::mem::replace(side, Expr::int(0, e.span));
                    self.expr(&mut side);
                    *e = side;
                    return;
                }
                self.depth += 1;
                self.expr(then);
                self.expr(orelse);
                self.depth -= 1;
            }
            ExprKind::Bind { var, value, body } => {
                self.expr(value);
                let var = *var;
                self.assign(var, value);
                self.expr(body);
                self.values.remove(&var);
            }
            _ => e.children_mut().into_iter().for_each(|c| self.expr(c)),
        }
        if let Some(simple) = self.simplified(e) {
            *e = simple;
        }
    }

    fn simplified(&mut self, e: &Expr) -> Option<Expr> {
        let truth = |v: bool| Expr::constant(Const::Bool(v), e.ty, e.span);
        match &e.kind {
            ExprKind::Compare { op, a, b } => {
                let pure = !any_expr_may_fail(a) && !any_expr_may_fail(b);
                let decided = pure.then(|| self.compare(*op, a, b))??;
                Some(truth(decided))
            }
            ExprKind::Unary {
                op: UnOp::Not, a, ..
            } => match a.kind {
                ExprKind::Const(Const::Bool(v)) => Some(truth(!v)),
                _ => None,
            },
            ExprKind::Binary {
                op: op @ (BinOp::Max | BinOp::Min),
                a,
                b,
                ..
            } if !any_expr_may_fail(e) => {
                let (x, y) = (self.linear(a)?, self.linear(b)?);
                // Kept within the loop's own range: only near its ends is that of any effect.
                let limit = if x.own == 0 { &x } else { &y };
                let clamp = self.is_end(limit);
                let larger = self.not_negative(&x.minus(&y)?, clamp)?;
                let first = larger == (*op == BinOp::Max);
                Some(if first { &**a } else { &**b }.clone())
            }
            ExprKind::Binary {
                op: op @ (BinOp::Mod | BinOp::FloorDiv),
                a,
                b,
                ..
            } if e.ty.prov == Prov::Py && !any_expr_may_fail(a) && !any_expr_may_fail(b) => {
                let q = self.quotient(a, b)?;
                Some(if *op == BinOp::Mod {
                    remainder(e, a, b, q)
                } else {
                    Expr::constant(Const::Int(q), e.ty, e.span)
                })
            }
            ExprKind::Cast {
                kind: Cast::Value,
                a,
                guard: false,
            } => narrowed(e, a),
            _ => None,
        }
    }
}

/// The remainder `a - q * n` for a `q` of 0, 1 or -1.
fn remainder(e: &Expr, a: &Expr, n: &Expr, q: i128) -> Expr {
    let op = match q {
        0 => return a.clone(),
        1 => BinOp::Sub,
        _ => BinOp::Add,
    };
    Expr {
        kind: ExprKind::Binary {
            op,
            a: Box::new(a.clone()),
            b: Box::new(n.clone()),
            guard: false,
        },
        ..e.clone()
    }
}

/// A sum or difference of two 64-bit ints in 64 bits, if it was computed in 128 bits and is known to fit.
fn narrowed(e: &Expr, a: &Expr) -> Option<Expr> {
    let ExprKind::Binary {
        op: op @ (BinOp::Add | BinOp::Sub),
        a: x,
        b: y,
        guard: false,
    } = &a.kind
    else {
        return None;
    };
    let source = |e: &Expr| match &e.kind {
        ExprKind::Cast {
            kind: Cast::Value,
            a,
            guard: false,
        } if a.ty.repr == Scalar::I64 => Some(a.clone()),
        ExprKind::Const(Const::Int(v)) => {
            let v = i64::try_from(*v).ok()?;
            Some(Box::new(Expr::int(v, e.span)))
        }
        _ => None,
    };
    if e.ty.repr != Scalar::I64 || a.ty.repr != Scalar::I128 {
        return None;
    }
    Some(Expr {
        kind: ExprKind::Binary {
            op: *op,
            a: source(x)?,
            b: source(y)?,
            guard: false,
        },
        ..e.clone()
    })
}
