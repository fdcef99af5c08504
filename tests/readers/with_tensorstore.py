"""TensorStore reads arrays by its drivers zarr and zarr3. It has no notion of a hierarchy: each array is a store of its own."""

import ml_dtypes  # noqa: F401  (names NumPy's other types)
import numpy as np
import tensorstore
from driver import drive


def kvstore_of(array):
    if array.get("consolidated"):
        raise NotImplementedError("it has no such concept")
    kind, store, path = array["kind"], array["store"], array["path"]
    below = f"{path}/" if path else ""
    if kind == "folder":
        return {"driver": "file", "path": f"{store}/{below}"}
    if kind == "http":
        return {"driver": "http", "base_url": f"{store}/", "path": below}
    if kind == "zip":
        return {"driver": "zip", "base": {"driver": "file", "path": array["file"]}, "path": array["inside"] + below}
    raise NotImplementedError(f"has no store for {kind}")


def store_of(array, **options):
    driver = "zarr" if array["format"] == "v2" else "zarr3"
    spec = {"driver": driver, "kvstore": kvstore_of(array), **options}
    return tensorstore.open(spec, open=True, read=True).result()


def opened(array, **options):
    found = np.asarray(store_of(array, **options).read().result())
    return whole_elements(array, options) if found.dtype.itemsize == 0 else found


def of_fields(array):
    """Of structs TensorStore reads one field at a time."""
    names = [field["name"] for field in array["type"]["configuration"]["fields"]]
    fields = {name: opened(array, field=name) for name in names}
    found = np.empty(next(iter(fields.values())).shape, dtype=[(name, values.dtype) for name, values in fields.items()])
    for name, values in fields.items():
        found[name] = values
    return found


def read(array):
    kind = array["type"]
    if isinstance(kind, dict) and kind["name"] == "struct":
        return of_fields(array)
    return opened(array)


def whole_elements(array, options):
    """Raw bits and byte strings are arrays of bytes with one dimension more. The binding gives these bytes no length in
    NumPy, so TensorStore writes them without a codec, and the elements are read from what it wrote."""
    source = store_of(array, **options)
    *shape, length = source.shape
    kind = f"{'V' if source.dtype.name == 'byte' else 'S'}{length}"
    layout = {"shape": shape, "chunks": [max(1, extent) for extent in shape], "dtype": f"|{kind}"}
    plain = {"compressor": None, "filters": None, "fill_value": None, "order": "C"}
    context = tensorstore.Context()
    spec = {"driver": "zarr", "kvstore": "memory://", "metadata": layout | plain}
    target = tensorstore.open(spec, create=True, context=context).result()
    target.write(source).result()
    written = tensorstore.KvStore.open("memory://", context=context).result().read(".".join("0" * len(shape)) or "0").result()
    return np.frombuffer(written.value, kind).reshape(shape)


drive(read)
