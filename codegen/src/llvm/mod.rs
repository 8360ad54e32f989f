//! A thin instruction builder over LLVM's C interface.
//!
//! inkwell keeps scalars and vectors apart by type; the emitter writes each operation once for both, which the C
//! interface allows. Contexts, modules and target machines are inkwell's. Every method here only builds IR:
//! ill-typed use is caught by LLVM's verifier before anything runs.

mod device;
pub(crate) mod globals;
mod hidden;
mod metadata;
pub(crate) mod passes;
pub(crate) mod warm;

use std::cell::Cell;
use std::ffi::CStr;
use std::marker::PhantomData;

use inkwell::context::Context;
use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};

/// A value of the module being built.
pub(crate) type V = LLVMValueRef;
/// A type of the context.
pub(crate) type T = LLVMTypeRef;
/// A basic block.
pub(crate) type Block = LLVMBasicBlockRef;
/// Metadata.
pub(crate) type Md = LLVMMetadataRef;

pub(crate) use crate::llvm::metadata::distinct_nodes;
pub(crate) use llvm_sys::{LLVMIntPredicate as IntPred, LLVMRealPredicate as RealPred};

const NO_NAME: *const libc::c_char = c"".as_ptr();

/// What arithmetic may assume about integer overflow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    /// The result wraps.
    Any,
    /// The result was proved not to leave the signed range.
    Signed,
}

/// The builder, bound to one module.
pub(crate) struct Ir<'c> {
    ctx: LLVMContextRef,
    module: LLVMModuleRef,
    b: LLVMBuilderRef,
    fast: Cell<u32>,
    /// Whether ordering comparisons of floats raise no flag for a NaN.
    quiet: bool,
    /// The word in which it is noted, on devices, which have no floating-point flags, that some result is not finite.
    watch: Cell<Option<V>>,
    lifetime: PhantomData<&'c Context>,
}

impl Drop for Ir<'_> {
    fn drop(&mut self) {
        unsafe { LLVMDisposeBuilder(self.b) }
    }
}

impl<'c> Ir<'c> {
    /// A builder for `module`; `fast` are the flags put on every float operation.
    pub(crate) fn new(context: &'c Context, module: &Module<'_>, fast: u32, quiet: bool) -> Self {
        let ctx = context.raw();
        let b = unsafe { LLVMCreateBuilderInContext(ctx) };
        Self {
            ctx,
            module: module.as_mut_ptr(),
            b,
            fast: Cell::new(fast),
            quiet,
            watch: Cell::new(None),
            lifetime: PhantomData,
        }
    }

    // Types.

    pub(crate) fn int(&self, bits: u32) -> T {
        unsafe { LLVMIntTypeInContext(self.ctx, bits) }
    }
    pub(crate) fn i1(&self) -> T {
        self.int(1)
    }
    pub(crate) fn i8(&self) -> T {
        self.int(8)
    }
    pub(crate) fn i64(&self) -> T {
        self.int(64)
    }
    pub(crate) fn f32(&self) -> T {
        unsafe { LLVMFloatTypeInContext(self.ctx) }
    }
    pub(crate) fn f64(&self) -> T {
        unsafe { LLVMDoubleTypeInContext(self.ctx) }
    }
    pub(crate) fn ptr(&self) -> T {
        unsafe { LLVMPointerTypeInContext(self.ctx, 0) }
    }
    pub(crate) fn void(&self) -> T {
        unsafe { LLVMVoidTypeInContext(self.ctx) }
    }
    pub(crate) fn vector(&self, element: T, lanes: u32) -> T {
        unsafe { LLVMVectorType(element, lanes) }
    }
    pub(crate) fn array(&self, element: T, count: u64) -> T {
        unsafe { LLVMArrayType2(element, count) }
    }
    pub(crate) fn function(&self, result: T, params: &[T]) -> T {
        let mut params = params.to_vec();
        unsafe { LLVMFunctionType(result, params.as_mut_ptr(), params.len() as u32, 0) }
    }
    pub(crate) fn element_type(&self, vector: T) -> T {
        unsafe { LLVMGetElementType(vector) }
    }
    pub(crate) fn type_of(&self, v: V) -> T {
        unsafe { LLVMTypeOf(v) }
    }

