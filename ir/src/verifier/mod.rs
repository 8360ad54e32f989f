//! The verifier: what every pass may rely on, checked node by node. The error names the node.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::model::ids::{LoopId, ScopeId, VarId};
use crate::model::liveout::{MadeArray, PartAxis};
use crate::model::nest::{
    BinOp, Cast, Const, Expr, ExprKind, For, Fun, LiveOut, LiveOutKind, Nest, Stmt, StmtKind, UnOp,
};
use crate::model::types::{Prov, Scalar, Ty};

/// Checks that ids are in range, types are as documented, each access occurs once and loops nest properly.
pub fn verify(nest: &Nest) -> Result<(), String> {
    let mut v = Verifier {
        nest,
        accesses: HashSet::new(),
        loops: HashSet::new(),
        open_loops: Vec::new(),
        open_scopes: Vec::new(),
        scopes: HashSet::new(),
        counters: HashSet::new(),
    };
    v.declarations()?;
    v.in_prologue()?;
    match &nest.top.kind {
        StmtKind::For(l) if l.id == LoopId(0) => {}
        StmtKind::While(l) if l.id == LoopId(0) => {}
        _ => return Err("the top statement is not loop L0".into()),
    }
    v.whole()?;
    v.stmt(&nest.top)?;
    v.everything_stands()
}

/// Verifies what the pass named `pass` made; in release builds it does nothing.
///
/// # Panics
/// In debug builds, if the nest breaks a rule of [`verify`]. The message names the pass and shows the nest.
pub fn verify_after(pass: &str, nest: &Nest) {
    if cfg!(debug_assertions)
        && let Err(broken) = verify(nest)
    {
        panic!("after {pass}: {broken}\n{nest}");
    }
}

struct Verifier<'a> {
    nest: &'a Nest,
    accesses: HashSet<u32>,
    loops: HashSet<LoopId>,
    open_loops: Vec<LoopId>,
    open_scopes: Vec<ScopeId>,
    scopes: HashSet<ScopeId>,
    counters: HashSet<VarId>,
}

type Check = Result<(), String>;

fn ensure(ok: bool, message: impl FnOnce() -> String) -> Check {
    if ok { Ok(()) } else { Err(message()) }
}

