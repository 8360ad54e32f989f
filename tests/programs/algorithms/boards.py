"""Queens, squares and spirals."""


def queens(n):
    cols = [-1] * n
    count = 0
    row = 0
    while row >= 0:  # native
        cols[row] += 1
        while cols[row] < n:
            ok = True
            for r in range(row):
                if cols[r] == cols[row] or abs(cols[r] - cols[row]) == row - r:
                    ok = False
                    break
            if ok:
                break
            cols[row] += 1
        if cols[row] < n:
            if row == n - 1:
                count += 1
            else:
                row += 1
                cols[row] = -1
        else:
            row -= 1
    return count


def sudoku_ok(b):
    for i in range(9):  # native
        for j in range(9):
            if b[i][j] == 0:
                continue
            for k in range(9):
                if k != j and b[i][k] == b[i][j]:
                    return False
                if k != i and b[k][j] == b[i][j]:
                    return False
    return True


def spiral(n):
    m = [[0] * n for _ in range(n)]
    x = y = 0
    dx, dy = 1, 0
    for v in range(1, n * n + 1):  # native
        m[y][x] = v
        nx, ny = x + dx, y + dy
        if not (0 <= nx < n and 0 <= ny < n) or m[ny][nx] != 0:
            dx, dy = -dy, dx
            nx, ny = x + dx, y + dy
        x, y = nx, ny
    return m


def magic(n):
    sq = [[0] * n for _ in range(n)]
    i, j = 0, n // 2
    for k in range(1, n * n + 1):  # native
        sq[i][j] = k
        a, b = (i - 1) % n, (j + 1) % n
        if sq[a][b]:
            i = (i + 1) % n
        else:
            i, j = a, b
    return sq


print(
    queens(6),
    sudoku_ok([[(i * 3 + i // 3 + j) % 9 + 1 for j in range(9)] for i in range(9)]),
    spiral(5),
    magic(5),
)
