"""zarr-python reads what we wrote: `python check_zarr_python.py <folder> <corpus>`, in the environment of 3.x or of 2.18."""

import warnings

import numpy as np
import zarr

from oracle import check

warnings.filterwarnings("ignore", module="zarr")
IS_3 = zarr.__version__.startswith("3.")


def open_array(store, path, node):
    if IS_3:
        array = zarr.open_array(store, path=path, mode="r", zarr_format=node["zarr_format"])
    else:
        array = zarr.open_array(str(store), path=path, mode="r")
    values = np.asarray(array[...])
    # One text alone comes back as an array of fixed length.
    return values.astype(object) if "values_json" in node else values


def read_attributes(store):
    if IS_3:
        root = zarr.open_consolidated(store)
        return {path: node.attrs.asdict() for path, node in root.members(max_depth=None) if isinstance(node, zarr.Array)}
    arrays = {}
    root = zarr.open_consolidated(str(store))
    root.visititems(lambda path, node: arrays.update({path: node.attrs.asdict()}) if isinstance(node, zarr.Array) else None)
    return arrays


if IS_3:
    check("zarr-python-3", open_array, read_attributes)
else:
    # zarr-python 2 knows no v3.
    check("zarr-python-2", open_array, read_attributes, formats=(2,))
