//! Tests of the specialiser: text forms, refusals, and meaning (against CPython, through a small evaluator).

pub(crate) mod cpython;
pub(crate) mod eval;
pub(crate) mod meaning;
pub(crate) mod random;
pub(crate) mod text;

use std::collections::HashSet;
use std::sync::Arc;

use nestwise_ir::surface::{self, Site};
use nestwise_ir::{ArrayKind, FpMode, Nest, Scalar, Ty, WithSpan};

use crate::builtins::Known;
use crate::lowering::{Options, specialise};
use crate::refusal::Refusal;
use crate::site::access_paths::ScopeInfo;
use crate::site::captures::Capture;

/// What a name of a test holds.
pub(crate) enum Is {
    Scalar(Ty),
    Ranged(Ty, i64, i64),
    Array(ArrayKind, Scalar, Ty, u32),
    Object,
    Append,
    Fun(&'static str),
    Other(&'static str),
}

pub(crate) fn list(storage: Scalar, rank: u32) -> Is {
    Is::Array(ArrayKind::List, storage, Ty::py(storage), rank)
}

pub(crate) fn options() -> Options {
    Options {
        python_minor: 11,
        whole_ints: true,
        fp: FpMode::Strict,
    }
}

fn words(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty())
        .map(str::to_string)
        .collect()
}

/// Parses a site whose names are all locals with values, except those without a capture.
pub(crate) fn parse(source: &str, bound: &[&str]) -> Site {
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
    let canonical = path
        .strip_prefix("np.")
        .map_or(path.to_string(), |rest| format!("numpy.{rest}"));
    match path {
        "math" | "np" => Some(Capture::Module),
        "math.pi" | "math.inf" | "math.e" => Some(Capture::Scalar {
            ty: Ty::PY_FLOAT,
            range: None,
        }),
        _ => Known::from_name(&canonical).map(Capture::Known),
    }
}

/// Parses a user's function: its locals are its parameters and what its lines assign.
fn function(name: &str, source: &str) -> Arc<surface::Function> {
    let params = source.split(['(', ')']).nth(1).unwrap_or_default();
    let assigned = source.lines().map(|line| {
        let line = line.trim().trim_start_matches("for ");
        line.split([' ', ',', '='])
            .next()
            .unwrap_or_default()
            .to_string()
    });
    let locals: HashSet<String> = words(params).into_iter().chain(assigned).collect();
    let parsed = crate::parse_function(source, 1, false, &locals, &HashSet::new(), name, "test.py");
    Arc::new(parsed.unwrap_or_else(|e| panic!("{source}: {e}")))
}

fn capture(path: &str, place: &surface::Place, names: &[(&str, Is)]) -> Capture {
    match names
        .iter()
        .find(|(name, _)| *name == path)
        .map(|(_, is)| is)
    {
        None => known(path).unwrap_or(Capture::Unbound),
        Some(_) if place.written && !place.captured => Capture::Unbound,
        Some(Is::Scalar(ty)) => Capture::Scalar {
            ty: *ty,
            range: None,
        },
        Some(Is::Ranged(ty, lo, hi)) => Capture::Scalar {
            ty: *ty,
            range: Some((*lo, *hi)),
        },
        Some(Is::Array(kind, storage, elem, rank)) => {
            let writable = !matches!(kind, ArrayKind::Tuple | ArrayKind::Str);
            Capture::Array {
                kind: *kind,
                storage: *storage,
                elem: *elem,
                rank: *rank,
                writable,
            }
        }
        Some(Is::Object) => Capture::Object,
        Some(Is::Append) => Capture::Append,
        Some(Is::Other(ty)) => Capture::Other(ty.to_string()),
        Some(Is::Fun(source)) => Capture::User {
            function: function(path, source),
            first: 0,
            method: false,
        },
    }
}

/// The captures of a site. A function has one block of captures, wherever it is called.
pub(crate) fn captures(site: &Site, names: &[(&str, Is)]) -> Vec<Capture> {
    let mut flat: Vec<Capture> = Vec::new();
    let mut blocks: Vec<(String, Arc<surface::Function>, u32)> = Vec::new();
    let mut pending: Vec<usize> = Vec::new();
    for (id, place) in site.places.iter() {
        flat.push(capture(&surface::path(&site.places, id), place, names));
        pending.push(flat.len() - 1);
    }
    while let Some(at) = pending.pop() {
        let Some(Capture::User { function, .. }) = flat.get(at).cloned() else {
            continue;
        };
        let known = blocks
            .iter()
            .find(|(name, _, _)| *name == function.name)
            .cloned();
        let (function, first) = match known {
            Some((_, function, first)) => (function, first),
            None => {
                let first = flat.len() as u32;
                blocks.push((function.name.clone(), function.clone(), first));
                for (id, place) in function.places.iter() {
                    flat.push(capture(&surface::path(&function.places, id), place, names));
                    pending.push(flat.len() - 1);
                }
                (function, first)
            }
        };
        flat[at] = Capture::User {
            function,
            first,
            method: false,
        };
    }
    flat
}

pub(crate) fn spec(source: &str, names: &[(&str, Is)]) -> Result<Nest, WithSpan<Refusal>> {
    let bound: Vec<&str> = names
        .iter()
        .map(|(n, _)| n.split('.').next().unwrap_or(n))
        .collect();
    let site = parse(source, &bound);
    let captures = captures(&site, names);
    specialise(&site, &captures, options())
}
