"""Makes the vectors of image codecs and of the filters that stand beside them, with imagecodecs. See README.md.
"""

import base64
import io
import json
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

# The folder crc32c beside this file is no module, which numcodecs would take it for.
sys.path.pop(0)

import imagecodecs
import imagecodecs.numcodecs as ic
import numpy as np
import PIL
from PIL import Image

HERE = Path(__file__).parent
WRITER = f"imagecodecs {imagecodecs.__version__}"
PILLOW = f"Pillow {PIL.__version__}"

NAMES = {
    "|i1": "int8", "<i2": "int16", "<i4": "int32", "|u1": "uint8", "<u2": "uint16", "<u4": "uint32",
    "<f2": "float16", "<f4": "float32", "<f8": "float64",
}

VECTORS = {}


def noise(count):
    """Bytes of a fixed linear congruence: the same everywhere, and incompressible."""
    state, out = 5, bytearray()
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(state >> 56)
    return np.frombuffer(bytes(out), "u1")


def picture(dtype, *shape, top=None):
    """Slopes with a little noise on them, over the whole range of the type or up to `top`."""
    dtype = np.dtype(dtype)
    ways = np.meshgrid(*(np.linspace(0, 1, count) for count in shape), indexing="ij")
    slope = sum(way * (1 + at) for at, way in enumerate(ways)) / sum(range(1, 1 + len(shape)))
    slope = np.clip(slope * 0.95 + noise(slope.size).reshape(shape) / 255 * 0.05, 0, 1)
    if dtype.kind == "f":
        return ((slope - 0.25) * (top or 1)).astype(dtype)
    low, high = (0, top) if top else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return np.round(low + slope * (float(high) - low)).astype(dtype)


def text(content):
    return base64.b64encode(content).decode()


def pillow(decoded, form, **options):
    """What imagecodecs cannot write: several scans, restarts, tiles, layers, precincts."""
    file = io.BytesIO()
    Image.fromarray(decoded).save(file, form, **options)
    return file.getvalue()


def openjpeg(decoded, *arguments):
    """What Pillow cannot write, by the command of Debian's package libopenjp2-tools."""
    with tempfile.TemporaryDirectory() as folder:
        Image.fromarray(decoded).save(f"{folder}/image.ppm")
        files = ["-i", f"{folder}/image.ppm", "-o", f"{folder}/image.j2k"]
        subprocess.run(["opj_compress", *files, *arguments], check=True, capture_output=True)
        return Path(f"{folder}/image.j2k").read_bytes()


def add(codec, name, decoded, encoded=None, config=None, tolerance=0, zarr_format=2, writer=WRITER):
    """`tolerance`: how far another decoder of a lossy format may be from imagecodecs' own samples."""
    encoded = bytes(codec.encode(decoded) if encoded is None else encoded)
    kept = codec.decode(encoded)
    kept = np.frombuffer(kept, decoded.dtype) if isinstance(kept, bytes) else np.ascontiguousarray(kept)
    kept = kept.astype(decoded.dtype, casting="no").reshape(decoded.shape)
    if tolerance == 0:
        assert kept.tobytes() == decoded.tobytes(), name
    config = codec.get_config() if config is None else config
    vector = {
        "name": name, "zarr_format": zarr_format, "codec": config, "writer": writer,
        "data_type": NAMES[kept.dtype.str], "shape": list(kept.shape), "input_base64": text(kept.tobytes()),
        "encoded_base64": text(encoded),
    }
    if tolerance:
        vector["tolerance"] = tolerance
    VECTORS.setdefault(config["id" if zarr_format == 2 else "name"], []).append(vector)


GRAY, COLOR, ALPHA = (21, 19), (18, 23, 3), (11, 14, 4)


