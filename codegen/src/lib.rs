//! Typed nest, schedule and target to a kernel, through LLVM.
