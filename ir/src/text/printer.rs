//! Writes nests.

use std::fmt;

use crate::model::fragment::{Effect, Fragment, FragmentForm};
use crate::model::liveout::{LiveOutKind, PartAxis};
use crate::model::liveout::{MadeArray, MadeField, MadeObject, SameAs};
use crate::model::nest::StmtKind;
use crate::model::nest::{
    ArrayKind, Const, Expr, ExprKind, Extent, Length, Nest, ReturnForm, Stmt,
};
use crate::model::ops::{BinOp, Cast, CmpOp, Fun, Lib, UnOp};
use crate::text::types::{Declared, unsaid};

/// Writes the indentation of a level, two spaces each.
struct Indent(usize);

impl fmt::Display for Indent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.0).try_for_each(|_| f.write_str("  "))
    }
}

/// The mark of a guarded operation: `!`.
fn bang(guard: bool) -> &'static str {
    if guard { "!" } else { "" }
}

/// Writes items separated by commas.
pub(super) struct Commas<'a, T>(pub(super) &'a [T]);

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

/// Writes `v1`, or `v2+v3*2`: start, length and distance.
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

/// Writes a name, in quotes unless it is a word.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, ':' | '"' | '\\');
        if !self.0.contains(odd) {
            return f.write_str(self.0);
        }
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '\n' => f.write_str("\\n")?,
                '"' | '\\' => write!(f, "\\{c}")?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}

/// Writes a fragment behind its id: `"d.get(k, 0)": pure py.i64, object d 3, scalar k py.i64`.
struct Spelled<'a>(&'a Fragment);

impl fmt::Display for Spelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(fragment) = self;
        let effect = match fragment.effect {
            Effect::Pure => "pure",
            Effect::Local => "local",
        };
        write!(f, "{}: {effect}", Name(&fragment.text))?;
        if let FragmentForm::Value(ty) = fragment.form {
            write!(f, " {ty}")?;
        }
        if let Some(point) = fragment.point {
            write!(f, ", point {point}")?;
        }
        for object in &fragment.objects {
            write!(f, ", object {} {}", object.name, object.capture)?;
            if object.changed {
                f.write_str(" changed")?;
            }
        }
        fragment
            .values
            .iter()
            .try_for_each(|v| write!(f, ", scalar {} {}", v.name, v.ty))
    }
}

/// Writes `5`, `capture 3 plus 1`, `dim(capture 3, 0)` or `length 2`.
impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = match *self {
            Self::Fixed(n) => return write!(f, "{n}"),
            Self::Computed(n) => return write!(f, "length {n}"),
            Self::Axis {
                capture,
                axis,
                plus,
            } => {
                write!(f, "dim(capture {capture}, {axis})")?;
                plus
            }
            Self::Value { capture, plus } => {
                write!(f, "capture {capture}")?;
                plus
            }
        };
        match more {
            0 => Ok(()),
            more => write!(f, " plus {more}"),
        }
    }
}

/// Writes `(A * B)` or `min(A, B)`.
impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Length { op, a, b } = self;
        match op {
            BinOp::Min | BinOp::Max => write!(f, "{op}({a}, {b})"),
            _ => write!(f, "({a} {op} {b})"),
        }
    }
}

impl fmt::Display for LiveOutKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None(None) => f.write_str("None"),
            Self::None(Some(number)) => write!(f, "None for {number}"),
            Self::Var(var) => write!(f, "{var}"),
            Self::View(array, index) => write!(f, "view {array}[{}]", Commas(index)),
            Self::Slot(array) => write!(f, "slot {array}"),
            Self::Appended {
                columns,
                count,
                tuple: false,
            } => write!(f, "{count} of {}", Commas(columns)),
            Self::Appended {
                columns,
                count,
                tuple: true,
            } => write!(f, "{count} of ({})", Commas(columns)),
            Self::Tuple(vars) => write!(f, "tuple ({})", Commas(vars)),
            Self::Object(object) => write!(f, "{object}"),
            Self::Made(made) => write!(f, "{made}"),
            Self::MadePart(made, axes) => write!(f, "part [{}] of {made}", Commas(axes)),
            Self::Part(array, axes) => write!(f, "part {array}[{}]", Commas(axes)),
        }
    }
}

impl fmt::Display for MadeObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "object {}", self.class)?;
        if let Some(number) = self.number {
            write!(f, " number {number}")?;
        }
        f.write_str(" {")?;
        for (k, (name, field)) in self.fields.iter().enumerate() {
            let comma = if k > 0 { ", " } else { "" };
            write!(f, "{comma}{}: ", Name(name))?;
            match field {
                MadeField::Var(var) => write!(f, "{var}")?,
                MadeField::Object(object) => write!(f, "{object}")?,
            }
        }
        f.write_str("}")
    }
}

