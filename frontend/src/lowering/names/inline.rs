//! Inlining of the user's functions.
//!
//! Arguments are assigned to fresh locals, the body follows, `return` assigns the result locals. A `return` in tail
//! position needs nothing more; statements after an `if` of which one branch returns move into the other branch, so
//! that most functions become straight-line code. Any other `return` (inside a loop) leaves the call's block.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use nestwise_ir::{PathId, Span, surface as s};

use crate::host_functions::HostFn;
use crate::lowering::hir::{
    Expr, ExprKind, Inline, Kind, LocalId, Made, Origin, Read, Stmt, Target,
};
use crate::lowering::names::arguments::{self, To};
use crate::lowering::names::method_paths;
use crate::lowering::names::resolve::element::Element;
use crate::lowering::names::resolve::handed::Handed;
use crate::lowering::names::resolve::new_objects::Method;
use crate::lowering::names::resolve::{CallState, Callee, Names, Receiver, Res, Resolver, Shape};
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
        self.inline_with(callee, span, |this, names, callee, body| {
            this.arguments(caller, names, callee, (args, kwargs), span, body)
        })
    }

    /// Inlines the call of a function whose arguments, all given by position, are resolved already.
    pub fn inline_resolved(
        &mut self,
        method: Method,
        receiver: Receiver,
        args: Vec<Expr>,
        effect: bool,
        span: Span,
    ) -> R<Expr> {
        let callee = Callee::method(&method, receiver, effect);
        self.inline_with(callee, span, |this, names, callee, body| {
            let params = callee.params();
            let fits = params.iter().filter(|param| param.positional).count() >= args.len();
            if !fits {
                let name = callee.function.name.clone();
                let why = format!("{} parameters, {} arguments", params.len(), args.len());
                return Err(refuse(span, Refusal::Arguments { name, why }));
            }
            let left = (args.len()..params.len()).collect();
            let given = args.into_iter().enumerate();
            let bound = given.map(|(k, arg)| (To::Param(k), arg)).collect();
            this.bind(names, callee, (bound, left), span, body)
        })
    }

    /// Inlines a call whose arguments `bind` assigns to the parameters.
    fn inline_with(
        &mut self,
        callee: Callee,
        span: Span,
        bind: impl FnOnce(&mut Self, &mut Names, &Callee, &mut Vec<Stmt>) -> R<()>,
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
            return self.self_call(&callee, span, bind);
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
        let own_from = self.hir.locals.len();
        let mut names = self.call_names(&callee);
        let mut fresh: Vec<LocalId> = names.locals.values().copied().collect();
        let mut body = vec![];
        let makes = self.bind_receiver(&mut names, &callee, span, &mut body)?;
        bind(self, &mut names, &callee, &mut body)?;
        self.add_attributes(&mut names);
        let with_items = self.function_with_items(&names, function);
        let function = with_items.as_ref().unwrap_or(function);
        self.add_tuples(&mut names, function);
        let elements = names.tuples.values().flatten();
        elements.for_each(|element| element.locals(&mut |local| fresh.push(local)));
        let params = body.len();
        let recursive = self.calls_itself(function, callee.first);
        if recursive {
            self.begin_recursion(&callee, &mut names, own_from)?;
        }
        self.active.push(key);
        let statements = function.body.iter().collect();
        let mut inner = vec![];
        let result = self.tail(&mut names, statements, span, &mut inner);
        self.active.pop();
        if recursive {
            let recursion = self.recursions.pop();
            result?;
            self.end_recursion(recursion, inner, &mut names, span, &mut body)?;
            fresh.extend(own_from..self.hir.locals.len());
        } else {
            result?;
            body.append(&mut inner);
        }
        fresh.append(&mut names.own);
        let Some(CallState {
            block,
            left,
            valued,
            shape,
            results,
            shares,
            ..
        }) = names.call
        else {
            return Err(refuse(span, Refusal::ReturnShape { name }));
        };
        if !effect && !valued {
            return Err(refuse(span, Refusal::ReturnShape { name }));
        }
        let tuple = match &shape {
            Some(shape) => !matches!(shape, Shape::Value),
            // No results: an empty tuple that nobody sees.
            None if effect => true,
            None => return Err(refuse(span, Refusal::ReturnShape { name })),
        };
        fresh.extend(&results);
        fresh.sort_unstable();
        fresh.dedup();
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
        if let Some(at) = makes {
            let made = match valued {
                true => None,
                false => self.constructed(at, call, span),
            };
            let name = function.name.clone();
            return made.ok_or_else(|| refuse(span, Refusal::ReturnShape { name }));
        }
        let value = Expr {
            kind: ExprKind::Inline(Box::new(call)),
            span,
        };
        Ok(match shape {
            Some(Shape::Object(form)) => {
                let made = Made {
                    form,
                    value,
                    place: None,
                    fresh: !shares,
                };
                let kind = ExprKind::Made(Box::new(made));
                Expr { kind, span }
            }
            _ => value,
        })
    }

    /// Gives a method its object; returns the index of the object that the call makes, if it makes one.
    fn bind_receiver(
        &mut self,
        names: &mut Names,
        callee: &Callee,
        span: Span,
        body: &mut Vec<Stmt>,
    ) -> R<Option<usize>> {
        let Some(param) = callee.function.params.first().map(|param| param.path) else {
            return match callee.receiver {
                Receiver::None => Ok(None),
                _ => {
                    let name = callee.function.name.clone();
                    let why = "the function has no parameter for the object".into();
                    Err(refuse(span, Refusal::Arguments { name, why }))
                }
            };
        };
        match &callee.receiver {
            Receiver::None | Receiver::Path(_) => return Ok(None),
            Receiver::Object(object) => {
                let made = self.read_object(object, span);
                if let ExprKind::Made(made) = made.kind {
                    self.object_argument(names, param, *made, body);
                }
            }
            Receiver::Made(made) => {
                if let Some(made) = made.take() {
                    self.object_argument(names, param, *made, body);
                }
            }
            Receiver::New(class) => {
                names.locals.remove(&param);
                let at = self.begin_object(*class);
                names.building = Some((param, at));
                return Ok(Some(at));
            }
            Receiver::Unfinished(at) => {
                names.locals.remove(&param);
                names.building = Some((param, *at));
            }
            Receiver::Class(class) => {
                names.locals.remove(&param);
                names.functions.insert(param, Handed::Class(*class));
            }
        }
        Ok(None)
    }

    /// Refuses a function that reads a free name which the site assigns: what it sees of the functions around it must
    /// be what it was when the site began. Whether the name is the same variable as the site's is not checked.
    fn free_names(&self, function: &s::Function, span: Span) -> R<()> {
        let is_param = |id| function.bound().any(|bound| bound == id);
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

    /// The names of a call, with a local for each that the function binds or assigns.
    pub(crate) fn call_names<'f>(&mut self, callee: &Callee<'f>) -> Names<'f> {
        let function = callee.function;
        let receiver = match &callee.receiver {
            Receiver::Path(path) => function.params.first().map(|p| (p.path, path.clone())),
            _ => None,
        };
        let mut locals = HashMap::new();
        for (id, path) in function.paths.iter() {
            let is_param = function.bound().any(|bound| bound == id);
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
            valued: false,
            shape: None,
            results: vec![],
            shares: false,
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
            made: BTreeMap::new(),
            building: None,
            defined: callee.defined,
            receiver: function.params.first().map(|param| param.path),
            own: vec![],
            loops: callee.loops,
            objects: receiver.into_iter().collect(),
        }
    }

    /// Makes attributes of the objects that the call is given, and the nest assigns, the site's variables.
    fn add_attributes(&self, names: &mut Names) {
        let attributes = names.paths.iter().filter(|(_, p)| p.parent.is_some());
        let found: Vec<(PathId, LocalId)> = attributes
            .filter_map(|(id, _)| {
                let path = method_paths::own_path(names.paths, &names.objects, false, id)?;
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
        callee: &Callee,
        (args, kwargs): (&[s::Expr], &[(String, s::Expr)]),
        span: Span,
        body: &mut Vec<Stmt>,
    ) -> R<()> {
        let (function, params) = (callee.function, callee.params());
        let wrong = |why: String| {
            refuse(
                span,
                Refusal::Arguments {
                    name: function.name.clone(),
                    why,
                },
            )
        };
        let args = arguments::spread(caller, args);
        let matched = arguments::matched(function, params, &args, kwargs).map_err(wrong)?;
        let mut bound: Vec<(To, Expr)> = Vec::new();
        for (to, arg) in &matched.given {
            let k = match *to {
                To::Param(k) => k,
                To::Rest | To::Params(..) => {
                    bound.push((*to, self.expr(caller, arg)?));
                    continue;
                }
            };
            let stays = params.get(k).map(|p| p.path);
            let stays = stays.filter(|id| !function.paths[*id].written);
            if let (Some(param), Some((own, at))) = (stays, caller.building)
                && matches!(arg.kind, s::ExprKind::Path(id) if id == own)
            {
                names.locals.remove(&param);
                names.building = Some((param, at));
                names.loops = caller.loops;
                continue;
            }
            if let Some(param) = stays
                && let Some(path) = self.object_given(caller, arg, names, param)
            {
                names.locals.remove(&param);
                names.objects.push((param, path));
                if let Some(capture) = self.handed(caller, arg) {
                    names.containers.insert(param, capture);
                }
                continue;
            }
            let (function, container) = (self.function(caller, arg), self.handed(caller, arg));
            match (function, container, stays) {
                (Some(handed), _, Some(param)) => {
                    names.functions.insert(param, handed);
                }
                (_, Some(capture), Some(param)) => {
                    names.locals.remove(&param);
                    names.containers.insert(param, capture);
                }
                _ => bound.push((*to, self.expr(caller, arg)?)),
            }
        }
        self.bind(names, callee, (bound, matched.left), span, body)
    }

    /// Makes the assignments of values to the parameters with their indices, and of defaults to those that are left.
    fn bind(
        &mut self,
        names: &mut Names,
        callee: &Callee,
        (mut bound, left): (Vec<(To, Expr)>, Vec<usize>),
        span: Span,
        body: &mut Vec<Stmt>,
    ) -> R<()> {
        let (function, params) = (callee.function, callee.params());
        let wrong = |why: String| {
            let name = function.name.clone();
            refuse(span, Refusal::Arguments { name, why })
        };
        for k in left {
            let param = &params[k];
            let Some(default) = &param.default else {
                let name = function
                    .paths
                    .get(param.path)
                    .map(|path| path.name.as_str());
                let name = name.unwrap_or("?");
                return Err(wrong(format!("parameter {name} is missing")));
            };
            bound.push((To::Param(k), self.expr(names, default)?));
        }
        let local = |names: &Names, k: usize| {
            let local = params.get(k).and_then(|p| names.locals.get(&p.path));
            let local = local.copied();
            local.ok_or_else(|| wrong("a parameter without a path".into()))
        };
        let mut rest = Vec::new();
        for (to, value) in bound {
            let k = match to {
                To::Param(k) => k,
                To::Rest => {
                    rest.extend(self.assigned_elements("*", vec![value], body));
                    continue;
                }
                To::Params(first, count) => {
                    let mut targets = Vec::with_capacity(count);
                    for k in first..first + count {
                        targets.push(Target::Local(self.def(local(names, k)?)));
                    }
                    let targets = vec![Target::Tuple(targets)];
                    let kind = Kind::Assign { targets, value };
                    body.push(Stmt { kind, span });
                    continue;
                }
            };
            let stays = params.get(k).map(|p| p.path);
            let stays = stays.filter(|id| !function.paths[*id].written);
            let value = match (value.kind, stays) {
                (ExprKind::None, Some(param)) => {
                    names.nones.insert(param);
                    continue;
                }
                (ExprKind::Made(made), _) => {
                    if let Some(param) = params.get(k) {
                        self.object_argument(names, param.path, *made, body);
                    }
                    continue;
                }
                (ExprKind::Tuple(items), Some(param)) => {
                    self.tuple_argument(names, param, items, body);
                    continue;
                }
                (ExprKind::Inline(call), Some(param)) if call.tuple => {
                    self.returned_argument(names, param, call, body, value.span);
                    continue;
                }
                (kind, _) => Expr {
                    kind,
                    span: value.span,
                },
            };
            let target = Target::Local(self.def(local(names, k)?));
            body.push(Stmt {
                kind: Kind::Assign {
                    targets: vec![target],
                    value,
                },
                span,
            });
        }
        if let Some(param) = function.rest {
            names.tuples.insert(param, rest);
        }
        Ok(())
    }

    /// The path of the object that an argument is, if the parameter stands for it in every call.
    fn object_given(
        &self,
        caller: &Names,
        arg: &s::Expr,
        names: &Names,
        param: PathId,
    ) -> Option<String> {
        let s::ExprKind::Path(id) = arg.kind else {
            return None;
        };
        if self.element_at(caller, id).is_some() {
            return None;
        }
        let from = caller.first.saturating_add(id.0);
        let given = self.given(names.first).contains(&(param, from));
        caller.path_of(id).filter(|_| given)
    }

    /// The parameters of the function whose captures begin at `first` that stand for one object in every call, with the
    /// captures of what they are given.
    fn given(&self, first: u32) -> &[(PathId, u32)] {
        let is =
            |capture: &&Capture| matches!(capture, Capture::User { first: of, .. } if *of == first);
        match self.captures.iter().find(is) {
            Some(Capture::User { given, .. }) => given,
            _ => &[],
        }
    }

    /// The function with access paths in the place of the items that the binding has found; `None` if there are none.
    fn function_with_items(
        &mut self,
        names: &Names,
        function: &Arc<s::Function>,
    ) -> Option<Arc<s::Function>> {
        let body = self.with_items(names, &function.body)?;
        let function = s::Function::clone(function);
        Some(Arc::new(s::Function { body, ..function }))
    }

    /// The capture of the container that an argument is, if the nest does not hold it natively.
    fn handed(&mut self, names: &mut Names, e: &s::Expr) -> Option<u32> {
        let s::ExprKind::Path(id) = e.kind else {
            return None;
        };
        if self.element_at(names, id).is_some() {
            return None;
        }
        let known = names.containers.contains_key(&id);
        let is_container = || {
            matches!(
                self.capture(self.index_so_far(names, id)),
                Capture::Container { .. }
            )
        };
        match known || is_container() {
            true => self.object_of(names, e),
            false => None,
        }
    }

    /// The function that a name stands for, if it does for one.
    fn function(&mut self, names: &mut Names, e: &s::Expr) -> Option<Handed> {
        let s::ExprKind::Path(id) = e.kind else {
            return None;
        };
        if let Some(handed) = names.functions.get(&id) {
            return Some(handed.clone());
        }
        if names.locals.contains_key(&id)
            || names.tuples.contains_key(&id)
            || self.element_at(names, id).is_some()
        {
            return None;
        }
        match self.resolve_path(names, id, e.span).ok()? {
            Res::Known(known) => Some(Handed::Known(known)),
            Res::User(function, first, receiver) => Some(Handed::User(function, first, receiver)),
            Res::Class(class) => Some(Handed::Class(class)),
            Res::Value(_) | Res::Holder(_) | Res::OfClass(..) => None,
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
        let elements = self.assigned_elements(&names.dotted_name(param), items, body);
        names.tuples.insert(param, elements);
    }

    /// Assigns the items of a tuple, of which some may be tuples in turn, to locals.
    pub(crate) fn assigned_elements(
        &mut self,
        name: &str,
        items: Vec<Expr>,
        body: &mut Vec<Stmt>,
    ) -> Vec<Element> {
        let mut elements = Vec::with_capacity(items.len());
        for (k, value) in items.into_iter().enumerate() {
            let (name, span) = (format!("{name}[{k}]"), value.span);
            if let ExprKind::Tuple(items) = value.kind {
                let inner = self.assigned_elements(&name, items, body);
                elements.push(Element::Tuple(inner));
                continue;
            }
            if let ExprKind::Made(made) = value.kind {
                let object = self.object_locals(&name, &made.form);
                if !made.fresh {
                    self.sharing.share(made.form.class);
                }
                self.set_object(&object, made.value, body);
                elements.push(Element::Object(object));
                continue;
            }
            let local = self.local(name, None, None);
            elements.push(Element::Scalar(local));
            let targets = vec![Target::Local(self.def(local))];
            let kind = Kind::Assign { targets, value };
            body.push(Stmt { kind, span });
        }
        elements
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
        let elements = locals.into_iter().map(Element::Scalar).collect();
        names.tuples.insert(param, elements);
    }

    /// Lowers statements in tail position of a function whose call is at `call`.
    fn tail(
        &mut self,
        names: &mut Names,
        stmts: Vec<&s::Stmt>,
        call: Span,
        out: &mut Vec<Stmt>,
    ) -> R<()> {
        for (k, stmt) in stmts.iter().enumerate() {
            match &stmt.kind {
                s::StmtKind::Return(value) => {
                    return self.inlined_return(names, value.as_ref(), stmt.span, true, out);
                }
                s::StmtKind::If { test, body, orelse } if returns(stmt) => {
                    let rest = &stmts[k + 1..];
                    let (then_ends, else_ends) = (ends(body), ends(orelse));
                    if !then_ends && !else_ends && !rest.is_empty() {
                        // A copy of the rest in both branches could blow up: leave the block instead.
                        self.stmt(names, stmt, out)?;
                        continue;
                    }
                    let test = self.test(names, test)?;
                    if let Some(known) = test.truth() {
                        self.keep_checks(test, out);
                        let (side, over) = if known {
                            (body, then_ends)
                        } else {
                            (orelse, else_ends)
                        };
                        return self.tail(names, chain(side, rest, over), call, out);
                    }
                    let mut then_out = Vec::new();
                    let mut else_out = Vec::new();
                    let (then, other) =
                        (chain(body, rest, then_ends), chain(orelse, rest, else_ends));
                    self.both_branches(
                        names,
                        stmt.span,
                        |this, names| this.tail(names, then, call, &mut then_out),
                        |this, names| this.tail(names, other, call, &mut else_out),
                    )?;
                    let kind = Kind::If {
                        test,
                        body: then_out,
                        orelse: else_out,
                    };
                    out.push(Stmt {
                        kind,
                        span: stmt.span,
                    });
                    return Ok(());
                }
                _ => {
                    self.stmt(names, stmt, out)?;
                    if ends(std::slice::from_ref(*stmt)) {
                        return Ok(());
                    }
                }
            }
        }
        // The path falls off the end of the function: the call's value is None.
        self.inlined_return(names, None, call, true, out)
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
            let effect = value.map(|value| match value.kind {
                ExprKind::Made(made) => Kind::Effect(made.value),
                _ => Kind::Effect(value),
            });
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
        let value = value.unwrap_or(Expr {
            kind: ExprKind::None,
            span,
        });
        let shape = match &value.kind {
            ExprKind::Tuple(items) => Shape::Tuple(items.len()),
            ExprKind::Inline(call) if call.tuple => Shape::Tuple(call.results.len()),
            ExprKind::SelfCall(call) if call.tuple => Shape::Tuple(call.results.len()),
            ExprKind::Made(made) => Shape::Object(made.form.clone()),
            _ => Shape::Value,
        };
        match &call.shape {
            None => {
                call.shape = Some(shape.clone());
                let name = call.name.clone();
                let results: Vec<LocalId> = (0..shape.values())
                    .map(|_| self.local(format!("{name}()"), None, None))
                    .collect();
                if let Some(call) = &mut names.call {
                    call.results = results;
                }
            }
            Some(before) if *before == shape => {}
            Some(_) => return Err(wrong()),
        }
        let Some(call) = &mut names.call else {
            return Ok(());
        };
        call.left |= !tail;
        call.valued |= !matches!(value.kind, ExprKind::None);
        let value = match value.kind {
            ExprKind::Made(made) => {
                call.shares |= !made.fresh;
                made.value
            }
            kind => Expr { kind, ..value },
        };
        let (block, locals) = (call.block, call.results.clone());
        let mut targets: Vec<Target> = locals
            .into_iter()
            .map(|l| Target::Local(self.def(l)))
            .collect();
        let target = match (shape, targets.pop()) {
            (Shape::Value, Some(target)) => target,
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