def jpeg():
    add(ic.Jpeg(level=90), "gray", picture("u1", *GRAY), tolerance=2)
    add(ic.Jpeg(level=95), "colors-420", picture("u1", *COLOR), tolerance=4)
    add(ic.Jpeg(level=95, subsampling="444"), "colors-444", picture("u1", *COLOR), tolerance=3)
    add(ic.Jpeg(level=95, subsampling="422"), "colors-422", picture("u1", *COLOR), tolerance=4)
    add(ic.Jpeg(level=95, optimize=True), "optimised", picture("u1", *COLOR), tolerance=4)
    add(ic.Jpeg(level=95, colorspace_data="RGB", colorspace_jpeg="RGB"), "rgb-as-it-is", picture("u1", *COLOR), tolerance=3)
    add(ic.Jpeg(level=95), "cmyk", picture("u1", *ALPHA), tolerance=3)
    add(ic.Jpeg(level=90), "one-chunk-of-a-stack", picture("u1", 1, *GRAY), tolerance=2)
    # As tifffile makes references into TIFF files: tables apart, in the configuration.
    whole = bytes(ic.Jpeg(level=90).encode(picture("u1", *GRAY)))
    segments, at = [], 2
    while whole[at + 1] != 0xDA:
        length = 2 + int.from_bytes(whole[at + 2 : at + 4], "big")
        segments.append(whole[at : at + length])
        at += length
    tables = b"\xff\xd8" + b"".join(s for s in segments if s[1] in (0xDB, 0xC4)) + b"\xff\xd9"
    image = b"\xff\xd8" + b"".join(s for s in segments if s[1] not in (0xDB, 0xC4)) + whole[at:]
    add(ic.Jpeg(tables=tables), "tables-apart", picture("u1", *GRAY), image, tolerance=2)
    add(ic.Jpeg(header=whole[:at]), "header-apart", picture("u1", *GRAY), whole[at:-2], tolerance=2)
    config = {"name": "jpeg", "configuration": {"quality": 90, "encoded_color_space": "ycbcr", "subsampling": [[2, 2], [1, 1], [1, 1]]}}
    add(ic.Jpeg(level=90), "proposal", picture("u1", 16, 32, 3), config=config, tolerance=4, zarr_format=3)
    several = {
        "progressive": (COLOR, {"progressive": True}),
        "progressive-444": (COLOR, {"progressive": True, "subsampling": 0}),
        "progressive-gray": (GRAY, {"progressive": True}),
        "restarts": (COLOR, {"restart_marker_blocks": 1}),
        "progressive-restarts": (GRAY, {"progressive": True, "restart_marker_blocks": 2}),
    }
    for name, (shape, options) in several.items():
        decoded = picture("u1", *shape)
        add(ic.Jpeg(), name, decoded, pillow(decoded, "JPEG", quality=92, **options), tolerance=4, writer=PILLOW)


