"""The machine at hand: its processor and devices, and machine code for them, made and loaded by LLVM and the driver."""