impl fmt::Display for Nest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.declarations(f)?;
        let printer = Printer {
            declared: Some(Declared {
                arrays: &self.arrays,
                vars: &self.vars,
            }),
        };
        if !self.prologue.is_empty() {
            writeln!(f, "prologue")?;
            printer.block(f, &self.prologue, 1)?;
        }
        match self.whole {
            Some(end) => writeln!(f, "top, whole to {end}")?,
            None => writeln!(f, "top")?,
        }
        printer.stmt(f, &self.top, 1)?;
        self.left_behind(f)
    }
}

impl Nest {
    fn declarations(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, a) in self.arrays.iter() {
            write!(
                f,
                "{id}{}: {} {} as {}",
                Named(&a.name),
                a.kind,
                a.storage,
                a.elem
            )?;
            write!(f, ", rank {}, capture {}", a.rank, a.capture)?;
            if !a.like.is_empty() {
                write!(f, ", like ({})", Commas(&a.like))?;
            }
            for (said, property) in [
                (a.read, "read"),
                (a.written, "written"),
                (a.starts, "starts"),
                (a.moved, "moved"),
                (a.attributes, "attributes"),
                (a.list, "list"),
            ] {
                if said {
                    write!(f, ", {property}")?;
                }
            }
            writeln!(f)?;
        }
        for (id, v) in self.vars.iter() {
            write!(f, "{id}{}: {}", Named(&v.name), v.ty)?;
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
        for (id, l) in self.loops.iter().filter(|(_, l)| !l.name.is_empty()) {
            writeln!(f, "{id}{}", Named(&l.name))?;
        }
        let mut scopes = 0;
        self.walk(&mut |s| {
            if let StmtKind::Scope { id, .. } = s.kind {
                scopes = scopes.max(id.0 + 1);
            }
        });
        if scopes != self.scopes {
            writeln!(f, "scopes {}", self.scopes)?;
        }
        for (n, length) in self.lengths.iter().enumerate() {
            writeln!(f, "length {n} = {length}")?;
        }
        for (id, fragment) in self.fragments.iter() {
            writeln!(f, "{id} {}", Spelled(fragment))?;
        }
        if self.frames > 0 {
            writeln!(f, "frames {}", self.frames)?;
        }
        for text in &self.texts {
            writeln!(f, "text {}", Name(text))?;
        }
        Ok(())
    }

    fn left_behind(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for out in &self.live_outs {
            write!(f, "out {} = {}", out.path, out.kind)?;
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
            let space = if returns.vars.is_empty() { "" } else { " " };
            writeln!(f, "returns {form}{space}{}", Commas(&returns.vars))?;
        }
        for condition in &self.preconditions {
            writeln!(f, "requires {condition}")?;
        }
        if !self.interruptible.is_empty() {
            writeln!(f, "interruptible {}", Commas(&self.interruptible))?;
        }
        Ok(())
    }
}

/// Writes a space and a name, or nothing if the name is empty.
struct Named<'a>(&'a str);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => Ok(()),
            name => write!(f, " {}", Name(name)),
        }
    }
}

impl fmt::Display for Stmt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { declared: None }.stmt(f, self, 0)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { declared: None }.expr(f, self)
    }
}

/// Writes statements and expressions.
#[derive(Clone, Copy)]
struct Printer<'a> {
    /// The declarations from which expressions have their types; without them, variables and elements are written
    /// without types.
    declared: Option<Declared<'a>>,
}

/// An expression to be written.
struct Of<'a>(Printer<'a>, &'a Expr);

impl fmt::Display for Of<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expr(f, self.1)
    }
}

