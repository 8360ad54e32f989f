"""What iterations that are left to CPython find, and leave behind: names, lists, attributes, globals."""

import sys
import warnings


def best(n):
    y = 0.3
    for k in range(n):  # native
        y = 3.9 * y * (1 - y)
        if y > 0.97:
            best_k = k
            twice = y * 2
        if k % 997 == 996:
            print(best_k, twice, k)
    return y


def unbound(n):
    for k in range(n):  # native
        if k > 2000:
            late = k * 2
        if k % 1500 == 1499:
            print(late)


def running(n):
    out = []
    total = 0
    for k in range(n):  # native
        total += k
        out.append(total)
        if k % 700 == 699:
            print(len(out), out[-1], sum(out) % 1000)
            out.clear()
    return out


def corrected(values):
    total, found = 0, {}
    for v in values:
        total += v
        if v > 95:
            found[v] = found.get(v, 0) + 1
            total -= found[v]
    return total, found


class Logged:
    def __init__(self):
        self.value = 0
        self.log = []

    def run(self, n):
        for k in range(n):  # native
            self.value += k % 3
            if k % 999 == 0:
                self.log.append((k, self.value, str(k)))
                self.value = self.value + len(self.log)
        return self.value, self.log


def told(n):
    total = 0
    for k in range(n):  # native
        total += k
        if k == 1234:
            warnings.warn("here", stacklevel=1)
        if k == n - 2:
            sys.stdout.write("almost\n")
    return total


count = 0


def bump():
    global count
    count += 1


def counted(n):
    total = 0
    for k in range(n):  # cpython
        total += count
        if k % 300 == 0:
            bump()
            print(end="")
    return total, count


print(best(5000))
try:
    unbound(5000)
except UnboundLocalError as error:
    print(error)
print(running(5000)[:5])
print(corrected([k * 37 % 101 for k in range(20000)]))
print(Logged().run(5000))
print(told(5000))
print(counted(5000))
total = 0
for k in range(20000):  # native
    total += k
    if k % 5000 == 4999:
        print("module", k, total)
        last = [k]
print(total, k, last)
