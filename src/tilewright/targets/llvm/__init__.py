"""LLVM as text: the emitter, and the lowering of elementwise operations and mathematics that all targets share."""
