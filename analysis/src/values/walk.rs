//! The walk that makes [`Forms`].

use std::collections::HashMap;

use nestwise_ir::model::nest::{For, Nest, Stmt, StmtKind, While};
use nestwise_ir::{AccessId, ArrayId, LoopId, Scalar, Ty, VarId};

use crate::guards::{GuardId, numbering};
use crate::structure::{self, Assigned, Classes, diverges};
use crate::values::affine::{Affine, DefId, Ix, Sym};
use crate::values::forms::{
    AccessForm, Bounds, Ctx, DefInfo, Extents, Fact, FactKind, Facts, Form, Forms, Guarded,
    LoopForm, Op, Step,
};
use crate::values::increment::Induction;
use crate::values::interval::Interval;
use crate::values::range::Ranges;

/// The most definitions whose values are recorded; further ones are unknown values.
const MAX_DEFS: usize = 4000;

pub(crate) struct Walker<'n> {
    pub(crate) nest: &'n Nest,
    pub(crate) ranges: &'n Ranges,
    numbers: HashMap<usize, GuardId>,
    pub(crate) classes: Classes,
    pub(crate) assigned: Assigned,
    pub(crate) extents: Extents,
    /// The value of each int variable at the current point.
    pub(crate) env: Vec<Affine>,
    pub(crate) ctx: Ctx,
    pub(crate) loops: Vec<LoopId>,
    pub(crate) out: Forms,
    seq: u32,
    order: u32,
    /// What loops add to variables; an entry is kept from the loop's entry to its end.
    pub(crate) inductions: HashMap<(LoopId, VarId), Induction>,
    /// Whether nothing is recorded, as while a condition is read a second time.
    pub(crate) quiet: bool,
    /// Whether the walk is in the statements before the top loop.
    before: bool,
    /// The number for [`AccessForm::given`] of an access at the current point.
    pub(crate) given: u32,
}

/// The forms of a nest whose ranges are known.
pub fn forms(nest: &Nest, ranges: &Ranges, extents: Extents) -> Forms {
    let none = Fact {
        form: Affine::default(),
        kind: FactKind::NonNegative,
        parent: Ctx(0),
    };
    let out = Forms {
        defs: vec![],
        loops: vec![None; nest.loops.len()],
        accesses: vec![None; nest.accesses.len()],
        guards: vec![],
        counted: vec![],
        facts: vec![none],
        choices: vec![],
        assumes_equal_extents: false,
        interned: HashMap::new(),
    };
    let mut w = Walker {
        nest,
        ranges,
        numbers: numbering(nest),
        classes: Classes::of(nest),
        assigned: Assigned::of(nest),
        extents,
        env: nest.vars.ids().map(|v| Affine::sym(Sym::Var(v))).collect(),
        ctx: Ctx(0),
        loops: vec![],
        out,
        seq: 0,
        order: 0,
        inductions: HashMap::new(),
        quiet: false,
        before: true,
        given: 0,
    };
    for stmt in &nest.prologue {
        w.stmt(stmt);
    }
    w.before = false;
    w.stmt(&nest.top);
    w.out
}

/// The forms that plans for launches are made of: extents of permuted slots are taken to be equal, which launches
/// check.
pub fn shared_forms(nest: &Nest, ranges: &Ranges) -> Forms {
    forms(nest, ranges, Extents::Shared)
}

/// The end of a range without the 64-bit limit that it is kept within: beyond that limit there are no counters, so
/// within the loop they are bounded as they would be without it.
fn unlimited(form: &Form) -> &Form {
    match form {
        Form::Op(Op::Clamp(_), args) => args.first().map_or(form, |inner| {
            let found = unlimited(inner);
            if std::ptr::eq(found, inner) {
                form
            } else {
                found
            }
        }),
        Form::Op(op @ (Op::Min | Op::Max), args) => {
            let limit = if *op == Op::Min { i64::MAX } else { i64::MIN };
            match &args[..] {
                [Form::Aff(c), inner] if c.as_constant() == Some(limit.into()) => inner,
                _ => form,
            }
        }
        _ => form,
    }
}

