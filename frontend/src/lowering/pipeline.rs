//! From a site and the types of its captures to a typed nest.

use std::collections::BTreeSet;

use nestwise_ir::surface::Site;
use nestwise_ir::{Nest, WithSpan};

use crate::lowering::context::Lowering;
use crate::lowering::environment::{Environment, Options};
use crate::lowering::live_outs;
use crate::lowering::names::resolve;
use crate::lowering::types::{facts, live_ranges};
use crate::refusal::{Refusal, refuse};
use crate::site::captures::Capture;

/// Rounds of lowering after which something is wrong.
const ROUND_LIMIT: u32 = 60;

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
        let env = Environment::new(&hir, &webs, captures, options, &mut facts);
        let mut cx = Lowering::new(env);
        let lowered = cx.stmts(&hir.top);
        let nest = lowered.and_then(|()| live_outs::finish(cx));
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
