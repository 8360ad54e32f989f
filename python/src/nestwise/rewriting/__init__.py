"""Rewrites a module's source to code whose loops ask the native part first."""
