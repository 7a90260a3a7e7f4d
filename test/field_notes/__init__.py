"""What users of such systems report, row by row: each is a test of its name."""
