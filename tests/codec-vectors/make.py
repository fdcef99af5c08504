"""Makes the codec vectors: inputs, encoded chunks and the list of each codec. See README.md."""

import gzip
import json
import struct
import tempfile
import zlib
from pathlib import Path

import numcodecs
import numpy as np
import tensorstore
import zstandard

HERE = Path(__file__).parent
NUMCODECS = f"numcodecs {numcodecs.__version__}"
TENSORSTORE = "tensorstore 0.1.86"
ZSTANDARD = f"python-zstandard {zstandard.__version__}"

BYTES = {"bool": 1, "uint8": 1, "uint16": 2, "uint32": 4, "float64": 8}


def noise(count, seed=1):
    """Bytes of a fixed linear congruence: the same everywhere, and incompressible."""
    state, out = seed, bytearray()
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(state >> 56)
    return bytes(out)


def make_inputs():
    steps = np.frombuffer(noise(3000), "u1").astype("i4") % 3 - 1
    smooth = (1000 + np.cumsum(steps)).astype("<u2")
    labels = np.repeat(np.frombuffer(noise(100, 2), "u1").astype("<u4"), 25)
    waves = np.round(np.sin(np.arange(750) / 40.0), 2).astype("<f8")
    rough = noise(500, 3)
    # A stretch of noise that comes again beyond BloscLZ's near distances.
    far = rough + bytes(np.frombuffer(noise(9500, 4), "u1") & 3) + rough
    return {
        "smooth-u2": ("uint16", smooth.tobytes()),
        "labels-u4": ("uint32", labels.tobytes()),
        "waves-f8": ("float64", waves.tobytes()),
        "zeros": ("uint8", bytes(5000)),
        "noise": ("uint8", noise(1200, 5)),
        "far": ("uint8", far),
        "short": ("uint8", b"short"),
        "odd": ("uint16", smooth.tobytes()[:1030]),  # 515 elements: not a multiple of eight
        "split": ("uint16", smooth.tobytes()[:256]),  # the shortest block of two bytes that Blosc splits
        "unsplit": ("uint16", smooth.tobytes()[:254]),
        "empty": ("uint8", b""),
    }


INPUTS = make_inputs()
VECTORS = {}


def add(codec, name, source, encoded, writer=NUMCODECS, zarr_format=2, repeat=1):
    folder = codec["id"] if zarr_format == 2 else codec["name"]
    data_type, decoded = INPUTS[source]
    vector = {
        "encoded": f"{name}.bin",
        "input": f"{source}.bin",
        "repeat": repeat,
        "data_type": data_type,
        "shape": [len(decoded) * repeat // BYTES[data_type]],
        "zarr_format": zarr_format,
        "codec": codec,
        "writer": writer,
    }
    listed = VECTORS.setdefault(folder, {})
    assert name not in listed, name
    listed[name] = (vector, bytes(encoded))


def without_time(member):
    """numcodecs writes the time into gzip members; no checksum covers it."""
    return member[:4] + bytes(4) + member[8:]


def by_numcodecs(codec, name, source, itemsize=1):
    decoded = INPUTS[source][1]
    elements = np.frombuffer(decoded, "u1")
    if itemsize > 1 and len(decoded) % itemsize == 0:
        elements = elements.view(f"V{itemsize}") if itemsize not in (2, 4, 8) else elements.view(f"u{itemsize}")
    encoded = bytes(codec.encode(elements))
    add(codec.get_config(), name, source, without_time(encoded) if codec.codec_id == "gzip" else encoded)


def blosc():
    """Every compressor and shuffle, with whole, split, short and uneven blocks, elements of common and odd sizes."""
    for cname in ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]:
        for shuffle, shuffle_name in enumerate(["plain", "bytes", "bits"]):
            cases = [("smooth-u2", 2, 0), ("labels-u4", 4, 2048), ("odd", 2, 0), ("waves-f8", 8, 4000)]
            for source, itemsize, blocksize in cases[shuffle == 0 and 1 : 4 if shuffle else 2]:
                codec = numcodecs.Blosc(cname=cname, clevel=5, shuffle=shuffle, blocksize=blocksize)
                by_numcodecs(codec, f"{cname}-{shuffle_name}-{source}", source, itemsize)
    for itemsize in [3, 5, 12, 16, 17, 255]:
        # Most leave bytes that do not fill an element.
        codec = numcodecs.Blosc(cname="lz4", clevel=5, shuffle=1, blocksize=2000, typesize=itemsize)
        by_numcodecs(codec, f"lz4-bytes-elements-of-{itemsize}", "labels-u4")
    for source in ["split", "unsplit"]:
        by_numcodecs(numcodecs.Blosc(cname="zlib", clevel=5, shuffle=1), f"zlib-bytes-{source}", source, 2)
    for cname in ["blosclz", "lz4", "zlib"]:
        # Blocks that are split have at least 64 KiB: two of them, and a shorter third that is not split.
        codec = numcodecs.Blosc(cname=cname, clevel=1, shuffle=1)
        elements = np.frombuffer(INPUTS["labels-u4"][1] * 15, "<u4")
        add(codec.get_config(), f"{cname}-bytes-three-blocks", "labels-u4", codec.encode(elements), repeat=15)
    by_numcodecs(numcodecs.Blosc(cname="blosclz", clevel=9, shuffle=0), "blosclz-far", "far")
    by_numcodecs(numcodecs.Blosc(cname="lz4", clevel=5, shuffle=1), "copied-noise", "noise")
    by_numcodecs(numcodecs.Blosc(cname="zstd", clevel=0, shuffle=1), "copied-level-0", "smooth-u2", 2)
    by_numcodecs(numcodecs.Blosc(cname="lz4", clevel=5, shuffle=2), "copied-short", "short")
    by_numcodecs(numcodecs.Blosc(cname="lz4", clevel=5, shuffle=1), "zeros", "zeros")
    by_numcodecs(numcodecs.Blosc(cname="lz4", clevel=5, shuffle=1), "empty", "empty")
    for shuffle, shuffle_name in enumerate(["plain", "bytes", "bits"]):
        for source, dtype in [("smooth-u2", "<u2"), ("labels-u4", "<u4")]:
            by_tensorstore(source, dtype, shuffle, f"snappy-{shuffle_name}-{source}")


