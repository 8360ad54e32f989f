def count(text, bins, weights):
    for k in range(len(text)):
        bins[text[k]] += weights[k % len(weights)]


data = bytes((k * k * 7919 + k) % 251 for k in range(50_000))
bins = [0] * 256
count(data, bins, [3, -1, 2])
print(bins)


# expect
# verdict line 2: parallel, sum in `bins`
# serial 2: lines 2; may stop, 1 guards
# threads 2: lines 2 threads with its own bins; may stop, 1 guards
# auto 2: native
# 64 cores 2: 1 interpreter
# expensive threads 2: 1 interpreter
# shared core 2: 1 interpreter
# quick CPython 2: 1 interpreter
