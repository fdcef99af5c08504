/**
 * Which containers of Zarr data this package and its peers open, as a table: each reads one array
 * of a fixture over HTTP, and its elements are compared with those of the fixture's own writer.
 * It measures no time.
 *
 *   node benches/peers/containers.mjs <folder>           prints the table
 *   node benches/peers/containers.mjs <folder> --write   writes it into docs/stores.md, too
 *
 * The folder holds the peers: `node_modules` with zarrita and icechunk-js, and `py`, a virtual
 * environment of Python with rasterio, whose wheel has GDAL, neuroglancer and tensorstore. dist/
 * must be built. neuroglancer runs in Chromium, and is asked for elements by its Python package,
 * whose queries take folders alone.
 */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import * as zarr from "zarr-wasm";
import { ROOT, say } from "../../scripts/run_command.mjs";
import { launchChromium } from "../../tests/browser/chromium.mjs";
import { sendFile } from "../../tests/node/scripted_server.mjs";
import { serveRepositories } from "../../tests/servers/icechunk.mjs";
import { unpackArchive, unpackFixtures } from "../../tests/support/fixture_archives.mjs";

/** The port to which virtual chunks of the fixtures refer. */
const VIRTUAL_PORT = 28917;
const PAGE = join(ROOT, "docs/stores.md");

const fixtures = unpackFixtures();
const json = (path) => JSON.parse(readFileSync(path, "utf8"));

const VIEWS = { int32: Int32Array, uint8: Uint8Array };

/** The elements of an array of a fixture of `tests/fixtures`. */
function ofFixture(name, path) {
  const node = json(join(fixtures, name, "expected.json")).find((each) => each.path === path);
  const bytes = Uint8Array.from(Buffer.from(node.values, "base64"));
  return [...new VIEWS[node.data_type](bytes.buffer)];
}

const ofArchive = (name, path) =>
  json(join(ROOT, "tests/fixtures/containers/expected.json"))[name][path].flat();

function ofTables(name, path) {
  const { values } = json(join(fixtures, "kerchunk/expected.json"))[name].arrays[path];
  return [...new Int32Array(Uint8Array.from(Buffer.from(values, "base64")).buffer)];
}

const expectedOf = (name) => json(join(ROOT, `tests/fixtures/icechunk/${name}.expected.json`));
const ofRepository = (name, path) => expectedOf(name).states["branch main"][path].values;
const ofVirtual = (name, path) => expectedOf(name).virtual[path];

/** The containers: name, kind, path on the server, path of the array, elements. */
const folder = (name, path) => [`/fixtures/${name}/store`, path, ofFixture(name, path)];
const tables = (name, path) => [`/kerchunk/${name}.parq`, path, ofTables(name, path)];
const archive = (name, path) => [`/stores/${name}`, path, ofArchive(name, path)];
const repository = (name, path) => [`/icechunk/${name}`, path, ofRepository(name, path)];
const virtual = (name, path) => [`/icechunk/${name}`, path, ofVirtual(name, path)];
const CONTAINERS = [
  ["a folder of Zarr v2", "folder", ...folder("zarr-python-3/defaults-v2", "int32")],
  ["a folder of Zarr v3", "folder", ...folder("zarr-python-3/defaults-v3", "int32")],
  ["shards of Zarr v3", "folder", ...folder("zarr-python-3/sharding-defaults-v3", "uint8")],
  ["an archive of Zarr v2", "zip", ...archive("v2.zip", "a")],
  ["an archive of Zarr v3", "zip", ...archive("stored.zip", "a")],
  ["an archive of OME-Zarr, `.ozx`", "zip", ...archive("image.ozx", "a")],
  ["kerchunk JSON of an HDF5 file", "json", ...archive("hdf5.json", "temperature")],
  ["kerchunk JSON of NetCDF files, inline chunks", "json", ...archive("combined.json", "v")],
  ["kerchunk Parquet", "parquet", ...tables("uncompressed", "plane")],
  ["Icechunk, version 1", "icechunk", ...repository("v1", "temperature")],
  ["Icechunk, version 2", "icechunk", ...repository("v2", "temperature")],
  ["Icechunk, migrated from 1 to 2", "icechunk", ...repository("migrated", "temperature")],
  ["Icechunk, split manifests", "icechunk", ...repository("split", "all")],
  ["Icechunk, virtual chunks over HTTP", "icechunk", ...virtual("virtual", "http")],
  ["Icechunk, locations with a dictionary", "icechunk", ...virtual("dictionary", "many")],
];

