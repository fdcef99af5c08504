"""Makes the files of this folder again: archives as Python's zipfile and zarr-python's ZipStore write them, and documents of
references as kerchunk finds them in HDF5 and NetCDF files. `expected.json` has the values, as zarr-python, h5py and netCDF4 read them.

    python -m venv v && v/bin/pip install -r requirements.txt && v/bin/python make.py
"""

import io
import json
import os
import shutil
import tempfile
import zipfile
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import zarr
from kerchunk.combine import MultiZarrToZarr
from kerchunk.hdf import SingleHdf5ToZarr

HERE = Path(__file__).parent
VALUES = (np.arange(48, dtype="int32").reshape(6, 8) * 7) % 101
EXPECTED = {}


def tree(folder, zarr_format=3):
    """A group with an array in it, as zarr-python writes it."""
    group = zarr.create_group(store=str(folder), zarr_format=zarr_format)
    array = group.create_array("a", shape=(6, 8), chunks=(3, 4), dtype="int32")
    array[:] = VALUES


def files_of(folder):
    return sorted((str(path.relative_to(folder)), path) for path in Path(folder).rglob("*") if path.is_file())


def archive(name, entries, method=zipfile.ZIP_STORED, **options):
    """`entries`: name and bytes, in order."""
    with zipfile.ZipFile(HERE / name, "w", method, **options) as out:
        for key, data in entries:
            out.writestr(zipfile.ZipInfo(key), data, method)


class Unseekable(io.RawIOBase):
    """A pipe: zipfile then writes sizes after each value."""

    def __init__(self, path):
        self.file = open(path, "wb")

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)

    def flush(self):
        self.file.flush()


def expect(name, path, values):
    EXPECTED.setdefault(name, {})[path] = np.asarray(values).tolist()


def make_folders(tree, work):
    """A folder in a folder, as Python's shutil packs it: with entries for the folders themselves; and one beside a text."""
    root = work / "packed"
    shutil.copytree(tree, root / "download" / "data.zarr")
    for path in [root, *root.rglob("*")]:
        os.utime(path, (315619200, 315619200))
        path.chmod(0o755 if path.is_dir() else 0o644)
    shutil.make_archive(str(HERE / "in-folders"), "zip", root_dir=root, base_dir="download")
    (root / "download" / "README.txt").write_text("What is in the folder beside this text.\n")
    os.utime(root / "download" / "README.txt", (315619200, 315619200))
    shutil.make_archive(str(HERE / "beside"), "zip", root_dir=root / "download")


def make_archives(work):
    tree(work / "v3")
    tree(work / "v2", 2)
    v3 = [(key, path.read_bytes()) for key, path in files_of(work / "v3")]
    v2 = [(key, path.read_bytes()) for key, path in files_of(work / "v2")]

    archive("stored.zip", v3)
    archive("deflated.zip", v3, zipfile.ZIP_DEFLATED)
    archive("v2.zip", v2, zipfile.ZIP_DEFLATED)
    archive("folder.zip", [("data.zarr/" + key, data) for key, data in v3] + [("__MACOSX/data.zarr/._a", b"?")])
    make_folders(work / "v3", work)
    with zipfile.ZipFile(HERE / "zip64.zip", "w") as out:
        for key, data in v3:
            with out.open(zipfile.ZipInfo(key), "w", force_zip64=True) as entry:
                entry.write(data)
    with zipfile.ZipFile(Unseekable(HERE / "streamed.zip"), "w", zipfile.ZIP_DEFLATED) as out:
        for key, data in v3:
            out.writestr(zipfile.ZipInfo(key), data, zipfile.ZIP_DEFLATED)
    documents = sorted((entry for entry in v3 if entry[0].endswith("zarr.json")), key=lambda entry: entry[0].count("/"))
    archive("image.ozx", documents + [entry for entry in v3 if entry not in documents])
    with zipfile.ZipFile(HERE / "image.ozx", "a") as out:
        ome = {"version": "0.5", "zipFile": {"centralDirectory": {"jsonFirst": True}}}
        out.comment = json.dumps({"ome": ome}).encode()

    # zarr-python's own, whose second write of a key leaves the first in the archive.
    path = HERE / "zip-store.zip"
    path.unlink(missing_ok=True)
    with zarr.storage.ZipStore(path, mode="w") as store:
        array = zarr.create_group(store=store).create_array("a", shape=(6, 8), chunks=(3, 4), dtype="int32")
        array[:] = 1
        array[:] = VALUES

    names = ["stored.zip", "deflated.zip", "v2.zip", "folder.zip", "in-folders.zip", "zip64.zip", "streamed.zip", "image.ozx", "zip-store.zip"]
    for name in names:
        expect(name, "a", VALUES)