def by_tensorstore(source, dtype, shuffle, name):
    """numcodecs has lost snappy; TensorStore still writes it."""
    codec = {"id": "blosc", "cname": "snappy", "clevel": 5, "shuffle": shuffle, "blocksize": 0}
    elements = np.frombuffer(INPUTS[source][1], dtype)
    shape = list(elements.shape)
    with tempfile.TemporaryDirectory() as folder:
        metadata = {"compressor": codec, "dtype": dtype, "shape": shape, "chunks": shape}
        kvstore = {"driver": "file", "path": folder}
        spec = {"driver": "zarr", "kvstore": kvstore, "metadata": metadata, "create": True}
        tensorstore.open(spec).result().write(elements).result()
        add(codec, name, source, (Path(folder) / "0").read_bytes(), TENSORSTORE)


def deflate():
    for source in ["smooth-u2", "zeros", "noise", "empty"]:
        by_numcodecs(numcodecs.Zlib(6), f"level-6-{source}", source)
        by_numcodecs(numcodecs.GZip(6), f"level-6-{source}", source)
    by_numcodecs(numcodecs.Zlib(0), "stored", "noise")
    by_numcodecs(numcodecs.GZip(9), "level-9", "labels-u4")
    codec = numcodecs.GZip(6).get_config()
    decoded = INPUTS["smooth-u2"][1]
    cut = [decoded[:2500], b"", decoded[2500:]]
    members = [gzip.compress(part, 6, mtime=0) for part in cut]
    add(codec, "three-members", "smooth-u2", b"".join(members), "Python's gzip, joined")
    add(codec, "zeros-after-the-last-member", "smooth-u2", b"".join(members) + bytes(512), "Python's gzip, joined")
    add(codec, "every-header-field", "smooth-u2", every_header_field(decoded), "Python's zlib, header by hand")


def every_header_field(decoded):
    """Extra field, name, comment and header checksum (RFC 1952, 2.3)."""
    header = b"\x1f\x8b\x08\x1f" + struct.pack("<IBB", 0, 0, 3)
    header += struct.pack("<H", 6) + b"AB\x02\x00xy" + b"name\0" + b"comment\0"
    header += struct.pack("<H", zlib.crc32(header) & 0xFFFF)
    deflater = zlib.compressobj(6, zlib.DEFLATED, -15)
    stream = deflater.compress(decoded) + deflater.flush()
    return header + stream + struct.pack("<II", zlib.crc32(decoded), len(decoded))


def zstd():
    for source in ["smooth-u2", "labels-u4", "zeros", "noise"]:
        by_numcodecs(numcodecs.Zstd(3), f"level-3-{source}", source)
    by_numcodecs(numcodecs.Zstd(19, checksum=True), "checksum", "waves-f8")
    by_numcodecs(numcodecs.Zstd(-5), "negative-level", "labels-u4")
    codec = numcodecs.Zstd(3).get_config()
    decoded = INPUTS["smooth-u2"][1]
    for checksum in [False, True]:
        compressor = zstandard.ZstdCompressor(write_content_size=False, write_checksum=checksum)
        unknown = compressor.compress(decoded)
        name = "no-content-size" + ("-checksum" if checksum else "")
        add(codec, name, "smooth-u2", unknown, ZSTANDARD)
    frames = [zstandard.ZstdCompressor().compress(part) for part in [decoded[:2500], b"", decoded[2500:]]]
    skippable = struct.pack("<II", 0x184D2A53, 7) + b"skipped"
    add(codec, "three-frames-and-a-skippable", "smooth-u2", skippable.join(frames), f"{ZSTANDARD}, joined")
    add(codec, "empty", "empty", zstandard.ZstdCompressor().compress(b""), ZSTANDARD)


def lz4():
    for source in ["smooth-u2", "labels-u4", "zeros", "noise", "far", "short"]:
        by_numcodecs(numcodecs.LZ4(), source, source)


def crc32c():
    for location in ["start", "end"]:
        codec = numcodecs.get_codec({"id": "crc32c", "location": location})
        by_numcodecs(codec, f"at-the-{location}", "noise")
    codec = numcodecs.get_codec({"id": "crc32c"})
    encoded = codec.encode(np.frombuffer(INPUTS["short"][1], "u1"))
    add({"id": "crc32c"}, "default-location", "short", encoded)


def main():
    numcodecs.blosc.use_threads = False  # which would put blocks in any order
    for make in [blosc, deflate, zstd, lz4, crc32c]:
        make()
    used = set()
    for codec, vectors in VECTORS.items():
        folder = HERE / codec
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        for vector, encoded in vectors.values():
            (folder / vector["encoded"]).write_bytes(encoded)
            used.add(vector["input"].removesuffix(".bin"))
        lines = ",\n  ".join(json.dumps(vector) for vector, _ in vectors.values())
        (folder / "vectors.json").write_text(f"[\n  {lines}\n]\n")
    inputs = HERE / "inputs"
    inputs.mkdir(exist_ok=True)
    for old in inputs.iterdir():
        old.unlink()
    for name in used:
        (inputs / f"{name}.bin").write_bytes(INPUTS[name][1])


if __name__ == "__main__":
    main()
