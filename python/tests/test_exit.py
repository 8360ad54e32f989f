"""What happens when the interpreter ends: callbacks, finalizers and streams, by processes."""

import pytest
from processes import nestwise, python, write

HEAD = """
import atexit, gc, sys, threading, weakref
class R:
    def __init__(self, name): self.name = name
    def __del__(self): print("del", self.name, sys.is_finalizing())
def total(n):
    s = 0
    for i in range(n):
        s += i * i
    return s
for _ in range(3): t = total(30000)
"""
OVER_ARRAY = """
import numpy as np
b = np.ones(30000)
def f(b):
    s = 0.0
    for i in range(len(b)):
        s += b[i]
    return s
"""
PROGRAMS = {
    "globals of several kinds": """
a = R('a')
_b = R('_b')
c = [R('c')]
d = {'k': R('d')}
e = (R('e'),)
f = {R('f')}
g = lambda: 0
g.x = R('g')
""",
    "closure": "def f():\n    x = R('cell')\n    return lambda: x\ng = f()",
    "cycles": "a = R('a')\na.me = a\nb = []\nb += [b, R('b')]",
    "weak references": """
class O: pass
o = O()
w = weakref.ref(o, lambda r: print('gone', r() is None))
finalizer = weakref.finalize(o, print, 'finalized')
""",
    "atexit": """
r = R('r')
atexit.register(print, 'one')
atexit.register(lambda: print('two', t, '__file__' in globals()))
atexit.register(lambda x: print('held', x.name), R('held'))
""",
    "thread": """
r = R('r')
def work():
    import time
    time.sleep(0.2)
    x = R('in the thread')
    for i in range(3): print(i, total(i))
threading.Thread(target=work).start()
atexit.register(print, 'atexit')
""",
    "daemon": "r = R('r')\nthreading.Thread(target=threading.Event().wait, daemon=True).start()",
    "exit": "r = R('r')\nsys.exit(3)",
    "exit in a loop": """
r = R('r')
for i in range(10**5):
    t += i
    if i == 9000: sys.exit(4)
""",
    "exit in a function": """
r = R('r')
def f(n):
    local = R('local')
    s = 0
    for i in range(n):
        s += i
        if i == 500: sys.exit('text')
f(1000)
""",
    "exception": """
r = R('r')
def f(n):
    local = R('local')
    s = 0
    for i in range(n):
        s += 1 // (500 - i)
f(1000)
""",
    "excepthook": """
sys.excepthook = lambda kind, error, traceback: print('hook', kind.__name__, h.name)
h = R('h')
atexit.register(lambda: print(sys.last_value.args[0].name))
raise ValueError(R('argument'))
""",
    "attributes of sys": "sys.mine = R('sys')\nr = R('r')",
    "a module": """
import types
m = sys.modules['m'] = types.ModuleType('m')
m.r = R('m')
r = R('r')
""",
    "generator": """
def g():
    local = R('local')
    try:
        for i in range(10): yield i
    finally: print('closed')
it = g()
next(it)
""",
    "a helper": """
def h(x): return x * 2
h.r = R('h')
def f(n):
    s = 0
    for i in range(n):
        s += h(i)
    return s
print(f(30000), f(30000))
""",
    "an array": OVER_ARRAY + "print(f(b), f(b))\nw = weakref.finalize(b, print, 'b')\nr = R('r')",
    "a loop in a finalizer": """
class D:
    def __del__(self): print(__name__, total(30000))
d = D()
""",
    "a variable of a loop": """
for i in range(1000):
    o = R(i) if i % 400 == 0 else None
    if i == 800: keep = o
""",
    "at once": "import os\nr = R('r')\nprint('x', flush=True)\nos._exit(3)",
    "half a line": "r = R('r')\nsys.stderr.write('no newline')\nprint('x', end='')",
}
# What the native part has looked at it keeps for as long as the process lives.
HELD = {
    "an attribute of a class": """
class P:
    def __init__(self): self.x = 0.0
    def run(self, n):
        for k in range(n):
            self.x += k
p = P()
p.r = R('r')
p.run(30000)
p.run(30000)
""",
    "a function for NumPy's errors": OVER_ARRAY
    + "r = R('r')\nwith np.errstate(call=lambda *a: r): print(f(b), f(b))",
}


def same_end(program, device):
    write("s.py", HEAD + program)
    assert nestwise("run", "s.py", NESTWISE_DEVICE=device) == python("s.py")


@pytest.mark.parametrize("name", PROGRAMS)
def test_without_native_code(place, name):
    same_end(PROGRAMS[name], "interpreter")


@pytest.mark.parametrize("device", ["auto", "serial"])
@pytest.mark.parametrize("name", [*PROGRAMS, *HELD])
def test_with_native_code(place, name, device):
    same_end({**PROGRAMS, **HELD}[name], device)
