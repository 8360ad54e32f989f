//! Builds a nest from calls that make its statements and expressions one by one.

use crate::model::ids::{AccessId, Arena, ArrayId, LoopId, PathId, VarId};
use crate::model::liveout::{LiveOut, LiveOutKind};
use crate::model::nest::{
    Access, ArrayDecl, ArrayKind, Const, Expr, ExprKind, For, LoopDecl, Nest, Stmt, StmtKind,
    VarDecl, While,
};
use crate::model::ops::{BinOp, Cast, CmpOp, Fun, Lib, UnOp};
use crate::model::span::Span;
use crate::model::types::{Scalar, Ty};

/// Python's `int`.
pub const I64: Ty = Ty::PY_INT;
/// Python's `float`.
pub const F64: Ty = Ty::PY_FLOAT;
/// NumPy's `float64`.
pub const NPF: Ty = Ty::np(Scalar::F64);

/// The start of a line.
pub fn span(line: u32) -> Span {
    Span { line, column: 0 }
}

/// A nest under construction: declarations first, then [`Builder::finish`] with its top loop.
pub struct Builder {
    /// The nest so far, without loops.
    pub nest: Nest,
    next_loop: u32,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// A nest that declares nothing.
    pub fn new() -> Builder {
        let top = stmt(StmtKind::Eval(int(0)));
        Builder {
            nest: Nest::of(top),
            next_loop: 0,
        }
    }
    /// Declares an ndarray, the next capture, with elements that load as `elem`.
    pub fn array(&mut self, storage: Scalar, elem: Ty, rank: u32) -> ArrayId {
        let capture = self.nest.arrays.len() as u32;
        self.nest.arrays.push(ArrayDecl {
            name: format!("a{capture}"),
            capture,
            kind: ArrayKind::Ndarray,
            storage,
            elem,
            rank,
            read: true,
            written: true,
            like: vec![],
            starts: false,
            moved: false,
            attributes: false,
            list: false,
        })
    }
    /// Declares an ndarray of `float64`.
    pub fn floats(&mut self, rank: u32) -> ArrayId {
        self.array(Scalar::F64, NPF, rank)
    }
    /// Declares a hidden variable.
    pub fn var(&mut self, ty: Ty) -> VarId {
        self.nest.vars.push(VarDecl {
            name: String::new(),
            ty,
            live_in: None,
            range: None,
            np_tag: None,
        })
    }
    /// Declares a variable that has a value at entry, of the capture with its own number.
    pub fn input(&mut self, ty: Ty) -> VarId {
        let v = self.var(ty);
        self.nest.vars[v].live_in = Some(v.0);
        v
    }
    /// Makes a variable a live-out, of the next access path.
    pub fn output(&mut self, var: VarId) {
        let path = PathId(self.nest.live_outs.len() as u32);
        self.nest.live_outs.push(LiveOut {
            path,
            kind: LiveOutKind::Var(var),
            assigned: None,
        });
    }
    /// The id of the next loop; ids have to be asked for in the order of the text.
    pub fn loop_id(&mut self) -> LoopId {
        self.next_loop += 1;
        LoopId(self.next_loop - 1)
    }
    fn access(&mut self, array: ArrayId, store: bool) -> AccessId {
        self.nest.accesses.push(Access {
            array,
            store,
            span: span(1),
        })
    }
    /// The load `array[index]` with an access of its own.
    pub fn load(&mut self, array: ArrayId, index: Vec<Expr>, guard: bool) -> Expr {
        let access = self.access(array, false);
        let ty = self.nest.arrays[array].elem;
        Expr {
            kind: ExprKind::Load {
                access,
                array,
                index,
                guard,
            },
            ty,
            span: span(3),
        }
    }
    /// The store `array[index] = value` with an access of its own.
    pub fn store(&mut self, array: ArrayId, index: Vec<Expr>, value: Expr, guard: bool) -> Stmt {
        let access = self.access(array, true);
        stmt(StmtKind::Store {
            access,
            array,
            index,
            value,
            guard,
        })
    }
    /// The value of a variable.
    pub fn v(&self, var: VarId) -> Expr {
        Expr {
            kind: ExprKind::Var(var),
            ty: self.nest.vars[var].ty,
            span: span(2),
        }
    }
    /// The loop `for counter in range(start, stop, step)` with number `id`.
    pub fn for_(&self, id: LoopId, counter: VarId, bounds: [Expr; 3], body: Vec<Stmt>) -> Stmt {
        let [start, stop, step] = bounds;
        stmt(StmtKind::For(For {
            id,
            counter,
            start,
            stop,
            step,
            body,
        }))
    }
    /// The loop `while cond` with number `id`.
    pub fn while_(&self, id: LoopId, cond: Expr, body: Vec<Stmt>) -> Stmt {
        stmt(StmtKind::While(While { id, cond, body }))
    }
    /// Renumbers the accesses that occur in the nest, and drops the others.
    fn drop_unused_accesses(&mut self) {
        let old = std::mem::take(&mut self.nest.accesses);
        let renumber = |id: &mut AccessId, accesses: &mut Arena<AccessId, Access>| {
            *id = accesses.push(old[*id].clone());
        };
        fn expr(e: &mut Expr, f: &mut impl FnMut(&mut AccessId)) {
            if let ExprKind::Load { access, .. } = &mut e.kind {
                f(access);
            }
            e.children_mut().into_iter().for_each(|c| expr(c, f));
        }
        fn walk(s: &mut Stmt, f: &mut impl FnMut(&mut AccessId)) {
            if let StmtKind::Store { access, .. } = &mut s.kind {
                f(access);
            }
            s.exprs_mut().into_iter().for_each(|e| expr(e, f));
            s.blocks_mut()
                .into_iter()
                .flatten()
                .for_each(|s| walk(s, f));
        }
        let accesses = &mut self.nest.accesses;
        walk(&mut self.nest.top, &mut |id| renumber(id, accesses));
    }
    /// Completes the nest: loops are declared, accesses numbered in the order of the text.
    ///
    /// # Panics
    /// If the verifier refuses the nest.
    pub fn finish(mut self, top: Stmt) -> Nest {
        self.nest.top = top;
        self.drop_unused_accesses();
        let mut found: Vec<(LoopId, Option<LoopId>, u32)> = vec![];
        nesting(&self.nest.top, None, 0, &mut found);
        found.sort_by_key(|f| f.0);
        for (_, parent, depth) in found {
            self.nest.loops.push(LoopDecl {
                span: span(10 + depth),
                name: String::new(),
                depth,
                parent,
            });
        }
        for a in self.nest.arrays.ids().collect::<Vec<_>>() {
            self.nest.arrays[a].read = self
                .nest
                .accesses
                .values()
                .any(|x| x.array == a && !x.store);
            self.nest.arrays[a].written =
                self.nest.accesses.values().any(|x| x.array == a && x.store);
        }
        crate::verifier::verify(&self.nest).expect("a test builds sound nests");
        self.nest
    }
}

