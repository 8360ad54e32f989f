"""The text that `nestwise --help` prints."""

USAGE = """\
usage: nestwise run [options] script.py [argument...]
       nestwise run [options] -m module [argument...]
       nestwise run [options] -c code [argument...]
       nestwise verify [--sample K] [options of run] script.py [argument...]
       nestwise oracle [--sizes N,...] [--json F] [--html F] PATH...
       nestwise calibrate [--quick] [--out F]
       nestwise profile show [F] | diff F [G]
       nestwise whatif --profile F[,G...] [options of run] script.py [argument...]
       nestwise explain [--json] [--sizes n=1000,a=20x30] [--after STAGE] script.py

Runs a Python program as python does, with its loop nests priced, compiled and run where they win;
or runs every nest twice, compiled and in CPython, and compares bit by bit; or explains, without
running the program, what each of its loops may do and why not more; or measures this machine, so
that prices are its own; or tells what other machines would do with a program.
`nestwise COMMAND --help` tells more of calibrate, oracle, profile and whatif.

options of verify:
  --sample K            compare the first two calls of each nest, then about one in K (all)
  --only FILE:LINE:CALL compare that call of that nest alone; all else runs in CPython
                        what differs is told on standard error; the exit code is 1 then

options of explain:
  --json                the same for programs
  --sizes NAME=N,...    ints (n=1000, self.n=20) and extents (a=20x30, a.shape=(20,30)) as they
                        will be
  --after STAGE         the nests as they are after parse, lower, prove, analyse, schedule,
                        or their prices by device and term after price (with all --sizes)
  --fp MODE, --profile F
                        as below

options of run:
  --device auto|interpreter|serial|threads|emulated|gpu
                        where loop nests may run (auto: wherever it is cheapest, on a card only
                        where the profile has one; gpu: an NVIDIA card wherever
                        loops allow it; emulated: that without a card, for tests)
  --threads N           at most N threads
  --fp strict|faithful|fast
                        floating point: CPython's bits; within ulps; reordered sums
  --report[=text|json]  what became of every loop nest, at exit, on standard error
  --report-file F       the same, into a file
  --profile F           the machine profile to price with (what `nestwise calibrate` left; `default`
                        for the one that nobody measured)
  --no-cache            neither read nor write the cache folder
  --include MODULE      handle this module too, though it is part of a library
  -O -OO -B -u -E -s -S -I -P -W ARG -X OPT
                        python's own options

Each option also has an environment variable: NESTWISE_DEVICE, NESTWISE_THREADS, NESTWISE_FP,
NESTWISE_REPORT, NESTWISE_REPORT_FILE, NESTWISE_PROFILE, NESTWISE_NO_CACHE, NESTWISE_INCLUDE;
NESTWISE_CACHE_DIR names the cache folder.
"""
