//! The properties of a site that its text alone tells: the values its hook is given and gives back, and its cost.

pub mod access_paths;
pub mod bounds;
pub mod captures;
pub mod changed_containers;
pub(crate) mod definite_assignment;
pub mod handed_objects;
pub(crate) mod inner_names;
pub mod interface;
pub(crate) mod item_attributes;
pub mod keyed_items;
pub mod object_uses;
pub mod size_terms;
pub mod special_methods;
pub mod static_cost;
pub(crate) mod tuple_names;
pub(crate) mod walk;
pub mod whole_array_uses;