    // Constants.

    pub(crate) fn const_int(&self, ty: T, value: i128) -> V {
        let words = [value as u64, (value >> 64) as u64];
        unsafe { LLVMConstIntOfArbitraryPrecision(ty, 2, words.as_ptr()) }
    }
    pub(crate) fn const_i64(&self, value: i64) -> V {
        self.const_int(self.i64(), value.into())
    }
    pub(crate) fn const_bool(&self, value: bool) -> V {
        self.const_int(self.i1(), value.into())
    }
    /// A float constant by its bits, so that NaNs and signed zeros survive.
    pub(crate) fn const_float(&self, ty: T, value: f64) -> V {
        if ty == self.f32() {
            let bits = (value as f32).to_bits();
            unsafe { LLVMConstBitCast(self.const_int(self.int(32), bits.into()), ty) }
        } else {
            let bits = value.to_bits();
            unsafe { LLVMConstBitCast(self.const_int(self.i64(), bits.into()), ty) }
        }
    }
    pub(crate) fn zero(&self, ty: T) -> V {
        unsafe { LLVMConstNull(ty) }
    }
    pub(crate) fn const_vector(&self, items: &[V]) -> V {
        let mut items = items.to_vec();
        unsafe { LLVMConstVector(items.as_mut_ptr(), items.len() as u32) }
    }

    // Functions and blocks.