/** All files below a folder, by their path on the server. */
function filesBelow(root, prefix) {
  const files = readdirSync(root, { recursive: true, withFileTypes: true });
  const paths = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.map((path) => [`${prefix}/${relative(root, path)}`, readFileSync(path)]);
}

/** Starts the server of the containers, and that of virtual chunks. */
async function serveContainers(work) {
  const files = new Map(filesBelow(join(ROOT, "tests/fixtures/containers"), "/stores"));
  const add = (root, prefix) => {
    for (const [path, bytes] of filesBelow(root, prefix)) files.set(path, bytes);
  };
  for (const [, kind, path] of CONTAINERS)
    if (kind === "folder") add(join(fixtures, path.slice("/fixtures/".length)), path);
  for (const name of new Set(CONTAINERS.flatMap(([, kind, path]) => (kind === "icechunk" ? [path] : [])))) {
    const unpacked = join(work, name.slice(1));
    unpackArchive(join(ROOT, `tests/fixtures${name}.tar.gz`), unpacked);
    add(unpacked, name);
  }
  const formula = await serveRepositories(new Map());
  const virtualFile = async (path) => {
    const answer = await fetch(`${formula.url}/virtual${path}`);
    return Buffer.from(await answer.arrayBuffer());
  };
  const server = await serve(0, (path) => files.get(path));
  const virtual = await serve(VIRTUAL_PORT, virtualFile);
  addTables(files, server.url);
  const close = () => Promise.all([server, virtual, formula].map((each) => each.close()));
  return { url: server.url, close };
}

const HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "*",
  "Access-Control-Expose-Headers": "*",
  ETag: '"the-tag"',
  "Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT",
};

