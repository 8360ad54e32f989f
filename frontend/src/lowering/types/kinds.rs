//! Sets of Python types that a value may have, and the promotion rules.
//!
//! A value has one representation but may be of several types: after `s = 0.0; s += a[i]` over an `ndarray`,
//! `s` is a `float` or an `np.float64`. An operation on such values is allowed when every combination of types
//! computes the same number in the same representation. Promotion is Python's, and NumPy's NEP 50: Python ints,
//! floats and complex numbers are weak against NumPy scalars.

use std::fmt;

use nestwise_ir::surface::BinOp;
use nestwise_ir::{Prov, Scalar, Ty};

/// One Python type of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    PyBool,
    PyInt,
    PyFloat,
    PyComplex,
    Char,
    Np(Scalar),
}

/// NumPy's scalar types, in the order of their bits in [`Kinds`].
const NP: [Scalar; 13] = [
    Scalar::Bool,
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::I64,
    Scalar::U8,
    Scalar::U16,
    Scalar::U32,
    Scalar::U64,
    Scalar::F32,
    Scalar::F64,
    Scalar::C64,
    Scalar::C128,
];
const PY: [Kind; 5] = [
    Kind::PyBool,
    Kind::PyInt,
    Kind::PyFloat,
    Kind::PyComplex,
    Kind::Char,
];

impl Kind {
    fn bit(self) -> u32 {
        match self {
            Kind::Np(scalar) => {
                PY.len() as u32 + NP.iter().position(|s| *s == scalar).unwrap_or(0) as u32
            }
            py => PY.iter().position(|k| *k == py).unwrap_or(0) as u32,
        }
    }
    /// Whether this is one of Python's own types.
    pub fn is_py(self) -> bool {
        !matches!(self, Kind::Np(_))
    }
    /// The representation that holds all values of the type (of Python ints those of 64 bits).
    pub fn natural(self) -> Scalar {
        match self {
            Kind::PyBool => Scalar::Bool,
            Kind::PyInt => Scalar::I64,
            Kind::PyFloat => Scalar::F64,
            Kind::PyComplex => Scalar::C128,
            Kind::Char => Scalar::Char,
            Kind::Np(scalar) => scalar,
        }
    }
    /// Whether this is a bool type.
    pub fn is_bool(self) -> bool {
        self.natural() == Scalar::Bool
    }
    /// Whether this is an int or bool type.
    pub fn is_integral(self) -> bool {
        self.is_bool() || self.natural().is_int()
    }
    /// Whether this is a real float type.
    pub fn is_float(self) -> bool {
        self.natural().is_float()
    }
    /// Whether this is a complex type.
    pub fn is_complex(self) -> bool {
        self.natural().is_complex()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::PyBool => f.write_str("bool"),
            Kind::PyInt => f.write_str("int"),
            Kind::PyFloat => f.write_str("float"),
            Kind::PyComplex => f.write_str("complex"),
            Kind::Char => f.write_str("str"),
            Kind::Np(s) => f.write_str(match s {
                Scalar::Bool => "np.bool",
                Scalar::I8 => "np.int8",
                Scalar::I16 => "np.int16",
                Scalar::I32 => "np.int32",
                Scalar::I64 => "np.int64",
                Scalar::U8 => "np.uint8",
                Scalar::U16 => "np.uint16",
                Scalar::U32 => "np.uint32",
                Scalar::U64 => "np.uint64",
                Scalar::F32 => "np.float32",
                Scalar::F64 => "np.float64",
                Scalar::C64 => "np.complex64",
                Scalar::C128 => "np.complex128",
                _ => "np.generic",
            }),
        }
    }
}

/// A set of types.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Kinds(u32);

impl Kinds {
    pub const NONE: Kinds = Kinds(0);

