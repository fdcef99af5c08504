"""Writes the stores of the tests of reductions, and what xarray and NumPy answer for them.

    python make.py

needs numpy, xarray, zarr and cftime. `cases.json` has the answers; NaN is null. The stores are
packed into `stores.tar.gz`.
"""

import json
import math
import shutil
import tarfile
from pathlib import Path

import numpy as np
import xarray as xr
import zarr

HERE = Path(__file__).parent
STORES = HERE / "stores"


def plain(values):
    """Nested lists to one list of JSON numbers."""
    def one(value):
        if isinstance(value, (bool, np.bool_)):
            return int(value)
        if isinstance(value, (int, np.integer)):
            return int(value) if abs(int(value)) <= 2**53 else str(int(value))
        value = float(value)
        if math.isnan(value):
            return None
        return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")

    return [one(value) for value in np.asarray(values).ravel()]


def dataset(calendar):
    random = np.random.default_rng(7)
    time = xr.date_range("2003-11-20", periods=500, freq="D", calendar=calendar, use_cftime=True)
    latitude = np.linspace(60, -30, 7)
    longitude = np.linspace(0, 120, 9)
    air = (280 + 10 * random.standard_normal((500, 7, 9))).astype("float32")
    air[random.random(air.shape) < 0.1] = np.nan
    air[3, 2, 1] = np.inf
    rain = np.round(random.random((500, 7, 9)) * 30, 1)
    rain[random.random(rain.shape) < 0.05] = np.nan
    dims = ("time", "latitude", "longitude")
    bounds = np.stack([latitude + 7.5, latitude - 7.5], axis=1)
    found = xr.Dataset(
        {
            "air": (dims, air),
            "rain": (dims, rain),
            "count": (dims, random.integers(0, 5, air.shape).astype("uint8")),
            "large": (dims, random.integers(-(2**40), 2**40, air.shape)),
            "zone": (("longitude", "latitude"), random.integers(0, 4, (9, 7)).astype("int16")),
            "latitude_bounds": (("latitude", "ends"), bounds),
        },
        coords={"time": time, "latitude": latitude, "longitude": longitude},
    )
    found.latitude.attrs = {"standard_name": "latitude", "units": "degrees_north", "bounds": "latitude_bounds"}
    found.longitude.attrs = {"standard_name": "longitude", "units": "degrees_east"}
    return found


CHUNKS = {"time": 60, "latitude": 4, "longitude": 5}


def write(name, data, version):
    encoding = {"rain": {"dtype": "int16", "scale_factor": 0.1, "add_offset": 10.0, "_FillValue": -9999}}
    chunks = (60, 4, 5)
    for variable in ("air", "rain", "count", "large"):
        encoding.setdefault(variable, {})["chunks"] = chunks
    if version == 2:
        encoding["air"]["dtype"] = ">f4"
    else:
        encoding["air"] |= {"chunks": (30, 2, 3), "shards": (120, 4, 9)}
    data.to_zarr(STORES / name, zarr_format=version, encoding=encoding, consolidated=True)


def with_missing_chunks(name):
    """An array of float32 of which most chunks are missing; the fill value is 1.5."""
    array = zarr.create_array(
        STORES / name, shape=(40, 30), chunks=(7, 11), dtype="float32", fill_value=1.5,
        dimension_names=("y", "x"),
    )
    array[8:20, 5:9] = np.arange(48, dtype="float32").reshape(12, 4)
    return array[:]


