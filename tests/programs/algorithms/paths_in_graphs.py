"""Shortest paths in matrices."""

INF = float("inf")


def floyd(g):
    n = len(g)
    d = [row[:] for row in g]
    for k in range(n):  # native
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return d


def dijkstra(graph, src):
    n = len(graph)
    dist = [INF] * n
    done = [False] * n
    dist[src] = 0
    for _ in range(n):  # native
        u = -1
        best = INF
        for v in range(n):
            if not done[v] and dist[v] < best:
                best = dist[v]
                u = v
        if u == -1:
            break
        done[u] = True
        for v in range(n):
            if graph[u][v] > 0 and not done[v] and dist[u] + graph[u][v] < dist[v]:
                dist[v] = dist[u] + graph[u][v]
    return dist


n = 12
g = [[0 if i == j else ((i * 5 + j * 3) % 7 or INF) for j in range(n)] for i in range(n)]
print(floyd(g)[2])
G = [[0 if (i + j) % 3 else (i * j) % 9 + 1 for j in range(n)] for i in range(n)]
print(dijkstra(G, 0))