    /// The set of one type.
    pub fn of(kind: Kind) -> Kinds {
        Kinds(1 << kind.bit())
    }
    /// The set of these types.
    pub fn all(kinds: &[Kind]) -> Kinds {
        kinds
            .iter()
            .fold(Kinds::NONE, |set, k| set.union(Kinds::of(*k)))
    }
    /// The types that a value of a capture's or an element's type may have.
    pub fn of_ty(ty: Ty) -> Kinds {
        match (ty.prov, ty.repr) {
            (Prov::Py, Scalar::Bool) => Kinds::of(Kind::PyBool),
            (Prov::Py, Scalar::Num) => Kinds::all(&[Kind::PyInt, Kind::PyFloat]),
            (Prov::Py, Scalar::Char) => Kinds::of(Kind::Char),
            (Prov::Py, s) if s.is_float() => Kinds::of(Kind::PyFloat),
            (Prov::Py, s) if s.is_complex() => Kinds::of(Kind::PyComplex),
            (Prov::Py, _) => Kinds::of(Kind::PyInt),
            (Prov::Np, s) => Kinds::of(Kind::Np(s)),
            (Prov::Dyn, s) => Kinds::of_ty(Ty::py(s)).union(Kinds::of(Kind::Np(s))),
        }
    }
    /// The types in either set.
    pub fn union(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
    /// The types in both sets.
    pub fn intersect(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }
    /// The types in this set alone.
    pub fn minus(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }
    /// Whether the set is empty: the type is not known yet.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// Whether the type is in the set.
    pub fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind.bit()) != 0
    }
    /// Whether all types of this set are in the other one.
    pub fn within(self, other: Kinds) -> bool {
        self.0 & !other.0 == 0
    }
    /// The number of types in the set.
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }
    /// The types of the set, in a fixed order.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        PY.into_iter()
            .chain(NP.into_iter().map(Kind::Np))
            .filter(move |k| self.has(*k))
    }
    /// The only type, if there is one.
    pub fn single(self) -> Option<Kind> {
        if self.len() == 1 {
            self.iter().next()
        } else {
            None
        }
    }
    /// Whether `f` holds for all types of the set.
    pub fn every(self, f: impl Fn(Kind) -> bool) -> bool {
        !self.is_empty() && self.iter().all(f)
    }
    /// Whether `f` holds for any type of the set.
    pub fn any(self, f: impl Fn(Kind) -> bool) -> bool {
        self.iter().any(f)
    }
    /// The types of the set for which `f` holds.
    pub fn filter(self, f: impl Fn(Kind) -> bool) -> Kinds {
        self.iter()
            .filter(|k| f(*k))
            .fold(Kinds::NONE, |set, k| set.union(Kinds::of(k)))
    }
    /// The NumPy types of the set.
    pub fn numpy(self) -> Kinds {
        Kinds(self.0 & !((1 << PY.len()) - 1))
    }
    /// The provenance of a value of one of these types.
    pub fn prov(self) -> Prov {
        match (self.any(Kind::is_py), self.numpy().is_empty()) {
            (true, false) => Prov::Dyn,
            (false, false) => Prov::Np,
            _ => Prov::Py,
        }
    }
    /// The type of an expression of these types in a representation.
    pub fn ty(self, repr: Scalar) -> Ty {
        Ty {
            prov: self.prov(),
            repr,
        }
    }
    /// Whether all types of the set are ints or bools.
    pub fn integral(self) -> bool {
        self.every(Kind::is_integral)
    }
    /// Whether all types of the set are Python ints or bools.
    pub fn py_integral(self) -> bool {
        self.every(|k| k.is_integral() && k.is_py())
    }
}

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, kind) in self.iter().enumerate() {
            write!(f, "{}{kind}", if k == 0 { "" } else { " or " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// NumPy's `promote_types` on the supported types; `None` where the result is not supported.
fn promote(a: Scalar, b: Scalar) -> Option<Scalar> {
    use Scalar as S;
    if a == b {
        return Some(a);
    }
    if a == S::Bool {
        return Some(b);
    }
    if b == S::Bool {
        return Some(a);
    }
    if a.is_complex() || b.is_complex() {
        // A 64-bit complex number with anything is refused where it would stay one.
        return if a == S::C128 || b == S::C128 {
            Some(S::C128)
        } else {
            None
        };
    }
    if a.is_float() || b.is_float() {
        let (float, other) = if a.is_float() { (a, b) } else { (b, a) };
        let wide = float == S::F64 || other == S::F64 || (other.is_int() && other.bits() > 16);
        return Some(if wide { S::F64 } else { S::F32 });
    }
    if a.is_signed() == b.is_signed() {
        return Some(if a.bits() > b.bits() { a } else { b });
    }
    let (signed, unsigned) = if a.is_signed() { (a, b) } else { (b, a) };
    // The smallest signed type that holds both.
    let bits = signed.bits().max(unsigned.bits() * 2);
    match bits {
        16 => Some(S::I16),
        32 => Some(S::I32),
        64 => Some(S::I64),
        _ => Some(S::F64),
    }
}

/// NumPy's type of a value of this kind where it stands alone.
pub(crate) fn alone(kind: Kind) -> Option<Scalar> {
    match kind {
        Kind::Char => None,
        kind => Some(kind.natural()),
    }
}

/// The common NumPy type of two values, at least one of which is NumPy's, by NEP 50.
fn nep50(a: Kind, b: Kind) -> Option<Scalar> {
    use Scalar as S;
    let strong = |weak: Kind, s: S| match weak {
        Kind::PyBool => promote(S::Bool, s),
        Kind::PyInt => Some(if s == S::Bool { S::I64 } else { s }),
        Kind::PyFloat => Some(if s.is_float() || s.is_complex() {
            s
        } else {
            S::F64
        }),
        Kind::PyComplex => match s {
            S::F32 | S::C64 => None,
            _ => Some(S::C128),
        },
        Kind::Char | Kind::Np(_) => None,
    };
    match (a, b) {
        (Kind::Np(a), Kind::Np(b)) => promote(a, b),
        (Kind::Np(s), weak) | (weak, Kind::Np(s)) => strong(weak, s),
        _ => None,
    }
}

/// The common NumPy type of the arguments of a ufunc. Python scalars alone count as NumPy's default types.
pub(crate) fn ufunc_type(a: Kind, b: Kind) -> Option<Scalar> {
    match (a, b) {
        (Kind::Np(_), _) | (_, Kind::Np(_)) => nep50(a, b),
        _ => promote(alone(a)?, alone(b)?),
    }
}

/// The type two Python numbers are computed in.
fn python(a: Kind, b: Kind) -> Option<Kind> {
    if a == Kind::Char || b == Kind::Char {
        return None;
    }
    Some(if a == Kind::PyComplex || b == Kind::PyComplex {
        Kind::PyComplex
    } else if a == Kind::PyFloat || b == Kind::PyFloat {
        Kind::PyFloat
    } else {
        Kind::PyInt
    })
}

/// The rule of one combination of operand types: the representation in which it is computed, and the type of the
/// result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rule {
    pub compute: Scalar,
    pub result: Kind,
}

/// A pair of operand types for which NumPy is never asked: `np.float64` is a `float`, so a `complex` on the left takes
/// it.
const COMPLEX_TAKES_FLOAT64: (Kind, Kind) = (Kind::PyComplex, Kind::Np(Scalar::F64));

/// The rule of a binary operator; `None` where CPython raises or the combination is not supported.
pub(crate) fn binary(op: BinOp, a: Kind, b: Kind) -> Option<Rule> {
    if a.is_py() && b.is_py() {
        return python_binary(op, a, b);
    }
    if (a, b) == COMPLEX_TAKES_FLOAT64 {
        return python_binary(op, a, Kind::PyFloat);
    }
    let s = nep50(a, b)?;
    if s == Scalar::C64 || (s == Scalar::Bool && !bool_operator(op)) {
        return None;
    }
    let np = |s: Scalar| {
        Some(Rule {
            compute: s,
            result: Kind::Np(s),
        })
    };
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul => np(s),
        BinOp::Div => np(if s.is_int() || s == Scalar::Bool {
            Scalar::F64
        } else {
            s
        }),
        BinOp::FloorDiv | BinOp::Mod | BinOp::Pow => (!s.is_complex()).then(|| np(s)).flatten(),
        BinOp::Shl | BinOp::Shr => s.is_int().then(|| np(s)).flatten(),
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => {
            (s.is_int() || s == Scalar::Bool).then(|| np(s)).flatten()
        }
    }
}

/// Whether NumPy defines an operator on two bools without leaving bools (`/` gives a float64); the other operators
/// raise or give an int8.
fn bool_operator(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::Add | BinOp::Mul | BinOp::Div | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor
    )
}

