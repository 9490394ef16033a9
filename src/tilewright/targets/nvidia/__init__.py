"""The NVIDIA target: NVPTX through LLVM, loaded by the driver. Importing it needs neither a driver nor a toolkit."""