/** Starts a server of the bytes of paths, for pages of all origins. */
async function serve(port, bytesOf) {
  const server = createServer(async (request, response) => {
    if (request.method === "OPTIONS") return response.writeHead(204, HEADERS).end();
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    return sendFile(request, response, await bytesOf(path), HEADERS);
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

/** Adds tables of references. Their file gets a name of the same length at this server. */
function addTables(files, url) {
  const [named, name] = ["https://data.example/values.bin", `${url}/values.b`];
  if (named.length !== name.length) throw new Error(`${name} is not as long as ${named}`);
  const folder = join(fixtures, "kerchunk/uncompressed");
  for (const [path, bytes] of filesBelow(folder, "/kerchunk/uncompressed.parq"))
    files.set(path, Buffer.from(bytes.toString("latin1").replaceAll(named, name), "latin1"));
  const values = readFileSync(join(fixtures, "kerchunk/files/values.bin"));
  for (const path of ["/values.b", "/kerchunk/values.bin"]) files.set(path, values);
}

/** Reads with this package: `open` alone finds out what there is. */
const ownReader = {
  name: `zarr-wasm ${json(join(ROOT, "package.json")).version}`,
  async read({ url, path }) {
    const array = await zarr.open(url, { path, kind: "array", allowHosts: [`127.0.0.1:${VIRTUAL_PORT}`] });
    return [...(await array.get()).data];
  },
};

/** Readers of JavaScript in a folder with `node_modules`. */
async function scriptReaders(peers) {
  const load = (path) => import(pathToFileURL(join(peers, "node_modules", path)).href);
  const version = (name) => json(join(peers, "node_modules", name, "package.json")).version;
  const zarrita = await load("zarrita/dist/src/index.js");
  const storage = (name) => load(`@zarrita/storage/dist/src/${name}.js`).then((module) => module.default);
  const stores = {
    zip: async (url) => (await storage("zip")).fromUrl(url),
    json: async (url) => (await storage("ref")).fromUrl(url),
  };
  const elements = async (place) => [
    ...(await zarrita.get(await zarrita.open(place, { kind: "array" }))).data,
  ];
  const { IcechunkStore } = await load("icechunk-js/index.js");
  return [
    {
      name: `zarrita ${version("zarrita")}`,
      async read({ url, path, kind }) {
        const store = (await stores[kind]?.(url)) ?? new zarrita.FetchStore(url);
        return elements(zarrita.root(store).resolve(path));
      },
    },
    {
      name: `icechunk-js ${version("icechunk-js")}`,
      async read({ url, path, kind }) {
        if (kind !== "icechunk") throw new Error("it reads Icechunk alone");
        const store = await IcechunkStore.open(url);
        return elements(store.resolve(path));
      },
    },
  ];
}

/** Reads with GDAL, by `containers.py`. */
async function gdalReader(peers) {
  const run = promisify(execFile);
  const python = (...args) =>
    run(join(peers, "py/bin/python"), [join(import.meta.dirname, "containers.py"), ...args]);
  const { stdout } = await python("version");
  return {
    name: `GDAL ${stdout.trim()}`,
    async read({ url, path, kind }) {
      const answer = JSON.parse((await python(kind, url, path)).stdout);
      if (answer.error) throw new Error(answer.error);
      return answer.elements;
    },
  };
}

/** Reads with neuroglancer in a page, which `containers.py` asks for the elements. */
async function neuroglancerReader(peers) {
  const browser = await launchChromium();
  const program = join(import.meta.dirname, "containers.py");
  const python = join(peers, "py/bin/python");
  const { stdout } = await promisify(execFile)(python, [program, "neuroglancer-version"]);
  const read = async ({ url, path, kind, format }) => {
    if (kind !== "folder") return undefined;
    const child = spawn(python, [program, "neuroglancer", `${format}://${url}/${path}`]);
    const page = await browser.newPage();
    let told = "";
    child.stdout.on("data", (data) => {
      const isFirst = !told.includes("\n");
      told += data;
      if (isFirst && told.includes("\n")) page.goto(told.split("\n")[0]).catch(() => {});
    });
    await new Promise((done) => child.on("exit", done));
    await page.close();
    const answer = JSON.parse(told.split("\n")[1]);
    if (answer.error) throw new Error(answer.error);
    return answer.elements;
  };
  return { name: `neuroglancer ${stdout.trim()}`, read, close: () => browser.close() };
}

const isSame = (elements, expected) =>
  elements.length === expected.length && elements.every((element, at) => element === expected[at]);

/** What a reader makes of a container. */
async function verdict(reader, { expected, ...place }) {
  try {
    const elements = await reader.read(place);
    if (elements === undefined) return "not run";
    return isSame(elements, expected) ? "yes" : "wrong elements";
  } catch (error) {
    say(`  ${reader.name}, ${place.url}: ${String(error?.message ?? error).split("\n")[0]}`);
    return "no";
  }
}

async function table(readers, url) {
  const rows = [["container", ...readers.map(({ name }) => name)], Array(readers.length + 1).fill("---")];
  for (const [name, kind, at, path, expected] of CONTAINERS) {
    const verdicts = [];
    const format = name.endsWith("v2") ? "zarr2" : "zarr3";
    for (const reader of readers)
      verdicts.push(await verdict(reader, { url: `${url}${at}`, path, kind, format, expected }));
    rows.push([name, ...verdicts]);
  }
  return rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

const MARKS = ["<!-- containers: written by `node benches/peers/containers.mjs --write` -->", "<!-- end -->"];

function write(text) {
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(MARKS[0]);
  const after = rest.slice(rest.indexOf(MARKS[1]));
  writeFileSync(PAGE, `${before}${MARKS[0]}\n${text}\n${after}`);
}

const peers = resolve(process.argv[2] ?? ".");
const work = mkdtempSync(join(tmpdir(), "zarr-wasm-containers-"));
const server = await serveContainers(work);
try {
  const neuroglancer = await neuroglancerReader(peers);
  const readers = [ownReader, ...(await scriptReaders(peers)), await gdalReader(peers), neuroglancer];
  const date = new Date().toISOString().slice(0, 10);
  const text = `Run on ${date}.\n\n${await table(readers, server.url)}\n`;
  await neuroglancer.close();
  say(text);
  if (process.argv.includes("--write")) write(text);
} finally {
  zarr.dispose();
  await server.close();
  rmSync(work, { recursive: true, force: true });
}