impl Verifier<'_> {
    fn declarations(&self) -> Check {
        let n = self.nest;
        for (id, a) in n.arrays.iter() {
            ensure((1..=8).contains(&a.rank), || {
                format!("{id}: rank {} is not 1 to 8", a.rank)
            })?;
            ensure(a.storage != Scalar::I128, || {
                format!("{id}: i128 is never stored")
            })?;
            let widens = a.elem.repr != a.storage
                && ((a.storage.is_int() && a.elem.repr == Scalar::I64 && a.storage != Scalar::U64)
                    || (a.storage == Scalar::F32 && a.elem.repr == Scalar::F64));
            ensure(a.elem.repr == a.storage || widens, || {
                format!(
                    "{id}: an element stored as {} does not load as {}",
                    a.storage, a.elem
                )
            })?;
        }
        for (id, var) in n.vars.iter() {
            if let Some((lo, hi)) = var.range {
                ensure(lo <= hi, || format!("{id}: empty range {lo}..={hi}"))?;
            }
            if let Some(tag) = var.np_tag {
                ensure(self.ty(tag)?.repr == Scalar::Bool, || {
                    format!("{id}: tag {tag} is no bool")
                })?;
            }
        }
        for (id, l) in n.loops.iter() {
            let depth = match l.parent {
                None => 0,
                Some(p) => {
                    ensure(p.index() < id.index(), || {
                        format!("{id}: parent {p} does not precede it")
                    })?;
                    n.loops[p].depth + 1
                }
            };
            ensure(l.depth == depth, || {
                format!("{id}: depth {} instead of {depth}", l.depth)
            })?;
        }
        self.results()
    }

    fn made(&self, out: &LiveOut, made: &MadeArray) -> Check {
        let array = made.array;
        let slot = self.nest.arrays.get(array);
        let own = slot.is_some_and(|a| {
            a.kind == crate::ArrayKind::Scratch && a.rank as usize == made.lens.len()
        });
        ensure(own, || {
            format!("live-out {}: {array} is not made", out.path)
        })?;
        self.ints(out, &made.lens)?;
        let flags = made.same.iter().map(|(flag, _)| flag);
        for flag in flags.chain(&made.viewed) {
            ensure(self.ty(*flag)?.repr == Scalar::Bool, || {
                format!("live-out {}: flag {flag} is no bool", out.path)
            })?;
        }
        Ok(())
    }

    fn ints(&self, out: &LiveOut, vars: &[VarId]) -> Check {
        for v in vars {
            ensure(self.ty(*v)? == Ty::PY_INT, || {
                format!("live-out {}: index {v} is no py.i64", out.path)
            })?;
        }
        Ok(())
    }

    fn results(&self) -> Check {
        let n = self.nest;
        for out in &n.live_outs {
            match &out.kind {
                LiveOutKind::None(number) => {
                    number.map(|v| self.ty(v)).transpose()?;
                }
                LiveOutKind::Var(v) => {
                    self.ty(*v)?;
                }
                LiveOutKind::View(a, index) => {
                    let rank = match n.arrays.get(*a) {
                        Some(a) => a.rank as usize,
                        None => return Err(format!("live-out {}: no slot {a}", out.path)),
                    };
                    ensure(index.len() < rank, || {
                        format!(
                            "live-out {}: {} indices on rank {rank}",
                            out.path,
                            index.len()
                        )
                    })?;
                    self.ints(out, index)?;
                }
                LiveOutKind::Appended { columns, count, .. } => {
                    let appended = |a: &crate::ArrayId| {
                        n.arrays.get(*a).map(|a| a.kind) == Some(crate::ArrayKind::Appended)
                    };
                    ensure(
                        columns.iter().all(appended) && self.ty(*count)? == Ty::PY_INT,
                        || format!("live-out {}: no columns and a count", out.path),
                    )?;
                }
                LiveOutKind::Tuple(vars) => {
                    for v in vars {
                        self.ty(*v)?;
                    }
                }
                LiveOutKind::Object(object) => {
                    for v in object.vars() {
                        self.ty(v)?;
                    }
                }
                LiveOutKind::Part(a, axes) => {
                    let rank = n.arrays.get(*a).map(|a| a.rank as usize);
                    ensure(rank == Some(axes.len()), || {
                        format!("live-out {}: {} axes of {a}", out.path, axes.len())
                    })?;
                    self.ints(out, &out.kind.vars())?;
                }
                LiveOutKind::Made(made) => self.made(out, made)?,
                LiveOutKind::MadePart(made, axes) => {
                    self.made(out, made)?;
                    ensure(made.lens.len() == axes.len(), || {
                        format!(
                            "live-out {}: {} axes of {}",
                            out.path,
                            axes.len(),
                            made.array
                        )
                    })?;
                    let own: Vec<_> = axes.iter().flat_map(PartAxis::vars).collect();
                    self.ints(out, &own)?;
                }
                LiveOutKind::Slot(a) => {
                    ensure(n.arrays.get(*a).is_some(), || {
                        format!("live-out {}: no slot {a}", out.path)
                    })?;
                }
            }
            if let Some(flag) = out.assigned {
                ensure(self.ty(flag)?.repr == Scalar::Bool, || {
                    format!("live-out {}: flag {flag} is no bool", out.path)
                })?;
            }
        }
        for v in n.returns.iter().flat_map(|r| &r.vars) {
            self.ty(*v)?;
        }
        for condition in &n.preconditions {
            let known = condition.arrays().all(|a| n.arrays.get(a).is_some());
            ensure(known, || format!("requires {condition}: no such array"))?;
        }
        Ok(())
    }

    /// Checks that nothing assigns the end of the range of a nest that runs as a whole, like a counter.
    fn whole(&mut self) -> Check {
        let Some(end) = self.nest.whole else {
            return Ok(());
        };
        ensure(self.nest.top_for().is_some(), || {
            "a `while` is run whole".into()
        })?;
        let live_in = self.nest.vars.get(end).and_then(|v| v.live_in);
        ensure(
            self.ty(end)?.repr == Scalar::I64 && live_in.is_none() && self.counters.insert(end),
            || format!("{end}: no end of a range"),
        )
    }

    fn in_prologue(&mut self) -> Check {
        for stmt in &self.nest.prologue {
            ensure(
                matches!(stmt.kind, StmtKind::Let { .. } | StmtKind::Check { .. }),
                || format!("line {}: the prologue holds more than Lets", stmt.span.line),
            )?;
            self.stmt(stmt)?;
        }
        ensure(self.accesses.is_empty(), || {
            "the prologue accesses an array".into()
        })
    }

    fn everything_stands(&self) -> Check {
        for id in self.nest.accesses.ids() {
            ensure(self.accesses.contains(&id.0), || {
                format!("{id}: stands nowhere")
            })?;
        }
        for id in self.nest.loops.ids() {
            ensure(self.loops.contains(&id), || format!("{id}: stands nowhere"))?;
        }
        Ok(())
    }

    fn ty(&self, var: VarId) -> Result<Ty, String> {
        self.nest
            .vars
            .get(var)
            .map(|v| v.ty)
            .ok_or_else(|| format!("no variable {var}"))
    }

    fn access(&mut self, access: crate::AccessId, array: crate::ArrayId, store: bool) -> Check {
        let Some(decl) = self.nest.accesses.get(access) else {
            return Err(format!("no access {access}"));
        };
        ensure(decl.array == array, || {
            format!("{access}: on {array}, declared on {}", decl.array)
        })?;
        ensure(decl.store == store, || {
            format!("{access}: load and store confused")
        })?;
        ensure(self.accesses.insert(access.0), || {
            format!("{access}: stands twice")
        })?;
        let Some(a) = self.nest.arrays.get(array) else {
            return Err(format!("{access}: no slot {array}"));
        };
        let (declared, what) = if store {
            (a.written, "written")
        } else {
            (a.read, "read")
        };
        ensure(declared, || {
            format!("{access}: {array} is not declared as {what}")
        })
    }

    fn index(&mut self, access: crate::AccessId, array: crate::ArrayId, index: &[Expr]) -> Check {
        let rank = self.nest.arrays[array].rank as usize;
        ensure(index.len() == rank, || {
            format!("{access}: {} indices on rank {rank}", index.len())
        })?;
        for e in index {
            self.expr(e)?;
            ensure(e.ty.repr == Scalar::I64, || {
                format!("{access}: an index of type {}", e.ty)
            })?;
        }
        Ok(())
    }

    fn block(&mut self, block: &[Stmt]) -> Check {
        block.iter().try_for_each(|s| self.stmt(s))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Check {
        let line = stmt.span.line;
        match &stmt.kind {
            StmtKind::Let { var, value } => {
                self.statement_value(value)?;
                let ty = self.ty(*var)?;
                ensure(!self.counters.contains(var), || {
                    format!("line {line}: counter {var} is assigned")
                })?;
                ensure(same(ty, value.ty), || {
                    format!("line {line}: {var} is {ty}, its value {}", value.ty)
                })
            }
            StmtKind::Store {
                access,
                array,
                index,
                value,
                ..
            } => {
                self.access(*access, *array, true)?;
                self.index(*access, *array, index)?;
                self.expr(value)?;
                let elem = self.nest.arrays[*array].elem.repr;
                ensure(value.ty.repr == elem, || {
                    format!("{access}: {} stored into elements of {elem}", value.ty)
                })
            }
            StmtKind::Rebind(pairs) => self.rebind(pairs, line),
            StmtKind::If { cond, then, orelse } => {
                self.bool(cond)?;
                self.block(then)?;
                self.block(orelse)
            }
            StmtKind::For(l) => self.for_loop(l),
            StmtKind::While(l) => {
                self.open_loop(l.id)?;
                self.bool(&l.cond)?;
                self.block(&l.body)?;
                self.open_loops.pop();
                Ok(())
            }
            StmtKind::Break(l) | StmtKind::Continue(l) => {
                ensure(self.open_loops.contains(l), || {
                    format!("line {line}: leaves {l} from outside")
                })
            }
            StmtKind::Scope { id, body } => {
                ensure(id.index() < self.nest.scopes as usize, || {
                    format!("no scope {id}")
                })?;
                ensure(self.scopes.insert(*id), || format!("{id}: stands twice"))?;
                self.open_scopes.push(*id);
                self.block(body)?;
                self.open_scopes.pop();
                Ok(())
            }
            StmtKind::Leave(s) => ensure(self.open_scopes.contains(s), || {
                format!("line {line}: leaves {s} from outside")
            }),
            StmtKind::Return => ensure(self.nest.returns.is_some(), || {
                format!("line {line}: return without returns")
            }),
            StmtKind::Check { cond, .. } => self.bool(cond),
            StmtKind::Eval(e) => self.statement_value(e),
        }
    }

    /// Checks a [`StmtKind::Rebind`]: a permutation of slots with one storage, rank and element type. Shapes need not
    /// agree.
    fn rebind(&self, pairs: &[(crate::ArrayId, crate::ArrayId)], line: u32) -> Check {
        let dst: HashSet<_> = pairs.iter().map(|p| p.0).collect();
        let src: HashSet<_> = pairs.iter().map(|p| p.1).collect();
        ensure(dst.len() == pairs.len() && dst == src, || {
            format!("line {line}: a rebinding that is no permutation")
        })?;
        for (d, s) in pairs {
            let (Some(d), Some(s)) = (self.nest.arrays.get(*d), self.nest.arrays.get(*s)) else {
                return Err(format!("line {line}: no slot {d} or {s}"));
            };
            ensure(
                d.storage == s.storage && d.rank == s.rank && d.elem == s.elem,
                || format!("line {line}: {} and {} differ in type", d.name, s.name),
            )?;
        }
        Ok(())
    }

    fn open_loop(&mut self, id: LoopId) -> Check {
        let Some(decl) = self.nest.loops.get(id) else {
            return Err(format!("no loop {id}"));
        };
        ensure(self.loops.insert(id), || format!("{id}: stands twice"))?;
        ensure(decl.parent == self.open_loops.last().copied(), || {
            format!(
                "{id}: stands in {:?}, declared in {:?}",
                self.open_loops.last(),
                decl.parent
            )
        })?;
        self.open_loops.push(id);
        Ok(())
    }

    fn for_loop(&mut self, l: &For) -> Check {
        for e in [&l.start, &l.stop, &l.step] {
            self.expr(e)?;
            ensure(e.ty.repr == Scalar::I64, || {
                format!("{}: a bound of type {}", l.id, e.ty)
            })?;
        }
        ensure(l.step.as_int() != Some(0), || format!("{}: step 0", l.id))?;
        ensure(self.ty(l.counter)?.repr == Scalar::I64, || {
            format!("{}: its counter is no i64", l.id)
        })?;
        ensure(self.counters.insert(l.counter), || {
            format!("{}: shares its counter", l.id)
        })?;
        self.open_loop(l.id)?;
        self.block(&l.body)?;
        self.open_loops.pop();
        Ok(())
    }

    /// Checks the value of a statement, which may be a call of CPython.
    fn statement_value(&mut self, e: &Expr) -> Check {
        let ExprKind::HostCall { fragment, args } = &e.kind else {
            return self.expr(e);
        };
        args.iter().try_for_each(|a| self.expr(a))?;
        let Some(fragment) = self.nest.fragments.get(*fragment) else {
            return Err(at(e, "a fragment that is not declared"));
        };
        let takes = fragment.values.iter().map(|v| v.ty);
        ensure(
            takes.eq(args.iter().map(|a| a.ty)) && fragment.ty() == e.ty,
            || at(e, "other types than the fragment's"),
        )?;
        let crosses = |ty: Ty| ty.prov != Prov::Dyn && ty.repr != Scalar::Num;
        ensure(crosses(e.ty) && args.iter().all(|a| crosses(a.ty)), || {
            at(e, "a type that does not cross to CPython")
        })
    }

    fn bool(&mut self, e: &Expr) -> Check {
        self.expr(e)?;
        ensure(e.ty.repr == Scalar::Bool, || {
            at(e, "a condition that is no bool")
        })
    }

    fn expr(&mut self, e: &Expr) -> Check {
        let r = e.ty.repr;
        match &e.kind {
            ExprKind::Const(c) => ensure(fits(*c, r), || at(e, &format!("constant {c:?}"))),
            ExprKind::Var(v) => {
                let ty = self.ty(*v)?;
                ensure(same(ty, e.ty), || at(e, &format!("{v} is {ty}")))
            }
            ExprKind::Dim(a, axis) => {
                let rank = self.nest.arrays.get(*a).map(|d| d.rank);
                ensure(rank.is_some_and(|rank| *axis < rank), || {
                    at(e, &format!("no axis {axis} of {a}"))
                })?;
                ensure(r == Scalar::I64, || at(e, "an extent that is no i64"))
            }
            ExprKind::Load {
                access,
                array,
                index,
                ..
            } => {
                self.access(*access, *array, false)?;
                self.index(*access, *array, index)?;
                let elem = self.nest.arrays[*array].elem.repr;
                ensure(r == elem, || at(e, &format!("loads {elem}")))
            }
            ExprKind::Bind { var, value, body } => {
                self.expr(value)?;
                let ty = self.ty(*var)?;
                ensure(same(ty, value.ty), || {
                    at(e, &format!("{var} is {ty}, its value {}", value.ty))
                })?;
                self.expr(body)?;
                ensure(r == body.ty.repr, || {
                    at(e, "a binding of another type than its body")
                })
            }
            ExprKind::HostCall { .. } => Err(at(e, "a call of CPython inside an expression")),
            _ => {
                for child in e.children() {
                    self.expr(child)?;
                }
                operands(e)
            }
        }
    }
}

