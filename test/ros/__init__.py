"""Tests of ros."""
