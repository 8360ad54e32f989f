//! Takes the surface nest and captures to the resolved nest ([`crate::lowering::hir`]): looks names up, recognises
//! buffer swaps. Inlining is in [`crate::lowering::names::inline`].

pub(crate) mod calls;
pub(crate) mod conditions;
pub(crate) mod element;
pub(crate) mod entries;
pub(crate) mod fragments;
pub(crate) mod handed;
pub(crate) mod items;
pub(crate) mod made;
pub(crate) mod new_objects;
pub(crate) mod records;
pub(crate) mod rows;
pub(crate) mod sequences;
pub(crate) mod special_methods;
pub(crate) mod statements;
pub(crate) mod subscripts;
pub(crate) mod tuples;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use nestwise_ir::{Arena, ArrayKind, PathId, Span, Work, surface as s};

use crate::builtins::{ArrayFn, Builtin, Known, NumpyFn};
use crate::host_functions::Container;
use crate::lowering::hir::{
    BlockId, Def, Expr, ExprKind, Hir, Kind, Local, LocalId, Made, ObjectForm, Read, Slice, Stmt,
};
use crate::lowering::names::method_paths;
use crate::lowering::names::resolve::element::{Element, ObjectElement};
use crate::lowering::names::resolve::handed::Handed;
use crate::lowering::names::resolve::new_objects::{Method, Sharing, Unfinished};
use crate::lowering::recursion::open::Recursion;
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::{Alike, Capture};
use crate::site::object_uses::method_of_unary;
use crate::site::tuple_names::{constant_index, element};
use crate::site::walk::walk_stmts;

/// The most nodes that a site may have after inlining.
const NODE_LIMIT: usize = 20_000;

/// The scope whose names are being resolved: the site, or one inlined call.
pub(crate) struct Names<'a> {
    pub paths: &'a Arena<PathId, s::AccessPath>,
    /// The index of the capture of access path 0.
    pub first: u32,
    /// The inlined call, or `None` for the site.
    pub call: Option<CallState>,
    pub locals: HashMap<PathId, LocalId>,
    /// The parameters that are None throughout the call.
    pub nones: HashSet<PathId>,
    /// The parameters that are functions throughout the call.
    pub functions: HashMap<PathId, Handed>,
    /// The parameters that are containers of the site throughout the call, with the indices of their captures.
    pub containers: HashMap<PathId, u32>,
    /// The names that hold tuples, with their elements.
    pub tuples: BTreeMap<PathId, Vec<Element>>,
    /// The names that hold objects which the nest makes.
    pub made: BTreeMap<PathId, ObjectElement>,
    /// The parameter that stands for an object which is being made, with the object's index.
    pub building: Option<(PathId, usize)>,
    /// The class that the function is a method of, and the place of the one that has it among those that are asked.
    pub defined: Option<(u32, u32)>,
    /// The method's first parameter.
    pub receiver: Option<PathId>,
    /// The locals that were made for objects, which start without values at each call.
    pub own: Vec<LocalId>,
    /// The number of loops around the statement that is being resolved.
    pub loops: u32,
    /// The parameters that stand for one object, such as a method's first one, with the paths of the objects.
    pub objects: Vec<(PathId, String)>,
}

impl Names<'_> {
    /// The path of an access path from the names of the site, if there is one.
    pub(crate) fn path_of(&self, id: PathId) -> Option<String> {
        method_paths::own_path(self.paths, &self.objects, self.call.is_none(), id)
    }

    /// The spelling of an access path in messages.
    pub fn dotted_name(&self, id: PathId) -> String {
        self.path_of(id)
            .unwrap_or_else(|| s::dotted_name(self.paths, id))
    }
}

/// The state of an inlined call: where its `return` goes.
pub(crate) struct CallState {
    pub name: String,
    pub block: BlockId,
    /// Whether the call is made for its effect alone, so that nobody uses its value.
    pub effect: bool,
    /// Whether a [`Kind::Leave`] was made.
    pub left: bool,
    /// Whether any path returns something else than None.
    pub valued: bool,
    /// What the call returns; known after the first `return`.
    pub shape: Option<Shape>,
    pub results: Vec<LocalId>,
    /// Whether the call may return an object that something else holds.
    pub shares: bool,
}

/// What a call returns.
#[derive(Clone, PartialEq)]
pub(crate) enum Shape {
    /// One value.
    Value,
    /// A tuple of this length.
    Tuple(usize),
    /// An object that the nest makes.
    Object(ObjectForm),
}

impl Shape {
    /// The number of values that a result of this shape is made of.
    pub fn values(&self) -> usize {
        match self {
            Shape::Value => 1,
            Shape::Tuple(length) => *length,
            Shape::Object(form) => form.leaves(),
        }
    }
}

/// What the first parameter of a called function is given, if that is none of the arguments.
pub(crate) enum Receiver {
    /// Nothing.
    None,
    /// An object outside the nest, by its path.
    Path(String),
    /// An object that the nest makes and a name or attribute holds.
    Object(ObjectElement),
    /// An object that an expression makes.
    Made(Cell<Option<Box<Made>>>),
    /// A new object of the class with this capture.
    New(u32),
    /// An object that is being made, by its index.
    Unfinished(usize),
    /// The class with this capture.
    Class(u32),
}

