"""Infers types from text, for `nestwise explain` alone: what the names of a script hold."""
