"""Totals of an order book kept as dictionaries, with names, notes and small objects in the loop.

A loop compiler must refuse the hot loop: it looks up strings in dictionaries, builds text and
calls methods of user objects that change other objects. It is here to be turned down with a
reason, and to run unharmed in CPython.
"""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 70_000, "medium": 2_300_000, "large": 23_000_000}


class Account:
    """A customer's running balance and the names of what was bought."""

    def __init__(self, name):
        self.name = name
        self.balance = 0.0
        self.bought = {}

    def charge(self, item, amount):
        self.balance += amount
        self.bought[item] = self.bought.get(item, 0) + 1


def settle(orders, prices, accounts, amounts, count):
    longest = ""
    for i in range(count):
        order = orders[i % len(orders)]
        amount = prices[order["item"]] * order["count"]
        account = accounts[order["customer"]]
        account.charge(order["item"], amount)
        note = account.name + "/" + order["item"]
        if len(note) > len(longest):
            longest = note
        amounts[i % len(amounts)] += amount
    return longest


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(72)
    items = ["apple", "bread", "cheese", "dates", "eggs"]
    prices = {item: 1.25 + 0.5 * k for k, item in enumerate(items)}
    accounts = {f"c{k}": Account(f"customer {k}") for k in range(50)}
    orders = [
        {
            "item": items[int(rng.integers(0, len(items)))],
            "customer": f"c{int(rng.integers(0, 50))}",
            "count": int(rng.integers(1, 9)),
        }
        for _ in range(1_000)
    ]
    amounts = np.zeros(997)

    start = time.perf_counter()
    longest = settle(orders, prices, accounts, amounts, n)
    seconds = time.perf_counter() - start

    balances = [account.balance for account in accounts.values()]
    checksum = math.fsum((k + 1) * b for k, b in enumerate(balances)) + len(longest)
    checksum += math.fsum(amounts.tolist()[1::2])
    checksum += sum(count for account in accounts.values() for count in account.bought.values())
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
