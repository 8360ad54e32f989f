//! What the optimiser is not to know.

use llvm_sys::core::*;

use crate::llvm::{Ir, V};

impl Ir<'_> {
    /// Makes the optimiser keep the int `v`.
    pub(crate) fn keep_alive(&self, v: V) {
        let (text, constraints) = ("", "r");
        unsafe {
            let ty = self.function(self.void(), &[LLVMTypeOf(v)]);
            let asm = LLVMGetInlineAsm(
                ty,
                text.as_ptr().cast(),
                0,
                constraints.as_ptr().cast(),
                constraints.len(),
                1,
                0,
                llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
                0,
            );
            self.call(ty, asm, &[v]);
        }
    }
}
