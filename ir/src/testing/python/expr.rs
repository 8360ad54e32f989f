//! The expressions of the Python-like language.

use crate::model::nest::{Const, Expr, ExprKind, VarDecl};
use crate::model::ops::{BinOp, Cast, CmpOp, Fun, Lib, UnOp};
use crate::model::types::Ty;
use crate::testing::python::Builder;

impl Builder {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }
    pub(super) fn take(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }
    fn eat(&mut self, t: &str) -> bool {
        let found = self.peek() == t;
        self.at += usize::from(found);
        found
    }
    fn expect(&mut self, t: &str) {
        assert!(self.eat(t), "expected {t} at {:?}", &self.tokens[self.at..]);
    }

    pub(super) fn index(&mut self) -> Vec<Expr> {
        self.expect("[");
        let mut out = vec![self.expr()];
        while self.eat(",") {
            out.push(self.expr());
        }
        self.expect("]");
        out
    }
    pub(super) fn call_args(&mut self, f: &str) -> Vec<Expr> {
        self.expect(f);
        self.expect("(");
        let mut out = vec![self.expr()];
        while self.eat(",") {
            out.push(self.expr());
        }
        self.expect(")");
        out
    }

    pub(super) fn expr(&mut self) -> Expr {
        let value = self.or();
        if !self.eat("if") {
            return value;
        }
        let cond = Box::new(self.or());
        self.expect("else");
        let orelse = self.expr();
        let float = value.ty == Ty::PY_FLOAT || orelse.ty == Ty::PY_FLOAT;
        let ty = if float { Ty::PY_FLOAT } else { value.ty };
        let (then, orelse) = (Box::new(self.to(value, ty)), Box::new(self.to(orelse, ty)));
        self.make(ExprKind::Select { cond, then, orelse }, ty)
    }
    fn truth(&self, b: bool) -> Expr {
        self.make(ExprKind::Const(Const::Bool(b)), Ty::PY_BOOL)
    }
    fn or(&mut self) -> Expr {
        let mut a = self.and();
        while self.eat("or") {
            let (cond, then) = (Box::new(a), Box::new(self.truth(true)));
            let orelse = Box::new(self.and());
            a = self.make(ExprKind::Select { cond, then, orelse }, Ty::PY_BOOL);
        }
        a
    }
    fn and(&mut self) -> Expr {
        let mut a = self.not();
        while self.eat("and") {
            let (cond, orelse) = (Box::new(a), Box::new(self.truth(false)));
            let then = Box::new(self.not());
            a = self.make(ExprKind::Select { cond, then, orelse }, Ty::PY_BOOL);
        }
        a
    }
    fn not(&mut self) -> Expr {
        if self.eat("not") {
            let a = Box::new(self.not());
            return self.make(
                ExprKind::Unary {
                    op: UnOp::Not,
                    a,
                    guard: false,
                },
                Ty::PY_BOOL,
            );
        }
        let a = self.bits();
        let op = match self.peek() {
            "<" => CmpOp::Lt,
            "<=" => CmpOp::Le,
            ">" => CmpOp::Gt,
            ">=" => CmpOp::Ge,
            "==" => CmpOp::Eq,
            "!=" => CmpOp::Ne,
            _ => return a,
        };
        self.at += 1;
        let b = self.bits();
        let float = a.ty == Ty::PY_FLOAT || b.ty == Ty::PY_FLOAT;
        let ty = if float { Ty::PY_FLOAT } else { Ty::PY_INT };
        let (a, b) = (Box::new(self.to(a, ty)), Box::new(self.to(b, ty)));
        self.make(ExprKind::Compare { op, a, b }, Ty::PY_BOOL)
    }
    fn bits(&mut self) -> Expr {
        let mut a = self.sum();
        while matches!(self.peek(), "&" | "|" | "^" | "<<" | ">>") {
            let op = binop(&self.take());
            let b = self.sum();
            a = self.arith(op, a, b);
        }
        a
    }
    fn sum(&mut self) -> Expr {
        let mut a = self.product();
        while matches!(self.peek(), "+" | "-") {
            let op = binop(&self.take());
            let b = self.product();
            a = self.arith(op, a, b);
        }
        a
    }
    fn product(&mut self) -> Expr {
        let mut a = self.unary();
        while matches!(self.peek(), "*" | "//" | "%" | "/") {
            let op = binop(&self.take());
            let b = self.unary();
            a = self.arith(op, a, b);
        }
        a
    }
    fn unary(&mut self) -> Expr {
        if !self.eat("-") {
            return self.atom();
        }
        let a = self.unary();
        if let Some(v) = a.as_int() {
            return Expr::int(-(v as i64), a.span);
        }
        let ty = a.ty;
        let guard = ty.repr.is_int();
        self.make(
            ExprKind::Unary {
                op: UnOp::Neg,
                a: Box::new(a),
                guard,
            },
            ty,
        )
    }

    pub(super) fn name(&self, name: &str) -> Expr {
        let var = *self
            .names
            .get(name)
            .unwrap_or_else(|| panic!("unknown name {name}"));
        self.make(ExprKind::Var(var), self.vars[var].ty)
    }

    fn atom(&mut self) -> Expr {
        let t = self.peek().to_string();
        match t.as_str() {
            "(" => {
                self.at += 1;
                let e = self.expr();
                self.expect(")");
                e
            }
            "min" | "max" => {
                let args = self.call_args(&t);
                self.min_max(args, t == "min")
            }
            "len" | "shape" => {
                self.at += 2;
                let name = self.take();
                let array = self.slots[&name];
                let axis = if self.eat(",") {
                    self.take().parse().unwrap()
                } else {
                    0
                };
                self.expect(")");
                self.make(ExprKind::Dim(array, axis), Ty::PY_INT)
            }
            "float" | "int" => {
                let a = self.call_args(&t).pop().unwrap();
                self.to(a, if t == "int" { Ty::PY_INT } else { Ty::PY_FLOAT })
            }
            "wide" => {
                let a = self.call_args(&t).pop().unwrap();
                self.widen(a)
            }
            "abs" => {
                let a = self.call_args(&t).pop().unwrap();
                let (ty, guard) = (a.ty, a.ty.repr.is_int());
                self.make(
                    ExprKind::Unary {
                        op: UnOp::Abs,
                        a: Box::new(a),
                        guard,
                    },
                    ty,
                )
            }
            "sqrt" => {
                let args = self.call_args(&t);
                let kind = ExprKind::Call {
                    fun: Fun::Sqrt,
                    lib: Lib::C,
                    args,
                    guard: true,
                };
                self.make(kind, Ty::PY_FLOAT)
            }
            "True" | "False" => {
                self.at += 1;
                self.truth(t == "True")
            }
            _ if t.contains('.') => {
                self.at += 1;
                self.make(
                    ExprKind::Const(Const::Float(t.parse().unwrap())),
                    Ty::PY_FLOAT,
                )
            }
            _ if t.starts_with(|c: char| c.is_ascii_digit()) => {
                self.at += 1;
                self.make(ExprKind::Const(Const::Int(t.parse().unwrap())), Ty::PY_INT)
            }
            _ => {
                self.at += 1;
                match self.slots.get(&t).copied() {
                    Some(array) => {
                        let index = self.index();
                        self.load(array, index)
                    }
                    None => self.name(&t),
                }
            }
        }
    }

    /// The expression computed in 128 bits, unguarded, and cast back: what the specialiser does under `%` and `&`.
    fn widen(&mut self, e: Expr) -> Expr {
        fn go(mut e: Expr) -> Expr {
            let span = e.span;
            match &mut e.kind {
                ExprKind::Binary { guard, a, b, .. } => {
                    *guard = false;
                    for side in [a, b] {
                        let old = std::mem::replace(&mut **side, Expr::int(0, span));
                        **side = go(old);
                    }
                    Expr {
                        ty: Ty::PY_WIDE,
                        ..e
                    }
                }
                ExprKind::Const(_) => Expr {
                    ty: Ty::PY_WIDE,
                    ..e
                },
                _ => {
                    let kind = ExprKind::Cast {
                        kind: Cast::Value,
                        a: Box::new(e),
                        guard: false,
                    };
                    Expr {
                        kind,
                        ty: Ty::PY_WIDE,
                        span,
                    }
                }
            }
        }
        let span = e.span;
        let a = Box::new(go(e));
        Expr {
            kind: ExprKind::Cast {
                kind: Cast::Value,
                a,
                guard: true,
            },
            ty: Ty::PY_INT,
            span,
        }
    }

    fn min_max(&mut self, args: Vec<Expr>, min: bool) -> Expr {
        let float = args.iter().any(|a| a.ty == Ty::PY_FLOAT);
        let ty = if float { Ty::PY_FLOAT } else { Ty::PY_INT };
        let mut args = args
            .into_iter()
            .map(|a| self.to(a, ty))
            .collect::<Vec<_>>()
            .into_iter();
        let (x, y) = (args.next().unwrap(), args.next().unwrap());
        let decl = |ty| VarDecl {
            name: String::new(),
            ty,
            live_in: None,
            range: None,
            np_tag: None,
        };
        let (p, q) = (self.vars.push(decl(ty)), self.vars.push(decl(ty)));
        let var = |b: &Builder, v| Box::new(b.make(ExprKind::Var(v), ty));
        let op = if min { CmpOp::Lt } else { CmpOp::Gt };
        let cond = Box::new(self.make(
            ExprKind::Compare {
                op,
                a: var(self, q),
                b: var(self, p),
            },
            Ty::PY_BOOL,
        ));
        let select = ExprKind::Select {
            cond,
            then: var(self, q),
            orelse: var(self, p),
        };
        let body = Box::new(self.make(select, ty));
        let inner = self.make(
            ExprKind::Bind {
                var: q,
                value: Box::new(y),
                body,
            },
            ty,
        );
        self.make(
            ExprKind::Bind {
                var: p,
                value: Box::new(x),
                body: Box::new(inner),
            },
            ty,
        )
    }
}

pub(super) fn binop(op: &str) -> BinOp {
    match op {
        "+" => BinOp::Add,
        "-" => BinOp::Sub,
        "*" => BinOp::Mul,
        "/" => BinOp::Div,
        "//" => BinOp::FloorDiv,
        "%" => BinOp::Mod,
        "&" => BinOp::And,
        "|" => BinOp::Or,
        "^" => BinOp::Xor,
        "<<" => BinOp::Shl,
        ">>" => BinOp::Shr,
        _ => panic!("operator {op}"),
    }
}

pub(super) fn tokens(text: &str) -> Vec<String> {
    const OPS: [&str; 15] = [
        "//=", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=", "-=", "*=", "/=", "|=", "&=", "^=",
    ];
    let mut out = vec![];
    let mut rest = text.trim_end_matches(':').trim();
    while let Some(c) = rest.chars().next() {
        let n = if c.is_alphanumeric() || c == '_' {
            let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            OPS.iter()
                .find(|op| rest.starts_with(**op))
                .map_or(1, |op| op.len())
        };
        out.push(rest[..n].to_string());
        rest = rest[n..].trim_start();
    }
    out
}
