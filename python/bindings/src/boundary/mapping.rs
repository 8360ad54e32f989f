//! A dictionary whose entries keep their order.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Names with a value each, in the order in which Python's dictionary shows them.
#[derive(Clone, Debug, Default)]
pub struct Mapping<V>(pub Vec<(String, V)>);

impl<V> FromIterator<(String, V)> for Mapping<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(entries: I) -> Self {
        Mapping(entries.into_iter().collect())
    }
}

impl<'py, V: IntoPyObject<'py>> IntoPyObject<'py> for Mapping<V> {
    type Target = PyDict;
    type Output = Bound<'py, PyDict>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let dict = PyDict::new(py);
        for (name, value) in self.0 {
            dict.set_item(name, value)?;
        }
        Ok(dict)
    }
}