/// Checks the types of the operands of an operation.
fn operands(e: &Expr) -> Check {
    let r = e.ty.repr;
    let ok = match &e.kind {
        ExprKind::Unary { op, a, .. } => unary(*op, a.ty.repr, r),
        ExprKind::Binary { op, a, b, .. } => binary(*op, a.ty.repr, b.ty.repr, r),
        ExprKind::Compare { a, b, .. } => a.ty.repr == b.ty.repr && r == Scalar::Bool,
        ExprKind::Select { cond, then, orelse } => {
            cond.ty.repr == Scalar::Bool && then.ty.repr == r && orelse.ty.repr == r
        }
        ExprKind::Cast { kind, a, .. } => cast(*kind, a.ty.repr, r),
        ExprKind::Call { fun, args, .. } => call(*fun, args, r),
        _ => true,
    };
    ensure(ok, || at(e, "operands do not fit the operation"))
}

fn unary(op: UnOp, a: Scalar, r: Scalar) -> bool {
    let part = match a {
        Scalar::C64 => Some(Scalar::F32),
        Scalar::C128 => Some(Scalar::F64),
        _ => None,
    };
    match op {
        UnOp::Not => a == Scalar::Bool && r == Scalar::Bool,
        UnOp::Neg => a == r && a != Scalar::Bool && a != Scalar::Char,
        UnOp::Invert => a == r && (a.is_int() || a == Scalar::Bool),
        UnOp::Abs => part.map_or(a == r && a != Scalar::Char, |p| p == r),
        UnOp::Real | UnOp::Imag => part == Some(r),
        UnOp::Conj => part.is_some() && a == r,
    }
}

