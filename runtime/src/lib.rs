//! One call of a loop nest from end to end: bind, guard, decide, cache, launch.
