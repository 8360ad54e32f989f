"""Random programs run by CPython and by nestwise; whatever differs is a finding, made small.

    python tests/fuzz --domain arrays [--seed N] [--count N] [--seconds S] [--jobs N]

`__main__.py` is the command line, `driver.py` runs seeds one after the other and tells what became
of them. A *domain* (`domains/`, one module each) makes the scripts: it says what loops in them are
about, and which devices and environment they want. A *judge* decides what a finding is:
`compared.py` compares whole processes, `watched.py` compares and times single programs under a
watchdog, `assembled.py` has ptxas assemble the kernels. `shrinking.py` and `kept.py` make a finding
small and keep it where `tests/test_programs.py` runs it from then on.

A *program* is one generated function, f0, f1, ..., with its calls; a script holds many of them.
Everything follows from the seed of a script.
"""
