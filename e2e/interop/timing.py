"""Measures what the speed scripts compare."""

import time

SECONDS = 0.3  # of each measurement


def least(run):
    """Calls run again and again, and returns the least seconds that it took."""
    best, end = float("inf"), time.perf_counter() + SECONDS
    while (began := time.perf_counter()) < end:
        run()
        best = min(best, time.perf_counter() - began)
    return best
