"""The command line of the fuzzer: `python tests/fuzz --help`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fuzz.driver import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