fn python_binary(op: BinOp, a: Kind, b: Kind) -> Option<Rule> {
    let common = python(a, b)?;
    let rule = |result: Kind| {
        Some(Rule {
            compute: result.natural(),
            result,
        })
    };
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul => rule(common),
        BinOp::Div => rule(if common == Kind::PyInt {
            Kind::PyFloat
        } else {
            common
        }),
        BinOp::FloorDiv | BinOp::Mod | BinOp::Pow if common == Kind::PyComplex => None,
        BinOp::FloorDiv | BinOp::Mod | BinOp::Pow => rule(common),
        _ if common != Kind::PyInt => None,
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor if a == Kind::PyBool && b == Kind::PyBool => {
            rule(Kind::PyBool)
        }
        _ => rule(Kind::PyInt),
    }
}

/// The rule of a comparison: the representation in which it is computed, and whether ints must convert exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CompareRule {
    pub compute: Scalar,
    /// Whether ints must convert exactly: Python compares an int with a float exactly, NumPy after rounding the int.
    pub exact: bool,
    pub result: Kind,
}

/// The rule of a comparison; `ordered` is true for `<` and its like.
pub(crate) fn compare(ordered: bool, a: Kind, b: Kind) -> Option<CompareRule> {
    use Scalar as S;
    if (a, b) == COMPLEX_TAKES_FLOAT64 {
        return compare(ordered, a, Kind::PyFloat);
    }
    let result = if a.is_py() && b.is_py() {
        Kind::PyBool
    } else {
        Kind::Np(S::Bool)
    };
    if a == Kind::Char || b == Kind::Char {
        return (a == b).then_some(CompareRule {
            compute: S::Char,
            exact: false,
            result,
        });
    }
    if a.is_integral() && b.is_integral() {
        let wide = a.natural() == S::U64 || b.natural() == S::U64;
        let compute = if a.is_bool() && b.is_bool() && !ordered {
            S::Bool
        } else if wide && a.natural() != b.natural() {
            S::I128
        } else if wide {
            S::U64
        } else {
            S::I64
        };
        return Some(CompareRule {
            compute,
            exact: false,
            result,
        });
    }
    let compute = if result == Kind::PyBool {
        python(a, b)?.natural()
    } else {
        nep50(a, b)?
    };
    if compute == S::C64 || (compute == S::C128 && ordered) {
        return None;
    }
    Some(CompareRule {
        compute,
        exact: result == Kind::PyBool,
        result,
    })
}

