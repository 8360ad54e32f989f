"""Tables filled by recurrences."""


def knap(w, v, W):
    n = len(w)
    K = [[0] * (W + 1) for _ in range(n + 1)]
    for i in range(n + 1):  # native
        for c in range(W + 1):
            if i == 0 or c == 0:
                K[i][c] = 0
            elif w[i - 1] <= c:
                K[i][c] = max(v[i - 1] + K[i - 1][c - w[i - 1]], K[i - 1][c])
            else:
                K[i][c] = K[i - 1][c]
    return K[n][W]


def coins(c, amount):
    dp = [float("inf")] * (amount + 1)
    dp[0] = 0
    for a in range(1, amount + 1):  # native
        for x in c:
            if a - x >= 0 and dp[a - x] + 1 < dp[a]:
                dp[a] = dp[a - x] + 1
    return dp[amount]


def ways(c, amount):
    w = [0] * (amount + 1)
    w[0] = 1
    for x in c:  # native
        for a in range(x, amount + 1):
            w[a] += w[a - x]
    return w[amount]


def lis(a):
    n = len(a)
    L = [1] * n
    for i in range(1, n):  # native
        for j in range(i):
            if a[j] < a[i] and L[j] + 1 > L[i]:
                L[i] = L[j] + 1
    return max(L)


def matrix_chain(p):
    n = len(p) - 1
    m = [[0] * n for _ in range(n)]
    for L in range(2, n + 1):  # native
        for i in range(n - L + 1):
            j = i + L - 1
            m[i][j] = 10**18
            for k in range(i, j):
                q = m[i][k] + m[k + 1][j] + p[i] * p[k + 1] * p[j + 1]
                if q < m[i][j]:
                    m[i][j] = q
    return m[0][n - 1]


print(
    knap([1, 3, 4, 5, 9, 2], [1, 4, 5, 7, 12, 3], 40),
    coins([1, 5, 11], 98),
    ways([1, 2, 5, 10], 150),
    lis([(i * 37) % 101 for i in range(90)]),
    matrix_chain([5, 10, 3, 12, 5, 50, 6, 8, 20]),
)
