"""The version of the package; `_core.version()` is that of the extension module."""

VERSION = "0.1.0"