pub(crate) fn is_int(ty: Ty) -> bool {
    ty.repr.is_int() || ty.repr == Scalar::Char
}

impl<'n> Walker<'n> {
    pub(crate) fn next_seq(&mut self) -> u32 {
        self.seq += 1;
        self.seq
    }
    pub(crate) fn next_order(&mut self) -> u32 {
        self.order += 1;
        self.order
    }
    /// The form of a definition: a symbol outside all loops, an index variable inside.
    fn def_form(&self, id: DefId) -> Affine {
        match self.out.def(id).and_then(|d| d.home) {
            None => Affine::sym(Sym::Def(id)),
            Some(_) => Affine::ix(Ix::Def(id)),
        }
    }
    /// A new definition in the current loop.
    pub(crate) fn define(&mut self, var: Option<VarId>, value: Form, bounds: Bounds) -> Affine {
        let home = self.loops.last().copied();
        self.define_at(var, home, value, bounds)
    }
    fn define_at(
        &mut self,
        var: Option<VarId>,
        home: Option<LoopId>,
        value: Form,
        bounds: Bounds,
    ) -> Affine {
        let seq = self.next_seq();
        let id = DefId(self.out.defs.len() as u32);
        // A bound on the work of later passes: what comes late in a huge nest stays unknown.
        let value = match id.index() < MAX_DEFS {
            true => value,
            false => Form::Range(Interval::ALL),
        };
        self.out.defs.push(DefInfo {
            var,
            home,
            seq,
            value,
            bounds,
        });
        self.def_form(id)
    }
    /// The affine form of a form: its own, or that of a new definition.
    pub(crate) fn named(&mut self, form: Form, var: Option<VarId>) -> Affine {
        if let Form::Aff(a) = form {
            return a;
        }
        if let Some(v) = form.as_constant() {
            return Affine::constant(v);
        }
        if !form.is_pure() {
            return self.define(var, form, Bounds::default());
        }
        if let Some(id) = self.out.interned.get(&form) {
            return self.def_form(*id);
        }
        let mut ixs = vec![];
        form.for_each_affine(&mut |a| ixs.extend(a.ixs()));
        let home = self.out.deepest(self.nest, &ixs);
        let bounds = Bounds {
            lower: self.below(&form),
            upper: self.above(&form),
        };
        let a = self.define_at(var, home, form.clone(), bounds);
        self.out
            .interned
            .insert(form, DefId((self.out.defs.len() - 1) as u32));
        a
    }
    /// Affine forms that are never above a form.
    fn below(&self, form: &Form) -> Vec<Affine> {
        match form {
            Form::Aff(a) => vec![a.clone()],
            Form::Op(Op::Max, args) => args.iter().flat_map(|a| self.below(a)).collect(),
            Form::Op(Op::Clamp(_), args) => args.iter().flat_map(|a| self.below(a)).collect(),
            Form::At(_, f) => self.below(f),
            _ => vec![],
        }
    }
    /// Affine forms that are never below a form.
    fn above(&self, form: &Form) -> Vec<Affine> {
        match form {
            Form::Aff(a) => vec![a.clone()],
            Form::Op(Op::Min, args) => args.iter().flat_map(|a| self.above(a)).collect(),
            Form::Op(Op::Clamp(_), args) => args.iter().flat_map(|a| self.above(a)).collect(),
            Form::At(_, f) => self.above(f),
            _ => vec![],
        }
    }
    /// The bounds of a counter that starts at `first`, ends before `end`, and moves by one sign.
    fn bounds(&mut self, first: &Form, end: &Form, up: bool) -> Bounds {
        let (first, end) = (unlimited(first), unlimited(end));
        let (mut near, mut far) = if up {
            (self.below(first), self.above(end))
        } else {
            (self.above(first), self.below(end))
        };
        if near.is_empty() {
            near.push(self.named(first.clone(), None));
        }
        if far.is_empty() {
            far.push(self.named(end.clone(), None));
        }
        let inward = if up { -1 } else { 1 };
        let far = far.iter().filter_map(|f| f.add_const(inward)).collect();
        if up {
            Bounds {
                lower: near,
                upper: far,
            }
        } else {
            Bounds {
                lower: far,
                upper: near,
            }
        }
    }

