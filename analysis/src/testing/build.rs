//! A small Python-like text to a typed nest, the way the specialiser would write it: every operation that may
//! fire is guarded, and a loop's variable is its counter.
//!
//! The header declares live-ins, `n: int, m: int in 1..100, x: float, a: f64[2], k: i64[1]`, and live-outs,
//! `out s`. Errors panic: this is for tests.

use nestwise_ir::nest::*;
use nestwise_ir::{Arena, ArrayId, LoopId, PlaceId, Scalar, ScopeId, Span, Ty, VarId};
use std::collections::HashMap;

/// The nest of `body` under `header`.
pub fn nest(header: &str, body: &str) -> Nest {
    let mut b = Builder::new();
    let outs = b.header(header);
    let lines: Vec<(usize, u32, &str)> = body
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty())
        .map(|(n, l)| (l.len() - l.trim_start().len(), n as u32 + 1, l.trim()))
        .collect();
    let mut stmts = b.block(&lines, lines[0].0);
    let top = stmts.pop().expect("a top loop");
    for (i, name) in outs.iter().enumerate() {
        let var = b.names[name];
        let kind = LiveOutKind::Var(var);
        b.live_outs.push(LiveOut { place: PlaceId(i as u32), kind, assigned: None });
    }
    Nest {
        arrays: b.arrays,
        vars: b.vars,
        loops: b.loops,
        accesses: b.accesses,
        scopes: b.scopes,
        prologue: stmts,
        top,
        live_outs: b.live_outs,
        returns: None,
        needs_trip: vec![],
    }
}

struct Builder {
    arrays: Arena<ArrayId, ArrayDecl>,
    vars: Arena<VarId, VarDecl>,
    loops: Arena<LoopId, LoopDecl>,
    accesses: Arena<AccessId, Access>,
    scopes: u32,
    live_outs: Vec<LiveOut>,
    names: HashMap<String, VarId>,
    slots: HashMap<String, ArrayId>,
    stack: Vec<LoopId>,
    open: Vec<ScopeId>,
    line: u32,
    tokens: Vec<String>,
    at: usize,
}

use nestwise_ir::AccessId;

impl Builder {
    fn new() -> Builder {
        Builder {
            arrays: Arena::new(),
            vars: Arena::new(),
            loops: Arena::new(),
            accesses: Arena::new(),
            scopes: 0,
            live_outs: vec![],
            names: HashMap::new(),
            slots: HashMap::new(),
            stack: vec![],
            open: vec![],
            line: 0,
            tokens: vec![],
            at: 0,
        }
    }

    fn header(&mut self, text: &str) -> Vec<String> {
        let mut outs = vec![];
        for (i, part) in text.split(',').map(str::trim).filter(|p| !p.is_empty()).enumerate() {
            if let Some(name) = part.strip_prefix("out ") {
                outs.push(name.to_string());
                continue;
            }
            let (name, ty) = part.split_once(':').expect("name: type");
            let (name, ty) = (name.trim().to_string(), ty.trim());
            if let Some((elem, rank)) = ty.trim_end_matches(']').split_once('[') {
                let storage = scalar(elem);
                let decl = ArrayDecl {
                    name: name.clone(),
                    capture: i as u32,
                    kind: ArrayKind::Ndarray,
                    storage,
                    elem: Ty::py(storage),
                    rank: rank.parse().unwrap(),
                    read: false,
                    written: false,
                };
                self.slots.insert(name, self.arrays.push(decl));
                continue;
            }
            let mut words = ty.split_whitespace();
            let ty = Ty::py(scalar(words.next().unwrap()));
            let range = words.nth(1).map(|r| {
                let (lo, hi) = r.split_once("..").unwrap();
                (lo.parse().unwrap(), hi.parse().unwrap())
            });
            let var = self.var(&name, ty);
            self.vars[var].live_in = Some(i as u32);
            self.vars[var].range = range;
        }
        outs
    }

    fn var(&mut self, name: &str, ty: Ty) -> VarId {
        let decl =
            VarDecl { name: name.to_string(), ty, live_in: None, range: None, np_tag: None };
        let id = self.vars.push(decl);
        self.names.insert(name.to_string(), id);
        id
    }

    fn span(&self) -> Span {
        Span { line: self.line, column: 0 }
    }

    fn block(&mut self, lines: &[(usize, u32, &str)], indent: usize) -> Vec<Stmt> {
        let mut out = vec![];
        let mut i = 0;
        while i < lines.len() && lines[i].0 >= indent {
            let (_, line, text) = lines[i];
            let deeper = lines[i + 1..].iter().take_while(|l| l.0 > indent).count();
            let body = &lines[i + 1..i + 1 + deeper];
            i += 1 + deeper;
            let mut orelse: &[(usize, u32, &str)] = &[];
            if text.starts_with("if ") && i < lines.len() && lines[i].2 == "else:" {
                let n = lines[i + 1..].iter().take_while(|l| l.0 > indent).count();
                orelse = &lines[i + 1..i + 1 + n];
                i += 1 + n;
            }
            self.line = line;
            self.stmt(text, body, orelse, &mut out);
        }
        out
    }

