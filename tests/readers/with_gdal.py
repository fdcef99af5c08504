"""GDAL reads arrays by its multidimensional API, which the library in rasterio's wheel has: rasterio itself offers rasters
only. It needs the functions of `../fixtures/make/gdal_library.py`, and some more of the same C API.
"""

import ctypes
import os

import driver
import numpy as np
import rasterio
from gdal_library import GDAL, POINTER, SIZE, TYPES, declare, numbers

declare(GDAL, "GDALMDArrayGetDataType", POINTER, [POINTER])
declare(GDAL, "GDALMDArrayGetDimensionCount", SIZE, [POINTER])
declare(GDAL, "GDALMDArrayGetDimensions", ctypes.POINTER(POINTER), [POINTER, ctypes.POINTER(SIZE)])
declare(GDAL, "GDALMDArrayGetUnscaled", POINTER, [POINTER])
declare(GDAL, "GDALDimensionGetSize", ctypes.c_uint64, [POINTER])
declare(GDAL, "GDALExtendedDataTypeGetClass", ctypes.c_int, [POINTER])
declare(GDAL, "GDALExtendedDataTypeGetNumericDataType", ctypes.c_int, [POINTER])
declare(GDAL, "GDALExtendedDataTypeGetSize", SIZE, [POINTER])
declare(GDAL, "GDALExtendedDataTypeGetComponents", ctypes.POINTER(POINTER), [POINTER, ctypes.POINTER(SIZE)])
declare(GDAL, "GDALEDTComponentGetName", ctypes.c_char_p, [POINTER])
declare(GDAL, "GDALEDTComponentGetOffset", SIZE, [POINTER])
declare(GDAL, "GDALEDTComponentGetType", POINTER, [POINTER])
declare(GDAL, "GDALGroupGetMDArrayNames", ctypes.POINTER(ctypes.c_char_p), [POINTER, POINTER])
declare(GDAL, "CPLGetLastErrorMsg", ctypes.c_char_p, [])
declare(GDAL, "CPLErrorReset", None, [])

NAMES = {number: name for name, number in TYPES.items()}
NUMERIC, STRING = 0, 1
MULTIDIMENSIONAL, VERBOSE = 0x10, 0x40


def found(handle):
    if not handle:
        raise ValueError(GDAL.CPLGetLastErrorMsg().decode() or "no array")
    return handle


def address_of(array):
    """The array alone, because not every hierarchy has documents of its groups. References are opened at their root."""
    kind, path = array["kind"], array["path"]
    store = f"{array['store']}/{path}".rstrip("/")
    if array.get("consolidated") or array.get("decoded"):
        return array["store"]
    if kind == "folder":
        return store
    if kind == "http":
        return f'ZARR:"/vsicurl/{store}"'
    if kind == "zip":
        return f'ZARR:"/vsizip/{{{array["file"]}}}/{array["inside"]}{path}"'
    if kind == "references":
        return f'ZARR:"{array["file"]}"'
    raise ValueError(f"has no store for {kind}")


def dtype_of(kind):
    """NumPy's type with the layout of GDAL's; texts are pointers."""
    sort = GDAL.GDALExtendedDataTypeGetClass(kind)
    if sort == NUMERIC:
        return np.dtype(NAMES[GDAL.GDALExtendedDataTypeGetNumericDataType(kind)])
    if sort == STRING:
        return np.dtype("O")
    count = SIZE()
    parts = GDAL.GDALExtendedDataTypeGetComponents(kind, ctypes.byref(count))
    fields = [parts[at] for at in range(count.value)]
    names = [GDAL.GDALEDTComponentGetName(field).decode() for field in fields]
    formats = [dtype_of(GDAL.GDALEDTComponentGetType(field)) for field in fields]
    offsets = [GDAL.GDALEDTComponentGetOffset(field) for field in fields]
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": GDAL.GDALExtendedDataTypeGetSize(kind)})


