"""The tensor language: reading, printing and formatting its text.

module = parse(Source("a.tl", text), report)     IR of the shared dialects and `tl`
"""

from tilewright.frontends.tensor_language.attribute_reader import DefinitionValue
from tilewright.frontends.tensor_language.parser import parse

__all__ = ["DefinitionValue", "parse"]