def main():
    shutil.rmtree(STORES, ignore_errors=True)
    STORES.mkdir()
    cases = []

    def case(store, array, answer, *, selection=None, skips=(), **options):
        answer = answer.load() if isinstance(answer, xr.DataArray) else answer
        values = answer.values if isinstance(answer, xr.DataArray) else answer
        dims = list(answer.dims) if isinstance(answer, xr.DataArray) else []
        cases.append({
            "store": store, "array": array, "selection": selection, "options": options,
            "answer": plain(values), "shape": list(np.shape(values)), "dims": dims,
        })

    for store, version, calendar in (("v3", 3, "standard"), ("v2", 2, "noleap")):
        data = dataset(calendar)
        write(store, data, version)
        data = xr.open_zarr(STORES / store, decode_times=xr.coders.CFDatetimeCoder(use_cftime=True)).load()
        air, rain, count, large = data.air, data.rain, data["count"], data.large
        finite = air.where(np.isfinite(air))
        names = {"mean": "mean", "sum": "sum", "min": "min", "max": "max", "count": "count"}
        for op in names:
            for over in (["time"], ["latitude", "longitude"], ["time", "latitude", "longitude"]):
                case(store, "air", getattr(air.astype("float64"), op)(over), op=op, over=over)
                case(store, "rain", getattr(rain.astype("float64"), op)(over), op=op, over=over, decode="cf")
                case(store, "large", getattr(large, op)(over), op=op, over=over)
        for op in ("var", "std"):
            for ddof in (0, 1):
                case(store, "rain", getattr(rain.astype("float64"), op)("time", ddof=ddof), op=op, over="time",
                     ddof=ddof, decode="cf")
                case(store, "large", getattr(large.astype("float64"), op)(["time", "longitude"], ddof=ddof), op=op,
                     over=["time", "longitude"], ddof=ddof)
        case(store, "count", (count != 0).any("time").astype("uint8"), op="any", over="time")
        case(store, "count", (count != 0).all(["latitude", "longitude"]).astype("uint8"), op="all",
             over=["latitude", "longitude"])
        case(store, "large", large.argmin("time"), op="argmin", over="time")
        case(store, "count", count.argmax("longitude"), op="argmax", over="longitude")
        wide = rain.astype("float64")
        case(store, "rain", wide.median("time"), op="median", over="time", decode="cf")
        case(store, "rain", wide.quantile(0.9, ["latitude", "longitude"]).drop_vars("quantile"), op="quantile", q=0.9,
             over=["latitude", "longitude"], decode="cf")
        case(store, "rain", wide.quantile([0.1, 0.5, 1], "time"), op="quantile", q=[0.1, 0.5, 1], over="time", decode="cf")
        case(store, "rain", wide.mean("time", skipna=False), op="mean", over="time", decode="cf",
             skipMissing=False)
        for edges, boundary in (("trim", "trim"), ("pad", "pad")):
            blocks = {"time": 30, "latitude": 2}
            made = rain.drop_vars("time").astype("float64").coarsen(blocks, boundary=boundary).mean()
            case(store, "rain", made, op="mean", coarsen=blocks, edges=edges, decode="cf")
        for part in ("year", "month", "season", "day", "dayofyear"):
            if part in ("day", "dayofyear"):
                whole = large.groupby(f"time.{part}").sum(...).rename({part: "group"})
                case(store, "large", whole, op="sum", groups={"time": part})
                continue
            made = rain.astype("float64").groupby(f"time.{part}").mean("time")
            if part == "season":
                made = made.sel(season=["DJF", "MAM", "JJA", "SON"])
            made = made.rename({part: "group"}).transpose("group", "latitude", "longitude")
            case(store, "rain", made, op="mean", over=["time"], groups={"time": part}, decode="cf")
            whole = large.groupby(f"time.{part}").sum(...)
            if part == "season":
                whole = whole.sel(season=["DJF", "MAM", "JJA", "SON"])
            case(store, "large", whole.rename({part: "group"}), op="sum", groups={"time": part})
        edges = [-30, 0, 30, 60]
        # The bins of `groupby_bins` are closed at their upper ends.
        bins = [rain.sel(latitude=slice(high if high == 60 else high - 1e-9, low)).astype("float64").mean(...)
                for low, high in zip(edges[:-1], edges[1:], strict=True)]
        case(store, "rain", xr.concat(bins, "group"), op="mean", groups={"latitude": {"bins": edges}}, decode="cf")
        zone = data.zone
        made = rain.astype("float64").groupby(zone).max(...).rename({"zone": "group"})
        case(store, "rain", made, op="max", groups={"labels": "zone"}, decode="cf")
        of_zone = [rain.where(zone == at).astype("float64").mean(["latitude", "longitude"]) for at in range(4)]
        made = xr.concat(of_zone, "group")
        case(store, "rain", made.transpose("time", "group"), op="mean", over=[], groups={"labels": "zone"}, decode="cf")
        cosines = np.cos(np.deg2rad(data.latitude))
        weighted = rain.astype("float64").weighted(cosines)
        for op in ("mean", "sum", "var", "std"):
            case(store, "rain", getattr(weighted, op)(["latitude", "longitude"]), op=op,
                 over=["latitude", "longitude"], weights={"latitude": "cos"}, decode="cf")
        heights = np.abs(np.sin(np.deg2rad(np.clip(data.latitude + 7.5, -90, 90))) - np.sin(np.deg2rad(data.latitude - 7.5)))
        case(store, "rain", rain.astype("float64").weighted(heights).mean(["latitude", "longitude"]), op="mean",
             over=["latitude", "longitude"], weights="area", decode="cf")
        between = rain.where((rain >= 15) & (rain <= 25)).astype("float64")
        case(store, "rain", between.mean("time"), op="mean", over="time", where={"min": 15, "max": 25}, decode="cf")
        masked = rain.where(zone > 1).astype("float64")
        case(store, "rain", masked.sum(...), op="sum", where="zone > 1", decode="cf")
        part = finite.isel(time=slice(400, 100, -7), latitude=[5, 1, 1], longitude=slice(2, 8)).astype("float64")
        case(store, "air", part.mean("time"), op="mean", over="time",
             selection=[{"start": 400, "stop": 100, "step": -7}, [5, 1, 1], {"start": 2, "stop": 8}])
        case(store, "air", finite.isel(latitude=4).astype("float64").max("time"), op="max", over="time",
             selection=[None, 4, None])
        case(store, "air", air.isel(time=slice(0, 0)).astype("float64").mean("time"), op="mean", over="time",
             selection=[{"start": 0, "stop": 0}, None, None])
    values = with_missing_chunks("missing").astype("float64")
    for op in ("mean", "sum", "min", "max", "var"):
        made = xr.DataArray(values, dims=("y", "x"))
        case("missing", "", getattr(made, op)("y"), op=op, over="y")
        case("missing", "", getattr(made, op)(), op=op)
    (HERE / "cases.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")
    with tarfile.open(HERE / "stores.tar.gz", "w:gz") as archive:
        archive.add(STORES, "stores")
    shutil.rmtree(STORES)
    print(len(cases), "cases")


main()
