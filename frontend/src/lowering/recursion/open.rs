//! What is known of a function that calls itself while its body is resolved.

use std::collections::{BTreeMap, HashMap, HashSet};

use nestwise_ir::{PathId, surface as s};

use crate::lowering::hir::LocalId;
use crate::lowering::names::resolve::element::Element;
use crate::lowering::names::resolve::handed::Handed;

/// A function that is being resolved and calls itself.
pub(crate) struct Recursion {
    /// The function, by the address that the resolver knows.
    pub function: *const s::Function,
    /// The index of the capture of the function's first access path.
    pub first: u32,
    /// The path of the object that the function is a method of.
    pub receiver: Option<String>,
    /// What the names of the parameters stand for.
    pub meanings: Meanings,
    /// The locals of the parameters, and of the items of those that are tuples.
    pub params: Vec<LocalId>,
    /// The locals that hold what the function returns.
    pub results: Vec<LocalId>,
    /// Whether the function returns a tuple.
    pub tuple: bool,
    /// The first local that belongs to the function or to one that is inlined into it.
    pub own_from: LocalId,
    /// The number of classes whose objects are counted.
    pub counted: usize,
    /// The most frames that CPython opens for functions inside this one that call themselves.
    pub frames_inside: u32,
}

/// What the names of a function's parameters stand for.
pub(crate) struct Meanings {
    pub locals: HashMap<PathId, LocalId>,
    pub tuples: BTreeMap<PathId, Vec<Element>>,
    pub functions: HashMap<PathId, Handed>,
    pub containers: HashMap<PathId, u32>,
    pub nones: HashSet<PathId>,
    pub objects: Vec<(PathId, String)>,
    /// Whether a parameter is an object that the nest makes.
    pub makes: bool,
}
