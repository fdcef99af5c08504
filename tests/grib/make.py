"""Writes the GRIB file `messages.grib2` with eccodes, and the references that `kerchunk.grib2.scan_grib` makes of it; and
what zarr-python reads by them with kerchunk's codec. eccodes==2.50.0, cfgrib==0.9.15.1, kerchunk==0.2.10, zarr==3.4.2

    python tests/grib/make.py
"""

import base64
import json
import os
from pathlib import Path

import eccodes
import fsspec
import kerchunk.codecs  # it registers the codec
import kerchunk.grib2
import numpy as np
import zarr
from kerchunk.utils import fs_as_store

HERE = Path(__file__).parent
GRIDS = {
    "regular": {
        "Ni": 12, "Nj": 9, "latitudeOfFirstGridPointInDegrees": 60, "latitudeOfLastGridPointInDegrees": 20,
        "longitudeOfFirstGridPointInDegrees": 0, "longitudeOfLastGridPointInDegrees": 330,
        "iDirectionIncrementInDegrees": 30, "jDirectionIncrementInDegrees": 5,
    },
    "lambert": {
        "gridType": "lambert", "shapeOfTheEarth": 6, "Nx": 14, "Ny": 11, "latitudeOfFirstGridPoint": 21138123,
        "longitudeOfFirstGridPoint": 237280472, "LaD": 38500000, "LoV": 262500000, "Dx": 300000000, "Dy": 300000000,
        "Latin1": 38500000, "Latin2": 38500000, "jScansPositively": 1,
    },
}
PACKINGS = {"regular": "grid_ccsds", "lambert": "grid_complex_spatial_differencing"}


def message(name):
    handle = eccodes.codes_grib_new_from_samples("regular_ll_pl_grib2")
    for key, value in GRIDS[name].items():
        eccodes.codes_set(handle, key, value)
    rows, columns = np.mgrid[: eccodes.codes_get(handle, "Ny"), : eccodes.codes_get(handle, "Nx")]
    values = 280 + 20 * np.sin(columns / 3) + rows * 0.7
    eccodes.codes_set_array(handle, "values", values.ravel())
    eccodes.codes_set(handle, "packingType", PACKINGS[name])
    eccodes.codes_set(handle, "bitmapPresent", 1)
    eccodes.codes_set(handle, "missingValue", 9999)
    values[2, 3:6] = 9999
    eccodes.codes_set_array(handle, "values", values.ravel())
    return eccodes.codes_get_message(handle)


os.chdir(HERE)
Path("messages.grib2").write_bytes(b"".join(message(name) for name in GRIDS))
documents = dict(zip(GRIDS, kerchunk.grib2.scan_grib("messages.grib2")))
expected = {}
for name, document in documents.items():
    group = zarr.open_group(fs_as_store(fsspec.filesystem("reference", fo=document)), mode="r", zarr_format=2)
    arrays = {path: array[...] for path, array in group.arrays() if array.ndim}
    expected[name] = {
        path: {"shape": list(values.shape), "values": base64.b64encode(values.astype("<f8").tobytes()).decode()}
        for path, values in arrays.items()
    }
    print(name, {path: (values.shape, values.dtype) for path, values in arrays.items()})
Path("references.json").write_text(json.dumps(documents, indent=1, sort_keys=True) + "\n")
Path("expected.json").write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")
