"""The beginning of every script of the domain `exceptions`, as text.

A script takes up to three arguments: a file for its progress, a number of seconds that one program
may take, and the names of programs to leave out ("skip=f1,f2") or to run alone ("only=f3"). Without
arguments it runs everything, so that a script of one program can be started by hand.
"""

HEAD = '''\
import array, contextlib, faulthandler, io, itertools, math, os, random, resource
import signal, sys, time, traceback, zlib
import numpy as np
ARGS = sys.argv[1:] + ["", "", ""][len(sys.argv) - 1:]
PROGRESS = open(ARGS[0] or os.devnull, "w")
ONLY = ARGS[2][5:].split(",") if ARGS[2].startswith("only=") else None
if ARGS[0]:
    # A loop that never ends and appends must not take the machine's memory.
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
SKIP = ARGS[2][5:].split(",") if ARGS[2].startswith("skip=") else []
G = POS = TICKS = 0
RUNNING, MODE, NAME, SPENT, LOG, STATES = True, "tick", "", [0.0], [], []
class Found(Exception):
    pass
class Stop(Exception):
    pass
class State:
    def __init__(self, n):
        self.count = self.total = self.pos = self.last = 0
        self.n, self.h, self.out, self.log, self.running = n, [0] * 8, [], [], True
        self.rng = np.random.default_rng(n)
    def bump(self, x):
        self.count += 1
        self.total += x
    def check(self, pos, stop):
        if pos >= stop:
            raise Found(pos)
    def push(self, x):
        self.out.append(x)
        self.count += 1
    def read(self):
        value = self.pos
        self.pos += 1
        return value if value < self.n else -1
def check(pos, stop):
    if pos >= stop:
        raise Found(pos)
def bump(h, k):
    h[k] += 1
def push(out, x):
    out.append(x)
def mixed(x, y):
    return x * 3 + y & 1023
def log(x):
    LOG.append(x)
def endless():
    k = 0
    while True:
        yield k
        k += 1
def crc(data):
    return zlib.crc32(data)
DATA = {
    "list": lambda n: list(range(n)),
    "floats": lambda n: list(map(float, range(n))),
    "array": lambda n: array.array("l", range(n)),
    "bytes": lambda n: (bytes(range(256)) * (n // 256 + 1))[:n],
    "bytearray": lambda n: bytearray((bytes(range(256)) * (n // 256 + 1))[:n]),
    "str": lambda n: ("abcdefgh" * (n // 8 + 1))[:n],
    "rows": lambda n: [[k, 1] for k in range(n)],
    "tuple": lambda n: tuple(range(n)),
    "range": lambda n: range(n),
    "ints": lambda n: np.arange(n),
    "float64": lambda n: np.arange(n) * 0.5,
    "uint8": lambda n: np.arange(n).astype(np.uint8),
    "grid": lambda n: np.arange(2 * n).reshape(n, 2),
    "mixed": lambda n: list(range(n - 1)) + [None],
    "texts": lambda n: ["12", "7", "100"] * ((n - 1) // 3) + ["5"] * ((n - 1) % 3) + ["x"],
    "pairs": lambda n: [(k, k % 5) for k in range(n - 1)] + [(1, 2, 3)],
}
def shown(v):
    if isinstance(v, State):
        return [(k, shown(w)) for k, w in sorted(vars(v).items()) if k != "rng"]
    if isinstance(v, np.ndarray):
        return f"{v.dtype}{v.shape} {crc(v.tobytes())} {v.ravel()[:3].tolist()}"
    if isinstance(v, BaseException):
        return told(v)
    if isinstance(v, (list, tuple, dict, set, str, bytes, bytearray, array.array)):
        text = repr(v)
        if len(text) > 160:
            text = f"{text[:70]} ... {text[-70:]} {crc(text.encode())}"
        return f"{type(v).__name__} {len(v)} {text}"
    if hasattr(v, "__next__"):
        return f"{type(v).__name__} then {list(itertools.islice(v, 2))}"
    return f"{type(v).__name__} {v!r}"
def line_of(step):
    frame, line = step
    return frame.f_code.co_name, line - frame.f_code.co_firstlineno
def told(error):
    """What is seen of an exception; without a loop of ours, since it is called in loops."""
    lines = list(map(line_of, traceback.walk_tb(error.__traceback__)))
    if lines and lines[0][0] == "<module>":
        del lines[0]
    if isinstance(error, UnboundLocalError):
        # CPython 3.11 itself tells the line before, once the function has been called often.
        lines = [name for name, _ in lines]
    return type(error).__name__, str(error), lines, type(error.__context__).__name__
def frames(error):
    """The names of the functions that the exception went through, with what they hold."""
    found, tb = {}, error.__traceback__.tb_next
    while tb is not None:
        for name, value in tb.tb_frame.f_locals.items():
            found[tb.tb_frame.f_code.co_name + "." + name] = value
        tb = tb.tb_next
    return found
def alarmed(*_):
    global TICKS, RUNNING, MODE
    if MODE == "raise":
        MODE = "over"
        raise Stop
    if MODE == "flag":
        RUNNING = STATES[-1].running = False
    TICKS += 1
signal.signal(signal.SIGALRM, alarmed)
def begin(name):
    global NAME
    if name in SKIP or ONLY and name not in ONLY:
        return False
    NAME, SPENT[0] = name, 0.0
    print("==", name, flush=True)
    PROGRESS.write(f"begin {name}\\n")
    PROGRESS.flush()
    faulthandler.dump_traceback_later(float(ARGS[1] or 60), exit=True, file=PROGRESS)
    return True
def done(name):
    faulthandler.cancel_dump_traceback_later()
    if MODE == "tick":
        print("random", random.random(), np.random.rand())
    PROGRESS.write(f"done {name} {SPENT[0]}\\n")
    PROGRESS.flush()
    sys.stdout.flush()
def start(n):
    global G, POS, RUNNING, MODE
    G = POS = 0
    RUNNING, MODE = True, "tick"
    LOG.clear()
    random.seed(n)
    np.random.seed(n % 1000)
    STATES[:] = [State(n)]
    return STATES[0]
def call(f, kind, size, n, stop, every=0.0):
    """One call, of which everything is shown; `every`: seconds between signals that only count."""
    st, out, h, data = start(n), [], [0] * 8, DATA[kind](size)
    signal.setitimer(signal.ITIMER_REAL, every, every)
    begun = time.perf_counter()
    try:
        got, how = f(data, n, stop, st, out, h), "returned"
    except BaseException as error:
        got, how = frames(error), told(error)
    SPENT[0] += time.perf_counter() - begun
    signal.setitimer(signal.ITIMER_REAL, 0)
    print("ended", how)
    after(got if isinstance(got, dict) else {"got": got}, st, out, h)
def prepared(kind, size, n, stop, every=0.0):
    st = start(n)
    data = DATA[kind](size)
    signal.setitimer(signal.ITIMER_REAL, every, every)
    SPENT[0] -= time.perf_counter()
    return data, n, stop, st, [], [0] * 8
def ended(st, out, h, *names):
    SPENT[0] += time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, 0)
    after({name: globals()[name] for name in names if name in globals()}, st, out, h)
def after(names, st, out, h):
    for name, value in sorted(names.items()):
        if name.rpartition(".")[2] not in ("data", "st", "out", "h", "tb", "walk"):
            print(name, shown(value))
    print("left", G, POS, shown(LOG), shown(out), shown(h), shown(st))
    print("draws", random.random(), np.random.rand(), st.rng.random())
def forget(*names):
    """For loops at module level: what an earlier program has left under these names goes."""
    for name in names:
        globals().pop(name, None)
def ordered(*counts):
    """Each count is ahead of the next by at most one iteration, and the first of the last."""
    ahead = [a - b for a, b in zip(counts, counts[1:] + counts[-1:])] + [counts[0] - counts[-1]]
    return "ordered" if set(ahead) <= {0, 1} else f"no: {counts}"
def near(a, b):
    return "near" if abs(a - b) <= 1 else f"no: {a} {b}"
def one_of(value, *all):
    return "one" if value in all else f"no: {value} {all}"
def drawn(n):
    """Whether the generator has drawn n numbers, or one more or less; many are not counted."""
    now = random.getstate()
    if n > 50_000:
        return "drawn"
    random.seed(1)
    for k in range(n + 2):
        if k >= n - 1 and random.getstate() == now:
            return "drawn"
        random.random()
    return f"no: not {n} draws"
def interrupt(f, holds, seconds, mode, endless=True):
    """One call that a signal ends after so many seconds; what must hold then is shown."""
    global MODE
    st, out, h, a = start(1), [], [0] * 8, [0] * 4
    MODE, st.n = mode, seconds
    begun = time.perf_counter()
    try:
        v, how = f(st, out, h, a), "returned"
    except Stop as error:
        v, tb = {}, error.__traceback__.tb_next
        while tb is not None:
            if tb.tb_frame.f_code.co_name == f.__name__:
                v = dict(tb.tb_frame.f_locals)
            tb = tb.tb_next
        how = "Stop"
    SPENT[0] += time.perf_counter() - begun
    signal.setitimer(signal.ITIMER_REAL, 0)
    print("stopped", how if endless else "")
    print("holds", holds(v, st, out, h, a))
'''
