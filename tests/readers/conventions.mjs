/**
 * What readers make of conventions: packed values and counts of time by CF, and where the levels of
 * pyramids lie by OME-Zarr and GeoZarr. `tests/fixtures/conventions` has the stores, and the values
 * that xarray, cftime and the writers of the pyramids have.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const SOURCE = join(import.meta.dirname, "../fixtures/conventions");
const json = (path) => JSON.parse(readFileSync(join(SOURCE, path), "utf8"));

const WIDTHS = { int8: 1, uint8: 1, int16: 2, uint16: 2, float16: 2, int32: 4, uint32: 4, float32: 4 };

/** An entry as `arrays.mjs` has them. The store is written by `layOut`. */
function entry({ feature, name, folder, files, path = "", format = "v3" }, request, expected) {
  const id = `${feature.replace(":", "/")}/${name}`;
  const place = { store: join(folder, id.replaceAll(/[^\w/.-]/g, "_")), path, format };
  return {
    request: { id, kind: "folder", ...place, ...request },
    features: [feature, `format:${format}`],
    expected,
    files,
  };
}

const decoded = (files) => Object.entries(files).map(([key, text]) => [key, Buffer.from(text, "base64")]);

const packedValues = (folder) =>
  json("cf/values.json").cases.map(({ name, store, path = "v", type, values }) => {
    const size = Buffer.from(values, "base64").length / (WIDTHS[type] ?? 8);
    const format = name.includes("v2") || store[".zgroup"] ? "v2" : "v3";
    const place = { feature: "cf:packed", name, folder, files: decoded(store), path, format };
    return entry(place, { decoded: true, type, variable: false }, { shape: null, size, values });
  });

/** An array of counts as bytes, and its metadata. */
function countsStore(counts, attributes) {
  const metadata = {
    ...{
      zarr_format: 3,
      node_type: "array",
      shape: [counts.length],
      data_type: "int64",
      fill_value: 0,
      attributes,
    },
    chunk_grid: { name: "regular", configuration: { chunk_shape: [counts.length] } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    dimension_names: ["time"],
  };
  const group = { zarr_format: 3, node_type: "group", attributes: {} };
  return [
    ["zarr.json", JSON.stringify(group)],
    ["time/zarr.json", JSON.stringify(metadata)],
    ["time/c/0", Buffer.from(BigInt64Array.from(counts, BigInt).buffer)],
  ];
}

/** The whole counts of each unit and calendar, and their dates to the second. */
function countsOfTime(folder) {
  return json("cf/times.json").groups.flatMap(({ units, calendar, counts }, at) => {
    const whole = counts.filter(([count]) => Number.isSafeInteger(count));
    if (whole.length === 0) return [];
    const files = countsStore(
      whole.map(([count]) => count),
      { units, calendar },
    );
    const numbers = whole.flatMap(([, date]) => date.slice(0, 6));
    const name = `${at} ${calendar}`;
    return [
      entry(
        { feature: "cf:time", name, folder, files, path: "time" },
        { dates: true, units, calendar },
        { numbers },
      ),
    ];
  });
}

/** Pyramids: the coordinates of the first and the last element of each level. */
const pyramids = (folder) =>
  readdirSync(join(SOURCE, "stores")).map((file) => {
    const { documents, levels, convention, units, crs } = json(`stores/${file}`);
    const files = Object.entries(documents).map(([key, document]) => [key, JSON.stringify(document)]);
    const numbers = levels.flatMap(({ first, last }) => [...first, ...last]);
    const feature = convention === "ome" ? "pyramid:ome" : "pyramid:geozarr";
    const format = files.some(([key]) => key.endsWith("zarr.json")) ? "v3" : "v2";
    const place = { feature, name: file.replace(/\.json$/, ""), folder, files, format };
    return entry(
      place,
      { levels: levels.map(({ path, shape }) => ({ path, shape })), units, crs },
      { numbers },
    );
  });

const all = (folder) => [...packedValues(folder), ...countsOfTime(folder), ...pyramids(folder)];

/** Writes the stores. */
export function layOutConventions(folder) {
  for (const { request, files } of all(folder))
    for (const [key, bytes] of files) {
      const file = join(request.store, key);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
}

/** `[{ request, features, expected }]`. `url` serves the folder. */
export const conventionArrays = (url, folder) =>
  all(folder).map(({ files, request, ...rest }) => {
    const address = `${url}${request.store.slice(folder.length)}`;
    return { request: { ...request, url: encodeURI(address) }, ...rest };
  });
