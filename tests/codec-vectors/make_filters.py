"""Makes the vectors of filters, checksums and rarer compressors; `make.py` makes those of the common compressors. See README.md.
"""

import base64
import json
import lzma
import struct
from pathlib import Path

import numcodecs
import numpy as np
import zarr
import zfpy
from zarr.codecs import BytesCodec, CastValue, ScaleOffset

HERE = Path(__file__).parent
NUMCODECS = f"numcodecs {numcodecs.__version__}"

NAMES = {
    "|b1": "bool", "|i1": "int8", "<i2": "int16", "<i4": "int32", "<i8": "int64", "|u1": "uint8", "<u2": "uint16",
    "<u4": "uint32", "<u8": "uint64", "<f2": "float16", "<f4": "float32", "<f8": "float64",
}


def noise(count, seed):
    """Bytes of a fixed linear congruence: the same everywhere, and incompressible."""
    state, out = seed, bytearray()
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(state >> 56)
    return bytes(out)


WALK = np.cumsum(np.frombuffer(noise(60, 11), "u1").astype("i8") % 7 - 3)
WAVES = np.sin(np.arange(48) / 7.0)
BOOLS = np.frombuffer(noise(43, 12), "u1") > 100
NOISE = np.frombuffer(noise(96, 13), "u1")

FIXED = {"name": "fixed_length_utf32", "configuration": {"length_bytes": 32}}

VECTORS = {}


def text(content):
    return base64.b64encode(content).decode()


def add(codec, name, decoded, encoded, writer=NUMCODECS, zarr_format=2, original=None):
    """`original` is what was encoded, where the codec is lossy."""
    little = decoded.astype(decoded.dtype.newbyteorder("<"))
    elements = {"data_type": NAMES[little.dtype.str], "shape": list(decoded.shape), "input_base64": text(little.tobytes())}
    if original is not None and original.tobytes() != decoded.tobytes():
        elements["original_base64"] = text(original.astype(little.dtype).tobytes())
    add_elements(codec, name, elements, encoded, writer, zarr_format)


def add_elements(codec, name, elements, encoded, writer=NUMCODECS, zarr_format=2):
    folder = codec["id"] if zarr_format == 2 else codec["name"]
    encoded = encoded.tobytes() if isinstance(encoded, np.ndarray) else bytes(encoded)
    vector = {"name": name, "zarr_format": zarr_format, "codec": codec, "writer": writer}
    vector |= elements | {"encoded_base64": text(encoded)}
    listed = VECTORS.setdefault(folder, {})
    assert name not in listed, name
    listed[name] = vector


def by_numcodecs(name, codec, decoded, **extra):
    """What numcodecs makes of `decoded`, and what it then reads."""
    codec = numcodecs.get_codec(codec) if isinstance(codec, dict) else codec
    encoded = codec.encode(decoded)
    kept = codec.decode(encoded)
    kept = np.frombuffer(kept, "u1") if isinstance(kept, bytes) else np.ascontiguousarray(kept)
    kept = kept.view(decoded.dtype).reshape(decoded.shape)
    add(codec.get_config() | extra, name, kept, encoded, original=decoded)


def delta():
    for dtype in ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]:
        by_numcodecs(dtype, numcodecs.Delta(f"<{dtype}"), (WALK * 5).astype(f"<{dtype}"))
    by_numcodecs("i4-as-i1", numcodecs.Delta("<i4", "i1"), WALK.astype("<i4"))
    by_numcodecs("i2-as-i4", numcodecs.Delta("<i2", "<i4"), (WALK * 3000).astype("<i2"))
    by_numcodecs("f8-as-i2", numcodecs.Delta("<f8", "<i2"), WALK.astype("<f8"))
    by_numcodecs("u2-as-f4", numcodecs.Delta("<u2", "<f4"), np.arange(0, 300, 3).astype("<u2"))
    for dtype in ["f2", "f4", "f8"]:
        by_numcodecs(dtype, numcodecs.Delta(f"<{dtype}"), WAVES.astype(f"<{dtype}"))
    by_numcodecs("f8-as-f4", numcodecs.Delta("<f8", "<f4"), WAVES.astype("<f8"))
    # NumPy looks at the chunk as the filter's own type.
    add({"id": "delta", "dtype": "<u2"}, "i4-seen-as-u2", WALK.astype("<i4"), numcodecs.Delta("<u2").encode(WALK.astype("<i4")))
    add({"id": "delta", "dtype": "<i8"}, "f8-seen-as-i8", WAVES.astype("<f8"), numcodecs.Delta("<i8").encode(WAVES.astype("<f8")))
    grid = WALK.astype("<i2").reshape(6, 10)
    config = {"dtype": "int16", "astype": "int8"}
    encoded = numcodecs.Delta(**config).encode(grid)
    add({"name": "numcodecs.delta", "configuration": config}, "v3", grid, encoded, zarr_format=3)