impl Receiver {
    /// An object that an expression makes.
    pub fn made(object: Box<Made>) -> Receiver {
        Receiver::Made(Cell::new(Some(object)))
    }
}

/// A user's function that is called.
pub(crate) struct Callee<'f> {
    pub function: &'f Arc<s::Function>,
    /// The index of the capture of the function's first access path.
    pub first: u32,
    /// What the method is bound to.
    pub receiver: Receiver,
    /// Whether the call is made for its effect alone, so that nobody uses its value.
    pub effect: bool,
    /// The class that the function is a method of, and the place of the one that has it.
    pub defined: Option<(u32, u32)>,
    /// The number of loops around the call.
    pub loops: u32,
}

impl<'f> Callee<'f> {
    fn new(
        function: &'f Arc<s::Function>,
        first: u32,
        receiver: Option<String>,
        effect: bool,
    ) -> Self {
        let receiver = receiver.map_or(Receiver::None, Receiver::Path);
        Callee::of(function, first, receiver, effect)
    }

    pub fn of(
        function: &'f Arc<s::Function>,
        first: u32,
        receiver: Receiver,
        effect: bool,
    ) -> Self {
        Callee {
            function,
            first,
            receiver,
            effect,
            defined: None,
            loops: 0,
        }
    }

    /// A call of a function of a class.
    pub fn method(method: &'f Method, receiver: Receiver, effect: bool) -> Self {
        let callee = Callee::of(&method.function, method.first, receiver, effect);
        let defined = method.defined;
        Callee { defined, ..callee }
    }

    /// The parameters that the arguments of a call are for.
    pub fn params(&self) -> &'f [s::Param] {
        let bound = !matches!(self.receiver, Receiver::None);
        self.function
            .params
            .get(usize::from(bound)..)
            .unwrap_or(&[])
    }
}

impl From<Handed> for Res {
    fn from(handed: Handed) -> Res {
        match handed {
            Handed::Known(known) => Res::Known(known),
            Handed::User(function, first, receiver) => Res::User(function, first, receiver),
            Handed::Class(class) => Res::Class(class),
        }
    }
}

/// The meaning of an access path.
pub(crate) enum Res {
    /// A value.
    Value(ExprKind),
    Known(Known),
    /// A module or an object, of use for its attributes only.
    Holder(&'static str),
    /// A user's function, the index of its first capture, and the path of the object that it is a method of.
    User(Arc<s::Function>, u32, Option<String>),
    /// The class, whose objects the nest may make, with this capture.
    Class(u32),
    /// A function that is an attribute of a class, and what it is given besides the arguments of a call.
    OfClass(Method, Receiver),
}

/// The state of resolving a site's names.
pub(crate) struct Resolver<'a> {
    pub hir: Hir,
    pub captures: &'a [Capture],
    /// The locals of captures that are only read, by index of the capture.
    pub globals: HashMap<u32, LocalId>,
    /// The locals that are read.
    pub read_locals: HashSet<LocalId>,
    /// The objects that the nest makes, as far as several names hold them.
    pub sharing: Sharing,
    /// The names of attributes of objects that are there already of which the nest has copies.
    pub held_fields: HashSet<String>,
    /// The names of attributes that are assigned of objects in lists.
    pub stored: HashSet<String>,
    /// The objects whose `__init__` is being resolved, or was.
    pub unfinished: Vec<Unfinished>,
    /// The classes of which each object has a number.
    pub numbered: BTreeSet<u32>,
    /// The names of the site whose objects' form is that of one that is assigned.
    pub known_objects: BTreeSet<PathId>,
    /// The locals that count objects, by their class.
    pub counters: BTreeMap<u32, LocalId>,
    /// Whether classes whose objects the nest may make are captured.
    pub makes_objects: bool,
    /// The captures that are only read, by their path: a method sees the same objects as the site.
    paths: HashMap<String, u32>,
    /// The locals of what the site, or a method that it calls, assigns, by path.
    pub written: HashMap<String, LocalId>,
    /// The attributes that a method assigns.
    pub by_method: HashSet<String>,
    /// The names of the function around the site that the site assigns, so that other functions may see them change.
    pub own_names: HashSet<String>,
    /// The functions being inlined, innermost last.
    pub active: Vec<*const s::Function>,
    /// The functions among them that become loops over states, innermost last.
    pub recursions: Vec<Recursion>,
    /// The most frames that CPython is sure to have left for calls of functions.
    pub frames: u32,
    nodes: usize,
    /// Whether an iteration that reaches something unsupported may exit to the interpreter: only if the site has no
    /// inner loop.
    may_exit: bool,
    /// The number of branches around from which iterations exit to the interpreter: CPython is not called from there.
    branches: u32,
    /// Whether this is the header of the top loop, which CPython evaluates, too: CPython is not called from there.
    in_header: bool,
    /// The captures of objects that CPython changes, and that are left to it.
    pub foreign: HashSet<u32>,
    /// The containers for whose entries CPython looks.
    looked_into: &'a HashSet<u32>,
    /// The items of containers that are not the same throughout.
    varying: &'a HashSet<(u32, s::Key)>,
    /// Whether CPython draws all random numbers.
    pub draws_called: bool,
    /// What is found of the objects that CPython uses.
    pub uses: &'a mut Uses,
    /// The points of the site at which results are recorded.
    points: &'a [s::Point],
    /// The names of the site that hold objects of one list, with the list's capture.
    rows: HashMap<PathId, u32>,
    /// The site stands at module level, so that its names are its module's.
    at_module_level: bool,
}

