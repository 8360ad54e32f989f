"""What a nest on a card takes besides its kernels: small ones, again and again.

    nestwise run --device gpu bench/gpu_launch.py

Prints a line of JSON for each: medians of microseconds a launch, of a nest whose two arrays of 8 KB
cross each time, and of one in a loop of the program's in which they stay; beside them what the
driver itself takes for the same (through ctypes, which adds some tenths of a microsecond a call): a
kernel and the wait for it, and that with two copies up and one down.
"""

from __future__ import annotations

import ctypes
import io
import json
import statistics
import sys
import timeit
from collections.abc import Callable
from contextlib import redirect_stdout

import numpy as np

COUNT, TURNS, CALLS, STEPS = 1000, 7, 100, 1000
KERNEL = b"""\
.version 6.3
.target sm_75
.address_size 64
.visible .entry nothing(.param .u64 a) { ret; }
"""


def crossing(x, y):
    for i in range(len(x)):
        y[i] = x[i] * 2.0 + y[i]


def staying(x, y, steps):
    for t in range(steps):
        for i in range(len(x)):
            y[i] = x[i] * 0.5 + 1.0
        x, y = y, x
        if t % 500 == 499:
            print(x[0])
    return x


def driver() -> dict[str, float]:
    """Microseconds, by what is asked for."""
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name: str, *arguments: object) -> None:
        code = getattr(cuda, name)(*arguments)
        if code:
            raise RuntimeError(f"{name}: error {code}")

    context, module, kernel, stream = (ctypes.c_void_p() for _ in range(4))
    pinned, device = ctypes.c_void_p(), ctypes.c_uint64()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), KERNEL)
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"nothing")
    call("cuStreamCreate", ctypes.byref(stream), 1)
    size = 8 * COUNT
    call("cuMemAlloc_v2", ctypes.byref(device), ctypes.c_size_t(2 * size))
    call("cuMemHostAlloc", ctypes.byref(pinned), ctypes.c_size_t(size), 0)
    own = ctypes.create_string_buffer(size)
    word = ctypes.c_uint64(0)
    # The kernel has one; tests/fake_cuda.c looks at those that ours have.
    parameters = (ctypes.c_void_p * 4)(*[ctypes.addressof(word)] * 4)
    at = [ctypes.c_uint64(device.value + k * size) for k in range(2)]
    bytes_ = ctypes.c_size_t(size)

    def launch() -> None:
        call("cuLaunchKernel", kernel, 16, 1, 1, 64, 1, 1, 0, stream, parameters, None)

    def wait() -> None:
        call("cuStreamSynchronize", stream)

    def alone() -> None:
        launch()
        wait()

    def with_copies() -> None:
        for to in at:
            call("cuMemcpyHtoDAsync_v2", to, own, bytes_, stream)
        launch()
        call("cuMemcpyDtoHAsync_v2", pinned, at[1], bytes_, stream)
        wait()

    found = {"launch and wait": timed(alone), "the same with copies": timed(with_copies)}
    found["launches, one after the other"] = timed(launch)
    wait()
    return found


def timed(what: Callable[[], object], steps: int = 1) -> float:
    """The median of some turns, microseconds a call or a step."""
    number = max(CALLS // steps, 1)
    timeit.timeit(what, number=number)
    turns = timeit.repeat(what, number=number, repeat=TURNS)
    return 1e6 * statistics.median(turns) / number / steps


def nests() -> dict[str, float]:
    """The same, of nests."""
    x, y = np.ones(COUNT), np.zeros(COUNT)
    found = {"nest, arrays that cross": timed(lambda: crossing(x, y))}
    with redirect_stdout(io.StringIO()):
        found["nest, arrays that stay"] = timed(lambda: staying(x, y, STEPS), STEPS)
    return found


def main() -> int:
    for what, micros in {**nests(), **driver()}.items():
        print(json.dumps({"name": what, "microseconds": round(micros, 2)}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
