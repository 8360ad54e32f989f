def digits(n):
    total = 0
    for k in range(n):
        total += k % 10 + k // 1000
    return total


print(digits(100_000))


# expect
# verdict line 3: parallel, sum of `total`
# serial 3: lines 3
# threads 3: lines 3 threads
# auto 3: native
# 64 cores 3: 1 threads
# expensive threads 3: 1 serial
# shared core 3: 1 serial
# quick CPython 3: 1 interpreter
