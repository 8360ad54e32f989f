"""`nestwise verify`: compares native runs with CPython's, bit by bit."""
