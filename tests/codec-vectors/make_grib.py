"""Makes the vectors of GRIB messages: eccodes writes them. Their values are what eccodes reads (`grib`), or what the
package gribberish reads (`gribberish`). See README.md.
"""

import base64
import json
import sys
import zlib
from pathlib import Path

# Folders beside this file are no modules.
sys.path.pop(0)

import eccodes
import gribberish
import numpy as np

HERE = Path(__file__).parent
WRITER = f"eccodes {eccodes.codes_get_api_version()}"
READER = f"gribberish {gribberish.__version__ if hasattr(gribberish, '__version__') else '1.9.0'}"
COLUMNS, ROWS = 19, 13

VECTORS = {"grib": [], "gribberish": []}

LAMBERT = {
    "gridType": "lambert", "shapeOfTheEarth": 6, "Nx": 7, "Ny": 5, "latitudeOfFirstGridPoint": 21138123,
    "longitudeOfFirstGridPoint": 237280472, "LaD": 38500000, "LoV": 262500000, "Dx": 300000000, "Dy": 300000000,
    "Latin1": 38500000, "Latin2": 38500000, "jScansPositively": 1,
}
GRIDS = {
    "lambert": LAMBERT,
    "lambert-two-ellipsoid": {**LAMBERT, "shapeOfTheEarth": 4, "Latin1": 25000000, "Latin2": 60000000},
    "lambert-south": {
        **LAMBERT, "latitudeOfFirstGridPoint": -21138123, "LaD": -38500000, "Latin1": -38500000, "Latin2": -38500000,
        "projectionCentreFlag": 128,
    },
    "polar": {
        "gridType": "polar_stereographic", "shapeOfTheEarth": 6, "Nx": 6, "Ny": 5, "latitudeOfFirstGridPoint": 40530000,
        "longitudeOfFirstGridPoint": 181429000, "LaD": 60000000, "orientationOfTheGrid": 210000000,
        "DxInMetres": 400000, "DyInMetres": 400000, "jScansPositively": 1, "projectionCentreFlag": 0,
    },
    "mercator": {
        "gridType": "mercator", "shapeOfTheEarth": 6, "Ni": 6, "Nj": 5, "latitudeOfFirstGridPoint": 18067000,
        "longitudeOfFirstGridPoint": 198475000, "LaD": 20000000, "latitudeOfLastGridPoint": 23082000,
        "longitudeOfLastGridPoint": 206031000, "DiInMetres": 100000, "DjInMetres": 100000, "jScansPositively": 1,
    },
}


def field(scale=1.0):
    """Waves: neighbours are alike, and no value occurs twice."""
    rows, columns = np.mgrid[:ROWS, :COLUMNS]
    waves = np.sin(columns / 5) * 9 + np.cos(rows / 4 + columns / 9) * 21 + rows * 0.37 + columns * 0.011
    return (250 + waves).ravel() * scale


def with_gaps(values):
    """Every seventh point is missing, and a few neighbours are."""
    values = values.copy()
    values[::7] = values[40:60] = np.nan
    return values


def handle(grid=None):
    message = eccodes.codes_grib_new_from_samples("regular_ll_pl_grib2")
    west_to_east = {
        "Ni": COLUMNS, "Nj": ROWS, "latitudeOfFirstGridPointInDegrees": 60, "latitudeOfLastGridPointInDegrees": 36,
        "longitudeOfFirstGridPointInDegrees": 0, "longitudeOfLastGridPointInDegrees": 36,
        "iDirectionIncrementInDegrees": 2, "jDirectionIncrementInDegrees": 2,
    }
    for key, value in (grid or west_to_east).items():
        eccodes.codes_set(message, key, value)
    return message


def encoded(values, packing, keys=None, grid=None):
    message = handle(grid)
    # A field of equal values would stay in simple packing.
    eccodes.codes_set_array(message, "values", field()[: values.size])
    eccodes.codes_set(message, "packingType", packing)
    if np.isnan(values).any():
        eccodes.codes_set(message, "bitmapPresent", 1)
        eccodes.codes_set(message, "missingValue", -1e9)
    for key, value in (keys or {}).items():
        eccodes.codes_set(message, key, value)
    eccodes.codes_set_array(message, "values", np.where(np.isnan(values), -1e9, values))
    return eccodes.codes_get_message(message)


def sections(content):
    """The sections between the first 16 bytes and the last 4."""
    at, found = 16, []
    while at < len(content) - 4:
        length = int.from_bytes(content[at : at + 4], "big")
        found.append(bytearray(content[at : at + length]))
        at += length
    return found


def joined(content, parts):
    length = 20 + sum(len(part) for part in parts)
    return content[:8] + length.to_bytes(8, "big") + b"".join(parts) + b"7777"


def png(width, bits, rows):
    """A PNG of pixels that fill whole bytes: 24 and 32 bits are three and four samples of eight."""
    depth, color = {24: (8, 2), 32: (8, 6)}.get(bits, (bits, 0))
    height = len(rows)
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([depth, color, 0, 0, 0])
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))), (b"IEND", b""))
    crc = lambda name, content: zlib.crc32(name + content).to_bytes(4, "big")
    return b"\x89PNG\r\n\x1a\n" + b"".join(len(c).to_bytes(4, "big") + n + c + crc(n, c) for n, c in chunks)