/// Whether the site stands at module level: no name that it assigns is local to a function, as the loop variable would
/// be.
fn stands_in_module(site: &s::Site) -> bool {
    let mut assigned = site.paths.values().filter(|p| p.written);
    assigned.all(|p| p.scope != s::Scope::Local) && site.paths.values().any(|p| p.written)
}

fn has_inner_loop(site: &s::Site) -> bool {
    let (s::StmtKind::For { body, .. } | s::StmtKind::While { body, .. }) = &site.top.kind else {
        return false;
    };
    let mut found = false;
    walk_stmts(body, &mut |stmt| {
        found |= matches!(
            stmt.kind,
            s::StmtKind::For { .. } | s::StmtKind::While { .. }
        );
    });
    found
}

/// The names of the enclosing function that the site assigns.
fn assigned_names(site: &s::Site) -> HashSet<String> {
    let own = |p: &&s::AccessPath| p.written && p.parent.is_none() && p.scope == s::Scope::Local;
    let own = site.paths.values().filter(own);
    own.map(|p| p.name.clone()).collect()
}

/// The captures of objects that CPython and the nest use.
#[derive(Default)]
pub(crate) struct Uses {
    /// The objects that CPython changes.
    pub changed: HashSet<u32>,
    /// The objects that CPython reads.
    pub read: HashSet<u32>,
    /// The lists that the nest changes natively, which it does to copies.
    pub copied: HashSet<u32>,
    /// The lists that the nest appends to natively.
    pub appended: HashSet<u32>,
    /// The objects that the nest uses natively in other ways.
    pub natively: HashSet<u32>,
    /// Whether CPython is called for a draw from a random generator.
    pub draws_called: bool,
    /// Whether a draw from a random generator is native.
    pub draws_natively: bool,
    /// What was drafted.
    pub fragments: Vec<FragmentUse>,
    /// The containers of which items are taken to be the same throughout, with the items' keys.
    pub held_items: HashSet<(u32, s::Key)>,
    /// The names of the site that turned out to hold objects which the nest makes.
    pub objects: BTreeMap<PathId, ObjectForm>,
    /// The classes of which each object turned out to need a number.
    pub numbered: BTreeSet<u32>,
}

/// A fragment, as far as the launch asks whether it may keep entries of a container.
pub(crate) struct FragmentUse {
    /// The captures of its objects.
    pub objects: Vec<u32>,
    /// Whether it is an operation that the launch performs.
    pub is_access: bool,
    /// The number of parts of that operation's key or element, and whether they are the items of a tuple.
    pub shape: Option<(usize, bool)>,
    /// Whether it has an effect, or looks into what containers hold.
    pub looks: bool,
    /// The objects that it changes.
    pub changed: Vec<u32>,
    /// The key of the only entry that it touches, if that is always the same.
    pub key: Option<s::Key>,
}

impl Uses {
    /// The objects that are left to CPython: those that it changes, those of which it would read what the nest has
    /// changed in a copy, and lists that grow while they are read.
    fn foreign(&self) -> HashSet<u32> {
        let stale = self.read.intersection(&self.copied).copied();
        let growing = self.appended.intersection(&self.natively).copied();
        let changed = self.changed.iter().copied();
        changed.chain(stale).chain(growing).collect()
    }

    /// The items that are not the same throughout, although they were taken to be: containers, with the keys.
    fn varying(&self) -> HashSet<(u32, s::Key)> {
        let changes = |(container, key): &&(u32, s::Key)| {
            let other = |own: &s::Key| own != key && !matches!(key, s::Key::Path(_));
            let touched = self
                .fragments
                .iter()
                .any(|f| f.changed.contains(container) && !f.key.as_ref().is_some_and(other));
            touched || self.copied.contains(container) || self.natively.contains(container)
        };
        self.held_items.iter().filter(changes).cloned().collect()
    }

    /// The containers whose entries CPython looks for: those of which fragments use more than single entries, and those with
    /// keys of several shapes.
    fn looked_into(&self, captures: &[Capture]) -> HashSet<u32> {
        let others = self.fragments.iter().filter(|f| !f.is_access);
        let mut found: HashSet<u32> = others.clone().flat_map(|f| &f.objects).copied().collect();
        let mut shapes = HashMap::new();
        for fragment in &self.fragments {
            let Some(shape) = fragment.shape else {
                continue;
            };
            for object in &fragment.objects {
                if *shapes.entry(*object).or_insert(shape) != shape {
                    found.insert(*object);
                }
            }
        }
        // CPython may look at a set between two changes, and a change that is undone leaves the order of a set changed.
        if others.clone().any(|f| f.looks) {
            let is_set = |capture: &u32| match captures.get(*capture as usize) {
                Some(Capture::Container { kind, .. }) => *kind == Container::Set,
                _ => false,
            };
            let all = self.fragments.iter().flat_map(|f| &f.objects).copied();
            found.extend(all.filter(is_set));
        }
        found
    }
}

