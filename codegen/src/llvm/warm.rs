//! Warming LLVM up before the first kernel of a process.
//!
//! The first kernel of a process takes twice as long as later ones: pages of the library are read, a target machine and
//! its tables are made. Whoever knows that a kernel is likely to be wanted soon can have that done before.

use std::panic::catch_unwind;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use inkwell::attributes::AttributeLoc;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::targets::FileType;
use inkwell::{AddressSpace, FloatPredicate, IntPredicate};
use nestwise_ir::Tier;

use crate::error::{CodegenError, Result};
use crate::llvm::passes::{self, Code};
use crate::target::Host;

static DONE: Once = Once::new();
static BEGUN: AtomicBool = AtomicBool::new(false);
static USED: AtomicBool = AtomicBool::new(false);

/// Makes quick code of a small loop that nobody runs, the first time it is called; later calls return at once.
pub fn warm_up() {
    BEGUN.store(true, Ordering::Relaxed);
    DONE.call_once(|| {
        // Whoever makes a kernel finds out what is wrong, panics included.
        let _ = catch_unwind(make);
    });
}

/// Whether a thread has begun to warm LLVM up.
pub fn is_begun() -> bool {
    BEGUN.load(Ordering::Relaxed)
}

/// Whether code made from now on takes no longer than any other.
pub fn is_warm() -> bool {
    DONE.is_completed() || USED.load(Ordering::Relaxed)
}

/// Notes that code is being made, warmed up or not.
pub(crate) fn used() {
    USED.store(true, Ordering::Relaxed);
}

/// Waits until a warm-up that another thread has begun is over: its target machine is of use.
pub(crate) fn wait() {
    if is_begun() {
        warm_up();
    }
}

fn make() -> Result<()> {
    let host = Host::get()?;
    let context = Context::create();
    host.with_machine(Tier::Quick, |machine| {
        let module = context.create_module("warm");
        module.set_triple(&machine.get_triple());
        module.set_data_layout(&machine.get_target_data().get_data_layout());
        fill(&context, &module, host).map_err(|e| CodegenError::Llvm(e.to_string()))?;
        passes::optimise(&module, machine, Code::Quick, false)?;
        machine
            .write_to_memory_buffer(&module, FileType::Object)
            .map(drop)
            .map_err(|e| CodegenError::Llvm(e.to_string()))
    })
}

/// Emits `while i < n: if a[i] < 1.0: a[i] = a[i] * 2.0; i += 1`, with `i` in memory, as the emitter makes variables.
fn fill<'c>(
    context: &'c Context,
    module: &Module<'c>,
    host: &Host,
) -> std::result::Result<(), inkwell::builder::BuilderError> {
    let (int, float) = (context.i64_type(), context.f64_type());
    let pointer = context.ptr_type(AddressSpace::default());
    let kind = context
        .void_type()
        .fn_type(&[pointer.into(), int.into()], false);
    let function = module.add_function("warm", kind, None);
    for (key, value) in host.attributes() {
        let attribute = context.create_string_attribute(key, &value);
        function.add_attribute(AttributeLoc::Function, attribute);
    }
    let block = |name| context.append_basic_block(function, name);
    let (entry, head, body) = (block("entry"), block("head"), block("body"));
    let (then, next, end) = (block("then"), block("next"), block("end"));
    let parameter = |n| function.get_nth_param(n);
    let (Some(array), Some(count)) = (parameter(0), parameter(1)) else {
        return Ok(());
    };
    let b = context.create_builder();
    b.position_at_end(entry);
    let at = b.build_alloca(int, "i")?;
    b.build_store(at, int.const_zero())?;
    b.build_unconditional_branch(head)?;
    b.position_at_end(head);
    let i = b.build_load(int, at, "")?.into_int_value();
    let goes_on = b.build_int_compare(IntPredicate::SLT, i, count.into_int_value(), "")?;
    b.build_conditional_branch(goes_on, body, end)?;
    b.position_at_end(body);
    // SAFETY: nobody runs it.
    let place = unsafe { b.build_gep(float, array.into_pointer_value(), &[i], "")? };
    let value = b.build_load(float, place, "")?.into_float_value();
    let one = float.const_float(1.0);
    let small = b.build_float_compare(FloatPredicate::OLT, value, one, "")?;
    b.build_conditional_branch(small, then, next)?;
    b.position_at_end(then);
    let double = b.build_float_mul(value, float.const_float(2.0), "")?;
    b.build_store(place, double)?;
    b.build_unconditional_branch(next)?;
    b.position_at_end(next);
    let more = b.build_int_add(i, int.const_int(1, false), "")?;
    b.build_store(at, more)?;
    b.build_unconditional_branch(head)?;
    b.position_at_end(end);
    b.build_return(None)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_that_nobody_runs_is_well_formed() {
        let host = Host::get().unwrap();
        let context = Context::create();
        let module = context.create_module("warm");
        fill(&context, &module, host).unwrap();
        module.verify().unwrap();
        make().unwrap();
    }
}
