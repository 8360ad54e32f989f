"""The access to the extension module, and the functions that it asks Python for."""
