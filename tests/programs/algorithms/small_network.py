"""A network trained by a class of its own."""

import math


def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x))


class Net:
    def __init__(self, n, h):
        self.n = n
        self.h = h
        self.lr = 0.5
        self.w1 = [[((i * 3 + j * 5) % 7 - 3) / 4 for j in range(n)] for i in range(h)]
        self.b1 = [0.0] * h
        self.w2 = [((i * 2) % 5 - 2) / 3 for i in range(h)]
        self.b2 = 0.0
        self.hid = [0.0] * h

    def forward(self, x):
        for i in range(self.h):  # native
            s = self.b1[i]
            for j in range(self.n):
                s += self.w1[i][j] * x[j]
            self.hid[i] = sigmoid(s)
        o = self.b2
        for i in range(self.h):  # native
            o += self.w2[i] * self.hid[i]
        return sigmoid(o)

    def train(self, x, y):
        o = self.forward(x)
        d = (o - y) * o * (1 - o)
        for i in range(self.h):
            dh = d * self.w2[i] * self.hid[i] * (1 - self.hid[i])
            self.w2[i] -= self.lr * d * self.hid[i]
            for j in range(self.n):
                self.w1[i][j] -= self.lr * dh * x[j]
            self.b1[i] -= self.lr * dh
        self.b2 -= self.lr * d
        return (o - y) ** 2


net = Net(2, 4)
data = [([0.0, 0.0], 0.0), ([0.0, 1.0], 1.0), ([1.0, 0.0], 1.0), ([1.0, 1.0], 0.0)]
for e in range(50):  # native
    t = 0.0
    for x, y in data:
        t += net.train(x, y)
print(t, net.forward([1.0, 0.0]))
