/**
 * Arrays in other containers than folders: on a server, in archives, behind kerchunk's references
 * and in Icechunk repositories, and hierarchies whose only metadata are consolidated ones. The
 * files are those of `tests/fixtures`, in a folder that is laid out for all readers.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FIXTURES } from "../node/fixture_files.mjs";
import { unpackArchive } from "../support/fixture_archives.mjs";

const SOURCE = join(import.meta.dirname, "../fixtures");
const json = (...path) => JSON.parse(readFileSync(join(SOURCE, ...path), "utf8"));
const packed = (View, values) => Buffer.from(View.from(values.flat(Infinity)).buffer).toString("base64");

/** Where Icechunk's virtual chunks are by the repositories: `fixtures/icechunk/served.py`. */
export const VIRTUAL_PORT = 28917;

/** Archives whose hierarchy is in a folder inside. */
const INSIDE = {
  "beside.zip": "data.zarr/",
  "folder.zip": "data.zarr/",
  "in-folders.zip": "download/data.zarr/",
};
const REPOSITORIES = { v1: "v1", "v1-by-2": "v1", v2: "v2", expired: "v2", migrated: "v2", split: "v2" };
const SERVED = [
  ["zarr-python-3/codecs-v2", "gzip-C", "container:http"],
  ["zarr-python-3/codecs-v2", "raw-C", "container:http"],
  ["zarr-python-3/codecs-v3", "gzip-0", "container:http"],
  ["zarr-python-3/codecs-v3", "zstd-0", "container:http"],
  ["zarr-python-3/sharding-v3", "gzip-checked-end", "container:http-ranges"],
  ["zarr-python-3/sharding-v3", "zstd-checked-end", "container:http-ranges"],
];

const isArray = ({ kind }) => kind === "array";
const expectedOf = (name) => JSON.parse(readFileSync(join(FIXTURES, name, "expected.json"), "utf8"));

/** An array with what the drivers and the comparison need. */
function entry(kind, feature, { name, path, expected, ...request }) {
  const { shape, values, data_type: type } = expected;
  const id = `${feature.replace(":", "/")}/${name}/${path}`;
  const more = [`format:${request.format}`, ...(feature === "container:http-ranges" ? ["shard"] : [])];
  return {
    request: { id, kind, path, shape, type, variable: false, ...request },
    features: [feature, ...more].sort(),
    expected: { shape, values },
  };
}

function served(url) {
  return SERVED.map(([name, path, feature]) => {
    const expected = expectedOf(name).find((node) => node.path === path);
    const format = `v${expected.zarr_format}`;
    const address = `${url}/fixtures/${name}/store`;
    return entry("http", feature, { name, path, expected, format, store: address, url: address });
  });
}

function archives(url, folder) {
  return Object.entries(json("containers/expected.json"))
    .filter(([name]) => /\.(zip|ozx)$/.test(name))
    .map(([name, { a: rows }]) => {
      const expected = { shape: [6, 8], values: packed(Int32Array, rows), data_type: "int32" };
      const address = `${url}/containers/${name}`;
      const file = join(folder, "containers", name);
      const [format, inside] = [name === "v2.zip" ? "v2" : "v3", INSIDE[name] ?? ""];
      const feature =
        { "deflated.zip": "container:zip-deflated", "zip-store.zip": "container:zip-twice" }[name] ??
        "container:zip";
      return entry("zip", feature, {
        name,
        path: "a",
        expected,
        format,
        store: address,
        url: address,
        file,
        inside,
      });
    });
}

const VIEWS = {
  "group/plain": [Float64Array, "float64"],
  v: [Int16Array, "int16"],
  temperature: [Int32Array, "int32"],
};

function jsonReferences(url, folder) {
  return Object.entries(json("containers/expected.json"))
    .filter(([name]) => name.endsWith(".json"))
    .flatMap(([name, arrays]) =>
      Object.entries(arrays).map(([path, rows]) => {
        const [View, type] = VIEWS[path];
        const expected = {
          shape: [rows.length, rows[0].length],
          values: packed(View, rows),
          data_type: type,
        };
        const address = `${url}/containers/${name}`;
        const place = { format: "v2", store: address, url: address, file: join(folder, "containers", name) };
        return entry("references", "container:references-json", {
          name,
          path,
          expected,
          dialect: "json",
          ...place,
        });
      }),
    );
}

function parquetReferences(url, folder) {
  return Object.entries(JSON.parse(readFileSync(join(FIXTURES, "kerchunk/expected.json"), "utf8"))).flatMap(
    ([name, { arrays }]) =>
      Object.entries(arrays).map(([path, { shape, values }]) => {
        const expected = { shape, values, data_type: "int32" };
        const address = `${url}/kerchunk/${name}.parq`;
        const place = {
          format: "v2",
          store: address,
          url: address,
          file: join(folder, "kerchunk", `${name}.parq`),
        };
        const mirror = ["https://data.example/", `${url}/kerchunk/`];
        return entry("references", "container:references-parquet", {
          name,
          path,
          expected,
          dialect: "parquet",
          mirror,
          ...place,
        });
      }),
  );
}