    pub(crate) fn get(&self, v: VarId) -> Affine {
        self.env.get(v.index()).cloned().unwrap_or_default()
    }
    pub(crate) fn set(&mut self, v: VarId, value: Affine) {
        if let Some(slot) = self.env.get_mut(v.index()) {
            *slot = value;
        }
    }
    pub(crate) fn int_var(&self, v: VarId) -> bool {
        self.nest.vars.get(v).is_some_and(|d| is_int(d.ty))
    }

    /// Adds facts to the current context.
    pub(crate) fn assume(&mut self, facts: Facts) {
        for (form, kind) in facts {
            let trivial = match kind {
                FactKind::NonNegative => form.as_constant().is_some_and(|c| c >= 0),
                FactKind::NonZero => form.as_constant().is_some_and(|c| c != 0),
                FactKind::OneOf(_) | FactKind::Opaque => false,
            };
            if !trivial {
                self.out.facts.push(Fact {
                    form,
                    kind,
                    parent: self.ctx,
                });
                self.ctx = Ctx((self.out.facts.len() - 1) as u32);
            }
        }
    }

    pub(crate) fn guard(&mut self, address: usize, form: crate::values::forms::GuardForm) {
        if let (false, Some(id)) = (self.quiet, self.numbers.get(&address)) {
            let home = self.loops.last().copied();
            self.out.guards.push(Guarded {
                id: *id,
                ctx: self.ctx,
                home,
                form,
            });
        }
    }

    pub(crate) fn access(
        &mut self,
        id: AccessId,
        array: ArrayId,
        store: bool,
        guarded: bool,
        index: Vec<Form>,
    ) {
        if self.quiet {
            return;
        }
        let index: Vec<Form> = index
            .into_iter()
            .map(|f| {
                if f.is_pure() {
                    Form::Aff(self.named(f, None))
                } else {
                    f
                }
            })
            .collect();
        let (order, loops, ctx) = (self.next_order(), self.loops.clone(), self.ctx);
        let form = AccessForm {
            id,
            array,
            store,
            guarded,
            given: self.given,
            order,
            loops,
            ctx,
            index,
        };
        if let Some(slot) = self.out.accesses.get_mut(id.index()) {
            *slot = Some(form);
        }
    }

    /// Notes that no form tells whether the statements that follow are executed. With `more` 1, that is not known even
    /// in a given iteration of the loops around; with 0, it is, but not whether the innermost loop has another
    /// iteration.
    fn unsure(&mut self, more: u32) {
        self.given = self.given.max(self.loops.len() as u32 + more);
    }

    fn block(&mut self, stmts: &[Stmt]) {
        let (ctx, given) = (self.ctx, self.given);
        for stmt in stmts {
            self.stmt(stmt);
            // What follows a conditional jump; an `if` has seen to that itself, by the facts of its condition.
            if !matches!(stmt.kind, StmtKind::If { .. })
                && structure::escapes(std::slice::from_ref(stmt), None)
            {
                self.unsure(1);
            }
        }
        (self.ctx, self.given) = (ctx, given);
    }

    pub(crate) fn stmt(&mut self, stmt: &Stmt) {
        let address = crate::guards::stmt_key(stmt);
        match &stmt.kind {
            StmtKind::Let { var, value } => self.assign(*var, value, address),
            StmtKind::Store {
                access,
                array,
                index,
                value,
                guard,
            } => {
                let index: Vec<Form> = index.iter().map(|e| self.visit(e)).collect();
                self.visit(value);
                self.access(*access, *array, true, *guard, index);
                if *guard {
                    self.guard(address, crate::values::forms::GuardForm::Index(*access));
                }
            }
            StmtKind::If { cond, then, orelse } => self.branch(cond, then, orelse),
            StmtKind::For(l) => self.for_loop(l),
            StmtKind::While(l) => self.while_loop(l),
            StmtKind::Scope { id, body } => {
                self.block(body);
                if structure::leaves(body, *id) {
                    self.merge_unknown(body, self.ranges.scopes.get(id.index()));
                }
            }
            StmtKind::Check { cond, guard } => {
                self.visit(cond);
                if let (true, Some(parts)) = (*guard, self.exactly(cond)) {
                    self.guard(address, crate::values::forms::GuardForm::AllIn(parts));
                }
                let facts = self.facts_of(cond, true);
                self.assume(facts);
            }
            StmtKind::Eval(e) => {
                self.visit(e);
            }
            StmtKind::Rebind(_)
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Leave(_)
            | StmtKind::Return => {}
        }
    }

