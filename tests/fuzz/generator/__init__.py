"""What random programs are written with: valid, terminating, deterministic, full of edges.

Csmith's and YARPGen's idea, with nondeterminism in the place of undefined behaviour: whatever is
written may raise or warn, but it does the same on every run. Half of the functions are random
statements (statements.py), half are nests of the kinds that scientific scripts have with random
parts (idioms.py, more_idioms.py). functions.py says what stands around them, arguments.py what they
are called with: first with types that a nest can have natively and mostly usual values, so that a
kernel runs; then with values at the edges of these types somewhere behind the first elements, and
with other types. exceptions.py and interrupted.py write loops that only an exception or a signal
ends; nest_writer.py writes nests in which subscripts mostly fit.
"""
