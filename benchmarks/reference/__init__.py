"""What the figures are compared with: plain programs that import nothing of ``st_memory``."""
