//! Reads expressions.

use crate::model::ids::{AccessId, ArrayId, FragmentId, VarId};
use crate::model::nest::{Const, Expr, ExprKind};
use crate::model::ops::{BinOp, Cast, CmpOp, Fun, Lib, UnOp};
use crate::model::types::{Prov, Scalar, Ty};
use crate::text::cursor::{Cursor, Read};
use crate::text::types::{Declared, unsaid};

const UNARY: [UnOp; 5] = [UnOp::Not, UnOp::Abs, UnOp::Real, UnOp::Imag, UnOp::Conj];
const CASTS: [Cast; 5] = [
    Cast::Value,
    Cast::Round,
    Cast::Trunc,
    Cast::Truth,
    Cast::Ord,
];

/// The binary operators; longer symbols come before those that they begin with.
const BINARY: [BinOp; 12] = [
    BinOp::Pow,
    BinOp::FloorDiv,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Mod,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
];
const COMPARE: [CmpOp; 6] = [
    CmpOp::Le,
    CmpOp::Ge,
    CmpOp::Eq,
    CmpOp::Ne,
    CmpOp::Lt,
    CmpOp::Gt,
];

/// The item of `all` that is written as `word`.
pub(super) fn named<T: std::fmt::Display>(
    all: impl IntoIterator<Item = T>,
    word: &str,
) -> Option<T> {
    all.into_iter().find(|one| one.to_string() == word)
}

pub(super) fn scalar(word: &str) -> Option<Scalar> {
    named(Scalar::ALL, word)
}

fn type_of(word: &str) -> Option<Ty> {
    let (prov, repr) = word.split_once('.')?;
    let prov = match prov {
        "py" => Prov::Py,
        "np" => Prov::Np,
        "dyn" => Prov::Dyn,
        _ => return None,
    };
    Some(Ty {
        prov,
        repr: scalar(repr)?,
    })
}

