//! Values of the nest as LLVM values.

use crate::error::{CodegenError, Result};
use crate::llvm::{Ir, T, V};

/// A value of the nest: one or two components (complex parts; a number and its int tag), narrow (one value) or wide
/// (one a lane).
#[derive(Clone, Copy)]
pub(crate) struct Val {
    pub(crate) a: V,
    pub(crate) b: Option<V>,
    pub(crate) wide: bool,
}

impl Val {
    /// A narrow value of one component.
    pub(crate) fn one(a: V) -> Val {
        Val {
            a,
            b: None,
            wide: false,
        }
    }

    /// A value of one component.
    pub(crate) fn shaped(a: V, wide: bool) -> Val {
        Val { a, b: None, wide }
    }

    /// A value of two components.
    pub(crate) fn pair(a: V, b: V, wide: bool) -> Val {
        Val {
            a,
            b: Some(b),
            wide,
        }
    }

    /// The second component.
    pub(crate) fn second(self) -> Result<V> {
        self.b
            .ok_or_else(|| CodegenError::Invalid("a value without second component".into()))
    }
}

/// Allocas that hold a value: one a component, each with the type that it holds.
#[derive(Clone, Copy)]
pub(crate) struct Home {
    pub(crate) a: (V, T),
    pub(crate) b: Option<(V, T)>,
    pub(crate) wide: bool,
}

impl Home {
    /// Loads the value that the home holds.
    pub(crate) fn load(self, ir: &Ir<'_>) -> Val {
        let get = |(at, ty): (V, T)| ir.load(ty, at);
        Val {
            a: get(self.a),
            b: self.b.map(get),
            wide: self.wide,
        }
    }

    /// Stores a value of the home's own shape.
    pub(crate) fn store(self, ir: &Ir<'_>, value: Val) {
        ir.store(value.a, self.a.0);
        if let (Some((at, _)), Some(v)) = (self.b, value.b) {
            ir.store(v, at);
        }
    }
}