/// Whether a value of this type is held as itself in this representation.
pub(crate) fn natural_in(kind: Kind, repr: Scalar) -> bool {
    match repr {
        Scalar::Num => matches!(kind, Kind::PyInt | Kind::PyFloat),
        Scalar::U64 | Scalar::I128 if kind == Kind::PyInt => true,
        _ => kind.natural() == repr,
    }
}

/// NumPy's type of an element of this kind.
pub(crate) fn kind_ty(kind: Kind) -> Ty {
    Ty::np(kind.natural())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Scalar as S;

    #[test]
    fn promotion_is_numpys() {
        let cases = [
            (S::U8, S::I8, S::I16),
            (S::U32, S::I32, S::I64),
            (S::U64, S::I64, S::F64),
            (S::I16, S::F32, S::F32),
            (S::I32, S::F32, S::F64),
            (S::U16, S::F32, S::F32),
            (S::Bool, S::U8, S::U8),
            (S::F32, S::F64, S::F64),
            (S::F32, S::C128, S::C128),
            (S::U8, S::U16, S::U16),
        ];
        for (a, b, want) in cases {
            assert_eq!(promote(a, b), Some(want), "{a} {b}");
            assert_eq!(promote(b, a), Some(want), "{b} {a}");
        }
    }

    #[test]
    fn weak_scalars() {
        let rule = |op, a, b| binary(op, a, b).map(|r| r.result);
        assert_eq!(
            rule(BinOp::Add, Kind::Np(S::F32), Kind::PyFloat),
            Some(Kind::Np(S::F32))
        );
        assert_eq!(
            rule(BinOp::Add, Kind::Np(S::I8), Kind::PyInt),
            Some(Kind::Np(S::I8))
        );
        assert_eq!(
            rule(BinOp::Add, Kind::Np(S::I8), Kind::PyFloat),
            Some(Kind::Np(S::F64))
        );
        assert_eq!(
            rule(BinOp::Add, Kind::Np(S::Bool), Kind::PyInt),
            Some(Kind::Np(S::I64))
        );
        assert_eq!(
            rule(BinOp::Div, Kind::Np(S::I8), Kind::Np(S::I8)),
            Some(Kind::Np(S::F64))
        );
        assert_eq!(rule(BinOp::Sub, Kind::Np(S::Bool), Kind::PyBool), None);
        assert_eq!(
            rule(BinOp::BitAnd, Kind::Np(S::U64), Kind::Np(S::I64)),
            None
        );
        assert_eq!(
            rule(BinOp::Add, Kind::PyBool, Kind::PyBool),
            Some(Kind::PyInt)
        );
        assert_eq!(
            rule(BinOp::BitXor, Kind::PyBool, Kind::PyBool),
            Some(Kind::PyBool)
        );
        assert_eq!(rule(BinOp::Pow, Kind::PyComplex, Kind::PyInt), None);
    }

    #[test]
    fn comparisons_of_ints_are_exact() {
        let rule = compare(true, Kind::Np(S::U64), Kind::Np(S::I64));
        assert_eq!(rule.map(|r| r.compute), Some(S::I128));
        let rule = compare(true, Kind::PyInt, Kind::PyFloat);
        assert_eq!(rule.map(|r| (r.compute, r.exact)), Some((S::F64, true)));
        let rule = compare(true, Kind::Np(S::F32), Kind::PyInt);
        assert_eq!(rule.map(|r| (r.compute, r.exact)), Some((S::F32, false)));
        assert_eq!(compare(true, Kind::PyComplex, Kind::PyInt), None);
    }
}
