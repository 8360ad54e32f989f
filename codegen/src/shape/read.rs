//! A function of LLVM's as plain data.

use std::collections::HashMap;
use std::ffi::CStr;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMTargetDataRef};
use llvm_sys::{LLVMOpcode, LLVMTypeKind, LLVMValueKind};
use nestwise_ir::machine_shape::Part;

/// What an instruction works on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Operand {
    /// An instruction's result.
    Code(usize),
    /// An int.
    Int(i64),
    /// An argument, a global or any other constant, which is the same throughout the function.
    Fixed(usize),
}

/// The type of a result, or of what is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Form {
    /// Bits of one element; pointers have 64.
    pub(super) bits: u32,
    /// The number of elements.
    pub(super) lanes: u32,
    /// Whether the elements are no ints.
    pub(super) float: bool,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(super) struct Inst {
    pub(super) code: LLVMOpcode,
    pub(super) block: usize,
    pub(super) form: Form,
    /// Operands; a phi's in the order of `from`, a call's without the function, a store's value before its address.
    pub(super) operands: Vec<Operand>,
    /// The blocks that a phi's operands come from.
    pub(super) from: Vec<usize>,
    /// The name of the function that a call calls; empty if it has none.
    pub(super) callee: String,
    /// The number of lanes of a vector for which a call calls its function.
    pub(super) lanes: f32,
    pub(super) masked: bool,
    /// The bytes by which the only index of a pointer computation is scaled.
    pub(super) scale: Option<i64>,
    /// Whether only branches use the instruction's result.
    pub(super) jumps_only: bool,
}

impl Inst {
    /// How often the function of a call is called each time the call runs, if it runs `runs` times in an iteration.
    /// Where few lanes go, they do not go together.
    pub(super) fn calls(&self, runs: f32) -> f32 {
        match self.masked {
            true => (self.lanes * runs).clamp(1.0, self.lanes),
            false => self.lanes,
        }
    }
}

/// A block.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    pub(super) insts: Vec<usize>,
    /// Successors with probabilities.
    pub(super) next: Vec<(usize, f32)>,
    /// The loop that the block's jump back belongs to, if it is marked.
    pub(super) mark: Option<u32>,
    /// Which of the loop's iterations that jump back runs.
    pub(super) part: Part,
    /// What the block's jump decides by.
    pub(super) test: Option<Operand>,
    pub(super) weighed: bool,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) insts: Vec<Inst>,
    pub(super) blocks: Vec<Block>,
}

/// The name prefix of functions that call another one, their first argument, for each lane of a vector; their last
/// argument is the number of lanes.
const MAP: &str = "nw_map";

/// The name prefix of functions that call a loop of NumPy's, their first argument, for the lanes of a vector.
const BATCH: &str = "nw_npv";

/// The prefix of a loop's mark in its metadata.
pub(crate) const MARK: &str = "nestwise.loop.";

/// The name of the metadata of a loop that runs whole groups of iterations: see [`Part`].
pub(crate) const GROUPS: &str = "nestwise.groups";
pub(crate) const EDGE: &str = "nestwise.edge";

/// Reads a function.
pub(super) fn read(f: LLVMValueRef, layout: LLVMTargetDataRef) -> Code {
    let mut blocks = HashMap::new();
    let mut numbers = HashMap::new();
    let mut code = Code::default();
    unsafe {
        let mut b = LLVMGetFirstBasicBlock(f);
        while !b.is_null() {
            blocks.insert(b as usize, code.blocks.len());
            let mut block = Block::default();
            let mut inst = LLVMGetFirstInstruction(b);
            while !inst.is_null() {
                let number = numbers.len();
                numbers.insert(inst as usize, number);
                block.insts.push(number);
                inst = LLVMGetNextInstruction(inst);
            }
            code.blocks.push(block);
            b = LLVMGetNextBasicBlock(b);
        }
        let reader = Reader {
            blocks,
            numbers,
            layout,
            loop_kind: kind(f, "llvm.loop"),
            prof_kind: kind(f, "prof"),
        };
        let mut b = LLVMGetFirstBasicBlock(f);
        let mut at = 0;
        while !b.is_null() {
            let mut inst = LLVMGetFirstInstruction(b);
            while !inst.is_null() {
                code.insts.push(reader.inst(inst, at));
                inst = LLVMGetNextInstruction(inst);
            }
            reader.jump(LLVMGetBasicBlockTerminator(b), &mut code.blocks[at]);
            b = LLVMGetNextBasicBlock(b);
            at += 1;
        }
    }
    code
}

