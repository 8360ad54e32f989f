"""Random functions whose loops a signal ends, by the exception that its handler raises or by a flag
that it clears.

How far such a loop comes nobody can tell, so what is shown is what holds wherever CPython stops: of
the statements of the body each has been executed as often as the next one, or once more often.
"""

from __future__ import annotations

import random

# Statements, with what tells how often each has been executed.
STEPS = (
    ("a[0] += 1", "a[0]"),
    ("out.append(n)", "len(out)"),
    ("out.append((n, 1))", "len(out)"),
    ("more.append(n * 2)", "len(v['more'])"),
    ("h[n & 7] += 1", "sum(h)"),
    ("bump(h, n & 7)", "sum(h)"),
    ("hn[n & 7] += 1", "int(v['hn'].sum())"),
    ("st.count += 1", "st.count"),
    ("st.bump(1)", "st.count"),
    ("G += 1", "G"),
    ("push(out, n)", "len(out)"),
    ("st.out.append(n)", "len(st.out)"),
    ("k += 1", "v['k']"),
    ("k = k + 1", "v['k']"),
    ("for j in range(3):\n    a[1 + j] += 1", "a[1], a[2], a[3]"),
    ("j = 0\nwhile j < 2:\n    a[1 + j] += 1\n    j += 1", "a[1], a[2]"),
    (
        "j = 0\nwhile True:\n    a[1 + j] += 1\n    j += 1\n    if j > 1:\n        break",
        "a[1], a[2]",
    ),
)
# Statements whose effect is looked at by itself; `n` is how often the loop's counter has counted.
MORE = (
    ("if n % 5 == 0:\n    fives += 1", "near(v['fives'], v['n'] // 5)"),
    ("if n % 100003 == 0:\n    log(n)", "near(len(LOG), v['n'] // 100003)"),
    (
        "if n % 5003 == 0:\n    print(n, file=sink)",
        "near(v['sink'].getvalue().count(chr(10)), v['n'] // 5003)",
    ),
    ("if n % 3:\n    late = n", "near(v['n'] - v['late'], 1)"),
    ("s = s + 3 & 1023", "one_of(v['s'], *[3 * (v['n'] + k) & 1023 for k in (-1, 0, 1)])"),
    ("p, q = q, p", "one_of((v['p'], v['q']), (0, 1), (1, 0))"),
    ("t = random.random()", "drawn(v['n'])"),
    ("c = n & 15\nwhile c != 1 and c != 0:\n    c = 3 * c + 1 if c & 1 else c >> 1", "True"),
    ("x = n * 0.5", "near(v['x'] * 2, v['n'])"),
    ("w = n if n & 1 else n * 1.0", "near(v['w'], v['n'])"),
    ("if st.count < 0:\n    raise Found(n)", "True"),
    ("if not n:\n    break", "True"),
    ("row = [n, n + 1]\ns_ = row[1]", "near(v['s_'], v['n'])"),
)
LOOPS = (
    "while True:", "while True:", "while True:", "while 1:", "while running:", "while n < 10**12:",
    "for i in range(10**12):", "for i in itertools.count():", "for x_ in itertools.cycle((1, 2)):",
    "for i in endless():", "while n != -1:", "for i in iter(int, 1):",
)  # fmt: skip
ENDLESS = ("while True:", "while a[0] >= 0:", "while 1:", "while n > 0:")

START = """\
n = k = s = s_ = p = c = fives = late = j = j_ = x_ = 0
q, t, x, w, i, more, sink = 1, 0.5, 0.0, 0, -1, [], io.StringIO()
hn, running = np.zeros(8, dtype=np.int64), True"""


def indented(text: str, by: int = 1) -> list[str]:
    return ["    " * by + line for line in text.split("\n") if line.strip()]


