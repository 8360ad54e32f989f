# parsers end like this: elements are appended until an index error
def decode(data):
    out = []
    pos = 0
    try:
        while True:
            out.append(data[pos] + 1)
            pos += 1
    except IndexError:
        pass
    return out


for n in (1_000, 10_000, 100_000, 300_000):
    data = list(range(n))
    for k in range(4):
        r = decode(data)
        print(n, len(r), sum(r), r[:3], r[-2:])
