"""Codes under which TLX texts are reported."""

from __future__ import annotations

from typing import Final

from tilewright.frontends.tlx.llvm.codes import Codes

SYNTAX: Final = "TLX101"
UNKNOWN_OPERATION: Final = "TLX102"
NO_DECLARATION: Final = "TLX103"
REDEFINED: Final = "TLX104"
UNDEFINED: Final = "TLX105"
MALFORMED: Final = "TLX106"
SUFFIX: Final = "TLX107"
TOKEN_MERGED: Final = "TLX201"
NO_TOKEN: Final = "TLX202"
OPERANDS: Final = "TLX203"
ELEMENT: Final = "TLX204"
SCALABLE: Final = "TLX205"
POINTEE: Final = "TLX206"
NOT_CONSTANT: Final = "TLX303"
COUNT: Final = "TLX305"
LAYOUTS_DIFFER: Final = "TLX317"
RETYPED: Final = "TLX319"
UNSUPPORTED: Final = "TLX404"
ELEMENTS: Final = "TLX501"
LIMIT: Final = "TLX502"

CODES: Final = Codes(SYNTAX, REDEFINED, UNDEFINED, MALFORMED, OPERANDS, UNSUPPORTED, ELEMENTS, LIMIT)
