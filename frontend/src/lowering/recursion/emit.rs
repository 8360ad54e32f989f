//! Makes the loop over the states of a function that is cut.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use nestwise_ir::Span;
use nestwise_ir::surface::CmpOp;

use crate::builtins::{Builtin, Known};
use crate::lowering::hir::{Expr, ExprKind, Kind, LocalId, Stacks, Stmt, Target};
use crate::lowering::names::resolve::Resolver;
use crate::lowering::recursion::cut::{At, End, Part};
use crate::lowering::recursion::liveness::{Live, Liveness};
use crate::lowering::recursion::open::Recursion;
use crate::refusal::{R, Refusal, refuse};

/// The most states of a loop.
const MOST_STATES: usize = 48;

/// Appends the loop over the states of the function `name`, whose call is at `span` and of which at most `room` calls
/// may be open, to `out`.
pub(crate) fn emit(
    resolver: &mut Resolver<'_>,
    mut all: Vec<Part>,
    recursion: &Recursion,
    (name, room, span): (&str, u32, Span),
    out: &mut Vec<Stmt>,
) -> R<()> {
    let fixed = fixed(resolver, &all, recursion);
    let mut passed = BTreeSet::new();
    for part in &mut all {
        if let End::Call(moves, _) = &mut part.end {
            let same = moves.iter().filter(|(to, _)| fixed.contains(to));
            passed.extend(same.map(|(_, from)| *from));
            moves.retain(|(to, _)| !fixed.contains(to));
        }
    }
    // Nothing else reads the arguments of inner calls.
    let is_passed = |stmt: &Stmt| copy(stmt).is_some_and(|(to, _)| passed.contains(&to));
    for part in &mut all {
        part.stmts.retain(|stmt| !is_passed(stmt));
    }
    let is_own = |local: &LocalId| {
        let decl = &resolver.hir.locals[*local];
        *local >= recursion.own_from
            && decl.capture.is_none()
            && decl.path.is_none()
            && !fixed.contains(local)
            && !recursion.results.contains(local)
    };
    let live: Vec<Live> = live(&all, &recursion.results)
        .into_iter()
        .map(|live| live.into_iter().filter(is_own).collect())
        .collect();
    if let Some(local) = live[0].iter().find(|l| !recursion.params.contains(l)) {
        let name = resolver.hir.locals[*local].name.clone();
        return Err(refuse(span, Refusal::PossiblyUnbound { name }));
    }
    shorten(&mut all);
    let all: Vec<Option<Part>> = all.into_iter().map(Some).collect();
    let (states, resumed) = states(&all);
    if states.len() > MOST_STATES {
        let what = "states of a function that calls itself";
        let limit = MOST_STATES;
        return Err(refuse(span, Refusal::TooLarge { what, limit }));
    }
    let mut emitter = Emitter {
        resolver,
        live,
        states,
        resumed,
        stacks: BTreeMap::new(),
        room,
        state: 0,
        calls: 0,
        name,
        span,
    };
    emitter.calls = emitter.stack(&format!("the calls of {name}"));
    emitter.state = emitter.resolver.local(format!("{name}: state"), None, None);
    emitter.run(all, recursion, out);
    Ok(())
}

/// The locals that hold the same value in every call: parameters that each inner call passes on as they are, and copies
/// of them and of what the site captures.
fn fixed(resolver: &Resolver<'_>, all: &[Part], recursion: &Recursion) -> BTreeSet<LocalId> {
    let mut assigned: HashMap<LocalId, usize> = HashMap::new();
    for local in &resolver.hir.defs {
        *assigned.entry(*local).or_default() += 1;
    }
    let once = |local: &LocalId| assigned.get(local) == Some(&1);
    let mut copies = HashMap::new();
    let stmts = all.iter().flat_map(|part| &part.stmts);
    for (to, from) in stmts.filter_map(copy) {
        if once(&to) {
            copies.insert(to, from);
        }
    }
    let origin = |mut local: LocalId| {
        // Copies of copies; a circle has no end.
        for _ in 0..=copies.len() {
            match copies.get(&local) {
                Some(from) => local = *from,
                None => break,
            }
        }
        local
    };
    let mut passed_on: BTreeSet<LocalId> = recursion.params.iter().copied().filter(once).collect();
    for part in all {
        if let End::Call(moves, _) = &part.end {
            for (to, from) in moves {
                if origin(*from) != *to {
                    passed_on.remove(to);
                }
            }
        }
    }
    let is_fixed = |local: LocalId| {
        let decl = &resolver.hir.locals[local];
        passed_on.contains(&local) || decl.capture.is_some() && decl.path.is_none()
    };
    let copied = copies.keys().copied().filter(|l| is_fixed(origin(*l)));
    copied.chain(passed_on.iter().copied()).collect()
}

/// The two locals of an assignment of one to the other.
fn copy(stmt: &Stmt) -> Option<(LocalId, LocalId)> {
    match &stmt.kind {
        Kind::Assign { targets, value } => match (&targets[..], &value.kind) {
            ([Target::Local(def)], ExprKind::Read(read)) => Some((def.local, read.local)),
            _ => None,
        },
        _ => None,
    }
}

