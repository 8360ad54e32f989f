# -*- coding: latin-1 -*-
"""Another encoding than UTF-8."""
from showing import show

größe = 0
for ñ in range(10):  # native
    größe += ñ
wort = "äöü"
treffer = 0
for zeichen in wort:  # native
    if zeichen == "ö":
        treffer += 1
show("latin", größe, treffer, wort)
for i in range(5):  # native
    größe = 10 // (2 - i) if "é" else 0
