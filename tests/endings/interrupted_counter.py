# a while loop with a progress counter that Ctrl-C (or a time limit) stops: what was counted so far
import signal


class TimeUp(Exception):
    pass


def on_alarm(*a):
    raise TimeUp


signal.signal(signal.SIGALRM, on_alarm)


def search(limit):
    n, best, steps = 1, 0, 0
    try:
        while n < limit:
            m, c = n, 0
            while m != 1:
                m = 3 * m + 1 if m & 1 else m >> 1
                c += 1
            if c > best:
                best = c
            steps += 1
            n += 1
    except TimeUp:
        pass
    return n, best, steps


signal.setitimer(signal.ITIMER_REAL, 1.0)
n, best, steps = search(10**12)
print(n == steps + 1, "checked more than 10,000:", n > 10_000, "best > 250:", best > 250)
import sys

print(n, best, steps, file=sys.stderr)

# the same with the data in an array, to see how far it really came
import numpy as np

out = np.zeros(50_000_000, dtype=np.int8)


def fill(out):
    k = 0
    try:
        while k < len(out):
            x = 0.5
            for j in range(50):
                x = 3.7 * x * (1 - x)
            out[k] = 1 + (x > 0.5)
            k += 1
    except TimeUp:
        pass
    return k


signal.setitimer(signal.ITIMER_REAL, 1.0)
k = fill(out)
print("k is the first element not written:", abs(k - int(np.count_nonzero(out))) <= 1)
print(k, int(np.count_nonzero(out)), file=sys.stderr)
