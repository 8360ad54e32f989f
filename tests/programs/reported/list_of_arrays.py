# github.com/numba/numba issue 4584: list of arrays of different shapes, each element raised by one
import numpy as np


def mutate(array_list):
    for j in range(len(array_list)):
        dim0, dim1 = array_list[j].shape
        for row in range(dim0):
            for col in range(dim1):
                array_list[j][row, col] += 1


shapes = [(200, 200), (300, 300), (400, 400)]
arrays = [np.zeros(s, dtype=np.float64) for s in shapes]
[mutate(arrays) for i in range(2)]
print([repr(a.sum()) for a in arrays])
