"""numcodecs for Python as a floor: decodes what each line of input names, answers with the milliseconds that decoding alone took.

A line: {"folder", "codec": {"name", "configuration"} or null, "pieces": [{"key", "offset", "length"}]}.
"""

import json
import sys
import time
from functools import cache
from pathlib import Path

import numcodecs
import numpy as np

numcodecs.blosc.set_nthreads(1)
numcodecs.blosc.use_threads = False

CLASSES = {"blosc": numcodecs.Blosc, "gzip": numcodecs.GZip, "numcodecs.lz4": numcodecs.LZ4, "zstd": numcodecs.Zstd}


def decoder(codec):
    """Raw chunks are copied. Every option but the name is the encoder's business."""
    return CLASSES[codec["name"]]().decode if codec else lambda piece: np.frombuffer(piece, "u1").copy()


@cache
def content(path):
    return path.read_bytes()


def pieces_of(request):
    folder = Path(request["folder"])
    for piece in request["pieces"]:
        offset = piece["offset"]
        yield content(folder / piece["key"].lstrip("/"))[offset : offset + piece["length"]]


for line in sys.stdin:
    request = json.loads(line)
    decode, pieces = decoder(request["codec"]), list(pieces_of(request))
    started = time.perf_counter()
    for piece in pieces:
        decode(piece)
    print((time.perf_counter() - started) * 1e3, flush=True)
