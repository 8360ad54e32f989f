//! Which machine operations an instruction becomes.

use llvm_sys::LLVMOpcode::{self, *};
use nestwise_ir::machine_shape::{Op, Width};

use crate::shape::read::{Code, Form, Inst, Operand};

/// The operations of one execution of an instruction, on a machine whose vector registers have `vector_bits`.
pub(super) fn ops(code: &Code, inst: &Inst, vector_bits: u32) -> Vec<(Op, Width, f32)> {
    let (width, count) = registers(inst.form, vector_bits);
    let one = |op: Op| vec![(op, width, count)];
    match inst.code {
        LLVMAdd | LLVMSub | LLVMAnd | LLVMOr | LLVMXor | LLVMShl | LLVMLShr | LLVMAShr => {
            one(Op::Int)
        }
        LLVMICmp if inst.jumps_only => vec![],
        LLVMICmp | LLVMSelect => with_form(code, inst, Op::Int, vector_bits),
        LLVMFCmp => with_form(code, inst, Op::Float, vector_bits),
        LLVMMul if inst.operands.iter().any(is_beside_power_of_two) => {
            vec![(Op::Int, width, 2.0 * count)]
        }
        LLVMMul => one(Op::IntMul),
        LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => match inst.operands.get(1) {
            Some(Operand::Int(by)) => by_constant(inst.code, *by, width)
                .map(|(op, width, times)| (op, width, times * count))
                .to_vec(),
            // There is no instruction for vectors of them.
            _ => vec![(Op::IntDiv, Width::Scalar, inst.form.lanes as f32)],
        },
        LLVMFAdd | LLVMFSub | LLVMFNeg => one(Op::Float),
        LLVMFMul => one(Op::FloatMul),
        LLVMFDiv => one(Op::FloatDiv),
        LLVMSIToFP | LLVMUIToFP | LLVMFPToSI | LLVMFPToUI | LLVMFPExt | LLVMFPTrunc => {
            one(Op::Convert)
        }
        LLVMSExt | LLVMZExt | LLVMTrunc => match width {
            Width::Vector => one(Op::Shuffle),
            Width::Scalar => vec![],
        },
        LLVMLoad => one(Op::Load),
        LLVMStore => one(Op::Store),
        // One value for all lanes: one register of them, whatever there is to fill.
        LLVMInsertElement if inst.operands.get(2) == Some(&Operand::Int(0)) => vec![],
        LLVMShuffleVector if is_splat(code, inst) => vec![(Op::Shuffle, Width::Vector, 1.0)],
        LLVMExtractElement => vec![(Op::Shuffle, Width::Vector, 1.0)],
        LLVMInsertElement | LLVMShuffleVector => vec![(Op::Shuffle, Width::Vector, count)],
        // One index that the address of a load can scale by itself is free.
        LLVMGetElementPtr => match inst.scale {
            Some(1 | 2 | 4 | 8) => vec![],
            _ if inst.operands.iter().skip(1).all(is_constant) => vec![],
            _ => vec![(Op::Int, Width::Scalar, 1.0)],
        },
        LLVMBr | LLVMSwitch => match inst.operands.is_empty() {
            true => vec![],
            false => vec![(Op::Branch, Width::Scalar, 1.0)],
        },
        LLVMCall => call(inst, width, count, vector_bits),
        _ => vec![],
    }
}

/// The operations of a division by a constant: a multiplication and shifts, or shifts alone for a power of two. A
/// remainder is what the quotient's multiple leaves. Each operation waits for the one before.
fn by_constant(code: LLVMOpcode, by: i64, width: Width) -> [(Op, Width, f32); 2] {
    let multiplied = matches!(code, LLVMURem | LLVMSRem) as u8 as f32;
    let signed = matches!(code, LLVMSDiv | LLVMSRem) as u8 as f32;
    let (products, others) = match by.unsigned_abs().is_power_of_two() {
        true => (0.0, 3.0),
        false => (1.0 + multiplied, 2.0 + signed + multiplied),
    };
    [(Op::IntMul, width, products), (Op::Int, width, others)]
}

/// Whether an operand is one more or less than a power of two: products with it are a shift, and a difference or sum.
fn is_beside_power_of_two(o: &Operand) -> bool {
    let is_power = |n: Option<u64>| n.is_some_and(u64::is_power_of_two);
    match o {
        Operand::Int(by) => {
            let by = by.unsigned_abs();
            is_power(by.checked_add(1)) || is_power(by.checked_sub(1))
        }
        _ => false,
    }
}

/// Whether an instruction spreads lane 0 of something that was put there to all lanes.
fn is_splat(code: &Code, inst: &Inst) -> bool {
    let Some(Operand::Code(from)) = inst.operands.first() else {
        return false;
    };
    let from = &code.insts[*from];
    from.code == LLVMInsertElement && from.operands.get(2) == Some(&Operand::Int(0))
}

/// The operations of an instruction whose result is a truth value: the type of its operands counts.
fn with_form(code: &Code, inst: &Inst, op: Op, vector_bits: u32) -> Vec<(Op, Width, f32)> {
    let of = |o: &Operand| match o {
        Operand::Code(k) => code.insts.get(*k).map(|i| i.form),
        _ => None,
    };
    let forms = inst.operands.iter().filter_map(of);
    let widest = forms.max_by_key(|f| f.bits * f.lanes).unwrap_or(inst.form);
    let form = Form {
        lanes: inst.form.lanes,
        ..widest
    };
    let (width, count) = registers(form, vector_bits);
    vec![(op, width, count)]
}

