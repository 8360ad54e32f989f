"""A loop that writes memory, which nobody may have touched before (`pages.py`)."""


def fills(o):
    for i in range(len(o)):
        o[i] = 1.0
