//! The converter: the state that conversions of statements and expressions share.

use std::collections::{HashMap, HashSet};

use nestwise_ir::surface::{Computed, Point};
use nestwise_ir::{Span, WithSpan};
use rustpython_parser::ast::Ranged;
use rustpython_parser::text_size::TextRange;

use crate::refusal::Refusal;
use crate::site::access_paths::{PathTable, ScopeInfo};
use crate::syntax::source::Source;

/// The deepest nesting of statements and expressions, counted together. All later stages recurse over them.
const MAX_DEPTH: u32 = 200;

/// The most refusals that are collected for one text.
const MAX_REFUSALS: usize = 20;

/// The way in which names are looked up.
#[derive(Clone, Copy)]
pub(crate) enum Names<'a> {
    /// Names are looked up in the scope of a site.
    Site(&'a ScopeInfo),
    /// Names are looked up in a function of its own.
    Function {
        /// Parameters and locals.
        local: &'a HashSet<String>,
        /// Names of enclosing functions.
        free: &'a HashSet<String>,
    },
}

/// Converts the parser's tree. Methods return `None` behind a refusal.
pub(crate) struct Converter<'a> {
    pub(crate) source: &'a Source,
    pub(crate) names: Names<'a>,
    /// The access paths so far.
    pub(crate) table: PathTable,
    /// The refusals so far.
    pub(crate) refusals: Vec<WithSpan<Refusal>>,
    /// A function's `global` and `nonlocal` names.
    pub(crate) declared: HashSet<String>,
    /// Whether a `return` was met.
    pub(crate) returns: bool,
    pub(crate) depth: u32,
    /// The number of enclosing loops.
    pub(crate) loops: u32,
    /// Whether an iteration that reaches something unsupported may exit to the interpreter: only if the site has no
    /// inner loop.
    pub(crate) may_exit: bool,
    /// The number of branches around, of those in which an unsupported statement exits to the interpreter.
    pub(crate) exits: u32,
    /// For each enclosing loop, how deeply loops nest inside it; a function that is called for its effect counts as a
    /// nest of loops.
    pub(crate) nested: Vec<u32>,
    /// The number of calls and stored items around: objects may stand there that the nest does not hold natively.
    pub(crate) objects: u32,
    /// The parts whose results may have to be recorded.
    pub(crate) points: Vec<Point>,
    /// Where the iterable of the outermost loop of an expression stands that is yet to be converted.
    pub(crate) header_at: Option<TextRange>,
    /// The parts of the site's header that CPython computes before the site begins.
    pub(crate) computed: Vec<Computed>,
    /// The number of points that may change something.
    pub(crate) changes: usize,
    /// The names of enclosing comprehensions, innermost last; empty where they have no value yet.
    pub(crate) inner: Vec<HashMap<String, String>>,
    pub(crate) inner_count: usize,
}

impl<'a> Converter<'a> {
    /// A converter that has converted nothing.
    pub(crate) fn new(source: &'a Source, names: Names<'a>) -> Converter<'a> {
        Converter {
            source,
            names,
            table: PathTable::default(),
            refusals: Vec::new(),
            declared: HashSet::new(),
            returns: false,
            depth: 0,
            loops: 0,
            may_exit: false,
            exits: 0,
            nested: Vec::new(),
            objects: 0,
            points: Vec::new(),
            header_at: None,
            computed: Vec::new(),
            changes: 0,
            inner: Vec::new(),
            inner_count: 0,
        }
    }

    /// Notes a refusal.
    pub(crate) fn refuse_at(&mut self, span: Span, refusal: Refusal) {
        if self.refusals.len() < MAX_REFUSALS {
            self.refusals.push(WithSpan::new(span, refusal));
        }
    }

    /// Notes a refusal at a node; there is no result.
    pub(crate) fn refuse<T>(&mut self, node: &impl Ranged, refusal: Refusal) -> Option<T> {
        self.refuse_at(self.span(node), refusal);
        None
    }

    /// The position of a node.
    pub(crate) fn span(&self, node: &impl Ranged) -> Span {
        self.source.lines.span(node.start().into())
    }

    /// Runs `f` one level deeper, or refuses.
    pub(crate) fn deeper<T>(
        &mut self,
        node: &impl Ranged,
        f: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            return self.refuse(node, Refusal::TooDeep { limit: MAX_DEPTH });
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }
}
