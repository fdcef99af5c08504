/**
 * Files that another page writes while this one reads them, and writes that end with their page.
 * The other page is a frame, which is removed as a reload would end it.
 */
import * as zarr from "zarr-wasm";
import { equal, ok, rejects, test } from "./harness.mjs";

let folders = 0;
/** The path of a new folder in the origin private file system. */
const newFolder = () => {
  folders += 1;
  return `changing-${Date.now()}-${folders}`;
};

const remove = async (folder) =>
  (await navigator.storage.getDirectory()).removeEntry(folder, { recursive: true }).catch(() => {});

/** Opens a page that does this. Resolves to its frame once it has said so. */
async function otherPage(parameters) {
  const frame = document.createElement("iframe");
  const script = `/frames/writer.mjs?${new URLSearchParams(parameters)}`;
  frame.src = `/frame?${new URLSearchParams({ policy: "", script })}`;
  const told = new Promise((resolve, reject) => {
    const hear = ({ source, data }) => {
      if (source !== frame.contentWindow || data?.told === undefined) return;
      removeEventListener("message", hear);
      if (data.told.error) reject(new Error(data.told.error));
      else resolve(data.told);
    };
    addEventListener("message", hear);
  });
  document.documentElement.append(frame);
  return { frame, told: await told };
}

const OPTIONS = { path: "a", shape: [64], chunkShape: [16], dtype: "int32", fillValue: -1 };

for (const [name, more] of [
  ["chunks", {}],
  ["shards", { shardShape: [64] }],
]) {
  test(`OPFS: ${name} that another page writes are read as they were or as they are`, async () => {
    const folder = newFolder();
    const store = new zarr.OpfsStore(folder);
    const array = await zarr.create(store, { ...OPTIONS, ...more });
    await array.set(null, 0);
    const { frame } = await otherPage({ does: "writes", folder });
    const seen = new Set();
    const end = performance.now() + 3_000;
    while (performance.now() < end) {
      // A shard of which every attempt to read it falls between two writes is an error.
      const { data } = await array.get().catch((error) => {
        if (!/a shard changed during every attempt/.test(error.message)) throw error;
        return {};
      });
      if (!data) continue;
      for (let chunk = 0; chunk < 4; chunk += 1) {
        const part = data.slice(16 * chunk, 16 * chunk + 16);
        ok(
          part.every((value) => value === part[0]),
          `a chunk of two writes: ${part}`,
        );
      }
      ok(!data.includes(-1), `chunks are missing: ${data}`);
      seen.add(data[0]);
    }
    frame.remove();
    ok(seen.size > 2, `only ${[...seen]} was seen`);
    await remove(folder);
  });
}

for (const errorName of ["NotReadableError", "AbortError"]) {
  test(`OPFS: a file that changes at every attempt to read it is an error (${errorName})`, async () => {
    const folder = newFolder();
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle(folder, { create: true });
    const handle = await root.getFileHandle("value", { create: true });
    let attempts = 0;
    // Reads of a file object fail once the file has changed.
    const changing = {
      kind: "file",
      getFile: async () => {
        attempts += 1;
        const file = await handle.getFile();
        file.arrayBuffer = () => Promise.reject(new DOMException("it has changed", errorName));
        return file;
      },
    };
    const store = new zarr.DirectoryStore({ getFileHandle: async () => changing });
    const error = await rejects(store.get("/value"), ({ code }) => code === "Store");
    ok(/changed during every attempt/.test(error.message), error.message);
    equal(error.key, "/value");
    ok(attempts > 3 && attempts < 20, `${attempts} attempts`);
    await remove(folder);
  });
}

/** Calls that change a node, and the key that the package locks for each. */
const LOCKED_CALLS = [
  ["a/c/0", "set of a part", ({ array }, options) => array.set([zarr.slice(1, 2)], 5, options)],
  ["a/c/0", "set of all", ({ array }, options) => array.set(null, 5, options)],
  ["a/zarr.json", "append", ({ array }, options) => array.append([5], 0, options)],
  ["a/zarr.json", "resize", ({ array }, options) => array.resize([2], options)],
  [
    "a/zarr.json",
    "updateAttributes",
    ({ array }, options) => array.updateAttributes({ changed: true }, options),
  ],
  [
    "a/zarr.json",
    "create",
    ({ store }, options) =>
      zarr.create(store, { path: "a", shape: [1], dtype: "int8", overwrite: true, ...options }),
  ],
  ["a/zarr.json", "erase", ({ store }, options) => zarr.erase(new zarr.Location(store, "/a"), options)],
  ["zarr.json", "consolidate", ({ store }, options) => zarr.consolidate(store, options)],
];

