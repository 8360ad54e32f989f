import string
ALL = ''.join(chr(i) for i in range(0, 0x250)) + string.printable * 3 + "äöüß½²İıΑα中🎉"


def predicates(text):
    a = b = c = d = e = f = g = h = 0
    for ch in text:
        if ch.isalpha():
            a += 1
        if ch.isalnum():
            b += 1
        if ch.isdecimal():
            c += 1
        if ch.isdigit():
            d += 1
        if ch.isnumeric():
            e += 1
        if ch.isupper():
            f += 1
        if ch.islower():
            g += 1
        if ch.isspace():
            h += 1
    return a, b, c, d, e, f, g, h


def each(text, out):
    n = 0
    for i in range(len(text)):
        c = text[i]
        if c.isalpha() and not c.isupper() or c.isspace():
            out[i % len(out)] += 1
            n += 1
    return n


def caesar(text, k):
    out = []
    for ch in text:
        if ch.isupper():
            out.append(chr((ord(ch) - 65 + k) % 26 + 65))
        elif ch.islower():
            out.append(chr((ord(ch) - 97 + k) % 26 + 97))
        else:
            out.append(ch)
    return ''.join(out)


def swapped(text):
    out = []
    for ch in text:
        out.append(ch.upper() if ch.islower() else ch.lower())
    return ''.join(out)


def digits(text):
    total = 0
    for ch in text:
        if ch.isdigit():
            total = total * 10 + int(ch)
            total %= 1000003
    return total


def last(text):
    c = ''
    for ch in text:
        c = ch.upper()
    return c


def code(n):
    best = 'a'
    for i in range(n):
        c = chr(i * 7 % 0x110000)
        if c > best:
            best = c
    return best


def bad(n):
    t = 0
    for i in range(n, -3, -1):
        t += ord(chr(i))
    return t


def fraction(text):
    t = 0
    for ch in text:
        t += int(ch)
    return t


print(predicates(ALL * 3), predicates("Hello, World 42!\n" * 2000))
print(each(ALL, [0] * 7), each("a B\tc" * 3000, [0] * 3))
print(caesar("The Quick Brown Fox, jumps!" * 500, 3)[:60])
print(repr(swapped(ALL)[-40:]), swapped("aBcD, eF" * 1000)[:16])
print(digits("a1b2c3" * 4000), digits("a1b2" * 2000 + "x3"))
print(repr(last("abcdefgh" * 1000)), repr(last("straße" * 3000)), repr(last("ß")), repr(last("aé")))
print(hex(ord(code(400000))))
try:
    print(bad(3000))
except ValueError as e:
    print("ValueError", e)
for t in ("12345" * 900, "12x", "1²", "٣٤" * 5, ""):
    try:
        print(fraction(t))
    except ValueError as e:
        print("ValueError", e)