const NUMBERS = {
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
};

function repositories(url, folder) {
  return Object.entries(REPOSITORIES).flatMap(([name, version]) => {
    const { states, branches } = json(`icechunk/${name}.expected.json`);
    const nodes = states["branch main"];
    const snapshot = branches.main;
    const place = {
      format: "v3",
      store: `${url}/icechunk/${name}`,
      url: `${url}/icechunk/${name}`,
      file: join(folder, "icechunk", name),
    };
    return Object.entries(nodes)
      .filter(([, { values }]) => values)
      .map(([path, { shape, dtype, values }]) => {
        const expected = { shape, values: packed(NUMBERS[dtype], values), data_type: dtype };
        const options = { branch: "main" };
        return entry("icechunk", `container:icechunk-${version}`, {
          name,
          path,
          expected,
          options,
          snapshot,
          prefixes: [],
          ...place,
        });
      });
  });
}

/** Chunks that are ranges of files on a server. Those in a bucket would be asked of AWS. */
function virtualChunks(url, folder) {
  const host = `http://127.0.0.1:${VIRTUAL_PORT}/`;
  const { virtual } = json("icechunk/virtual.expected.json");
  const place = {
    format: "v3",
    store: `${url}/icechunk/virtual`,
    url: `${url}/icechunk/virtual`,
    file: join(folder, "icechunk/virtual"),
  };
  return ["http", "vcc"].map((path) => {
    const expected = { shape: [4, 8], values: packed(Uint8Array, virtual[path]), data_type: "uint8" };
    const options = { branch: "main", allowHosts: [`127.0.0.1:${VIRTUAL_PORT}`] };
    const access = { options, prefixes: [host, `${host}named/`] };
    return entry("icechunk", "container:icechunk-virtual", {
      name: "virtual",
      path,
      expected,
      ...access,
      ...place,
    });
  });
}

const CONSOLIDATED = [
  ["zarr-python-3/hierarchy-v2", "v2", /^\.z(array|group|attrs)$/],
  ["zarr-python-3/hierarchy-v3", "v3", /^zarr\.json$/],
];

/** Stores without the nodes' own documents: what reads them reads the consolidated ones. */
function consolidated(folder) {
  return CONSOLIDATED.flatMap(([name, format]) =>
    expectedOf(name)
      .filter((node) => isArray(node) && /^[\w/-]+$/.test(node.path))
      .map((node) =>
        entry("folder", `consolidated:${format}`, {
          ...{ name, path: node.path, expected: node, format, consolidated: true },
          store: join(folder, "consolidated", name, "store"),
        }),
      ),
  );
}

function removeDocuments(store, pattern) {
  for (const found of readdirSync(store, { recursive: true, withFileTypes: true })) {
    const isRoot = found.parentPath === store;
    if (found.isFile() && pattern.test(found.name) && !isRoot) rmSync(join(found.parentPath, found.name));
  }
}

/** References to a file beside them get an address, which every reader takes as it is. */
function addAddresses(folder, url) {
  for (const name of ["hdf5.json", "hdf5-v0.json"]) {
    const file = join(folder, "containers", name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('"data.h5"', `"${url}/containers/data.h5"`));
  }
}

/** Lays the files out below a folder, anew each time. `url` serves it. */
export function layOut(folder, url) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(SOURCE, "containers"), join(folder, "containers"), { recursive: true });
  addAddresses(folder, url);
  cpSync(join(FIXTURES, "kerchunk/files"), join(folder, "kerchunk"), { recursive: true });
  for (const name of Object.keys(JSON.parse(readFileSync(join(FIXTURES, "kerchunk/expected.json"), "utf8"))))
    cpSync(join(FIXTURES, "kerchunk", name), join(folder, "kerchunk", `${name}.parq`), { recursive: true });
  for (const name of [...Object.keys(REPOSITORIES), "virtual"])
    unpackArchive(join(SOURCE, "icechunk", `${name}.tar.gz`), join(folder, "icechunk", name));
  for (const [name, , pattern] of CONSOLIDATED) {
    const store = join(folder, "consolidated", name, "store");
    cpSync(join(FIXTURES, name, "store"), store, { recursive: true });
    removeDocuments(store, pattern);
  }
}

/** `[{ request, features, expected }]`, as `arrays.mjs` has them. `url` serves the folder. */
export const containerArrays = (url, folder) => [
  ...served(url),
  ...archives(url, folder),
  ...jsonReferences(url, folder),
  ...parquetReferences(url, folder),
  ...repositories(url, folder),
  ...virtualChunks(url, folder),
  ...consolidated(folder),
];
