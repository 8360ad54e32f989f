"""Prints the events that a tracer gets of loops of many shapes, for `test_tracing.py`."""

import sys

SEEN = []


def tracer(frame, event, arg):
    code = frame.f_code
    if code.co_filename != __file__ or code.co_name in ("begin", "observe"):
        return None
    SEEN.append((event, code.co_name, frame.f_lineno))
    return tracer


def begin(frame):
    """From here on the frame is traced, in the middle of its loop."""
    frame.f_trace = tracer
    sys.settrace(tracer)


def plain_for(n, at):
    s = 0
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        s += i
    return s


def for_else(n, at):
    s = 0
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        s += i
    else:
        s = -s
    return s


def for_break(n, at):
    s = 0
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        if i == at + 3:
            break
        s += i
    return s


def for_break_else(n, at):
    s = 0
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        if i == at + 3:
            s += 5
            break
        s += i
    else:
        s = -s
    return s


def for_continue(n, at):
    s = 0
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        if i % 3 == 0:
            continue
        s += i
    return s


def for_return(n, at):
    s = 0
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        if i == at + 3:
            return s + 1
        s += i
    return s


def for_bare_return(n, at):
    s = 0
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        if i == at + 3:
            return
        s += i


def nested(n, at):
    s = 0
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        for j in range(3):
            s += i * j
    return s


def nested_inside(n, at):
    s = 0
    for i in range(3):
        for j in range(n):
            if i == 1 and j == at:
                begin(sys._getframe())
            s += i * j
    return s


def nested_break(n, at):
    s = 0
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        for j in range(5):
            if j == 3:
                break
            s += i * j
        else:
            s += 100
        s += 1
    return s


def plain_while(n, at):
    s = i = 0
    while i < n:
        if i == at:
            begin(sys._getframe())
        s += i
        i += 1
    return s


def while_else(n, at):
    s = i = 0
    while i < n:
        if i == at:
            begin(sys._getframe())
        s += i
        i += 1
    else:
        s = -s
    return s


def while_break(n, at):
    s = i = 0
    while i < n:
        if i == at:
            begin(sys._getframe())
        if i == at + 3:
            break
        s += i
        i += 1
    return s


def while_true(n, at):
    s = i = 0
    while True:
        if i == at:
            begin(sys._getframe())
        s += i
        i += 1
        if i > n:
            break
    return s


def while_true_return(n, at):
    s = i = 0
    while True:
        if i == at:
            begin(sys._getframe())
        s += i
        i += 1
        if i > n:
            return s


def while_nested(n, at):
    s = i = 0
    while i < n:
        if i == at:
            begin(sys._getframe())
        j = 0
        while j < 3:
            s += i * j
            j += 1
        i += 1
    return s


def in_try(n, at):
    s = 0
    try:
        for i in range(n):
            if i == at:
                begin(sys._getframe())
            s += 10 // (at + 3 - i)
    except ZeroDivisionError:
        s += 1
    finally:
        s += 2
    return s


def try_inside(n, at):
    s = 0
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        try:
            s += 10 // (at + 3 - i)
        except ZeroDivisionError:
            s += 1
    return s


def in_with(n, at):
    import contextlib

    s = 0
    with contextlib.suppress(ZeroDivisionError):
        for i in range(n):
            if i == at:
                begin(sys._getframe())
            s += 10 // (at + 3 - i)
    return s


def over_list(n, at):
    a = list(range(n))
    s = 0
    for i, x in enumerate(a):
        if i == at:
            begin(sys._getframe())
        s += x
    return s


def over_rebound(n, at):
    a = list(range(n))
    s = 0
    for a in a:  # noqa: B020
        if a == at:
            begin(sys._getframe())
        s += a
    return s


def over_lines(n, at):
    s = 0
    for i in range(
        0,
        n,
        1,
    ):
        if i == at:
            begin(sys._getframe())
        s += i
    return s


def two_loops(n, at):
    s = 0
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        s += i
    for i in range(n):
        s += i
    i = 0
    while i < n:
        i += 1
    return s


def last_statement(n, at):
    s = 0
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        s += i


def in_if(n, at):
    s = 0
    if n:
        for i in range(n):
            if i == at:
                begin(sys._getframe())
            s += i
    return s


