def few(n):
    t = 0
    for i in range(n):
        t += i
    return t


print(few(4))


# expect
# verdict line 3: parallel, sum of `t`
# serial 3: lines 3
# threads 3: lines 3 threads
# auto 3: interpreter
# 64 cores 3: 1 interpreter
# expensive threads 3: 1 interpreter
# shared core 3: 1 interpreter
# quick CPython 3: 1 interpreter
