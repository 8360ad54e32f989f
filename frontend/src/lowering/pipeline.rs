//! Takes a surface nest and the types of its captures to a typed nest: the stages, and the passes at the end.

use std::collections::BTreeSet;

use nestwise_ir::surface::Site;
use nestwise_ir::{Nest, WithSpan, verifier};

use crate::lowering::context::Lowering;
use crate::lowering::environment::{Environment, Options};
use crate::lowering::hir::Hir;
use crate::lowering::host_call;
use crate::lowering::live_outs;
use crate::lowering::names::resolve;
use crate::lowering::passes::{joint_updates, opaque_objects};
use crate::lowering::types::facts::{Facts, Learnt};
use crate::lowering::types::live_ranges::{self, LiveRanges};
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::Capture;

/// A pass over the typed nest.
struct Pass {
    /// The name under which the verifier reports a nest that the pass has broken.
    name: &'static str,
    /// Rewrites the nest, or refuses it.
    run: fn(&mut Nest) -> R<()>,
}

/// The passes over the nest that lowering gives, in their order.
const PASSES: [Pass; 2] = [
    // A maximum whose type changes becomes a statement in which analyses see the maximum.
    Pass {
        name: "joint updates",
        run: joint_updates::set_together,
    },
    // Last: attributes have become arrays of their own, so whatever still looks into an object is not supported.
    Pass {
        name: "opaque objects",
        run: opaque_objects::refuse_looking_inside,
    },
];

/// The number of rounds of lowering after which types are taken never to settle.
const ROUND_LIMIT: u32 = 60;

/// The typed nest of `site` for captures of these types (see [`crate::site::captures`] for their order).
///
/// Hidden bool variables of the nest (flags of live-outs, tags of provenance) that are read before they are
/// assigned are false at entry.
///
/// # Errors
/// The reason why CPython must run the site.
pub fn specialise(
    site: &Site,
    captures: &[Capture],
    options: Options,
) -> Result<Nest, WithSpan<Refusal>> {
    let hir = resolve::resolve(site, captures, options.frames)?;
    let mut nest = lower(site, &hir, captures, options)?;
    host_call::refuse_conflicts(&nest, captures)?;
    verify(&nest, "lowering")?;
    for pass in &PASSES {
        (pass.run)(&mut nest)?;
        verify(&nest, pass.name)?;
    }
    Ok(nest)
}

/// Verifies the nest that `stage` gives, in builds with debug assertions.
fn verify(nest: &Nest, stage: &str) -> R<()> {
    if cfg!(debug_assertions)
        && let Err(message) = verifier::verify(nest)
    {
        let message = format!("after {stage}: {message}");
        return Err(refuse(nest.top.span, Refusal::Internal { message }));
    }
    Ok(())
}

/// Lowers the site in rounds, each with what the rounds before have learnt of the types and ranges of variables, until
/// one learns nothing. A refusal counts in that round alone: what is learnt may be what was missing.
fn lower(site: &Site, hir: &Hir, captures: &[Capture], options: Options) -> R<Nest> {
    let mut joined = BTreeSet::new();
    let mut live_ranges = live_ranges::analyse(hir, &joined);
    if !live_ranges.ends {
        return Err(refuse(site.top.span, Refusal::NeverEnds));
    }
    let mut facts = Facts::new(hir, &live_ranges, captures);
    for round in 0..ROUND_LIMIT {
        facts.begin_round(round);
        let nest = lower_once(hir, &live_ranges, captures, options, &mut facts);
        match facts.end_round(&joined) {
            Learnt::OneMemory(local) => {
                joined.insert(local);
                live_ranges = live_ranges::analyse(hir, &joined);
                facts = Facts::new(hir, &live_ranges, captures);
            }
            Learnt::Carried => facts = facts.anew(Facts::new(hir, &live_ranges, captures)),
            Learnt::More => {}
            Learnt::Nothing => return nest,
        }
    }
    let message = "types do not settle".into();
    Err(refuse(site.top.span, Refusal::Internal { message }))
}

/// Lowers the site once, with the facts that are known so far.
fn lower_once(
    hir: &Hir,
    live_ranges: &LiveRanges,
    captures: &[Capture],
    options: Options,
    facts: &mut Facts,
) -> R<Nest> {
    let mut cx = Lowering::new(Environment::new(hir, live_ranges, captures, options, facts));
    cx.block(&hir.top)?;
    live_outs::finish(cx)
}
