//! Tests of the specialiser: text forms, refusals, and meaning (against CPython, through a small evaluator).

use std::collections::HashSet;
use std::sync::Arc;

use nestwise_ir::surface::{self, Site};
use nestwise_ir::{ArrayKind, FpMode, Nest, Scalar, Ty, WithSpan};

use super::{Options, specialise};
use crate::capture::{Capture, Known};
use crate::places::ScopeInfo;
use crate::refusal::Refusal;

mod cpython;
mod eval;
mod meaning;
mod random;
mod text;

/// What a name of a test holds.
pub(super) enum Is {
    Scalar(Ty),
    Ranged(Ty, i64, i64),
    Array(ArrayKind, Scalar, Ty, u32),
    Object,
    Fun(&'static str),
    Other(&'static str),
}

pub(super) fn nd(storage: Scalar, rank: u32) -> Is {
    Is::Array(ArrayKind::Ndarray, storage, Ty::np(storage), rank)
}

pub(super) fn list(storage: Scalar, rank: u32) -> Is {
    Is::Array(ArrayKind::List, storage, Ty::py(storage), rank)
}

pub(super) const INT: Is = Is::Scalar(Ty::PY_INT);
pub(super) const FLOAT: Is = Is::Scalar(Ty::PY_FLOAT);

pub(super) fn options() -> Options {
    Options { python_minor: 11, fp: FpMode::Strict }
}

fn words(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).map(str::to_string).collect()
}

/// Parses a site whose names are all locals with values, except those without a capture.
pub(super) fn parse(source: &str, bound: &[&str]) -> Site {
    let scope = ScopeInfo {
        module_level: false,
        local_names: words(source),
        bound_names: bound.iter().map(|s| s.to_string()).collect(),
    };
    match crate::parse_site(source, 1, false, &scope) {
        Ok(site) => site,
        Err(errors) => panic!("{source}\ndoes not parse: {}", errors[0]),
    }
}

fn known(path: &str) -> Option<Capture> {
    let canonical = path.strip_prefix("np.").map_or(path.to_string(), |rest| format!("numpy.{rest}"));
    match path {
        "math" | "np" => Some(Capture::Module),
        "math.pi" | "math.inf" | "math.e" => Some(Capture::Scalar { ty: Ty::PY_FLOAT, range: None }),
        _ => Known::from_name(&canonical).map(Capture::Known),
    }
}

/// The captures of a site.
pub(super) fn captures(site: &Site, names: &[(&str, Is)]) -> Vec<Capture> {
    let mut flat: Vec<Capture> = Vec::new();
    let mut functions: Vec<(usize, Arc<surface::Function>)> = Vec::new();
    let mut add = |flat: &mut Vec<Capture>, places: &nestwise_ir::Arena<nestwise_ir::PlaceId, surface::Place>| {
        let mut users = Vec::new();
        for (id, place) in places.iter() {
            let path = surface::path(places, id);
            let capture = match names.iter().find(|(name, _)| *name == path).map(|(_, is)| is) {
                None => known(&path).unwrap_or(Capture::Unbound),
                Some(_) if place.written && !place.captured => Capture::Unbound,
                Some(Is::Scalar(ty)) => Capture::Scalar { ty: *ty, range: None },
                Some(Is::Ranged(ty, lo, hi)) => Capture::Scalar { ty: *ty, range: Some((*lo, *hi)) },
                Some(Is::Array(kind, storage, elem, rank)) => {
                    let writable = !matches!(kind, ArrayKind::Tuple | ArrayKind::Str);
                    Capture::Array { kind: *kind, storage: *storage, elem: *elem, rank: *rank, writable }
                }
                Some(Is::Object) => Capture::Object,
                Some(Is::Other(ty)) => Capture::Other(ty.to_string()),
                Some(Is::Fun(source)) => {
                    let name = path.clone();
                    let head = source.split('\n').next().unwrap_or_default();
                    let params = words(head);
                    let assigned: HashSet<String> = source
                        .lines()
                        .flat_map(|l| {
                            let l = l.trim().trim_start_matches("for ");
                            let cut = l.find([' ', '=', '+', '-', '*']).unwrap_or(0);
                            Some(l[..cut].trim_matches(',').to_string())
                        })
                        .chain(params)
                        .collect();
                    let function =
                        crate::parse_function(source, 1, false, &assigned, &HashSet::new(), &name, "test.py");
                    let function = Arc::new(function.unwrap_or_else(|e| panic!("{source}: {e}")));
                    users.push((flat.len(), function.clone()));
                    Capture::User { function, first: 0 }
                }
            };
            flat.push(capture);
        }
        functions.extend(users);
        functions.pop()
    };
    let mut pending: Vec<(usize, Arc<surface::Function>)> = Vec::new();
    pending.extend(add(&mut flat, &site.places));
    while let Some((at, function)) = pending.pop() {
        let first = flat.len() as u32;
        let more = add(&mut flat, &function.places);
        flat[at] = Capture::User { function, first };
        pending.extend(more);
    }
    flat
}

pub(super) fn spec(source: &str, names: &[(&str, Is)]) -> Result<Nest, WithSpan<Refusal>> {
    let bound: Vec<&str> = names.iter().map(|(n, _)| n.split('.').next().unwrap_or(n)).collect();
    let site = parse(source, &bound);
    let captures = captures(&site, names);
    specialise(&site, &captures, options())
}

/// The text form, or the code of the refusal.
pub(super) fn show(source: &str, names: &[(&str, Is)]) -> String {
    match spec(source, names) {
        Ok(nest) => nest.to_string(),
        Err(e) => format!("refused: {} ({e})\n", e.error.code()),
    }
}
