//! Infers captures from text: what the hook would find in the access paths of a site, as far as the module's text
//! tells, so that a nest can be typed without running its program.
//!
//! Whoever reads the text answers in words, with one description for each access path: `int`, `int 0 9`, `float`,
//! `numpy float32`, `ndarray int64 2`, `list float 1`, `known math.sqrt`, `function 3`, `object`. The words are also
//! what a user is shown, so there is no second name for anything.

use std::sync::Arc;

use nestwise_ir::surface::{AccessPath, Function, Scope, Site, dotted_name};
use nestwise_ir::{Arena, ArrayKind, PathId, Scalar, Ty};

use crate::builtins::Known;
use crate::site::captures::Capture;
use crate::site::special_methods::is_method;

/// The evidence of types that a module's text gives.
pub trait Evidence {
    /// Describes what the access path with this dotted name holds, in the scope of the site (`None`) or of the function
    /// with this number.
    fn describe(&mut self, function: Option<u32>, path: &str) -> String;
    /// The function with this number, which a description mentions; `None` if it cannot be inlined.
    fn function(&mut self, number: u32) -> Option<Arc<Function>>;
}

/// An access path and its description.
#[derive(Clone, Debug)]
pub struct Described {
    /// The dotted name of the path.
    pub path: String,
    /// The description, in words.
    pub words: String,
    /// Whether the name means one thing throughout the site: it belongs to the site, not to a called function.
    pub shared: bool,
}

/// The most functions that are followed.
const MAX_FUNCTIONS: usize = 17;

/// A function whose access paths are still to be looked at.
struct User {
    capture: usize,
    /// The user in whose function this one was found.
    outer: Option<usize>,
    number: u32,
    function: Arc<Function>,
    method: bool,
}

/// Infers the captures of a site, in the order in which the hook binds them, with the description of each.
pub fn captures(site: &Site, evidence: &mut dyn Evidence) -> (Vec<Capture>, Vec<Described>) {
    let mut guess = Guess {
        evidence,
        captures: vec![],
        described: vec![],
        users: vec![],
        inside: None,
    };
    guess.scope(&site.paths, None, None);
    let mut next = 0;
    while next < guess.users.len() && next < MAX_FUNCTIONS {
        let around = guess.around(next);
        let start = around.unwrap_or(guess.captures.len() as u32);
        let user = &guess.users[next];
        let (number, function) = (user.number, user.function.clone());
        if let Capture::User { first, .. } = &mut guess.captures[user.capture] {
            *first = start;
        }
        let receiver = function.params.first().filter(|_| user.method);
        if around.is_none() {
            guess.inside = Some(next);
            guess.scope(&function.paths, Some(number), receiver.map(|p| p.path));
        }
        next += 1;
    }
    for user in &guess.users[next..] {
        guess.captures[user.capture] = Capture::Other("function".into());
    }
    (guess.captures, guess.described)
}

struct Guess<'a> {
    evidence: &'a mut dyn Evidence,
    captures: Vec<Capture>,
    described: Vec<Described>,
    users: Vec<User>,
    /// The user whose function's access paths are being looked at.
    inside: Option<usize>,
}

