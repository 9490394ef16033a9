"""Expressions computed register block by register block, and stored."""
