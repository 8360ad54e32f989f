//! A surface nest and the types of its captures to a typed nest.
//!
//! 1. [`resolve`]: names become locals, calls of the user's functions are inlined.
//! 2. [`webs`]: assignments are grouped into variables.
//! 3. Lowering, in rounds: each round lowers the whole site with what the rounds before have learnt about the
//!    types and ranges of variables ([`facts`]); the round that learns nothing new gives the typed nest.
//!
//! Whatever could differ from CPython is either guarded (an event at run time) or refused here.

pub(crate) mod arrays;
pub(crate) mod build;
pub(crate) mod control;
pub(crate) mod expr;
pub(crate) mod hir;
pub(crate) mod interpreter_cost;
pub(crate) mod lists;
pub(crate) mod liveout;
pub(crate) mod lower;
pub(crate) mod names;
pub(crate) mod objects;
pub(crate) mod scalar;
pub(crate) mod stmt;
#[cfg(test)]
mod tests;
pub(crate) mod types;
pub(crate) mod value;

use std::collections::BTreeSet;

use nestwise_ir::surface::Site;
use nestwise_ir::{FpMode, Nest, Span, WithSpan};

use crate::lowering::names::resolve;
use crate::lowering::types::{facts, live_ranges};
use crate::refusal::Refusal;
use crate::site::captures::Capture;

/// A result that may be a refusal.
type R<T> = Result<T, WithSpan<Refusal>>;

/// Rounds of lowering after which something is wrong.
const ROUND_LIMIT: u32 = 60;

/// What the typed nest depends on besides types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// The minor version of CPython 3: `math.pow(0.0, -inf)` raises up to 10; from 12 on
    /// builtin `sum` of floats is compensated, and `~` of a bool warns.
    pub python_minor: u32,
    /// `np.floor`, `np.ceil` and `np.trunc` of ints are ints: from NumPy 2.1 on.
    pub whole_ints: bool,
    /// The promise about floating point.
    pub fp: FpMode,
}

fn refuse(span: Span, error: Refusal) -> WithSpan<Refusal> {
    WithSpan::new(span, error)
}

/// The typed nest of `site` for captures of these types (see [`crate::site::captures`] for their order), or the reason
/// why CPython must run it.
///
/// Hidden bool variables of the nest (flags of live-outs, tags of provenance) that are read before they are
/// assigned are false at entry.
pub fn specialise(
    site: &Site,
    captures: &[Capture],
    options: Options,
) -> Result<Nest, WithSpan<Refusal>> {
    let hir = resolve::resolve(site, captures)?;
    let mut joined = BTreeSet::new();
    let mut webs = live_ranges::analyse(&hir, &joined);
    if !webs.ends {
        return Err(refuse(site.top.span, Refusal::NeverEnds));
    }
    let mut facts = facts::Facts::new(&hir, &webs, captures);
    for round in 0..ROUND_LIMIT {
        facts.changed = false;
        facts.round = round;
        let mut lower = lower::Lower::new(&hir, &webs, captures, options, &mut facts);
        let lowered = lower.stmts(&hir.top);
        let nest = lowered.and_then(|()| lower.finish());
        if facts.join.take().is_some_and(|local| joined.insert(local)) {
            webs = live_ranges::analyse(&hir, &joined);
            facts = facts::Facts::new(&hir, &webs, captures);
            continue;
        }
        if facts.restart {
            facts = facts.anew(facts::Facts::new(&hir, &webs, captures));
            continue;
        }
        if facts.settle() {
            // What was learnt may be what was missing.
            continue;
        }
        let nest = nest?;
        if cfg!(debug_assertions)
            && let Err(message) = nestwise_ir::verifier::verify(&nest)
        {
            let message = format!("after specialise: {message}");
            return Err(refuse(site.top.span, Refusal::Internal { message }));
        }
        return Ok(nest);
    }
    Err(refuse(
        site.top.span,
        Refusal::Internal {
            message: "types do not settle".into(),
        },
    ))
}
