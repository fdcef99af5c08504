/** The readers: how each is run, and with what. Their versions are those of the requirements. */
import { join } from "node:path";

const HERE = import.meta.dirname;

/** `models`: conventions that the reader has another model of. `driver`: of arrays in folders. `containers`, `conventions`: of the other lists, if they are asked. */
export const READERS = [
  {
    id: "zarr-wasm",
    name: "zarr-wasm",
    language: "node",
    driver: "with_zarr_wasm.mjs",
    containers: true,
    conventions: true,
  },
  { id: "zarrita", name: "zarrita", language: "node", driver: "with_zarrita.mjs", containers: true },
  {
    id: "icechunk",
    name: "icechunk for JavaScript",
    language: "node",
    driver: "with_icechunk.mjs",
    isStore: true,
    containers: true,
  },
  { id: "zarr.js", name: "zarr.js", language: "node", driver: "with_zarr_js.mjs", containers: true },
  {
    id: "neuroglancer",
    name: "neuroglancer",
    language: "bundle",
    driver: "with_neuroglancer.mjs",
    containers: true,
    conventions: true,
  },
  {
    id: "zarr-python",
    name: "zarr-python",
    language: "zarr-python",
    driver: "with_zarr_python.py",
    containers: true,
  },
  {
    id: "xarray",
    name: "xarray",
    language: "zarr-python",
    driver: "with_xarray.py",
    isStore: true,
    conventions: true,
  },
  {
    id: "tensorstore",
    name: "TensorStore",
    language: "tensorstore",
    driver: "with_tensorstore.py",
    containers: true,
  },
  { id: "zarrs", name: "zarrs", language: "cargo", driver: "zarrs", containers: "with_zarrista.py" },
  {
    id: "gdal",
    name: "GDAL",
    language: "gdal",
    driver: "with_gdal.py",
    containers: true,
    conventions: true,
    models: ["cf:packed"],
  },
];

/** Python's environments, each with its requirements file. */
export const PYTHONS = ["zarr-python", "tensorstore", "zarrs", "gdal"];

/** A reader's command, in environments that `environments.mjs` has made. */
export function commandOf({ language, driver }, { node, folder }) {
  const script = join(HERE, driver);
  if (language === "node") return [node, script];
  if (language === "bundle") return [node, join(folder, "neuroglancer.mjs")];
  if (language === "cargo") return [join(folder, "zarrs-program/debug/zarrs-reader")];
  return [join(folder, language, "bin/python"), script];
}

/** zarrs reads other containers by its Python binding. */
export const containerReader = (reader) =>
  typeof reader.containers === "string" ? { language: reader.id, driver: reader.containers } : reader;
