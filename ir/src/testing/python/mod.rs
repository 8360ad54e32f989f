//! Makes a typed nest from a small Python-like text. Every operation that may fail is guarded, as in a nest that the
//! frontend lowers, and a loop's variable is its counter.
//!
//! The header declares live-ins, `n: int, m: int in 1..100, x: float, a: f64[2], k: i64[1]`, and live-outs,
//! `out s`. Beside Python's own statements there are `check COND`, `swap A B` (two slots trade their arrays), `scope:`
//! and `leave`.

mod expr;

use std::collections::HashMap;

use crate::model::ids::{AccessId, Arena, ArrayId, LoopId, PathId, ScopeId, VarId};
use crate::model::liveout::{LiveOut, LiveOutKind};
use crate::model::nest::{Access, ArrayDecl, ArrayKind, Expr, ExprKind, For, LoopDecl, Nest, Stmt};
use crate::model::nest::{StmtKind, VarDecl, While};
use crate::model::ops::{BinOp, Cast};
use crate::model::span::Span;
use crate::model::types::{Scalar, Ty};
use crate::testing::python::expr::{binop, tokens};

/// The nest of `body` under `header`. Statements before the last one are its prologue.
///
/// # Panics
/// If the text is not in this language.
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
        b.live_outs.push(LiveOut {
            path: PathId(i as u32),
            kind,
            assigned: None,
        });
    }
    Nest {
        arrays: b.arrays,
        vars: b.vars,
        loops: b.loops,
        accesses: b.accesses,
        scopes: b.scopes,
        prologue: stmts,
        live_outs: b.live_outs,
        ..Nest::of(top)
    }
}

pub(super) struct Builder {
    pub(super) arrays: Arena<ArrayId, ArrayDecl>,
    pub(super) vars: Arena<VarId, VarDecl>,
    pub(super) loops: Arena<LoopId, LoopDecl>,
    pub(super) accesses: Arena<AccessId, Access>,
    pub(super) scopes: u32,
    pub(super) live_outs: Vec<LiveOut>,
    pub(super) names: HashMap<String, VarId>,
    pub(super) slots: HashMap<String, ArrayId>,
    pub(super) stack: Vec<LoopId>,
    pub(super) open: Vec<ScopeId>,
    pub(super) line: u32,
    pub(super) tokens: Vec<String>,
    pub(super) at: usize,
}

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
        for (i, part) in text
            .split(',')
            .map(str::trim)
            .filter(|p| !p.is_empty())
            .enumerate()
        {
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
                    like: vec![],
                    starts: false,
                    moved: false,
                    attributes: false,
                    list: false,
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
        let decl = VarDecl {
            name: name.to_string(),
            ty,
            live_in: None,
            range: None,
            np_tag: None,
        };
        let id = self.vars.push(decl);
        self.names.insert(name.to_string(), id);
        id
    }

    pub(super) fn span(&self) -> Span {
        Span {
            line: self.line,
            column: 0,
        }
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
                StmtKind::Check {
                    cond: self.expr(),
                    guard: true,
                }
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
        StmtKind::For(For {
            id,
            counter,
            start,
            stop,
            step,
            body,
        })
    }

    fn assignment(&mut self, name: &str) -> StmtKind {
        self.at = 1;
        if let Some(array) = self.slots.get(name).copied() {
            let index = self.index();
            let op = self.take();
            let mut value = self.expr();
            if op != "=" {
                let mut again = index.clone();
                again.iter_mut().for_each(|e| self.renumber(e));
                let old = self.load(array, again);
                value = self.arith(binop(&op[..op.len() - 1]), old, value);
            }
            let value = self.to(value, self.arrays[array].elem);
            let access = self.access(array, true);
            return StmtKind::Store {
                access,
                array,
                index,
                value,
                guard: true,
            };
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

    /// Gives the accesses of a copied expression numbers of their own.
    fn renumber(&mut self, e: &mut Expr) {
        if let ExprKind::Load { access, array, .. } = &mut e.kind {
            *access = self.access(*array, false);
        }
        e.children_mut().into_iter().for_each(|c| self.renumber(c));
    }

    fn access(&mut self, array: ArrayId, store: bool) -> AccessId {
        if store {
            self.arrays[array].written = true;
        } else {
            self.arrays[array].read = true;
        }
        self.accesses.push(Access {
            array,
            store,
            span: self.span(),
        })
    }

    pub(super) fn load(&mut self, array: ArrayId, index: Vec<Expr>) -> Expr {
        let access = self.access(array, false);
        let ty = self.arrays[array].elem;
        Expr {
            kind: ExprKind::Load {
                access,
                array,
                index,
                guard: true,
            },
            ty,
            span: self.span(),
        }
    }

    pub(super) fn make(&self, kind: ExprKind, ty: Ty) -> Expr {
        Expr {
            kind,
            ty,
            span: self.span(),
        }
    }

    pub(super) fn to(&self, e: Expr, ty: Ty) -> Expr {
        if e.ty == ty {
            return e;
        }
        let kind = if e.ty.repr.is_float() && ty.repr.is_int() {
            Cast::Trunc
        } else {
            Cast::Value
        };
        self.make(
            ExprKind::Cast {
                kind,
                a: Box::new(e),
                guard: true,
            },
            ty,
        )
    }

    pub(super) fn arith(&mut self, op: BinOp, a: Expr, b: Expr) -> Expr {
        let ints = a.ty.repr != Scalar::F64 && b.ty.repr != Scalar::F64 && op != BinOp::Div;
        let ty = if ints { Ty::PY_INT } else { Ty::PY_FLOAT };
        let (a, b) = (Box::new(self.to(a, ty)), Box::new(self.to(b, ty)));
        let total = !ints && !matches!(op, BinOp::Div | BinOp::FloorDiv | BinOp::Mod);
        let bits = matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
        self.make(
            ExprKind::Binary {
                op,
                a,
                b,
                guard: !(total || bits),
            },
            ty,
        )
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
