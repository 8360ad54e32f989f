# python-list 2010 (pixel by pixel processing): list mask around each pixel by while loops, mean and deviation, replacement
import math
import numpy

rs = numpy.random.RandomState(1)
img = rs.randint(0, 256, (30, 30)).astype(numpy.uint8)


def create_mask(dimensions, img, i, j):
    dim = dimensions // 2
    cpt = 1
    mask = []
    while cpt <= dimensions:
        dim2 = dimensions // 2
        cpt2 = 1
        while cpt2 <= dimensions:
            mask.append(img[i - dim][j - dim2])
            dim2 -= 1
            cpt2 += 1
        dim -= 1
        cpt += 1
    return mask


def interval(values):
    values = [int(v) for v in values]
    m = sum(values) / len(values)
    var = sum((v - m) ** 2 for v in values) / (len(values) - 1)
    e = 1.96 * math.sqrt(var)
    return m, m - e / 3, m + e / 3


out = img.copy()
changed = 0
for i in range(4, img.shape[0] - 4):
    for j in range(4, img.shape[1] - 4):
        m, lo, hi = interval(create_mask(9, img, i, j))
        if not lo <= img[i][j] <= hi:
            out[i][j] = int(m)
            changed += 1
print(changed, int(out.sum()), out[10, 10:20].tolist())
