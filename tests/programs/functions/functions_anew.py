"""Functions that are other ones under the same name, code or address; defaults changed afterwards."""

import gc
import importlib.util
import os
import tempfile
import threading

from showing import show


def total(g, n):
    s = 0
    for i in range(n):  # native
        s += g(i)
    return s


def positional(x, k=2):
    return x * k


def by_name(x, *, k=2):
    return x * k


for function in (positional, by_name):
    show("as written", total(function, 10))
positional.__defaults__ = (7,)
by_name.__kwdefaults__ = {"k": 7}
for function in (positional, by_name):
    show("changed", total(function, 10))
by_name.__kwdefaults__["k"] = 9
show("in place", total(by_name, 10))
by_name.__kwdefaults__["k"] = positional.__defaults__ = None
by_name.__kwdefaults__ = {"k": 2}
positional.__defaults__ = (2,)
for function in (positional, by_name):
    show("as before", total(function, 10))
positional.__code__ = (lambda x, k: x - k).__code__
show("other code", total(positional, 10))

folder = tempfile.mkdtemp()
addresses = set()
wrong = []


def loaded(k):
    """A module's function; the module is gone as soon as the function is."""
    path = os.path.join(folder, f"m{k}.py")
    with open(path, "w") as file:
        file.write(f"def g(x):\n    return x * {k}\n")
    spec = importlib.util.spec_from_file_location(f"m{k}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    os.unlink(path)
    return module.g


def work(k):
    g = loaded(k)
    if total(g, 100) != 4950 * k:
        wrong.append(k)


for k in range(150):
    # Each in a thread of its own, which keeps nothing alive when it ends.
    thread = threading.Thread(target=work, args=(k,))
    thread.start()
    thread.join()
    gc.collect()
os.rmdir(folder)
print(wrong)
