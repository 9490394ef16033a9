"""TLX: LLVM IR with tensor intrinsics (`llvm.tensor.*`), not Meta's Triton TLX."""
