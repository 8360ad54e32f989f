"""Ends with an exception raised while another one was handled."""

import math


class Table:
    def __init__(self, values):
        self.values = values
        self.sum = 0.0

    def roots(self):
        for v in self.values:  # native
            self.sum += math.sqrt(v)
        return self.sum


def report(table):
    try:
        return table.roots()
    except ValueError:
        print("sum so far", repr(table.sum))
        values = [0, 1, 2]
        for i in range(len(values)):  # native
            values[i] = values[i] + values[i + 1]


print(report(Table([1.0, 4.0, 9.0])))
print(report(Table([1.0, 4.0, -9.0, 16.0])))
