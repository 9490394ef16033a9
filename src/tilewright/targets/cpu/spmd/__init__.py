"""Scalars, memrefs, control flow, teams and reports: uniform code, and SPMD code with one lane a work-item."""