fn is_constant(o: &Operand) -> bool {
    matches!(o, Operand::Int(_))
}

/// Registers that a value of this type fills.
fn registers(form: Form, vector_bits: u32) -> (Width, f32) {
    if form.lanes <= 1 {
        return (Width::Scalar, 1.0);
    }
    let bits = form.lanes * form.bits;
    (Width::Vector, bits.div_ceil(vector_bits).max(1) as f32)
}

/// The operations of a call: LLVM's own functions become instructions, others are called.
fn call(inst: &Inst, width: Width, count: f32, vector_bits: u32) -> Vec<(Op, Width, f32)> {
    let Some(name) = inst.callee.strip_prefix("llvm.") else {
        return match inst.callee.is_empty() {
            true => vec![],
            false => vec![(Op::Call, Width::Scalar, 1.0)],
        };
    };
    let lanes = inst.form.lanes as f32;
    let word = name.split('.').next().unwrap_or_default();
    match word {
        "sqrt" => vec![(Op::Root, width, count)],
        "fma" | "fmuladd" => vec![(Op::FloatMul, width, count)],
        "minnum" | "maxnum" | "minimum" | "maximum" | "fabs" | "copysign" => {
            vec![(Op::Float, width, count)]
        }
        "floor" | "ceil" | "trunc" | "rint" | "nearbyint" | "roundeven" | "lrint" | "fptosi"
        | "fptoui" => vec![(Op::Convert, width, count)],
        "smul" | "umul" => vec![(Op::IntMul, width, count), (Op::Int, width, count)],
        "sadd" | "uadd" | "ssub" | "usub" => vec![(Op::Int, width, 2.0 * count)],
        // One lane is compared, and moved on a condition.
        "smin" | "smax" | "umin" | "umax" | "abs" if width == Width::Scalar => {
            vec![(Op::Int, width, 2.0)]
        }
        "smin" | "smax" | "umin" | "umax" | "abs" | "fshl" | "fshr" | "ctpop" | "ctlz" | "cttz" => {
            vec![(Op::Int, width, count)]
        }
        "masked" if name.starts_with("masked.load") => vec![(Op::Load, width, count)],
        "masked" if name.starts_with("masked.store") => vec![(Op::Store, width, count)],
        "masked" if name.starts_with("masked.gather") => vec![(Op::Gather, Width::Scalar, lanes)],
        "masked" if name.starts_with("masked.scatter") => vec![(Op::Scatter, Width::Scalar, lanes)],
        "vector" if name.starts_with("vector.reduce") => reduction(name, vector_bits),
        _ => vec![],
    }
}

/// The operations of a reduction over the lanes of a vector: halves are combined until one lane is left.
fn reduction(name: &str, vector_bits: u32) -> Vec<(Op, Width, f32)> {
    let float = name.contains(".f");
    let kind = if float { Op::Float } else { Op::Int };
    let lanes = f64::from(vector_bits / 64).log2() as f32;
    vec![
        (Op::Shuffle, Width::Vector, lanes),
        (kind, Width::Vector, lanes),
    ]
}

/// Cycles until a result is there, about, on cores of the 2020s: they decide which of several chains is the longest.
pub(super) fn latency(op: Op) -> f32 {
    match op {
        Op::Int | Op::Branch => 1.0,
        Op::Shuffle => 2.0,
        Op::IntMul => 3.0,
        Op::Float => 3.0,
        Op::FloatMul => 4.0,
        Op::Load | Op::Store | Op::Convert => 5.0,
        Op::FloatDiv => 13.0,
        Op::Root | Op::IntDiv => 18.0,
        Op::Gather | Op::Scatter => 20.0,
        Op::Call => 40.0,
    }
}

/// The operations, one after the other, that what waits for an instruction's result waits for.
///
/// Comparisons of 512-bit vectors fill mask registers, which takes as long as a multiplication; so does putting the
/// masks of several registers together and splitting them again.
pub(super) fn waited(code: &Code, inst: &Inst, vector_bits: u32) -> Vec<(Op, Width, f32)> {
    let own = ops(code, inst, vector_bits);
    let (width, _) = registers(inst.form, vector_bits);
    match (inst.code, own.first(), inst.operands.get(1)) {
        (LLVMICmp | LLVMFCmp, Some((_, Width::Vector, registers)), _) if vector_bits == 512 => {
            let moves = if *registers > 1.0 { 2.0 } else { 0.0 };
            vec![(Op::FloatMul, Width::Vector, 1.0 + moves)]
        }
        (LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem, _, Some(Operand::Int(by))) => {
            by_constant(inst.code, *by, width).to_vec()
        }
        _ if inst.callee.starts_with("llvm.vector.reduce") => own,
        // Whether it overflowed is asked while others go on.
        _ => own
            .into_iter()
            .take(1)
            .map(|(op, width, _)| (op, width, 1.0))
            .collect(),
    }
}

/// Whether an instruction of this kind passes what it gets on to the next one at once.
pub(super) fn is_pointer_step(code: LLVMOpcode) -> bool {
    matches!(code, LLVMGetElementPtr | LLVMSExt | LLVMZExt)
}