def shape_of(handle):
    count = SIZE()
    dimensions = GDAL.GDALMDArrayGetDimensions(handle, ctypes.byref(count))
    return [GDAL.GDALDimensionGetSize(dimensions[axis]) for axis in range(count.value)]


def text_at(pointer):
    return ctypes.string_at(pointer).decode("utf-8", "surrogateescape") if pointer else ""


def elements_of(handle):
    """All elements in C order, of the data type that GDAL gives the array."""
    kind, shape = GDAL.GDALMDArrayGetDataType(handle), shape_of(handle)
    dtype = dtype_of(kind)
    if dtype.hasobject and dtype.fields:
        raise NotImplementedError("texts in structs are not driven")
    buffer = np.zeros(shape, "u8" if dtype.hasobject else dtype)
    if buffer.size:
        start, count = numbers([0] * len(shape)), numbers(shape, SIZE)
        GDAL.CPLErrorReset()
        if not GDAL.GDALMDArrayRead(handle, start, count, None, None, kind, buffer.ctypes.data, None, 0):
            raise ValueError(GDAL.CPLGetLastErrorMsg().decode() or "read failed")
    if not dtype.hasobject:
        return buffer
    texts = np.empty(buffer.size, object)
    texts[:] = [text_at(int(pointer)) for pointer in buffer.ravel()]
    return texts.reshape(shape)


def in_type(values, kind):
    """Text as its data type stores it. Numbers that GDAL widens come back, if they are the same."""
    name, length = (kind["name"], kind["configuration"].get("length_bytes")) if isinstance(kind, dict) else (kind, 0)
    if values.dtype == object:
        if name == "fixed_length_utf32":
            return values.astype(f"<U{length // 4}")
        if name == "null_terminated_bytes":
            encoded = [text.encode("utf-8", "surrogateescape") for text in values.ravel()]
            return np.array(encoded, f"S{length}").reshape(values.shape)
        return values
    if name in TYPES and name != values.dtype.name and np.array_equal(values.astype(name).astype(values.dtype), values, equal_nan=True):
        return values.astype(name)
    return values


def name_in(root, array):
    if array["kind"] == "references" or array.get("consolidated") or array.get("decoded"):
        return f"/{array['path']}".encode()
    names = GDAL.GDALGroupGetMDArrayNames(root, None)
    if not names or not names[0]:
        raise ValueError(GDAL.CPLGetLastErrorMsg().decode() or "no array")
    return b"/" + names[0]


def levels_of(array):
    """The coordinates, y and x, of the first and the last pixel of each level, as rasters on the Earth have them."""
    numbers = []
    for level in array["levels"]:
        with rasterio.open(f'ZARR:"{array["store"]}{level["path"]}"') as raster:
            if raster.transform.is_identity:
                raise ValueError("the raster has no place on the Earth")
            for row, column in ((0, 0), (raster.height - 1, raster.width - 1)):
                x, y = raster.xy(row, column)
                numbers += [y, x]
    return {"numbers": numbers}


def read(array):
    if array.get("dates") or (array.get("levels") and not array.get("crs")):
        raise NotImplementedError("it has no such concept for Zarr")
    if array.get("levels"):
        return levels_of(array)
    GDAL.CPLErrorReset()
    dataset = found(GDAL.GDALOpenEx(address_of(array).encode(), MULTIDIMENSIONAL | VERBOSE, None, None, None))
    try:
        root = GDAL.GDALDatasetGetRootGroup(dataset)
        handle = found(GDAL.GDALGroupOpenMDArrayFromFullname(root, name_in(root, array), None))
        if array.get("decoded"):
            handle = found(GDAL.GDALMDArrayGetUnscaled(handle))
            return elements_of(handle).astype(array["type"])
        return in_type(elements_of(handle), array["type"])
    finally:
        GDAL.GDALClose(dataset)


os.environ.setdefault("CPL_DEBUG", "OFF")
driver.drive(read)
