"""Writes the arrays of the benchmark to the folder that is named, with zarr-python 3 (pinned in tests/fixtures/make).

An image of 12 bits with structure and the noise of counting (uint16, as a volume and as a pyramid), cells as numbers (uint32, long
runs), and a field over time (float32, seven significant bits and more than that of noise). The same in every run.
"""

import json
import shutil
import sys
from pathlib import Path

import numcodecs
import numpy as np
import zarr
from zarr.codecs import BloscCodec, GzipCodec, ZstdCodec
from zarr.codecs.numcodecs import LZ4

ROOT = Path(sys.argv[1])
RANDOM = np.random.default_rng(1)
NODES = 100_000

zarr.config.set({"async.concurrency": 2, "threading.max_workers": 1})


def blosc(cname, shuffle="shuffle"):
    return BloscCodec(cname=cname, clevel=5, shuffle=shuffle)


CODECS = {
    "raw": None,
    "blosc-lz4": blosc("lz4"),
    "blosc-lz4-bitshuffle": blosc("lz4", "bitshuffle"),
    "blosc-zstd": blosc("zstd"),
    "zstd": ZstdCodec(level=3),
    "lz4": LZ4(acceleration=1),
    "gzip": GzipCodec(level=5),
}


def write(name, data, compressor, **layout):
    zarr.create_array(ROOT / name, data=data, compressors=compressor, zarr_format=3, fill_value=0, **layout)


def picture(depth, side):
    """Blobs on a slope, as a camera of 12 bits counts them."""
    y, x = np.mgrid[:side, :side].astype("f4")
    slope = 200 + x * (800 / side)
    blobs = RANDOM.random((side // 8, 5), dtype="f4")
    volume = np.empty((depth, side, side), "u2")
    for z in range(depth):
        light = slope.copy()
        for cy, cx, radius, height, bz in blobs:
            reach = 8 + 24 * radius
            faded = height * 1500 * np.exp(-(((z / depth - bz) * 4) ** 2))
            ys, xs = (slice(max(0, int(c * side - 3 * reach)), int(c * side + 3 * reach)) for c in (cy, cx))
            distance = (y[ys, xs] - cy * side) ** 2 + (x[ys, xs] - cx * side) ** 2
            light[ys, xs] += faded * np.exp(-distance / reach**2)
        volume[z] = np.clip(RANDOM.poisson(light / 4) * 4, 0, 4095)
    return volume


def cells(depth, side):
    """Discs of one number, wider and narrower with depth, on nothing."""
    volume = np.zeros((depth, side, side), "u4")
    y, x = np.mgrid[:side, :side]
    for number, (cy, cx) in enumerate(RANDOM.integers(0, side, (side // 2, 2)), 1):
        radius, phase = RANDOM.integers(6, 20), RANDOM.random() * 6
        for z in range(depth):
            reach = radius * (1 + 0.3 * np.sin(z / 3 + phase))
            ys, xs = (slice(max(0, int(c - reach)), int(c + reach) + 1) for c in (cy, cx))
            inside = (y[ys, xs] - cy) ** 2 + (x[ys, xs] - cx) ** 2 < reach**2
            volume[z, ys, xs][inside] = number
    return volume


def field(steps, side):
    """Waves that travel, and noise."""
    t = np.arange(steps, dtype="f4")[:, None, None]
    y, x = np.mgrid[:side, :side].astype("f4") / side
    waves = 280 + 15 * np.sin(t / 20 + 6 * y) * np.cos(5 * x - t / 30)
    return (waves + RANDOM.normal(0, 0.05, waves.shape)).astype("f4").round(2)


def write_volumes():
    volume = picture(64, 512)
    for codec, compressor in CODECS.items():
        write(f"volume-{codec}", volume, compressor, chunks=(16, 256, 256))
    write("volume-shards", volume, CODECS["zstd"], chunks=(32, 32, 32), shards=(64, 256, 256))
    labels = cells(16, 512)
    for codec in ("blosc-lz4", "zstd"):
        write(f"labels-{codec}", labels, CODECS[codec], chunks=(16, 256, 256))
    cube = field(512, 128)
    write("cube-blosc-zstd", cube, CODECS["blosc-zstd"], chunks=(128, 64, 64))
    write("cube-shards", cube, CODECS["blosc-zstd"], chunks=(16, 32, 32), shards=(128, 128, 128))


def write_pyramid():
    level = picture(1, 4096)[0]
    write("image-shards", level, CODECS["zstd"], chunks=(128, 128), shards=(2048, 2048))
    write("chunks", level[:1600, :1600], CODECS["blosc-lz4"], chunks=(16, 16))
    root = zarr.create_group(ROOT / "pyramid", zarr_format=3)
    for number in range(5):
        root.create_array(str(number), data=level, chunks=(256, 256), compressors=CODECS["blosc-lz4"], fill_value=0)
        level = level.reshape(level.shape[0] // 2, 2, -1, 2).mean(axis=(1, 3)).astype("u2")
    zarr.consolidate_metadata(root.store)


def write_first_tile():
    """A tile's first read: the same image in the three common layouts."""
    image = picture(1, 2048)[0]
    root = zarr.create_group(ROOT / "first-tile", zarr_format=3)
    for name, layout in {"v3-blosc": {}, "v3-shards": {"shards": (1024, 1024)}}.items():
        root.create_array(name, data=image, chunks=(256, 256), compressors=CODECS["blosc-lz4"], fill_value=0, **layout)
    compressor = numcodecs.Blosc("lz4", 5, numcodecs.Blosc.SHUFFLE)
    zarr.create_array(
        ROOT / "first-tile/v2-blosc", data=image, chunks=(256, 256), compressors=compressor, zarr_format=2, fill_value=0
    )


def write_series():
    """Thirty days of hours: a point's series lies in 30 chunks."""
    write("series", field(720, 128), CODECS["blosc-zstd"], chunks=(24, 64, 64))


def write_tile():
    """One shard of 64 MiB. tiled.mjs makes arrays of any length of it."""
    write("tile", field(256, 256), CODECS["blosc-zstd"], chunks=(64, 64, 64), shards=(256, 256, 256))


def write_nodes():
    """One array as zarr-python consolidates it, a hundred thousand times: only the names differ."""
    root = zarr.create_group(ROOT / "nodes", zarr_format=3)
    attributes = {"units": "K", "standard_name": "air_temperature", "valid_range": [150.0, 350.0]}
    root.create_array("first", shape=(64, 64), chunks=(32, 32), dtype="f4", attributes=attributes)
    zarr.consolidate_metadata(root.store)
    file = ROOT / "nodes" / "zarr.json"
    document = json.loads(file.read_text())
    entries = document["consolidated_metadata"]["metadata"]
    entries |= {f"array_{number:06}": entries["first"] for number in range(NODES - 1)}
    file.write_text(json.dumps(document))


shutil.rmtree(ROOT, ignore_errors=True)
ROOT.mkdir(parents=True)
write_volumes()
write_pyramid()
write_nodes()
write_series()
write_first_tile()
write_tile()
