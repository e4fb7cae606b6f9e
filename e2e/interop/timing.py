"""Measures times for the speed scripts."""

import time

SECONDS = 0.3  # of each measurement


def least(run):
    """Calls run again and again. Returns the shortest time, in seconds."""
    best, end = float("inf"), time.perf_counter() + SECONDS
    while (began := time.perf_counter()) < end:
        run()
        best = min(best, time.perf_counter() - began)
    return best
