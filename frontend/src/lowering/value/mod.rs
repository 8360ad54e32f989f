//! Values during lowering: typed expressions together with what is known about them.

pub(crate) mod scalar;
pub(crate) mod section;
pub(crate) mod tree;
pub(crate) mod view;

use nestwise_ir::model::nest::Expr;

use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::Section;
use crate::lowering::value::tree::Elementwise;
use crate::lowering::value::view::View;

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Scalar(Sv),
    View(View),
    /// A part of an array, or an array that is computed from such parts.
    Array(Box<Elementwise>),
    Tuple(Vec<Val>),
    /// A new list that has no name yet.
    List(Box<Elementwise>),
    /// A list of the nest's own whose length only running tells: the first elements of its memory.
    Counted(Box<Section>),
    Str(String),
    Bytes(Vec<u8>),
    None,
    /// A scalar, or None by a condition.
    OrNone(Box<Sv>, Expr),
}

impl Val {
    /// The value's type in the user's words.
    pub fn type_name(&self) -> String {
        match self {
            Val::Scalar(sv) => sv.kinds.to_string(),
            Val::View(_) | Val::Array(_) => "array".into(),
            Val::Tuple(_) => "tuple".into(),
            Val::List(_) | Val::Counted(_) => "list".into(),
            Val::Str(_) => "str".into(),
            Val::Bytes(_) => "bytes".into(),
            Val::None => "None".into(),
            Val::OrNone(..) => "a number or None".into(),
        }
    }
}

impl Val {
    /// Whether NumPy takes the value for an array with elements of its own.
    pub fn is_array(&self) -> bool {
        matches!(self, Val::Array(_) | Val::View(_))
    }
}