fn nesting(
    s: &Stmt,
    parent: Option<LoopId>,
    depth: u32,
    out: &mut Vec<(LoopId, Option<LoopId>, u32)>,
) {
    let id = match &s.kind {
        StmtKind::For(l) => Some(l.id),
        StmtKind::While(l) => Some(l.id),
        _ => None,
    };
    if let Some(id) = id {
        out.push((id, parent, depth));
    }
    let (parent, depth) = if id.is_some() {
        (id, depth + 1)
    } else {
        (parent, depth)
    };
    for b in s.blocks() {
        for s in b {
            nesting(s, parent, depth, out);
        }
    }
}

/// A statement without a position.
pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: span(4),
    }
}
/// `var = value`.
pub fn let_(var: VarId, value: Expr) -> Stmt {
    stmt(StmtKind::Let { var, value })
}
/// `if cond: then; else: orelse`.
pub fn if_(cond: Expr, then: Vec<Stmt>, orelse: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::If { cond, then, orelse })
}
/// A Python int.
pub fn int(v: i64) -> Expr {
    Expr::int(v, span(1))
}
/// A Python float.
pub fn float(v: f64) -> Expr {
    Expr::constant(Const::Float(v), F64, span(1))
}
/// A constant of any type.
pub fn constant(c: Const, ty: Ty) -> Expr {
    Expr::constant(c, ty, span(1))
}
/// The extent of an axis.
pub fn dim(a: ArrayId, axis: u32) -> Expr {
    Expr {
        kind: ExprKind::Dim(a, axis),
        ty: I64,
        span: span(1),
    }
}
/// `a op b`, of the type of `a`.
pub fn bin(op: BinOp, a: Expr, b: Expr, guard: bool) -> Expr {
    let ty = a.ty;
    Expr {
        kind: ExprKind::Binary {
            op,
            a: Box::new(a),
            b: Box::new(b),
            guard,
        },
        ty,
        span: span(5),
    }
}
/// `a + b`, unguarded.
pub fn add(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Add, a, b, false)
}
/// `a - b`, unguarded.
pub fn sub(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Sub, a, b, false)
}
/// `a * b`, unguarded.
pub fn mul(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Mul, a, b, false)
}
/// A comparison.
pub fn cmp(op: CmpOp, a: Expr, b: Expr) -> Expr {
    Expr {
        kind: ExprKind::Compare {
            op,
            a: Box::new(a),
            b: Box::new(b),
        },
        ty: Ty::PY_BOOL,
        span: span(6),
    }
}
/// A unary operation with a result of type `ty`.
pub fn unary(op: UnOp, a: Expr, ty: Ty, guard: bool) -> Expr {
    Expr {
        kind: ExprKind::Unary {
            op,
            a: Box::new(a),
            guard,
        },
        ty,
        span: span(7),
    }
}
/// A conversion to `ty`.
pub fn cast(kind: Cast, a: Expr, ty: Ty, guard: bool) -> Expr {
    Expr {
        kind: ExprKind::Cast {
            kind,
            a: Box::new(a),
            guard,
        },
        ty,
        span: span(8),
    }
}
/// `cond ? then : orelse`, of the type of `then`.
pub fn select(cond: Expr, then: Expr, orelse: Expr) -> Expr {
    let ty = then.ty;
    let (cond, then, orelse) = (Box::new(cond), Box::new(then), Box::new(orelse));
    Expr {
        kind: ExprKind::Select { cond, then, orelse },
        ty,
        span: span(9),
    }
}
/// A call of a mathematical function.
pub fn call(fun: Fun, lib: Lib, args: Vec<Expr>, ty: Ty, guard: bool) -> Expr {
    Expr {
        kind: ExprKind::Call {
            fun,
            lib,
            args,
            guard,
        },
        ty,
        span: span(9),
    }
}
/// The bounds of `range(n)`.
pub fn upto(n: Expr) -> [Expr; 3] {
    [int(0), n, int(1)]
}
