//! Captured values in native form, and the lengths that they give the memory of a nest's own arrays.

use nestwise_ir::{ArrayDecl, ArrayKind, BinOp, Extent, Length, Nest};

use crate::memory::overlap::ArrayView;

/// A captured value in native form.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// The capture is no value: unbound, a function, a module.
    None,
    /// An int that fits 64 bits.
    Int(i64),
    /// An int of 64 bits without sign.
    Uint(u64),
    /// An int that fits 128 bits and no less.
    Wide(i128),
    /// Any real float.
    Float(f64),
    /// A bool.
    Bool(bool),
    /// A complex number.
    Complex(f64, f64),
    /// An array used in place.
    Array(ArrayView),
    /// A sequence that has to be converted before a kernel can work on it.
    Sequence {
        /// The number of its axes.
        rank: usize,
        /// The elements along each axis; those beyond `rank` mean nothing.
        extents: [i64; 8],
    },
    /// The `append` method of a list of that length, with [`ROOM`] for more.
    Append {
        /// The list's elements so far.
        length: i64,
    },
}

/// The number of elements that can be appended to one list before CPython has to take over for a while. Memory that is
/// not touched costs nothing.
pub const ROOM: i64 = 1 << 21;

impl Value {
    /// Whether two numbers are of one kind and the same to the bit.
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Uint(a), Value::Uint(b)) => a == b,
            (Value::Wide(a), Value::Wide(b)) => a == b,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}

/// The number of a growing list's elements that are at the front of its buffer: all, or none if the nest reads none.
pub fn held(nest: &Nest, method: u32, length: i64) -> i64 {
    let reads = |a: &ArrayDecl| a.kind == ArrayKind::Appended && a.capture == method && a.read;
    if nest.arrays.values().any(reads) {
        length
    } else {
        0
    }
}

/// Something that has a value.
pub trait HasValue {
    /// The value.
    fn value(&self) -> &Value;
    /// An element of a sequence, by one subscript for each of its axes; below zero they count from the end. Good for
    /// guesses alone.
    fn element(&self, _at: &[i64]) -> Value {
        Value::None
    }
    /// The number of the text that a `str` is, see `nestwise_ir::model::texts`; `None` for other values.
    fn text(&self) -> Option<u32> {
        None
    }
}

impl HasValue for Value {
    fn value(&self) -> &Value {
        self
    }
}

/// How long the axes of a nest's own memory are, by what is captured; a capture that is not what it should be counts as
/// 0.
pub fn extents<V: HasValue>(nest: &Nest, captures: &[V]) -> impl Fn(Extent) -> i64 {
    move |extent| length(nest, captures, extent).max(0)
}

/// The length of an axis as it is computed, which may be below zero.
fn length<V: HasValue>(nest: &Nest, captures: &[V], extent: Extent) -> i64 {
    let value = |capture: u32| captures.get(capture as usize).map(HasValue::value);
    match extent {
        Extent::Fixed(n) => n.into(),
        Extent::Value { capture, plus } => match value(capture) {
            Some(Value::Int(v)) => v.saturating_add(plus.into()),
            _ => 0,
        },
        Extent::Computed(which) => {
            let Some(Length { op, a, b }) = nest.lengths.get(which as usize) else {
                return 0;
            };
            let [a, b] = [*a, *b].map(|extent| length(nest, captures, extent));
            match op {
                BinOp::Add => a.saturating_add(b),
                BinOp::Sub => a.saturating_sub(b),
                BinOp::Mul => a.saturating_mul(b),
                BinOp::Min => a.min(b),
                BinOp::Max => a.max(b),
                BinOp::FloorDiv if b > 0 => a.div_euclid(b),
                _ => 0,
            }
        }
        Extent::Axis {
            capture,
            axis,
            plus,
        } => match value(capture) {
            Some(Value::Array(ArrayView { extents, .. }) | Value::Sequence { extents, .. }) => {
                extents[axis as usize] + i64::from(plus)
            }
            _ => 0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computed_lengths_end_at_zero() {
        let mut nest = nestwise_ir::testing::nest("", "while False:\n    break");
        let int = |capture| Extent::Value { capture, plus: 0 };
        let of = |op, a, b| Length { op, a, b };
        nest.lengths = vec![
            of(BinOp::Sub, int(0), int(1)),
            of(BinOp::Add, Extent::Computed(0), Extent::Fixed(10)),
            of(BinOp::FloorDiv, Extent::Computed(0), Extent::Fixed(2)),
            of(BinOp::Mul, int(0), int(1)),
            of(BinOp::Max, Extent::Computed(0), Extent::Fixed(1)),
            of(BinOp::Min, int(0), int(1)),
        ];
        let all = |a, b| {
            let captures = [Value::Int(a), Value::Int(b)];
            let long = extents(&nest, &captures);
            (0..6)
                .map(|k| long(Extent::Computed(k)))
                .collect::<Vec<_>>()
        };
        assert_eq!(all(9, 4), [5, 15, 2, 36, 5, 4]);
        // What is below zero on the way counts as that.
        assert_eq!(all(4, 9), [0, 5, 0, 36, 1, 4]);
        assert_eq!(
            all(i64::MAX, -1),
            [i64::MAX, i64::MAX, i64::MAX / 2, 0, i64::MAX, 0]
        );
    }
}
