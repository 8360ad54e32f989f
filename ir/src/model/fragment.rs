//! Fragments: pieces of Python that a nest has CPython evaluate.

use crate::model::entry::{EntryAccess, Part};
use crate::model::sequence::SequenceAccess;
use crate::model::span::Span;
use crate::model::types::Ty;

/// What a fragment does besides giving a value.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum Effect {
    /// The fragment changes nothing: evaluated again with the same names, it gives the same value or exception.
    Pure,
    /// The fragment changes objects that the nest does not hold natively, and nothing else. It is evaluated once: when
    /// iterations run again, its recorded value is used.
    Local,
}

impl Effect {
    /// The effect of two fragments, or of a fragment and a part of it.
    pub fn with(self, other: Effect) -> Effect {
        self.max(other)
    }
}

/// The text that CPython compiles for a fragment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum FragmentForm {
    /// An expression, whose value of this type the nest uses.
    Value(Ty),
    /// A statement, or an expression whose value nobody uses.
    Statement,
}

/// A parameter of a fragment that is bound to an object.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct FragmentObject {
    /// The name of the parameter in the text.
    pub name: String,
    /// The index of the capture that holds the object, in the flat list.
    pub capture: u32,
    /// Whether the fragment may change the object.
    pub changed: bool,
}

/// A parameter of a fragment that is bound to a scalar.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct FragmentValue {
    /// The name of the parameter in the text.
    pub name: String,
    /// The type that the scalar is boxed to.
    pub ty: Ty,
}

/// An operation on a container that a launch performs on a copy.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Kept {
    /// An operation on an entry of a dictionary or set.
    Entry(EntryAccess),
    /// An operation on a list or deque.
    Sequence(SequenceAccess),
}

/// A piece of Python that CPython evaluates for a nest, as a function of its parameters.
///
/// The parameters are first [`objects`](Fragment::objects), which are the same throughout a launch, then
/// [`values`](Fragment::values), scalars that are boxed for each call.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Fragment {
    /// The text, one line of Python.
    pub text: String,
    /// Whether the text is a value's or a statement's.
    pub form: FragmentForm,
    /// What the fragment does besides giving a value.
    pub effect: Effect,
    /// The parameters that hold objects.
    pub objects: Vec<FragmentObject>,
    /// The parameters that hold scalars.
    pub values: Vec<FragmentValue>,
    /// The position of the fragment in the file, at which warnings and exceptions are reported.
    pub span: Span,
    /// The number of the site's point at which the fragment stands, where its results are recorded.
    pub point: Option<u32>,
    /// Whether the fragment looks into what containers hold: into lists of which the nest may have changed copies.
    pub looks_inside: bool,
    /// Whether the fragment draws from a random generator.
    pub draws: bool,
    /// The time that CPython takes for the fragment, in calls of a quick builtin such as `len`.
    pub work: f64,
    /// The operation on a container that the launch performs in the place of CPython, if every fragment that uses the
    /// container is one.
    pub kept: Option<Kept>,
}

impl Fragment {
    /// The type of a part of a key or an element, or of a value, that is a number.
    pub fn part_type(&self, part: &Part) -> Option<Ty> {
        match part {
            Part::Scalar(at) => self.values.get(*at as usize).map(|v| v.ty),
            Part::Int(_) => Some(Ty::PY_INT),
            Part::Text(_) => None,
        }
    }

    /// The type of the fragment's value in the nest; a bool, always false, for a statement.
    pub fn ty(&self) -> Ty {
        match self.form {
            FragmentForm::Value(ty) => ty,
            FragmentForm::Statement => Ty::PY_BOOL,
        }
    }
}