unsafe fn kind(f: LLVMValueRef, name: &str) -> u32 {
    unsafe {
        let context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
        LLVMGetMDKindIDInContext(context, name.as_ptr().cast(), name.len() as u32)
    }
}

struct Reader {
    blocks: HashMap<usize, usize>,
    numbers: HashMap<usize, usize>,
    layout: LLVMTargetDataRef,
    loop_kind: u32,
    prof_kind: u32,
}

impl Reader {
    unsafe fn inst(&self, v: LLVMValueRef, block: usize) -> Inst {
        unsafe {
            let code = LLVMGetInstructionOpcode(v);
            let stored = code == LLVMOpcode::LLVMStore;
            let typed = if stored { LLVMGetOperand(v, 0) } else { v };
            let mut inst = Inst {
                code,
                block,
                form: form(LLVMTypeOf(typed)),
                operands: Vec::new(),
                from: Vec::new(),
                callee: String::new(),
                lanes: 1.0,
                masked: false,
                scale: None,
                jumps_only: jumps_only(v),
            };
            let mut count = LLVMGetNumOperands(v).max(0) as u32;
            match code {
                LLVMOpcode::LLVMPHI => {
                    for k in 0..LLVMCountIncoming(v) {
                        inst.operands.push(self.operand(LLVMGetIncomingValue(v, k)));
                        let from = LLVMGetIncomingBlock(v, k) as usize;
                        inst.from.push(self.blocks.get(&from).copied().unwrap_or(0));
                    }
                    return inst;
                }
                LLVMOpcode::LLVMCall => {
                    count = LLVMGetNumArgOperands(v);
                    inst.callee = name(LLVMGetCalledValue(v));
                    if inst.callee.starts_with(MAP) && count > 1 {
                        let argument = |k| self.operand(LLVMGetOperand(v, k));
                        if let Operand::Int(lanes) = argument(count - 1) {
                            inst.lanes = lanes as f32;
                        }
                        inst.masked = !matches!(argument(count - 2), Operand::Int(_));
                        inst.callee = name(LLVMGetOperand(v, 0));
                    }
                    // NumPy's loop for all lanes at once: so much for each.
                    if inst.callee.starts_with(BATCH) && count > 1 {
                        if let Operand::Int(lanes) = self.operand(LLVMGetOperand(v, count - 1)) {
                            inst.lanes = lanes as f32;
                        }
                        inst.callee = name(LLVMGetOperand(v, 0));
                    }
                }
                LLVMOpcode::LLVMGetElementPtr if count == 2 => {
                    let element = LLVMGetGEPSourceElementType(v);
                    let bytes = LLVMABISizeOfType(self.layout, element);
                    inst.scale = i64::try_from(bytes).ok();
                }
                LLVMOpcode::LLVMBr => count = count.min(1),
                _ => {}
            }
            for k in 0..count {
                let operand = LLVMGetOperand(v, k);
                if LLVMValueIsBasicBlock(operand) == 0 {
                    inst.operands.push(self.operand(operand));
                }
            }
            inst
        }
    }

    unsafe fn operand(&self, v: LLVMValueRef) -> Operand {
        unsafe {
            if let Some(number) = self.numbers.get(&(v as usize)) {
                return Operand::Code(*number);
            }
            let int = LLVMGetValueKind(v) == LLVMValueKind::LLVMConstantIntValueKind
                && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64;
            match int {
                true => Operand::Int(LLVMConstIntGetSExtValue(v)),
                false => Operand::Fixed(v as usize),
            }
        }
    }

    unsafe fn jump(&self, v: LLVMValueRef, block: &mut Block) {
        unsafe {
            let count = LLVMGetNumSuccessors(v);
            let weights = self.weights(v, count as usize);
            block.weighed = weights.is_some();
            for k in 0..count {
                let to = LLVMGetSuccessor(v, k) as usize;
                let even = 1.0 / count as f32;
                let p = weights.as_ref().map_or(even, |w| w[k as usize]);
                block
                    .next
                    .push((self.blocks.get(&to).copied().unwrap_or(0), p));
            }
            if count > 1 {
                block.test = Some(self.operand(LLVMGetOperand(v, 0)));
            }
            let marks = self.marks(v);
            block.mark = marks
                .iter()
                .find_map(|m| m.strip_prefix(MARK)?.parse().ok());
            let part = |m: &String| match m.as_str() {
                GROUPS => Some(Part::Groups),
                EDGE => Some(Part::Edge),
                _ => None,
            };
            block.part = marks.iter().find_map(part).unwrap_or_default();
        }
    }

