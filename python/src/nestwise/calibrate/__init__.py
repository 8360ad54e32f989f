"""`nestwise calibrate`: what CPython, a launch and a compilation take on this machine.

`probes` and `launches` hold loops to time, `measure` times them, `command` makes a profile of it
all, and `files` reads, writes and compares profiles.
"""
