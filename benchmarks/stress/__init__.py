"""What no message and no rate may do: bring the memory down, or be lost without being counted."""
