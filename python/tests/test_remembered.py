"""What `nestwise verify` remembers, puts back and compares."""

import array
import random

import numpy as np
import pytest
from nestwise.verifying.remembered import Remembered, same


class Holder:
    total = 1.0


class Slotted:
    __slots__ = ("total",)


NAN = float("nan")
PAIRS = [
    (1, 1, True),
    (1, True, False),
    (1, 1.0, False),
    (0.0, -0.0, False),
    (NAN, -NAN, False),
    (NAN, float("nan"), True),
    (2**80, 2**80, True),
    (complex(0.0, -0.0), complex(0.0, 0.0), False),
    (np.float64(1.0), 1.0, False),
    (np.float64(1.0), np.float64(1.0), True),
    (np.float32(1.0), np.float64(1.0), False),
    (np.int32(1), np.int64(1), False),
    (np.True_, True, False),
    ((1, 2.0), (1, 2.0), True),
    ((1, 2.0), (1, 2), False),
    ("ab", "".join(["a", "b"]), True),
    ([1], [1], False),
    (None, None, True),
    (np.arange(3), np.arange(3), False),
]


@pytest.mark.parametrize("a, b, equal", PAIRS, ids=lambda v: repr(v)[:24])
def test_same(a, b, equal):
    assert same(a, b) is equal
    assert same(a, a)


def test_rows_of_one_array_are_the_same():
    a = np.arange(6).reshape(2, 3)
    assert same(a[1], a[1])
    assert not same(a[0], a[1])
    assert not same(a[0], a[0, ::-1])


def things():
    module = {"g": 1.5}
    owner, slotted = Holder(), Slotted()
    base = np.arange(12.0)
    held = {
        "a": np.arange(4),
        "view": base[1::3],
        "back": base[::-1],
        "xs": [1.0, [2.0, 3.0], (4, [5.0])],
        "q": array.array("f", [1.0, NAN]),
        "text": bytearray(b"abc"),
        "rng": random.Random(3),
        "new": np.random.default_rng(3),
        "out.append": [].append,
    }
    attributes = [("o.total", owner, "total"), ("s.total", slotted, "total")]
    names = ["g", "h"]
    remembered = Remembered(list(held.items()), attributes, names, module)
    return remembered, held, base, owner, slotted, module


CHANGES = {
    "a[2]": lambda h, b, o, s, m: h["a"].__setitem__(2, 9),
    "view[1]": lambda h, b, o, s, m: h["view"].__setitem__(1, -0.0),
    "back[11]": lambda h, b, o, s, m: b.__setitem__(0, NAN),
    "xs[0]": lambda h, b, o, s, m: h["xs"].__setitem__(0, np.float64(1.0)),
    "xs[1][1]": lambda h, b, o, s, m: h["xs"][1].__setitem__(1, 0.0),
    "xs[2][1][0]": lambda h, b, o, s, m: h["xs"][2][1].__setitem__(0, 0.0),
    "xs": lambda h, b, o, s, m: h["xs"].append(1),
    "q[0]": lambda h, b, o, s, m: h["q"].__setitem__(0, 2.0),
    "text[2]": lambda h, b, o, s, m: h["text"].__setitem__(2, 0),
    "rng": lambda h, b, o, s, m: h["rng"].random(),
    "new": lambda h, b, o, s, m: h["new"].random(),
    "out": lambda h, b, o, s, m: h["out.append"](3),
    "o.total": lambda h, b, o, s, m: setattr(o, "total", 2.0),
    "s.total": lambda h, b, o, s, m: setattr(s, "total", 2.0),
    "g": lambda h, b, o, s, m: m.__setitem__("g", 2),
    "h": lambda h, b, o, s, m: m.__setitem__("h", None),
}


@pytest.mark.parametrize("place", CHANGES)
def test_a_change_is_seen_and_put_back(place):
    remembered, *rest = things()
    assert not list(remembered.differences(remembered.before, remembered.take()))
    CHANGES[place](*rest)
    changed = remembered.take()
    found = list(remembered.differences(changed, remembered.before))
    assert place in [label for label, _ in found], found
    remembered.put_back()
    assert not list(remembered.differences(remembered.before, remembered.take()))
    module, owner = rest[-1], rest[2]
    assert "h" not in module and "total" not in vars(owner)
    # What has become so by then is none.
    CHANGES[place](*rest)
    later = remembered.take()
    if "[" in place and place != "xs[0]":
        assert not list(remembered.differences(changed, remembered.before, later))


def test_memory_beside_a_view_is_compared_too():
    base = np.zeros(9)
    remembered = Remembered([("v", base[2:4])], [], [], {})
    base[7] = 1
    found = list(remembered.differences(remembered.take(), remembered.before))
    assert [label for label, _ in found] == ["memory[7]"]
    remembered.put_back()
    assert not base.any()


def test_arrays_that_were_made_are_compared_by_what_they_hold():
    captured, local, module = np.zeros(3), np.zeros(3), {"g": np.zeros(3)}
    remembered = Remembered([("a", captured)], [], ["g"], module, [local, 1.5])
    made = [np.zeros(3), np.zeros(3)]
    assert remembered.same(*made) and not same(*made)
    assert remembered.same((1, made[0]), (1, made[1]))
    assert not remembered.same((1, made[0]), (1, made[1], 2))
    for other in (
        captured,
        local,
        module["g"],
        np.zeros(4)[1:],
        np.zeros(3, int),
        np.zeros((3, 1)),
    ):
        assert not remembered.same(made[0], other) and not remembered.same(other, made[0])
    made[1][1] = -0.0
    assert not remembered.same(*made)


def test_read_only_arrays_are_left_alone():
    a = np.arange(3)
    a.flags.writeable = False
    remembered = Remembered([("a", a)], [], [], {})
    remembered.put_back()
    assert not list(remembered.differences(remembered.take(), remembered.before))
