"""Sorting by hand."""


def bubble(a):
    n = len(a)
    for i in range(n):  # native
        swapped = False
        for j in range(0, n - i - 1):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break
    return a


def insertion(arr):
    for i in range(1, len(arr)):  # native
        key = arr[i]
        j = i - 1
        while j >= 0 and key < arr[j]:
            arr[j + 1] = arr[j]
            j -= 1
        arr[j + 1] = key
    return arr


def selection(a):
    for i in range(len(a)):  # native
        m = i
        for j in range(i + 1, len(a)):
            if a[j] < a[m]:
                m = j
        a[i], a[m] = a[m], a[i]
    return a


def shell(a):
    n = len(a)
    gap = n // 2
    while gap > 0:  # native
        for i in range(gap, n):
            t = a[i]
            j = i
            while j >= gap and a[j - gap] > t:
                a[j] = a[j - gap]
                j -= gap
            a[j] = t
        gap //= 2
    return a


d = [(i * 7919) % 503 for i in range(200)]
print(bubble(d[:])[:10], insertion(d[:])[:10], selection(d[:])[-5:], shell(d[:])[50:55])
