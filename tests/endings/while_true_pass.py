import signal
import time

signal.signal(signal.SIGALRM, lambda *a: 1 / 0)
signal.setitimer(signal.ITIMER_REAL, 0.3)
t = time.perf_counter()
try:
    while True:
        pass
except ZeroDivisionError:
    print("interrupted in the loop")
print(time.perf_counter() - t > 0.25)
