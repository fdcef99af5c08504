"""Reads an array with GDAL for `containers.mjs`: `containers.py <kind> <url> <path>` prints `{"elements": [...]}` or `{"error": "..."}`.
GDAL is that of rasterio's wheel. `containers.py neuroglancer <source>` prints the address of a page, and then what the page has read.
`version` and `neuroglancer-version` print versions."""

import json
import os
import sys
from importlib.metadata import version

os.environ.update(GDAL_DISABLE_READDIR_ON_OPEN="EMPTY_DIR", CPL_VSIL_CURL_USE_HEAD="YES", GDAL_NUM_THREADS="1")

import rasterio


def names(kind, url, path):
    """The names by which GDAL may know the array."""
    web = f"/vsicurl/{url}"
    places = {
        "zip": [f"/vsizip/{{{web}}}"],
        "json": [f"/vsikerchunk_json_ref/{{{web}}}", web],
        "parquet": [f"/vsikerchunk_parquet_ref/{{{web}}}", web],
        "icechunk": [f"/vsiicechunk/{{{web}}}", web],
    }
    for place in places.get(kind, [web]):
        yield f'ZARR:"{place}":/{path}'
        yield f'ZARR:"{place}/{path}"'


def read(kind, url, path):
    failures = []
    for name in names(kind, url, path):
        try:
            with rasterio.open(name) as array:
                return {"elements": array.read(1).ravel().tolist()}
        except Exception as error:
            failures.append(str(error))
    return {"error": "; ".join(failures)}


def ask_page(source):
    """Shows an array in a page, and asks it for the elements."""
    import neuroglancer

    neuroglancer.set_server_bind_address("127.0.0.1")
    viewer = neuroglancer.Viewer()
    with viewer.txn() as state:
        state.layers["shown"] = neuroglancer.ImageLayer(source=source)
    print(viewer.get_viewer_url(), flush=True)
    try:
        volume = viewer.volume("shown").result(timeout=60)
        return {"elements": volume.read().result(timeout=60).ravel().tolist()}
    except Exception as error:
        return {"error": f"{type(error).__name__} {error}"}


if __name__ == "__main__":
    if sys.argv[1] == "version":
        print(rasterio.__gdal_version__)
    elif sys.argv[1] == "neuroglancer-version":
        print(version("neuroglancer"))
    elif sys.argv[1] == "neuroglancer":
        print(json.dumps(ask_page(sys.argv[2])))
    else:
        print(json.dumps(read(*sys.argv[1:])))
