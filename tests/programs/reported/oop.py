# overhead: object-heavy simulation with inheritance, properties, small loops over children, events in a heap
import heapq
import random

random.seed(8)


class Entity:
    def __init__(self, name):
        self.name = name
        self.children = []
        self._hp = 10

    @property
    def hp(self):
        return self._hp

    @hp.setter
    def hp(self, v):
        self._hp = max(0, v)

    def tick(self, t):
        for c in self.children:
            c.tick(t)


class Unit(Entity):
    def tick(self, t):
        super().tick(t)
        if t % 3 == hash(self.name) % 3 and self.hp:
            self.hp -= 1


class Healer(Entity):
    def tick(self, t):
        for c in self.children:
            c.tick(t)
            c.hp += 1 if t % 4 == 0 else 0


root = Entity("root")
for i in range(40):
    h = Healer("h%d" % i)
    for j in range(12):
        h.children.append(Unit(i * 100 + j))
    root.children.append(h)
for t in range(150):
    root.tick(t)
print(sum(u.hp for h in root.children for u in h.children))


class Sim:
    def __init__(self):
        self.q = []
        self.now = 0
        self.log = {}

    def at(self, t, f, *a):
        heapq.heappush(self.q, (t, len(self.q), f.__name__, f, a))

    def run(self, limit):
        n = 0
        while self.q and n < limit:
            self.now, _, name, f, a = heapq.heappop(self.q)
            f(*a)
            self.log[name] = self.log.get(name, 0) + 1
            n += 1


s = Sim()


def arrive(k):
    s.at(s.now + random.randint(1, 5), leave, k)
    s.at(s.now + random.randint(1, 3), arrive, k + 1)


def leave(k):
    pass


s.at(0, arrive, 0)
s.run(400_000)
print(s.now, s.log, len(s.q))
