//! Names of variables that belong to a comprehension alone.

/// The name of a comprehension's own variable, spelled as no Python name is.
pub(crate) fn inner_name(name: &str, number: usize) -> String {
    format!(".{number}.{name}")
}

/// Whether an access path is a comprehension's own variable.
pub(crate) fn is_inner(name: &str) -> bool {
    name.starts_with('.')
}