/** All values of a folder, as texts by their keys. */
async function contents(store) {
  const values = [];
  for await (const key of store.list("/"))
    values.push(`${key}: ${String.fromCharCode(...(await store.get(key)))}`);
  return values.sort().join("\n");
}

for (const [key, name, change] of LOCKED_CALLS) {
  test(`OPFS: an abort while another page holds the lock rejects, and nothing is written later: ${name}`, async () => {
    const folder = newFolder();
    const store = new zarr.OpfsStore(folder);
    await zarr.create(store);
    const array = await zarr.create(store, { path: "a", shape: [4], chunkShape: [4], dtype: "int32" });
    await array.set(null, 1);
    const before = await contents(store);
    const lock = `zarr-wasm opfs:/${folder}/${key}`;
    const { frame } = await otherPage({ does: "holds", folder, lock });
    const controller = new AbortController();
    const changing = change({ store, array }, { signal: controller.signal });
    const isWaiting = async () => (await navigator.locks.query()).pending.some((each) => each.name === lock);
    while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 1));
    const reason = new Error("no longer wanted");
    controller.abort(reason);
    await rejects(changing, (error) => error === reason);
    frame.remove();
    // Locks are granted in turn: the aborted call has had it and has ended.
    await navigator.locks.request(lock, () => {});
    const after = await contents(store);
    ok(after === before, `the store has\n${after}\ninstead of\n${before}`);
    // What is not aborted still waits, and then acts.
    await change({ store, array });
    ok((await contents(store)) !== before, "the call has changed nothing");
    await remove(folder);
  });
}

test("OPFS: a write of a value rejects on abort while another page writes the file", async () => {
  const folder = newFolder();
  const store = new zarr.OpfsStore(folder);
  await store.set("/value", new Uint8Array([1]));
  const { frame } = await otherPage({ does: "holds", folder, file: `${folder}/value` });
  const controller = new AbortController();
  const { signal } = controller;
  const reason = new Error("no longer wanted");
  const first = store.set("/value", new Uint8Array([2]), { signal });
  const next = store.set("/value", new Uint8Array([3]));
  controller.abort(reason);
  await rejects(first, (error) => error === reason);
  await rejects(store.set("/value", new Uint8Array([4]), { signal }), (error) => error === reason);
  await rejects(store.get("/value", { signal }), (error) => error === reason);
  frame.remove();
  await next;
  equal([...(await store.get("/value"))], [3]);
  await remove(folder);
});

/** The changes that a page's end cuts off, and the elements that they may leave. */
const CHANGES = {
  grow: { old: [1, 2, 3, 4, 5], changed: [1, 2, 3, 4, 5, -1, -1, -1, -1] },
  shrink: { old: [1, 2, 3, 4, 5], changed: [1, 2] },
  append: { old: [1, 2, 3, 4, 5], changed: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
};

test(
  "OPFS: a page that ends after any call of a write leaves the old array or the new one",
  async () => {
    let cases = 0;
    for (const [change, { old, changed }] of Object.entries(CHANGES)) {
      for (let calls = 1; ; calls += 1) {
        const folder = newFolder();
        const { frame, told } = await otherPage({ does: change, folder, calls });
        frame.remove();
        const array = await zarr.open(new zarr.OpfsStore(folder), { path: "a", kind: "array" });
        const found = [...(await array.get()).data];
        const what = `${change} after ${calls} calls: ${found}`;
        ok(
          [old, changed].some((each) => each.join() === found.join()),
          what,
        );
        await array.resize([13]);
        const grown = Array.from({ length: 13 }, (_, at) => found[at] ?? -1);
        equal([...(await array.get()).data], grown, what);
        await remove(folder);
        cases += 1;
        if (told === "done") break;
      }
    }
    ok(cases > 15, `${cases} cases`);
  },
  { timeout: 90_000 },
);
