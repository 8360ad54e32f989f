//! Values that may have to warn although nobody may need them.
//!
//! NumPy's warnings are read off the sticky floating-point flags, so an operation that may warn has to run wherever
//! CPython would run it. LLVM knows nothing of flags: it drops what nobody reads, and moves what is read on some
//! paths alone to those. Neither happens where a value is *needed*: on every path it is used by something that is
//! there to stay, before its variable is assigned again (a backward analysis, "anticipated" or "very busy" in
//! textbooks). All other values that may warn are *idle*; code generation keeps those alive by itself
//! ([`nestwise_codegen::lower::scalar::flag_values`]), which counts as a use of what they are computed from.
//!
//! Such places are known by their positions, since loops are copied while code is written; where several places
//! share one, the answer is that for all of them.

use std::collections::{BTreeSet, HashMap, HashSet};

use nestwise_ir::model::nest::{Cast, While};
use nestwise_ir::{
    ArrayId, Expr, ExprKind, For, IdSet, LoopId, Nest, Scalar, Span, Stmt, StmtKind, UnOp, VarId,
};

use crate::dataflow::definite_assignment::{Target, Vars, exits};
use crate::dataflow::overwritten;
use crate::may_warn;

/// The idle values of a nest.
#[derive(Default, Debug)]
pub struct FlagOnly {
    /// Idle assignments, bindings inside expressions included: the variable and the position of its value.
    lets: HashSet<(VarId, Span)>,
    /// Idle stores, whose element another store may overwrite: the array and the position of the value.
    stores: HashSet<(ArrayId, Span)>,
    /// Idle conditions: nothing depends on which way they go.
    conds: HashSet<Span>,
    /// By loop: variables, such as sums, of which each iteration needs the value before it, and whose last value is
    /// idle.
    after: HashMap<LoopId, BTreeSet<VarId>>,
}

impl FlagOnly {
    /// Finds what is idle in a nest after which the variables in `out` are read.
    pub fn of(nest: &Nest, out: &Vars, nonempty: IdSet<LoopId>) -> FlagOnly {
        if !crate::warns(nest) {
            return FlagOnly::default();
        }
        let mut exit = Needed(Some(HashSet::new()));
        out.iter().for_each(|v| exit.add(*v));
        let loops = nest.loops.len();
        let mut walk = Walk {
            exit: exit.clone(),
            after: vec![Needed(None); loops],
            head: vec![Needed(None); loops],
            scopes: vec![Needed(None); nest.scopes as usize],
            tail: Vec::new(),
            nonempty,
            idle: FlagOnly {
                stores: overwritten::stores(nest),
                ..FlagOnly::default()
            },
        };
        let before = walk.stmt(exit, &nest.top);
        walk.block(before, &nest.prologue);
        walk.idle
    }
    /// Whether the flags of a value that is assigned to a variable are lost unless they are kept.
    pub fn assigns(&self, var: VarId, value: &Expr) -> bool {
        self.lets.contains(&(var, value.span))
    }
    /// Whether the flags of a value that is stored are lost unless they are kept.
    pub fn stores(&self, array: ArrayId, value: &Expr) -> bool {
        self.stores.contains(&(array, value.span))
    }
    /// Whether the flags of a condition are lost unless they are kept.
    pub fn decides(&self, cond: &Expr) -> bool {
        self.conds.contains(&cond.span)
    }
    /// The variables whose values a loop leaves unused.
    pub fn left_by(&self, l: LoopId) -> impl Iterator<Item = VarId> + '_ {
        self.after.get(&l).into_iter().flatten().copied()
    }
}

/// Whether an operation in `e` may warn.
pub fn warns(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= may_warn(e));
    found
}

/// The parts of variables (a complex one has two, any other only the first) that every path from here needs; nothing
/// where no path is known.
#[derive(Clone, PartialEq)]
struct Needed(Option<HashSet<(VarId, bool)>>);

impl Needed {
    fn has(&self, v: VarId) -> bool {
        self.has_part(v, false) && self.has_part(v, true)
    }
    fn has_part(&self, v: VarId, imaginary: bool) -> bool {
        self.0.as_ref().is_none_or(|n| n.contains(&(v, imaginary)))
    }
    fn add(&mut self, v: VarId) {
        self.add_part(v, false);
        self.add_part(v, true);
    }
    fn add_part(&mut self, v: VarId, imaginary: bool) {
        if let Some(n) = &mut self.0 {
            n.insert((v, imaginary));
        }
    }
    fn remove(&mut self, v: VarId) {
        if let Some(n) = &mut self.0 {
            n.remove(&(v, false));
            n.remove(&(v, true));
        }
    }
    fn meet(mut self, other: &Needed) -> Needed {
        match (&mut self.0, &other.0) {
            (Some(a), Some(b)) => a.retain(|x| b.contains(x)),
            (None, _) => return other.clone(),
            (_, None) => {}
        }
        self
    }
}

