"""The drafts that we wrote are read by their texts, and where it can by zarr-python 2.18: `python check_drafts.py <folder> <corpus>`.

Runs in the environment of zarr-python 2.
"""

import os
import sys
from types import SimpleNamespace

os.environ["ZARR_V3_EXPERIMENTAL_API"] = "1"
# To read a storage transformer, zarr-python imports one of its own tests, and pytest with it.
sys.modules["zarr.tests.test_storage_v3"] = SimpleNamespace(
    DummyStorageTransfomer=SimpleNamespace(extension_uri="none", valid_types=[])
)

import numpy as np  # noqa: E402

import draft_reader  # noqa: E402
from oracle import check  # noqa: E402


def by_text(store, path, node):
    elements, attributes = draft_reader.read(store, path)
    if attributes != node["attributes"]:
        raise ValueError(f"attributes {attributes}")
    return elements


def by_zarr_python(store, path, node):
    import zarr
    from zarr._storage.v3 import DirectoryStoreV3

    array = zarr.open_array(DirectoryStoreV3(str(store)), path=path, mode="r", zarr_version=3)
    if array.attrs.asdict() != node["attributes"]:
        raise ValueError(f"attributes {array.attrs.asdict()}")
    return np.asarray(array[...])


match sys.argv[2]:
    case "drafts-by-text":
        check("draft-by-text", by_text, formats=(2020, 2022))
    case "drafts":
        check("zarr-python-2", by_zarr_python, formats=(2020,))
