//! Objects that are there when the nest begins: their attributes are captures.

use std::collections::BTreeMap;

use nestwise_ir::{PathId, surface as s};

use crate::lowering::hir::{Form, ObjectForm};
use crate::lowering::names::resolve::element::{Element, ObjectElement};
use crate::lowering::names::resolve::{Names, Resolver};
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::{Capture, IDENTITY};
use crate::site::definite_assignment::flow_of_loop;

impl Resolver<'_> {
    /// The object, which is there already, that a capture holds, with a local for each attribute. Attributes that are
    /// assigned by way of other names are not known here.
    pub(crate) fn captured_object(&mut self, capture: u32) -> Option<ObjectElement> {
        let Capture::Instance { class, fields } = self.capture(capture).clone() else {
            return None;
        };
        let mut own = Vec::with_capacity(fields.len());
        for (name, field) in fields {
            if name == IDENTITY && !self.is_numbered(class) {
                continue;
            }
            self.held_fields.insert(name.clone());
            let element = match self.captured_object(field) {
                Some(object) => Element::Object(object),
                None => Element::Scalar(self.global(field, &name)),
            };
            own.push((name, element));
        }
        Some(ObjectElement { class, fields: own })
    }

    /// The object, which is there already, that an access path holds, if the nest assigns neither the path nor what it
    /// is found by.
    pub(crate) fn object_at(&mut self, names: &Names, id: PathId) -> Option<ObjectElement> {
        let own = names.locals.contains_key(&id) || names.tuples.contains_key(&id);
        match own {
            true => None,
            false => self.captured_object(self.index_so_far(names, id)),
        }
    }

    /// The object that is there already of which an access path is an attribute, where that path has no value of its own
    /// by which it could be called.
    pub(super) fn captured_around(&mut self, names: &Names, id: PathId) -> Option<ObjectElement> {
        let parent = names.paths.get(id).and_then(|path| path.parent)?;
        let known = names.locals.contains_key(&parent) || names.tuples.contains_key(&parent);
        let own = self.index_so_far(names, id);
        if known || !matches!(self.capture(own), Capture::Unbound) {
            return None;
        }
        self.captured_object(self.index_so_far(names, parent))
    }

    /// The names of the site that hold objects which the nest makes, of these forms and of those that are there at
    /// entry.
    pub(crate) fn site_objects(
        &mut self,
        site: &s::Site,
        known: &BTreeMap<PathId, ObjectForm>,
    ) -> R<BTreeMap<PathId, ObjectElement>> {
        let reads = flow_of_loop(&site.paths, &site.top).reads;
        let mut found = BTreeMap::new();
        for (id, path) in site.paths.iter() {
            if !path.written || path.parent.is_some() {
                continue;
            }
            let name = s::dotted_name(&site.paths, id);
            let is_read = reads.contains_key(&id);
            let entry = match self.captured_form(id.0).filter(|_| is_read) {
                Some(entry) => Some(entry),
                None if is_read && known.contains_key(&id) => {
                    let what = format!("objects and other values in {name}");
                    return Err(refuse(site.top.span, Refusal::Unsupported { what }));
                }
                None => None,
            };
            let form = match (known.get(&id), &entry) {
                (Some(form), Some((own, _))) if !form.is_like(own) => {
                    let what = format!("objects of several forms in {name}");
                    return Err(refuse(site.top.span, Refusal::Unsupported { what }));
                }
                (Some(form), _) => form.clone(),
                (None, Some((own, _))) => own.clone(),
                (None, None) => continue,
            };
            if entry.is_some() {
                form.each_field(&mut |name| _ = self.held_fields.insert(name.to_owned()));
            }
            let captures =
                entry.map_or_else(Vec::new, |(own, captures)| form.in_order(&own, &captures));
            let (mut at, mut which) = (captures.into_iter(), 0);
            let object = ObjectElement::of(&form, &mut |field| {
                let local = self.local(format!("{name}.{field}"), Some(id), at.next());
                self.hir.locals[local].element = Some(which);
                which += 1;
                local
            });
            self.hir.objects.insert(id, form);
            found.insert(id, object);
        }
        Ok(found)
    }

    /// The form of the object that a capture holds, and the captures of the values in it.
    pub(super) fn captured_form(&self, capture: u32) -> Option<(ObjectForm, Vec<u32>)> {
        let Capture::Instance { class, fields } = self.capture(capture) else {
            return None;
        };
        let (mut own, mut captures) = (vec![], vec![]);
        for (name, field) in fields {
            if name == IDENTITY && !self.is_numbered(*class) {
                continue;
            }
            match self.captured_form(*field) {
                Some((form, inner)) => {
                    own.push((name.clone(), Form::Object(form)));
                    captures.extend(inner);
                }
                None => {
                    own.push((name.clone(), Form::Value));
                    captures.push(*field);
                }
            }
        }
        let class = *class;
        Some((ObjectForm { class, fields: own }, captures))
    }
}