struct Walk {
    exit: Needed,
    /// By loop: what is needed behind it, and before its next iteration.
    after: Vec<Needed>,
    head: Vec<Needed>,
    scopes: Vec<Needed>,
    /// Targets of jumps that go where control would go without them.
    tail: Vec<Target>,
    nonempty: IdSet<LoopId>,
    idle: FlagOnly,
}

impl Walk {
    fn block(&mut self, out: Needed, block: &[Stmt]) -> Needed {
        let tail = std::mem::take(&mut self.tail);
        let mut now = out;
        for (k, s) in block.iter().enumerate().rev() {
            self.tail = match k + 1 == block.len() {
                true => tail.clone(),
                false => Vec::new(),
            };
            now = self.stmt(now, s);
        }
        self.tail = tail;
        now
    }

    /// What is needed before a statement, given what is needed after it.
    fn stmt(&mut self, mut out: Needed, s: &Stmt) -> Needed {
        let known = |states: &[Needed], i: usize| states.get(i).cloned().unwrap_or(Needed(None));
        match &s.kind {
            StmtKind::Let { var, value } => self.assign(&mut out, *var, value),
            StmtKind::Store {
                array,
                index,
                value,
                ..
            } => {
                if warns(value) || !self.idle.stores(*array, value) {
                    self.uses(&mut out, value);
                }
                index.iter().for_each(|e| self.uses(&mut out, e));
            }
            StmtKind::Eval(e) if !warns(e) => {}
            StmtKind::Eval(e) => self.uses(&mut out, e),
            StmtKind::Check { cond, guard } => {
                if *guard {
                    self.uses(&mut out, cond);
                }
            }
            StmtKind::If { cond, then, orelse } => {
                let matters = [then, orelse].iter().any(|side| self.matters(side, &out));
                let other = self.block(out.clone(), orelse);
                out = self.block(out, then).meet(&other);
                if matters || warns(cond) {
                    self.uses(&mut out, cond);
                }
                if !matters && warns(cond) {
                    self.idle.conds.insert(cond.span);
                }
            }
            StmtKind::For(l) => out = self.for_loop(out, l),
            StmtKind::While(l) => out = self.while_loop(out, l),
            StmtKind::Scope { id, body } => {
                if let Some(slot) = self.scopes.get_mut(id.index()) {
                    *slot = out.clone();
                }
                self.tail.push(Target::Scope(*id));
                out = self.block(out, body);
                self.tail.pop();
            }
            StmtKind::Break(l) => out = known(&self.after, l.index()),
            StmtKind::Continue(l) => out = known(&self.head, l.index()),
            StmtKind::Leave(id) => out = known(&self.scopes, id.index()),
            StmtKind::Return => out = self.exit.clone(),
            StmtKind::Rebind(_) => {}
        }
        out
    }

    /// Handles `var = value`. A value that may warn stays in the code, needed or kept.
    fn assign(&mut self, out: &mut Needed, var: VarId, value: &Expr) {
        let before = out.clone();
        out.remove(var);
        match (&value.kind, warns(value)) {
            (_, true) => {
                if !before.has(var) {
                    self.idle.lets.insert((var, value.span));
                }
                self.uses(out, value);
            }
            (ExprKind::Var(from), false) => {
                for part in [false, true] {
                    if before.has_part(var, part) {
                        out.add_part(*from, part);
                    }
                }
            }
            (_, false) if before.has(var) => self.uses(out, value),
            _ => {}
        }
    }

    /// Adds what a value needs that is itself needed. Whatever is chosen by a condition is needed where both sides need
    /// it. A comparison needs no number: LLVM may know its result from less (`x * x < 0`, `x < y` after `y <= x`), or
    /// that nothing hangs on it (`x < y and n != n`). Of two truths LLVM may ask for one before it computes the other;
    /// whether a number is one may be known without the number.
    fn uses(&mut self, out: &mut Needed, e: &Expr) {
        match &e.kind {
            ExprKind::Var(v) => out.add(*v),
            ExprKind::Unary { op, a, .. } => match (op, &a.kind) {
                (UnOp::Real, ExprKind::Var(v)) => out.add_part(*v, false),
                (UnOp::Imag, ExprKind::Var(v)) => out.add_part(*v, true),
                _ => self.uses(out, a),
            },
            ExprKind::Select { cond, then, orelse } => {
                let mut other = out.clone();
                self.uses(&mut other, orelse);
                self.uses(out, then);
                *out = std::mem::replace(out, Needed(None)).meet(&other);
                self.uses(out, cond);
            }
            ExprKind::Bind { var, value, body } => {
                self.uses(out, body);
                self.assign(out, *var, value);
            }
            ExprKind::Binary { a, b, .. } if e.ty.repr == Scalar::Bool => {
                [a, b].into_iter().for_each(|x| self.within(out, x));
            }
            ExprKind::Compare { a, b, .. } => {
                [a, b].into_iter().for_each(|x| self.within(out, x));
            }
            ExprKind::Cast {
                kind: Cast::Truth,
                a,
                ..
            } => self.within(out, a),
            ExprKind::Call { fun, args, .. } if sees_less(*fun) => {
                args.iter().for_each(|x| self.within(out, x));
            }
            _ => e.children().rev().for_each(|c| self.uses(out, c)),
        }
    }

