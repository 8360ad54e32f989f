# stackoverflow 69468164: exponential average down a table that restarts where the ticker changes
import random

random.seed(4)
ric = []
jump = []
for name in ("AAA.O", "BBB.O", "CCC.N", "DDD.O"):
    for k in range(20_000):
        ric.append(name)
        jump.append(random.random() if k % 3 else 0)

sigma = [0.0] * len(ric)
sigma[0] = jump[0]
for i in range(1, len(ric)):
    if ric[i] == ric[i - 1]:
        sigma[i] = sigma[i - 1] * 0.88 + jump[i]
    else:
        sigma[i] = jump[i]
print(repr(sum(sigma)), repr(sigma[20_000]), repr(sigma[-1]))
