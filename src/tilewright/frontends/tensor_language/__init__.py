"""The tensor language: reading, printing and formatting its text.

module = parse(Source("a.tl", text), report)     IR of the shared dialects and `tl`
text = print_module(module)                      and back
"""

from tilewright.frontends.tensor_language.attribute_reader import DefinitionValue
from tilewright.frontends.tensor_language.formatter import format_source
from tilewright.frontends.tensor_language.parser import parse
from tilewright.frontends.tensor_language.printer import print_module
from tilewright.frontends.tensor_language.spelling import NotInLanguage

__all__ = ["DefinitionValue", "NotInLanguage", "format_source", "parse", "print_module"]
