"""Ends with an uncaught ZeroDivisionError at module level, output before it kept."""

total = 0
print("start")
for i in range(10, -10, -1):  # native
    for j in range(3):
        total += 100 // (i - j + 5) if j else 1
        total += 7 % i
print("never", total)