    pub(crate) fn add_function(&self, name: &CStr, ty: T) -> V {
        unsafe {
            let known = LLVMGetNamedFunction(self.module, name.as_ptr());
            if known.is_null() {
                LLVMAddFunction(self.module, name.as_ptr(), ty)
            } else {
                known
            }
        }
    }
    /// An external byte whose address is what matters.
    pub(crate) fn add_global(&self, name: &CStr) -> V {
        unsafe {
            let known = LLVMGetNamedGlobal(self.module, name.as_ptr());
            if known.is_null() {
                LLVMAddGlobal(self.module, self.i8(), name.as_ptr())
            } else {
                known
            }
        }
    }
    pub(crate) fn set_internal(&self, function: V) {
        unsafe { LLVMSetLinkage(function, llvm_sys::LLVMLinkage::LLVMInternalLinkage) }
    }
    pub(crate) fn attribute(&self, function: V, name: &str, value: u64) {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            if kind != 0 {
                let attr = LLVMCreateEnumAttribute(self.ctx, kind, value);
                LLVMAddAttributeAtIndex(function, llvm_sys::LLVMAttributeFunctionIndex, attr);
            }
        }
    }
    pub(crate) fn param_attribute(&self, function: V, index: u32, name: &str) {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            if kind != 0 {
                let attr = LLVMCreateEnumAttribute(self.ctx, kind, 0);
                LLVMAddAttributeAtIndex(function, index + 1, attr);
            }
        }
    }
    pub(crate) fn string_attribute(&self, function: V, name: &str, value: &str) {
        unsafe {
            let attr = LLVMCreateStringAttribute(
                self.ctx,
                name.as_ptr().cast(),
                name.len() as u32,
                value.as_ptr().cast(),
                value.len() as u32,
            );
            LLVMAddAttributeAtIndex(function, llvm_sys::LLVMAttributeFunctionIndex, attr);
        }
    }
    pub(crate) fn param(&self, function: V, index: u32) -> V {
        unsafe { LLVMGetParam(function, index) }
    }
    pub(crate) fn block(&self, function: V, name: &CStr) -> Block {
        unsafe { LLVMAppendBasicBlockInContext(self.ctx, function, name.as_ptr()) }
    }
    pub(crate) fn at(&self, block: Block) {
        unsafe { LLVMPositionBuilderAtEnd(self.b, block) }
    }
    pub(crate) fn here(&self) -> Block {
        unsafe { LLVMGetInsertBlock(self.b) }
    }
    /// A new block at the end of the function being emitted.
    pub(crate) fn fresh(&self) -> Block {
        self.block(unsafe { LLVMGetBasicBlockParent(self.here()) }, c"")
    }
    /// The first block of the function being emitted, which holds its allocas.
    fn entry(&self) -> Block {
        unsafe { LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(self.here())) }
    }
    pub(crate) fn br(&self, to: Block) -> V {
        unsafe { LLVMBuildBr(self.b, to) }
    }
    pub(crate) fn cond_br(&self, cond: V, then: Block, other: Block) -> V {
        unsafe { LLVMBuildCondBr(self.b, cond, then, other) }
    }
    pub(crate) fn ret(&self, v: V) {
        unsafe { LLVMBuildRet(self.b, v) };
    }
    pub(crate) fn has_body(&self, function: V) -> bool {
        unsafe { LLVMCountBasicBlocks(function) > 0 }
    }
    pub(crate) fn ret_void(&self) {
        unsafe { LLVMBuildRetVoid(self.b) };
    }

    /// An alloca in the function's first block, so that it is promoted whatever loop asked for it.
    pub(crate) fn alloca(&self, ty: T) -> V {
        self.alloca_aligned(ty, 0)
    }
    /// An alloca of an alignment in bytes; 0: that of the type.
    pub(crate) fn alloca_aligned(&self, ty: T, align: u32) -> V {
        let (here, entry) = (self.here(), self.entry());
        unsafe {
            let first = LLVMGetFirstInstruction(entry);
            if first.is_null() {
                LLVMPositionBuilderAtEnd(self.b, entry);
            } else {
                LLVMPositionBuilderBefore(self.b, first);
            }
            let v = LLVMBuildAlloca(self.b, ty, NO_NAME);
            if align != 0 {
                LLVMSetAlignment(v, align);
            }
            self.at(here);
            v
        }
    }
    /// An alloca with zeros in it when the function begins.
    pub(crate) fn alloca_zeroed(&self, ty: T) -> V {
        let v = self.alloca(ty);
        let (here, entry) = (self.here(), self.entry());
        unsafe {
            let next = LLVMGetNextInstruction(v);
            if next.is_null() {
                LLVMPositionBuilderAtEnd(self.b, entry);
            } else {
                LLVMPositionBuilderBefore(self.b, next);
            }
        }
        self.store(self.zero(ty), v);
        self.at(here);
        v
    }

    // Memory.

    pub(crate) fn load(&self, ty: T, ptr: V) -> V {
        unsafe { LLVMBuildLoad2(self.b, ty, ptr, NO_NAME) }
    }
    pub(crate) fn store(&self, value: V, ptr: V) -> V {
        unsafe { LLVMBuildStore(self.b, value, ptr) }
    }
    pub(crate) fn set_align(&self, access: V, align: u32) {
        unsafe { LLVMSetAlignment(access, align) }
    }
    /// `ptr + offset` bytes.
    pub(crate) fn offset(&self, ptr: V, offset: V, inbounds: bool) -> V {
        self.element(self.i8(), ptr, offset, inbounds)
    }
    pub(crate) fn offset_const(&self, ptr: V, offset: usize) -> V {
        if offset == 0 {
            ptr
        } else {
            self.offset(ptr, self.const_i64(offset as i64), true)
        }
    }
    /// `&((T *)ptr)[index]`.
    pub(crate) fn element(&self, ty: T, ptr: V, index: V, inbounds: bool) -> V {
        let mut index = [index];
        unsafe {
            if inbounds {
                LLVMBuildInBoundsGEP2(self.b, ty, ptr, index.as_mut_ptr(), 1, NO_NAME)
            } else {
                LLVMBuildGEP2(self.b, ty, ptr, index.as_mut_ptr(), 1, NO_NAME)
            }
        }
    }

    // Integers.

    pub(crate) fn add(&self, a: V, b: V, wrap: Wrap) -> V {
        unsafe {
            match wrap {
                Wrap::Any => LLVMBuildAdd(self.b, a, b, NO_NAME),
                Wrap::Signed => LLVMBuildNSWAdd(self.b, a, b, NO_NAME),
            }
        }
    }
    /// `a + b * c` of subscripts, none of which overflows.
    pub(crate) fn affine(&self, a: V, b: V, c: V) -> V {
        self.add(a, self.mul(b, c, Wrap::Signed), Wrap::Signed)
    }
    pub(crate) fn sub(&self, a: V, b: V, wrap: Wrap) -> V {
        unsafe {
            match wrap {
                Wrap::Any => LLVMBuildSub(self.b, a, b, NO_NAME),
                Wrap::Signed => LLVMBuildNSWSub(self.b, a, b, NO_NAME),
            }
        }
    }
    pub(crate) fn mul(&self, a: V, b: V, wrap: Wrap) -> V {
        unsafe {
            match wrap {
                Wrap::Any => LLVMBuildMul(self.b, a, b, NO_NAME),
                Wrap::Signed => LLVMBuildNSWMul(self.b, a, b, NO_NAME),
            }
        }
    }
    fn op(&self, op: LLVMOpcode, a: V, b: V) -> V {
        unsafe { LLVMBuildBinOp(self.b, op, a, b, NO_NAME) }
    }
    pub(crate) fn sdiv(&self, a: V, b: V) -> V {
        self.op(LLVMOpcode::LLVMSDiv, a, b)
    }
    pub(crate) fn srem(&self, a: V, b: V) -> V {
        self.op(LLVMOpcode::LLVMSRem, a, b)
    }
    pub(crate) fn udiv(&self, a: V, b: V) -> V {
        self.op(LLVMOpcode::LLVMUDiv, a, b)
    }
    pub(crate) fn urem(&self, a: V, b: V) -> V {
        self.op(LLVMOpcode::LLVMURem, a, b)
    }
    pub(crate) fn and(&self, a: V, b: V) -> V {
        self.op(LLVMOpcode::LLVMAnd, a, b)
    }
    pub(crate) fn or(&self, a: V, b: V) -> V {
        self.op(LLVMOpcode::LLVMOr, a, b)
    }
    pub(crate) fn xor(&self, a: V, b: V) -> V {
        self.op(LLVMOpcode::LLVMXor, a, b)
    }
    pub(crate) fn not(&self, a: V) -> V {
        unsafe { LLVMBuildNot(self.b, a, NO_NAME) }
    }
    pub(crate) fn shl(&self, a: V, b: V) -> V {
        self.op(LLVMOpcode::LLVMShl, a, b)
    }
    pub(crate) fn ashr(&self, a: V, b: V) -> V {
        self.op(LLVMOpcode::LLVMAShr, a, b)
    }
    pub(crate) fn lshr(&self, a: V, b: V) -> V {
        self.op(LLVMOpcode::LLVMLShr, a, b)
    }
    pub(crate) fn icmp(&self, pred: LLVMIntPredicate, a: V, b: V) -> V {
        unsafe { LLVMBuildICmp(self.b, pred, a, b, NO_NAME) }
    }

    // Floats.

    fn fp(&self, v: V) -> V {
        let fast = self.fast.get();
        if fast != 0 {
            unsafe {
                if LLVMCanValueUseFastMathFlags(v) != 0 {
                    LLVMSetFastMathFlags(v, fast);
                }
            }
        }
        v
    }
    /// Has float operations mean what they say from here on, whatever the mode; returns what [`Ir::as_before`] takes.
    /// For algorithms that rest on how each operation rounds.
    pub(crate) fn exactly(&self) -> u32 {
        self.fast.replace(0)
    }
    pub(crate) fn as_before(&self, fast: u32) {
        self.fast.set(fast);
    }
    pub(crate) fn fadd(&self, a: V, b: V) -> V {
        self.watched(self.fp(self.op(LLVMOpcode::LLVMFAdd, a, b)))
    }
    pub(crate) fn fsub(&self, a: V, b: V) -> V {
        self.watched(self.fp(self.op(LLVMOpcode::LLVMFSub, a, b)))
    }
    pub(crate) fn fmul(&self, a: V, b: V) -> V {
        self.watched(self.fp(self.op(LLVMOpcode::LLVMFMul, a, b)))
    }
    pub(crate) fn fdiv(&self, a: V, b: V) -> V {
        self.watched(self.fp(self.op(LLVMOpcode::LLVMFDiv, a, b)))
    }
    pub(crate) fn fneg(&self, a: V) -> V {
        unsafe { LLVMBuildFNeg(self.b, a, NO_NAME) }
    }
    pub(crate) fn fcmp(&self, pred: LLVMRealPredicate, a: V, b: V) -> V {
        match predicate_name(pred).filter(|_| self.quiet) {
            Some(name) => self.strict_fcmp(name, a, b, false),
            None => unsafe { LLVMBuildFCmp(self.b, pred, a, b, NO_NAME) },
        }
    }
    /// Compares floats by a constrained intrinsic. The plain instruction promises nothing about flags, and x86's vector
    /// form of an ordering raises one for a quiet NaN; the constrained forms are IEEE's: quiet, or signalling, which
    /// any NaN makes raise a flag.
    fn strict_fcmp(&self, pred: &str, a: V, b: V, signalling: bool) -> V {
        let word = |text: &str| unsafe { LLVMMetadataAsValue(self.ctx, self.md_string(text)) };
        let args = [a, b, word(pred), word("fpexcept.strict")];
        let name = match signalling {
            true => "llvm.experimental.constrained.fcmps",
            false => "llvm.experimental.constrained.fcmp",
        };
        let call = self.intrinsic(name, &[self.type_of(a)], &args);
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"strictfp".as_ptr(), 8);
            let attr = LLVMCreateEnumAttribute(self.ctx, kind, 0);
            LLVMAddCallSiteAttribute(call, llvm_sys::LLVMAttributeFunctionIndex, attr);
        }
        call
    }

    /// `a >= b` as C has it: a NaN raises the flag of an invalid operation.
    pub(crate) fn signalling_ge(&self, a: V, b: V) -> V {
        self.strict_fcmp("oge", a, b, true)
    }

    // Conversions; `ty` is a scalar or vector type like the operand's.

    fn cast(&self, op: LLVMOpcode, a: V, ty: T) -> V {
        unsafe { LLVMBuildCast(self.b, op, a, ty, NO_NAME) }
    }
    pub(crate) fn sext(&self, a: V, ty: T) -> V {
        self.cast(LLVMOpcode::LLVMSExt, a, ty)
    }
    pub(crate) fn zext(&self, a: V, ty: T) -> V {
        self.cast(LLVMOpcode::LLVMZExt, a, ty)
    }
    pub(crate) fn trunc(&self, a: V, ty: T) -> V {
        self.cast(LLVMOpcode::LLVMTrunc, a, ty)
    }
    pub(crate) fn sitofp(&self, a: V, ty: T) -> V {
        self.cast(LLVMOpcode::LLVMSIToFP, a, ty)
    }
    pub(crate) fn uitofp(&self, a: V, ty: T) -> V {
        self.cast(LLVMOpcode::LLVMUIToFP, a, ty)
    }
    pub(crate) fn fptosi(&self, a: V, ty: T) -> V {
        self.cast(LLVMOpcode::LLVMFPToSI, a, ty)
    }
    pub(crate) fn fptoui(&self, a: V, ty: T) -> V {
        self.cast(LLVMOpcode::LLVMFPToUI, a, ty)
    }
    pub(crate) fn fpext(&self, a: V, ty: T) -> V {
        self.cast(LLVMOpcode::LLVMFPExt, a, ty)
    }
    pub(crate) fn fptrunc(&self, a: V, ty: T) -> V {
        self.watched(self.cast(LLVMOpcode::LLVMFPTrunc, a, ty))
    }
    pub(crate) fn bitcast(&self, a: V, ty: T) -> V {
        self.cast(LLVMOpcode::LLVMBitCast, a, ty)
    }

    // Selection, vectors, calls.

    /// A pointer as a number.
    pub(crate) fn address(&self, v: V) -> V {
        unsafe { LLVMBuildPtrToInt(self.b, v, self.i64(), NO_NAME) }
    }
    pub(crate) fn select(&self, cond: V, a: V, b: V) -> V {
        unsafe { LLVMBuildSelect(self.b, cond, a, b, NO_NAME) }
    }
    pub(crate) fn phi(&self, ty: T) -> V {
        unsafe { LLVMBuildPhi(self.b, ty, NO_NAME) }
    }
    pub(crate) fn add_incoming(&self, phi: V, value: V, from: Block) {
        let (mut values, mut blocks) = ([value], [from]);
        unsafe { LLVMAddIncoming(phi, values.as_mut_ptr(), blocks.as_mut_ptr(), 1) }
    }
    pub(crate) fn extract(&self, v: V, lane: V) -> V {
        unsafe { LLVMBuildExtractElement(self.b, v, lane, NO_NAME) }
    }
    pub(crate) fn insert(&self, v: V, item: V, lane: V) -> V {
        unsafe { LLVMBuildInsertElement(self.b, v, item, lane, NO_NAME) }
    }
    pub(crate) fn shuffle(&self, a: V, b: V, lanes: &[u32]) -> V {
        let i32t = self.int(32);
        let mask: Vec<V> = lanes
            .iter()
            .map(|&l| self.const_int(i32t, l.into()))
            .collect();
        unsafe { LLVMBuildShuffleVector(self.b, a, b, self.const_vector(&mask), NO_NAME) }
    }
    pub(crate) fn splat(&self, v: V, lanes: u32) -> V {
        unsafe {
            if LLVMIsConstant(v) != 0 {
                return self.const_vector(&vec![v; lanes as usize]);
            }
            let ty = self.vector(LLVMTypeOf(v), lanes);
            let one = self.insert(LLVMGetPoison(ty), v, self.const_i64(0));
            self.shuffle(one, LLVMGetPoison(ty), &vec![0; lanes as usize])
        }
    }
    pub(crate) fn field(&self, aggregate: V, index: u32) -> V {
        unsafe { LLVMBuildExtractValue(self.b, aggregate, index, NO_NAME) }
    }
    pub(crate) fn call(&self, ty: T, function: V, args: &[V]) -> V {
        let mut args = args.to_vec();
        unsafe {
            LLVMBuildCall2(
                self.b,
                ty,
                function,
                args.as_mut_ptr(),
                args.len() as u32,
                NO_NAME,
            )
        }
    }
    /// Calls an intrinsic by its name without type suffix; null if this LLVM has none of that name.
    pub(crate) fn intrinsic(&self, name: &str, overloads: &[T], args: &[V]) -> V {
        let mut overloads = overloads.to_vec();
        unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            let f = LLVMGetIntrinsicDeclaration(
                self.module,
                id,
                overloads.as_mut_ptr(),
                overloads.len(),
            );
            let v = self.call(LLVMGlobalGetValueType(f), f, args);
            // Only float intrinsics accept the flags.
            let v = self.fp(v);
            match name {
                "llvm.sqrt" => self.watched(v),
                _ => v,
            }
        }
    }
    /// Lets LLVM choose the sign of a zero that an operation gives; callers do so where no result shows it.
    pub(crate) fn without_signs(&self, v: V) -> V {
        unsafe {
            if LLVMCanValueUseFastMathFlags(v) != 0 {
                LLVMSetFastMathFlags(
                    v,
                    llvm_sys::LLVMFastMathNoSignedZeros | LLVMGetFastMathFlags(v),
                );
            }
        }
        v
    }
    /// States the alignment of a call's pointer argument.
    pub(crate) fn argument_align(&self, call: V, index: u32, align: u32) {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
            let attr = LLVMCreateEnumAttribute(self.ctx, kind, align.into());
            LLVMAddCallSiteAttribute(call, index + 1, attr);
        }
    }
    /// Whether `v` is the constant false (in all lanes).
    pub(crate) fn is_false(&self, v: V) -> bool {
        unsafe { LLVMIsConstant(v) != 0 && LLVMIsNull(v) != 0 }
    }
}

/// The name of a comparison that orders its operands, as the constrained intrinsics spell it.
fn predicate_name(pred: LLVMRealPredicate) -> Option<&'static str> {
    Some(match pred {
        LLVMRealPredicate::LLVMRealOLT => "olt",
        LLVMRealPredicate::LLVMRealOLE => "ole",
        LLVMRealPredicate::LLVMRealOGT => "ogt",
        LLVMRealPredicate::LLVMRealOGE => "oge",
        LLVMRealPredicate::LLVMRealULT => "ult",
        LLVMRealPredicate::LLVMRealULE => "ule",
        LLVMRealPredicate::LLVMRealUGT => "ugt",
        LLVMRealPredicate::LLVMRealUGE => "uge",
        _ => return None,
    })
}
