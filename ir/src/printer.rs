//! The text form of a typed nest.
//!
//! One line a declaration, one line a statement. `!` after an operation means that it is guarded: it may fire
//! an event. Constants carry their type unless it is Python's int, float or bool; casts name the type they
//! cast to; other operations have the type of their operands.
//!
//! ```text
//! a0 x: ndarray f64 as np.f64, rank 1, capture 1, read
//! v0 s: np.f64 in 2
//! v1 i: py.i64
//! top
//!   L0 for v1 in 0 .. dim(a0, 0) step 1
//!     v0 = (v0 + x0:a0[v1]!)
//! out p2 = v0
//! ```

use std::fmt;

use crate::model::liveout::{MadeArray, SameAs};
use crate::model::nest::{
    ArrayKind, BinOp, Cast, CmpOp, Const, Expr, ExprKind, Fun, Lib, LiveOutKind, Nest, PartAxis,
    ReturnForm, Stmt, StmtKind, UnOp,
};
use crate::model::types::Ty;

/// Two spaces a level.
struct Indent(usize);

impl fmt::Display for Indent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.0).try_for_each(|_| f.write_str("  "))
    }
}

/// `!` if guarded.
fn bang(guard: bool) -> &'static str {
    if guard { "!" } else { "" }
}

/// Items separated by commas.
struct Commas<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for Commas<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if k == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl fmt::Display for MadeArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "new {}[{}]", self.array, Commas(&self.lens))?;
        for (flag, other) in &self.same {
            match other {
                SameAs::Made(other) => write!(f, ", {other} if {flag}")?,
                SameAs::Entry(capture) => write!(f, ", capture {capture} if {flag}")?,
            }
        }
        if let Some(flag) = self.viewed {
            write!(f, ", a view if {flag}")?;
        }
        Ok(())
    }
}

/// `v1`, or `v2+v3*2`: from, so many, every second.
impl fmt::Display for PartAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(v) => write!(f, "{v}"),
            Self::Range { start, len, step } => write!(f, "{start}+{len}*{step}"),
        }
    }
}

impl fmt::Display for ArrayKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ndarray => "ndarray",
            Self::List => "list",
            Self::Tuple => "tuple",
            Self::ArrayArray => "array.array",
            Self::Bytes => "bytes",
            Self::Str => "str",
            Self::Appended => "appended",
            Self::Scratch => "scratch",
            Self::Objects => "objects",
        })
    }
}

impl fmt::Display for Nest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.declarations(f)?;
        if !self.prologue.is_empty() {
            writeln!(f, "prologue")?;
            block(f, &self.prologue, 1)?;
        }
        match self.whole {
            Some(end) => writeln!(f, "top, whole to {end}")?,
            None => writeln!(f, "top")?,
        }
        stmt(f, &self.top, 1)?;
        for out in &self.live_outs {
            write!(f, "out {} = ", out.place)?;
            match &out.kind {
                LiveOutKind::Var(var) => write!(f, "{var}")?,
                LiveOutKind::View(array, index) => write!(f, "view {array}[{}]", Commas(index))?,
                LiveOutKind::Slot(array) => write!(f, "slot {array}")?,
                LiveOutKind::Appended { columns, count, .. } => {
                    write!(f, "{count} of {}", Commas(columns))?;
                }
                LiveOutKind::Tuple(vars) => write!(f, "tuple ({})", Commas(vars))?,
                LiveOutKind::Made(made) => write!(f, "{made}")?,
                LiveOutKind::MadePart(made, axes) => {
                    write!(f, "part [{}] of {made}", Commas(axes))?;
                }
                LiveOutKind::Part(array, axes) => write!(f, "part {array}[{}]", Commas(axes))?,
            }
            match out.assigned {
                Some(flag) => writeln!(f, " if {flag}")?,
                None => writeln!(f)?,
            }
        }
        if let Some(returns) = &self.returns {
            let form = match returns.form {
                ReturnForm::None => "none",
                ReturnForm::Scalar => "scalar",
                ReturnForm::Tuple => "tuple",
            };
            writeln!(f, "returns {form} {}", Commas(&returns.vars))?;
        }
        for condition in &self.preconditions {
            writeln!(f, "requires {condition}")?;
        }
        Ok(())
    }
}

