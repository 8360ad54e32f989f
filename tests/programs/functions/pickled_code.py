"""Functions that are pickled by value, as task schedulers do: their code runs as it was written."""

import pickle
import types


def total(a, start=0):
    s = start
    for x in a:
        s += x * x
    return s


def table(n):
    out = [0] * n
    for i in range(n):
        for j in range(i):
            out[i] += j
    else:
        out[0] = -1
    return out


def until(x):
    n = 0
    while x > 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        n += 1
        if n > 500:
            return None
    return n


def by_value(function):
    code = function.__code__
    constants = pickle.loads(pickle.dumps(code.co_consts))
    copy = code.replace(co_consts=constants)
    return types.FunctionType(copy, {"__builtins__": __builtins__}, None, function.__defaults__)


for function, arguments in ((total, ([1, 2.5],)), (table, (5,)), (until, (27,)), (until, (0,))):
    print(function(*arguments), by_value(function)(*arguments))
