//! Methods of the user's objects: the attributes that they use are access paths of the site, whoever mentions them.
//!
//! An access path is known by its path from a name of the site: `self.rng.state` in the site and `self.state` in a
//! method called as `self.rng.next()` are one variable. Two paths that end in the same attribute could lead to one
//! object all the same, so where one of them is assigned the other is refused.

use std::collections::HashSet;

use nestwise_ir::{Arena, PathId, surface as s};

use crate::lowering::names::method_paths;
use crate::lowering::names::resolve::Resolver;
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::Capture;

impl Resolver<'_> {
    /// Whether a method whose captures begin at `first` is bound to an array.
    pub fn is_of_array(&self, method: &s::Function, first: u32) -> bool {
        let own = method.params.first().map(|p| first + p.path.0);
        own.is_some_and(|i| matches!(self.capture(i), Capture::Array { .. }))
    }

    /// Makes locals of the attributes that the methods called by the site assign.
    pub fn note_methods(&mut self, site: &s::Site) -> R<()> {
        let mut seen = HashSet::new();
        self.note_methods_of(&site.paths, 0, &[], &mut seen, site.top.span)?;
        // A method that assigns before it reads has no use for the value at entry, but the site may.
        for (id, _) in site.paths.iter() {
            if let Some(local) = self.written.get(&s::dotted_name(&site.paths, id))
                && !matches!(self.capture(id.0), Capture::Unbound)
            {
                let decl = &mut self.hir.locals[*local];
                decl.capture = decl.capture.or(Some(id.0));
            }
        }
        Ok(())
    }

    fn note_methods_of(
        &mut self,
        paths: &Arena<PathId, s::AccessPath>,
        first: u32,
        objects: &[(PathId, String)],
        seen: &mut HashSet<u32>,
        span: nestwise_ir::Span,
    ) -> R<()> {
        for (id, path) in paths.iter() {
            let Capture::User {
                function,
                first: inner,
                method,
                given,
            } = self.capture(first.saturating_add(id.0)).clone()
            else {
                continue;
            };
            let in_site = first == 0;
            let object = |(param, from): &(PathId, u32)| {
                let from = PathId(from.checked_sub(first)?);
                let path = method_paths::own_path(paths, objects, in_site, from)?;
                Some((*param, path))
            };
            let mut own: Vec<(PathId, String)> = given.iter().filter_map(object).collect();
            if !method {
                if seen.insert(inner) {
                    self.note_writes(&function, inner, &own, span)?;
                    self.note_methods_of(&function.paths, inner, &own, seen, span)?;
                }
                continue;
            }
            let of = match self.is_of_array(&function, inner) {
                true if method_paths::keeps(&function) => Some(method_paths::GENERATOR.to_owned()),
                true => {
                    let own = method_paths::own_path(paths, objects, in_site, id);
                    Some(method_paths::of_array(
                        &own.unwrap_or_else(|| s::dotted_name(paths, id)),
                    ))
                }
                false => path
                    .parent
                    .and_then(|p| method_paths::own_path(paths, objects, in_site, p)),
            };
            let (Some(of), Some(param)) = (of, function.params.first()) else {
                continue;
            };
            if !seen.insert(inner) {
                continue;
            }
            own.push((param.path, of));
            self.note_writes(&function, inner, &own, span)?;
            self.note_methods_of(&function.paths, inner, &own, seen, span)?;
        }
        Ok(())
    }

    fn note_writes(
        &mut self,
        function: &s::Function,
        first: u32,
        own: &[(PathId, String)],
        span: nestwise_ir::Span,
    ) -> R<()> {
        for (id, path) in function.paths.iter() {
            if !path.written || path.parent.is_none() {
                continue;
            }
            let Some(dotted) = method_paths::own_path(&function.paths, own, false, id) else {
                continue;
            };
            self.by_method.insert(dotted.clone());
            if self.written.contains_key(&dotted) {
                continue;
            }
            let ending = format!(".{}", path.name);
            if self.written.keys().any(|other| other.ends_with(&ending)) {
                let what = format!("attributes {} of several objects", path.name);
                return Err(refuse(span, Refusal::Unsupported { what }));
            }
            let flat = first.saturating_add(id.0);
            let bound = !matches!(self.capture(flat), Capture::Unbound);
            let local = self.local(dotted.clone(), Some(PathId(flat)), bound.then_some(flat));
            self.written.insert(dotted, local);
        }
        Ok(())
    }

    /// Whether an attribute that is read under one path may be one that is assigned under another path. Two access
    /// paths of the site itself are compared by the hook.
    pub fn may_be_written(&self, name: &str, in_call: bool) -> bool {
        let ending = format!(".{name}");
        let is = |path: &String| path.ends_with(&ending);
        if in_call {
            self.written.keys().any(is)
        } else {
            self.by_method.iter().any(is)
        }
    }
}
