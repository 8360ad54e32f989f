# Two threads take turns through a value that each waits for in a loop: a list's or array's element, an attribute, a global.
import os
import sys
import threading

import numpy as np

which, rounds = (sys.argv[1] if len(sys.argv) > 1 else "list"), 12
turn = np.zeros(1, dtype=np.int64) if which == "array" else [0]
gturn = 0


class Box:
    turn = 0


box = Box()
box.turn = 0


def player(me, rounds):
    for k in range(rounds):
        while turn[0] != me:
            pass
        turn[0] = 1 - me


def attribute_player(me, rounds):
    for k in range(rounds):
        while box.turn != me:
            pass
        box.turn = 1 - me


def global_player(me, rounds):
    global gturn
    for k in range(rounds):
        while gturn != me:
            pass
        gturn = 1 - me


play = {"attribute": attribute_player, "global": global_player}.get(which, player)
players = [threading.Thread(target=play, args=(me, rounds), daemon=True) for me in (0, 1)]
for one in players:
    one.start()
for one in players:
    one.join(15)
print(which, rounds, "hangs" if any(one.is_alive() for one in players) else "finished", flush=True)
os._exit(0)