/// What is live before each block.
fn live(all: &[Part], results: &[LocalId]) -> Vec<Live> {
    let mut live = vec![Live::new(); all.len()];
    loop {
        let mut changed = false;
        for (at, part) in all.iter().enumerate().rev() {
            let mut liveness = Liveness::default();
            let behind = match &part.end {
                End::Goto(next) => live[*next].clone(),
                End::Branch(test, then, other) => {
                    let both = live[*then].union(&live[*other]).copied().collect();
                    liveness.expr(test, both)
                }
                End::Call(moves, next) => {
                    let mut behind = live[*next].clone();
                    results.iter().for_each(|local| {
                        behind.remove(local);
                    });
                    behind.extend(moves.iter().map(|(_, from)| *from));
                    behind
                }
                End::Return => Live::new(),
            };
            let before = liveness.block(&part.stmts, behind);
            changed |= before != live[at];
            live[at] = before;
        }
        if !changed {
            return live;
        }
    }
}

/// Lets jumps to blocks without statements do what these do.
fn shorten(all: &mut [Part]) {
    for at in 0..all.len() {
        // Blocks that only jump to each other have no end.
        for _ in 0..all.len() {
            let End::Goto(next) = all[at].end else { break };
            let part = &all[next];
            all[at].end = match (part.stmts.is_empty(), &part.end) {
                (true, End::Return) => End::Return,
                (true, End::Goto(after)) => End::Goto(*after),
                _ => break,
            };
        }
    }
}

/// The states, by their blocks: the entry, what follows calls, and what several blocks lead to. Then the blocks that
/// follow calls.
fn states(all: &[Option<Part>]) -> (BTreeMap<At, usize>, BTreeSet<At>) {
    let mut led_to = vec![0; all.len()];
    let mut resumed = BTreeSet::new();
    let mut pending = vec![0];
    let mut seen = BTreeSet::from([0]);
    while let Some(at) = pending.pop() {
        let Some(part) = all.get(at).and_then(Option::as_ref) else {
            continue;
        };
        let next: Vec<At> = match &part.end {
            End::Goto(next) => vec![*next],
            End::Branch(_, then, other) => vec![*then, *other],
            End::Call(_, next) => {
                resumed.insert(*next);
                vec![*next]
            }
            End::Return => vec![],
        };
        for next in next {
            led_to[next] += 1;
            if seen.insert(next) {
                pending.push(next);
            }
        }
    }
    let is_state = |at: &At| *at == 0 || resumed.contains(at) || led_to[*at] > 1;
    let states = seen.into_iter().filter(is_state);
    let states = states.enumerate().map(|(state, at)| (at, state)).collect();
    (states, resumed)
}

struct Emitter<'r, 'a> {
    resolver: &'r mut Resolver<'a>,
    /// What is live before each block, of the function's own locals.
    live: Vec<Live>,
    states: BTreeMap<At, usize>,
    /// The blocks that follow calls: what a call has kept is brought back there.
    resumed: BTreeSet<At>,
    /// The lists of what calls keep of a local: the values, and their types.
    stacks: BTreeMap<LocalId, (LocalId, LocalId)>,
    /// The most calls that may be open.
    room: u32,
    /// The local that holds the state.
    state: LocalId,
    /// The list of the states in which open calls go on.
    calls: LocalId,
    name: &'r str,
    span: Span,
}

impl Emitter<'_, '_> {
    fn run(&mut self, mut all: Vec<Option<Part>>, recursion: &Recursion, out: &mut Vec<Stmt>) {
        let span = self.span;
        let order: Vec<(At, usize)> = self
            .states
            .iter()
            .map(|(at, state)| (*at, *state))
            .collect();
        let begins: BTreeSet<LocalId> = order
            .iter()
            .flat_map(|(at, _)| self.live[*at].iter().copied())
            .filter(|local| !recursion.params.contains(local))
            .chain(recursion.results.iter().copied())
            .collect();
        let mut chain: Vec<Stmt> = vec![];
        for (at, state) in order.into_iter().rev() {
            let body = self.state(at, &mut all);
            if chain.is_empty() {
                chain = body;
                continue;
            }
            let now = self.read(self.state);
            let kind = ExprKind::Compare(Box::new(now), vec![(CmpOp::Eq, self.int(state))]);
            let test = Expr { kind, span };
            let orelse = chain;
            let kind = Kind::If { test, body, orelse };
            chain = vec![Stmt { kind, span }];
        }
        let begins = begins.into_iter().map(|local| self.resolver.def(local));
        let clear = Kind::Clear(begins.collect());
        out.push(Stmt { kind: clear, span });
        let lists = self
            .stacks
            .values()
            .flat_map(|(values, types)| [*values, *types]);
        let lists = [self.calls].into_iter().chain(lists);
        let kind = Kind::BeginStacks(lists.map(|list| self.resolver.def(list)).collect());
        out.push(Stmt { kind, span });
        let entry = self.goes_to(0);
        out.extend(entry);
        let kind = ExprKind::Bool(true);
        let test = Expr { kind, span };
        let kind = Kind::While {
            test,
            body: chain,
            orelse: vec![],
        };
        out.push(Stmt { kind, span });
    }

