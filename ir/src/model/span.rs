//! Positions in the user's file, and the wrapper that puts one around an error.

use std::fmt;

/// A position in the user's file: 1-based line, 0-based column in bytes.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Default,
    Hash,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct Span {
    /// The line of the file, from 1.
    pub line: u32,
    /// The column in bytes, from 0.
    pub column: u32,
}

/// An error with the position it is about. Error enums themselves carry no positions.
#[derive(Clone, PartialEq, Debug)]
pub struct WithSpan<E> {
    /// The position.
    pub span: Span,
    /// The error.
    pub error: E,
}

impl<E> WithSpan<E> {
    /// Puts `span` around `error`.
    pub fn new(span: Span, error: E) -> Self {
        Self { span, error }
    }
}

impl<E: fmt::Display> fmt::Display for WithSpan<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.span.line, self.error)
    }
}

impl<E: fmt::Display + fmt::Debug> std::error::Error for WithSpan<E> {}
