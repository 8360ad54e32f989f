//! The paths by which the site and the methods it calls know one variable.

use nestwise_ir::{Arena, PathId, surface as s};

/// The path of an access path from the names of the site, if there is one: in a function only the attributes of a
/// method's object have one. `receiver` is a method's first parameter and the path of the object that it stands for.
pub(crate) fn own_path(
    paths: &Arena<PathId, s::AccessPath>,
    receiver: Option<&(PathId, String)>,
    in_site: bool,
    id: PathId,
) -> Option<String> {
    let path = paths.get(id)?;
    match (receiver, path.parent) {
        (Some((own, path)), _) if *own == id => Some(path.clone()),
        (_, Some(parent)) => Some(format!(
            "{}.{}",
            own_path(paths, receiver, in_site, parent)?,
            path.name
        )),
        (_, None) => in_site.then(|| path.name.clone()),
    }
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
