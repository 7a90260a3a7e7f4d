"""Tests of st_memory.storage."""
