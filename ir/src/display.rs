//! The text form of a typed nest.
