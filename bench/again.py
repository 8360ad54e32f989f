"""Runs the main() of a script several times in one process, as an import and not as __main__.

    nestwise run bench/again.py script.py 4 arguments...

Exits with 3 if the script has no main().
"""

import importlib
import sys
from pathlib import Path

script, times = Path(sys.argv[1]), int(sys.argv[2])
sys.argv = [str(script), *sys.argv[3:]]
sys.path.insert(0, str(script.parent))
module = importlib.import_module(script.stem)
if not hasattr(module, "main"):
    sys.exit(3)
for _ in range(times):
    module.main()
