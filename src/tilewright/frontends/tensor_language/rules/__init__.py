"""What the grammar cannot say: the verifier of the tensor language (language reference, section 2).

One file a subject; `verify_language` applies them all and reports every violation with its V-code.
"""

from tilewright.frontends.tensor_language.rules.apply import verify_language

__all__ = ["verify_language"]
