//! Calls of CPython ([`nw_host`](crate::link::host::nw_host)): the kernel hands scalars over in cells, and finds the value in one.

use std::ffi::CString;

use nestwise_ir::machine_shape::{ENTRY_CALL, HOST_CALL};
use nestwise_ir::{Expr, FragmentId, Kept};

use crate::abi::GuardFailure;
use crate::error::{Result, invalid};
use crate::link::host::CELL;
use crate::llvm::IntPred;
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::value::Val;
use crate::lower::{entry, sequence};

/// Emits the call of a fragment with these scalars. The call may read and write any memory that the kernel can.
pub(crate) fn host_call(
    em: &mut Emitter<'_, '_>,
    fragment: FragmentId,
    args: &[Expr],
    e: &Expr,
) -> Result<Val> {
    if !em.goes_through_nest() || guards::continues(em) {
        return invalid("a call of CPython in a loop that does not run in order");
    }
    let mut values = Vec::with_capacity(args.len());
    for a in args {
        values.push(em.expr(a)?);
    }
    let declared = em.unit.nest.fragments.get(fragment);
    let mut call = |em: &mut Emitter<'_, '_>| called(em, fragment, args, &values, e);
    let Some(declared) = declared else {
        return Ok(call(em));
    };
    Ok(match &declared.kept {
        Some(Kept::Entry(of)) => {
            entry::perform(em, fragment, (declared, of), &values, e, &mut call)
        }
        Some(Kept::Sequence(of)) => {
            sequence::perform(em, fragment, (declared, of), &values, e, &mut call)
        }
        None => call(em),
    })
}

fn called(
    em: &mut Emitter<'_, '_>,
    fragment: FragmentId,
    args: &[Expr],
    values: &[Val],
    e: &Expr,
) -> Val {
    let ir = em.ir;
    let cells = ir.alloca_aligned(
        ir.array(ir.i8(), (CELL * args.len().max(1)) as u64),
        CELL as u32,
    );
    for (k, (a, value)) in args.iter().zip(values).enumerate() {
        em.unit
            .store_cell(a.ty.repr, *value, ir.offset_const(cells, CELL * k));
    }
    let id = ir.const_i64(fragment.index() as i64);
    let symbol = match em.unit.nest.fragments.get(fragment) {
        Some(f) if f.kept.is_some() => ENTRY_CALL.to_owned(),
        f => format!("{HOST_CALL}{:.0}", f.map_or(1.0, |f| f.work) * 10.0),
    };
    let symbol = CString::new(symbol).unwrap_or_default();
    let failed = em.unit.writing_call(&symbol, ir.i64(), &[id, cells]);
    let bad = ir.icmp(IntPred::LLVMIntNE, failed, ir.const_i64(0));
    guards::fail_where(em, bad, false, GuardFailure::HostCall, e.span);
    em.unit.load_cell(e.ty.repr, cells)
}
