//! What a nest leaves in the access paths that it writes.

use crate::model::ids::{ArrayId, PathId, VarId};

/// What a written access path holds afterwards.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct LiveOut {
    /// The site's access path.
    pub path: PathId,
    /// The kind of the value that the access path holds.
    pub kind: LiveOutKind,
    /// When the access path is assigned. `None`: whenever the top loop ran an iteration. `Some(flag)`: when the bool
    /// variable is true; the flag is false at entry.
    pub assigned: Option<VarId>,
}

/// The kinds of live-outs.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum LiveOutKind {
    /// `None`; the variable is that of the numbers that the access path holds at other times, if there is one.
    None(Option<VarId>),
    /// A scalar, the value of a variable.
    Var(VarId),
    /// A row: the object that the slot holds at entry, indexed by the variables (`row = A[i]`; no index: `B = A`).
    View(ArrayId, Vec<VarId>),
    /// The object that the slot holds at the end (buffer swaps).
    Slot(ArrayId),
    /// The appended elements of a list, if the access path is the list's `append`: `count` is the number of elements,
    /// each of one value, or a tuple of one from each column; those that were not there at entry are new.
    Appended {
        /// The list of numbers, or one for each item of a tuple.
        columns: Vec<ArrayId>,
        /// The number of elements of the list.
        count: VarId,
        /// Whether elements are tuples.
        tuple: bool,
    },
    /// A new tuple of scalars.
    Tuple(Vec<VarId>),
    /// A new object of a class of the user's.
    Object(MadeObject),
    /// A part of the array that a slot holds at entry, as slices make it.
    Part(ArrayId, Vec<PartAxis>),
    /// A new array.
    Made(MadeArray),
    /// A part of a new array, as slices make it.
    MadePart(MadeArray, Vec<PartAxis>),
}

/// A new array, made of the first elements along each axis of a slot of the nest's own.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct MadeArray {
    /// The slot.
    pub array: ArrayId,
    /// By axis: the number of elements of the slot that belong to the array.
    pub lens: Vec<VarId>,
    /// Objects that the access path holds instead, each with the bool variable that is true in that case.
    pub same: Vec<(VarId, SameAs)>,
    /// The bool variable that is true where the access path holds a view of such an array.
    #[serde(default)]
    pub viewed: Option<VarId>,
}

/// An object that an access path may hold instead of a new array.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum SameAs {
    /// The new array of that slot, which another access path holds.
    Made(ArrayId),
    /// The object that a capture was at entry.
    Entry(u32),
}

/// What a part of an array has along one axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum PartAxis {
    /// One position along the axis.
    At(VarId),
    /// `len` positions from `start` on; none if `len` is not positive.
    Range {
        /// The first position.
        start: VarId,
        /// The number of positions.
        len: VarId,
        /// The distance between two neighbouring positions.
        step: i64,
    },
}

impl LiveOutKind {
    /// The variables that the value is made of.
    pub fn vars(&self) -> Vec<VarId> {
        match self {
            Self::Var(v) => vec![*v],
            Self::Appended { count, .. } => vec![*count],
            Self::View(_, vars) | Self::Tuple(vars) => vars.clone(),
            Self::Object(object) => object.vars(),
            Self::Made(made) => made.vars(),
            Self::MadePart(made, axes) => {
                let own = axes.iter().flat_map(PartAxis::vars);
                own.chain(made.vars()).collect()
            }
            Self::Part(_, axes) => axes.iter().flat_map(PartAxis::vars).collect(),
            Self::None(number) => number.iter().copied().collect(),
            Self::Slot(_) => vec![],
        }
    }

    /// The new array that the value is, or is a part of.
    pub fn made(&self) -> Option<&MadeArray> {
        match self {
            Self::Made(made) | Self::MadePart(made, _) => Some(made),
            _ => None,
        }
    }
}

impl MadeArray {
    fn vars(&self) -> Vec<VarId> {
        let flags = self.same.iter().map(|(flag, _)| *flag);
        let flags = flags.chain(self.viewed);
        self.lens.iter().copied().chain(flags).collect()
    }
}

impl PartAxis {
    pub(crate) fn vars(&self) -> Vec<VarId> {
        match self {
            Self::At(v) => vec![*v],
            Self::Range { start, len, .. } => vec![*start, *len],
        }
    }
}

/// An object that the nest makes: `object.__new__` of its class, whose attributes are set in this order.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MadeObject {
    /// The index of the class's capture.
    pub class: u32,
    /// The number that tells which object it is, where several may be one: below zero for the one at the capture with the
    /// index `-1 - number`, which is there already.
    pub number: Option<VarId>,
    /// The attributes.
    pub fields: Vec<(String, MadeField)>,
}

/// The value of an attribute of a [`MadeObject`].
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum MadeField {
    /// A scalar.
    Var(VarId),
    /// A new object.
    Object(MadeObject),
}

impl MadeObject {
    /// The variables in the object, and in those that are its attributes, in order.
    pub fn vars(&self) -> Vec<VarId> {
        let vars = |(_, field): &(String, MadeField)| match field {
            MadeField::Var(var) => vec![*var],
            MadeField::Object(object) => object.vars(),
        };
        let number = self.number.into_iter();
        number.chain(self.fields.iter().flat_map(vars)).collect()
    }
}
