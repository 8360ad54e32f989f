# a root finder that converges for many inputs and cycles for ever on one of them; the user presses Ctrl-C
import os
import signal
import time

signal.signal(signal.SIGINT, signal.default_int_handler)


def roots(values):
    out = []
    for v in values:
        x = 1.0
        while abs(x * x * x - 2 * x + v) > 1e-12:  # v = 2 from x = 0: a two-cycle
            d = 3 * x * x - 2
            x = x - (x * x * x - 2 * x + v) / d if d else 0.1
        out.append(x)
    return out


pid = os.fork()
if pid == 0:
    time.sleep(2)
    os.kill(os.getppid(), signal.SIGINT)
    os._exit(0)
t = time.perf_counter()
try:
    r = roots([-5.0 - k * 1e-3 for k in range(20000)] + [2.0])
    print("ended", len(r))
except KeyboardInterrupt:
    print("interrupted", time.perf_counter() - t < 4)
os.waitpid(pid, 0)
