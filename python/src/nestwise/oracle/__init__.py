"""`nestwise oracle`: what was predicted and chosen, beside what every candidate takes.

programs.py    the scripts and their sizes
serve.py       a process of one candidate
turns.py       what it does: it runs a script's main() again and again
measure.py     all candidates in turn, at sizes found on the way
score.py       slowdown against the best, prediction errors, other strategies
page.py        the report as one HTML file
command.py     the command line, progress, what was kept of a run that was broken off
"""
