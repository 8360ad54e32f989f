# github.com/exaloop/codon issue 428: sum over a long range overflows 64 bits, CPython gives the exact answer
def total(lo, hi, scale):
    sum_x = 0
    for i in range(lo, hi):
        sum_x += i * scale
    return sum_x


def squares(n):
    s = 0
    for i in range(n):
        s += i * i * i
    return s


print(total(0, 300_000, 1))
print(total(10**13, 10**13 + 300_000, 1))
print(total(10**15, 10**15 + 200_000, 10**9))
print(squares(300_000))
