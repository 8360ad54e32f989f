"""What the trace calls parallel or a reduction may run in any order.

Random loops are run with their iterations reversed and shuffled, each iteration with the private
names as they were before the loop. Whatever is neither private nor the place of an extreme value
must come out the same. That is the meaning of the verdicts, tested without any of the trace's
notions.
"""

import random

import pytest
from access_trace import trace_text

SETUP = """a = [(7 * k) % 11 for k in range(12)]
b = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
h = [0, 0, 0]
s = 50
t = 2
u = 1
k = 0
"""


class Bodies:
    """Bodies of loops over `i`, some of whose statements are meant to be hard to tell apart."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def value(self):
        number = self.random.randint(-3, 3)
        return self.pick(
            "i",
            "b[i]",
            "a[i]",
            "t",
            "t",
            "%d" % number,
            "b[i] + t",
            "a[%s]" % self.place(),
            "s",
            "u",
        )

    def place(self):
        return self.pick(
            "i", "i", "i", "i + 1", "i - 1", "11 - i", "(5 * i) % 12", "b[i] % 12", "3"
        )

    def update(self):
        value = self.value()
        return self.pick(
            "s += %s" % value,
            "s = s + %s" % value,
            "s = %s - s" % value,
            "s -= %s" % value,
            "s *= %s" % value,
            "s = max(s, %s)" % value,
            "s = min(%s, s)" % value,
            "s ^= %s" % value,
            "s = s | %s" % value,
            "u = u and %s != 2" % value,
            "s = %s if s < %s else s" % (value, value),
            "s = s if s < %s else %s" % (value, value),
            "if %s < s:\n    s = %s" % (value, value),
            "if %s > s:\n    s = %s\n    k = i" % (value, value),
            "if %s < s and i != 2:\n    k, s = i, %s" % (value, value),
            "if a[i] < a[k]:\n    k = i",
            "if %s < s:\n    s = %s\n    u += 1" % (value, value),
            "h[b[i] %% 3] += %s" % value,
            "h[i %% 3] = max(h[i %% 3], %s)" % value,
            "u += %s" % value,
        )

    def statement(self):
        text = self.pick(
            "t = %s" % self.value(),
            "t = %s" % self.value(),
            "a[%s] = %s" % (self.place(), self.value()),
            "b[i] = a[i] + t",
            self.update(),
            self.update(),
        )
        if self.random.random() < 0.2:
            text = "if %s:\n    " % self.pick("i % 2", "b[i] > 3", "a[i] < t", "u") + text.replace(
                "\n", "\n    "
            )
        return text

    def body(self):
        return "\n".join(self.statement() for _ in range(self.random.randint(1, 3)))


def indented(text):
    return "".join("    " + line + "\n" for line in text.split("\n"))


def values_after(text):
    names = {}
    exec(text, names)
    return {name: names[name] for name in ("a", "b", "h", "s", "t", "u", "k")}


def reordered(body, order, private):
    """The loop with its iterations in another order and private names as before it."""
    kept = "".join("%s_ = %s\n" % (n, n + "[:]" if n in "abh" else n) for n in private)
    fresh = "".join("    %s = %s\n" % (n, n + "_[:]" if n in "abh" else n + "_") for n in private)
    return SETUP + kept + "for i in %s:\n" % order + fresh + indented(body)


@pytest.mark.parametrize("seed", range(40))
def test_any_order(seed):
    """Forty bodies a seed, so that a verdict of each kind is met many times."""
    met = set()
    bodies = Bodies(seed)
    for _ in range(40):
        body = bodies.body()
        text = SETUP + "for i in range(1, 10):\n" + indented(body)
        loop = next(f for f in trace_text(text, memory=False)["loops"] if f["var"] == "i")
        met.add(loop["verdict"])
        if loop["verdict"] == "serial" or loop["induction"]:
            continue
        expected = values_after(text)
        # Of equal extremes each order finds another first.
        free = {"i", *loop["private"]} | ({"k"} if "arg" in "".join(loop["op"]) else set())
        shuffled = random.Random(seed).sample(range(1, 10), 9)
        for order in (list(range(9, 0, -1)), shuffled):
            got = values_after(reordered(body, order, loop["private"]))
            wrong = {n for n in expected if n not in free and got[n] != expected[n]}
            assert not wrong, (body, loop)
    assert met == {"serial", "parallel", "reduction"}
