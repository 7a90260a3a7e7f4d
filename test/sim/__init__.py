"""Tests of the rendered kitchen."""