class Interrupted:
    """One function, with what holds of it, and its calls."""

    def __init__(self, number: int, rng: random.Random):
        self.me, self.rng = f"f{number}", rng
        self.tags = ["signal"]

    def pick(self, *of):
        return self.rng.choice(of)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def steps(self, count: int) -> tuple[list[str], list[str]]:
        """Different statements that count, and what they have counted."""
        lines, counts, met = [], [], set()
        for line, counter in self.rng.sample(STEPS, count):
            words = {word.strip() for word in counter.split(",")}
            if not words & met:
                met |= words
                lines.append(line)
                counts.append(counter)
        return lines, counts

    def loop(self) -> tuple[list[str], list[str]]:
        """The loop, and what holds once it has been stopped."""
        header, flag = self.pick(*LOOPS), self.chance(0.2)
        lines, counts = self.steps(self.pick(1, 1, 2, 3, 4))
        at = self.rng.randrange(len(lines) + 1)
        lines.insert(at, "n += 1")
        counts.insert(at, "v['n']")
        holds = []
        for line, fact in self.rng.sample(MORE, self.pick(0, 0, 1, 1, 2)):
            lines.insert(self.rng.randrange(len(lines) + 1), line)
            holds.append(fact)
        if flag:
            self.mode = "flag"
            self.tags.append("flag")
            kind = self.pick("head", "head", "break")
            test = self.pick("RUNNING", "st.running")
            header = f"while {test}:" if kind == "head" else "while True:"
            if kind == "break":
                lines.insert(self.rng.randrange(len(lines) + 1), f"if not {test}:\n    break")
        elif self.chance(0.08):
            self.tags.append("pass")
            header = self.pick("while True:", "while True:", "while 1:", "while running:")
            return [header, "    pass"], []
        elif self.chance(0.2):
            # The outer loop comes to its first iteration only, the inner one never ends.
            inner, more = self.steps(self.pick(1, 2))
            if not set(", ".join(more).split(", ")) & set(", ".join(counts).split(", ")):
                self.tags.append("inner loop without end")
                text = "\n".join([self.pick(*ENDLESS), *indented("\n".join(inner))])
                body = indented("\n".join(["n += 1", text]))
                # Where the signal comes before anything, nothing has been counted.
                some = f"max(0, {', '.join(more)}) > 0"
                seen = f"one_of((v['n'], {some}), (1, True), (1, False), (0, False))"
                return [header, *body], [f"ordered({', '.join(more)})", seen]
        elif self.chance(0.15):
            self.tags.append("long inner loop")
            # Left before the count, the inner loop would never come to count.
            lines = [line.replace("if not n:", "if n < 0:") for line in lines]
            text = "\n".join(["for j_ in range(10**6):", *indented("\n".join(lines))])
            return [header, *indented(text)], [f"ordered({', '.join(counts)})", *holds]
        holds.insert(0, f"ordered({', '.join(counts)})")
        return [header, *indented("\n".join(lines))], holds

    def build(self) -> list[str]:
        self.mode = "raise"
        loop, holds = self.loop()
        self.tags.append(loop[0].partition("(")[0].rstrip(":"))
        # Some systems lose a signal now and then; then one that comes a second later ends the loop.
        setting = "signal.setitimer(signal.ITIMER_REAL, st.n, 1.0)"
        shape = self.pick("try", "try", "none", "finally", "suppress", "again", "inside a function")
        self.tags.append(f"around: {shape}")
        inner = "\n".join([setting, *loop])
        if shape == "none":
            lines = inner.split("\n")
        elif shape == "suppress":
            lines = ["with contextlib.suppress(Stop):", *indented(inner)]
        elif shape == "finally":
            lines = ["try:", *indented(inner), "finally:", "    done_ = n"]
            holds.append("one_of(v['done_'], v['n'])")
        else:
            handler = {"again": "raise", "try": "k = k"}.get(shape, "pass")
            lines = ["try:", *indented(inner), "except ZeroDivisionError:", "    n = -5",
                     "except Stop:", f"    {handler}"]  # fmt: skip
        shared = ["global G"] if "G += 1" in inner else []
        if shape == "inside a function":
            names = "n, k, s, s_, p, q, c, t, x, w, fives, late"
            text = "\n".join([*shared, f"nonlocal {names}", "j = 0", *lines])
            lines = ["def walk():", *indented(text), "walk()"]
            shared = []
        # Native code may come to the end of a loop that has one, so how the call ended is not told.
        end = ", False" if "10**12" in loop[0] else ""
        calls = []
        for _ in range(self.pick(2, 2, 3)):
            seconds = self.pick("0.005", "0.02", "0.05", "0.05", "0.12", "0.2")
            calls.append(f"interrupt({self.me}, holds_{self.me}, {seconds}, {self.mode!r}{end})")
        return [
            f"def {self.me}(st, out, h, a):",
            *indented("\n".join([*shared, *START.split("\n"), *lines, "return dict(locals())"])),
            f"def holds_{self.me}(v, st, out, h, a):",
            f"    return [{', '.join(holds)}]",
            f"# {self.me}: {', '.join(dict.fromkeys(self.tags))}",
            f"if begin({self.me!r}):",
            *indented("\n".join(calls)),
            f"    done({self.me!r})",
        ]
