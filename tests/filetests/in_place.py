import numpy as np


def forward(a):
    for i in range(len(a) - 1):
        a[i] = 0.5 * (a[i] + a[i + 1])


def mirrored(a):
    for i in range(len(a)):
        a[i] = a[len(a) - 1 - i] + 1.0


a = np.arange(20_000.0) % 11
forward(a)
mirrored(a)
print(a.sum().hex())
