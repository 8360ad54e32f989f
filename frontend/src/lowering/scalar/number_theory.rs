//! Lowers `math.gcd`, `math.isqrt`, `math.factorial`, `math.comb` to loops in place of the call. Where a result would
//! not fit 64 bits, or the function raises, CPython takes over.

use nestwise_ir::surface::{BinOp, CmpOp, LibraryWork};
use nestwise_ir::{Fun, Span};

use crate::builtins::{Builtin, Known, MathFn, MathSpecial};
use crate::lowering::control::comprehension::{stmt, when};
use crate::lowering::hir::{Expr, ExprKind, Inline, Kind, LocalId, Origin, Stmt};
use crate::lowering::names::resolve::Resolver;
use crate::refusal::{R, Refusal, refuse};

/// Writes statements at one place of the source.
struct Writer<'r, 'c> {
    resolver: &'r mut Resolver<'c>,
    span: Span,
    fresh: Vec<LocalId>,
}

impl Resolver<'_> {
    /// Resolves the call to a loop.
    pub fn number_theory(&mut self, f: MathSpecial, args: Vec<Expr>, span: Span) -> R<Expr> {
        let count = args.len();
        let mut args = args.into_iter();
        let args = (args.next(), args.next(), args.next());
        let mut w = Writer {
            resolver: self,
            span,
            fresh: Vec::new(),
        };
        let (body, result) = match (f, args) {
            (MathSpecial::Gcd, (Some(a), Some(b), None)) => w.gcd(a, b),
            (MathSpecial::Comb, (Some(n), Some(k), None)) => w.comb(n, k),
            (MathSpecial::Isqrt, (Some(n), None, None)) => w.isqrt(n),
            (MathSpecial::Factorial, (Some(n), None, None)) => w.factorial(n),
            _ => {
                let name = Known::Math(MathFn::Special(f)).name();
                let why = format!("{count} arguments");
                return Err(refuse(span, Refusal::Arguments { name, why }));
            }
        };
        let fresh = w.fresh;
        let call = Inline {
            body,
            params: 0,
            block: None,
            results: vec![self.read(result)],
            tuple: false,
            fresh,
            sum: false,
            origin: Origin::Library(LibraryWork {
                calls: 0,
                quick: 1.0,
            }),
        };
        Ok(Expr {
            kind: ExprKind::Inline(Box::new(call)),
            span,
        })
    }
}

impl Writer<'_, '_> {
    fn local(&mut self, name: &str) -> LocalId {
        let local = self.resolver.local(name.into(), None, None);
        self.fresh.push(local);
        local
    }

    fn expr(&self, kind: ExprKind) -> Expr {
        let span = self.span;
        Expr { kind, span }
    }

    fn get(&mut self, local: LocalId) -> Expr {
        self.resolver.get(local, self.span)
    }

    fn int(&self, v: i128) -> Expr {
        self.expr(ExprKind::Int(v))
    }

    fn binary(&self, op: BinOp, a: Expr, b: Expr) -> Expr {
        self.expr(ExprKind::Binary(op, Box::new(a), Box::new(b)))
    }

    fn compare(&self, a: Expr, op: CmpOp, b: Expr) -> Expr {
        self.expr(ExprKind::Compare(Box::new(a), vec![(op, b)]))
    }

    fn call(&self, known: Known, args: Vec<Expr>) -> Expr {
        self.expr(ExprKind::Call {
            known,
            args,
            kwargs: vec![],
        })
    }

    fn set(&mut self, local: LocalId, value: Expr) -> Stmt {
        self.resolver.set(local, value)
    }

    fn repeat(&self, test: Expr, body: Vec<Stmt>) -> Stmt {
        let orelse = vec![];
        stmt(Kind::While { test, body, orelse }, self.span)
    }

    /// A `raise` where `test` is true, which leaves it to CPython to raise the right exception.
    fn raise_if(&self, test: Expr) -> Stmt {
        when(test, vec![stmt(Kind::Raise, self.span)], vec![])
    }

    /// A new local with the value of an argument that has to be an int.
    fn argument(&mut self, value: Expr) -> (LocalId, Stmt) {
        let local = self.local("");
        let value = self.expr(ExprKind::Index(Box::new(value)));
        (local, self.set(local, value))
    }

    /// The statements of Euclid's algorithm, and the local of the result.
    fn gcd(&mut self, a: Expr, b: Expr) -> (Vec<Stmt>, LocalId) {
        let (x, first) = self.argument(a);
        let (y, second) = self.argument(b);
        let rest = self.local("");
        let absolute = |w: &mut Self, local| {
            let value = w.get(local);
            let value = w.call(Known::Builtin(Builtin::Abs), vec![value]);
            w.set(local, value)
        };
        let mut body = vec![first, second, absolute(self, x), absolute(self, y)];
        let (a, b) = (self.get(x), self.get(y));
        let remainder = self.binary(BinOp::Mod, a, b);
        let take = self.set(rest, remainder);
        let b = self.get(y);
        let shift = self.set(x, b);
        let b = self.get(rest);
        let step = vec![take, shift, self.set(y, b)];
        let b = self.get(y);
        let test = self.compare(b, CmpOp::Ne, self.int(0));
        body.push(self.repeat(test, step));
        (body, x)
    }

