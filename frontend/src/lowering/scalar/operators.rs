//! Operators: how they are written, and what they are in the typed nest.

use nestwise_ir::BinOp;
use nestwise_ir::model::nest::CmpOp;
use nestwise_ir::surface::{BinOp as Op, CmpOp as Cmp};

/// The operator as written.
pub(crate) fn symbol(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::FloorDiv => "//",
        Op::Mod => "%",
        Op::Pow => "**",
        Op::Shl => "<<",
        Op::Shr => ">>",
        Op::BitAnd => "&",
        Op::BitOr => "|",
        Op::BitXor => "^",
    }
}

/// The typed operator.
pub(crate) fn typed(op: Op) -> BinOp {
    match op {
        Op::Add => BinOp::Add,
        Op::Sub => BinOp::Sub,
        Op::Mul => BinOp::Mul,
        Op::Div => BinOp::Div,
        Op::FloorDiv => BinOp::FloorDiv,
        Op::Mod => BinOp::Mod,
        Op::Pow => BinOp::Pow,
        Op::Shl => BinOp::Shl,
        Op::Shr => BinOp::Shr,
        Op::BitAnd => BinOp::And,
        Op::BitOr => BinOp::Or,
        Op::BitXor => BinOp::Xor,
    }
}

/// The typed comparison.
pub(crate) fn typed_comparison(op: Cmp) -> CmpOp {
    match op {
        Cmp::Eq => CmpOp::Eq,
        Cmp::Ne => CmpOp::Ne,
        Cmp::Lt => CmpOp::Lt,
        Cmp::Le => CmpOp::Le,
        Cmp::Gt => CmpOp::Gt,
        Cmp::Ge => CmpOp::Ge,
    }
}

/// `a op b` as `b op a`.
pub(crate) fn mirrored(op: Cmp) -> Cmp {
    match op {
        Cmp::Lt => Cmp::Gt,
        Cmp::Le => Cmp::Ge,
        Cmp::Gt => Cmp::Lt,
        Cmp::Ge => Cmp::Le,
        op => op,
    }
}

pub(crate) fn comparison_symbol(op: Cmp) -> &'static str {
    match op {
        Cmp::Eq => "==",
        Cmp::Ne => "!=",
        Cmp::Lt => "<",
        Cmp::Le => "<=",
        Cmp::Gt => ">",
        Cmp::Ge => ">=",
    }
}
