//! The frame of a launch: what a kernel finds its arrays and variables in.

use nestwise_codegen::abi::FrameHeader;
use nestwise_ir::{Nest, Scalar};

use crate::kernel::Kernel;
use crate::memory::overlap::ArrayView;
use crate::plan::sizes::TopRange;
use crate::reason::Reason;
use crate::value::{HasValue, Value, held};

/// The header of a frame.
pub(super) fn header_mut(frame: &mut [u128]) -> &mut FrameHeader {
    // SAFETY: every frame starts with a header.
    unsafe { &mut *frame.as_mut_ptr().cast() }
}

/// A frame for a kernel of a nest, filled with what a call has captured; the error names the value that does not fit.
pub(super) fn fill<V: HasValue>(
    nest: &Nest,
    kernel: &Kernel,
    top: Option<TopRange>,
    views: &[ArrayView],
    captures: &[V],
) -> Result<Vec<u128>, Reason> {
    let layout = &kernel.layout;
    let mut frame = vec![0u128; layout.size.div_ceil(16)];
    let base = frame.as_mut_ptr().cast::<u8>();
    // SAFETY: every offset below is the layout's, inside the frame just made; slots are 16 bytes and aligned.
    unsafe {
        (*base.cast::<FrameHeader>()).trips = top.map_or(0, |t| t.trips);
        for (id, view) in nest.arrays.ids().zip(views) {
            let Some(slot) = layout.slot(id) else {
                continue;
            };
            *base.add(slot.ptr).cast() = view.ptr;
            for axis in 0..slot.rank {
                *base.add(slot.extents + 8 * axis).cast() = view.extents[axis];
                *base.add(slot.strides + 8 * axis).cast() = view.strides[axis];
            }
            if let Some(tags) = slot.tags {
                *base.add(tags).cast() = view.tags;
            }
            *base.add(slot.origin).cast() = i64::from(id.0);
        }
        for (id, var) in kernel.about.nest.vars.iter() {
            let Some(capture) = var.live_in else { continue };
            let Some(offset) = layout.var(id) else {
                continue;
            };
            let slot = base.add(offset);
            let value = captures.get(capture as usize).map(HasValue::value);
            let value = value.filter(|v| !matches!(v, Value::None));
            let value = value.ok_or_else(|| Reason::Unbound(var.name.clone()))?;
            let value = match value {
                Value::Append { length } => &Value::Int(held(nest, capture, *length)),
                Value::Array(_) | Value::Sequence { .. } => match captures[capture as usize].text()
                {
                    Some(number) => &Value::Int(number.into()),
                    None => value,
                },
                other => other,
            };
            if !store(slot, var.ty.repr, value) {
                return Err(Reason::Inexact(var.name.clone()));
            }
        }
    }
    Ok(frame)
}

/// Whether a representation holds an int exactly.
fn holds(repr: Scalar, v: i128) -> bool {
    match repr {
        Scalar::F32 | Scalar::C64 => v.unsigned_abs() <= 1 << 24,
        Scalar::F64 | Scalar::C128 | Scalar::Num => v.unsigned_abs() <= 1 << 53,
        Scalar::Char => u32::try_from(v).is_ok(),
        repr => repr
            .int_range()
            .is_some_and(|(lo, hi)| (lo..=hi).contains(&v)),
    }
}

/// Writes a captured value in a variable's representation; false if that would be another value.
///
/// # Safety
///
/// `slot` is 16 writable, aligned bytes.
pub(super) unsafe fn store(slot: *mut u8, repr: Scalar, value: &Value) -> bool {
    // SAFETY: as promised by the caller.
    unsafe {
        // What a variable starts from converts without loss: a Python 0 that becomes a float, say.
        let (re, im) = match value {
            Value::Int(v) => (*v as f64, 0.0),
            Value::Uint(v) => (*v as f64, 0.0),
            Value::Wide(v) => (*v as f64, 0.0),
            Value::Bool(v) => (f64::from(u8::from(*v)), 0.0),
            Value::Float(v) => (*v, 0.0),
            Value::Complex(re, im) => (*re, *im),
            _ => return false,
        };
        match (repr, value) {
            (_, Value::Int(v)) if !holds(repr, (*v).into()) => return false,
            (_, Value::Uint(v)) if !holds(repr, (*v).into()) => return false,
            (_, Value::Wide(v)) if !holds(repr, *v) => return false,
            (Scalar::F32, Value::Float(v)) if f64::from(*v as f32) != *v && !v.is_nan() => {
                return false;
            }
            (Scalar::C128, _) => *slot.cast() = [re, im],
            (Scalar::C64, _) => *slot.cast() = [re as f32, im as f32],
            (_, Value::Complex(..)) => return false,
            (Scalar::Bool, Value::Bool(v)) => *slot = u8::from(*v),
            (Scalar::F64, _) => *slot.cast() = re,
            (Scalar::F32, _) => *slot.cast() = re as f32,
            (Scalar::Num, _) => {
                *slot.cast() = re;
                *slot.add(8) = u8::from(!matches!(value, Value::Float(_)));
            }
            (Scalar::Char, Value::Int(v)) => *slot.cast() = *v as u32,
            (Scalar::U64, Value::Uint(v)) => *slot.cast() = *v,
            (Scalar::I128, Value::Uint(v)) => *slot.cast() = i128::from(*v),
            (Scalar::I128, Value::Int(v)) => *slot.cast() = i128::from(*v),
            (Scalar::I128, Value::Wide(v)) => *slot.cast() = *v,
            // Little-endian: the low bytes are the narrower value.
            (r, Value::Int(v)) if r.is_int() => *slot.cast() = *v,
            (r, Value::Uint(v)) if r.is_int() => *slot.cast() = *v,
            (r, Value::Bool(v)) if r.is_int() => *slot.cast() = i64::from(*v),
            _ => return false,
        }
    }
    true
}
