//! What the optimiser is not to know, and what it knows.

use llvm_sys::core::*;

use super::{Block, Ir, NO_NAME, V};

impl Ir<'_> {
    /// Zeros of both widths that the optimiser does not know.
    pub(crate) fn unknown_zeros(&self, entry: Block) -> [V; 2] {
        [self.f32(), self.f64()].map(|ty| unsafe {
            let home = self.alloca(entry, ty);
            LLVMSetVolatile(LLVMBuildStore(self.b, LLVMConstNull(ty), home), 1);
            let zero = LLVMBuildLoad2(self.b, ty, home, NO_NAME);
            LLVMSetVolatile(zero, 1);
            zero
        })
    }
    /// `v`, a float or a vector of such, but for the optimiser any value of its type. Loops with it still vectorise.
    pub(crate) fn veiled(&self, v: V, zeros: [V; 2]) -> V {
        unsafe {
            let ty = LLVMTypeOf(v);
            let wide = LLVMGetTypeKind(ty) == llvm_sys::LLVMTypeKind::LLVMVectorTypeKind;
            let element = if wide { LLVMGetElementType(ty) } else { ty };
            let (zero, bits) = match element == self.f32() {
                true => (zeros[0], self.int(32)),
                false => (zeros[1], self.i64()),
            };
            let (zero, bits) = match wide {
                true => {
                    let lanes = LLVMGetVectorSize(ty);
                    (self.splat(zero, lanes), self.vector(bits, lanes))
                }
                false => (zero, bits),
            };
            let mixed = self.xor(self.bitcast(v, bits), self.bitcast(zero, bits));
            self.bitcast(mixed, ty)
        }
    }
    /// The value of a float constant, or of each lane of a vector of one.
    pub(crate) fn constant(&self, v: V) -> Option<f64> {
        unsafe {
            let wide = LLVMGetTypeKind(LLVMTypeOf(v)) == llvm_sys::LLVMTypeKind::LLVMVectorTypeKind;
            let v = match LLVMIsConstant(v) != 0 && wide {
                true => LLVMGetAggregateElement(v, 0),
                false => v,
            };
            let known = !v.is_null() && !LLVMIsAConstantFP(v).is_null();
            known.then(|| LLVMConstRealGetDouble(v, &mut 0))
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
