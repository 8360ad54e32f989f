//! The attributes of objects in lists, which a launch reads once at its beginning, and sets once at its end.

use nestwise_ir::{ArrayKind, Precondition};
use nestwise_runtime::Reason;
use pyo3::prelude::*;

use crate::bind::record_values::{self, Values};
use crate::host::PyHost;
use crate::objects::records::{self, Field};

impl PyHost<'_> {
    /// Whether the nest uses a capture: its elements are an array of the nest, or it is a function that may be inlined.
    fn uses(&self, capture: usize) -> bool {
        let mut arrays = self.nest.arrays.values();
        arrays.any(|decl| decl.capture as usize == capture)
            || self.binding.users.iter().any(|u| u.capture == capture)
    }

    /// Whether the lists still hold the same objects (`objects`, one list of them for each field), with the attribute
    /// values that were read.
    pub(crate) fn fields_hold(&self, objects: &[Vec<Py<PyAny>>]) -> bool {
        let (py, binding) = (self.py, self.binding);
        let mut fields = binding.fields.iter().zip(objects);
        fields.all(|(field, then)| {
            !self.uses(field.capture) || field.holds(py, binding, &self.values, then)
        })
    }

    /// Sets an attribute of a list's objects if the nest has written it. Returns false where there is no memory.
    pub(crate) fn put(&self, field: &Field) -> bool {
        let mut buffers = self.buffers.iter();
        let written = buffers.any(|b| b.0 == field.capture && b.1);
        // SAFETY: they were found settable; whenever others may have changed them they are looked at.
        !written || unsafe { field.put(self.py, self.binding, &self.values) }
    }

    /// Reads the attributes that the nest uses into lists. Refuses objects of several classes, missing attributes, and
    /// methods that are not the same function for all objects.
    pub(crate) fn find_attributes(&mut self) -> Result<(), Reason> {
        let found = Values::of(self.py, self.binding, |capture| self.uses(capture));
        self.values = found.ok_or_else(|| Reason::List {
            name: "of objects".into(),
            why: "they are not of one class, or some lack an attribute",
        })?;
        let changed = |field: &&Field| {
            let user = self
                .binding
                .users
                .iter()
                .find(|u| u.capture == field.capture);
            user.is_some_and(|user| user.callee() != self.object(field.capture))
        };
        match self.binding.fields.iter().find(changed) {
            Some(field) => Err(Reason::List {
                name: field.part.name.to_string(),
                why: "it is not the same method for all objects",
            }),
            None => Ok(()),
        }
    }

    /// Refuses lists of objects for which reading attributes once and setting them once at the end would be wrong: an
    /// object stands in a list twice, an assigned attribute cannot be set, or an attribute is reached in two ways.
    /// `written` says for each capture whether the nest writes it.
    pub(crate) fn refuse_fields(&self, written: &[bool]) -> Result<(), Reason> {
        let (py, binding) = (self.py, self.binding);
        let refused = |name: String, why| Err(Reason::List { name, why });
        let twice = "an object stands in it twice, or what is assigned is not an attribute of each";
        let mut used = vec![false; binding.captures.len()];
        for (id, decl) in self.nest.arrays.iter() {
            let capture = decl.capture as usize;
            used[capture] = true;
            let distinct = Precondition::NoAlias(id, id);
            let compared =
                decl.kind == ArrayKind::Objects && self.nest.preconditions.contains(&distinct);
            if compared && !records::are_distinct(self.values.objects(binding, capture)) {
                return refused(decl.name.clone(), twice);
            }
        }
        for field in binding.fields.iter().filter(|f| written[f.capture]) {
            if !field.settable(py, binding, &self.values) {
                return refused(self.name(field.capture), twice);
            }
        }
        let mut read = used.clone();
        let live_ins = self.nest.vars.values().filter_map(|var| var.live_in);
        live_ins.for_each(|capture| read[capture as usize] = true);
        let site = &self.world.parsed.paths;
        match record_values::shared(site, binding, &self.values, (&used, &read), written) {
            Some(name) => refused(
                name,
                "it is an attribute of an object that is found in two ways",
            ),
            None => Ok(()),
        }
    }
}
