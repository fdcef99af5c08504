"""Reads the two historic drafts of Zarr v3 by their texts: `read(store, path)` gives an array's elements and its attributes.

Knows what the texts say, and nothing of any implementation; numcodecs undoes blosc and lz4. The counterpart of
tests/fixtures/make/draft_text.py, which writes.
"""

import base64
import gzip
import itertools
import json
import struct
import zlib

import numpy as np

SPEC = "https://purl.org/zarr/spec/"
EMPTY = 2**64 - 1


class Hierarchy:
    def __init__(self, store):
        self.store = store
        entry = json.loads((store / "zarr.json").read_text(encoding="utf-8"))
        self.is_2022 = entry["zarr_format"] == SPEC + "core/3.0"
        assert self.is_2022 or entry["zarr_format"] == SPEC + "protocol/core/3.0", entry["zarr_format"]
        encoding = entry["metadata_encoding"] if self.is_2022 else entry
        self.suffix = encoding["metadata_key_suffix"]
        assert entry["extensions"] == [], entry["extensions"]

    def array(self, path):
        top = "meta" if self.is_2022 else "meta/root"
        return json.loads((self.store / f"{top}/{path}.array{self.suffix}").read_text(encoding="utf-8"))

    def data(self, path):
        return f"{'data' if self.is_2022 else 'data/root'}/{path}/"


def letters(name):
    """A type's letters, from a name or letters: one-byte types have no byte order."""
    if name.startswith("r") and name[1:].isdigit():
        return f"|V{int(name[1:]) // 8}"
    return np.dtype(name).newbyteorder("<") if name[0] not in "<>|" else np.dtype(name)


def dtype_of(data_type):
    if isinstance(data_type, str):
        return np.dtype(letters(data_type))
    assert data_type["extension"].startswith(SPEC), data_type
    kind = data_type["type"]
    if isinstance(kind, list):
        return np.dtype([(name, letters(of)) for name, of in kind])
    return np.dtype(kind)


def fill_of(value, dtype):
    special = {"NaN": np.nan, "Infinity": np.inf, "+Infinity": np.inf, "-Infinity": -np.inf}
    if dtype.kind == "V" or dtype.kind == "S":
        if isinstance(value, str) and value.startswith("0x"):
            return np.frombuffer(bytes.fromhex(value[2:]), dtype)[0]
        raw = base64.b64decode(value or "")
        return np.frombuffer(raw.ljust(dtype.itemsize, b"\0"), dtype)[0]
    if dtype.kind == "c":
        return complex(*(special.get(part, part) for part in value))
    if dtype.kind in "mM":
        return np.array(value, "i8").view(dtype.newbyteorder("="))[()]
    return special.get(value, value) if dtype.kind == "f" else value


def name_of(uri):
    assert uri.startswith(SPEC), uri
    return uri.removeprefix(SPEC).split("/")[1]


def uncompressed(name, data):
    if name == "gzip":
        return gzip.decompress(data)
    if name == "zlib":
        return zlib.decompress(data)
    import numcodecs

    return bytes({"blosc": numcodecs.Blosc, "lz4": numcodecs.LZ4, "zstd": numcodecs.Zstd}[name]().decode(data))


class Shards:
    """The sharding storage transformer, "indexed": a store of chunks over a store of shards."""

    def __init__(self, below, per_shard):
        self.below, self.per_shard = below, per_shard

    def get(self, index):
        shard = self.below(tuple(at // count for at, count in zip(index, self.per_shard)))
        if shard is None:
            return None
        count = int(np.prod(self.per_shard, dtype=int))
        entries = struct.unpack(f"<{2 * count}Q", shard[len(shard) - 16 * count :])
        within = tuple(at % count for at, count in zip(index, self.per_shard))
        linear = int(np.ravel_multi_index(within, self.per_shard)) if within else 0
        offset, length = entries[2 * linear : 2 * linear + 2]
        return None if (offset, length) == (EMPTY, EMPTY) else shard[offset : offset + length]


def stored_chunks(hierarchy, path, document):
    separator = document["chunk_grid"].get("separator", "/")

    def get(index):
        file = hierarchy.store / (hierarchy.data(path) + "c" + separator.join(map(str, index)))
        return file.read_bytes() if file.is_file() else None

    # From the store towards the array: the first of the list is the nearest to the array.
    for transformer in reversed(document.get("storage_transformers", [])):
        assert transformer["extension"] == SPEC + "extensions/storage-transformers/sharding/1.0", transformer
        assert transformer["type"] == "indexed"
        get = Shards(get, transformer["configuration"]["chunks_per_shard"]).get
    return get


def chain(hierarchy, document):
    if hierarchy.is_2022:
        return [(name_of(codec["type"]), codec.get("configuration", {})) for codec in document.get("codecs", [])]
    compressor = document.get("compressor")
    return [(name_of(compressor["codec"]), {})] if compressor else []


def decoded(data, codecs, dtype, shape, layout):
    for name, configuration in reversed(codecs):
        if name == "endian":
            dtype = dtype.newbyteorder({"big": ">", "little": "<"}[configuration["endian"]])
        else:
            data = uncompressed(name, data)
    elements = np.frombuffer(data, dtype)
    return elements.reshape(shape[::-1]).transpose() if layout == "F" else elements.reshape(shape)


def read(store, path):
    hierarchy = Hierarchy(store)
    document = hierarchy.array(path)
    dtype = dtype_of(document["data_type"])
    shape, chunk_shape = document["shape"], document["chunk_grid"]["chunk_shape"]
    out = np.full(shape, fill_of(document["fill_value"], dtype), dtype.newbyteorder("="))
    codecs, get = chain(hierarchy, document), stored_chunks(hierarchy, path, document)
    grid = [-(-extent // chunk) if extent else 0 for extent, chunk in zip(shape, chunk_shape)]
    for index in itertools.product(*map(range, grid)):
        data = get(index)
        if data is None:
            continue
        chunk = decoded(data, codecs, dtype, chunk_shape, document["chunk_memory_layout"])
        window = tuple(slice(at * extent, (at + 1) * extent) for at, extent in zip(index, chunk_shape))
        out[window] = chunk[tuple(slice(0, extent) for extent in out[window].shape)]
    return out, document["attributes"]
