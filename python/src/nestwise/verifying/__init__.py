"""`nestwise verify`: native runs compared with CPython's, bit by bit."""