    /// The probability of each way that control may go, where metadata tell.
    unsafe fn weights(&self, v: LLVMValueRef, count: usize) -> Option<Vec<f32>> {
        let operands = unsafe { node(LLVMGetMetadata(v, self.prof_kind)) };
        let read = |v: &LLVMValueRef| unsafe {
            let int = LLVMGetValueKind(*v) == LLVMValueKind::LLVMConstantIntValueKind;
            int.then(|| LLVMConstIntGetZExtValue(*v) as f32)
        };
        let found: Vec<f32> = operands.iter().filter_map(read).collect();
        let sum: f32 = found.iter().sum();
        (found.len() == count && sum > 0.0).then(|| found.iter().map(|w| w / sum).collect())
    }

    unsafe fn marks(&self, v: LLVMValueRef) -> Vec<String> {
        let operands = unsafe { node(LLVMGetMetadata(v, self.loop_kind)) };
        let facts = operands.iter().skip(1);
        let texts = facts.filter_map(|fact| {
            let parts = unsafe { node(*fact) };
            parts.first().map(|t| unsafe { text(*t) })
        });
        texts.collect()
    }
}

unsafe fn node(v: LLVMValueRef) -> Vec<LLVMValueRef> {
    unsafe {
        if v.is_null() || LLVMIsAMDNode(v).is_null() {
            return Vec::new();
        }
        let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(v) as usize];
        LLVMGetMDNodeOperands(v, operands.as_mut_ptr());
        operands.retain(|o| !o.is_null());
        operands
    }
}

unsafe fn text(v: LLVMValueRef) -> String {
    unsafe {
        if LLVMIsAMDString(v).is_null() {
            return String::new();
        }
        let mut length = 0;
        let bytes = LLVMGetMDString(v, &mut length);
        let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize);
        String::from_utf8_lossy(bytes).into_owned()
    }
}

unsafe fn name(f: LLVMValueRef) -> String {
    unsafe {
        let named = [
            LLVMValueKind::LLVMFunctionValueKind,
            // A slot that holds one of NumPy's.
            LLVMValueKind::LLVMGlobalVariableValueKind,
        ];
        if !named.contains(&LLVMGetValueKind(f)) {
            return String::new();
        }
        let mut length = 0;
        let bytes = LLVMGetValueName2(f, &mut length);
        CStr::from_ptr(bytes).to_string_lossy().into_owned()
    }
}

/// Whether only branches use a comparison: it is then one operation of the machine with the branch.
unsafe fn jumps_only(v: LLVMValueRef) -> bool {
    unsafe {
        let mut at = LLVMGetFirstUse(v);
        let mut some = false;
        while !at.is_null() {
            let user = LLVMGetUser(at);
            if LLVMIsATerminatorInst(user).is_null() {
                return false;
            }
            some = true;
            at = LLVMGetNextUse(at);
        }
        some
    }
}

unsafe fn form(t: LLVMTypeRef) -> Form {
    unsafe {
        let (element, lanes) = match LLVMGetTypeKind(t) {
            LLVMTypeKind::LLVMVectorTypeKind => (LLVMGetElementType(t), LLVMGetVectorSize(t)),
            _ => (t, 1),
        };
        let (bits, float) = match LLVMGetTypeKind(element) {
            LLVMTypeKind::LLVMIntegerTypeKind => (LLVMGetIntTypeWidth(element), false),
            LLVMTypeKind::LLVMPointerTypeKind => (64, false),
            LLVMTypeKind::LLVMHalfTypeKind => (16, true),
            LLVMTypeKind::LLVMFloatTypeKind => (32, true),
            LLVMTypeKind::LLVMDoubleTypeKind => (64, true),
            LLVMTypeKind::LLVMStructTypeKind if LLVMCountStructElementTypes(element) > 0 => {
                let first = LLVMStructGetTypeAtIndex(element, 0);
                return form(first);
            }
            _ => (0, false),
        };
        Form { bits, lanes, float }
    }
}

/// Whether an instruction calls a function that has to be priced by its name.
pub(super) fn is_function(inst: &Inst) -> bool {
    inst.code == LLVMOpcode::LLVMCall
        && !inst.callee.is_empty()
        && !inst.callee.starts_with("llvm.")
}
