//! Comparisons.

use nestwise_ir::Scalar;
use nestwise_ir::model::nest::CmpOp;

use crate::error::{Result, unsupported};
use crate::llvm::{IntPred, Ir, RealPred};
use crate::lower::value::Val;

pub(crate) fn compare(ir: &Ir<'_>, op: CmpOp, x: Val, y: Val, repr: Scalar) -> Result<Val> {
    let v = match repr {
        Scalar::F32 | Scalar::F64 | Scalar::Num => ir.fcmp(float_predicate(op), x.a, y.a),
        Scalar::C64 | Scalar::C128 => {
            let pred = float_predicate(op);
            let (re, im) = (
                ir.fcmp(pred, x.a, y.a),
                ir.fcmp(pred, x.second()?, y.second()?),
            );
            match op {
                CmpOp::Eq => ir.and(re, im),
                CmpOp::Ne => ir.or(re, im),
                _ => return unsupported("an ordering of complex numbers"),
            }
        }
        _ => ir.icmp(int_predicate(op, repr.is_signed()), x.a, y.a),
    };
    Ok(Val::shaped(v, x.wide))
}

pub(crate) fn int_predicate(op: CmpOp, signed: bool) -> IntPred {
    match (op, signed) {
        (CmpOp::Eq, _) => IntPred::LLVMIntEQ,
        (CmpOp::Ne, _) => IntPred::LLVMIntNE,
        (CmpOp::Lt, true) => IntPred::LLVMIntSLT,
        (CmpOp::Le, true) => IntPred::LLVMIntSLE,
        (CmpOp::Gt, true) => IntPred::LLVMIntSGT,
        (CmpOp::Ge, true) => IntPred::LLVMIntSGE,
        (CmpOp::Lt, false) => IntPred::LLVMIntULT,
        (CmpOp::Le, false) => IntPred::LLVMIntULE,
        (CmpOp::Gt, false) => IntPred::LLVMIntUGT,
        (CmpOp::Ge, false) => IntPred::LLVMIntUGE,
    }
}

pub(crate) fn float_predicate(op: CmpOp) -> RealPred {
    match op {
        CmpOp::Eq => RealPred::LLVMRealOEQ,
        CmpOp::Ne => RealPred::LLVMRealUNE,
        CmpOp::Lt => RealPred::LLVMRealOLT,
        CmpOp::Le => RealPred::LLVMRealOLE,
        CmpOp::Gt => RealPred::LLVMRealOGT,
        CmpOp::Ge => RealPred::LLVMRealOGE,
    }
}
