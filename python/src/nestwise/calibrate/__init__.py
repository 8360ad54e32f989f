"""`nestwise calibrate`: what CPython, a launch and a compilation take on this machine.

`probes`, `elements`, `mixed` and `launches` hold loops to time and `data` their arguments,
`measure` times them, `sections` fits weights to that, `command` makes a profile of it all, and
`files` reads, writes and compares profiles.
"""