def encoded_png(values, bits):
    """The wheels of eccodes cannot write PNG: their simple packing is put into an image, under the same template."""
    content = encoded(values, "grid_simple", {"bitsPerValue": bits})
    parts = sections(content)
    count = int.from_bytes(parts[-3][5:9], "big")
    width = COLUMNS if count == COLUMNS * ROWS else count
    packed = bytes(parts[-1][5:])
    row = width * bits // 8
    image = png(width, bits, [packed[at : at + row] for at in range(0, count * bits // 8, row)])
    parts[-3][9:11] = (41).to_bytes(2, "big")
    parts[-1] = (5 + len(image)).to_bytes(4, "big") + b"\7" + image
    return joined(content, parts)


def read(content, key="values"):
    message = eccodes.codes_new_from_message(content)
    values = eccodes.codes_get_array(message, key)
    if key == "values":
        values = np.where(values == eccodes.codes_get(message, "missingValue"), np.nan, values)
    return values


def text(content):
    return base64.b64encode(content).decode()


def add(codec, name, content, expected, shape, tolerance=0):
    is_v2 = "id" in codec
    vector = {
        "name": name, "zarr_format": 2 if is_v2 else 3, "codec": codec, "writer": WRITER if is_v2 else f"{WRITER}, {READER}",
        "data_type": "float64" if expected.dtype == "f8" else "float32", "shape": list(shape),
        "input_base64": text(np.ascontiguousarray(expected).tobytes()), "encoded_base64": text(content),
    }
    assert expected.size == np.prod(shape), (name, expected.size)
    if tolerance:
        vector["tolerance"] = tolerance
    VECTORS[codec.get("id", codec.get("name"))].append(vector)


def kerchunk(name, content, var="t", shape=(ROWS, COLUMNS), dtype="float64", tolerance=0):
    keys = {"latitude": "latitudes", "longitude": "longitudes"}
    expected = read(content, keys.get(var, "values")).astype(dtype)
    add({"id": "grib", "var": var, "dtype": dtype}, name, content, expected, shape, tolerance)


def of_gribberish(name, content, var="TMP", shape=(ROWS, COLUMNS), dtype="f8", tolerance=0, **options):
    flags = options.get("adjust_longitude_range", False), options.get("north_up", False)
    if var in ("latitude", "longitude"):
        both = gribberish.parse_grib_message_metadata(content, 0).latlng(*flags)
        expected = both[var == "longitude"]
    else:
        expected = gribberish.parse_grib_array(content, 0, *flags)
    codec = {"name": "gribberish", "configuration": {"var": var, **options}}
    add(codec, name, content, np.asarray(expected).astype(dtype), shape, tolerance)


def packings():
    values = field()
    for bits in (1, 8, 12, 24, 32):
        kerchunk(f"simple-{bits}", encoded(values, "grid_simple", {"bitsPerValue": bits}))
    kerchunk("simple-decimal", encoded(values - 250, "grid_simple", {"decimalPrecision": 2}))
    kerchunk("simple-decimal-negative", encoded(values * 1e6, "grid_simple", {"decimalPrecision": -3}))
    kerchunk("simple-missing", encoded(with_gaps(values), "grid_simple", {"bitsPerValue": 12}))
    kerchunk("simple-single", encoded(values, "grid_simple", {"bitsPerValue": 16}), dtype="float32")
    kerchunk("constant", encoded(np.full(values.size, 273.15), "grid_simple"))
    kerchunk("constant-missing", encoded(with_gaps(np.full(values.size, -3.5)), "grid_simple"))
    for packing in ("simple", "complex", "complex_spatial_differencing", "jpeg", "ccsds"):
        kerchunk(f"all-missing-{packing}", encoded(np.full(values.size, np.nan), f"grid_{packing}"))
    for precision in (1, 2):
        kerchunk(f"ieee-{precision}", encoded(values, "grid_ieee", {"precision": precision}))
    for packing, name in (("grid_complex", "complex"), ("grid_complex_spatial_differencing", "differences")):
        for order in (1, 2) if name == "differences" else (0,):
            keys = {"bitsPerValue": 13, **({"orderOfSpatialDifferencing": order} if order else {})}
            kerchunk(f"{name}-{order}", encoded(values, packing, keys))
            kerchunk(f"{name}-{order}-decimal", encoded(values - 250, packing, {**keys, "decimalPrecision": 1}))
            kerchunk(f"{name}-{order}-missing", encoded(with_gaps(values), packing, keys))
    for packing, name, widths in (
        ("grid_jpeg", "jpeg", (4, 12, 16, 22)), ("grid_ccsds", "ccsds", (3, 8, 12, 16, 20, 24)),
    ):
        for bits in widths:
            kerchunk(f"{name}-{bits}", encoded(values, packing, {"bitsPerValue": bits}))
        kerchunk(f"{name}-missing", encoded(with_gaps(values), packing, {"bitsPerValue": 12}))
        kerchunk(f"{name}-constant", encoded(np.full(values.size, 1e-3), packing))
    for bits in (8, 16, 24, 32):
        kerchunk(f"png-{bits}", encoded_png(values, bits))
    kerchunk("png-missing", encoded_png(with_gaps(values), 16))
    steps = np.floor(field() / 12)
    steps[100:230] = steps[100]
    for block, interval in ((8, 1), (16, 4), (64, 128)):
        keys = {"bitsPerValue": 10, "ccsdsBlockSize": block, "ccsdsRsi": interval}
        kerchunk(f"ccsds-steps-{block}-{interval}", encoded(steps, "grid_ccsds", keys))
    noise = np.random.default_rng(3).integers(0, 4096, values.size).astype("f8")
    kerchunk("ccsds-noise", encoded(noise, "grid_ccsds", {"bitsPerValue": 12}))
    zeros = np.where(np.arange(values.size) % 90 == 3, 4000.0, 0.0)
    kerchunk("ccsds-zeros", encoded(zeros, "grid_ccsds", {"bitsPerValue": 12, "ccsdsBlockSize": 8}))
    kerchunk("ccsds-pairs", encoded(noise % 3, "grid_ccsds", {"bitsPerValue": 12}))


def coordinates():
    content = encoded(field(), "grid_simple", {"bitsPerValue": 4})
    for var, count in (("latitude", ROWS), ("longitude", COLUMNS)):
        kerchunk(f"{var}-all", content, var, tolerance=1e-9)
        of_gribberish(var, content, var, (count,))
    for name, grid in GRIDS.items():
        shape = grid.get("Ny", grid.get("Nj")), grid.get("Nx", grid.get("Ni"))
        content = encoded(field()[: shape[0] * shape[1]], "grid_simple", {"bitsPerValue": 4}, grid)
        for var in ("latitude", "longitude"):
            kerchunk(f"{name}-{var}", content, var, shape, tolerance=1e-9)
            if "ellipsoid" in name:
                continue  # gribberish has no such map.
            of_gribberish(f"{name}-{var}", content, var, shape, tolerance=1e-9)
            of_gribberish(f"{name}-{var}-north-up", content, var, shape, tolerance=1e-9, north_up=True)
        if "ellipsoid" not in name:
            of_gribberish(f"{name}-north-up", content, "TMP", shape, north_up=True)


def across_the_meridian():
    """Rows whose longitudes pass 0: just, by far, and to the west."""
    for name, first, last, west in (("just", 350, 1, 0), ("far", 350, 40, 0), ("west", 8, 350, 1)):
        count = (first - last if west else last - first) % 360 + 1
        grid = {
            "Ni": count, "Nj": 2, "iScansNegatively": west, "latitudeOfFirstGridPointInDegrees": 40,
            "latitudeOfLastGridPointInDegrees": 39, "longitudeOfFirstGridPointInDegrees": first,
            "longitudeOfLastGridPointInDegrees": last, "iDirectionIncrementInDegrees": 1, "jDirectionIncrementInDegrees": 1,
        }
        content = encoded(field()[: 2 * count], "grid_simple", {"bitsPerValue": 4}, grid)
        kerchunk(f"meridian-{name}", content, "longitude", (2, count), tolerance=1e-9)


def adjustments():
    for name, first, up in (("from-0", 0, 0), ("from-180", 180, 0), ("from-0-up", 0, 1)):
        last = (first + 330) % 360
        grid = {
            "Ni": 12, "Nj": 5, "jScansPositively": up, "latitudeOfFirstGridPointInDegrees": -40 if up else 40,
            "latitudeOfLastGridPointInDegrees": 40 if up else -40, "longitudeOfFirstGridPointInDegrees": first,
            "longitudeOfLastGridPointInDegrees": last, "iDirectionIncrementInDegrees": 30, "jDirectionIncrementInDegrees": 20,
        }
        content = encoded(field()[:60], "grid_simple", {"bitsPerValue": 12}, grid)
        of_gribberish(name, content, shape=(1, 5, 12))
        of_gribberish(f"{name}-single", content, shape=(1, 5, 12), dtype="f4")
        options = {"adjust_longitude_range": True, "north_up": True}
        of_gribberish(f"{name}-adjusted", content, shape=(5, 12), **options)
        for var, count in (("latitude", 5), ("longitude", 12)):
            of_gribberish(f"{name}-{var}", content, var, (count,))
            of_gribberish(f"{name}-{var}-adjusted", content, var, (count,), **options)
        kerchunk(f"{name}-longitude", content, "longitude", (5, 12), tolerance=1e-9)


packings()
coordinates()
across_the_meridian()
adjustments()
for codec, vectors in VECTORS.items():
    (HERE / codec).mkdir(exist_ok=True)
    lines = ",\n".join("  " + json.dumps(vector) for vector in vectors)
    (HERE / codec / "vectors.json").write_text(f"[\n{lines}\n]\n")
    print(codec, len(vectors))
