//! Scalars: a typed expression and what is known of its value.

use nestwise_ir::model::nest::{Cast, Const, Expr, ExprKind};
use nestwise_ir::{Scalar, Span, Ty, VarId};

use crate::lowering::build;
use crate::lowering::types::intervals::{self, Range};
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::types::live_ranges::LiveRangeId;

/// The way to tell at run time which of its types a value has.
#[derive(Clone, Debug, Default)]
pub(crate) enum Tag {
    /// The type cannot be told (or there is only one).
    #[default]
    Unknown,
    /// The type is that of the variable of this live range.
    LiveRange(LiveRangeId),
    /// The type is one of these where the bool variable is true.
    Var(VarId, Kinds),
    /// The type is NumPy's if that of any operand is.
    AnyNp(Vec<(Kinds, Tag)>),
    /// The type is that of one value or of the other, by a bool variable.
    Select(VarId, Box<(Kinds, Tag)>, Box<(Kinds, Tag)>),
}

/// A Python int before it is committed to 64 bits: the same value (or, if not `exact`, the same modulo 2**64) in
/// 128 bits, without guards.
#[derive(Clone, Debug)]
pub(crate) struct Wide {
    pub e: Expr,
    pub range: Range,
    pub exact: bool,
    /// The value of a name that may need more than 64 bits went into it: a name that it is given to holds 128 bits.
    pub held: bool,
}

/// A scalar.
#[derive(Clone, Debug)]
pub(crate) struct Sv {
    pub e: Expr,
    /// The types that the value may have; empty where they are not known yet.
    pub kinds: Kinds,
    /// The bounds of the value where it is an int or bool.
    pub range: Range,
    pub wide: Option<Box<Wide>>,
    pub tag: Tag,
    /// The live range that the value is a direct read of, if it is one.
    pub live: Option<LiveRangeId>,
}

impl Sv {
    /// A scalar of these types, of whose value nothing is known but what its representation says.
    pub fn new(e: Expr, kinds: Kinds) -> Sv {
        let all = match e.ty.repr {
            Scalar::I128 => intervals::WIDE,
            repr => intervals::of(repr).unwrap_or(intervals::I64),
        };
        let range = build::const_range(&e).unwrap_or(all);
        Sv {
            e,
            kinds,
            range,
            wide: None,
            tag: Tag::Unknown,
            live: None,
        }
    }
    /// A scalar of one type.
    pub fn of(e: Expr, kind: Kind) -> Sv {
        Sv::new(e, Kinds::of(kind))
    }
    /// The scalar with other bounds.
    pub fn with_range(mut self, range: Range) -> Sv {
        self.range = range;
        self
    }
    /// The scalar with another tag.
    pub fn with_tag(mut self, tag: Tag) -> Sv {
        self.tag = tag;
        self
    }
    /// A value of a type that a later round will know.
    pub fn bottom(span: Span) -> Sv {
        Sv::new(Expr::int(0, span), Kinds::NONE)
    }
    /// Whether the value's type is not known yet.
    pub fn is_bottom(&self) -> bool {
        self.kinds.is_empty()
    }
    /// A literal Python int.
    pub fn int(value: i128, span: Span) -> Sv {
        let kinds = Kinds::of(Kind::PyInt);
        let repr = if intervals::has(intervals::I64, value) {
            Scalar::I64
        } else if intervals::has(intervals::U64, value) {
            Scalar::U64
        } else {
            Scalar::I128
        };
        Sv::new(build::integer(value, Ty::py(repr), span), kinds).with_range((value, value))
    }
    /// A literal Python float.
    pub fn float(value: f64, span: Span) -> Sv {
        Sv::of(build::float(value, Ty::PY_FLOAT, span), Kind::PyFloat)
    }
    /// A literal Python bool.
    pub fn bool(value: bool, span: Span) -> Sv {
        Sv::of(build::boolean(value, Ty::PY_BOOL, span), Kind::PyBool)
    }
    /// The representation of the value.
    pub fn repr(&self) -> Scalar {
        self.e.ty.repr
    }
    /// The position of the expression in the source.
    pub fn span(&self) -> Span {
        self.e.span
    }
    /// Whether the value is certainly an int or a bool.
    pub fn is_int(&self) -> bool {
        self.kinds.integral() && self.repr() != Scalar::Num
    }
    /// The scalar without its uncommitted form.
    pub fn committed(mut self) -> Sv {
        self.wide = None;
        self
    }
    /// The literal's value, if it is an int literal.
    pub fn as_int(&self) -> Option<i128> {
        match self.e.kind {
            ExprKind::Const(Const::Int(v)) => Some(v),
            ExprKind::Const(Const::Bool(v)) => Some(v.into()),
            _ => None,
        }
    }
    /// The literal's value, if it is a float literal.
    pub fn as_float(&self) -> Option<f64> {
        match self.e.kind {
            ExprKind::Const(Const::Float(v)) => Some(v),
            _ => None,
        }
    }
    /// Whether the value is certainly not zero (as a divisor).
    pub fn nonzero(&self) -> bool {
        if self.is_int() {
            return self.range.0 > 0 || self.range.1 < 0;
        }
        match self.e.kind {
            ExprKind::Const(Const::Float(v)) => v != 0.0,
            ExprKind::Const(Const::Int(v)) => v != 0,
            ExprKind::Const(Const::Complex(re, im)) => re != 0.0 || im != 0.0,
            _ => false,
        }
    }

    /// The scalar with its wide form, if it is a Python int of 64 unsigned or 128 bits, which is computed with in 128
    /// bits.
    pub fn with_wide(mut self) -> Sv {
        let wide = matches!(self.repr(), Scalar::U64 | Scalar::I128);
        if wide && self.kinds == Kinds::of(Kind::PyInt) {
            let e = build::cast(Cast::Value, self.e.clone(), Ty::PY_WIDE, false);
            self.wide = Some(Box::new(Wide {
                e,
                range: self.range,
                exact: true,
                held: true,
            }));
        }
        self
    }
}
