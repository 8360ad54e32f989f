# an endless loop that prints now and then and leaves by sys.exit, as simulations and servers do
import sys
import time


def main():
    n = s = 0
    t0 = time.perf_counter()
    while True:
        n += 1
        s += n * n % 7
        if n % 50_000 == 0:
            print(n, s)
        if n == 200_000:
            print("slow" if time.perf_counter() - t0 > 2 else "fine")
            sys.exit(0)


main()
