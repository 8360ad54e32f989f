//! Items of containers that are the same throughout: see `crate::site::keyed_items`.

use nestwise_ir::{PathId, surface as s};

use crate::builtins::{Builtin, Known};
use crate::lowering::names::resolve::{Names, Resolver};
use crate::site::captures::{Alike, Capture};
use crate::site::keyed_items::{is_below_item, with_items};

impl Resolver<'_> {
    /// The site with access paths in the place of the items that the binding has found; `None` if there are none.
    pub(crate) fn site_with_items(&mut self, names: &Names, site: &s::Site) -> Option<s::Site> {
        let mut tops = self.with_items(names, std::slice::from_ref(&site.top))?;
        let site = site.clone();
        tops.pop().map(|top| s::Site { top, ..site })
    }

    /// Statements with access paths in the place of the items that the binding has found; `None` if there are none.
    pub(crate) fn with_items(&mut self, names: &Names, stmts: &[s::Stmt]) -> Option<Vec<s::Stmt>> {
        let any = names.paths.ids().any(|id| self.is_held_item(names, id));
        any.then(|| {
            with_items(names.paths, stmts, &mut |id| {
                if self.goes_over_arguments(names, id) {
                    return true;
                }
                let held = self.is_held_item(names, id);
                if held {
                    self.note_containers(names, id);
                }
                held
            })
        })
    }

    /// Whether an access path holds a builtin that goes over what it is given.
    fn goes_over_arguments(&self, names: &Names, id: PathId) -> bool {
        matches!(
            self.capture(self.index_so_far(names, id)),
            Capture::Known(Known::Builtin(
                Builtin::Enumerate | Builtin::Zip | Builtin::Reversed
            ))
        )
    }

    /// Whether an access path is an item of a container, or found by way of one, that the binding has found.
    pub(crate) fn is_held_item(&self, names: &Names, id: PathId) -> bool {
        if !is_below_item(names.paths, id) {
            return false;
        }
        let path = &names.paths[id];
        let Some(parent) = path.parent else {
            return false;
        };
        let held = !is_below_item(names.paths, parent) || self.is_held_item(names, parent);
        let container = self.index_so_far(names, parent);
        let holds = match (&path.item, self.capture(container)) {
            (None, _) => true,
            (
                Some(s::Item::Keys | s::Item::Values),
                Capture::Other(_) | Capture::Container { .. },
            ) => true,
            (Some(s::Item::Under(_)), Capture::Container { .. }) => true,
            (Some(s::Item::Under(_)), Capture::Objects { alike, .. }) => *alike == Alike::Class,
            _ => false,
        };
        let own = self.capture(self.index_so_far(names, id));
        let usable = !matches!(own, Capture::Unbound | Capture::Other(_));
        let varies = match &path.item {
            Some(s::Item::Under(key)) => self.varying.contains(&(container, key.clone())),
            _ => false,
        };
        held && holds && usable && !varies
    }

    /// Notes the containers by way of which an access path is found.
    fn note_containers(&mut self, names: &Names, id: PathId) {
        let path = &names.paths[id];
        let Some(parent) = path.parent else { return };
        if let Some(s::Item::Under(key)) = &path.item {
            let container = self.index_so_far(names, parent);
            self.uses.held_items.insert((container, key.clone()));
        }
        self.note_containers(names, parent);
    }
}
