"""Searches, ranks and colours of graphs."""


def bfs(adj, s):
    n = len(adj)
    dist = [-1] * n
    queue = [0] * n
    head = tail = 0
    queue[tail] = s
    tail += 1
    dist[s] = 0
    while head < tail:  # native
        u = queue[head]
        head += 1
        for v in range(n):
            if adj[u][v] and dist[v] == -1:
                dist[v] = dist[u] + 1
                queue[tail] = v
                tail += 1
    return dist


def components(adj):
    n = len(adj)
    comp = [-1] * n
    c = 0
    stack = [0] * (n * n)
    for s in range(n):  # native
        if comp[s] != -1:
            continue
        top = 0
        stack[0] = s
        comp[s] = c
        while top >= 0:
            u = stack[top]
            top -= 1
            for v in range(n):
                if adj[u][v] == 1 and comp[v] == -1:
                    comp[v] = c
                    top += 1
                    stack[top] = v
        c += 1
    return c, comp


def pagerank(M, d, it):
    n = len(M)
    r = [1.0 / n] * n
    out = [sum(row) for row in M]
    for _ in range(it):  # native
        nr = [(1 - d) / n] * n
        for i in range(n):
            if out[i] == 0:
                continue
            for j in range(n):
                if M[i][j]:
                    nr[j] += d * r[i] / out[i]
        r = nr
    return r


def tri(adj):
    n = len(adj)
    t = 0
    for i in range(n):  # native
        for j in range(i + 1, n):
            if not adj[i][j]:
                continue
            for k in range(j + 1, n):
                if adj[i][k] and adj[j][k]:
                    t += 1
    return t


def color(adj):
    n = len(adj)
    col = [-1] * n
    for u in range(n):  # native
        used = [False] * n
        for v in range(n):
            if adj[u][v] and col[v] >= 0:
                used[col[v]] = True
        c = 0
        while used[c]:
            c += 1
        col[u] = c
    return col


n = 25
adj = [[1 if i != j and (i * j + i + j) % 5 == 0 else 0 for j in range(n)] for i in range(n)]
print(bfs(adj, 0), components(adj), pagerank(adj, 0.85, 20)[:4], tri(adj), color(adj))
