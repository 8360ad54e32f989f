"""How code of the user's gets its loops rewritten: imports, one function, worker processes."""
