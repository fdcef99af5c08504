"""TensorStore writes arrays chosen by chance, for us to read: `python random_tensorstore.py <folder> <seed> <arrays>`.

The layout is that of ../fixtures: expected.json is what TensorStore itself reads back.
"""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "fixtures" / "make"))

import fixture  # noqa: E402
import numpy as np  # noqa: E402
from fixture import CORE_TYPES, Case, smooth, values  # noqa: E402

import tensorstore_writer as writer  # noqa: E402

ARRAYS_A_CASE = 10


def chosen_box(chance, shape):
    if not shape or chance.random() < 0.5:
        return None
    return tuple(slice(*sorted((chance.randint(0, length), chance.randint(0, length)))) for length in shape)


def chosen_chain(chance, size):
    compressors = [
        [], [{"name": "crc32c"}], [writer.codec("gzip", level=5)], [writer.codec("zstd", level=3)],
        [writer.blosc(chance.choice(["lz4", "zstd", "blosclz", "zlib", "snappy"]), chance.choice(["shuffle", "bitshuffle"]), typesize=size)],
    ]  # fmt: skip
    return [chance.choice([writer.LITTLE, writer.BIG]), *chance.choice(compressors)]


def put_v3(chance, made, name):
    dtype = chance.choice([*CORE_TYPES, "complex64", "complex128"])
    shape = tuple(chance.randint(1, 12) for _ in range(chance.choice([0, 1, 2, 2, 3])))
    chunks = [chance.randint(1, length + 1) for length in shape]
    data = values(dtype, shape, seed=chance.randint(1, 999))
    order = chance.sample(range(len(shape)), len(shape))
    transpose = [writer.codec("transpose", order=order)] if shape and chance.random() < 0.3 else []
    chain = chosen_chain(chance, data.dtype.itemsize)
    metadata = {"written": chosen_box(chance, shape)}
    if shape and chance.random() < 0.5:
        inner, levels = chunks, chance.randint(1, 2)
        seen = [inner[axis] for axis in order] if transpose else inner
        for level in range(levels):
            index = [writer.LITTLE, writer.CRC32C] if chance.random() < 0.7 else [writer.LITTLE]
            chain = [writer.sharding(list(seen), chain, index, chance.choice(["start", "end"]))]
            factors = [chance.randint(1, 2) for _ in shape]
            chunks = [length * factor for length, factor in zip(chunks, factors)]
            seen = [chunks[axis] for axis in order] if transpose else chunks
        metadata["read_chunk"] = inner
    metadata["codecs"] = transpose + chain
    keys = {"separator": chance.choice("./")}
    metadata["chunk_key_encoding"] = {"name": chance.choice(["default", "v2"]), "configuration": keys}
    writer.put(made, name, data, chunks, **metadata, **({"fill_value": [0, 1]} if "complex" in dtype else {}))


def put_v2(chance, made, name):
    dtype = np.dtype(chance.choice([*CORE_TYPES, "complex64"])).newbyteorder(chance.choice("<>"))
    shape = tuple(chance.randint(1, 12) for _ in range(chance.choice([0, 1, 2, 2, 3])))
    chunks = [chance.randint(1, length + 1) for length in shape]
    data = smooth(dtype, shape) if dtype.kind in "iu" else values(dtype, shape, seed=chance.randint(1, 999))
    compressors = [
        None, {"id": "zlib", "level": 1}, {"id": "gzip", "level": 1}, {"id": "bz2", "level": 1}, {"id": "zstd", "level": 1},
        {"id": "blosc", "cname": chance.choice(["lz4", "zstd", "zlib", "blosclz"]), "clevel": 5, "shuffle": chance.choice([0, 1, 2])},
    ]  # fmt: skip
    options = {"compressor": chance.choice(compressors), "order": chance.choice("CF") if len(shape) > 1 else "C", "dimension_separator": chance.choice("./")}
    writer.put_v2(made, name, data, chunks, written=chosen_box(chance, shape), **options)


def main():
    fixture.ROOT = Path(sys.argv[1])
    seed, arrays = int(sys.argv[2]), int(sys.argv[3])
    for number in range(0, arrays, ARRAYS_A_CASE):
        chance = random.Random(f"{seed} {number}")
        made = Case("random-tensorstore", f"seed-{seed}-{number:04}")
        for index in range(ARRAYS_A_CASE):
            (put_v3 if chance.random() < 0.7 else put_v2)(chance, made, f"a{index}")
        made.write()
    print(f"{arrays} arrays by TensorStore")


main()
