"""Processes made when loops have run on threads, and while they do."""

import multiprocessing
import os
import subprocess
import sys
import threading
import warnings

import numpy as np
from showing import show


def scaled(a, b, n):
    for k in range(n):  # native
        for i in range(len(a)):
            b[i] = a[i] * 3 + k
    return int(b.sum())


def counted(n):
    s = 0
    for i in range(n):
        s += i & 7
    return s


# Of forks of processes with threads CPython 3.12 warns, with the process's number.
warnings.simplefilter("ignore", DeprecationWarning)
A, B = np.arange(4_000), np.zeros(4_000, dtype=np.int64)


def in_child(work):
    """What `work` gives in a forked process, and how that ends."""
    sys.stdout.flush()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, repr(work()).encode())
        finally:
            os._exit(3)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        answer = file.read()
    return answer.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def again():
    return scaled(A, np.zeros(4_000, dtype=np.int64), 3), counted(1000)


def grandchild():
    return again(), in_child(again)


def task(k):
    return scaled(np.arange(300 * k), np.zeros(300 * k, dtype=np.int64), 2)


def while_others_run():
    """Children made by one thread while another is in a loop."""
    stop = threading.Event()

    def other():
        mine = np.zeros(4_000, dtype=np.int64)
        while not stop.is_set():
            scaled(A, mine, 5)

    thread = threading.Thread(target=other)
    thread.start()
    answers = {in_child(again) for _ in range(6)}
    stop.set()
    thread.join()
    return answers


def main():
    show("before", again())
    show("child", in_child(again))
    show("grandchild", in_child(grandchild))
    show("while others run", sorted(while_others_run()))
    show("after", again())
    for method in ("fork", "forkserver", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            show(method, pool.map(task, range(1, 6)))
    done = subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True)
    show("subprocess", done.stdout, done.returncode)
    show("at last", again())


if __name__ == "__main__":
    main()
