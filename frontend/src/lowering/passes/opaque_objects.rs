//! Opaque objects: objects in lists of which only attributes are read.

use nestwise_ir::model::nest::{Expr, ExprKind, Nest, Stmt};
use nestwise_ir::{Access, ArrayId, ArrayKind};

use crate::refusal::{R, Refusal, refuse};

/// Refuses a nest that uses an object as if it were a row of a list.
pub(crate) fn refuse_looking_inside(nest: &mut Nest) -> R<()> {
    let is_list = |array: ArrayId| nest.arrays[array].kind == ArrayKind::Objects;
    let touched = |a: &Access| is_list(a.array);
    let mut wrong = nest.accesses.values().find(|a| touched(a)).map(|a| a.span);
    let mut look = |e: &Expr| {
        if let ExprKind::Dim(array, axis) = e.kind
            && axis > 0
            && is_list(array)
        {
            wrong = wrong.or(Some(e.span));
        }
    };
    let mut each = |stmt: &Stmt| stmt.exprs().for_each(|e| e.walk(&mut look));
    nest.prologue.iter().for_each(|stmt| stmt.walk(&mut each));
    nest.top.walk(&mut each);
    match wrong {
        None => Ok(()),
        Some(span) => {
            let what = "an object in a list, but for its attributes".into();
            Err(refuse(span, Refusal::Unsupported { what }))
        }
    }
}
