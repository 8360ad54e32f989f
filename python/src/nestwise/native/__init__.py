"""The door to the extension module, and what that asks of Python."""
