def factorials(n):
    f = 1
    for k in range(1, n):
        f = f * k
    return f


print(factorials(12), factorials(40))


# expect
# verdict line 3: serial: `f` (assigned on line 4) carries its value from one iteration to the next
# serial 3: lines 3; may stop, 1 guards
# serial 3: lines 3; may stop, 2 guards
# serial 3: 4 x guard-failure
# serial 3: 1 x type
# threads 3: lines 3 threads; may stop, 1 guards
# threads 3: lines 3; may stop, 2 guards
# threads 3: 1 x guard-failure
# threads 3: 3 x guard-failure
# threads 3: 1 x type
# auto 3: interpreter
# 64 cores 3: 2 interpreter
# expensive threads 3: 2 interpreter
# shared core 3: 2 interpreter
# quick CPython 3: 2 interpreter
