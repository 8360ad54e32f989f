//! What can go wrong between a nest and a kernel. Every variant means: CPython runs the nest.

use std::fmt;

use nestwise_analysis::schedule::runnable::Obstacle;
use nestwise_ir::{Fun, Scalar};

/// Why a nest has no kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CodegenError {
    /// An operation has no lowering on a representation.
    Unsupported(String),
    /// A NumPy function whose ufunc loop (or a C function whose implementation) is not registered.
    Unregistered(Fun, Scalar),
    /// The nest or the schedule breaks a rule of the IR.
    Invalid(String),
    /// The schedule has something that code generation cannot run.
    Schedule(Obstacle),
    /// LLVM refused the module: its message.
    Llvm(String),
    /// An object file cannot be loaded: it is truncated, foreign, or has an unknown symbol or relocation.
    Object(String),
}

impl fmt::Display for CodegenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(what) => write!(f, "no native code for {what}"),
            Self::Unregistered(fun, repr) => {
                write!(f, "no implementation of {fun:?} on {repr} is registered")
            }
            Self::Invalid(what) => write!(f, "ill-formed nest: {what}"),
            Self::Schedule(obstacle) => write!(f, "no native code for the schedule: {obstacle}"),
            Self::Llvm(message) => write!(f, "LLVM: {message}"),
            Self::Object(message) => write!(f, "object file: {message}"),
        }
    }
}

impl std::error::Error for CodegenError {}

impl From<Obstacle> for CodegenError {
    fn from(obstacle: Obstacle) -> CodegenError {
        CodegenError::Schedule(obstacle)
    }
}

/// The result of every step of code generation.
pub type Result<T> = std::result::Result<T, CodegenError>;

/// Shorthand for [`CodegenError::Unsupported`].
pub(crate) fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(CodegenError::Unsupported(what.into()))
}

/// Shorthand for [`CodegenError::Invalid`].
pub(crate) fn invalid<T>(what: impl Into<String>) -> Result<T> {
    Err(CodegenError::Invalid(what.into()))
}
