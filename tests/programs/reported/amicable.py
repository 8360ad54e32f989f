# codereview.stackexchange 202783: sums of divisors through a list that is appended to, pairs in a set
import math

amicable_nums = set()


def sum_div(n):
    divisors = []
    for x in range(1, int(math.sqrt(n) + 1)):
        if n % x == 0:
            divisors.append(x)
            if x * x != n and x != 1:
                divisors.append(int(n / x))
    return sum(divisors)


for i in range(1, 4000):
    j = sum_div(i)
    if j != i and j < 10**9 and sum_div(j) == i:
        amicable_nums.update([i, j])
print(sorted(amicable_nums), sum(amicable_nums))
