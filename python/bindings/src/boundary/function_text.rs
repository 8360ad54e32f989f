//! Functions of the user's as the package's Python half states them.

use pyo3::prelude::*;

/// `nestwise.rewriting.sources.FunctionText`: a function of the user's for inlining.
#[derive(FromPyObject)]
pub struct FunctionText {
    /// Its lines.
    pub text: String,
    /// Line of the user's file that they begin at.
    pub first_line: u32,
    /// Whether the lines are indented.
    pub indented: bool,
    /// Names that it binds.
    pub local_names: Vec<String>,
    /// Names of functions around it that it reads.
    pub free_names: Vec<String>,
}