def fixedscaleoffset():
    make = numcodecs.FixedScaleOffset
    warm = 273.15 + WAVES * 20
    by_numcodecs("f8-as-u1", make(offset=250, scale=4, dtype="<f8", astype="u1"), warm)
    by_numcodecs("f8-as-i2", make(offset=273.15, scale=100.5, dtype="<f8", astype="<i2"), warm)
    by_numcodecs("f4-as-i2", make(offset=273.15, scale=100, dtype="<f4", astype="<i2"), warm.astype("<f4"))
    by_numcodecs("f4-as-f4", make(offset=273.15, scale=1000, dtype="<f4"), warm.astype("<f4"))
    by_numcodecs("f2-as-f2", make(offset=0.5, scale=30, dtype="<f2"), WAVES.astype("<f2"))
    by_numcodecs("f4-as-f2", make(offset=0.1, scale=10, dtype="<f4", astype="<f2"), WAVES.astype("<f4"))
    by_numcodecs("i4-as-u1", make(offset=-100, scale=1, dtype="<i4", astype="u1"), WALK.astype("<i4"))
    by_numcodecs("u2-as-i1", make(offset=1000, scale=1, dtype="<u2", astype="i1"), (WALK + 1000).astype("<u2"))
    by_numcodecs("i8-as-i4", make(offset=0.5, scale=2.0, dtype="<i8", astype="<i4"), WALK)


def quantize():
    for dtype in ["f2", "f4", "f8"]:
        for digits in [0, 2, 3]:
            by_numcodecs(f"{dtype}-{digits}", numcodecs.Quantize(digits, f"<{dtype}"), WAVES.astype(f"<{dtype}"))
    by_numcodecs("f8-as-f4", numcodecs.Quantize(3, "<f8", "<f4"), WAVES * 30)
    by_numcodecs("tens", numcodecs.Quantize(-1, "<f8"), WAVES * 1000)


def astype():
    for decoded, encoded in [("i8", "i4"), ("i4", "i2"), ("u1", "i1"), ("i2", "u2"), ("f8", "f4"), ("f4", "f2"), ("f8", "i2")]:
        name = f"{decoded}-as-{encoded}"
        by_numcodecs(name, numcodecs.AsType(f"<{encoded}", f"<{decoded}"), (WALK * 3).astype(f"<{decoded}"))
    by_numcodecs("b1-as-u1", numcodecs.AsType("|u1", "|b1"), BOOLS)
    add(numcodecs.AsType("<i4", "<i2").get_config(), "i2-from-wide-i4", (WALK * 900).astype("<i2"), (WALK * 900).astype("<i4"))


def by_zarr(name, codec, decoded):
    """What zarr-python makes of `decoded`, whole, as one chunk."""
    store = {}
    array = zarr.create_array(
        zarr.storage.MemoryStore(store), shape=decoded.shape, chunks=decoded.shape, dtype=decoded.dtype, filters=[codec],
        serializer=BytesCodec(endian="little"), compressors=None, fill_value=decoded.flat[0],
    )
    array[...] = decoded
    metadata = json.loads(store["zarr.json"].to_bytes())
    encoded = [value.to_bytes() for key, value in store.items() if key != "zarr.json"]
    # A chunk that is all fill value is not there.
    assert len(encoded) == 1, name
    codec = metadata["codecs"][0]
    add(codec, name, array[...], encoded[0], f"zarr-python {zarr.__version__}", 3, original=decoded)
    VECTORS[codec["name"]][name]["fill_value"] = metadata["fill_value"]


