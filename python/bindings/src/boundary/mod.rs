//! What crosses between the package's Python half and Rust: one record for each thing, with named fields, both ways.
//!
//! A record that Rust hands out is a frozen class of the extension module, declared by [`record!`]; a record that Rust
//! is handed is a `NamedTuple` of the package, whose fields a struct with `FromPyObject` reads by their names.
//! `nestwise/_core.pyi` says the same to type checkers, and `python/tests/test_core_stub.py` holds it to the module.

pub(crate) mod answers;
pub(crate) mod function_text;
pub(crate) mod mapping;
pub(crate) mod options;
pub(crate) mod records;
pub(crate) mod report;
pub(crate) mod sites;

/// Declares a frozen class of the extension module: its attributes are the fields, and `__match_args__` names them in
/// order.
macro_rules! record {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$about])*
        #[pyo3::pyclass(frozen, get_all, module = "nestwise._core")]
        #[derive(Clone, Debug)]
        pub struct $name {
            $($(#[$doc])* pub $field: $kind,)*
        }

        #[pyo3::pymethods]
        impl $name {
            /// The names of the attributes, in order.
            #[classattr]
            #[pyo3(name = "__match_args__")]
            fn match_args(py: pyo3::Python<'_>) -> pyo3::PyResult<pyo3::Py<pyo3::types::PyTuple>> {
                let names: &[&str] = &[$(stringify!($field)),*];
                Ok(pyo3::types::PyTuple::new(py, names)?.unbind())
            }

            fn __repr__(&self) -> String {
                format!("{self:?}")
            }
        }
    };
}

pub(crate) use record;
