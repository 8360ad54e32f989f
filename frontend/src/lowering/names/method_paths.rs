//! Paths of methods.

use nestwise_ir::{Arena, PlaceId, surface as s};

/// The path of a place from the names of the site, if there is one: in a function only its object's attributes have
/// one. `receiver` is a method's first parameter and the path of what that stands for.
pub(crate) fn path(
    places: &Arena<PlaceId, s::Place>,
    receiver: Option<&(PlaceId, String)>,
    in_site: bool,
    id: PlaceId,
) -> Option<String> {
    let place = places.get(id)?;
    match (receiver, place.parent) {
        (Some((own, path)), _) if *own == id => Some(path.clone()),
        (_, Some(parent)) => Some(format!(
            "{}.{}",
            path(places, receiver, in_site, parent)?,
            place.name
        )),
        (_, None) => in_site.then(|| place.name.clone()),
    }
}

/// The path of the array that a method with a path is one of: it is known by the method alone.
pub(crate) fn of_array(method: &str) -> String {
    format!("{method}.__self__")
}