    fn assign(&mut self, var: VarId, value: &nestwise_ir::Expr, address: usize) {
        let form = self.visit(value);
        if !self.int_var(var) {
            return;
        }
        if self.before && !matches!(form, Form::Aff(_)) {
            // Evaluated before each launch: a symbol of its own, like a variable that has a value at entry.
            return;
        }
        let form = match (form, self.ranges.lets.get(&address)) {
            (f @ Form::Aff(_), _) => f,
            (f, Some(range)) if !f.is_pure() => Form::Op(Op::Clamp(*range), vec![f]),
            (f, _) => f,
        };
        let value = self.named(form, Some(var));
        self.set(var, value);
    }

    fn branch(&mut self, cond: &nestwise_ir::Expr, then: &[Stmt], orelse: &[Stmt]) {
        self.visit(cond);
        let (yes, no) = (self.facts_of(cond, true), self.facts_of(cond, false));
        let (env, ctx) = (self.env.clone(), self.ctx);
        self.assume(yes.clone());
        let then_ctx = self.ctx;
        self.block(then);
        let then_env = std::mem::replace(&mut self.env, env);
        self.ctx = ctx;
        self.assume(no.clone());
        let else_ctx = self.ctx;
        self.block(orelse);
        self.ctx = ctx;
        let partly = |block: &[Stmt]| !diverges(block) && structure::escapes(block, None);
        match (diverges(then), diverges(orelse)) {
            (true, false) => self.assume(no),
            (false, true) => {
                self.env = then_env;
                self.assume(yes);
            }
            // Nothing after is reached; any values will do.
            (true, true) => self.unsure(1),
            (false, false) => self.merge(then_env, then_ctx, else_ctx),
        }
        if partly(then) || partly(orelse) {
            self.unsure(1);
            self.assume(vec![(Affine::default(), FactKind::Opaque)]);
        }
    }

    /// The values after an `if` whose branches both end normally.
    fn merge(&mut self, then_env: Vec<Affine>, then_ctx: Ctx, else_ctx: Ctx) {
        let vars: Vec<VarId> = self.nest.vars.ids().filter(|v| self.int_var(*v)).collect();
        for v in vars {
            let (a, b) = (
                then_env.get(v.index()).cloned().unwrap_or_default(),
                self.get(v),
            );
            if a != b {
                let at = |ctx: Ctx, a: Affine| Form::At(ctx, Box::new(Form::Aff(a)));
                let join = Form::Op(Op::Join, vec![at(then_ctx, a), at(else_ctx, b)]);
                let value = self.define(Some(v), join, Bounds::default());
                self.set(v, value);
            }
        }
    }

    /// Gives every int variable that `body` assigns an unknown value in the range known for it.
    fn merge_unknown(
        &mut self,
        body: &[Stmt],
        state: Option<&Option<crate::values::state::State>>,
    ) {
        for v in self.assigned.by_block(body) {
            if self.int_var(v) {
                let range = Form::Range(Ranges::interval(state, v, self.nest));
                let value = self.define(Some(v), range, Bounds::default());
                self.set(v, value);
            }
        }
    }

