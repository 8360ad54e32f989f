# reading numbers from an array until it ends, by exception, as in parsers of binary data: byte streams, varints
def decode(data):
    out = []
    pos = 0
    try:
        while True:
            shift = value = 0
            while True:
                b = data[pos]
                pos += 1
                value |= (b & 0x7F) << shift
                shift += 7
                if b < 128:
                    break
            out.append(value)
    except IndexError:
        pass
    return out


import time

data = bytearray()
for k in range(30_000):
    v = k * 37
    while v > 127:
        data.append(v & 0x7F | 0x80)
        v >>= 7
    data.append(v)
for rep in range(3):
    t = time.perf_counter()
    r = decode(data)
    print(len(r), sum(r), r[-1], "slow" if time.perf_counter() - t > 1 else "fine")
r = decode(list(data))
print(len(r), sum(r))