impl<'a> Printer<'a> {
    fn of(self, e: &'a Expr) -> Of<'a> {
        Of(self, e)
    }

    fn all(self, all: &'a [Expr]) -> Vec<Of<'a>> {
        all.iter().map(|e| self.of(e)).collect()
    }

    fn block(self, f: &mut fmt::Formatter<'_>, stmts: &'a [Stmt], level: usize) -> fmt::Result {
        stmts.iter().try_for_each(|s| self.stmt(f, s, level))
    }

    fn stmt(self, f: &mut fmt::Formatter<'_>, s: &'a Stmt, level: usize) -> fmt::Result {
        let of = |e| self.of(e);
        write!(f, "{}", Indent(level))?;
        match &s.kind {
            StmtKind::Let { var, value } => writeln!(f, "{var} = {}", of(value)),
            StmtKind::Store {
                access,
                array,
                index,
                value,
                guard,
            } => {
                writeln!(
                    f,
                    "{access}:{array}[{}]{} = {}",
                    Commas(&self.all(index)),
                    bang(*guard),
                    of(value)
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
                writeln!(f, "if {}", of(cond))?;
                self.block(f, then, level + 1)?;
                if orelse.is_empty() {
                    return Ok(());
                }
                writeln!(f, "{}else", Indent(level))?;
                self.block(f, orelse, level + 1)
            }
            StmtKind::For(l) => {
                let [start, stop, step] = [&l.start, &l.stop, &l.step].map(of);
                writeln!(
                    f,
                    "{} for {} in {start} .. {stop} step {step}",
                    l.id, l.counter
                )?;
                self.block(f, &l.body, level + 1)
            }
            StmtKind::While(l) => {
                writeln!(f, "{} while {}", l.id, of(&l.cond))?;
                self.block(f, &l.body, level + 1)
            }
            StmtKind::Break(id) => writeln!(f, "break {id}"),
            StmtKind::Continue(id) => writeln!(f, "continue {id}"),
            StmtKind::Scope { id, body } => {
                writeln!(f, "scope {id}")?;
                self.block(f, body, level + 1)
            }
            StmtKind::Leave(id) => writeln!(f, "leave {id}"),
            StmtKind::Return => writeln!(f, "return"),
            StmtKind::Check { cond, guard } => writeln!(f, "check{} {}", bang(*guard), of(cond)),
            StmtKind::Eval(value) => writeln!(f, "eval {}", of(value)),
        }
    }

    /// Writes an expression, and its type where that is not clear.
    fn expr(self, f: &mut fmt::Formatter<'_>, e: &'a Expr) -> fmt::Result {
        self.kind(f, e)?;
        let clear = match (self.declared, &e.kind) {
            (_, ExprKind::Cast { .. }) | (None, ExprKind::Var(_) | ExprKind::Load { .. }) => true,
            (Some(declared), kind) => unsaid(kind, declared) == Some(e.ty),
            (None, kind) => {
                let (arrays, vars) = (&Default::default(), &Default::default());
                unsaid(kind, Declared { arrays, vars }) == Some(e.ty)
            }
        };
        if clear {
            Ok(())
        } else {
            write!(f, ":{}", e.ty)
        }
    }

    fn kind(self, f: &mut fmt::Formatter<'_>, e: &'a Expr) -> fmt::Result {
        let of = |e| self.of(e);
        match &e.kind {
            ExprKind::Const(value) => constant(f, *value),
            ExprKind::Var(var) => write!(f, "{var}"),
            ExprKind::Dim(array, axis) => write!(f, "dim({array}, {axis})"),
            ExprKind::Load {
                access,
                array,
                index,
                guard,
            } => {
                let index = self.all(index);
                write!(f, "{access}:{array}[{}]{}", Commas(&index), bang(*guard))
            }
            ExprKind::Unary { op, a, guard } => write!(f, "{op}{}({})", bang(*guard), of(a)),
            ExprKind::Binary {
                op: op @ (BinOp::Min | BinOp::Max),
                a,
                b,
                guard,
            } => write!(f, "{op}{}({}, {})", bang(*guard), of(a), of(b)),
            ExprKind::Binary { op, a, b, guard } => {
                write!(f, "({} {op}{} {})", of(a), bang(*guard), of(b))
            }
            ExprKind::Compare { op, a, b } => write!(f, "({} {op} {})", of(a), of(b)),
            ExprKind::Select { cond, then, orelse } => {
                write!(f, "({} ? {} : {})", of(cond), of(then), of(orelse))
            }
            ExprKind::Cast { kind, a, guard } => {
                write!(f, "{kind}{}<{}>({})", bang(*guard), e.ty, of(a))
            }
            ExprKind::Call {
                fun,
                lib,
                args,
                guard,
            } => write!(
                f,
                "{lib}.{fun}{}({})",
                bang(*guard),
                Commas(&self.all(args))
            ),
            ExprKind::HostCall { fragment, args } => {
                write!(f, "host {fragment}({})", Commas(&self.all(args)))
            }
            ExprKind::Bind { var, value, body } => {
                write!(f, "{{{var} = {}; {}}}", of(value), of(body))
            }
        }
    }
}

fn constant(f: &mut fmt::Formatter<'_>, value: Const) -> fmt::Result {
    match value {
        Const::Bool(v) => write!(f, "{v}"),
        Const::Int(v) => write!(f, "{v}"),
        Const::Float(v) => float(f, v),
        Const::Complex(re, im) => {
            f.write_str("complex(")?;
            float(f, re)?;
            f.write_str(", ")?;
            float(f, im)?;
            f.write_str(")")
        }
    }
}

/// Writes a float so that reading it gives the same bits.
fn float(f: &mut fmt::Formatter<'_>, v: f64) -> fmt::Result {
    match v.is_nan() {
        true if v.to_bits() == f64::NAN.to_bits() => f.write_str("nan"),
        true => write!(f, "nan(0x{:x})", v.to_bits()),
        false => write!(f, "{v:?}"),
    }
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
