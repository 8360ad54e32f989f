"""Exhaustive access traces of Python scripts under CPython, and what they show about each loop.

`rewrite` instruments a script's AST, `updates` recognises associative updates in its text,
`record` takes the values that go by, `places` finds where they lie, `depend` turns accesses of
locations into dependences, `verdict` says what they mean for each loop. The door is
`access_trace.py` beside this folder.
"""
