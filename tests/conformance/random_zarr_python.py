"""zarr-python writes arrays chosen by chance, for us to read: `python random_zarr_python.py <folder> <seed> <arrays>`.

Runs with 3.x, which writes both formats, and with 2.18. The layout is that of ../fixtures: expected.json is what zarr-python itself
reads back. What is chosen stays within what it reads back right: see ../fixtures/KNOWN-WRITER-BUGS.md.
"""

import random
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "fixtures" / "make"))

import fixture  # noqa: E402
import numcodecs  # noqa: E402
import numpy as np  # noqa: E402
import zarr  # noqa: E402
from fixture import CORE_TYPES, Case, smooth, values  # noqa: E402

warnings.filterwarnings("ignore")
IS_3 = zarr.__version__.startswith("3.")
ARRAYS_A_CASE = 10


def chosen_shape(chance):
    rank = chance.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])
    return tuple(0 if chance.random() < 0.03 else chance.randint(1, 9 if rank > 1 else 60) for _ in range(rank))


def chosen_chunks(chance, shape):
    return tuple(chance.randint(1, max(1, length + 2)) for length in shape)


def chosen_values(chance, dtype, shape):
    if np.dtype(dtype).kind in "biu" and chance.random() < 0.5 and np.dtype(dtype).kind != "b":
        return smooth(dtype, shape, seed=chance.randint(1, 999))
    return values(dtype, shape, seed=chance.randint(1, 999))


def chosen_fill(chance, dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return chance.random() < 0.5
    if kind in "iu":
        ends = np.iinfo(dtype)
        return chance.choice([0, 1, int(ends.max), int(ends.min)])
    if kind == "f":
        return chance.choice([0.0, 1.5, float("nan"), float("-inf")])
    return chance.choice([0, 1])


def chosen_write(chance, array, data):
    """All of it, some boxes of it, or nothing; then perhaps another length."""
    how = chance.random()
    if how < 0.5 or array.ndim == 0:
        array[...] = data
    elif how < 0.9:
        for _ in range(chance.randint(1, 3)):
            box = tuple(slice(*sorted((chance.randint(0, length), chance.randint(0, length)))) for length in array.shape)
            array[box] = data[box]
    if chance.random() < 0.1 and array.ndim:
        array.resize(tuple(max(1, length + chance.randint(-2, 2)) for length in array.shape))


def v2_codecs(chance, dtype):
    compressor = chance.choice([
        None, numcodecs.Zlib(1), numcodecs.GZip(5), numcodecs.BZ2(1), numcodecs.LZMA(preset=1), numcodecs.LZ4(), numcodecs.Zstd(3),
        numcodecs.Blosc(chance.choice(["lz4", "zstd", "blosclz", "zlib", "lz4hc"]), 5, chance.choice([0, 1, 2])),
    ])  # fmt: skip
    filters = chance.choice([None, None, [numcodecs.Shuffle(np.dtype(dtype).itemsize)], [numcodecs.Adler32()]])
    if np.dtype(dtype).kind in "iu" and chance.random() < 0.3:
        filters = [numcodecs.Delta(dtype)]
    return compressor, filters


def put_v2(chance, made, name):
    dtype = np.dtype(chance.choice([*CORE_TYPES, "complex64", "complex128"])).newbyteorder(chance.choice("<>")).str
    shape = chosen_shape(chance)
    compressor, filters = v2_codecs(chance, dtype)
    options = {"shape": shape, "chunks": chosen_chunks(chance, shape), "dtype": dtype, "fill_value": chosen_fill(chance, dtype)}
    options["order"] = chance.choice("CF")
    separator = chance.choice("./")
    if IS_3:
        keys = {"name": "v2", "separator": separator}
        array = zarr.create_array(
            made.store, name=name, zarr_format=2, compressors=compressor, filters=filters, chunk_key_encoding=keys, **options
        )
    else:
        # zarr-python 2 refuses chunks longer than nothing at all, and filters of an array without dimensions.
        array = zarr.create(
            store=str(made.store), path=name, compressor=compressor, filters=filters, dimension_separator=separator, **options
        )
    chosen_write(chance, array, chosen_values(chance, np.dtype(dtype).newbyteorder("="), shape))


def v3_compressors(chance):
    from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, ZstdCodec

    blosc = BloscCodec(cname=chance.choice(["lz4", "zstd", "blosclz", "zlib"]), shuffle=chance.choice(["shuffle", "bitshuffle", "noshuffle"]))
    return chance.choice([None, GzipCodec(level=5), ZstdCodec(level=3), ZstdCodec(level=0, checksum=True), blosc, [ZstdCodec(), Crc32cCodec()]])


def put_v3(chance, made, name):
    from zarr.codecs import BytesCodec, Crc32cCodec, ShardingCodec, TransposeCodec

    dtype = chance.choice([*CORE_TYPES, "complex64", "complex128", "datetime64[s]"])
    shape = chosen_shape(chance)
    chunks = chosen_chunks(chance, shape)
    options = {"shape": shape, "dtype": dtype, "compressors": v3_compressors(chance), "fill_value": chosen_fill(chance, dtype)}
    options["chunk_key_encoding"] = {"name": chance.choice(["default", "v2"]), "separator": chance.choice("./")}
    options["serializer"] = BytesCodec(endian=chance.choice(["little", "big"]))
    if shape and chance.random() < 0.25:
        options["filters"] = [TransposeCodec(order=tuple(chance.sample(range(len(shape)), len(shape))))]
    if shape and chance.random() < 0.4:
        factors = [chance.randint(1, 3) for _ in shape]
        inner = options.pop("serializer"), *([] if options["compressors"] is None else np.atleast_1d(options["compressors"]).tolist())
        within = (*options.pop("filters", []), *inner)
        index = (BytesCodec(), Crc32cCodec()) if chance.random() < 0.7 else (BytesCodec(),)
        order = chance.choice(["morton", "lexicographic", "unordered"])
        options["serializer"] = ShardingCodec(
            chunk_shape=chunks, codecs=within, index_codecs=index, index_location=chance.choice(["start", "end"]),
            subchunk_write_order=order,
        )  # fmt: skip
        options["compressors"] = None
        chunks = tuple(length * factor for length, factor in zip(chunks, factors))
    array = zarr.create_array(made.store, name=name, zarr_format=3, chunks=chunks, **options)
    chosen_write(chance, array, chosen_values(chance, "int64", shape).astype(dtype) if "time" in dtype else chosen_values(chance, dtype, shape))


def main():
    fixture.ROOT = Path(sys.argv[1])
    seed, arrays = int(sys.argv[2]), int(sys.argv[3])
    if IS_3:
        from zarr_python_3_store import new_group, record
    else:
        from zarr_python_2_store import new_group, record
    for number in range(0, arrays, ARRAYS_A_CASE):
        chance = random.Random(f"{seed} {number}")
        v3 = IS_3 and chance.random() < 0.7
        made = Case(f"random-zarr-python-{3 if IS_3 else 2}", f"seed-{seed}-{number:04}")
        new_group(made, zarr_format=3 if v3 else 2) if IS_3 else new_group(made)
        for index in range(ARRAYS_A_CASE):
            (put_v3 if v3 else put_v2)(chance, made, f"a{index}")
        record(made)
        made.write()
    print(f"{arrays} arrays by zarr-python {zarr.__version__}")


main()
