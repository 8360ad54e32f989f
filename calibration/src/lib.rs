//! Measures this machine and fits its profile.