/// Resolves a site. What CPython changes is CPython's throughout: the nest holds no copy of it. `frames` is the most
/// frames that CPython is sure to have left for calls of functions.
pub(crate) fn resolve(site: &s::Site, captures: &[Capture], frames: u32) -> R<Hir> {
    let mut left = Left {
        frames,
        ..Left::default()
    };
    loop {
        let mut uses = Uses::default();
        let hir = resolve_with(site, captures, &left, &mut uses);
        if !uses.objects.is_empty() || !uses.numbered.is_empty() {
            // Numbers are attributes: forms are found anew.
            if !uses.numbered.is_empty() {
                left.objects.clear();
            }
            left.objects.extend(uses.objects);
            left.numbered.extend(uses.numbered);
            continue;
        }
        let found = uses.looked_into(captures);
        let draws = uses.draws_called && uses.draws_natively;
        let varying = uses.varying();
        let all = found.is_subset(&left.looked_into) && varying.is_subset(&left.varying);
        if all && (left.draws || !draws) {
            return hir;
        }
        left.looked_into.extend(found);
        left.varying.extend(varying);
        left.draws |= draws;
    }
}

/// What is left to CPython although there is a native form, because CPython does more with it.
#[derive(Default)]
struct Left {
    /// The containers for whose entries CPython looks.
    looked_into: HashSet<u32>,
    /// The items of containers that are not the same throughout.
    varying: HashSet<(u32, s::Key)>,
    /// Whether CPython draws all random numbers.
    draws: bool,
    /// The names of the site that hold objects which the nest makes.
    objects: BTreeMap<PathId, ObjectForm>,
    /// The classes of which each object has a number.
    numbered: BTreeSet<u32>,
    /// The most frames that CPython is sure to have left for calls of functions.
    frames: u32,
}

/// Resolves a site of which more is left to CPython than has no native form.
fn resolve_with(site: &s::Site, captures: &[Capture], left: &Left, uses: &mut Uses) -> R<Hir> {
    let hir = resolve_beside(site, captures, (HashSet::new(), left), uses);
    let foreign = uses.foreign();
    let held = |index: &u32| {
        let capture = captures.get(*index as usize);
        let array = matches!(
            capture,
            Some(Capture::Array { .. } | Capture::Objects { .. })
        );
        array || uses.copied.contains(index)
    };
    match foreign.iter().any(held) {
        true => resolve_beside(site, captures, (foreign, left), uses),
        false => hir,
    }
}

/// Resolves a site in which the objects of the captures `foreign` are left to CPython; notes what objects are used for.
fn resolve_beside(
    site: &s::Site,
    captures: &[Capture],
    (foreign, left): (HashSet<u32>, &Left),
    uses: &mut Uses,
) -> R<Hir> {
    let mut resolver = Resolver {
        foreign,
        looked_into: &left.looked_into,
        varying: &left.varying,
        draws_called: left.draws,
        uses,
        hir: Hir::default(),
        captures,
        globals: HashMap::new(),
        read_locals: HashSet::new(),
        sharing: Sharing::default(),
        held_fields: HashSet::new(),
        stored: HashSet::new(),
        unfinished: vec![],
        numbered: left.numbered.clone(),
        known_objects: left.objects.keys().copied().collect(),
        counters: BTreeMap::new(),
        makes_objects: captures.iter().any(|c| matches!(c, Capture::Class { .. })),
        paths: HashMap::new(),
        written: HashMap::new(),
        by_method: HashSet::new(),
        own_names: assigned_names(site),
        active: vec![],
        recursions: vec![],
        frames: left.frames,
        nodes: 0,
        may_exit: !site.value && !has_inner_loop(site),
        branches: 0,
        in_header: false,
        points: &site.points,
        rows: rows::rows(site, captures),
        at_module_level: stands_in_module(site),
    };
    let mut names = Names {
        paths: &site.paths,
        first: 0,
        call: None,
        locals: HashMap::new(),
        nones: HashSet::new(),
        functions: HashMap::new(),
        containers: HashMap::new(),
        tuples: BTreeMap::new(),
        made: BTreeMap::new(),
        building: None,
        defined: None,
        receiver: None,
        own: vec![],
        loops: 0,
        objects: vec![],
    };
    let held = resolver.site_with_items(&names, site);
    let site = held.as_ref().unwrap_or(site);
    names.tuples = resolver.site_tuples(site);
    names.made = resolver.site_objects(site, &left.objects)?;
    for (id, path) in site.paths.iter() {
        let taken_apart = names.tuples.contains_key(&id) || names.made.contains_key(&id);
        if path.written && !taken_apart {
            let capture = id.0;
            let bound = !matches!(resolver.capture(capture), Capture::Unbound);
            let local = resolver.local(
                s::dotted_name(&site.paths, id),
                Some(id),
                bound.then_some(capture),
            );
            resolver.note_lookup(local, &site.paths, id);
            names.locals.insert(id, local);
            resolver
                .written
                .insert(s::dotted_name(&site.paths, id), local);
        }
    }
    resolver.note_methods(site)?;
    for (id, path) in site.paths.iter() {
        if path.parent.is_some()
            && let Some(local) = resolver.written.get(&s::dotted_name(&site.paths, id))
        {
            names.locals.insert(id, *local);
        }
    }
    let top = match &site.top.kind {
        // The else clause of the top loop is CPython's: it runs there once the hook's iterator is empty.
        s::StmtKind::For {
            target, iter, body, ..
        } => {
            resolver.in_header = true;
            let iter = resolver.expr(&mut names, iter)?;
            resolver.in_header = false;
            if iter.stores() {
                // The iterable is evaluated once more where CPython goes on, and not at all where the text tells that
                // there is nothing to do.
                let what =
                    "a call in the header of the outermost loop that assigns something".into();
                return Err(refuse(site.top.span, Refusal::Unsupported { what }));
            }
            let target = resolver.target(&mut names, target, site.top.span)?;
            Kind::For {
                target,
                iter,
                body: resolver.block(&mut names, body)?,
                orelse: vec![],
            }
        }
        s::StmtKind::While { test, body, .. } => {
            let test = resolver.test(&mut names, test)?;
            Kind::While {
                test,
                body: resolver.block(&mut names, body)?,
                orelse: vec![],
            }
        }
        _ => return Err(refuse(site.top.span, Refusal::NotALoop)),
    };
    resolver.check_sharing(site.top.span)?;
    resolver.hir.top = vec![Stmt {
        kind: top,
        span: site.top.span,
    }];
    Ok(resolver.hir)
}

