//! The loop-nest language: what every other crate speaks.
//!
//! # Two levels
//!
//! A **site** is one outermost loop statement of a user's script. It exists at two levels here.
//!
//! 1. [`surface`]: the untyped nest. Python's own constructs with names resolved to *access paths*; made once per
//!    site from source text. Nothing in it depends on run-time types.
//! 2. [`model::nest`]: the typed nest. Every expression has a [`Ty`], every operation one exact meaning on that type;
//!    made once per signature (the types of the access paths the site reads).
//!
//! # What a typed nest means
//!
//! A nest is a program over *variables* (scalars) and *arrays* (strided windows on memory), with *guards*. It runs its
//! single top loop iteration by iteration, exactly as CPython would run the source, as long as no guard fails. A
//! **guard failure** is anything the nest cannot do the way CPython would: an index out of range, an integer that
//! leaves 64 bits, a division by zero, a NumPy warning. It never has a value: the chunk of top-loop iterations in which
//! a guard fails is rolled back and CPython runs it instead. So below the surface level there are no exceptions and no
//! warnings, and two Python types with one representation (`float` and `np.float64`) differ only in which type a result
//! is boxed to ([`Prov`]).
//!
//! An operation that may fail carries `guard: true`. A pass that proves that it cannot clears the flag; nobody
//! sets it again. Dropping a guarded operation because its value is unused is therefore wrong.
//!
//! # Loops
//!
//! `for` runs over iteration numbers: `start`, `stop`, `step` are evaluated once, the *counter* variable is
//! `start + k * step` in iteration `k`, and no statement of the body may assign it. The user's own loop
//! variable is an ordinary variable that the body's first statement sets, since Python lets the body rebind it.
//!
//! # Arrays and aliasing
//!
//! An [`ArrayId`] is a slot: at entry it holds the array of its access path; [`StmtKind::Rebind`] permutes slots (the
//! buffer swap of a time loop). Two slots may overlap in memory; what is known about that is not in the nest
//! but in the facts of a launch.

#![warn(missing_docs)]

pub mod branch_likelihood;
pub mod guarded;
#[cfg(any(test, feature = "testing"))]
pub mod interpreter;
pub mod interpreter_work;
pub mod interrupts;
pub mod machine_shape;
pub mod model;
pub mod preconditions;
pub mod schedule;
pub mod surface;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
pub mod verifier;

pub use crate::interpreter_work::{LoopWork, NestWork, Tally, Work};
pub use crate::model::entry::EntryAccess;
pub use crate::model::fragment::{
    Effect, Fragment, FragmentForm, FragmentObject, FragmentValue, Kept,
};
pub use crate::model::ids::{
    AccessId, Arena, ArrayId, ClauseId, FragmentId, IdSet, LoopId, NameId, PathId, PropertyId,
    ScopeId, VarId,
};
pub use crate::model::nest::{
    Access, ArrayDecl, ArrayKind, BinOp, CmpOp, Const, Expr, ExprKind, Extent, For, Fun, Length,
    Lib, LiveOut, LiveOutKind, LoopDecl, Nest, PartAxis, Stmt, StmtKind, UnOp, VarDecl, While,
};
pub use crate::model::sequence::SequenceAccess;
pub use crate::model::span::{Span, WithSpan};
pub use crate::model::types::{Prov, Scalar, Ty};
pub use crate::preconditions::Precondition;
pub use crate::schedule::{FpMode, Schedule, Tier};