def scale_offset():
    for dtype in ["i1", "i2", "i8", "u1", "u4"]:
        decoded = np.arange(10, 30).astype(f"<{dtype}")
        by_zarr(dtype, ScaleOffset(offset=10, scale=3), decoded)
    by_zarr("u8", ScaleOffset(offset=2**63, scale=2), np.arange(50).astype("<u8") + 2**63)
    by_zarr("negative", ScaleOffset(offset=-7, scale=-2), np.arange(-20, 20).astype("<i2"))
    by_zarr("offset-alone", ScaleOffset(offset=1000), np.arange(1000, 1100).astype("<u2"))
    for dtype in ["f2", "f4", "f8"]:
        by_zarr(dtype, ScaleOffset(offset=0.1, scale=3.7), WAVES.astype(f"<{dtype}"))


def cast_value():
    walk = WALK % 100
    cases = [("i8", "i1", {}), ("i2", "u1", {}), ("u1", "i2", {}), ("i4", "f4", {}), ("f8", "i2", {}), ("f4", "u4", {}), ("u2", "f2", {}), ("f2", "f8", {})]
    for decoded, encoded, rules in cases:
        name = f"{decoded}-as-{encoded}"
        by_zarr(name, CastValue(data_type=NAMES[np.dtype(f"<{encoded}").str], **rules), walk.astype(f"<{decoded}"))
    holes = {"encode": [["NaN", 255], ["-Infinity", 254]], "decode": [[255, "NaN"], [254, "-Infinity"]]}
    gaps = np.where(walk % 7 == 3, np.nan, walk.astype("<f8"))
    gaps[5:9] = -np.inf
    by_zarr("holes", CastValue(data_type="uint8", scalar_map=holes), gaps)
    for rounding in ["nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"]:
        once = CastValue(data_type="float32", rounding=rounding)
        by_zarr(f"f8-as-f4-{rounding}", once, np.float32(WAVES).astype("<f8"))
    by_zarr("wrapped", CastValue(data_type="int8", out_of_range="wrap"), (WALK % 256 - 128).astype("<i4"))
    by_zarr("clamped", CastValue(data_type="uint8", out_of_range="clamp", rounding="nearest-away"), walk.astype("<f4"))


def bitround():
    for dtype, keepbits in [("f2", 3), ("f4", 9), ("f4", 0), ("f8", 23), ("f4", 23)]:
        by_numcodecs(f"{dtype}-{keepbits}", numcodecs.BitRound(keepbits), WAVES.astype(f"<{dtype}"))


def packbits():
    for count in [43, 40, 1, 8]:
        by_numcodecs(f"bools-{count}", numcodecs.PackBits(), BOOLS[:count])
    add(numcodecs.PackBits().get_config(), "bools-0", BOOLS[:0], b"\0")
    grid = BOOLS[:42].reshape(6, 7)
    codec = {"name": "numcodecs.packbits", "configuration": {}}
    add(codec, "v3", grid, numcodecs.PackBits().encode(grid), zarr_format=3)