impl Nest {
    fn declarations(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, a) in self.arrays.iter() {
            write!(
                f,
                "{id} {}: {} {} as {}, rank {}",
                a.name, a.kind, a.storage, a.elem, a.rank
            )?;
            write!(f, ", capture {}", a.capture)?;
            writeln!(
                f,
                "{}{}",
                if a.read { ", read" } else { "" },
                if a.written { ", written" } else { "" }
            )?;
        }
        for (id, v) in self.vars.iter() {
            write!(
                f,
                "{id} {}: {}",
                if v.name.is_empty() { "_" } else { &v.name },
                v.ty
            )?;
            if let Some(capture) = v.live_in {
                write!(f, " in {capture}")?;
            }
            if let Some((lo, hi)) = v.range {
                write!(f, " range {lo}..={hi}")?;
            }
            if let Some(tag) = v.np_tag {
                write!(f, " tag {tag}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn block(f: &mut fmt::Formatter<'_>, stmts: &[Stmt], level: usize) -> fmt::Result {
    stmts.iter().try_for_each(|s| stmt(f, s, level))
}

fn stmt(f: &mut fmt::Formatter<'_>, s: &Stmt, level: usize) -> fmt::Result {
    write!(f, "{}", Indent(level))?;
    match &s.kind {
        StmtKind::Let { var, value } => writeln!(f, "{var} = {value}"),
        StmtKind::Store {
            access,
            array,
            index,
            value,
            guard,
        } => {
            writeln!(
                f,
                "{access}:{array}[{}]{} = {value}",
                Commas(index),
                bang(*guard)
            )
        }
        StmtKind::Rebind(pairs) => {
            write!(f, "rebind")?;
            for (k, (dst, src)) in pairs.iter().enumerate() {
                write!(f, "{} {dst} = {src}", if k == 0 { "" } else { "," })?;
            }
            writeln!(f)
        }
        StmtKind::If { cond, then, orelse } => {
            writeln!(f, "if {cond}")?;
            block(f, then, level + 1)?;
            if orelse.is_empty() {
                return Ok(());
            }
            writeln!(f, "{}else", Indent(level))?;
            block(f, orelse, level + 1)
        }
        StmtKind::For(l) => {
            let (start, stop, step) = (&l.start, &l.stop, &l.step);
            writeln!(
                f,
                "{} for {} in {start} .. {stop} step {step}",
                l.id, l.counter
            )?;
            block(f, &l.body, level + 1)
        }
        StmtKind::While(l) => {
            writeln!(f, "{} while {}", l.id, l.cond)?;
            block(f, &l.body, level + 1)
        }
        StmtKind::Break(id) => writeln!(f, "break {id}"),
        StmtKind::Continue(id) => writeln!(f, "continue {id}"),
        StmtKind::Scope { id, body } => {
            writeln!(f, "scope {id}")?;
            block(f, body, level + 1)
        }
        StmtKind::Leave(id) => writeln!(f, "leave {id}"),
        StmtKind::Return => writeln!(f, "return"),
        StmtKind::Check { cond, guard } => writeln!(f, "check{} {cond}", bang(*guard)),
        StmtKind::Eval(value) => writeln!(f, "eval {value}"),
    }
}

impl fmt::Display for Stmt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        stmt(f, self, 0)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Const(value) => constant(f, *value, self.ty),
            ExprKind::Var(var) => write!(f, "{var}"),
            ExprKind::Dim(array, axis) => write!(f, "dim({array}, {axis})"),
            ExprKind::Load {
                access,
                array,
                index,
                guard,
            } => {
                write!(f, "{access}:{array}[{}]{}", Commas(index), bang(*guard))
            }
            ExprKind::Unary { op, a, guard } => write!(f, "{op}{}({a})", bang(*guard)),
            ExprKind::Binary {
                op: op @ (BinOp::Min | BinOp::Max),
                a,
                b,
                ..
            } => write!(f, "{op}({a}, {b})"),
            ExprKind::Binary { op, a, b, guard } => write!(f, "({a} {op}{} {b})", bang(*guard)),
            ExprKind::Compare { op, a, b } => write!(f, "({a} {op} {b})"),
            ExprKind::Select { cond, then, orelse } => write!(f, "({cond} ? {then} : {orelse})"),
            ExprKind::Cast { kind, a, guard } => {
                write!(f, "{kind}{}<{}>({a})", bang(*guard), self.ty)
            }
            ExprKind::Call {
                fun,
                lib,
                args,
                guard,
            } => {
                write!(f, "{lib}.{fun}{}({})", bang(*guard), Commas(args))
            }
            ExprKind::Bind { var, value, body } => write!(f, "{{{var} = {value}; {body}}}"),
        }
    }
}

