//! Names that hold tuples: a local for each element.

use std::collections::BTreeMap;
use std::sync::Arc;

use nestwise_ir::{PathId, Span, surface as s};

use crate::lowering::hir::{Expr, ExprKind, LocalId, Target};
use crate::lowering::names::resolve::element::Element;
use crate::lowering::names::resolve::handed::Handed;
use crate::lowering::names::resolve::{Names, Resolver};
use crate::site::captures::Capture;
use crate::site::definite_assignment::flow_of_loop;
use crate::site::tuple_names::{Callee, Form, returned, tuples_of_function, tuples_of_site};

/// The depth to which functions called in functions are searched for what they return: each call in each of them is
/// looked at.
const DEPTH: usize = 2;

impl Resolver<'_> {
    /// The value of an element.
    pub fn read_element(&mut self, element: &Element, span: Span) -> Expr {
        let kind = match element {
            Element::Scalar(local) => ExprKind::Read(self.read(*local)),
            Element::Tuple(elements) => {
                let read = |element| self.read_element(element, span);
                ExprKind::Tuple(elements.iter().map(read).collect())
            }
            Element::Object(object) => return self.read_object(object, span),
        };
        Expr { kind, span }
    }

    /// An element as what is assigned.
    pub fn assign_element(&mut self, element: &Element) -> Target {
        match element {
            Element::Scalar(local) => Target::Local(self.def(*local)),
            Element::Tuple(elements) => {
                let assign = |element| self.assign_element(element);
                Target::Tuple(elements.iter().map(assign).collect())
            }
            Element::Object(object) => {
                let leaves = object.leaves().into_iter();
                Target::Tuple(leaves.map(|local| Target::Local(self.def(local))).collect())
            }
        }
    }

    /// Makes the locals of a tuple of this form.
    fn elements(&mut self, name: &str, form: &[Form]) -> Vec<Element> {
        let element = |(k, form): (usize, &Form)| {
            let name = format!("{name}[{k}]");
            match form {
                Form::Scalar => Element::Scalar(self.local(name, None, None)),
                Form::Tuple(form) => Element::Tuple(self.elements(&name, form)),
            }
        };
        form.iter().enumerate().map(element).collect()
    }

    /// The names of the site that hold tuples, with the locals of the elements. The value of a tuple at entry is known
    /// only where its items are access paths.
    pub(crate) fn site_tuples(&mut self, site: &s::Site) -> BTreeMap<PathId, Vec<Element>> {
        let found = tuples_of_site(site, &|func| self.site_callee(site, func));
        let reads = flow_of_loop(&site.paths, &site.top).reads;
        let mut tuples = BTreeMap::new();
        for (id, length) in found {
            let items = items(site, id);
            if items.len() == length || items.is_empty() && !reads.contains_key(&id) {
                let items = (0..length).map(|k| items.get(k).copied());
                let elements = items
                    .enumerate()
                    .map(|(k, item)| Element::Scalar(self.element(site, id, k, item)));
                tuples.insert(id, elements.collect());
            }
        }
        tuples
    }

    /// Makes the local of element `which` of a tuple of the site, whose access path at entry is `item`.
    fn element(
        &mut self,
        site: &s::Site,
        id: PathId,
        which: usize,
        item: Option<PathId>,
    ) -> LocalId {
        let item = item.map(|item| item.0);
        let item = item.filter(|item| !matches!(self.capture(*item), Capture::Unbound));
        let name = format!("{}[{which}]", s::dotted_name(&site.paths, id));
        let local = self.local(name, Some(id), item);
        self.hir.locals[local].element = Some(which);
        local
    }

    /// Adds the tuples of a function that is being inlined, whose parameters are known.
    pub fn add_tuples(&mut self, names: &mut Names, function: &s::Function) {
        let found = tuples_of_function(function, &|func| self.inner_callee(names, func));
        for (id, form) in found {
            let elements = self.elements(&names.dotted_name(id), &form);
            names.locals.remove(&id);
            names.tuples.insert(id, elements);
        }
    }

    fn site_callee(&self, site: &s::Site, func: &s::Expr) -> Callee {
        let parent = match func.kind {
            s::ExprKind::Path(id) => site.paths[id].parent,
            _ => None,
        };
        match parent.is_some_and(|of| self.keeps_entries(of.0)) {
            true => Callee::Taker,
            false => self.callee(0, func, DEPTH),
        }
    }

    /// Whether a capture is a container whose methods take keys.
    fn keeps_entries(&self, capture: u32) -> bool {
        matches!(self.capture(capture), Capture::Container { kind, .. } if kind.has_entries())
    }

    /// The capture of a path that may be a container, or a parameter that stands for one.
    fn container_at(&self, names: &Names, id: PathId) -> u32 {
        let handed = names.containers.get(&id).copied();
        handed.unwrap_or_else(|| self.index_so_far(names, id))
    }

    fn inner_callee(&self, names: &Names, func: &s::Expr) -> Callee {
        let s::ExprKind::Path(id) = func.kind else {
            return Callee::Other;
        };
        match names.functions.get(&id) {
            Some(Handed::User(function, first, receiver)) => {
                self.user(function, *first, receiver.is_some(), DEPTH)
            }
            Some(Handed::Known(_) | Handed::Class(_)) => Callee::Other,
            None if names.locals.contains_key(&id) => Callee::Other,
            None if names.paths[id]
                .parent
                .is_some_and(|of| self.keeps_entries(self.container_at(names, of))) =>
            {
                Callee::Taker
            }
            None => self.callee(names.first, func, DEPTH),
        }
    }

    /// What a called expression is, in a scope whose captures begin at `first`; functions that it calls are searched to
    /// this depth.
    fn callee(&self, first: u32, func: &s::Expr, depth: usize) -> Callee {
        let s::ExprKind::Path(id) = func.kind else {
            return Callee::Other;
        };
        match self.capture(first.saturating_add(id.0)) {
            Capture::User {
                function,
                first,
                method,
                ..
            } if depth > 0 => self.user(function, *first, *method, depth - 1),
            Capture::Append => Callee::Taker,
            _ => Callee::Other,
        }
    }

    fn user(&self, function: &Arc<s::Function>, first: u32, method: bool, depth: usize) -> Callee {
        Callee::User {
            function: Arc::clone(function),
            skipped: usize::from(method),
            length: returned(function, &|func| self.callee(first, func, depth)),
        }
    }
}

/// The access paths of a tuple's items, in order.
fn items(site: &s::Site, tuple: PathId) -> Vec<PathId> {
    let own = |(_, p): &(PathId, &s::AccessPath)| {
        matches!(p.item, Some(s::Item::OfTuple { .. })) && p.parent == Some(tuple)
    };
    site.paths.iter().filter(own).map(|(id, _)| id).collect()
}