impl Guess<'_> {
    fn scope(
        &mut self,
        paths: &Arena<PathId, AccessPath>,
        function: Option<u32>,
        receiver: Option<PathId>,
    ) {
        let first = self.described.len();
        for (id, path) in paths.iter() {
            let dotted = dotted_name(paths, id);
            let parent = path.parent.map(|p| &self.described[first + p.index()]);
            let of_object = parent.is_some_and(|parent| parent.words == "object");
            let nothing = parent.is_some_and(|parent| parent.words == "unbound");
            let asked = (of_object || !is_method(path)) && !nothing && path.item.is_none();
            let words = if asked && path.captured || receiver == Some(id) {
                self.evidence.describe(function, &dotted)
            } else {
                "unbound".to_string()
            };
            let capture = self.capture(&words);
            self.captures.push(capture);
            let root = root(paths, id);
            let shared =
                function.is_none() || paths[root].scope == Scope::Global || receiver == Some(root);
            self.described.push(Described {
                path: dotted,
                words,
                shared,
            });
        }
    }

    /// The first capture of the function that a user is, if it is one around itself.
    fn around(&self, user: usize) -> Option<u32> {
        let own = &self.users[user];
        let mut outer = own.outer;
        while let Some(at) = outer {
            let around = &self.users[at];
            if (around.number, around.method) == (own.number, own.method) {
                return match self.captures[around.capture] {
                    Capture::User { first, .. } => Some(first),
                    _ => None,
                };
            }
            outer = around.outer;
        }
        None
    }

    fn capture(&mut self, words: &str) -> Capture {
        let (method, number) = match words.split_once(' ') {
            Some(("function", number)) => (false, number),
            Some(("method", number)) => (true, number),
            _ => return plain(words).unwrap_or_else(|| Capture::Other(words.to_string())),
        };
        let number: u32 = number.parse().unwrap_or(u32::MAX);
        let Some(function) = self.evidence.function(number) else {
            return Capture::Other("function".into());
        };
        let capture = self.captures.len();
        self.users.push(User {
            capture,
            outer: self.inside,
            number,
            function: function.clone(),
            method,
        });
        Capture::User {
            function,
            first: 0,
            method,
            given: vec![],
        }
    }
}

fn root(paths: &Arena<PathId, AccessPath>, id: PathId) -> PathId {
    paths[id].parent.map_or(id, |parent| root(paths, parent))
}

/// The capture for a description that refers to nothing else; `None` for others.
fn plain(words: &str) -> Option<Capture> {
    let all: Vec<&str> = words.split(' ').collect();
    Some(match all[..] {
        ["unbound"] => Capture::Unbound,
        ["module"] => Capture::Module,
        ["object"] => Capture::Object,
        ["append"] => Capture::Append,
        ["known", name] => Capture::Known(Known::from_name(name)?),
        ["other", name] => Capture::Other(name.to_string()),
        ["int", lo, hi] => Capture::Scalar {
            ty: Ty::PY_INT,
            range: Some((lo.parse().ok()?, hi.parse().ok()?)),
        },
        ["char"] => scalar(Ty::CHAR),
        ["numpy", dtype] => scalar(Ty::np(repr(dtype)?)),
        ["str"] => array(ArrayKind::Str, Scalar::Char, 1, false),
        ["bytes"] => array(ArrayKind::Bytes, Scalar::U8, 1, false),
        ["bytearray"] => array(ArrayKind::Bytes, Scalar::U8, 1, true),
        ["ndarray", dtype, rank] => array(ArrayKind::Ndarray, repr(dtype)?, dims(rank)?, true),
        ["array", dtype] => array(ArrayKind::ArrayArray, repr(dtype)?, 1, true),
        ["list", of, rank] => array(ArrayKind::List, python(of)?, dims(rank)?, true),
        ["tuple", of, rank] => array(ArrayKind::Tuple, python(of)?, dims(rank)?, false),
        [name] => scalar(Ty::py(python(name)?)),
        _ => return None,
    })
}

fn scalar(ty: Ty) -> Capture {
    Capture::Scalar { ty, range: None }
}

fn dims(text: &str) -> Option<u32> {
    text.parse().ok().filter(|rank| (1..=8).contains(rank))
}

/// The capture of an array, whose elements are loaded as the type that the hook's binding would give them.
fn array(kind: ArrayKind, storage: Scalar, rank: u32, writable: bool) -> Capture {
    let elem = match kind {
        ArrayKind::Ndarray => Ty::np(storage),
        ArrayKind::Str => Ty::CHAR,
        _ if storage.is_int() => Ty::PY_INT,
        _ if storage == Scalar::F32 => Ty::PY_FLOAT,
        _ => Ty::py(storage),
    };
    Capture::Array {
        kind,
        storage,
        elem,
        rank,
        writable,
    }
}

