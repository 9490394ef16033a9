"""Mistakes without a place in a kernel: a target that does not exist, an argument that does not fit."""

from __future__ import annotations


class CallerError(Exception):
    """What whoever called can put right, and nobody else: the message is all that there is to show.

    Raised as a base beside the built-in exception that fits. The command line prints it and ends with a usage status.
    """
