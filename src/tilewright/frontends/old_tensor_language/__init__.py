"""The tensor language as it was before its redesign: reading it, and rewriting its texts into the new one.

module = parse(Source("a.tl", text), report)     the same IR as that of the new language
text = upgrade(Source("a.tl", text), report)     the text in the new language
"""

from tilewright.frontends.old_tensor_language.parser import parse
from tilewright.frontends.old_tensor_language.upgrade import Upgraded, UpgradeError, upgrade, upgraded_programs
from tilewright.frontends.old_tensor_language.verify import verify_language

__all__ = ["UpgradeError", "Upgraded", "parse", "upgrade", "upgraded_programs", "verify_language"]