def make_hdf5(name, data):
    with h5py.File(HERE / name, "w") as file:
        file.create_dataset("temperature", data=data, chunks=(3, 5), compression="gzip", shuffle=True)
        file.create_dataset("group/plain", data=np.arange(12, dtype="<f8").reshape(3, 4) / 8)
        file["temperature"].attrs["units"] = "K"


def make_netcdf(name, data, hours):
    with netCDF4.Dataset(HERE / name, "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", data.shape[1])
        time = file.createVariable("time", "f8", ("time",), chunksizes=(4,))
        time.units = "hours since 2000-01-01"
        time[:] = hours
        variable = file.createVariable("v", "i2", ("time", "x"), zlib=True, chunksizes=(2, 4), fill_value=-1)
        variable[:] = data


def references(name):
    with open(HERE / name, "rb") as file:
        # By a name relative to the document.
        return SingleHdf5ToZarr(file, name, inline_threshold=64).translate()


def dump(name, document):
    (HERE / name).write_text(json.dumps(document, indent=None, separators=(",", ":")))


def make_references(work):
    temperature = (np.arange(70, dtype="<i4").reshape(7, 10) ** 2) % 1000
    make_hdf5("data.h5", temperature)
    dump("hdf5.json", references("data.h5"))
    expect("hdf5.json", "temperature", temperature)
    expect("hdf5.json", "group/plain", np.arange(12).reshape(3, 4) / 8)

    # Version 0 is version 1's `refs` alone.
    dump("hdf5-v0.json", references("data.h5")["refs"])
    EXPECTED["hdf5-v0.json"] = EXPECTED["hdf5.json"]

    first = np.arange(24, dtype="i2").reshape(4, 6)
    second = first + 100
    make_netcdf("first.nc", first, range(4))
    make_netcdf("second.nc", second, range(4, 8))
    dump("netcdf.json", references("first.nc"))
    expect("netcdf.json", "v", first)

    cwd = os.getcwd()
    os.chdir(HERE)
    combined = MultiZarrToZarr(
        [references("first.nc"), references("second.nc")], concat_dims=["time"], remote_protocol="file"
    ).translate()
    os.chdir(cwd)
    dump("combined.json", combined)
    expect("combined.json", "v", np.concatenate([first, second]))

    # The same with templates, as kerchunk's text has them.
    templated = {"version": 1, "templates": {"u": "first", "f": "{{c}}.nc"}, "refs": {}}
    for key, value in combined["refs"].items():
        if isinstance(value, list):
            forms = {"first.nc": "{{u}}.nc", "second.nc": "{{f(c='second')}}"}
            value = [forms[value[0]], *value[1:]]
        templated["refs"][key] = value
    dump("templated.json", templated)
    EXPECTED["templated.json"] = EXPECTED["combined.json"]


def main():
    with tempfile.TemporaryDirectory() as work:
        make_archives(Path(work))
        make_references(Path(work))
    (HERE / "expected.json").write_text(json.dumps(EXPECTED) + "\n")


if __name__ == "__main__":
    main()
