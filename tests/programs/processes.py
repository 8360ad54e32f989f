"""Pickled functions and objects, forked children, pools: each runs its loops itself."""

import multiprocessing
import os
import pickle
import sys

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


def main():
    show("here", total(np.arange(10.0)), Work(10).run())
    show("pickled", pickle.loads(pickle.dumps(total))([1.0, 2.0]))
    show("pickled", pickle.loads(pickle.dumps(Work(5))).run())
    show("forked", *forked())
    with multiprocessing.get_context("fork").Pool(2) as pool:
        show("fork", pool.map(total, [[1.0], [2.0, 3.0], np.arange(50.0)]))
        show("fork", pool.map(run_work, [Work(3), Work(4)]))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        show("spawn", pool.map(total, [[1.0], [2.0, 3.0], np.arange(50.0)]))
        show("spawn", pool.map(run_work, [Work(3), Work(4)]))


if __name__ == "__main__":
    main()
