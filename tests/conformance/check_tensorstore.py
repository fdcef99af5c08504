"""TensorStore reads what we wrote: `python check_tensorstore.py <folder> <corpus>`."""

import ml_dtypes  # noqa: F401  (names NumPy's other types)
import numpy as np
import tensorstore

from oracle import check


def read(store, path, node, **options):
    """TensorStore has no notion of a hierarchy: each array is a store of its own."""
    driver = "zarr" if node["zarr_format"] == 2 else "zarr3"
    spec = {"driver": driver, "kvstore": {"driver": "file", "path": f"{store / path}/"}} | options
    return np.asarray(tensorstore.open(spec, open=True, read=True).result().read().result())


def open_array(store, path, node):
    """Of structs TensorStore reads one field at a time."""
    if "struct" in path:
        fields = {name: read(store, path, node, field=name) for name in ("a", "b", "c")}
        found = np.empty(fields["a"].shape, dtype=[(name, values.dtype) for name, values in fields.items()])
        for name, values in fields.items():
            found[name] = values
        return found
    return read(store, path, node)


check("tensorstore", open_array)
