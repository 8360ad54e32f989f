"""The nests of bench/gpu_ours.py by hand (numba.cuda, CuPy), and what the card can do at best.

    python bench/gpu_peers.py [NAME=SIZE ...]

Prints lines of JSON: {"by", "name", "size", "kernel_seconds" by the card's events, "checksum"} and
{"ceiling", "value", "unit"}. Each peer is left out where it is not installed.
"""

import json
import math
import sys

import gpu_ours as ours
import numpy as np

CALLS = 5
# Bytes that are copied on the card, and additions and multiplications of one thread.
COPIED, DEPTH = 1 << 30, 4096


def tell(**what):
    print(json.dumps(what), flush=True)


def numba_cuda():
    if not hasattr(np, "row_stack"):  # which numba looks for, and NumPy 2.5 has no more
        np.row_stack = np.vstack
    from numba import cuda

    return cuda


def numba_versions(fma):
    """With multiplications and additions that are one operation, or rounded each for itself."""
    cuda = numba_cuda()
    from numba.cuda import libdevice

    if fma:
        add = cuda.jit(device=True)(lambda a, b: a + b)
        mul = cuda.jit(device=True)(lambda a, b: a * b)
    else:
        add, mul = libdevice.dadd_rn, libdevice.dmul_rn

    @cuda.jit
    def matmul(a, b, c):
        i, j = cuda.grid(2)[::-1]
        if i < c.shape[0] and j < c.shape[1]:
            s = 0.0
            for k in range(a.shape[1]):
                s = add(s, mul(a[i, k], b[k, j]))
            c[i, j] = s

    @cuda.jit
    def step(a, b):
        i, j = cuda.grid(2)[::-1]
        if 0 < i < a.shape[0] - 1 and 0 < j < a.shape[1] - 1:
            b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i - 1, j] + a[i + 1, j])

    @cuda.jit
    def nbody(x, y, z, m, ax, ay, az):
        i = cuda.grid(1)
        if i >= x.size:
            return
        fx = fy = fz = 0.0
        for j in range(x.size):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            r2 = add(add(add(mul(dx, dx), mul(dy, dy)), mul(dz, dz)), 0.01)
            pull = m[j] / mul(r2, math.sqrt(r2))
            fx = add(fx, mul(pull, dx))
            fy = add(fy, mul(pull, dy))
            fz = add(fz, mul(pull, dz))
        ax[i], ay[i], az[i] = fx, fy, fz

    @cuda.jit
    def black_scholes(s, k, t, call):
        i = cuda.grid(1)
        if i < s.size:
            root = 0.3 * math.sqrt(t[i])
            d1 = add(math.log(s[i] / k[i]), mul(0.02 + 0.045, t[i])) / root
            d2 = d1 - root
            n1 = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
            n2 = 0.5 * (1.0 + math.erf(d2 / math.sqrt(2.0)))
            later = mul(mul(k[i], math.exp(-0.02 * t[i])), n2)
            call[i] = add(mul(s[i], n1), -later)

    total = cuda.reduce(lambda a, b: a + b)

    def square(n):
        return ((n + 31) // 32, (n + 7) // 8), (32, 8)

    def steps(a, b, count):
        for _ in range(count):
            step[square(a.shape[0])](a, b)
            a, b = b, a

    return cuda, {
        "matmul": lambda a, b, c: matmul[square(c.shape[0])](a, b, c),
        "stencil": steps,
        "nbody": lambda *all_: nbody[(len(all_[0]) + 255) // 256, 256](*all_),
        "reduction": total,
        "black_scholes": lambda *all_: black_scholes[(len(all_[0]) + 255) // 256, 256](*all_),
    }


def numba(sizes, fma):
    cuda, versions = numba_versions(fma)
    by = "numba.cuda" if fma else "numba.cuda, no fma"
    for name, function in versions.items():
        if not sizes[name]:
            continue
        given, told = ours.arguments(name, sizes[name])
        held = [cuda.to_device(one) if isinstance(one, np.ndarray) else one for one in given]
        function(*held)  # compiles
        cuda.synchronize()
        taken = []
        for _ in range(CALLS):
            begin, end = cuda.event(), cuda.event()
            begin.record()
            result = function(*held)
            end.record()
            end.synchronize()
            taken.append(begin.elapsed_time(end) / 1e3)
        index = next(k for k, one in enumerate(given) if one is told)
        checksum = result if result is not None else np.sum(held[index].copy_to_host())
        size = sizes[name]
        tell(by=by, name=name, size=size, kernel_seconds=taken, checksum=float(checksum))


def cupy(sizes):
    import cupy as cp

    def stencil(a, b, count):
        for _ in range(count):
            inner = a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1]
            b[1:-1, 1:-1] = 0.2 * inner
            a, b = b, a

    versions = {
        "matmul": lambda a, b, c: cp.matmul(a, b, out=c),
        "stencil": stencil,
        "reduction": lambda x: x.sum(),
    }
    for name, function in versions.items():
        if not sizes[name]:
            continue
        given, _ = ours.arguments(name, sizes[name])
        held = [cp.asarray(one) if isinstance(one, np.ndarray) else one for one in given]
        function(*held)
        taken = []
        for _ in range(CALLS):
            begin, end = cp.cuda.Event(), cp.cuda.Event()
            begin.record()
            function(*held)
            end.record()
            end.synchronize()
            taken.append(cp.cuda.get_elapsed_time(begin, end) / 1e3)
        tell(by="cupy", name=name, size=sizes[name], kernel_seconds=taken)


def ceilings():
    """Bytes a second by a copy and by the bus, and fused operations a second."""
    cuda = numba_cuda()
    from numba.cuda import libdevice

    @cuda.jit
    def copy(a, b):
        for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
            b[i] = a[i]

    @cuda.jit
    def fused(out, x):
        a, b, c, d = 1.0, 1.1, 1.2, 1.3
        for _ in range(DEPTH):
            a = libdevice.fma(a, x, 0.5)
            b = libdevice.fma(b, x, 0.5)
            c = libdevice.fma(c, x, 0.5)
            d = libdevice.fma(d, x, 0.5)
        out[cuda.grid(1)] = a + b + c + d

    @cuda.jit
    def separate(out, x):
        add, mul = libdevice.dadd_rn, libdevice.dmul_rn
        a, b, c, d = 1.0, 1.1, 1.2, 1.3
        for _ in range(DEPTH):
            a = add(mul(a, x), 0.5)
            b = add(mul(b, x), 0.5)
            c = add(mul(c, x), 0.5)
            d = add(mul(d, x), 0.5)
        out[cuda.grid(1)] = a + b + c + d

    def best(run):
        run()
        cuda.synchronize()
        taken = []
        for _ in range(CALLS):
            begin, end = cuda.event(), cuda.event()
            begin.record()
            run()
            end.record()
            end.synchronize()
            taken.append(begin.elapsed_time(end) / 1e3)
        return min(taken)

    processors = cuda.get_current_device().MULTIPROCESSOR_COUNT
    a, b = (cuda.device_array(COPIED // 8, np.float64) for _ in range(2))
    seconds = best(lambda: copy[processors * 16, 256](a, b))
    tell(ceiling="copy", value=2 * COPIED / seconds, unit="bytes a second")
    threads = processors * 2048
    out = cuda.device_array(threads, np.float64)
    for name, kernel in (("fused", fused), ("separate", separate)):
        seconds = best(lambda kernel=kernel: kernel[threads // 256, 256](out, 0.999))
        value = threads * DEPTH * 8 / seconds
        tell(ceiling=name, value=value, unit="float64 operations a second")
    host, pinned = np.zeros(COPIED // 8), cuda.pinned_array(COPIED // 8, np.float64)
    for name, memory in (("pageable", host), ("pinned", pinned)):
        seconds = best(lambda memory=memory: a.copy_to_device(memory))
        tell(ceiling=f"up, {name}", value=COPIED / seconds, unit="bytes a second")
        seconds = best(lambda memory=memory: a.copy_to_host(memory))
        tell(ceiling=f"down, {name}", value=COPIED / seconds, unit="bytes a second")


def main():
    sizes = ours.SIZES | {k: int(v) for k, v in (word.split("=") for word in sys.argv[1:])}
    parts = (lambda: numba(sizes, True), lambda: numba(sizes, False), lambda: cupy(sizes), ceilings)
    for part in parts:
        try:
            part()
        except Exception as error:
            tell(left_out=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
