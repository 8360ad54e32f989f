//! Instructions that only kernels of devices need.

use std::ffi::CString;

use llvm_sys::core::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp};

use crate::llvm::{IntPred, Ir, V};

impl Ir<'_> {
    /// Has results that are not finite noted, from here on, in the word `word` (one bit), if there is one; returns the
    /// word so far.
    pub(crate) fn watch(&self, word: Option<V>) -> Option<V> {
        self.watch.replace(word)
    }
    /// Notes that what follows is not to be relied on, if the code gets here.
    pub(crate) fn give_up(&self) {
        self.note(self.const_bool(true));
    }
    /// Notes that what follows is not to be relied on, where `bad`.
    pub(crate) fn note(&self, bad: V) {
        if let Some(word) = self.watch.get().filter(|_| !self.is_false(bad)) {
            let old = self.load(self.i1(), word);
            self.store(self.or(old, bad), word);
        }
    }
    /// Notes a result that is not finite.
    pub(crate) fn watched(&self, v: V) -> V {
        if self.watch.get().is_none() {
            return v;
        }
        // The exponent is all ones: on integers of 32 bits, since units for others are few on some devices.
        let (word, exponent) = match self.type_of(v) == self.f32() {
            true => (self.bitcast(v, self.int(32)), 0x7f80_0000),
            false => {
                let bits = self.bitcast(v, self.i64());
                let high = self.lshr(bits, self.const_i64(32));
                (self.trunc(high, self.int(32)), 0x7ff0_0000)
            }
        };
        let exponent = self.const_int(self.int(32), exponent);
        let found = self.and(word, exponent);
        self.note(self.icmp(IntPred::LLVMIntEQ, found, exponent));
        v
    }

    /// Makes a function a kernel of a device, whose first parameter is a copy of `bytes` bytes.
    pub(crate) fn set_kernel(&self, function: V, bytes: u64) {
        // `CallingConv::PTX_Kernel`.
        const KERNEL: u32 = 71;
        unsafe {
            LLVMSetFunctionCallConv(function, KERNEL);
            let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            let copy = LLVMCreateTypeAttribute(self.ctx, kind, self.array(self.i8(), bytes));
            LLVMAddAttributeAtIndex(function, 1, copy);
            let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
            LLVMAddAttributeAtIndex(function, 1, LLVMCreateEnumAttribute(self.ctx, kind, 16));
        }
    }
    /// `bytes` of memory that the threads of a block share, undefined at first.
    pub(crate) fn shared_memory(&self, name: &str, bytes: usize) -> V {
        /// The number of PTX's address space `.shared`.
        const SHARED: u32 = 3;
        let name = CString::new(name).unwrap_or_default();
        let ty = self.array(self.i8(), bytes as u64);
        unsafe {
            let at = LLVMAddGlobalInAddressSpace(self.module, ty, name.as_ptr(), SHARED);
            LLVMSetInitializer(at, LLVMGetUndef(ty));
            LLVMSetLinkage(at, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
            LLVMSetAlignment(at, 16);
            LLVMConstAddrSpaceCast(at, self.ptr())
        }
    }
    /// Updates what is at an address atomically among the threads of the device; returns what was there.
    pub(crate) fn update(&self, op: LLVMAtomicRMWBinOp, at: V, by: V) -> V {
        let order = LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;
        unsafe {
            let scope = LLVMGetSyncScopeID(self.ctx, c"device".as_ptr(), 6);
            LLVMBuildAtomicRMWSyncScope(self.b, op, at, by, order, scope)
        }
    }
    /// Loads what is at an address that other threads of the device change meanwhile; what they did before is visible
    /// from then on, once [`Ir::fence`] was passed.
    pub(crate) fn look(&self, at: V) -> V {
        let found = self.load(self.i64(), at);
        unsafe {
            LLVMSetOrdering(found, LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic);
            LLVMSetAtomicSyncScopeID(found, LLVMGetSyncScopeID(self.ctx, c"device".as_ptr(), 6));
            LLVMSetAlignment(found, 8);
        }
        found
    }
    /// Makes what this thread, and those it has waited for, did before visible to threads of the device before what it
    /// does next.
    pub(crate) fn fence(&self) {
        let order = LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease;
        unsafe {
            let scope = LLVMGetSyncScopeID(self.ctx, c"device".as_ptr(), 6);
            LLVMBuildFenceSyncScope(self.b, order, scope, c"".as_ptr());
        }
    }
    /// The functions that the module calls and does not have, LLVM's own left out.
    pub(crate) fn missing(&self) -> Vec<String> {
        let mut found = Vec::new();
        unsafe {
            let mut function = LLVMGetFirstFunction(self.module);
            while !function.is_null() {
                let mut length = 0;
                let name = LLVMGetValueName2(function, &raw mut length);
                let name = std::slice::from_raw_parts(name.cast::<u8>(), length);
                let name = String::from_utf8_lossy(name).into_owned();
                let used = !LLVMGetFirstUse(function).is_null();
                if !self.has_body(function) && used && !name.starts_with("llvm.") {
                    found.push(name);
                }
                function = LLVMGetNextFunction(function);
            }
        }
        found
    }
}
