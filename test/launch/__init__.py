"""Tests of the launch files and of nodes as processes."""