    /// Handles an operand that is kept if it may warn, and may be dropped otherwise.
    fn within(&mut self, out: &mut Needed, e: &Expr) {
        if warns(e) {
            self.uses(out, e);
        }
    }

    /// Whether it matters that this side of a branch runs. It does not if it only assigns variables that are not
    /// needed, from values that cannot warn.
    fn matters(&self, side: &[Stmt], out: &Needed) -> bool {
        side.iter().any(|s| match &s.kind {
            StmtKind::Let { var, value } => out.has(*var) || warns(value),
            StmtKind::If { then, orelse, .. } => {
                self.matters(then, out) || self.matters(orelse, out)
            }
            StmtKind::Continue(l) => !self.tail.contains(&Target::Loop(*l)),
            StmtKind::Leave(id) => !self.tail.contains(&Target::Scope(*id)),
            _ => true,
        })
    }

    fn for_loop(&mut self, out: Needed, l: &For) -> Needed {
        let after = self.sums(out, l.id, &l.body);
        let mut before = self.repeat(after, l.id, &l.body, |_, now| now.remove(l.counter));
        for e in [&l.step, &l.stop, &l.start] {
            self.uses(&mut before, e);
        }
        before
    }

    fn while_loop(&mut self, out: Needed, l: &While) -> Needed {
        let after = self.sums(out, l.id, &l.body);
        self.repeat_while(after, l)
    }

    /// What is needed behind a loop, once the last values of its sums are marked as kept there.
    fn sums(&mut self, mut out: Needed, id: LoopId, body: &[Stmt]) -> Needed {
        for v in sums(id, body) {
            if !out.has(v) {
                self.idle.after.entry(id).or_default().insert(v);
                out.add(v);
            }
        }
        out
    }

    /// What is needed before a loop: where it may run no iteration, only what is also needed without one.
    fn repeat(
        &mut self,
        after: Needed,
        id: LoopId,
        body: &[Stmt],
        enter: impl Fn(&Self, &mut Needed),
    ) -> Needed {
        let runs = self.nonempty.contains(id);
        let mut head = after.clone();
        loop {
            let mut first = self.iteration(&after, &head, id, body);
            enter(self, &mut first);
            let next = head.clone().meet(&first);
            if next == head {
                return if runs { first } else { head };
            }
            head = next;
        }
    }

    fn repeat_while(&mut self, after: Needed, l: &While) -> Needed {
        let mut head = after.clone();
        self.uses(&mut head, &l.cond);
        loop {
            let mut next = self.iteration(&after, &head, l.id, &l.body);
            next = next.meet(&after);
            self.uses(&mut next, &l.cond);
            next = next.meet(&head);
            if next == head {
                return head;
            }
            head = next;
        }
    }

    /// What one iteration needs; `head` is what the iterations after it need.
    fn iteration(&mut self, after: &Needed, head: &Needed, id: LoopId, body: &[Stmt]) -> Needed {
        let i = id.index();
        if let (Some(a), Some(h)) = (self.after.get_mut(i), self.head.get_mut(i)) {
            (*a, *h) = (after.clone(), head.clone());
        }
        let tail = std::mem::replace(&mut self.tail, vec![Target::Loop(id)]);
        let now = self.block(head.clone(), body);
        self.tail = tail;
        now
    }
}

/// Functions whose results may be known from less than their arguments: a sign, or a range.
pub fn sees_less(fun: nestwise_ir::Fun) -> bool {
    use nestwise_ir::Fun::Copysign;
    use nestwise_ir::Fun::IsFinite;
    use nestwise_ir::Fun::IsInf;
    use nestwise_ir::Fun::IsNan;
    matches!(fun, Copysign | IsNan | IsInf | IsFinite)
}

/// The variables that a loop assigns in one statement only, from their own last value, so that every iteration that
/// assigns them needs the value of the one before. Nothing may leave the loop early.
fn sums(id: LoopId, body: &[Stmt]) -> Vec<VarId> {
    if exits(body).into_iter().any(|t| t != Target::Loop(id)) {
        return Vec::new();
    }
    let mut values: HashMap<VarId, Option<&Expr>> = HashMap::new();
    for s in body {
        s.walk(&mut |s| {
            if let StmtKind::Let { var, value } = &s.kind {
                let once = (!values.contains_key(var)).then_some(value);
                values.insert(*var, once);
            }
        });
    }
    let adds = |(v, value): (VarId, Option<&Expr>)| {
        value
            .is_some_and(|e| may_warn(e) && carries(e, v))
            .then_some(v)
    };
    values.into_iter().filter_map(adds).collect()
}

/// Whether the value of `e` is computed from `v` by arithmetic.
fn carries(e: &Expr, v: VarId) -> bool {
    match &e.kind {
        ExprKind::Var(x) => *x == v,
        ExprKind::Binary { a, b, .. } => may_warn(e) && (carries(a, v) || carries(b, v)),
        _ => false,
    }
}
