import ctypes
import threading
import time


# an asynchronous exception to a worker thread, as stopit / func_timeout use to kill it
class Kill(SystemExit):
    pass


out = []


def worker():
    n = 0
    try:
        for i in range(10**12):
            n += i & 1
    except Kill:
        out.append("killed")


t = threading.Thread(target=worker, daemon=True)
t.start()
time.sleep(0.3)
ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(t.ident), ctypes.py_object(Kill))
t.join(5)
print(out, t.is_alive(), flush=True)
import os

os._exit(0)
