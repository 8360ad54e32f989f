//! What all kinds of loops have in common: counters, marks for LLVM, iterations that run one by one.

use nestwise_ir::{For, LoopId, Span, Stmt, StmtKind};

use crate::error::Result;
use crate::llvm::{Ir, Md, V};
use crate::lower::control::ranges::Range;
use crate::lower::emitter::Emitter;
use crate::lower::unit::Unit;
use crate::lower::value::Val;

pub(crate) fn is_innermost(body: &[Stmt]) -> bool {
    let mut inner = false;
    for s in body {
        s.walk(&mut |s| inner |= matches!(s.kind, StmtKind::For(_) | StmtKind::While(_)));
    }
    !inner
}

/// Binds a counter for the body. Reads after the loop see the last iteration's value.
pub(crate) fn enter_counter(em: &mut Emitter<'_, '_>, l: &For, v: Val) -> Result<()> {
    let inside = em.unit.scheduled.reads_of_loop(l);
    if em.unit.scheduled.live_after(l.counter, &inside) && !v.wide {
        let home = em.vars.home(&em.lanes, l.counter, false)?;
        home.store(em.ir, v);
    }
    em.vars.fixed.insert(l.counter, v);
    Ok(())
}

/// Says on a loop's jump back whose iterations it runs, and what else is known.
pub(crate) fn mark_loop(ir: &Ir<'_>, branch: V, id: LoopId, facts: &[Md]) {
    let mark = format!("{}{}", crate::shape::MARK, id.index());
    let mut all = vec![ir.md_node(&[ir.md_string(&mark)])];
    all.extend_from_slice(facts);
    ir.set_md(branch, "llvm.loop", ir.md_self_node(&all));
}

/// The line of a loop's head.
pub(crate) fn loop_span(unit: &Unit<'_>, id: LoopId) -> Span {
    let decl = unit.nest.loops.get(id);
    decl.map_or(Span::default(), |d| d.span)
}

/// Runs a part of a loop's range one iteration after the other, without vectors.
pub(crate) fn one_by_one(
    em: &mut Emitter<'_, '_>,
    l: &For,
    range: Range,
    at: Option<V>,
) -> Result<()> {
    em.lanes.edge = Some(l.id);
    let done = em.serial(l, range, at);
    em.lanes.edge = None;
    done
}
