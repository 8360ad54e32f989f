"""Edit distances and counts over strings."""


def levenshtein(s, t):
    m, n = len(s), len(t)
    d = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(m + 1):  # native
        d[i][0] = i
    for j in range(n + 1):  # native
        d[0][j] = j
    for j in range(1, n + 1):  # native
        for i in range(1, m + 1):
            cost = 0 if s[i - 1] == t[j - 1] else 1
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost)
    return d[m][n]


def nw(a, b, match=1, mismatch=-1, gap=-2):
    n, m = len(a) + 1, len(b) + 1
    F = [[0 for j in range(m)] for i in range(n)]
    for i in range(n):  # native
        F[i][0] = gap * i
    for j in range(m):  # native
        F[0][j] = gap * j
    for i in range(1, n):  # native
        for j in range(1, m):
            sc = match if a[i - 1] == b[j - 1] else mismatch
            F[i][j] = max(F[i - 1][j - 1] + sc, F[i - 1][j] + gap, F[i][j - 1] + gap)
    return F[-1][-1]


def count_vowels(text):
    n = 0
    for ch in text:  # native
        if ch in "aeiouAEIOU":
            n += 1
    return n


def gc(dna):
    g = 0
    for c in dna:  # native
        if c == "G" or c == "C":
            g += 1
    return g / len(dna)


def hamming(a, b):
    d = 0
    for x, y in zip(a, b):  # native
        if x != y:
            d += 1
    return d


def caesar_sum(text, k):
    t = 0
    for ch in text:  # native
        if "a" <= ch <= "z":
            t += (ord(ch) - ord("a") + k) % 26
    return t


def run_length(s):
    best = 1
    cur = 1
    for i in range(1, len(s)):  # native
        if s[i] == s[i - 1]:
            cur += 1
            if cur > best:
                best = cur
        else:
            cur = 1
    return best


print(
    levenshtein("kitten" * 5, "sitting" * 5),
    nw("GATTACA" * 4, "GCATGCU" * 4),
    count_vowels("The quick brown fox"),
    gc("GATTACA"),
    hamming("karolin", "kathrin"),
    caesar_sum("hello, world", 3),
    run_length("aabbbbcaaa"),
)
