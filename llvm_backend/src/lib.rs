//! Staged code to machine code, through LLVM.