    fn stmt(
        &mut self,
        text: &str,
        body: &[(usize, u32, &str)],
        orelse: &[(usize, u32, &str)],
        out: &mut Vec<Stmt>,
    ) {
        self.tokens = tokens(text);
        self.at = 0;
        let span = self.span();
        let inner = |lines: &[(usize, u32, &str)]| lines.first().map_or(0, |l| l.0);
        let kind = match self.tokens[0].clone().as_str() {
            "for" => self.for_loop(body, inner(body)),
            "while" => {
                self.at = 1;
                let id = self.new_loop("");
                let cond = self.expr();
                self.stack.push(id);
                let body = self.block(body, inner(body));
                self.stack.pop();
                StmtKind::While(While { id, cond, body })
            }
            "if" => {
                self.at = 1;
                let cond = self.expr();
                let then = self.block(body, inner(body));
                let orelse = self.block(orelse, inner(orelse));
                StmtKind::If { cond, then, orelse }
            }
            "scope" => {
                let id = ScopeId(self.scopes);
                self.scopes += 1;
                self.open.push(id);
                let body = self.block(body, inner(body));
                self.open.pop();
                StmtKind::Scope { id, body }
            }
            "leave" => StmtKind::Leave(*self.open.last().unwrap()),
            "break" => StmtKind::Break(*self.stack.last().unwrap()),
            "continue" => StmtKind::Continue(*self.stack.last().unwrap()),
            "return" => StmtKind::Return,
            "check" => {
                self.at = 1;
                StmtKind::Check { cond: self.expr(), guard: true }
            }
            "swap" => {
                let (a, b) = (self.slots[&self.tokens[1]], self.slots[&self.tokens[2]]);
                StmtKind::Rebind(vec![(a, b), (b, a)])
            }
            name => {
                let name = name.to_string();
                self.assignment(&name)
            }
        };
        out.push(Stmt { kind, span });
    }

    fn new_loop(&mut self, name: &str) -> LoopId {
        self.loops.push(LoopDecl {
            span: self.span(),
            name: name.to_string(),
            depth: self.stack.len() as u32,
            parent: self.stack.last().copied(),
        })
    }

    fn for_loop(&mut self, body: &[(usize, u32, &str)], indent: usize) -> StmtKind {
        let name = self.tokens[1].clone();
        self.at = 3;
        let mut args = self.call_args("range");
        let span = self.span();
        if args.len() == 1 {
            args.insert(0, Expr::int(0, span));
        }
        if args.len() == 2 {
            args.push(Expr::int(1, span));
        }
        let id = self.new_loop(&name);
        let outer = self.names.get(&name).copied();
        let counter = self.var(&name, Ty::PY_INT);
        self.stack.push(id);
        let body = self.block(body, indent);
        self.stack.pop();
        if let Some(v) = outer {
            self.names.insert(name, v);
        }
        let mut args = args.into_iter();
        let mut next = || args.next().unwrap();
        let (start, stop, step) = (next(), next(), next());
        StmtKind::For(For { id, counter, start, stop, step, body })
    }

    fn assignment(&mut self, name: &str) -> StmtKind {
        self.at = 1;
        if let Some(array) = self.slots.get(name).copied() {
            let index = self.index();
            let op = self.take();
            let mut value = self.expr();
            if op != "=" {
                let old = self.load(array, index.clone());
                value = self.arith(binop(&op[..op.len() - 1]), old, value);
            }
            let value = self.to(value, self.arrays[array].elem);
            let access = self.access(array, true);
            return StmtKind::Store { access, array, index, value, guard: true };
        }
        let op = self.take();
        let mut value = self.expr();
        if op != "=" {
            let old = self.name(name);
            value = self.arith(binop(&op[..op.len() - 1]), old, value);
        }
        let var = match self.names.get(name).copied() {
            Some(v) => v,
            None => self.var(name, value.ty),
        };
        let value = self.to(value, self.vars[var].ty);
        StmtKind::Let { var, value }
    }

    fn access(&mut self, array: ArrayId, store: bool) -> AccessId {
        if store {
            self.arrays[array].written = true;
        } else {
            self.arrays[array].read = true;
        }
        self.accesses.push(Access { array, store, span: self.span() })
    }

    fn load(&mut self, array: ArrayId, index: Vec<Expr>) -> Expr {
        let access = self.access(array, false);
        let ty = self.arrays[array].elem;
        Expr { kind: ExprKind::Load { access, array, index, guard: true }, ty, span: self.span() }
    }

    fn make(&self, kind: ExprKind, ty: Ty) -> Expr {
        Expr { kind, ty, span: self.span() }
    }

    fn to(&self, e: Expr, ty: Ty) -> Expr {
        if e.ty == ty {
            return e;
        }
        let kind = if e.ty.repr.is_float() && ty.repr.is_int() { Cast::Trunc } else { Cast::Value };
        self.make(ExprKind::Cast { kind, a: Box::new(e), guard: true }, ty)
    }