    fn for_loop(&mut self, l: &For) {
        let start = self.visit(&l.start);
        let stop = self.visit(&l.stop);
        let step_form = self.visit(&l.step);
        let step = match step_form.as_constant().map(i64::try_from) {
            Some(Ok(v)) if v != 0 => Step::Const(v),
            _ => match step_form.affine() {
                Some(a) => Step::Sym(a.clone()),
                _ => Step::Unknown,
            },
        };
        let ascending = match &step {
            Step::Const(v) => Some(*v > 0),
            Step::Sym(a) => self.static_sign(a),
            Step::Unknown => None,
        };
        let up = self.bounds(&start, &stop, true);
        let down = self.bounds(&start, &stop, false);
        let entry = self.env.clone();
        let form = LoopForm {
            id: l.id,
            counted: true,
            parent: self.loops.last().copied(),
            seq: self.next_seq(),
            ctx: self.ctx,
            start,
            stop,
            step,
            up,
            down,
            ascending,
            exits: structure::early_exit(l.id, &l.body).is_some(),
        };
        let (given, ctx) = (self.given, self.ctx);
        if let Some(range) = self.range_run_whole(&form) {
            self.assume(range);
        }
        self.enter(form, Some(l.counter), &l.body, &entry);
        if structure::escapes(&l.body, Some(l.id)) {
            self.unsure(0);
        }
        self.block(&l.body);
        self.leave(l.id, &l.body);
        (self.given, self.ctx) = (given, ctx);
    }

    /// What is known of a range of a top loop that runs as a whole: it is not empty, and lies within the loop's own
    /// range.
    fn range_run_whole(&mut self, form: &LoopForm) -> Option<Facts> {
        let end = self.nest.whole.filter(|_| form.id == LoopId(0))?;
        let (end, first) = (Affine::sym(Sym::Var(end)), Affine::ix(Ix::Counter(form.id)));
        let stop = form.stop.is_pure().then(|| form.stop.clone())?;
        let stop = self.named(stop, None);
        let (length, rest) = match form.step {
            Step::Const(1) => (end.sub(&first)?, stop.sub(&end)?),
            Step::Const(-1) => (first.sub(&end)?, end.sub(&stop)?),
            _ => return None,
        };
        let known = [length.add_const(-1)?, rest].map(|f| (f, FactKind::NonNegative));
        Some(known.to_vec())
    }

    fn while_loop(&mut self, l: &While) {
        let entry = self.env.clone();
        let zero = Form::Aff(Affine::default());
        let form = LoopForm {
            id: l.id,
            counted: false,
            parent: self.loops.last().copied(),
            seq: self.next_seq(),
            ctx: self.ctx,
            start: zero.clone(),
            stop: zero,
            step: Step::Unknown,
            up: Bounds::default(),
            down: Bounds::default(),
            ascending: None,
            exits: true,
        };
        let given = self.given;
        self.enter(form, None, &l.body, &entry);
        self.unsure(0);
        self.visit(&l.cond);
        let facts = self.facts_of(&l.cond, true);
        let ctx = self.ctx;
        self.assume(facts);
        self.block(&l.body);
        self.ctx = ctx;
        self.leave(l.id, &l.body);
        self.given = given;
    }

    /// Starts a loop: whatever it assigns has a new value in each iteration.
    fn enter(&mut self, form: LoopForm, counter: Option<VarId>, body: &[Stmt], entry: &[Affine]) {
        let id = form.id;
        if let Some(slot) = self.out.loops.get_mut(id.index()) {
            *slot = Some(form);
        }
        self.loops.push(id);
        if let Some(c) = counter {
            self.set(c, Affine::ix(Ix::Counter(id)));
        }
        let vars: Vec<VarId> = self
            .assigned
            .by_block(body)
            .into_iter()
            .filter(|v| self.int_var(*v))
            .collect();
        for v in &vars {
            let range = Ranges::interval(self.ranges.head.get(id.index()), *v, self.nest);
            let value = self.define(Some(*v), Form::Range(range), Bounds::default());
            self.set(*v, value);
        }
        for v in vars {
            self.induction(id, v, body, entry);
        }
    }

    fn leave(&mut self, id: LoopId, body: &[Stmt]) {
        self.loops.pop();
        let state = self.ranges.after.get(id.index());
        self.merge_unknown(body, state);
        self.after_induction(id, body);
    }
}
