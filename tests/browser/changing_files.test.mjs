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