def if_last(n, at):
    s = 0
    for i in range(n):
        s += i
        if i == at:
            begin(sys._getframe())


def comprehension(n, at):
    begin(sys._getframe())
    a = [i * 2 for i in range(n)]
    s = sum(x for x in a)
    return s


def maybe_names(n, at):
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        if i == 2:
            t = i
        u = i
    return t + u


def generator(n, at):
    def g():
        s = 0
        for i in range(n):
            if i == at:
                begin(sys._getframe())
            s += i
        yield s
        for i in range(3):
            yield i

    return list(g())


def with_call(n, at):
    def f(x):
        return x + 1

    s = 0
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        s += f(i)
    return s


def raises(n, at):
    s = 0
    a = list(range(min(at + 3, n)))
    for i in range(n):
        if i == at:
            begin(sys._getframe())
        s += a[i]
    return s


def large(n, at):
    s = i = 0
    while i < n:
        if i == at:
            begin(sys._getframe())
        i += 1
        s += i * 300 % 7
        s += i * 301 % 7
        s += i * 302 % 7
        s += i * 303 % 7
        s += i * 304 % 7
        s += i * 305 % 7
        s += i * 306 % 7
        s += i * 307 % 7
        s += i * 308 % 7
        s += i * 309 % 7
        s += i * 310 % 7
        s += i * 311 % 7
        s += i * 312 % 7
        s += i * 313 % 7
        s += i * 314 % 7
        s += i * 315 % 7
        s += i * 316 % 7
        s += i * 317 % 7
        s += i * 318 % 7
        s += i * 319 % 7
        s += i * 320 % 7
        s += i * 321 % 7
        s += i * 322 % 7
        s += i * 323 % 7
        s += i * 324 % 7
        s += i * 325 % 7
        s += i * 326 % 7
        s += i * 327 % 7
        s += i * 328 % 7
        s += i * 329 % 7
        s += i * 330 % 7
        s += i * 331 % 7
        s += i * 332 % 7
        s += i * 333 % 7
        s += i * 334 % 7
        s += i * 335 % 7
        s += i * 336 % 7
        s += i * 337 % 7
        s += i * 338 % 7
        s += i * 339 % 7
        s += i * 340 % 7
        s += i * 341 % 7
        s += i * 342 % 7
        s += i * 343 % 7
        s += i * 344 % 7
        s += i * 345 % 7
        s += i * 346 % 7
        s += i * 347 % 7
        s += i * 348 % 7
        s += i * 349 % 7
        s += i * 350 % 7
        s += i * 351 % 7
        s += i * 352 % 7
        s += i * 353 % 7
        s += i * 354 % 7
        s += i * 355 % 7
        s += i * 356 % 7
        s += i * 357 % 7
        s += i * 358 % 7
        s += i * 359 % 7
    return s


def comprehension_of_lines(n, at):
    begin(sys._getframe())
    return [i * 2 for i in range(n) if i > 1]


def traced_from_outside(n, at):
    def watch():
        begin(sys._getframe(1))

    s = 0
    for i in range(n):
        if i == at:
            watch()
        s += i
    return s


def observe(function, n, at, traced_before):
    SEEN.clear()
    try:
        if traced_before:
            sys.settrace(tracer)
        result = function(n, at)
    except Exception as error:
        result = repr(error)
    finally:
        sys.settrace(None)
    sys._getframe().f_trace = None
    first = function.__code__.co_firstlineno
    events = [(event, line - first) for event, _, line in SEEN]
    print(function.__name__, n, at, traced_before, result, events)


ours = ("tracer", "begin", "observe")
for name, value in list(globals().items()):
    if callable(value) and name not in ours:
        for n in (0, 1, 12):
            observe(value, n, 1000, True)
        for n, at in ((12, 0), (12, 2), (12, 7), (150, 100)):
            observe(value, n, at, False)

# The same at a module's level.
total = 0
SEEN.clear()
for k in range(30):
    if k == 5:
        begin(sys._getframe())
    total += k
    if k == 25:
        break
else:
    total = 0
while k < 30:
    k += 1
for k in range(9):
    total += k
else:
    total += 1
sys.settrace(None)
print(total, SEEN)
