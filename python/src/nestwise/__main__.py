"""`python -m nestwise`, and how the command starts itself anew with python's own options."""

import os
import sys

if __name__ == "__main__":
    if not __package__:
        # Started by its path: the package may be out of reach (python -S, -I). Once it is
        # imported, it finds its own modules without the path.
        sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        import nestwise

        nestwise.__path__ = [os.path.dirname(os.path.abspath(__file__))]
        del sys.path[0]
    from nestwise.cli import main

    sys.exit(main())