fn constant(f: &mut fmt::Formatter<'_>, value: Const, ty: Ty) -> fmt::Result {
    match value {
        Const::Bool(v) => write!(f, "{v}")?,
        Const::Int(v) => write!(f, "{v}")?,
        Const::Float(v) => write!(f, "{v:?}")?,
        Const::Complex(re, im) => write!(f, "complex({re:?}, {im:?})")?,
    }
    let plain = match value {
        Const::Bool(_) => ty == Ty::PY_BOOL,
        Const::Int(_) => ty == Ty::PY_INT,
        Const::Float(_) => ty == Ty::PY_FLOAT,
        Const::Complex(..) => ty == Ty::PY_COMPLEX,
    };
    if plain { Ok(()) } else { write!(f, ":{ty}") }
}

impl fmt::Display for UnOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Neg => "-",
            Self::Invert => "~",
            Self::Not => "not",
            Self::Abs => "abs",
            Self::Real => "real",
            Self::Imag => "imag",
            Self::Conj => "conj",
        })
    }
}

impl fmt::Display for BinOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::FloorDiv => "//",
            Self::Mod => "%",
            Self::Pow => "**",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::Min => "min",
            Self::Max => "max",
        })
    }
}

impl fmt::Display for CmpOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

impl fmt::Display for Cast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value => "to",
            Self::Round => "round",
            Self::Trunc => "trunc",
            Self::Truth => "truth",
            Self::Ord => "ord",
        })
    }
}

impl fmt::Display for Lib {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::C => "math",
            Self::Numpy => "np",
        })
    }
}

impl fmt::Display for Fun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqrt => "sqrt",
            Self::Fabs => "fabs",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Trunc => "trunc",
            Self::Rint => "rint",
            Self::Exp => "exp",
            Self::Exp2 => "exp2",
            Self::Expm1 => "expm1",
            Self::Log => "log",
            Self::Log2 => "log2",
            Self::Log10 => "log10",
            Self::Log1p => "log1p",
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tan => "tan",
            Self::Asin => "asin",
            Self::Acos => "acos",
            Self::Atan => "atan",
            Self::Sinh => "sinh",
            Self::Cosh => "cosh",
            Self::Tanh => "tanh",
            Self::Asinh => "asinh",
            Self::Acosh => "acosh",
            Self::Atanh => "atanh",
            Self::Cbrt => "cbrt",
            Self::Erf => "erf",
            Self::Erfc => "erfc",
            Self::Atan2 => "atan2",
            Self::Hypot => "hypot",
            Self::Fmod => "fmod",
            Self::Copysign => "copysign",
            Self::Pair => "pair",
            Self::Pow => "pow",
            Self::IsNan => "isnan",
            Self::IsInf => "isinf",
            Self::AddNext => "add_next",
            Self::DotNext => "dot_next",
            Self::MatMulNext => "matmul_next",
            Self::DotEachNext => "dot_each_next",
            Self::MatMulEachNext => "matmul_each_next",
            Self::AddFlatNext => "add_flat_next",
            Self::DotFlatNext => "dot_flat_next",
            Self::IsFinite => "isfinite",
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::BinOp;
    use crate::Const;
    use crate::Expr;
    use crate::ExprKind;
    use crate::VarId;
    use crate::model::nest::Cast;
    use crate::model::span::Span;
    use crate::model::types::Scalar;
    use crate::model::types::Ty;

    fn var(id: u32, ty: Ty) -> Box<Expr> {
        Box::new(Expr {
            kind: ExprKind::Var(VarId(id)),
            ty,
            span: Span::default(),
        })
    }

    #[test]
    fn guards_and_types_show() {
        let span = Span::default();
        let sum = ExprKind::Binary {
            op: BinOp::Add,
            a: var(0, Ty::PY_INT),
            b: Box::new(Expr::int(-1, span)),
            guard: true,
        };
        let sum = Expr {
            kind: sum,
            ty: Ty::PY_INT,
            span,
        };
        assert_eq!(sum.to_string(), "(v0 +! -1)");
        let cast = ExprKind::Cast {
            kind: Cast::Value,
            a: Box::new(sum),
            guard: false,
        };
        let cast = Expr {
            kind: cast,
            ty: Ty::PY_FLOAT,
            span,
        };
        assert_eq!(cast.to_string(), "to<py.f64>((v0 +! -1))");
        let half = Expr::constant(Const::Float(0.5), Ty::np(Scalar::F32), span);
        assert_eq!(half.to_string(), "0.5:np.f32");
        let min = ExprKind::Binary {
            op: BinOp::Min,
            a: var(1, Ty::PY_INT),
            b: var(2, Ty::PY_INT),
            guard: false,
        };
        assert_eq!(
            Expr {
                kind: min,
                ty: Ty::PY_INT,
                span
            }
            .to_string(),
            "min(v1, v2)"
        );
    }
}
