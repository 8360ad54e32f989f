//! The text of a user's function, as the package's Python half states it.

use pyo3::prelude::*;

/// `nestwise.rewriting.sources.FunctionText`: a function of the user's for inlining.
#[derive(FromPyObject)]
pub struct FunctionText {
    /// The function's source lines.
    pub text: String,
    /// The line in the user's file where the text begins.
    pub first_line: u32,
    /// Whether the lines are indented.
    pub indented: bool,
    /// The names that the function binds.
    pub local_names: Vec<String>,
    /// The names of enclosing functions that the function reads.
    pub free_names: Vec<String>,
}
