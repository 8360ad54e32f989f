//! Inlining of the user's functions.
//!
//! Arguments are assigned to fresh locals, the body follows, `return` assigns the result locals. A `return` in tail
//! position needs nothing more; statements after an `if` of which one branch returns move into the other branch, so
//! that most functions become straight-line code. Any other `return` (inside a loop) leaves the call's block.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use nestwise_ir::{PathId, Span, surface as s};

use crate::host_functions::HostFn;
use crate::lowering::hir::{Expr, ExprKind, Inline, Kind, LocalId, Origin, Read, Stmt, Target};
use crate::lowering::names::method_paths;
use crate::lowering::names::resolve::{CallState, Callee, Handed, Names, Res, Resolver};
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::Capture;

/// The deepest nesting of inlined calls.
const DEPTH_LIMIT: usize = 8;

impl Resolver<'_> {
    /// Inlines the call `callee(args, kwargs)`.
    pub fn inline(
        &mut self,
        caller: &mut Names,
        callee: Callee,
        (args, kwargs): (&[s::Expr], &[(String, s::Expr)]),
        span: Span,
    ) -> R<Expr> {
        let (function, effect) = (callee.function, callee.effect);
        let name = function.name.clone();
        let key = Arc::as_ptr(function);
        let draws = function.library.is_some() && HostFn::draw(&name).is_some();
        if draws && self.draws_called {
            let what = "drawing random numbers natively and by CPython".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        self.uses.draws_natively |= draws;
        if self.active.contains(&key) {
            return Err(refuse(span, Refusal::Recursion { name }));
        }
        if self.active.len() >= DEPTH_LIMIT {
            return Err(refuse(
                span,
                Refusal::TooLarge {
                    what: "nested calls",
                    limit: DEPTH_LIMIT,
                },
            ));
        }
        self.free_names(function, span)?;
        let mut names = self.call_names(callee);
        let mut fresh: Vec<LocalId> = names.locals.values().copied().collect();
        self.add_attributes(&mut names);
        let mut body = self.arguments(caller, &mut names, function, args, kwargs, span)?;
        self.add_tuples(&mut names, function);
        fresh.extend(names.tuples.values().flatten());
        let params = body.len();
        self.active.push(key);
        let result = self.tail(&mut names, function.body.iter().collect(), &mut body);
        self.active.pop();
        if result? && !effect {
            // A path falls off the end: the call's value would be None.
            return Err(refuse(span, Refusal::ReturnShape { name }));
        }
        let Some(CallState {
            block,
            left,
            shape,
            results,
            ..
        }) = names.call
        else {
            return Err(refuse(span, Refusal::ReturnShape { name }));
        };
        let tuple = match shape {
            Some((_, tuple)) => tuple,
            // No results: an empty tuple that nobody sees.
            None if effect => true,
            None => return Err(refuse(span, Refusal::ReturnShape { name })),
        };
        fresh.extend(&results);
        fresh.sort_unstable();
        let results: Vec<Read> = results.into_iter().map(|local| self.read(local)).collect();
        let call = Inline {
            body,
            params,
            block: left.then_some(block),
            results,
            tuple,
            fresh,
            sum: false,
            origin: match function.library {
                Some(work) => Origin::Library(work),
                None => Origin::Function,
            },
        };
        Ok(Expr {
            kind: ExprKind::Inline(Box::new(call)),
            span,
        })
    }

    /// Refuses a function that reads a free name which the site assigns: what it sees of the functions around it must
    /// be what it was when the site began. Whether the name is the same variable as the site's is not checked.
    fn free_names(&self, function: &s::Function, span: Span) -> R<()> {
        let is_param = |id| function.params.iter().any(|p| p.path == id);
        for (id, path) in function.paths.iter() {
            let local = path.scope == s::Scope::Local && path.parent.is_none();
            let free = local && !path.written && !is_param(id);
            if free && self.own_names.contains(&path.name) {
                let what = format!(
                    "a call of {}, which may see {} as the loop assigns it,",
                    function.name, path.name
                );
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
        }
        Ok(())
    }

    fn call_names<'f>(&mut self, callee: Callee<'f>) -> Names<'f> {
        let function = callee.function;
        let receiver = callee
            .receiver
            .and_then(|path| Some((function.params.first()?.path, path)));
        let mut locals = HashMap::new();
        for (id, path) in function.paths.iter() {
            let is_param = function.params.iter().any(|p| p.path == id);
            if receiver.as_ref().is_none_or(|(own, _)| *own != id)
                && path.parent.is_none()
                && path.scope == s::Scope::Local
                && (is_param || path.written)
            {
                let name = format!("{}.{}", function.name, path.name);
                locals.insert(id, self.local(name, None, None));
            }
        }
        let call = CallState {
            name: function.name.clone(),
            block: self.new_block(),
            effect: callee.effect,
            left: false,
            shape: None,
            results: vec![],
        };
        Names {
            paths: &function.paths,
            first: callee.first,
            call: Some(call),
            locals,
            nones: HashSet::new(),
            functions: HashMap::new(),
            containers: HashMap::new(),
            tuples: BTreeMap::new(),
            receiver,
        }
    }

    /// Makes attributes of a method's object that the nest assigns the site's variables.
    fn add_attributes(&self, names: &mut Names) {
        let receiver = names.receiver.as_ref();
        let attributes = names.paths.iter().filter(|(_, p)| p.parent.is_some());
        let found: Vec<(PathId, LocalId)> = attributes
            .filter_map(|(id, _)| {
                let path = method_paths::own_path(names.paths, receiver, false, id)?;
                Some((id, *self.written.get(&path)?))
            })
            .collect();
        names.locals.extend(found);
    }

    /// Makes the assignments of the arguments to the parameters.
    fn arguments(
        &mut self,
        caller: &mut Names,
        names: &mut Names,
        function: &s::Function,
        args: &[s::Expr],
        kwargs: &[(String, s::Expr)],
        span: Span,
    ) -> R<Vec<Stmt>> {
        let wrong = |why: String| {
            refuse(
                span,
                Refusal::Arguments {
                    name: function.name.clone(),
                    why,
                },
            )
        };
        // A method's first parameter is its object.
        let params = &function.params[usize::from(names.receiver.is_some())..];
        let positional = params.iter().filter(|p| p.positional).count();
        if args.len() > positional {
            return Err(wrong(format!(
                "{positional} parameters, {} arguments",
                args.len()
            )));
        }
        let param_name = |p: &s::Param| function.paths.get(p.path).map(|path| path.name.as_str());
        for (key, _) in kwargs {
            if !params
                .iter()
                .skip(args.len())
                .any(|p| p.keyword && param_name(p) == Some(key))
            {
                return Err(wrong(format!("no parameter for the keyword {key}")));
            }
        }
        // Positional and keyword arguments are evaluated in the order of the call.
        let mut given: Vec<(usize, &s::Expr)> = args.iter().enumerate().collect();
        for (key, value) in kwargs {
            let position = params.iter().position(|p| param_name(p) == Some(key));
            let position = position.ok_or_else(|| wrong(format!("no parameter for {key}")))?;
            given.push((position, value));
        }
        let mut bound: Vec<(usize, Expr)> = Vec::new();
        for (k, arg) in &given {
            let stays = params.get(*k).map(|p| p.path);
            let stays = stays.filter(|id| !function.paths[*id].written);
            let (function, container) = (self.function(caller, arg), self.handed(caller, arg));
            match (function, container, stays) {
                (Some(handed), _, Some(param)) => {
                    names.functions.insert(param, handed);
                }
                (_, Some(capture), Some(param)) => {
                    names.locals.remove(&param);
                    names.containers.insert(param, capture);
                }
                _ => bound.push((*k, self.expr(caller, arg)?)),
            }
        }
        for (k, param) in params.iter().enumerate() {
            if given.iter().any(|(position, _)| *position == k) {
                continue;
            }
            let Some(default) = &param.default else {
                return Err(wrong(format!(
                    "parameter {} is missing",
                    param_name(param).unwrap_or("?")
                )));
            };
            bound.push((k, self.expr(names, default)?));
        }
        let mut body = Vec::new();
        for (k, value) in bound {
            let stays = params.get(k).map(|p| p.path);
            let stays = stays.filter(|id| !function.paths[*id].written);
            let value = match (value.kind, stays) {
                (ExprKind::None, Some(param)) => {
                    names.nones.insert(param);
                    continue;
                }
                (ExprKind::Tuple(items), Some(param)) => {
                    self.tuple_argument(names, param, items, &mut body);
                    continue;
                }
                (ExprKind::Inline(call), Some(param)) if call.tuple => {
                    self.returned_argument(names, param, call, &mut body, value.span);
                    continue;
                }
                (kind, _) => Expr {
                    kind,
                    span: value.span,
                },
            };
            let local = params
                .get(k)
                .and_then(|p| names.locals.get(&p.path))
                .copied();
            let local = local.ok_or_else(|| wrong("a parameter without a path".into()))?;
            let target = Target::Local(self.def(local));
            body.push(Stmt {
                kind: Kind::Assign {
                    targets: vec![target],
                    value,
                },
                span,
            });
        }
        Ok(body)
    }

    /// The capture of the container that an argument is, if the nest does not hold it natively.
    fn handed(&mut self, names: &mut Names, e: &s::Expr) -> Option<u32> {
        let capture = self.object_of(names, e)?;
        matches!(self.capture(capture), Capture::Container { .. }).then_some(capture)
    }

    /// The function that a name stands for, if it does for one.
    fn function(&mut self, names: &mut Names, e: &s::Expr) -> Option<Handed> {
        let s::ExprKind::Path(id) = e.kind else {
            return None;
        };
        if let Some(handed) = names.functions.get(&id) {
            return Some(handed.clone());
        }
        if names.locals.contains_key(&id) || names.tuples.contains_key(&id) {
            return None;
        }
        match self.resolve_path(names, id, e.span).ok()? {
            Res::Known(known) => Some(Handed::Known(known)),
            Res::User(function, first, receiver) => Some(Handed::User(function, first, receiver)),
            Res::Value(_) | Res::Holder(_) => None,
        }
    }

    /// Makes a parameter that only holds a tuple a local for each item.
    fn tuple_argument(
        &mut self,
        names: &mut Names,
        param: PathId,
        items: Vec<Expr>,
        body: &mut Vec<Stmt>,
    ) {
        let mut locals = Vec::with_capacity(items.len());
        for (k, value) in items.into_iter().enumerate() {
            let local = self.local(format!("{}[{k}]", names.dotted_name(param)), None, None);
            locals.push(local);
            let target = Target::Local(self.def(local));
            let span = value.span;
            let targets = vec![target];
            let kind = Kind::Assign { targets, value };
            body.push(Stmt { kind, span });
        }
        names.tuples.insert(param, locals);
    }

    /// Hands a tuple that a call returns to a parameter, as a local for each item.
    fn returned_argument(
        &mut self,
        names: &mut Names,
        param: PathId,
        call: Box<Inline>,
        body: &mut Vec<Stmt>,
        span: Span,
    ) {
        let name = names.dotted_name(param);
        let element = |k| self.local(format!("{name}[{k}]"), None, None);
        let locals: Vec<LocalId> = (0..call.results.len()).map(element).collect();
        let targets = locals.iter().map(|local| Target::Local(self.def(*local)));
        let targets = vec![Target::Tuple(targets.collect())];
        let kind = ExprKind::Inline(call);
        let value = Expr { kind, span };
        let kind = Kind::Assign { targets, value };
        body.push(Stmt { kind, span });
        names.tuples.insert(param, locals);
    }

    /// Lowers statements in tail position of an inlined function. True if a path falls off their end.
    fn tail(&mut self, names: &mut Names, stmts: Vec<&s::Stmt>, out: &mut Vec<Stmt>) -> R<bool> {
        for (k, stmt) in stmts.iter().enumerate() {
            match &stmt.kind {
                s::StmtKind::Return(value) => {
                    self.inlined_return(names, value.as_ref(), stmt.span, true, out)?;
                    return Ok(false);
                }
                s::StmtKind::If { test, body, orelse } if returns(stmt) => {
                    let rest = &stmts[k + 1..];
                    let (then_ends, else_ends) = (ends(body), ends(orelse));
                    if !then_ends && !else_ends && !rest.is_empty() {
                        // A copy of the rest in both branches could blow up: leave the block instead.
                        self.stmt(names, stmt, out)?;
                        continue;
                    }
                    let test = self.expr(names, test)?;
                    if let Some(known) = test.truth() {
                        let (side, over) = if known {
                            (body, then_ends)
                        } else {
                            (orelse, else_ends)
                        };
                        return self.tail(names, chain(side, rest, over), out);
                    }
                    let mut then_out = Vec::new();
                    let mut else_out = Vec::new();
                    let falls = self.tail(names, chain(body, rest, then_ends), &mut then_out)?
                        | self.tail(names, chain(orelse, rest, else_ends), &mut else_out)?;
                    let kind = Kind::If {
                        test,
                        body: then_out,
                        orelse: else_out,
                    };
                    out.push(Stmt {
                        kind,
                        span: stmt.span,
                    });
                    return Ok(falls);
                }
                _ => {
                    self.stmt(names, stmt, out)?;
                    if ends(std::slice::from_ref(*stmt)) {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Lowers `return value` of an inlined function.
    pub fn inlined_return(
        &mut self,
        names: &mut Names,
        value: Option<&s::Expr>,
        span: Span,
        tail: bool,
        out: &mut Vec<Stmt>,
    ) -> R<()> {
        let value = value.map(|e| self.expr(names, e)).transpose()?;
        if let Some(call) = names.call.as_mut().filter(|call| call.effect) {
            call.left |= !tail;
            let leave = Kind::Leave(call.block);
            let effect = value.map(Kind::Effect);
            let stmts = effect.into_iter().chain((!tail).then_some(leave));
            out.extend(stmts.map(|kind| Stmt { kind, span }));
            return Ok(());
        }
        let Some(call) = &mut names.call else {
            return Err(refuse(
                span,
                Refusal::Internal {
                    message: "return outside a call".into(),
                },
            ));
        };
        let wrong = || {
            refuse(
                span,
                Refusal::ReturnShape {
                    name: call.name.clone(),
                },
            )
        };
        let Some(value) = value.filter(|e| !matches!(e.kind, ExprKind::None)) else {
            return Err(wrong());
        };
        let shape = match &value.kind {
            ExprKind::Tuple(items) => (items.len(), true),
            ExprKind::Inline(call) if call.tuple => (call.results.len(), true),
            _ => (1, false),
        };
        match call.shape {
            None => {
                call.shape = Some(shape);
                let name = call.name.clone();
                let results: Vec<LocalId> = (0..shape.0)
                    .map(|_| self.local(format!("{name}()"), None, None))
                    .collect();
                if let Some(call) = &mut names.call {
                    call.results = results;
                }
            }
            Some(before) if before == shape => {}
            Some(_) => return Err(wrong()),
        }
        let Some(call) = &mut names.call else {
            return Ok(());
        };
        call.left |= !tail;
        let (block, locals) = (call.block, call.results.clone());
        let mut targets: Vec<Target> = locals
            .into_iter()
            .map(|l| Target::Local(self.def(l)))
            .collect();
        let target = match (shape.1, targets.pop()) {
            (false, Some(target)) => target,
            (_, last) => {
                targets.extend(last);
                Target::Tuple(targets)
            }
        };
        out.push(Stmt {
            kind: Kind::Assign {
                targets: vec![target],
                value,
            },
            span,
        });
        if !tail {
            out.push(Stmt {
                kind: Kind::Leave(block),
                span,
            });
        }
        Ok(())
    }
}

/// The statements of a branch, followed by the rest unless the branch never gets there.
fn chain<'s>(own: &'s [s::Stmt], rest: &[&'s s::Stmt], ends: bool) -> Vec<&'s s::Stmt> {
    let rest = if ends { &[] } else { rest };
    own.iter().chain(rest.iter().copied()).collect()
}

/// Whether the statement holds a `return`.
fn returns(stmt: &s::Stmt) -> bool {
    let any = |block: &[s::Stmt]| block.iter().any(returns);
    match &stmt.kind {
        s::StmtKind::Return(_) => true,
        s::StmtKind::If { body, orelse, .. }
        | s::StmtKind::For { body, orelse, .. }
        | s::StmtKind::While { body, orelse, .. } => any(body) || any(orelse),
        _ => false,
    }
}

/// Whether control never gets past the block (by `return`, or by a `while True` without `break`).
fn ends(block: &[s::Stmt]) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        s::StmtKind::Return(_) | s::StmtKind::Raise => true,
        s::StmtKind::If { body, orelse, .. } => ends(body) && ends(orelse),
        s::StmtKind::While { test, body, .. } => {
            let forever = matches!(test.kind, s::ExprKind::Bool(true) | s::ExprKind::Int(1));
            forever && !body.iter().any(breaks)
        }
        _ => false,
    })
}

/// Whether the statement may leave the loop it stands in by `break`.
fn breaks(stmt: &s::Stmt) -> bool {
    match &stmt.kind {
        s::StmtKind::Break => true,
        s::StmtKind::If { body, orelse, .. } => body.iter().chain(orelse).any(breaks),
        s::StmtKind::For { orelse, .. } | s::StmtKind::While { orelse, .. } => {
            orelse.iter().any(breaks)
        }
        _ => false,
    }
}
