"""`nestwise calibrate`: what CPython, a launch and a compilation take on this machine.

The modules `probes`, `elements`, `mixed` and `launches` hold loops to time and `data` their
arguments, `measure` times them, `sections` fits weights to the times, `command` makes a profile of
the weights, and `files` reads, writes and compares profiles.
"""
