"""Code of a kernel in functions beside the entry: shared by the threads of the team, or short for the sake of LLVM."""
