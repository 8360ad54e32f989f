//! Builds sites and the types of what they read from text: for the tests of lowering and for file tests.

use std::collections::HashSet;
use std::sync::Arc;

use nestwise_ir::surface::{self, Site};
use nestwise_ir::{ArrayKind, FpMode, Nest, Scalar, Ty, WithSpan};

use crate::builtins::Known;
use crate::lowering::{Options, specialise};
use crate::refusal::Refusal;
use crate::site::access_paths::ScopeInfo;
use crate::site::captures::Capture;

/// The type of what a name of a test holds.
#[derive(Clone)]
pub enum Is {
    /// A scalar.
    Scalar(Ty),
    /// An int in a range.
    Ranged(Ty, i64, i64),
    /// An array: its kind, its storage, the type of its elements, its rank.
    Array(ArrayKind, Scalar, Ty, u32),
    /// An object whose attributes are looked at.
    Object,
    /// The `append` of a list.
    Append,
    /// A user's function, as text.
    Fun(&'static str),
    /// Something of another type, whose name is given.
    Other(&'static str),
}

/// A list.
pub fn list(storage: Scalar, rank: u32) -> Is {
    Is::Array(ArrayKind::List, storage, Ty::py(storage), rank)
}

/// The options of CPython 3.11 with the bits of CPython and NumPy.
pub fn options() -> Options {
    Options {
        python_minor: 11,
        whole_ints: true,
        fp: FpMode::Strict,
        frames: 850,
    }
}

fn words(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| !w.is_empty())
        .map(str::to_string)
        .collect()
}

/// Parses a site whose names are all locals with values, except those without a capture.
///
/// # Errors
/// The refusals of what the frontend does not understand, in source order.
pub fn try_parse(source: &str, bound: &[&str]) -> Result<Site, Vec<WithSpan<Refusal>>> {
    let scope = ScopeInfo {
        module_level: false,
        local_names: words(source),
        bound_names: bound.iter().map(|s| s.to_string()).collect(),
        ..ScopeInfo::default()
    };
    crate::parse_site(source, 1, false, &scope)
}

/// Parses a site that the frontend understands.
///
/// # Panics
/// Panics if the frontend refuses the site.
pub fn parse(source: &str, bound: &[&str]) -> Site {
    match try_parse(source, bound) {
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

fn capture(dotted: &str, path: &surface::AccessPath, names: &[(&str, Is)]) -> Capture {
    match names
        .iter()
        .find(|(name, _)| *name == dotted)
        .map(|(_, is)| is)
    {
        None => known(dotted).unwrap_or(Capture::Unbound),
        Some(_) if path.written && !path.captured => Capture::Unbound,
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
            function: function(dotted, source),
            first: 0,
            method: false,
            given: vec![],
        },
    }
}

/// The captures of a site. A function has one block of captures, wherever it is called.
pub fn captures(site: &Site, names: &[(&str, Is)]) -> Vec<Capture> {
    let mut flat: Vec<Capture> = Vec::new();
    let mut blocks: Vec<(String, Arc<surface::Function>, u32)> = Vec::new();
    let mut pending: Vec<usize> = Vec::new();
    for (id, path) in site.paths.iter() {
        flat.push(capture(&surface::dotted_name(&site.paths, id), path, names));
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
                for (id, path) in function.paths.iter() {
                    flat.push(capture(
                        &surface::dotted_name(&function.paths, id),
                        path,
                        names,
                    ));
                    pending.push(flat.len() - 1);
                }
                (function, first)
            }
        };
        flat[at] = Capture::User {
            function,
            first,
            method: false,
            given: vec![],
        };
    }
    flat
}

/// The typed nest of a site for these captures.
///
/// # Errors
/// The refusal of what is not supported.
///
/// # Panics
/// Panics if the site does not parse.
pub fn spec(source: &str, names: &[(&str, Is)]) -> Result<Nest, WithSpan<Refusal>> {
    let bound: Vec<&str> = names
        .iter()
        .map(|(n, _)| n.split('.').next().unwrap_or(n))
        .collect();
    let site = parse(source, &bound);
    let captures = captures(&site, names);
    specialise(&site, &captures, options())
}

