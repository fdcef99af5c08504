"""What other libraries read of written_images.mjs: `python check_written.py <folder>`, in the environment `written`.

ome-zarr-py, ngff-zarr (with the official schemas), ome-zarr-models, napari-ome-zarr's reader, GDAL, zarr-python and xarray. Expected
values are NumPy's. Prints one line per check, `ok` or `not ok`.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import rasterio
import xarray as xr
import zarr

warnings.simplefilter("ignore")
FOLDER = Path(sys.argv[1])
FACTORS = (1, 2, 2)
failed = []


def check(what):
    """Runs a function as a check."""

    def run(function):
        try:
            function()
            print(f"ok {what}")
        except Exception as error:
            failed.append(what)
            print(f"not ok {what}: {type(error).__name__}: {str(error)[:600]}")

    return run


def same(found, expected):
    np.testing.assert_array_equal(np.asarray(found), expected, strict=True)


def numbers(*shape):
    return (np.arange(np.prod(shape), dtype=np.int64) * 7919 % 65521).astype("uint16").reshape(shape)


def halves(array):
    """Blocks of two by two in a dimension of their own. All extents are even, or NaN is added."""
    *outer, rows, columns = array.shape
    padding = [(0, 0)] * len(outer) + [(0, rows % 2), (0, columns % 2)]
    wide = np.pad(array.astype("float64"), padding, constant_values=np.nan)
    split = wide.reshape(*outer, wide.shape[-2] // 2, 2, wide.shape[-1] // 2, 2)
    return np.moveaxis(split, -3, -2).reshape(*split.shape[:-4], split.shape[-4], split.shape[-2], 4)


def means(array):
    with np.errstate(all="ignore"):
        mean = np.nanmean(halves(array), axis=-1)
    return (np.rint(mean) if array.dtype.kind == "u" else mean).astype(array.dtype)


def modes(array):
    def mode(block):
        values, counts = np.unique(block[~np.isnan(block)], return_counts=True)
        return values[np.argmax(counts)]

    return np.apply_along_axis(mode, -1, halves(array)).astype(array.dtype)


def levels(array, method, count=3):
    made = [array]
    while len(made) < count:
        made.append(method(made[-1]))
    return made


IMAGE = levels(numbers(2, 3, 60, 90), means)
LABELS = levels((np.arange(3 * 60 * 90) * 7919 % 5).astype("uint32").reshape(3, 60, 90), modes)
OFFSETS = [0, 0.5, 1.5]
IMAGES = {"image-0.4.zarr": "0.4", "image-0.5.zarr": "0.5", "sharded.zarr": "0.5"}


def check_image(name, version):
    path = FOLDER / name

    @check(f"{name}: zarr-python reads every level")
    def _():
        group = zarr.open_group(path, mode="r")
        assert group.metadata.zarr_format == (2 if version == "0.4" else 3)
        for at, (image, labels) in enumerate(zip(IMAGE, LABELS)):
            same(group[str(at)][:], image)
            same(group[f"labels/cells/{at}"][:], labels)

    @check(f"{name}: ngff-zarr reads it, valid by the official schemas")
    def _():
        from ngff_zarr import from_ngff_zarr

        for below, expected in (("", IMAGE), ("labels/cells", LABELS)):
            found = from_ngff_zarr(str(path / below), validate=True, version=version)
            assert len(found.images) == 3
            for at, (image, values) in enumerate(zip(found.images, expected)):
                same(image.data.compute(), values)
                assert {key: image.scale[key] for key in "zyx"} == {"z": 2.0, "y": 0.5 * 2**at, "x": 0.25 * 2**at}, image.scale
                moved = {"z": 0.0, "y": 0.5 * OFFSETS[at], "x": 0.25 * OFFSETS[at]}
                assert {key: image.translation[key] for key in "zyx"} == moved, image.translation
                assert image.axes_units["x"] == "micrometer"
        assert found.metadata.name == "cells"

    @check(f"{name}: the official schemas, strict ones too")
    def _():
        check_schemas(path, version)

    @check(f"{name}: ome-zarr-models takes it")
    def _():
        from ome_zarr_models import open_ome_zarr

        image = open_ome_zarr(zarr.open_group(path, mode="r"))
        assert type(image).__name__ == "Image", type(image)
        assert [dataset.path for dataset in image.datasets[0]] == ["0", "1", "2"]

    @check(f"{name}: ome-zarr-py reads it")
    def _():
        from ome_zarr.io import parse_url
        from ome_zarr.reader import Reader

        nodes = list(Reader(parse_url(str(path)))())
        image = nodes[0]
        for found, values in zip(image.data, IMAGE, strict=True):
            same(found.compute(), values)
        assert image.metadata["name"] == "cells" or image.metadata["channel_names"] == ["DAPI", "GFP"]
        labels = [node for node in nodes if node.zarr.path.rstrip("/").endswith("cells") or "labels/cells" in str(node.zarr)]
        assert labels, "no labels"
        for found, values in zip(labels[0].data, LABELS, strict=True):
            same(found.compute().squeeze(), values)

    @check(f"{name}: napari-ome-zarr reads layers of it")
    def _():
        from napari_ome_zarr import napari_get_reader

        layers = napari_get_reader(str(path))(str(path))
        images = [layer for layer in layers if layer[2] == "image"]
        assert [options["name"] for _, options, _ in images] == ["cells: DAPI", "cells: GFP"]
        for channel, (data, options, _) in enumerate(images):
            for found, values in zip(data, IMAGE, strict=True):
                same(found, values[channel])
            assert list(options["scale"]) == [2.0, 0.5, 0.25] and set(options["units"]) == {"micrometer"}, options
            assert options["contrast_limits"] == [float(IMAGE[2][channel].min()), float(IMAGE[2][channel].max())]
        labels = next(layer for layer in layers if layer[2] == "labels")
        for found, values in zip(labels[0], LABELS, strict=True):
            same(found, values)
        assert labels[1]["colormap"][1] == [1.0, 0.0, 0.0, 1.0]

    # GDAL 3.12 has no shards.
    if name == "sharded.zarr":
        return

    @check(f"{name}: GDAL reads every level")
    def _():
        for at, values in enumerate(IMAGE):
            with rasterio.open(f'ZARR:"{path}":/{at}:1:2') as band:
                same(band.read(1), values[1, 2])


def check_schemas(path, version):
    import ngff_zarr
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    folder = Path(ngff_zarr.__file__).parent / "spec" / version / "schemas"
    schemas = {file.name: json.loads(file.read_text()) for file in folder.glob("*.schema")}
    registry = Registry().with_resources([(each["$id"], Resource.from_contents(each, default_specification=DRAFT)) for each in schemas.values()])
    group = zarr.open_group(path, mode="r")
    for node, names in ((group, ("image", "strict_image")), (group["labels/cells"], ("label", "strict_image"))):
        for name in names:
            Draft202012Validator(schemas[f"{name}.schema"], registry=registry).validate(node.attrs.asdict())
    # A validator that takes anything would prove nothing.
    assert not Draft202012Validator(schemas["image.schema"], registry=registry).is_valid({"ome": {"multiscales": [{}]}, "multiscales": [{}]})


def check_archive():
    @check("image.ozx: ngff-zarr reads it")
    def _():
        from ngff_zarr import from_ngff_zarr

        found = from_ngff_zarr(str(FOLDER / "image.ozx"), validate=True, version="0.5")
        for image, values in zip(found.images, IMAGE, strict=True):
            same(image.data.compute(), values)

    @check("image.ozx: zarr-python reads every level")
    def _():
        group = zarr.open_group(zarr.storage.ZipStore(FOLDER / "image.ozx", mode="r"), mode="r")
        for at, (image, labels) in enumerate(zip(IMAGE, LABELS)):
            same(group[str(at)][:], image)
            same(group[f"labels/cells/{at}"][:], labels)

    @check("image.ozx: GDAL reads it")
    def _():
        with rasterio.open(f'ZARR:"/vsizip/{{{FOLDER / "image.ozx"}}}":/1:1:2') as band:
            same(band.read(1), IMAGE[1][1, 2])


def check_multiscales():
    path = FOLDER / "multiscales.zarr"
    at = np.arange(60 * 90)
    heights = np.where(at % 11 == 0, np.nan, at % 97 / 8).astype("float32").reshape(60, 90)
    expected = levels(heights, means)

    @check("multiscales.zarr: zarr-python and GDAL read every level")
    def _():
        group = zarr.open_consolidated(path)
        for index, values in enumerate(expected):
            same(group[str(index)][:], values)
            with rasterio.open(f'ZARR:"{path}":/{index}') as band:
                same(band.read(1), values)

    @check("groups.zarr: xarray reads every level")
    def _():
        for index, values in enumerate(expected):
            found = xr.open_zarr(FOLDER / "groups.zarr", group=str(index))["height"]
            assert found.dims == ("y", "x")
            same(found.values, values)

    for name in ("multiscales.zarr", "groups.zarr"):

        @check(f"{name}: zarr-cm takes its conventions")
        def _(name=name):
            import zarr_cm
            from zarr_cm import multiscales, proj, spatial

            document = json.loads((FOLDER / name / "zarr.json").read_text())
            zarr_cm.validate_convention_metadata_objects(document["attributes"]["zarr_conventions"])
            for module in (multiscales, proj, spatial):
                module.validate_node_metadata(document)


def expected_dataset():
    """The data set as it is written with xarray."""
    import cftime

    heat = np.where(np.arange(24) == 3, np.nan, 280 + np.arange(24) / 4).astype("float32").reshape(3, 2, 4)
    packed = 10 + 0.5 * np.array([[1, 2, np.nan, 4], [5, 6, 7, 8]])
    times = ["2026-01-01T00:00:00", "2026-01-01T06:00:00", "1969-12-31T18:00:00"]
    run = [cftime.Datetime360Day(2000, 2, 30), cftime.Datetime360Day(2000, 1, 1, 12), cftime.Datetime360Day(2001, 12, 30)]
    return xr.Dataset(
        {
            "heat": (("time", "lat", "lon"), heat, {"units": "K", "long_name": "temperature"}),
            "packed": (("lat", "lon"), packed),
            "empty": ("lat", np.full(2, np.nan)),
            "counts": ("lat", np.array([0, 2**62])),
            "flags": ("lon", np.array([True, False, True, True])),
        },
        {
            "time": np.array(times, "datetime64[ns]"),
            "lat": ("lat", np.array([50.0, 40.0]), {"units": "degrees_north", "standard_name": "latitude"}),
            "lon": ("lon", np.array([0, 10, 20, 30], "float32"), {"units": "degrees_east"}),
            "place": ("lat", np.array(["north", "süd"], dtype=object)),
            "valid": ("time", np.array(["2026-01-01T00:00:00.001", "NaT", "1969-12-31T18:00:00"], "datetime64[ns]")),
            "run": ("time", run),
            "level": ((), 850.0),
        },
        {"title": "written", "Conventions": "CF-1.11"},
    )


def check_datasets():
    stores = {f"dataset-v{version}.zarr": FOLDER / f"dataset-v{version}.zarr" for version in (2, 3)}
    stores["dataset.zip"] = zarr.storage.ZipStore(FOLDER / "dataset.zip", mode="r")
    for name, store in stores.items():

        @check(f"{name}: xarray decodes the data set that it would write")
        def _(store=store):
            found = xr.open_zarr(store, consolidated=True).load()
            found["place"] = found["place"].astype(object)
            expected = expected_dataset()
            assert set(found.coords) == set(expected.coords), set(found.coords)
            for variable in expected.variables:
                assert variable == "place" or found[variable].dtype == expected[variable].dtype, variable
            xr.testing.assert_identical(found, expected)

        @check(f"{name}: xarray writes it again, and reads the same")
        def _(store=store, name=name):
            found = xr.open_zarr(store).load()
            again = zarr.storage.MemoryStore()
            found.drop_vars("place").to_zarr(again, zarr_format=2 if "v2" in name else 3)
            xr.testing.assert_identical(xr.open_zarr(again).load(), found.drop_vars("place"))


if __name__ == "__main__":
    from referencing.jsonschema import DRAFT202012 as DRAFT

    for image, version in IMAGES.items():
        check_image(image, version)
    check_archive()
    check_multiscales()
    check_datasets()
    sys.exit(1 if failed else 0)
