"""The process of one candidate: runs a script's main() as often as it is asked to.

    nestwise run [options] serve.py script.py

The work is done in `turns.py`: loops of a script that is run would be handled, those of a module of
our own are left alone.
"""

import sys

from nestwise.oracle import turns

if __name__ == "__main__":
    turns.main(sys.argv[1])
