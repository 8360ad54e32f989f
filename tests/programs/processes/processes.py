"""Pickled functions and objects, forked children, pools: each runs its loops itself."""

import multiprocessing
import os
import pickle
import sys
import threading
import warnings

import numpy as np
from showing import show


def total(a):
    s = 0.0
    for x in a:  # native
        s += x * 0.5
    return float(s)


class Work:
    def __init__(self, n):
        self.n = n

    def run(self):
        s = 0
        for i in range(self.n):  # native
            s += i * i
        return s


def run_work(work):
    return work.run()


def forked():
    sys.stdout.flush()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, repr(total(np.arange(100.0))).encode())
        os._exit(3)
    os.close(write)
    answer = os.read(read, 100)
    _, status = os.waitpid(child, 0)
    return answer.decode(), os.waitstatus_to_exitcode(status)


def long_sum(a, n):
    s = 0.0
    for k in range(n):  # native
        for x in a:
            s += x * k
    return s


def forked_meanwhile():
    """A child is made by one thread while another is in a loop; the child has loops of its own."""
    data = np.arange(1000.0)
    results = []
    thread = threading.Thread(target=lambda: results.append(long_sum(data, 3000)))
    thread.start()
    children = [forked() for _ in range(5)]
    thread.join()
    return children, results == [long_sum(data, 3000)]


def nested_children(depth):
    """A child of a child of a child."""
    sys.stdout.flush()
    here = total(np.arange(10.0 * depth))
    if depth == 0:
        return [here]
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, repr(nested_children(depth - 1)).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return [here, *eval(text)]


def main():
    show("here", total(np.arange(10.0)), Work(10).run())
    show("pickled", pickle.loads(pickle.dumps(total))([1.0, 2.0]))
    show("pickled", pickle.loads(pickle.dumps(Work(5))).run())
    show("forked", *forked())
    with multiprocessing.get_context("fork").Pool(2) as pool:
        show("fork", pool.map(total, [[1.0], [2.0, 3.0], np.arange(50.0)]))
        show("fork", pool.map(run_work, [Work(3), Work(4)]))
    with warnings.catch_warnings():
        # CPython 3.12 warns of a fork while there are threads.
        warnings.simplefilter("ignore", DeprecationWarning)
        show("meanwhile", *forked_meanwhile())
    show("nested", nested_children(3))
    with multiprocessing.get_context("forkserver").Pool(1) as pool:
        show("forkserver", pool.map(total, [[1.0], [2.0, 3.0], np.arange(50.0)]))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        show("spawn", pool.map(total, [[1.0], [2.0, 3.0], np.arange(50.0)]))
        show("spawn", pool.map(run_work, [Work(3), Work(4)]))


if __name__ == "__main__":
    main()
