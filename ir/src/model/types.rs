//! Scalar types: a representation and a provenance.

use std::fmt;

/// How a value is represented; for array elements, how it is stored.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum Scalar {
    /// A bool: one byte in memory, `i1` in registers.
    Bool,
    /// A signed integer of 8 bits.
    I8,
    /// A signed integer of 16 bits.
    I16,
    /// A signed integer of 32 bits.
    I32,
    /// A signed integer of 64 bits.
    I64,
    /// An unsigned integer of 8 bits.
    U8,
    /// An unsigned integer of 16 bits.
    U16,
    /// An unsigned integer of 32 bits.
    U32,
    /// An unsigned integer of 64 bits.
    U64,
    /// A Python int of up to 128 bits: an intermediate, or the value of a variable; no element of an array.
    I128,
    /// A float of IEEE single precision.
    F32,
    /// A float of IEEE double precision.
    F64,
    /// A complex number of two `f32`.
    C64,
    /// A complex number of two `f64`.
    C128,
    /// A Python number that is an int or a float, known only at run time (a list that holds both): an `f64`
    /// value and an `i1` tag, true for int. Ints beyond 2**53 are guard failures. In memory: a plane of `f64`
    /// and, behind it, a plane of tag bytes.
    Num,
    /// A `str`, by its [number](crate::model::texts): that of one character is its code point.
    Char,
}

impl Scalar {
    /// Every representation.
    pub const ALL: [Scalar; 16] = [
        Self::Bool,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::I128,
        Self::F32,
        Self::F64,
        Self::C64,
        Self::C128,
        Self::Num,
        Self::Char,
    ];
    /// The size in bytes of one stored element (of the value plane for [`Scalar::Num`]).
    pub fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 | Self::Char => 4,
            Self::I64 | Self::U64 | Self::F64 | Self::C64 | Self::Num => 8,
            Self::I128 | Self::C128 => 16,
        }
    }
    /// Whether this is an integer representation (bool and char excluded).
    pub fn is_int(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }
    /// Whether this is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::I128
        )
    }
    /// Whether this is an unsigned integer.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }
    /// Whether this is a real floating-point representation.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
    /// Whether this is a complex representation.
    pub fn is_complex(self) -> bool {
        matches!(self, Self::C64 | Self::C128)
    }
    /// The number of bits of an integer representation.
    pub fn bits(self) -> u32 {
        self.size() as u32 * 8
    }
    /// The smallest and the largest value of an integer representation (bool counts as 0..=1).
    pub fn int_range(self) -> Option<(i128, i128)> {
        match self {
            Self::Bool => Some((0, 1)),
            Self::I128 => Some((i128::MIN, i128::MAX)),
            s if s.is_signed() => Some((-(1i128 << (s.bits() - 1)), (1i128 << (s.bits() - 1)) - 1)),
            s if s.is_unsigned() => Some((0, (1i128 << s.bits()) - 1)),
            _ => None,
        }
    }
}

/// The largest magnitude of a Python int that a variable of [`Scalar::I128`] holds between two iterations. Less than what
/// 128 bits hold, so that sums and products with ints of 64 bits are exact.
pub const WIDEST: i128 = 1 << 120;

/// Where a value comes from: it decides promotion (NEP 50) and the type that a result is boxed to.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum Prov {
    /// A Python `int`, `float`, `bool`, `complex`, or a character.
    Py,
    /// A NumPy scalar.
    Np,
    /// Python's or NumPy's, with one representation; the variable's shadow tag says which at run time
    /// ([`crate::VarDecl::np_tag`]).
    Dyn,
}

/// The type of a scalar expression.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Ty {
    /// The provenance of the value.
    pub prov: Prov,
    /// The representation of the value.
    pub repr: Scalar,
}

impl Ty {
    /// Python `bool`.
    pub const PY_BOOL: Ty = Ty::py(Scalar::Bool);
    /// Python `int` that fits 64 bits.
    pub const PY_INT: Ty = Ty::py(Scalar::I64);
    /// Python `int` of up to 128 bits.
    pub const PY_WIDE: Ty = Ty::py(Scalar::I128);
    /// Python `float`.
    pub const PY_FLOAT: Ty = Ty::py(Scalar::F64);
    /// Python `complex`.
    pub const PY_COMPLEX: Ty = Ty::py(Scalar::C128);
    /// Python number, int or float by a run-time tag.
    pub const PY_NUM: Ty = Ty::py(Scalar::Num);
    /// A character of a `str`.
    pub const CHAR: Ty = Ty::py(Scalar::Char);
    /// `np.bool`.
    pub const NP_BOOL: Ty = Ty::np(Scalar::Bool);

    /// A Python type.
    pub const fn py(repr: Scalar) -> Ty {
        Ty {
            prov: Prov::Py,
            repr,
        }
    }
    /// A NumPy scalar type.
    pub const fn np(repr: Scalar) -> Ty {
        Ty {
            prov: Prov::Np,
            repr,
        }
    }
    /// The narrowest type that covers both, if they share a representation.
    pub fn join(self, other: Ty) -> Option<Ty> {
        if self.repr != other.repr {
            return None;
        }
        Some(if self.prov == other.prov {
            self
        } else {
            Ty {
                prov: Prov::Dyn,
                repr: self.repr,
            }
        })
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::I128 => "i128",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::C64 => "c64",
            Self::C128 => "c128",
            Self::Num => "num",
            Self::Char => "char",
        })
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prov = match self.prov {
            Prov::Py => "py",
            Prov::Np => "np",
            Prov::Dyn => "dyn",
        };
        write!(f, "{prov}.{}", self.repr)
    }
}

impl fmt::Debug for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
