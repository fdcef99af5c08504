"""NumPy's mean over time of float32 in memory, in float64 as ours: prints its processor time in ms, without looking for NaN, and skipping it.

    python mean.py <steps> <side>

One thread. The data are chunks of 64 steps of 16 MiB, as ours, whose sums are added.
"""

import sys
import time

import numpy as np

steps, side = map(int, sys.argv[1:])
chunk = (280 + np.arange(64 * 256 * 256, dtype="f4") % 97).reshape(64, 256, 256)


def timed(add):
    started = time.process_time()
    for _ in range(steps // 64 * (side // 256) ** 2):
        add()
    return (time.process_time() - started) * 1e3


total = np.zeros((256, 256))
count = np.zeros((256, 256), "i8")


def plain():
    global total
    total += chunk.sum(axis=0, dtype="f8")


def without_nan():
    global total, count
    total += np.nansum(chunk, axis=0, dtype="f8")
    count += (~np.isnan(chunk)).sum(axis=0)


plain()
print(timed(plain), timed(without_nan))
