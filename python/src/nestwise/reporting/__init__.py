"""The report of what became of the loops of a process: collected, as text, as JSON."""
