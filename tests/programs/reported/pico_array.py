# github.com/pypy/pypy issue 3513: a small pure Python array class with __add__ and __mul__ in an n-body step
class array:
    def __init__(self, data):
        self.data = list(float(v) for v in data)
        self.size = len(self.data)

    def __add__(self, other):
        return self.__class__(a + b for a, b in zip(self.data, other.data))

    def __sub__(self, other):
        return self.__class__(a - b for a, b in zip(self.data, other.data))

    def __mul__(self, other):
        return self.__class__(other * v for v in self.data)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self.__class__(v / other for v in self.data)

    def __getitem__(self, i):
        return self.data[i]


def runge_kutta_step(f, x0, dt, t=None):
    k1 = f(t, x0) * dt
    k2 = f(t + dt / 2, x0 + k1 / 2) * dt
    k3 = f(t + dt / 2, x0 + k2 / 2) * dt
    k4 = f(t + dt, x0 + k3) * dt
    return x0 + (k1 + 2 * k2 + 2 * k3 + k4) / 6


def board(t, X):
    x, y, u, v = X.data
    return array([u, v, -x / (1 + y * y), -0.1 * v - y])


X = array([0.1, 0.2, 0.3, 0.4])
t, dt = 0.0, 0.001
for k in range(2_000):
    X = runge_kutta_step(board, X, dt, t)
    t += dt
print([repr(v) for v in X.data])
