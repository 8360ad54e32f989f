"""A byte order mark at the start."""
from showing import show

s = 0
for i in range(10):  # native
    s += i
show("bom", s, i)
for i in range(3):  # native
    s = s // (1 - i)
