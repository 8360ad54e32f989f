//! Values that the optimiser is not to see through.

use llvm_sys::core::*;

use crate::llvm::{Ir, V};

impl Ir<'_> {
    /// Hides from LLVM how a float, or a vector of floats, was computed.
    pub(crate) fn opaque(&self, v: V) -> V {
        self.intrinsic("llvm.arithmetic.fence", &[self.type_of(v)], &[v])
    }

    /// Hides from LLVM, if `wide`, a vector of operands made harmless for lanes whose results are not wanted. LLVM
    /// would divide by the original ones and select afterwards, which gives the same values but raises flags. Single
    /// values go without: what keeps LLVM from it also keeps it from vectorising.
    pub(crate) fn opaque_if(&self, v: V, wide: bool) -> V {
        match wide {
            true => self.opaque(v),
            false => v,
        }
    }

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
