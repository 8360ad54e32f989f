class Tag:
    def __init__(self, k):
        self.k = k
        self.name = "t%d" % k

    def upper(self):
        return self.k * 2

    def isdigit(self):
        return self.k % 3 == 0

    def count(self, x):
        return self.k + x


def methods(tags):
    t = 0
    for tag in tags:
        t += tag.upper()
        if tag.isdigit():
            t += 1
        t += tag.count(2)
    for i in range(len(tags)):
        t += tags[i].upper()
    return t


def kept(tags):
    q = None
    t = 0
    for k in range(3000):
        q = tags[1:]
        t += len(q) + len(tags[2:])
    return t, q is tags, len(q), q[0] is tags[1]


def swapped(tags):
    t = 0
    for r in range(300):
        for tag in tags[3:]:
            t += tag.k * r
        tags[0], tags[5] = tags[5], tags[0]
        for tag in tags[:4]:
            t += tag.k
    return t


def truth(tags):
    t = 0
    for r in range(3000):
        if tags[5:]:
            t += 1
        if not tags[len(tags):]:
            t += 2
    return t


def removed(tags):
    t = 0
    for tag in tags[2:]:
        if tag.k % 2:
            tags.remove(tag)
        t += tag.k
    return t, len(tags)


def stored(tags, n):
    t = 0
    for i in range(n):
        for tag in tags[i % 3 :]:
            tag.k += 1
            t += tag.k
    return t


T = [Tag(k) for k in range(200)]
print(methods(T), kept(T), swapped(T), truth(T), stored(T, 50))
print(removed(T))
print(sum(t.upper() for t in T[3:]), max(t.k for t in T[::2]), [t.k for t in T[:3]])