impl Resolver<'_> {
    /// The capture with this index.
    pub fn capture(&self, index: u32) -> &Capture {
        self.captures
            .get(index as usize)
            .unwrap_or(&Capture::Unbound)
    }

    /// A new local.
    pub fn local(&mut self, name: String, path: Option<PathId>, capture: Option<u32>) -> LocalId {
        self.hir.locals.push(Local {
            name,
            path,
            capture,
            swapped: false,
            element: None,
            attributes: 0,
            lookup: None,
            room: None,
        });
        self.hir.locals.len() - 1
    }

    /// Notes how CPython looks up the access path that a local stands for, for the count of its work.
    fn note_lookup(&mut self, local: LocalId, paths: &Arena<PathId, s::AccessPath>, id: PathId) {
        let mut root = &paths[id];
        let decl = &mut self.hir.locals[local];
        while let Some(parent) = root.parent {
            decl.attributes += 1;
            root = &paths[parent];
        }
        decl.lookup = match root.scope {
            s::Scope::Global if self.at_module_level => Some(Work::ModuleName),
            s::Scope::Global => Some(Work::Global),
            _ => None,
        };
    }

    /// A new read of a local.
    pub fn read(&mut self, local: LocalId) -> Read {
        self.hir.occs += 1;
        self.read_locals.insert(local);
        Read {
            local,
            occ: self.hir.occs - 1,
        }
    }

    /// A new assignment of a local.
    pub fn def(&mut self, local: LocalId) -> Def {
        self.hir.defs.push(local);
        Def {
            local,
            def: self.hir.defs.len() - 1,
        }
    }

    /// Counts a node against the limit.
    fn count(&mut self, span: Span) -> R<()> {
        self.nodes += 1;
        if self.nodes > NODE_LIMIT {
            return Err(refuse(
                span,
                Refusal::TooLarge {
                    what: "expressions after inlining",
                    limit: NODE_LIMIT,
                },
            ));
        }
        Ok(())
    }

    /// The meaning of an access path.
    pub fn resolve_path(&mut self, names: &mut Names, id: PathId, span: Span) -> R<Res> {
        if names.nones.contains(&id) {
            return Ok(Res::Value(ExprKind::None));
        }
        if let Some(function) = names.functions.get(&id) {
            return Ok(function.clone().into());
        }
        if let Some(capture) = names.containers.get(&id)
            && let Capture::Container { kind, .. } = self.capture(*capture)
        {
            let (name, ty) = (names.dotted_name(id), kind.name().into());
            return Err(refuse(span, Refusal::Type { name, ty }));
        }
        if let Some(local) = names.locals.get(&id) {
            let local = *local;
            return Ok(Res::Value(ExprKind::Read(self.read(local))));
        }
        if names.building.is_some_and(|(param, _)| param == id) {
            let what = "an object that is being made, used as a whole,".into();
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        if let Some(Element::Object(object)) = self.element_at(names, id) {
            return Ok(Res::Value(self.read_object(&object, span).kind));
        }
        if let Some(attribute) = self.attribute_of_made(names, id, span) {
            return attribute;
        }
        let path = &names.paths[id];
        if let Some(parent) = path.parent.filter(|_| !self.is_held_item(names, id)) {
            match self.resolve_path(names, parent, span)? {
                Res::Value(ExprKind::Made(made)) => {
                    let value = self.attribute_of_expression(*made, &path.name, span)?;
                    return Ok(Res::Value(value.kind));
                }
                Res::Value(value) => {
                    let base = Box::new(Expr { kind: value, span });
                    return Ok(Res::Value(ExprKind::Attr(base, path.name.clone())));
                }
                // A value of the class's is looked at like that of any object.
                Res::Class(_) if self.is_value(names, id) => {}
                Res::Class(class) => return self.attribute_of_class(class, &path.name, span),
                Res::Holder(_) if let Some(found) = self.of_class(names, id, span) => return found,
                Res::Holder(_) => {}
                Res::Known(known) => {
                    return Err(refuse(
                        span,
                        Refusal::UnknownAttribute {
                            name: path.name.clone(),
                            ty: known.name(),
                        },
                    ));
                }
                Res::User(function, ..) | Res::OfClass(Method { function, .. }, _) => {
                    return Err(refuse(
                        span,
                        Refusal::UnknownAttribute {
                            name: path.name.clone(),
                            ty: function.name.clone(),
                        },
                    ));
                }
            }
        }
        let dotted = names.dotted_name(id);
        if path.parent.is_some() && self.may_be_written(&path.name, names.call.is_some()) {
            let what = format!("an attribute {} that is perhaps assigned", path.name);
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        let index = self.index_of(names, id);
        if self.foreign.contains(&index) {
            let ty = match self.capture(index) {
                Capture::Container { kind, .. } => kind.name(),
                _ => "list",
            };
            let (name, ty) = (dotted, ty.into());
            return Err(refuse(span, Refusal::Type { name, ty }));
        }
        match self.capture(index) {
            Capture::Scalar { .. } | Capture::Array { .. } | Capture::Objects { .. } => {
                let local = self.globals.get(&index).copied();
                let local = match local {
                    Some(local) => local,
                    None => {
                        let local = self.local(dotted, None, Some(index));
                        self.note_lookup(local, names.paths, id);
                        self.globals.insert(index, local);
                        local
                    }
                };
                Ok(Res::Value(ExprKind::Read(self.read(local))))
            }
            Capture::Known(known) => Ok(Res::Known(*known)),
            Capture::Append => {
                let what = "append, other than as a statement".into();
                Err(refuse(span, Refusal::Unsupported { what }))
            }
            Capture::Module => Ok(Res::Holder("module")),
            Capture::Object | Capture::Instance { .. } => Ok(Res::Holder("object")),
            Capture::Class { number, .. } => Ok(Res::Class(self.class_numbered(*number, index))),
            Capture::User {
                function,
                first,
                method,
                ..
            } => {
                let (function, first) = (function.clone(), *first);
                // What the site knows the object by; a method of an array is known by itself alone.
                let receiver = match path.parent {
                    _ if !method => None,
                    _ if self.is_of_array(&function, first) && method_paths::keeps(&function) => {
                        Some(method_paths::GENERATOR.to_owned())
                    }
                    _ if self.is_of_array(&function, first) => {
                        Some(method_paths::of_array(&dotted))
                    }
                    parent => parent.map(|p| names.dotted_name(p)),
                };
                Ok(Res::User(function, first, receiver))
            }
            Capture::Unbound | Capture::Observed { .. } => {
                Err(refuse(span, Refusal::PossiblyUnbound { name: dotted }))
            }
            Capture::Container { kind, .. } => Err(refuse(
                span,
                Refusal::Type {
                    name: dotted,
                    ty: kind.name().into(),
                },
            )),
            Capture::None => Ok(Res::Value(ExprKind::None)),
            Capture::Other(ty) => Err(refuse(
                span,
                Refusal::Type {
                    name: dotted,
                    ty: ty.clone(),
                },
            )),
        }
    }

    /// The index of the capture of an access path; paths that the site and its methods know by one path share a
    /// capture.
    pub fn index_of(&mut self, names: &Names, id: PathId) -> u32 {
        let index = self.index_so_far(names, id);
        if let Some(path) = names.path_of(id) {
            self.paths.entry(path).or_insert(index);
        }
        index
    }

    /// The index that [`Resolver::index_of`] would give, without a claim on the path: the capture of the function
    /// that first reads a path counts for all. A generator is taken for its state where no attribute of it is used, and
    /// for an object elsewhere: that one counts where it is an object.
    pub fn index_so_far(&self, names: &Names, id: PathId) -> u32 {
        let own = names.first.saturating_add(id.0);
        if matches!(
            self.capture(own),
            Capture::Object | Capture::Instance { .. }
        ) {
            return own;
        }
        let claimed = names.path_of(id).and_then(|p| self.paths.get(&p).copied());
        claimed.unwrap_or(own)
    }

    /// Resolves an expression. What has no native form becomes a call of CPython, where it is known what that does.
    pub fn expr(&mut self, names: &mut Names, e: &s::Expr) -> R<Expr> {
        let (occs, defs) = (self.hir.occs, self.hir.defs.len());
        match self.native_expr(names, e) {
            Err(refused) if may_be_fragment(e) => {
                self.hir.occs = occs;
                self.hir.defs.truncate(defs);
                self.fragment(names, e).ok_or(refused)
            }
            native => native,
        }
    }

    /// Resolves an expression that has a native form.
    fn native_expr(&mut self, names: &mut Names, e: &s::Expr) -> R<Expr> {
        self.count(e.span)?;
        let span = e.span;
        let kind = match &e.kind {
            s::ExprKind::Int(v) => ExprKind::Int(*v),
            s::ExprKind::Float(v) => ExprKind::Float(*v),
            s::ExprKind::Imag(v) => ExprKind::Imag(*v),
            s::ExprKind::Bool(v) => ExprKind::Bool(*v),
            s::ExprKind::None => ExprKind::None,
            s::ExprKind::Ellipsis => ExprKind::Ellipsis,
            s::ExprKind::Str(v) => {
                self.note_text(v);
                ExprKind::Str(v.clone())
            }
            s::ExprKind::Bytes(v) => ExprKind::Bytes(v.clone()),
            s::ExprKind::Path(id) if names.tuples.contains_key(id) => {
                let elements = names.tuples[id].clone();
                self.read_element(&Element::Tuple(elements), span).kind
            }
            s::ExprKind::Path(id) => match self.resolve_path(names, *id, span)? {
                Res::Value(kind) => {
                    if !names.locals.contains_key(id) {
                        let index = self.index_so_far(names, *id);
                        self.uses.natively.insert(index);
                    }
                    kind
                }
                Res::Known(known) => {
                    return Err(refuse(
                        span,
                        Refusal::Type {
                            name: known.name(),
                            ty: "function".into(),
                        },
                    ));
                }
                Res::Holder(_) if let Some(object) = self.object_at(names, *id) => {
                    return Ok(self.read_object(&object, span));
                }
                Res::Class(_) => {
                    let name = s::dotted_name(names.paths, *id);
                    let ty = "class".into();
                    return Err(refuse(span, Refusal::Type { name, ty }));
                }
                Res::Holder(ty) => {
                    let name = s::dotted_name(names.paths, *id);
                    return Err(refuse(
                        span,
                        Refusal::Type {
                            name,
                            ty: ty.into(),
                        },
                    ));
                }
                Res::User(function, ..) | Res::OfClass(Method { function, .. }, _) => {
                    let name = function.name.clone();
                    return Err(refuse(
                        span,
                        Refusal::Type {
                            name,
                            ty: "function".into(),
                        },
                    ));
                }
            },
            s::ExprKind::Attr(base, name) => match self.expr(names, base)? {
                Expr {
                    kind: ExprKind::Made(made),
                    ..
                } => return self.attribute_of_expression(*made, name, span),
                base => ExprKind::Attr(Box::new(base), name.clone()),
            },
            s::ExprKind::Subscript(base, index)
                if let Some(element) = tuple_element(names, base, index) =>
            {
                self.read_element(&element, span).kind
            }
            s::ExprKind::Subscript(base, index)
                if let Some(call) = self.getitem(names, base, index, span)? =>
            {
                return Ok(call);
            }
            s::ExprKind::Subscript(base, index)
                if let (Some(list), [index]) = (self.grown(names, base)?, &index[..])
                    && !index.is_slice() =>
            {
                ExprKind::Grown(list, Box::new(self.expr(names, index)?))
            }
            s::ExprKind::Subscript(base, index) if let Some(name) = self.key_of_dicts(index) => {
                ExprKind::Attr(Box::new(self.expr(names, base)?), name)
            }
            s::ExprKind::Subscript(base, index) => {
                let base = Box::new(self.expr(names, base)?);
                if let ExprKind::Made(made) = base.kind {
                    let args = match self.exprs(names, index)? {
                        mut one if one.len() == 1 => vec![one.remove(0)],
                        all => {
                            let kind = ExprKind::Tuple(all);
                            vec![Expr { kind, span }]
                        }
                    };
                    return self.special_of_made(made, "__getitem__", args, span);
                }
                self.may_be_sliced(&base, index, false)?;
                ExprKind::Subscript(base, self.subscripts(names, index)?)
            }
            s::ExprKind::Slice { start, stop, step } => {
                let mut part = |e: &Option<Box<s::Expr>>| {
                    e.as_ref()
                        .map(|e| self.expr(names, e).map(Box::new))
                        .transpose()
                };
                ExprKind::Slice(Slice {
                    start: part(start)?,
                    stop: part(stop)?,
                    step: part(step)?,
                })
            }
            s::ExprKind::Call { func, args, kwargs } => {
                return self.call(names, func, args, kwargs, span);
            }
            s::ExprKind::Checked { builtin, value } => return self.checked(names, builtin, value),
            s::ExprKind::Unary(op @ s::UnOp::Not, a) => {
                ExprKind::Unary(*op, Box::new(self.test(names, a)?))
            }
            s::ExprKind::Unary(op, a) => match (self.expr(names, a)?, method_of_unary(*op)) {
                (
                    Expr {
                        kind: ExprKind::Made(made),
                        ..
                    },
                    Some(method),
                ) => return self.special_of_made(made, method, vec![], span),
                (a, _) => ExprKind::Unary(*op, Box::new(a)),
            },
            s::ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(names, a)?, self.expr(names, b)?);
                if a.is_made() || b.is_made() {
                    return self.operator(*op, a, b, span);
                }
                ExprKind::Binary(*op, Box::new(a), Box::new(b))
            }
            s::ExprKind::MatMul(a, b) => ExprKind::Call {
                known: Known::Numpy(NumpyFn::Array(ArrayFn::MatMul)),
                args: vec![self.expr(names, a)?, self.expr(names, b)?],
                kwargs: vec![],
            },
            s::ExprKind::And(items) => {
                ExprKind::And(self.up_to(false, names, items, Self::expr)?)
            }
            s::ExprKind::Or(items) => ExprKind::Or(self.up_to(true, names, items, Self::expr)?),
            s::ExprKind::Compare(first, rest) => {
                let first = self.expr(names, first)?;
                let rest: R<Vec<_>> = rest
                    .iter()
                    .map(|(op, e)| Ok((*op, self.expr(names, e)?)))
                    .collect();
                let mut rest = rest?;
                if let ([(op, _)], true) = (
                    &rest[..],
                    first.is_made() || rest.iter().any(|(_, e)| e.is_made()),
                ) {
                    let op = *op;
                    let second = rest.remove(0).1;
                    return self.compare_made(op, first, second, span);
                }
                ExprKind::Compare(Box::new(first), rest)
            }
            s::ExprKind::IsNone(a) => return self.is_none(names, a, span),
            s::ExprKind::SideBySide(items) => {
                let args: R<Vec<_>> = items.iter().map(|e| self.expr(names, e)).collect();
                ExprKind::Call {
                    known: Known::Builtin(Builtin::Zip),
                    args: args?,
                    kwargs: vec![],
                }
            }
            s::ExprKind::Is(a, b) => {
                let (a, b) = (self.expr(names, a)?, self.expr(names, b)?);
                if a.is_made() || b.is_made() {
                    return self.is_same(a, b, span);
                }
                ExprKind::Is(Box::new(a), Box::new(b))
            }
            s::ExprKind::Contains { .. } => {
                return Err(refuse(span, Refusal::Comparison { op: "in" }));
            }
            s::ExprKind::Dict(_) | s::ExprKind::Set(_) | s::ExprKind::FString(..) => {
                let name = match e.kind {
                    s::ExprKind::Dict(_) => "a dict display",
                    s::ExprKind::Set(_) => "a set display",
                    _ => "an f-string",
                };
                return Err(refuse(span, Refusal::Expression { name }));
            }
            s::ExprKind::InText(a, text) => {
                ExprKind::InText(Box::new(self.expr(names, a)?), text.clone())
            }
            s::ExprKind::IfExp { test, body, orelse } => {
                let test = Box::new(self.test(names, test)?);
                if let Some(known) = test.truth() {
                    let value = self.expr(names, if known { body } else { orelse })?;
                    let mut before = vec![];
                    self.keep_checks(*test, &mut before);
                    return Ok(match before.is_empty() {
                        true => value,
                        false => self.after(before, value, vec![]),
                    });
                }
                let (body, orelse) = (self.expr(names, body)?, self.expr(names, orelse)?);
                if body.is_made() || orelse.is_made() {
                    return self.choose_made(*test, body, orelse, span);
                }
                ExprKind::IfExp {
                    test,
                    body: Box::new(body),
                    orelse: Box::new(orelse),
                }
            }
            s::ExprKind::Star(_) => return Err(refuse(span, Refusal::Star)),
            s::ExprKind::Tuple(items) => ExprKind::Tuple(self.exprs(names, items)?),
            s::ExprKind::List(items) => ExprKind::List(self.exprs(names, items)?),
            s::ExprKind::Comprehension { func: None, .. } => {
                return self.list_comprehension(names, e);
            }
            s::ExprKind::Comprehension { .. } => return self.comprehension(names, e),
        };
        Ok(Expr { kind, span })
    }

    /// Refuses slices of captured values other than arrays, except of lists that are read: such a slice is a new list.
    pub fn may_be_sliced(&self, base: &Expr, index: &[s::Expr], stored: bool) -> R<()> {
        let Some(slice) = index.iter().find(|e| e.is_slice()) else {
            return Ok(());
        };
        if let (
            [_],
            s::ExprKind::Slice {
                start: None,
                stop: None,
                step: None,
            },
        ) = (index, &slice.kind)
        {
            return Ok(());
        }
        let captured = match base.kind {
            ExprKind::Read(read) => self.hir.locals[read.local].capture,
            _ => None,
        };
        let fits = captured.is_none_or(|capture| match self.capture(capture) {
            Capture::Array { kind, .. } => {
                *kind == ArrayKind::Ndarray || (*kind == ArrayKind::List && !stored)
            }
            Capture::Objects { alike, .. } => *alike == Alike::Class && !stored,
            _ => false,
        });
        match fits {
            true => Ok(()),
            false => Err(refuse(slice.span, Refusal::Slice)),
        }
    }

    /// Notes a text that the nest may know by its number.
    pub fn note_text(&mut self, text: &str) {
        if text.chars().count() != 1 {
            self.hir.texts.insert(text.to_owned());
        }
    }

    /// Resolves several expressions, left to right.
    pub fn exprs(&mut self, names: &mut Names, items: &[s::Expr]) -> R<Vec<Expr>> {
        items.iter().map(|e| self.expr(names, e)).collect()
    }
}

/// Whether an expression without a native form may become a call of CPython.
fn may_be_fragment(e: &s::Expr) -> bool {
    matches!(
        e.kind,
        s::ExprKind::Call { .. }
            | s::ExprKind::Subscript(..)
            | s::ExprKind::Contains { .. }
            | s::ExprKind::Compare(..)
    )
}

/// What `name[constant]` is where the name holds a tuple; `None` for other subscripts.
fn tuple_element(names: &Names, base: &s::Expr, index: &[s::Expr]) -> Option<Element> {
    let s::ExprKind::Path(id) = base.kind else {
        return None;
    };
    let elements = names.tuples.get(&id)?;
    let at = element(constant_index(index)?, elements.len())?;
    elements.get(at).cloned()
}