fn binary(op: BinOp, a: Scalar, b: Scalar, r: Scalar) -> bool {
    let number = a != Scalar::Char;
    a == b
        && a == r
        && number
        && match op {
            BinOp::Add | BinOp::Mul => true,
            BinOp::And | BinOp::Or | BinOp::Xor => a.is_int() || a == Scalar::Bool,
            BinOp::Shl | BinOp::Shr => a.is_int(),
            BinOp::Div => !a.is_int() && a != Scalar::Bool,
            BinOp::FloorDiv | BinOp::Mod => !a.is_complex() && a != Scalar::Bool,
            BinOp::Min | BinOp::Max => !a.is_complex(),
            BinOp::Sub | BinOp::Pow => a != Scalar::Bool,
        }
}

fn cast(kind: Cast, a: Scalar, r: Scalar) -> bool {
    match kind {
        Cast::Value => a == r || (a != Scalar::Char && r != Scalar::Char),
        Cast::Round => matches!(
            (a, r),
            (Scalar::F64, Scalar::F32) | (Scalar::C128, Scalar::C64)
        ),
        Cast::Trunc => (a.is_float() || a == Scalar::Num) && r.is_int(),
        Cast::Truth => r == Scalar::Bool,
        Cast::Ord => {
            (a == Scalar::Char && (r.is_int() || r == Scalar::Char))
                || (a.is_int() && r == Scalar::Char)
        }
    }
}

