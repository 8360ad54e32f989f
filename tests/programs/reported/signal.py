# filters and time series: FIR with deque, IIR, Goertzel, Kalman, moving median with sorted, z-score peaks, Savitzky-like windows, DTW
import math
from collections import deque

N = 3_000
x = [math.sin(0.01 * i) + 0.3 * math.sin(1.3 * i) + ((i * 7919) % 101) / 500 for i in range(N)]


def fir(x, taps):
    buf = deque([0.0] * len(taps), maxlen=len(taps))
    out = []
    for v in x:
        buf.appendleft(v)
        out.append(sum(b * t for b, t in zip(buf, taps)))
    return out


def iir(x, b, a):
    y = [0.0] * len(x)
    for n in range(len(x)):
        acc = 0.0
        for k in range(len(b)):
            if n - k >= 0:
                acc += b[k] * x[n - k]
        for k in range(1, len(a)):
            if n - k >= 0:
                acc -= a[k] * y[n - k]
        y[n] = acc
    return y


def goertzel(x, k, n):
    w = 2 * math.pi * k / n
    c = 2 * math.cos(w)
    s1 = s2 = 0.0
    for i in range(n):
        s0 = x[i] + c * s1 - s2
        s2, s1 = s1, s0
    return s1 * s1 + s2 * s2 - c * s1 * s2


def kalman(x, q, r):
    est, p = x[0], 1.0
    out = []
    for z in x:
        p += q
        k = p / (p + r)
        est += k * (z - est)
        p *= 1 - k
        out.append(est)
    return out


def median(x, w):
    return [sorted(x[i : i + w])[w // 2] for i in range(len(x) - w + 1)]


def peaks(x, lag, th):
    hits = []
    for i in range(lag, len(x)):
        win = x[i - lag : i]
        m = sum(win) / lag
        sd = math.sqrt(sum((v - m) ** 2 for v in win) / lag)
        if abs(x[i] - m) > th * sd:
            hits.append(i)
    return hits


def dtw(a, b):
    inf = math.inf
    d = [[inf] * (len(b) + 1) for _ in range(len(a) + 1)]
    d[0][0] = 0.0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            c = abs(a[i - 1] - b[j - 1])
            d[i][j] = c + min(d[i - 1][j], d[i][j - 1], d[i - 1][j - 1])
    return d[-1][-1]


def zero_crossings(x):
    return sum(1 for a, b in zip(x, x[1:]) if a * b < 0)


print(
    repr(sum(fir(x, [0.1, 0.2, 0.4, 0.2, 0.1]))),
    repr(sum(iir(x, [0.2, 0.3, 0.2], [1.0, -0.5, 0.1]))),
    repr(goertzel(x, 50, N)),
    repr(kalman(x, 1e-4, 0.1)[-1]),
)
print(
    repr(sum(median(x, 9))),
    len(peaks(x[:12_000], 30, 1.6)),
    repr(dtw(x[:350], x[100:450])),
    zero_crossings(x),
)
