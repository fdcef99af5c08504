/**
 * Why a reader does not read a feature, as short facts. A row is named by its first feature.
 */
const note = (readers, rows, text) => ({ readers: [readers].flat(), rows: [rows].flat(), text });

const TYPES = [
  note("zarr.js", "type:bool", "it refuses absent chunks whose fill value is `true`."),
  note(
    "neuroglancer",
    ["type:bool", "type:float16", "type:float64", "type:complex64"],
    "it has integers up to 32 bits, `uint64` and `float32`.",
  ),
  note("neuroglancer", "type:int64", "it takes v2's `int64` for `uint64`: the bits are the same."),
  note(
    "tensorstore",
    ["type:int-narrow", "type:float-narrow"],
    "it does not know `uint2`, `uint4`, `float8_e4m3` and `float6_*`.",
  ),
  note("zarrs", "type:int-narrow", "in v3 alone. It gives the stored byte, and the driver extends the sign."),
  note("zarrs", "type:float-narrow", "it does not know `float8_e4m3fn`; narrow floats in v3 alone."),
  note("zarrs", ["type:bfloat16", "type:numpy.datetime64", "type:numpy.timedelta64"], "in v3 alone."),
  note(
    "gdal",
    "type:complex64",
    "it refuses the fill values that zarr-python writes for v2's complex numbers.",
  ),
  note("zarr-python", "type:raw", "it knows `raw_bytes`, and not the specification's `r24`."),
  note("tensorstore", "type:raw", "it reads `raw_bytes`, and of `r24` it wants the fill value as base64."),
  note("zarrs", "type:raw", "it knows the specification's `r24`, and not `raw_bytes`."),
  note("zarr-python", "type:struct", "not those with arrays as fields."),
  note(
    "tensorstore",
    ["type:struct", "form:old-struct"],
    "one field at a time, without nested fields, texts and times.",
  ),
  note("gdal", "type:struct", "not those with nested fields, arrays, texts and times."),
  note("zarrita", "type:json", "it takes the rows of arrays with several dimensions for elements."),
];

const CODECS = [
  note(
    "tensorstore",
    "codec:zstd-checksum",
    "numcodecs 0.17 writes this member into every v2 array with `zstd`.",
  ),
  note("gdal", "codec:zstd-negative", "it wants a level from 0."),
  note(
    ["zarr-python", "gdal"],
    "codec:blosc-snappy",
    "its build of c-blosc has no snappy. The chunks that it reads are stored without compression.",
  ),
  note(["zarrita", "neuroglancer", "zarrs", "gdal"], "form:streams", "it refuses a second member of gzip."),
  note(
    "tensorstore",
    "form:streams",
    "it refuses a second member of gzip, a second frame of zstd and frames to skip.",
  ),
  note("gdal", "codec:lz4", "it can be built with LZ4; this build was not."),
  note("gdal", "codec:lzma", "it reads the format xz, and not `FORMAT_ALONE` and `FORMAT_RAW`."),
  note("zarrs", "codec:crc32c", "it refuses a chain of `crc32c`, `zstd`, `crc32c` and `blosc`."),
  note(["zarr.js", "neuroglancer"], ["codec:shuffle", "codec:delta"], "it leaves v2's `filters` out."),
  note("zarrita", "codec:stored-as", "it leaves `astype` out."),
  note("zarr-python", "codec:categorize", "its version 2 reads it."),
  note("zarrs", "codec:pcodec", "it does not know the mode of one of the arrays."),
  note(
    "zarr-python",
    "codec:imagecodecs_lzw",
    "imagecodecs 2026.10 has no `axis` in `packbits`, which older versions wrote.",
  ),
];

const GRIDS = [
  note("zarrita", "transpose", "it applies one of two transposes."),
  note("gdal", "transpose", "it takes an order for its inverse, which differs from three dimensions on."),
  note("zarrita", "grid:rectangular", "it takes `zarrs.regular_bounded` for a regular grid."),
  note("zarrita", "shard:transposed", "it refuses the other five."),
  note("zarr-python", "shard:transposed", "it compares the inner chunk with the shape before the transpose."),
  note("gdal", "shard", "3.12 has no sharding."),
];

const DIALECTS = [
  note("zarrs", "consolidated:v2", "it opens a node by its own document."),
  note("zarrita", "fill:bits", "it takes the bits for a number."),
  note(
    ["zarrita", "neuroglancer"],
    "fill:large",
    "its fill values are numbers of JavaScript, which are exact up to 2⁵³.",
  ),
  note("gdal", "fill:large", "it gives 2⁶³ − 1 for fill values of `uint64` above that."),
  note("zarrita", "fill:text", "it fills texts with characters beyond U+FFFF by halves."),
  note("gdal", "fill:text", "it gives another text for a fill value of v2 `U`."),
  note("zarrita", "name:special", "its store for folders takes `%`, `#` and `?` for parts of an address."),
  note("tensorstore", "names:repeated", "it wants the names to differ."),
  note("zarr-python", "format:draft-zarr-python", "versions 2.13 to 2.18 wrote and read it; 3 does not."),
];

const CONTAINERS = [
  note(
    "tensorstore",
    "container:zip",
    "it refuses archives that were written to a pipe, with sizes behind the entries.",
  ),
  note(
    "tensorstore",
    "container:zip-twice",
    "zarr-python's `ZipStore` leaves such archives when a chunk is written again.",
  ),
  note(
    ["neuroglancer", "gdal"],
    "container:zip-twice",
    "it takes the first of the entries, which is the older one.",
  ),
  note(
    "gdal",
    "container:references-json",
    "it refuses `templates`, and 16-bit integers with shuffle and zlib.",
  ),
  note(
    "gdal",
    "container:references-parquet",
    "it needs GDAL's driver for Parquet, which this build does not have.",
  ),
  note(
    "zarr-python",
    "container:references-parquet",
    "fsspec fails at a chunk whose reference was deleted from the table.",
  ),
  note(
    "neuroglancer",
    ["container:icechunk-v1", "container:icechunk-v2", "container:icechunk-virtual"],
    "it refuses the snapshots that Icechunk 1 and 2 write.",
  ),
  note(
    "zarrs",
    ["container:icechunk-v1", "container:icechunk-v2"],
    "its store for Icechunk takes an absent chunk for an error.",
  ),
];

const CONVENTIONS = [
  note(
    "gdal",
    "cf:packed",
    "another model, not an error: it applies scale and offset, and an element is missing if it is the array's fill value, whatever `_FillValue` says.",
  ),
  note(
    "xarray",
    "cf:time",
    "an offset of one digit in `units`, such as `-6:00`, is left out in calendars that are not the real one.",
  ),
  note("neuroglancer", "pyramid:ome", "it refuses version 0.6, and the versions that spatialdata writes."),
  note("gdal", "pyramid:geozarr", "it gives the rasters no place on the Earth."),
];

export const NOTES = [...TYPES, ...CODECS, ...GRIDS, ...DIALECTS, ...CONTAINERS, ...CONVENTIONS];