fn call(fun: Fun, args: &[Expr], r: Scalar) -> bool {
    let arity = if matches!(
        fun,
        Fun::Atan2 | Fun::Hypot | Fun::Fmod | Fun::Copysign | Fun::Pow | Fun::Pair
    ) {
        2
    } else if fun.is_fold() {
        return args.len() == fun.fold_arity()
            && r.is_float()
            && args.iter().all(|e| e.ty.repr == r);
    } else {
        1
    };
    let Some(first) = args.first() else {
        return false;
    };
    let a = first.ty.repr;
    let result = if matches!(fun, Fun::IsNan | Fun::IsInf | Fun::IsFinite) {
        Scalar::Bool
    } else if fun == Fun::Pair {
        return args.len() == 2
            && args.iter().all(|e| e.ty.repr == Scalar::F64)
            && r == Scalar::C128;
    } else {
        a
    };
    args.len() == arity && a.is_float() && args.iter().all(|e| e.ty.repr == a) && r == result
}

fn fits(c: Const, r: Scalar) -> bool {
    match c {
        Const::Bool(_) => r == Scalar::Bool,
        Const::Int(v) => match r {
            Scalar::Char => u32::try_from(v).is_ok(),
            // An int constant of the int-or-float kind is one that the float holds.
            Scalar::Num => v.unsigned_abs() <= 1 << 53,
            _ => r.is_int() && r.int_range().is_some_and(|(lo, hi)| lo <= v && v <= hi),
        },
        Const::Float(_) => r.is_float() || r == Scalar::Num,
        Const::Complex(..) => r.is_complex(),
    }
}

/// Whether two types have one representation; the provenance of a value is a refinement that passes may lose.
fn same(a: Ty, b: Ty) -> bool {
    a.repr == b.repr
}

fn at(e: &Expr, what: &str) -> String {
    format!(
        "line {}, column {}: {what} in an expression of type {}",
        e.span.line, e.span.column, e.ty
    )
}