def jpeg2k():
    for dtype in ["u1", "u2", "i1", "i2"]:
        add(ic.Jpeg2k(level=0, reversible=True), dtype, picture(f"<{dtype}", *GRAY))
    add(ic.Jpeg2k(level=0, reversible=True, bitspersample=20), "20-bits", picture("u4", *GRAY, top=2**20 - 1))
    add(ic.Jpeg2k(level=0, reversible=True, bitspersample=18), "18-bits-signed", picture("i4", *GRAY, top=2**17 - 1))
    add(ic.Jpeg2k(level=0, reversible=True), "colors", picture("u1", *COLOR))
    add(ic.Jpeg2k(level=0, reversible=True, mct=False), "colors-apart", picture("u2", *COLOR))
    add(ic.Jpeg2k(level=0, reversible=True), "alpha", picture("u1", *ALPHA))
    add(ic.Jpeg2k(level=0, reversible=True, codecformat="j2k"), "codestream", picture("u2", *GRAY))
    add(ic.Jpeg2k(level=0, reversible=True, bitspersample=12), "12-bits", picture("u2", *GRAY, top=4095))
    add(ic.Jpeg2k(level=0, reversible=True, resolutions=2), "resolutions", picture("u2", 40, 33))
    several = {
        "tiles": {"tile_size": (16, 16)},
        "tiles-off-the-origin": {"tile_size": (10, 12), "tile_offset": (3, 2), "offset": (5, 6)},
        "layers": {"quality_mode": "rates", "quality_layers": [20, 8, 1]},
        "layers-first": {"quality_layers": [20, 8, 1], "progression": "RLCP", "tile_size": (20, 32)},
        "precincts": {"precinct_size": (32, 32), "codeblock_size": (4, 4), "progression": "RPCL"},
        "precincts-by-place": {"precinct_size": (32, 32), "codeblock_size": (8, 8), "progression": "PCRL"},
        "precincts-by-component": {"precinct_size": (32, 32), "progression": "CPRL", "num_resolutions": 3},
    }
    for name, options in several.items():
        decoded = picture("u1", 45, 38, 3)
        encoded = pillow(decoded, "JPEG2000", no_jp2=name != "tiles", irreversible=False, **options)
        add(ic.Jpeg2k(level=0, reversible=True), name, decoded, encoded, writer=PILLOW)
    several = {
        "packet-markers": ["-SOP", "-EPH", "-t", "20,32", "-n", "3"],
        "packet-ends": ["-EPH"],
        "tile-parts": ["-t", "20,32", "-TP", "R", "-n", "4"],
        "code-block-styles": ["-M", "63"],
        "region-of-interest": ["-ROI", "c=0,U=3"],
        "lengths-of-packets": ["-PLT", "-TLM"],
    }
    for name, options in several.items():
        decoded = picture("u1", 45, 38, 3)
        add(ic.Jpeg2k(level=0, reversible=True), name, decoded, openjpeg(decoded, *options), writer="OpenJPEG 2.5.0")
    add(ic.Jpeg2k(level=40), "lossy", picture("u1", *COLOR), tolerance=2)
    add(ic.Jpeg2k(level=60), "lossy-u2", picture("u2", *GRAY), tolerance=2)


def jpegxl():
    add(ic.Jpegxl(lossless=True), "gray", picture("u1", *GRAY))
    add(ic.Jpegxl(lossless=True), "colors", picture("u1", *COLOR))
    add(ic.Jpegxl(lossless=True), "alpha", picture("u1", *ALPHA))
    add(ic.Jpegxl(lossless=True), "gray-alpha", picture("u1", 9, 11, 2))
    for dtype in ["u2", "f2", "f4"]:
        add(ic.Jpegxl(lossless=True), dtype, picture(f"<{dtype}", *GRAY))
        add(ic.Jpegxl(lossless=True), f"{dtype}-colors", picture(f"<{dtype}", *COLOR))
    add(ic.Jpegxl(lossless=True, usecontainer=True), "container", picture("u1", *GRAY))
    add(ic.Jpegxl(lossless=True), "frames", picture("u1", 3, *GRAY))
    add(ic.Jpegxl(lossless=False, level=95), "lossy", picture("u1", *COLOR), tolerance=3)
    add(ic.Jpegxl(lossless=False, distance=1.0), "lossy-gray", picture("u1", *GRAY), tolerance=3)
    config = {"name": "jpegxl", "configuration": {"lossless": True, "distance": 0, "effort": 7, "decodingspeed": 0, "photometric": "gray", "primaries": "srgb", "transfer": "srgb", "bitspersample": 16, "usecontainer": False}}
    add(ic.Jpegxl(lossless=True), "proposal", picture("u2", *GRAY), config=config, zarr_format=3)


def webp():
    add(ic.Webp(lossless=True), "colors", picture("u1", *COLOR))
    add(ic.Webp(lossless=True), "alpha", picture("u1", *ALPHA))
    add(ic.Webp(level=80), "lossy", picture("u1", *COLOR), tolerance=1)
    add(ic.Webp(level=80), "lossy-alpha", picture("u1", *ALPHA), tolerance=1)
    opaque = picture("u1", *ALPHA)
    opaque[..., 3] = 255
    encoded = ic.Webp(lossless=True).encode(np.ascontiguousarray(opaque[..., :3]))
    add(ic.Webp(lossless=True, hasalpha=True), "alpha-for-the-asking", opaque, encoded)


