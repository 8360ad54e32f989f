//! Metadata: aliasing, access groups, loop hints.

use inkwell::context::Context;
use llvm_sys::core::*;

use crate::llvm::{Ir, Md, V};

impl Ir<'_> {
    pub(crate) fn md_string(&self, text: &str) -> Md {
        unsafe { LLVMMDStringInContext2(self.ctx, text.as_ptr().cast(), text.len()) }
    }
    pub(crate) fn md_value(&self, v: V) -> Md {
        unsafe { LLVMValueAsMetadata(v) }
    }
    pub(crate) fn md_node(&self, items: &[Md]) -> Md {
        let mut items = items.to_vec();
        unsafe { LLVMMDNodeInContext2(self.ctx, items.as_mut_ptr(), items.len()) }
    }
    /// A node whose first operand is itself, as loop ids are; such nodes are distinct by construction.
    pub(crate) fn md_self_node(&self, rest: &[Md]) -> Md {
        unsafe {
            let temporary =
                llvm_sys::debuginfo::LLVMTemporaryMDNode(self.ctx, std::ptr::null_mut(), 0);
            let mut items = vec![temporary];
            items.extend_from_slice(rest);
            let node = self.md_node(&items);
            llvm_sys::debuginfo::LLVMMetadataReplaceAllUsesWith(temporary, node);
            node
        }
    }
    /// Says how often a jump goes either way.
    pub(crate) fn expect(&self, branch: V, then: u32, other: u32) {
        let weight = |w: u32| self.md_value(self.const_int(self.int(32), w.into()));
        let weights = [
            self.md_string("branch_weights"),
            weight(then),
            weight(other),
        ];
        self.set_md(branch, "prof", self.md_node(&weights));
    }
    pub(crate) fn set_md(&self, instruction: V, kind: &str, node: Md) {
        unsafe {
            let kind = LLVMGetMDKindIDInContext(self.ctx, kind.as_ptr().cast(), kind.len() as u32);
            LLVMSetMetadata(instruction, kind, LLVMMetadataAsValue(self.ctx, node));
        }
    }
}

/// `count` distinct empty nodes, as access groups have to be. The C interface cannot make them, the parser can.
pub(crate) fn distinct_nodes(context: &Context, count: usize) -> Result<Vec<Md>, String> {
    use std::fmt::Write;
    let mut text = String::from("!g = !{");
    for i in 0..count {
        let comma = if i == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}!{i}");
    }
    text.push_str("}\n");
    for i in 0..count {
        let _ = writeln!(text, "!{i} = distinct !{{}}");
    }
    text.push('\0');
    let buffer = inkwell::memory_buffer::MemoryBuffer::create_from_memory_range_copy(
        text.as_bytes(),
        "groups",
    );
    let module = context
        .create_module_from_ir(buffer)
        .map_err(|e| e.to_string())?;
    unsafe {
        let found = LLVMGetNamedMetadataNumOperands(module.as_mut_ptr(), c"g".as_ptr()) as usize;
        let mut nodes: Vec<V> = vec![std::ptr::null_mut(); found];
        LLVMGetNamedMetadataOperands(module.as_mut_ptr(), c"g".as_ptr(), nodes.as_mut_ptr());
        if found != count {
            return Err(format!("{found} access groups instead of {count}"));
        }
        Ok(nodes.into_iter().map(|v| LLVMValueAsMetadata(v)).collect())
    }
}
