//! The paths by which the site and the methods it calls know one variable.

use nestwise_ir::{Arena, PathId, surface as s};

/// The path of an access path from the names of the site, if there is one: in a function only what is found by way of a
/// parameter that stands for one object has one. `objects` are such parameters, with the paths of the objects.
pub(crate) fn own_path(
    paths: &Arena<PathId, s::AccessPath>,
    objects: &[(PathId, String)],
    in_site: bool,
    id: PathId,
) -> Option<String> {
    let path = paths.get(id)?;
    if let Some((_, object)) = objects.iter().find(|(own, _)| *own == id) {
        return Some(object.clone());
    }
    let Some(parent) = path.parent else {
        return in_site.then(|| path.name.clone());
    };
    let parent = own_path(paths, objects, in_site, parent)?;
    Some(match &path.item {
        // Another scope's name for the key is another key.
        Some(s::Item::Under(s::Key::Path(key))) => {
            format!("{parent}[{}]", own_path(paths, objects, in_site, *key)?)
        }
        Some(_) => format!("{parent}{}", path.name),
        None => format!("{parent}.{}", path.name),
    })
}

/// The path of the random generator whose methods keep a number for later: a nest uses one such generator at most, which
/// the hook makes sure of.
pub(crate) const GENERATOR: &str = "generator.__self__";

/// Whether a method of a random generator keeps a number for later, in an attribute.
pub(crate) fn keeps(method: &s::Function) -> bool {
    let mut paths = method.paths.values();
    method.library.is_some() && paths.any(|path| path.parent.is_some() && path.written)
}

/// The path of the array that the method with this path is bound to: the array is known by the method alone.
pub(crate) fn of_array(method: &str) -> String {
    format!("{method}.__self__")
}