def png():
    for dtype in ["u1", "u2"]:
        for name, shape in [("gray", GRAY), ("gray-alpha", (9, 11, 2)), ("colors", COLOR), ("alpha", ALPHA)]:
            add(ic.Png(level=6), f"{name}-{dtype}", picture(f"<{dtype}", *shape))
    add(ic.Spng(level=1), "spng", picture("u1", *COLOR))


def qoi():
    add(ic.Qoi(), "colors", picture("u1", *COLOR))
    add(ic.Qoi(), "alpha", picture("u1", *ALPHA))


def lerc():
    for dtype in ["u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8"]:
        add(ic.Lerc(level=0), dtype, picture(f"<{dtype}", *GRAY))
    add(ic.Lerc(level=0), "colors", picture("u1", *COLOR))
    add(ic.Lerc(level=0, planar=True), "bands", picture("<f4", 3, *GRAY))
    add(ic.Lerc(level=0.01), "lossy", picture("<f4", *GRAY), tolerance=1e-6)
    add(ic.Lerc(level=0, version=2), "version-2", picture("<u2", *GRAY))


def bytes_alone():
    for name, decoded in [("slope", picture("u1", *GRAY)), ("zeros", np.zeros(5000, "u1")), ("noise", noise(3000))]:
        add(ic.Lzw(), name, decoded)
        add(ic.Packbits(), name, decoded)
    config = {"name": "lzw", "configuration": {}}
    add(ic.Lzw(), "proposal", picture("u2", *GRAY), config=config, zarr_format=3)


def filters():
    for dtype in ["u1", "i2", "u4", "f4", "f8"]:
        decoded = picture(f"<{dtype}", *GRAY)
        add(ic.Delta(shape=decoded.shape, dtype=decoded.dtype), dtype, decoded)
    decoded = picture("<u2", *COLOR)
    add(ic.Delta(shape=decoded.shape, dtype=decoded.dtype, axis=-2), "along-rows-of-pixels", decoded)
    add(ic.Delta(shape=decoded.shape, dtype=decoded.dtype, axis=0), "along-columns", decoded)
    for dtype in ["f2", "f4", "f8"]:
        decoded = picture(f"<{dtype}", *GRAY)
        add(ic.Floatpred(shape=decoded.shape, dtype=decoded.dtype), dtype, decoded)
    decoded = picture("<f4", *COLOR)
    add(ic.Floatpred(shape=decoded.shape, dtype=decoded.dtype, axis=-2), "along-rows-of-pixels", decoded)


class RawDeflate(ic.Deflate):
    """imagecodecs decodes it only where it is told the size."""

    def decode(self, buf, out=None):
        return zlib.decompress(buf, -15)


def general():
    """Under other names what numcodecs has as well."""
    for make in [ic.Zlib, ic.Zstd, ic.Bz2, ic.Lzma]:
        add(make(), "no-level", picture("u1", *GRAY))
        add(make(level=5), "level", picture("u1", *GRAY))
    for level in [0, 6, 12]:
        add(ic.Deflate(level=level), f"level-{level}", picture("u1", *GRAY))
    add(RawDeflate(raw=True), "raw", picture("u1", *GRAY))
    add(RawDeflate(raw=True), "raw-zeros", np.zeros(5000, "u1"))
    numbers = picture("<u4", 40, 33, top=90000)
    add(ic.Blosc(), "defaults", numbers)
    for compressor in ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]:
        add(ic.Blosc(level=5, compressor=compressor, shuffle="bitshuffle"), compressor, numbers)
    add(ic.Blosc(compressor=4, shuffle=1), "by-number", numbers)


for make in [general, jpeg, jpeg2k, jpegxl, webp, png, qoi, lerc, bytes_alone, filters]:
    make()

for folder, vectors in sorted(VECTORS.items()):
    (HERE / folder).mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(vector, ensure_ascii=False) for vector in vectors)
    (HERE / folder / "vectors.json").write_text(f"[\n{lines}\n]\n")
    print(folder, len(vectors))