    fn arith(&mut self, op: BinOp, a: Expr, b: Expr) -> Expr {
        let ints = a.ty.repr != Scalar::F64 && b.ty.repr != Scalar::F64 && op != BinOp::Div;
        let ty = if ints { Ty::PY_INT } else { Ty::PY_FLOAT };
        let (a, b) = (Box::new(self.to(a, ty)), Box::new(self.to(b, ty)));
        let total = !ints && !matches!(op, BinOp::Div | BinOp::FloorDiv | BinOp::Mod);
        let bits = matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
        self.make(ExprKind::Binary { op, a, b, guard: !(total || bits) }, ty)
    }

    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }
    fn take(&mut self) -> String {
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

    fn index(&mut self) -> Vec<Expr> {
        self.expect("[");
        let mut out = vec![self.expr()];
        while self.eat(",") {
            out.push(self.expr());
        }
        self.expect("]");
        out
    }
    fn call_args(&mut self, f: &str) -> Vec<Expr> {
        self.expect(f);
        self.expect("(");
        let mut out = vec![self.expr()];
        while self.eat(",") {
            out.push(self.expr());
        }
        self.expect(")");
        out
    }

    fn expr(&mut self) -> Expr {
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
            return self.make(ExprKind::Unary { op: UnOp::Not, a, guard: false }, Ty::PY_BOOL);
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
        self.make(ExprKind::Unary { op: UnOp::Neg, a: Box::new(a), guard }, ty)
    }

    fn name(&self, name: &str) -> Expr {
        let var = *self.names.get(name).unwrap_or_else(|| panic!("unknown name {name}"));
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
                let axis = if self.eat(",") { self.take().parse().unwrap() } else { 0 };
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
                self.make(ExprKind::Unary { op: UnOp::Abs, a: Box::new(a), guard }, ty)
            }
            "sqrt" => {
                let args = self.call_args(&t);
                let kind = ExprKind::Call { fun: Fun::Sqrt, lib: Lib::C, args, guard: true };
                self.make(kind, Ty::PY_FLOAT)
            }
            "True" | "False" => {
                self.at += 1;
                self.truth(t == "True")
            }
            _ if t.contains('.') => {
                self.at += 1;
                self.make(ExprKind::Const(Const::Float(t.parse().unwrap())), Ty::PY_FLOAT)
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

    /// The tree in 128 bits, unguarded, cast back: what the specialiser does under `%` and `&`.
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
                    Expr { ty: Ty::PY_WIDE, ..e }
                }
                ExprKind::Const(_) => Expr { ty: Ty::PY_WIDE, ..e },
                _ => {
                    let kind = ExprKind::Cast { kind: Cast::Value, a: Box::new(e), guard: false };
                    Expr { kind, ty: Ty::PY_WIDE, span }
                }
            }
        }
        let span = e.span;
        let a = Box::new(go(e));
        Expr { kind: ExprKind::Cast { kind: Cast::Value, a, guard: true }, ty: Ty::PY_INT, span }
    }

    fn min_max(&mut self, args: Vec<Expr>, min: bool) -> Expr {
        let float = args.iter().any(|a| a.ty == Ty::PY_FLOAT);
        let ty = if float { Ty::PY_FLOAT } else { Ty::PY_INT };
        let mut args = args.into_iter().map(|a| self.to(a, ty)).collect::<Vec<_>>().into_iter();
        let (x, y) = (args.next().unwrap(), args.next().unwrap());
        let decl = |ty| VarDecl { name: String::new(), ty, live_in: None, range: None, np_tag: None };
        let (p, q) = (self.vars.push(decl(ty)), self.vars.push(decl(ty)));
        let var = |b: &Builder, v| Box::new(b.make(ExprKind::Var(v), ty));
        let op = if min { CmpOp::Lt } else { CmpOp::Gt };
        let cond = Box::new(
            self.make(ExprKind::Compare { op, a: var(self, q), b: var(self, p) }, Ty::PY_BOOL),
        );
        let select = ExprKind::Select { cond, then: var(self, q), orelse: var(self, p) };
        let body = Box::new(self.make(select, ty));
        let inner = self.make(ExprKind::Bind { var: q, value: Box::new(y), body }, ty);
        self.make(ExprKind::Bind { var: p, value: Box::new(x), body: Box::new(inner) }, ty)
    }
}

fn scalar(name: &str) -> Scalar {
    match name {
        "int" | "i64" => Scalar::I64,
        "float" | "f64" => Scalar::F64,
        "bool" => Scalar::Bool,
        _ => panic!("type {name}"),
    }
}

fn binop(op: &str) -> BinOp {
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

fn tokens(text: &str) -> Vec<String> {
    const OPS: [&str; 15] =
        ["//=", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=", "-=", "*=", "/=", "|=", "&=", "^="];
    let mut out = vec![];
    let mut rest = text.trim_end_matches(':').trim();
    while let Some(c) = rest.chars().next() {
        let n = if c.is_alphanumeric() || c == '_' {
            let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            OPS.iter().find(|op| rest.starts_with(**op)).map_or(1, |op| op.len())
        };
        out.push(rest[..n].to_string());
        rest = rest[n..].trim_start();
    }
    out
}