impl Cursor<'_> {
    pub(super) fn var(&mut self) -> Read<VarId> {
        self.id("v", "a variable").map(VarId)
    }

    pub(super) fn array(&mut self) -> Read<ArrayId> {
        self.id("a", "an array slot").map(ArrayId)
    }

    pub(super) fn ty(&mut self) -> Read<Ty> {
        self.known("a type such as `py.i64`", type_of)
    }

    /// Reads an element: `x0:a0[index]!`.
    pub(super) fn element(
        &mut self,
        declared: Declared<'_>,
    ) -> Read<(AccessId, ArrayId, Vec<Expr>, bool)> {
        let access = self.id("x", "an access").map(AccessId)?;
        self.expect(":")?;
        let array = self.array()?;
        self.expect("[")?;
        let index = self.list("]", |c| c.expr(declared))?;
        Ok((access, array, index, self.eat_tight("!")))
    }

    pub(super) fn expr(&mut self, declared: Declared<'_>) -> Read<Expr> {
        self.deeper(|c| c.typed(declared))
    }

    /// Reads an expression, and its type where that is given.
    fn typed(&mut self, declared: Declared<'_>) -> Read<Expr> {
        let span = self.span();
        let (kind, mut ty) = match self.cast(declared)? {
            Some((kind, ty)) => (kind, Some(ty)),
            None => {
                let kind = self.kind(declared)?;
                let ty = unsaid(&kind, declared);
                (kind, ty)
            }
        };
        // The colon of a select has a space before it.
        if self.eat_tight(":") {
            ty = Some(self.ty()?);
        }
        match ty {
            Some(ty) => Ok(Expr { kind, ty, span }),
            None => self.expected("a variable or an array slot that is declared, before this"),
        }
    }

    fn boxed(&mut self, declared: Declared<'_>) -> Read<Box<Expr>> {
        self.expr(declared).map(Box::new)
    }

    fn cast(&mut self, declared: Declared<'_>) -> Read<Option<(ExprKind, Ty)>> {
        let before = self.mark();
        let word = self.peek();
        let Some(kind) = named(CASTS, word) else {
            return Ok(None);
        };
        self.eat_word(word);
        let guard = self.eat_tight("!");
        if !self.eat("<") {
            self.back(before);
            return Ok(None);
        }
        let ty = self.ty()?;
        self.expect(">")?;
        self.expect("(")?;
        let a = self.boxed(declared)?;
        self.expect(")")?;
        Ok(Some((ExprKind::Cast { kind, a, guard }, ty)))
    }

    fn kind(&mut self, declared: Declared<'_>) -> Read<ExprKind> {
        if self.eat("(") {
            return self.operation(declared);
        }
        if self.eat("{") {
            let var = self.var()?;
            self.expect("=")?;
            let value = self.boxed(declared)?;
            self.expect(";")?;
            let body = self.boxed(declared)?;
            self.expect("}")?;
            return Ok(ExprKind::Bind { var, value, body });
        }
        if let Some(value) = self.constant()? {
            return Ok(ExprKind::Const(value));
        }
        for (op, symbol) in [(UnOp::Neg, "-"), (UnOp::Invert, "~")] {
            if self.eat(symbol) {
                return self.unary(op, declared);
            }
        }
        if self.peek_id("v").is_some() {
            return self.var().map(ExprKind::Var);
        }
        if self.peek_id("x").is_some() {
            let (access, array, index, guard) = self.element(declared)?;
            return Ok(ExprKind::Load {
                access,
                array,
                index,
                guard,
            });
        }
        let word = self.peek();
        if self.eat_word("dim") {
            self.expect("(")?;
            let array = self.array()?;
            self.expect(",")?;
            let axis = self.int()?;
            self.expect(")")?;
            return Ok(ExprKind::Dim(array, axis));
        }
        if let Some(op) = named(UNARY, word) {
            self.eat_word(word);
            return self.unary(op, declared);
        }
        if let Some(op) = named([BinOp::Min, BinOp::Max], word) {
            self.eat_word(word);
            let guard = self.eat_tight("!");
            self.expect("(")?;
            let a = self.boxed(declared)?;
            self.expect(",")?;
            let b = self.boxed(declared)?;
            self.expect(")")?;
            return Ok(ExprKind::Binary { op, a, b, guard });
        }
        if self.eat_word("host") {
            let fragment = self.id("f", "a fragment").map(FragmentId)?;
            self.expect("(")?;
            let args = self.list(")", |c| c.expr(declared))?;
            return Ok(ExprKind::HostCall { fragment, args });
        }
        let called = word.split_once('.').and_then(|(lib, fun)| {
            let lib = named([Lib::C, Lib::Numpy], lib)?;
            Some((lib, named(Fun::ALL, fun)?))
        });
        let Some((lib, fun)) = called else {
            return self.expected("an expression");
        };
        self.eat_word(word);
        let guard = self.eat_tight("!");
        self.expect("(")?;
        let args = self.list(")", |c| c.expr(declared))?;
        Ok(ExprKind::Call {
            fun,
            lib,
            args,
            guard,
        })
    }

    fn unary(&mut self, op: UnOp, declared: Declared<'_>) -> Read<ExprKind> {
        let guard = self.eat_tight("!");
        self.expect("(")?;
        let a = self.boxed(declared)?;
        self.expect(")")?;
        Ok(ExprKind::Unary { op, a, guard })
    }

    /// Reads an operation, which stands in parentheses.
    fn operation(&mut self, declared: Declared<'_>) -> Read<ExprKind> {
        let a = self.boxed(declared)?;
        if self.eat("?") {
            let then = self.boxed(declared)?;
            self.expect(":")?;
            let orelse = self.boxed(declared)?;
            self.expect(")")?;
            return Ok(ExprKind::Select {
                cond: a,
                then,
                orelse,
            });
        }
        let binary = BINARY.into_iter().find(|op| self.eat(&op.to_string()));
        let compare = match binary {
            Some(_) => None,
            None => COMPARE.into_iter().find(|op| self.eat(&op.to_string())),
        };
        let guard = binary.is_some() && self.eat_tight("!");
        if binary.is_none() && compare.is_none() {
            return self.expected("an operator or `?`");
        }
        let b = self.boxed(declared)?;
        self.expect(")")?;
        Ok(match (binary, compare) {
            (Some(op), _) => ExprKind::Binary { op, a, b, guard },
            (None, Some(op)) => ExprKind::Compare { op, a, b },
            (None, None) => return self.expected("an operator"),
        })
    }

    fn constant(&mut self) -> Read<Option<Const>> {
        let rest = self.rest();
        let unsigned = rest.strip_prefix('-').unwrap_or(rest);
        let special = ["inf", "nan"].iter().any(|s| unsigned.starts_with(s));
        if special || unsigned.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number().map(Some);
        }
        Ok(match self.peek() {
            word @ ("true" | "false") => {
                self.eat_word(word);
                Some(Const::Bool(word == "true"))
            }
            "complex" => {
                self.eat_word("complex");
                self.expect("(")?;
                let re = self.float()?;
                self.expect(",")?;
                let im = self.float()?;
                self.expect(")")?;
                Some(Const::Complex(re, im))
            }
            _ => None,
        })
    }

    fn float(&mut self) -> Read<f64> {
        let before = self.mark();
        match self.number()? {
            Const::Float(v) => Ok(v),
            _ => {
                self.back(before);
                self.expected("a float")
            }
        }
    }

    fn number(&mut self) -> Read<Const> {
        if self.eat_word("nan") {
            if !self.eat("(0x") {
                return Ok(Const::Float(f64::NAN));
            }
            let bits = self.known("bits of a NaN", |w| u64::from_str_radix(w, 16).ok())?;
            self.expect(")")?;
            return match f64::from_bits(bits) {
                nan if nan.is_nan() => Ok(Const::Float(nan)),
                _ => self.expected("bits of a NaN, before this"),
            };
        }
        let rest = self.rest();
        let length = number_length(rest);
        let text = &rest[..length];
        let float = text.contains(['.', 'e', 'i']);
        let value = match float {
            true => text.parse().ok().map(Const::Float),
            false => text.parse().ok().map(Const::Int),
        };
        match value {
            Some(value) => {
                self.eat(text);
                Ok(value)
            }
            None => self.expected("a number"),
        }
    }
}

/// The length in bytes of the number that `text` begins with: `-1`, `0.5`, `1e-7`, `-inf`.
fn number_length(text: &str) -> usize {
    let digits = |from: usize| {
        let rest = &text.as_bytes()[from..];
        from + rest.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let mut end = usize::from(text.starts_with('-'));
    if text[end..].starts_with("inf") {
        return end + 3;
    }
    end = digits(end);
    if text[end..].starts_with('.') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    if text[end..].starts_with('e') {
        let sign = usize::from(text[end + 1..].starts_with(['-', '+']));
        if digits(end + 1 + sign) > end + 1 + sign {
            end = digits(end + 1 + sign);
        }
    }
    end
}