def registered_packbits():
    """No Python library has it: the registered text's definition, word by word."""
    cases = [
        ("bools", BOOLS, {}), ("bools-first-byte", BOOLS, {"padding_encoding": "first_byte"}),
        ("bools-last-byte", BOOLS[:9], {"padding_encoding": "last_byte", "first_bit": None, "last_bit": None}),
        ("bools-no-padding", BOOLS[:16], {"padding_encoding": "first_byte"}),
        ("i1-bits-1-to-4", (WALK % 16 - 8).astype("i1") * 2, {"first_bit": 1, "last_bit": 4}),
        ("u2-bits-3-to-11", (WALK % 512 * 8).astype("<u2"), {"first_bit": 3, "last_bit": 11, "padding_encoding": "none"}),
        ("i4-to-bit-11", (WALK * 9).astype("<i4"), {"last_bit": 11}), ("i8-to-bit-60", WALK << 40, {"last_bit": 60}),
        ("u8-whole", np.abs(WALK).astype("<u8") << 50, {}), ("f4-from-bit-10", WALK.astype("<f4"), {"first_bit": 10}),
    ]
    for name, decoded, configuration in cases:
        bits = 1 if decoded.dtype == bool else 8 * decoded.itemsize
        first, last = configuration.get("first_bit") or 0, configuration.get("last_bit") or bits - 1
        width, sequence = last - first + 1, 0
        for index, pattern in enumerate(decoded.view(f"u{decoded.itemsize}").tolist()):
            sequence |= (pattern >> first) % 2**width << index * width
        length = -(-len(decoded) * width // 8)
        padding, packed = bytes([length * 8 - len(decoded) * width]), sequence.to_bytes(length, "little")
        encoding = configuration.get("padding_encoding", "none")
        encoded = {"none": packed, "first_byte": padding + packed, "last_byte": packed + padding}[encoding]
        add({"name": "packbits", "configuration": configuration}, name, decoded, encoded, "the text's definition", 3)
    nibbles = [-8, 7, -1, 0, 5]
    packed = bytes([0x78, 0x0F, 0x05])  # the first in the low half
    elements = {"data_type": "int4", "shape": [5], "input_base64": text(np.array(nibbles, "i1").tobytes())}
    add_elements({"name": "packbits"}, "int4", elements, packed, "the text's definition", 3)
    # Both parts of a complex number lose their low half.
    parts = np.array([1, -2, 0, 4], "<f4")
    elements = {"data_type": "complex64", "shape": [2], "input_base64": text(parts.tobytes())}
    codec = {"name": "packbits", "configuration": {"first_bit": 16}}
    packed = parts.view("<u4") >> 16
    add_elements(codec, "complex64", elements, packed.astype("<u2").tobytes(), "the text's definition", 3)


def shuffle():
    for size in [0, 1, 2, 3, 4, 8]:
        decoded = NOISE if size in (0, 1, 3) else NOISE.view(f"<u{size}")
        codec = numcodecs.Shuffle(size)
        # numcodecs 0.17 gives zeros for sizes below 2, where its text says that nothing is done.
        encoded = codec.encode(decoded) if size > 1 else decoded
        add(codec.get_config(), f"elements-of-{size}", decoded, encoded, NUMCODECS if size > 1 else "nobody: a copy")
    add({"id": "shuffle"}, "default", NOISE.view("<u4"), numcodecs.Shuffle().encode(NOISE))
    codec = {"name": "numcodecs.shuffle", "configuration": {}}
    add(codec, "v3-size-of-the-elements", NOISE.view("<u2"), numcodecs.Shuffle(2).encode(NOISE), zarr_format=3)


def checksums():
    for id in ["crc32", "adler32"]:
        for location in ["start", "end"]:
            codec = {"id": id, "location": location}
            add(codec, f"at-the-{location}", NOISE, numcodecs.get_codec(codec).encode(NOISE))
        add({"id": id}, "default-location", NOISE[:7], numcodecs.get_codec({"id": id}).encode(NOISE[:7]))
    long = np.frombuffer(noise(801, 14), "u1")
    for name, decoded in [("even", NOISE), ("odd", NOISE[:77]), ("long", long)]:
        add({"id": "fletcher32"}, name, decoded, numcodecs.Fletcher32().encode(decoded))
    for count in [1, 11, 12, 13, 24, 100]:
        add({"id": "jenkins_lookup3"}, f"{count}-bytes", NOISE[:count], numcodecs.JenkinsLookup3().encode(NOISE[:count]))
    encoded = numcodecs.JenkinsLookup3(initval=7).encode(NOISE)
    add({"id": "jenkins_lookup3", "initval": 7, "prefix": None}, "initval", NOISE, encoded)
    encoded = numcodecs.JenkinsLookup3(prefix=b"before").encode(NOISE)
    add({"id": "jenkins_lookup3", "initval": 0, "prefix": list(b"before")}, "prefix", NOISE, encoded)


def only_written(name, codec, decoded):
    """numcodecs itself hands the filters to a decoder that wants none."""
    add(codec.get_config(), name, decoded, codec.encode(decoded))


def compressors():
    smooth = (1000 + np.cumsum(np.frombuffer(noise(700, 15), "u1").astype("i4") % 3 - 1)).astype("<u2")
    for level in [1, 9]:
        by_numcodecs(f"level-{level}", numcodecs.BZ2(level), smooth)
    by_numcodecs("nothing", numcodecs.BZ2(1), smooth[:0])
    parts = [numcodecs.BZ2(1).encode(part) for part in [smooth[:300], smooth[300:]]]
    add({"id": "bz2", "level": 1}, "two-streams", smooth, b"".join(parts), f"{NUMCODECS}, joined")
    for check in [-1, 0, 1, 4, 10]:
        by_numcodecs(f"xz-check-{check}", numcodecs.LZMA(check=check, preset=1), smooth[:500])
    lzma1, lzma2, distance = {"id": lzma.FILTER_LZMA1, "preset": 6}, {"id": lzma.FILTER_LZMA2, "preset": 1}, {"id": lzma.FILTER_DELTA, "dist": 2}
    odd = {"id": lzma.FILTER_LZMA2, "dict_size": 4096, "lc": 1, "lp": 2, "pb": 0}
    only_written("xz-delta", numcodecs.LZMA(filters=[distance, lzma2]), smooth)
    only_written("xz-two-deltas", numcodecs.LZMA(filters=[distance, {"id": lzma.FILTER_DELTA}, lzma2]), smooth)
    by_numcodecs("alone", numcodecs.LZMA(format=2, preset=6), smooth)
    only_written("alone-filter", numcodecs.LZMA(format=2, filters=[lzma1]), smooth)
    by_numcodecs("raw-lzma1", numcodecs.LZMA(format=3, filters=[lzma1]), smooth)
    by_numcodecs("raw-lzma2", numcodecs.LZMA(format=3, filters=[lzma2]), smooth)
    by_numcodecs("raw-delta-odd", numcodecs.LZMA(format=3, filters=[distance, distance, odd]), smooth)
    by_numcodecs("raw-noise", numcodecs.LZMA(format=3, filters=[odd]), NOISE)
    parts = [numcodecs.LZMA(preset=0).encode(part) for part in [smooth[:200], smooth[200:500]]]
    add(numcodecs.LZMA(preset=0).get_config(), "xz-two-streams", smooth[:500], b"".join(parts), f"{NUMCODECS}, joined")
    for count in [1, 2, 96]:
        by_numcodecs(f"{count}-bytes", numcodecs.Base64(), NOISE[:count])


def numbers():
    for dtype in ["i2", "i4", "i8", "u2", "u4", "u8"]:
        by_numcodecs(dtype, numcodecs.PCodec(), np.abs(WALK).astype(f"<{dtype}") * (1 if "u" in dtype else -3))
    for dtype in ["f2", "f4", "f8"]:
        by_numcodecs(dtype, numcodecs.PCodec(level=4), np.round(WAVES, 2).astype(f"<{dtype}"))
    by_numcodecs("classic-order-2", numcodecs.PCodec(mode_spec="classic", delta_encoding_order=2), WALK)
    by_numcodecs("lookback", numcodecs.PCodec(delta_spec="try_lookback"), np.tile(WALK[:30], 20))
    by_numcodecs("pages", numcodecs.PCodec(equal_pages_up_to=100, delta_spec="none"), np.tile(WALK, 3).astype("<f4"))
    by_numcodecs("grid", numcodecs.PCodec(), WALK.astype("<i4").reshape(6, 10))
    shapes = {"line": [48], "plane": [6, 8], "box": [3, 4, 4], "four": [3, 2, 2, 4]}
    for name, shape in shapes.items():
        by_numcodecs(f"accuracy-{name}", numcodecs.ZFPY(mode=4, tolerance=0.01), WAVES.reshape(shape))
    plane = WAVES.reshape(6, 8)
    by_numcodecs("rate", numcodecs.ZFPY(mode=2, rate=20), np.tile(plane, (1, 2)).astype("<f4"))
    by_numcodecs("precision", numcodecs.ZFPY(mode=3, precision=30), plane.astype("<f4"))
    by_numcodecs("lossless", numcodecs.ZFPY(mode=4, tolerance=-1), plane)
    for dtype in ["i4", "i8"]:
        by_numcodecs(dtype, numcodecs.ZFPY(mode=4), (plane * 1000).astype(f"<{dtype}"))


def zfp():
    """As zfpy writes without its header; zfp's promotions of narrow integers by its own definition."""

    def write(name, decoded, promoted, configuration, **parameters):
        stored = zfpy.compress_numpy(promoted, write_header=False, **parameters)
        kept = decoded
        if promoted is decoded:
            kept = zfpy.decompress_numpy(zfpy.compress_numpy(promoted, write_header=True, **parameters))
        add({"name": "zfp", "configuration": configuration}, name, kept, stored, "zfpy 1.0.1", 3, original=decoded)

    plane = (WAVES * 100).reshape(6, 8)
    for dtype in ["f4", "f8", "i4", "i8"]:
        numbers = plane.astype(f"<{dtype}")
        write(f"reversible-{dtype}", numbers, numbers, {"mode": "reversible"})
    write("accuracy", plane, plane, {"mode": "fixed_accuracy", "tolerance": 0.01}, tolerance=0.01)
    write("precision", plane, plane, {"mode": "fixed_precision", "precision": 20}, precision=20)
    singles = plane.astype("<f4")
    write("rate", singles, singles, {"mode": "fixed_rate", "rate": 10.5}, rate=10.5)
    single = plane[0, 1:2].copy()
    write("single", single, single, {"mode": "reversible"})
    whole = np.round(plane)
    for bits, shift in [(8, 23), (16, 15)]:
        signed = whole.astype(f"<i{bits // 8}")
        unsigned = (whole + 100).astype(f"<u{bits // 8}")
        write(f"i{bits // 8}", signed, signed.astype("<i4") << shift, {"mode": "reversible"})
        promoted = (unsigned.astype("<i4") - 2 ** (bits - 1)) << shift
        write(f"u{bits // 8}", unsigned, promoted, {"mode": "reversible"})
    for dtype in ["4", "8"]:
        unsigned = (whole + 100).astype(f"<u{dtype}")
        write(f"u{dtype}", unsigned, unsigned.astype(f"<i{dtype}"), {"mode": "reversible"})


def conditional():
    """Nobody has it yet: the text's definition, over codecs of numcodecs."""
    shuffle = {"name": "numcodecs.shuffle", "configuration": {"elementsize": 2}}
    gzip = {"name": "gzip", "configuration": {"level": 5}}
    both = {"codecs": [shuffle, gzip]}
    decoded = np.arange(300).astype("<u2")
    shuffled = bytes(numcodecs.Shuffle(2).encode(decoded))
    shrunk = numcodecs.GZip(5).encode(shuffled)
    cases = [
        ("both", both, b"\x03" + shrunk), ("neither", both, b"\x00" + decoded.tobytes()),
        ("shuffle-alone", both, b"\x01" + shuffled),
        ("gzip-alone", both | {"header_bits": 24}, b"\x02\0\0" + numcodecs.GZip(5).encode(decoded)),
        ("no-codecs", {"codecs": []}, decoded.tobytes()),
    ]
    for name, configuration, encoded in cases:
        add({"name": "conditional", "configuration": configuration}, name, decoded, encoded, "the text's definition", 3)


def n5_default():
    """N5's own definition; Java's N5 cuts blocks off at the array's edge, TensorStore fills them up."""
    chunk = np.arange(24).astype("<i2").reshape(2, 3, 4)
    reverse = {"name": "transpose", "configuration": {"order": [2, 1, 0]}}
    big = {"name": "bytes", "configuration": {"endian": "big"}}
    gzip = {"name": "gzip", "configuration": {"level": 5}}
    cut, larger = np.zeros_like(chunk), np.pad(chunk, 1)[1:, 1:, 1:]
    cut[:1, :2] = chunk[:1, :2]
    for name, block, decoded, codecs in [
        ("whole", chunk, chunk, [reverse, big]), ("gzip", chunk, chunk, [reverse, big, gzip]),
        ("cut", chunk[:1, :2], cut, [reverse, big, gzip]), ("larger", larger, chunk, [reverse, big]),
    ]:
        header = struct.pack(f">HH{block.ndim}I", 0, block.ndim, *block.shape)
        content = block.astype(">i2").tobytes(order="F")
        encoded = header + (numcodecs.GZip(5).encode(content) if gzip in codecs else content)
        codec = {"name": "n5_default", "configuration": {"codecs": codecs}}
        add(codec, name, decoded, encoded, "N5's definition", 3)


def objects():
    words = ["", "zarr", "größer", "日本", "𝔘nicode", "a" * 70, "", "end"]
    chunk = np.array(words, dtype=object)
    elements = {"data_type": "string", "shape": [len(words)], "input_elements_base64": [text(word.encode()) for word in words]}
    encoded = numcodecs.VLenUTF8().encode(chunk)
    add_elements({"id": "vlen-utf8"}, "words", elements, encoded)
    add_elements({"name": "vlen-utf8"}, "words-v3", elements | {"shape": [2, 4]}, encoded, zarr_format=3)
    none = {"shape": [0, 3], "input_elements_base64": []}
    add_elements({"id": "vlen-utf8"}, "none", elements | none, numcodecs.VLenUTF8().encode(chunk[:0]))
    parts = [b"", b"\x00\xff", noise(50, 16), b"x"]
    chunk = np.array(parts, dtype=object)
    elements = {"data_type": "bytes", "shape": [4], "input_elements_base64": [text(part) for part in parts]}
    add_elements({"id": "vlen-bytes"}, "parts", elements, numcodecs.VLenBytes().encode(chunk))
    add_elements({"name": "vlen-bytes"}, "parts-v3", elements, numcodecs.VLenBytes().encode(chunk), zarr_format=3)
    for dtype in ["<i2", ">i4", "<f8", "|u1"]:
        arrays = [np.arange(count).astype(dtype) - (0 if "u" in dtype else 2) for count in [3, 0, 1, 7]]
        chunk = np.empty(4, dtype=object)
        chunk[:] = arrays
        packed = [text(array.astype(array.dtype.newbyteorder("<")).tobytes()) for array in arrays]
        name = NAMES[arrays[0].dtype.newbyteorder("<").str]
        elements = {"data_type": f"array of {name}", "shape": [4], "input_elements_base64": packed}
        codec = numcodecs.VLenArray(dtype)
        add_elements({"id": "vlen-array", "dtype": dtype}, name, elements, codec.encode(chunk))
    labels = ["female", "männlich", "", "𝔘"]
    texts = [*labels, "female", "", "𝔘"]
    for name, dtype, astype in [("strings", object, "u1"), ("wide", object, "<i4"), ("fixed", "<U8", "<u2")]:
        chunk = np.array(texts, dtype=dtype)
        codec = numcodecs.Categorize(labels, dtype, astype)
        if dtype is object:
            encoded = [text(value.encode()) for value in texts]
            elements = {"data_type": "string", "shape": [7], "input_elements_base64": encoded}
        else:
            elements = {"data_type": FIXED, "shape": [7], "input_base64": text(chunk.tobytes())}
        add_elements(codec.get_config(), name, elements, codec.encode(chunk))
    values = [None, True, 1, -(2**63), 2**64 - 1, 1.5, 1e300, "", "größer 𝔘", [1, [2, "x"]], {"a": {"b": []}}, float("nan"), [float("-inf")]]
    for name, shape in [("list", [13]), ("grid", [1, 13]), ("deep", [13, 1, 1])]:
        chunk = np.empty(len(values), dtype=object)
        chunk[:] = values
        chunk = chunk.reshape(shape)
        plain = [json.dumps(value, separators=(",", ":")) for value in values]
        elements = {"data_type": "json", "shape": shape, "input_elements_base64": [text(value.encode()) for value in plain]}
        add_elements(numcodecs.JSON().get_config(), name, elements, numcodecs.JSON().encode(chunk))
        # There is no text in MessagePack: ours is the shortest.
        plain = [json.dumps(value, separators=(",", ":"), ensure_ascii=False) for value in values]
        elements |= {"input_elements_base64": [text(value.encode()) for value in plain]}
        add_elements(numcodecs.MsgPack().get_config(), name, elements, numcodecs.MsgPack().encode(chunk))
    chunk = np.empty(3, dtype=object)
    chunk[:] = [0.1, "x" * 300, list(range(20)) + [-40, -200, -70000, 70000, 2**33, -(2**33)]]
    codec = numcodecs.MsgPack(use_single_float=True, use_bin_type=False)
    plain = [json.dumps(value, separators=(",", ":")) for value in [float(np.float32(0.1)), *chunk[1:]]]
    elements = {"data_type": "json", "shape": [3], "input_elements_base64": [text(value.encode()) for value in plain]}
    add_elements(codec.get_config(), "sizes", elements, codec.encode(chunk))
    single = np.empty((), dtype=object)
    single[()] = {"only": 1}
    elements = {"data_type": "json", "shape": [], "input_elements_base64": [text(b'{"only":1}')]}
    add_elements(numcodecs.JSON().get_config(), "no-dimensions", elements, numcodecs.JSON().encode(single))


def main():
    lossy = [delta, fixedscaleoffset, quantize, astype, scale_offset, cast_value, bitround]
    for make in [*lossy, packbits, registered_packbits, shuffle, checksums, compressors, numbers, zfp, conditional, n5_default, objects]:
        make()
    for codec, vectors in VECTORS.items():
        folder = HERE / codec
        folder.mkdir(exist_ok=True)
        lines = ",\n  ".join(json.dumps(vector) for vector in vectors.values())
        (folder / "vectors.json").write_text(f"[\n  {lines}\n]\n")


if __name__ == "__main__":
    main()