    /// The statements that compute the floating-point root and correct it, and the local of the result.
    fn isqrt(&mut self, n: Expr) -> (Vec<Stmt>, LocalId) {
        let (n, first) = self.argument(n);
        let root = self.local("");
        let value = self.get(n);
        let negative = self.compare(value, CmpOp::Lt, self.int(0));
        let value = self.get(n);
        let value = self.call(Known::Math(MathFn::Unary(Fun::Sqrt)), vec![value]);
        let value = self.call(Known::Builtin(Builtin::Int), vec![value]);
        let mut body = vec![first, self.raise_if(negative), self.set(root, value)];
        // One too many, or one too few.
        for (by, op) in [(0, CmpOp::Gt), (1, CmpOp::Le)] {
            let next = |w: &mut Self| {
                let r = w.get(root);
                w.binary(BinOp::Add, r, w.int(by))
            };
            let (a, b) = (next(self), next(self));
            let square = self.binary(BinOp::Mul, a, b);
            let n = self.get(n);
            let test = self.compare(square, op, n);
            let r = self.get(root);
            let moved = self.binary(BinOp::Add, r, self.int(2 * by - 1));
            let step = vec![self.set(root, moved)];
            body.push(self.repeat(test, step));
        }
        (body, root)
    }

    fn factorial(&mut self, n: Expr) -> (Vec<Stmt>, LocalId) {
        let (n, first) = self.argument(n);
        let product = self.local("");
        let value = self.get(n);
        let negative = self.compare(value, CmpOp::Lt, self.int(0));
        let mut body = vec![
            first,
            self.raise_if(negative),
            self.set(product, self.int(1)),
        ];
        let (p, k) = (self.get(product), self.get(n));
        let times = self.binary(BinOp::Mul, p, k);
        let k = self.get(n);
        let less = self.binary(BinOp::Sub, k, self.int(1));
        let step = vec![self.set(product, times), self.set(n, less)];
        let k = self.get(n);
        let test = self.compare(k, CmpOp::Gt, self.int(1));
        body.push(self.repeat(test, step));
        (body, product)
    }

    /// The statements that compute the product of `(n - i) / (i + 1)`, which is a whole number after every factor, for
    /// `k` or `n - k` factors, and the local of the result.
    fn comb(&mut self, n: Expr, k: Expr) -> (Vec<Stmt>, LocalId) {
        let (n, first) = self.argument(n);
        let (k, second) = self.argument(k);
        let (i, product) = (self.local(""), self.local(""));
        let mut body = vec![first, second];
        for local in [n, k] {
            let value = self.get(local);
            let negative = self.compare(value, CmpOp::Lt, self.int(0));
            body.push(self.raise_if(negative));
        }
        let others = |w: &mut Self| {
            let (a, b) = (w.get(n), w.get(k));
            w.binary(BinOp::Sub, a, b)
        };
        let (some, fewer, instead) = (others(self), others(self), others(self));
        let some = self.compare(some, CmpOp::Ge, self.int(0));
        let all = self.get(k);
        let fewer = self.compare(fewer, CmpOp::Lt, all);
        let shorter = vec![self.set(k, instead)];
        let test = self.expr(ExprKind::And(vec![some, fewer]));
        body.push(when(test, shorter, vec![]));
        body.push(self.set(product, self.int(1)));
        body.push(self.set(i, self.int(0)));
        let (a, b) = (self.get(n), self.get(i));
        let factor = self.binary(BinOp::Sub, a, b);
        let p = self.get(product);
        let times = self.binary(BinOp::Mul, p, factor);
        let at = self.get(i);
        let next = self.binary(BinOp::Add, at, self.int(1));
        let quotient = self.binary(BinOp::FloorDiv, times, next);
        let at = self.get(i);
        let next = self.binary(BinOp::Add, at, self.int(1));
        let step = vec![self.set(product, quotient), self.set(i, next)];
        let (a, b) = (self.get(i), self.get(k));
        let more = self.compare(a, CmpOp::Lt, b);
        // With more to choose than there are, a factor is zero.
        let p = self.get(product);
        let some = self.compare(p, CmpOp::Ne, self.int(0));
        let test = self.expr(ExprKind::And(vec![more, some]));
        body.push(self.repeat(test, step));
        (body, product)
    }
}