/// The text of a test: what its names hold, functions, and a site.
pub struct Script {
    /// What each name holds.
    pub names: Vec<(String, Is)>,
    /// The site's own lines.
    pub source: String,
}

impl Script {
    /// Reads a test's text. `given` says what names hold, `n: py.i64 0 9; a: ndarray f64 2; o: object`. Functions stand
    /// first in `text`, each up to the next line without indentation.
    ///
    /// # Panics
    /// Panics if `given` is not of that form.
    pub fn new(given: &str, text: &str) -> Script {
        let parts = given.split(';').filter(|part| !part.trim().is_empty());
        let mut names: Vec<(String, Is)> = parts
            .map(|part| part.split_once(':').expect("name: type"))
            .map(|(name, text)| (name.trim().to_string(), is(text)))
            .collect();
        let mut functions: Vec<String> = Vec::new();
        let mut source = String::new();
        let mut in_function = false;
        for line in text.lines() {
            if line.starts_with("def ") {
                functions.push(String::new());
                in_function = true;
            } else if !line.starts_with(' ') {
                in_function = false;
            }
            let to = match functions.last_mut() {
                Some(function) if in_function => function,
                _ => &mut source,
            };
            to.push_str(line);
            to.push('\n');
        }
        for function in functions {
            let head = function.trim_start_matches("def ");
            let name = head.split('(').next().unwrap_or(head).to_string();
            names.push((name, Is::Fun(Box::leak(function.into_boxed_str()))));
        }
        Script { names, source }
    }

    fn bound(&self) -> Vec<&str> {
        let first = |n: &str| n.find('.').unwrap_or(n.len());
        self.names.iter().map(|(n, _)| &n[..first(n)]).collect()
    }

    /// Parses the site.
    ///
    /// # Errors
    /// The refusals of what the frontend does not understand, in source order.
    pub fn site(&self) -> Result<Site, Vec<WithSpan<Refusal>>> {
        try_parse(&self.source, &self.bound())
    }

    /// Builds the typed nest.
    ///
    /// # Errors
    /// The refusal of the first thing that is not supported.
    pub fn nest(&self, options: Options) -> Result<Nest, WithSpan<Refusal>> {
        let site = self.site().map_err(|all| all[0].clone())?;
        let names: Vec<(&str, Is)> = (self.names.iter())
            .map(|(name, is)| (name.as_str(), is.clone()))
            .collect();
        specialise(&site, &captures(&site, &names), options)
    }
}

fn scalar(word: &str) -> Scalar {
    Scalar::ALL
        .into_iter()
        .find(|s| s.to_string() == word)
        .unwrap_or_else(|| panic!("no type {word}"))
}

/// Parses the type of what a name holds: `py.i64`, `py.i64 0 9`, `ndarray f64 2`, `object`, `other str`.
fn is(text: &str) -> Is {
    let words: Vec<&str> = text.split_whitespace().collect();
    let ty = |word: &str| match word.split_once('.').expect("a type") {
        ("py", s) => Ty::py(scalar(s)),
        (_, s) => Ty::np(scalar(s)),
    };
    let array = |kind, s: &str, rank: &str, py: bool| {
        let storage = scalar(s);
        let elem = if py { Ty::py(storage) } else { Ty::np(storage) };
        Is::Array(kind, storage, elem, rank.parse().expect("a rank"))
    };
    match words.as_slice() {
        ["object"] => Is::Object,
        ["append"] => Is::Append,
        ["other", name] => Is::Other(Box::leak(name.to_string().into_boxed_str())),
        ["ndarray", s, rank] => array(ArrayKind::Ndarray, s, rank, false),
        ["list", s, rank] => array(ArrayKind::List, s, rank, true),
        ["tuple", s, rank] => array(ArrayKind::Tuple, s, rank, true),
        ["str"] => Is::Array(ArrayKind::Str, Scalar::Char, Ty::CHAR, 1),
        [name] => Is::Scalar(ty(name)),
        [name, lo, hi] => Is::Ranged(
            ty(name),
            lo.parse().expect("a bound"),
            hi.parse().expect("a bound"),
        ),
        _ => panic!("{text}"),
    }
}
