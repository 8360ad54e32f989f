# -*- coding: utf-8 -*-
"""How source can be laid out: one line, semicolons, continuations, odd spacing, names."""
import numpy as np; from showing import show
def one_line(a):
    s = 0
    for x in a: s += x  # native
    for i in range(3): s += i; s *= 2  # native
    while s > 100: s -= 50  # native
    return s
def continued(a,
              b):
    s = 0
    for i in \
            range(len(a)):
        s += a[i] * \
            b[i]
    for x, y in zip(a,
                    b):
        s += (x
              - y)

        # a comment at an odd place
      # and another
        s += 1
    return s
def spaced ( a ) :
    s=0;t=0
    for  i  in  range ( len ( a ) ) :  # native
        s+=a [ i ];t=t+(s)

    return  s , t
def tabbed(a):
	s = 0
	for x in a:  # native
		if x:
			s += x
		else:
			s -= 1
	return s
def mixed_depth(a):
  s = 0
  for x in a:  # native
         if x > 1:
             s += x
         else: s -= x
  else: s += 1000
  return s
def names(añadido, 変数):
    größe = 0
    for ñ in añadido:  # native
        größe += ñ * 変数
    return größe
def normalised(ﬁ):
    s = 0
    for x in ﬁ:
        ſ = x
        s += fi[0] + ſ
    return s
def strings_around(a):
    text = "for x in a:"; s = 0
    for x in a: "for y in b: pass"; s += x; '''two
lines'''
    return s, text
def numbers_written(n):
    s = 0
    for i in range(0x10):  # native
        s += 1_000 + 0b101 + 0o17 + 0xFF + 1e1 + .5 + 5. + 1_0.0_1 + 0
    return s
def parenthesised(a):
    s = (0)
    for (i) in (range((len(a)))):  # native
        (s) += ((a)[(i)])
        (s), (t) = (((s))), (i)
    return s, t
def annotated(a: "list[int]") -> "int":
    s: int = 0
    for x in a:  # type: ignore
        s += x
    i: int
    for i in range(3):  # native
        s += i
    return s
def formfeed(a):
    s = 0
    for x in a:  # native
        s += x
    return s
def nested_definitions():
    class Local:
        def run(self, a):
            def deep(b):
                s = 0
                for x in b: s += x  # native
                return s
            return deep(a)
    return Local().run([1, 2, 3])
def deep_nesting(n):
    s = 0
    for a in range(n):  # native
     for b in range(n):
      for c in range(n):
       for d in range(n):
        for e in range(n):
         for f in range(n):
          for g in range(n):
           for h in range(n):
            s += a + b * c - d + e * f - g + h
    return s
show("one", one_line([1, 2, 30]), continued([1, 2], [3, 4]), spaced([1, 2]), tabbed([1, 0, 2]))
show("depth", mixed_depth([1, 2, 3]), names([1, 2], 3), normalised([4, 5]), strings_around([1, 2]))
show("numbers", numbers_written(3), parenthesised([1, 2]), annotated([1, 2]), formfeed([1]))
show("deep", nested_definitions(), deep_nesting(2))
if 1:
    for z in range(4): s = z  # native
for z in range(3): pass  # native
show("module", s, z)