fn python(name: &str) -> Option<Scalar> {
    Some(match name {
        "int" => Scalar::I64,
        "float" => Scalar::F64,
        "bool" => Scalar::Bool,
        "complex" => Scalar::C128,
        "number" => Scalar::Num,
        _ => return None,
    })
}

fn repr(dtype: &str) -> Option<Scalar> {
    Some(match dtype {
        "bool" => Scalar::Bool,
        "int8" => Scalar::I8,
        "int16" => Scalar::I16,
        "int32" => Scalar::I32,
        "int64" => Scalar::I64,
        "uint8" => Scalar::U8,
        "uint16" => Scalar::U16,
        "uint32" => Scalar::U32,
        "uint64" => Scalar::U64,
        "float32" => Scalar::F32,
        "float64" => Scalar::F64,
        "complex64" => Scalar::C64,
        "complex128" => Scalar::C128,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ScopeInfo;
    use crate::lowering::Options;
    use crate::lowering::specialise;
    use crate::parse_function;
    use crate::parse_site;
    use nestwise_ir::FpMode;

    struct Table(Vec<(Option<u32>, &'static str, &'static str)>);

    impl Evidence for Table {
        fn describe(&mut self, function: Option<u32>, path: &str) -> String {
            let found = self.0.iter().find(|(f, p, _)| (*f, *p) == (function, path));
            found
                .unwrap_or_else(|| panic!("{function:?} {path}"))
                .2
                .into()
        }
        fn function(&mut self, number: u32) -> Option<Arc<Function>> {
            let text = ["def half(self, x):\n    return x * self.factor\n"][number as usize];
            let locals = ["self", "x"].map(String::from).into();
            let none = Default::default();
            let found = parse_function(text, 1, false, &locals, &none, "half", "f.py");
            found.ok().map(Arc::new)
        }
    }

    #[test]
    fn words_become_captures() {
        let same = |words, capture| assert_eq!(plain(words), Some(capture), "{words}");
        same("float", scalar(Ty::PY_FLOAT));
        same("numpy int32", scalar(Ty::np(Scalar::I32)));
        same(
            "ndarray float32 3",
            array(ArrayKind::Ndarray, Scalar::F32, 3, true),
        );
        same(
            "tuple int 1",
            array(ArrayKind::Tuple, Scalar::I64, 1, false),
        );
        same(
            "known numpy.sqrt",
            Capture::Known(Known::from_name("numpy.sqrt").unwrap()),
        );
        for bad in [
            "",
            "list",
            "ndarray float64 0",
            "ndarray float64 9",
            "int 1",
            "known exec",
        ] {
            assert_eq!(plain(bad), None, "{bad}");
        }
    }

    #[test]
    fn methods_bring_their_own_places() {
        let text = "for i in range(n):\n    a[i] = box.half(a[i])\n";
        let scope = ScopeInfo {
            local_names: ["n", "a", "box", "i"].map(String::from).into(),
            bound_names: ["n", "a", "box"].map(String::from).into(),
            module_level: false,
            ..ScopeInfo::default()
        };
        let site = parse_site(text, 1, false, &scope).unwrap();
        let mut table = Table(vec![
            (None, "range", "known range"),
            (None, "n", "int"),
            (None, "a", "ndarray float64 1"),
            (None, "box", "object"),
            (None, "box.half", "method 0"),
            (Some(0), "self", "object"),
            (Some(0), "self.factor", "float"),
        ]);
        let (captures, described) = captures(&site, &mut table);
        assert_eq!(captures.len(), described.len());
        let first = captures.iter().find_map(|c| match c {
            Capture::User { first, .. } => Some(*first),
            _ => None,
        });
        assert_eq!(first, Some(site.paths.len() as u32));
        let options = Options {
            python_minor: 12,
            whole_ints: true,
            fp: FpMode::Strict,
            frames: 850,
        };
        let nest = specialise(&site, &captures, options).unwrap();
        assert_eq!(nest.loops.len(), 1);
    }
}
