words = ("the quick brown fox jumps over the lazy dog and apples are an example of abacus " * 800).split()


def starts(words):
    n = m = 0
    for w in words:
        if w.startswith("a"):
            n += 1
        if w.endswith("e") or w.find("o") > 0:
            m += 1
    return n, m


def popcount(n):
    t = 0
    for i in range(n):
        t += bin(i).count("1")
    return t


def lengths(n):
    t = 0
    for i in range(1, n):
        t += len(str(i)) * i.bit_length()
    return t


def palindromes(n):
    found = 0
    for i in range(n):
        if str(i) == str(i)[::-1]:
            found += 1
    return found


def whole(n):
    t = 0
    x = 0.0
    for i in range(n):
        x += 0.25
        if x.is_integer():
            t += i
    return t


def is_pal(n):
    s = str(n)
    return s == s[::-1]


def last_digit(n):
    c = 0
    for i in range(n):
        if str(i)[-1] == "7" and str(i * i)[0] != "4":
            c += 1
    return c


def lower(words):
    seen = set()
    for w in words:
        seen.add(w.upper())
    return len(seen), sorted(seen)[:3]


class T(str):
    def startswith(self, x):
        return False


def mixed(words):
    n = 0
    for w in words:
        if w.startswith("t"):
            n += 1
    return n


def fails(xs):
    n = 0
    for x in xs:
        n += x.bit_length()
    return n


print(starts(words), popcount(30000), lengths(20000), palindromes(20000), whole(20000), last_digit(20000))
print(lower(words), mixed(words), mixed([T("the")] * 5000), mixed(["the"] * 5000 + [T("t")] * 10))
print(fails(list(range(9000))), fails([True, False] * 4000))
for bad in ([1] * 3000 + [2.5], [1.5] * 3000, ["a"] * 3000):
    try:
        print(fails(bad))
    except AttributeError as e:
        print(e)
