"""Tiny memory files as released schema versions wrote them, and the scripts that made them."""