    /// A list with room for what all open calls keep.
    fn stack(&mut self, name: &str) -> LocalId {
        let list = self.resolver.local(name.to_owned(), None, None);
        self.resolver.hir.locals[list].room = Some(self.room);
        list
    }

    fn stacks_of(&mut self, local: LocalId) -> Stacks {
        let (values, types) = match self.stacks.get(&local) {
            Some(both) => *both,
            None => {
                let of = &self.resolver.hir.locals[local].name;
                let name = format!("what the calls of {} keep of {of}", self.name);
                let both = (self.stack(&name), self.stack(&format!("{name}: NumPy's")));
                self.stacks.insert(local, both);
                both
            }
        };
        let [values, types] = [values, types].map(|list| self.resolver.read(list));
        Stacks { values, types }
    }

    fn read(&mut self, local: LocalId) -> Expr {
        let kind = ExprKind::Read(self.resolver.read(local));
        let span = self.span;
        Expr { kind, span }
    }

    fn int(&self, value: usize) -> Expr {
        let kind = ExprKind::Int(value as i128);
        let span = self.span;
        Expr { kind, span }
    }

    fn assign(&mut self, local: LocalId, value: Expr) -> Stmt {
        let targets = vec![Target::Local(self.resolver.def(local))];
        let kind = Kind::Assign { targets, value };
        let span = self.span;
        Stmt { kind, span }
    }

    fn pop(&mut self, local: LocalId, list: LocalId) -> Stmt {
        let kind = ExprKind::Pop(self.resolver.read(list));
        let span = self.span;
        self.assign(local, Expr { kind, span })
    }

    fn push(&mut self, list: LocalId, value: Expr) -> Stmt {
        let list = self.resolver.read(list);
        let kind = Kind::AppendToMade { list, value };
        let span = self.span;
        Stmt { kind, span }
    }

    /// The statements that go on at a block which is a state.
    fn goes_to(&mut self, at: At) -> Option<Stmt> {
        let state = *self.states.get(&at)?;
        let state = self.int(state);
        Some(self.assign(self.state, state))
    }

    /// The statements of a state: its block, and the blocks that only it leads to.
    fn state(&mut self, at: At, all: &mut [Option<Part>]) -> Vec<Stmt> {
        let mut out = vec![];
        if self.resumed.contains(&at) {
            for local in self.live[at].clone() {
                let stacks = self.stacks_of(local);
                let like = self.resolver.read(local);
                let kind = Kind::BringBack(stacks, self.resolver.def(local), like);
                let span = self.span;
                out.push(Stmt { kind, span });
            }
        }
        let mut next = Some(at);
        while let Some(at) = next.take() {
            let Some(part) = all[at].take() else { break };
            out.extend(part.stmts);
            match part.end {
                End::Goto(to) => match self.goes_to(to) {
                    Some(jump) => out.push(jump),
                    None => next = Some(to),
                },
                End::Branch(test, then, other) => {
                    let [body, orelse] = [then, other].map(|to| match self.goes_to(to) {
                        Some(jump) => vec![jump],
                        None => self.state(to, all),
                    });
                    let kind = Kind::If { test, body, orelse };
                    let span = part.span;
                    out.push(Stmt { kind, span });
                }
                End::Call(moves, after) => self.call(moves, after, &mut out),
                End::Return => {
                    let returns = self.returns();
                    out.push(returns);
                }
            }
        }
        out
    }

    /// A call: what is live behind it is kept.
    fn call(&mut self, moves: Vec<(LocalId, LocalId)>, after: At, out: &mut Vec<Stmt>) {
        for local in self.live[after].clone() {
            let stacks = self.stacks_of(local);
            let kind = Kind::Keep(stacks, self.resolver.read(local));
            let span = self.span;
            out.push(Stmt { kind, span });
        }
        if let Some(state) = self.states.get(&after) {
            let state = self.int(*state);
            out.push(self.push(self.calls, state));
        }
        for (to, from) in moves {
            let value = self.read(from);
            out.push(self.assign(to, value));
        }
        out.extend(self.goes_to(0));
    }

    /// A return: to the call that was made last, or out of the loop.
    fn returns(&mut self) -> Stmt {
        let span = self.span;
        let known = Known::Builtin(Builtin::Len);
        let (args, kwargs) = (vec![self.read(self.calls)], vec![]);
        let kind = ExprKind::Call {
            known,
            args,
            kwargs,
        };
        let open = Expr { kind, span };
        let kind = ExprKind::Compare(Box::new(open), vec![(CmpOp::Eq, self.int(0))]);
        let test = Expr { kind, span };
        let kind = Kind::Break;
        let body = vec![Stmt { kind, span }];
        let orelse = vec![self.pop(self.state, self.calls)];
        let kind = Kind::If { test, body, orelse };
        Stmt { kind, span }
    }
}
