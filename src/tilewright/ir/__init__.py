"""The intermediate representation: MLIR's data model, declared operations, verifier, rewriter, passes."""
