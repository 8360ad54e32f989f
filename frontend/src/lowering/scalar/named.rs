//! Values that an expression uses more than once, under names that stand around it.

use nestwise_ir::model::nest::Expr;

use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::scalar::convert;
use crate::lowering::value::scalar::Sv;

/// The number of statements in the open block, as a mark.
pub(crate) fn statements(builder: &Builder) -> usize {
    builder.blocks.last().map_or(0, Vec::len)
}

/// Binds the names of a value ([`named`]) around it; if statements that may use them were emitted since the mark, the
/// names are assigned before those.
pub(crate) fn under_names(
    builder: &mut Builder,
    mark: usize,
    names: Vec<(nestwise_ir::VarId, Expr)>,
    sv: Sv,
) -> Sv {
    if names.is_empty() {
        return sv;
    }
    if statements(builder) > mark {
        for (var, value) in names.into_iter().rev() {
            let span = value.span;
            let kind = nestwise_ir::StmtKind::Let { var, value };
            if let Some(block) = builder.blocks.last_mut() {
                block.insert(mark, nestwise_ir::Stmt { kind, span });
            }
        }
        return sv;
    }
    let mut sv = sv.committed();
    for (var, value) in names.into_iter().rev() {
        sv.e = build::bind(var, value, sv.e);
    }
    sv.with_wide()
}

/// Gives a value a name, so that it can be used several times inside one expression.
pub(crate) fn named(builder: &mut Builder, sv: Sv) -> (Option<(nestwise_ir::VarId, Expr)>, Sv) {
    let sv = convert::settle(sv);
    if build::is_atom(&sv.e) {
        return (None, sv);
    }
    let (ty, span) = (sv.e.ty, sv.span());
    let var = builder.hidden(ty);
    let value = sv.e.clone();
    (
        Some((var, value)),
        Sv {
            e: build::var(var, ty, span),
            ..sv
        },
    )
}
