"""Characters: compared with strings and each other, kept, picked from literals."""


def chars(text, letter):
    n = 0
    best = text[0]
    k = 0
    for c in text:  # native
        if c == letter:
            n += 1
        if c > best:
            best = c
        if c in "aeiou":
            k += 1
        if c < letter:
            k += 100
        if letter <= c:
            k += 10000
    return n, best, k


def lcs(a, b):
    m, n = len(a), len(b)
    T = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(1, m + 1):  # native
        for j in range(1, n + 1):
            if a[i - 1] == b[j - 1]:
                T[i][j] = T[i - 1][j - 1] + 1
            else:
                T[i][j] = max(T[i - 1][j], T[i][j - 1])
    return T[m][n]


def lit(n):
    s = 0
    last = ""
    for i in range(n):  # native
        c = "hello"[i % 5]
        if c == "l":
            s += 1
        s += b"xyz"[i % 3] + (10, 20, 30)[i % 3]
        last = c
        if i in (3, 5, 7):
            s += 1000
        if i not in [1, 2]:
            s += 1
    return s, last


def pal(s):
    best = 0
    for i in range(len(s)):  # native
        for j in range(i, len(s)):
            l, r = i, j
            while l < r and s[l] == s[r]:
                l += 1
                r -= 1
            if l >= r and j - i + 1 > best:
                best = j - i + 1
    return best


print(chars("hello world", "o"), chars("zebra", ""), chars("zebra", "ab"), chars("z", "z"))
print(chars("\u00e9t\u00e9 \U0001f600", "\u00e9"), chars("bab", "b"))
print(lcs("abcbdabxyz" * 3, "bdcabaxxz" * 3), lcs("", "a"), lit(17), lit(0), pal("xabacabay"))
