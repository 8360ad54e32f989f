"""Runs the main() of a script several times in one process, as an import and not as __main__.

    nestwise run bench/again.py [--cpu] script.py 4 arguments...

`--cpu`: the clock that the script looks at is this thread's, which stands still while others run.
Exits with 3 if the script has no main().
"""

import importlib
import sys
import time
from pathlib import Path

if sys.argv[1] == "--cpu":
    del sys.argv[1]
    time.perf_counter = time.thread_time
script, times = Path(sys.argv[1]), int(sys.argv[2])
sys.argv = [str(script), *sys.argv[3:]]
sys.path.insert(0, str(script.parent))
module = importlib.import_module(script.stem)
if not hasattr(module, "main"):
    sys.exit(3)
for _ in range(times):
    module.main()
