"""Texts in lists, in names, in tuples, as keys and as values of dictionaries: compared, moved, chosen, looked up."""

import random
from collections import Counter, deque

from showing import attempt, show


def runs(words):
    n, longest, length = 0, "", 0
    for i in range(1, len(words)):  # native
        if words[i] == words[i - 1]:
            length += 1
        else:
            length = 0
            n += 1
        if words[i] != "the" and length > n % 3:
            longest = words[i]
    return n, longest, length


def states(xs):
    state, before, visits = "idle", "", 0
    for x in xs:  # native
        if state == "idle":
            if x > 0.5:
                before, state = state, "running"
        elif state == "running":
            visits += 1
            if x > 0.9:
                before, state = state, "s"
        else:
            state = "idle"
            if before in ("running", "idle", ""):
                visits += 10
    return state, before, visits


def frequencies(words):
    counts = {}
    for w in words:  # native
        if w in counts:
            counts[w] += 1
        else:
            counts[w] = 1
    return counts


def pairs(words):
    seen = Counter()
    for i in range(len(words) - 1):  # native
        seen[words[i], words[i + 1]] += 1
        if words[i] == "the":
            seen["the", "x"] += 1
    return seen


def constants(words, n):
    d = {"the": 0, "x": 0, "other": 0}
    for w in words:  # native
        if w in d:
            d[w] += 1
        else:
            d["other"] += n
    return d


def named(table, words):
    s = 0
    for w in words:  # native
        if table.get(w, "none") == "article":
            s += 1
        if w in table and table[w] != "verb":
            s += 100
    return s


def renamed(table, words):
    for w in words:  # native
        table[w] = "seen"
        if w == "cat":
            table[w] = w
    return table


def sampled(n):
    left = 0
    for k in range(n):  # native
        if random.choice(["left", "right", "up"]) == "left":
            left += k
    return left, random.random()


def reversed_in_place(words):
    for i in range(len(words) // 2):  # native
        words[i], words[-1 - i] = words[-1 - i], words[i]
        if i % 7 == 0:
            words[i] = "seventh"
    return words


def truths(words):
    n = 0
    for w in words:  # native
        if w:
            n += 1
        if not w and w == "":
            n += 1000
    return n


def characters(words, text):
    n = 0
    for i in range(len(text)):  # native
        if text[i] == words[i % len(words)]:
            n += 1
        if words[i % len(words)] == "x" or text[i] in "aeiou":
            n += 10
    return n


def codes(words):
    s = 0
    for w in words:
        s += ord(w)
    return s


def vowels(words):
    s = 0
    for w in words:
        if w in "aeiou he":
            s += 1
    return s


def ordered(words):
    n = 0
    for i in range(len(words) - 1):
        if words[i] < words[i + 1]:
            n += 1
        if words[i] >= "m":
            n += 100
    return n


def records(rows):
    total = {}
    for name, x, kind in rows:  # native
        if kind == "a":
            total[name] = total.get(name, 0.0) + x
    return total


def mixed(items):
    n = 0
    for x in items:
        if x == "a":
            n += 1
        elif x == 1:
            n += 10
    return n


def lasting(words, last):
    n = 0
    for w in words:  # native
        if w == last:
            n += 1
        last = w
    return n, last


def kept(words, out):
    queue = deque()
    for w in words:  # native
        queue.append(w)
        if len(queue) > 3 and queue.popleft() == "the":
            out.append(w)
    return out, queue


def method(xs, how="euler"):
    s = 0.0
    for x in xs:  # native
        s += step(x, how) - step(x, "middle") + step(x, how="none")
    return s


def step(x, how):
    if how == "euler":
        return 2 * x
    if how == "middle":
        return x * x
    return 0.25


def printed(words):
    for k, w in enumerate(words):
        if k % 50 == 0:
            print(w, f"{w}!", w == "the")


def parts(words):
    n = 0
    for w in words:
        n += len(w)
        if w[0] == "t":
            n += 1
        for c in w:
            if c == "e":
                n += 100
    return n


random.seed(5)
words = ("the quick brown fox jumps over the lazy dog and the cat x the the " * 20).split()
show(runs(words), runs([*words, "", "", "é", "éé", "éé"]), runs(["a", "b", "b"] * 40))
show(states([random.random() for _ in range(400)]))
show(frequencies(words), frequencies([*words, "", "éé", "\U0001f600\U0001f600"]), frequencies(list("abca")))
show(pairs(words).most_common(4), constants(words, 3), frequencies(["1", "2"]))
copies = ["".join(["th", "e"]) for _ in range(60)]
show(runs(copies), frequencies(copies + words), constants(copies, 1))
table = {"the": "article", "cat": "noun", "jumps": "verb", "x": "y", "dog": None}
show(named(table, words), renamed(dict(table), words), table)
show(sampled(300))
show(reversed_in_place(words[:100]), reversed_in_place(list("abcdefgh")))
show(truths(words), truths(["", "a"] * 40))
show(characters(words, "the text x" * 30), characters(["x", "yy"], "xyx" * 40))
show(codes(list("abc") * 30))
attempt(lambda: codes([*list("abc") * 30, "ab"]))
show(vowels(list("axe") * 20), vowels([*list("axe") * 20, "he", "", "xe"]))
show(ordered(list("hello world")), ordered(words), ordered(["ab", "a", "abc", "b", ""] * 9))
show(records([("a", 0.5 * i, "ab"[i % 2]) for i in range(90)]))
show(records([(["n1", "n2"][i % 2], 0.5 * i, "a") for i in range(90)]))
show(mixed(["a", 1, None, "b"] * 20), mixed(["a", "b"] * 30), mixed([1, "a"] * 30))
show(lasting(words, "the"), lasting(words, "t"), lasting(words, None), lasting(list("aab"), "a"))
show(kept(words, [])[0])
xs = [0.5 * i for i in range(90)]
show(method(xs), method(xs, "middle"), method(xs, how="m"))
printed(words)
show(parts(words))
attempt(lambda: frequencies(["a", ["b"]] * 30))
attempt(lambda: ordered(["a", 1] * 30))
show(runs(["\ud800", "\ud800", "a"] * 20)[0], frequencies(["\udc80"] * 50) == {"\udc80": 50})


def from_outside(words, name, out):
    last = ""
    for w in words:  # native
        if w == name:
            last = name
            out.append(name)
        elif w != last:
            last = w
    return last, out


def tallied(words, name):
    tally = {name: 0}
    for w in words:  # native
        if w == name:
            tally[name] += 1
    return tally


def overwritten(words, name):
    for i in range(len(words)):  # native
        if words[i] == "the":
            words[i] = name
    return words


for name in ("the", "t", "", "none of them", "the" * 9):
    show(from_outside(words[:90], name, []), tallied(words[:90], name))
    show(overwritten(words[:40], name)[:9])
