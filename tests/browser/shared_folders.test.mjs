/**
 * Several stores over one folder, or over a folder and one in it: writers of one chunk wait for
 * each other, and no element is lost. `tests/node/one_folder.test.mjs` has the tests in Node.
 */
import * as ours from "zarr-wasm";
import { equal, test } from "./harness.mjs";

/** For the slowest of browsers, beside another lane. */
const PATIENCE = { timeout: 120_000 };

const ELEMENTS = 1024;
/** How many elements a call writes. */
const RUN = 4;
const ARRAY = { shape: [ELEMENTS], chunkShape: [512], dtype: "int32" };

let folders = 0;

/** A new folder of the origin private file system: its path, and its handle. */
async function newFolder() {
  folders += 1;
  const path = `shared-${Date.now()}-${folders}`;
  const root = await navigator.storage.getDirectory();
  const handle = await root.getDirectoryHandle(path, { create: true });
  await handle.getDirectoryHandle("g", { create: true });
  return { path, handle, inner: await handle.getDirectoryHandle("g") };
}

const remove = async ({ path }) =>
  (await navigator.storage.getDirectory()).removeEntry(path, { recursive: true });

/** How the array `g/a` of a folder is reached: a store, and the path in it. */
const WAYS = {
  "OpfsStore of d": (zarr, { path }) => [new zarr.OpfsStore(path), "g/a"],
  "OpfsStore of d/g": (zarr, { path }) => [new zarr.OpfsStore(`${path}/g`), "a"],
  "DirectoryStore of d": (zarr, { handle }) => [new zarr.DirectoryStore(handle), "g/a"],
  "DirectoryStore of d/g": (zarr, { inner }) => [new zarr.DirectoryStore(inner), "a"],
  // The page performs the calls of this store.
  "DirectoryStore of a function": (zarr, { inner }) => [new zarr.DirectoryStore(async () => inner), "a"],
};
const PAIRS = [
  ["OpfsStore of d", "OpfsStore of d/g"],
  ["OpfsStore of d", "DirectoryStore of d"],
  ["OpfsStore of d/g", "DirectoryStore of d"],
  ["DirectoryStore of d", "DirectoryStore of d/g"],
  ["OpfsStore of d", "DirectoryStore of a function"],
];

/** The writers take turns in writing the next elements, all at once. */
async function writeInTurns(zarr, arrays) {
  const write = (_, turn) => {
    const [from, writer] = [turn * RUN, arrays[turn % arrays.length]];
    const values = Int32Array.from({ length: RUN }, (_, at) => from + at + 1);
    return writer.set([zarr.slice(from, from + RUN)], values);
  };
  await Promise.all(Array.from({ length: ELEMENTS / RUN }, write));
}

async function checkPair(zarr, ways, folder) {
  const [store, path] = WAYS[ways[0]](zarr, folder);
  await zarr.create(zarr.root(store).resolve(path), ARRAY);
  const arrays = await Promise.all(
    ways.map((way) => {
      const [store, path] = WAYS[way](zarr, folder);
      return zarr.open(store, { path, kind: "array" });
    }),
  );
  await writeInTurns(zarr, arrays);
  const { data } = await (await zarr.open(store, { path, kind: "array" })).get();
  equal(data.filter((value, at) => value === at + 1).length, ELEMENTS, "elements that were kept");
}

async function withEngine(engine, body) {
  ours.dispose();
  await ours.init({ engine });
  try {
    await body();
  } finally {
    ours.dispose();
    await ours.init({ engine: "worker" });
  }
}

for (const engine of ["worker", "caller"]) {
  for (const ways of PAIRS) {
    test(
      `OPFS: no write is lost, engine in the ${engine}: ${ways.join(", ")}`,
      async () => {
        const folder = await newFolder();
        await withEngine(engine, () => checkPair(ours, ways, folder));
        await remove(folder);
      },
      PATIENCE,
    );
  }
}

/** Makes a thread know no path of a folder, as if the user had chosen it. */
const FORGET = `navigator.storage.getDirectory = async () => { throw new Error("none"); };`;

/** The engine's worker, in which folders have no paths. */
function forgetfulWorker() {
  const engine = JSON.stringify(new URL("/dist/worker.js", location.href).href);
  const source = new Blob([`import ${engine}; ${FORGET}`], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(source), { type: "module" });
}

const CHOSEN_PAIRS = [
  ["DirectoryStore of d", "DirectoryStore of d/g"],
  ["DirectoryStore of d", "DirectoryStore of a function"],
];

/**
 * A copy of the package for these tests alone, because an option that was given stays. The bundler
 * of this page must not see the import.
 */
const copyFor = (engine) =>
  new Function("address", "return import(address)")(new URL(`/dist/inline.js?${engine}`, location.href).href);

for (const [engine, options] of [
  ["worker", { worker: forgetfulWorker }],
  ["caller", { engine: "caller" }],
]) {
  for (const ways of CHOSEN_PAIRS) {
    test(
      `OPFS: no write is lost in a folder without a path, engine in the ${engine}: ${ways.join(", ")}`,
      async () => {
        const folder = await newFolder();
        const zarr = await copyFor(engine);
        navigator.storage.getDirectory = () => Promise.reject(new Error("none"));
        try {
          await zarr.init(options);
          await checkPair(zarr, ways, folder);
        } finally {
          delete navigator.storage.getDirectory;
          zarr.dispose();
        }
        await remove(folder);
      },
      PATIENCE,
    );
  }
}
