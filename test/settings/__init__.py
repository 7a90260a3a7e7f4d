"""Tests of st_memory.settings."""
