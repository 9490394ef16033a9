"""Diagnostics: what is wrong, where, and what would be right."""

from tilewright.diagnostics.diagnostic import Diagnostic, Fix, Label, Severity
from tilewright.diagnostics.report import CompileError, Report
from tilewright.diagnostics.source import UNKNOWN, FusedLocation, Location, Source, SourceRange, fuse

__all__ = [
    "UNKNOWN",
    "CompileError",
    "Diagnostic",
    "Fix",
    "FusedLocation",
    "Label",
    "Location",
    "Report",
    "Severity",
    "Source",
    "SourceRange",
    "fuse",
]
