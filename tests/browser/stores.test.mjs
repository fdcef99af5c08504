/** The stores that only browsers have, with the suite of all stores; archives and references. */
import * as zarr from "zarr-wasm";
import { BlobReader, HTTPRangeReader } from "zarr-wasm/zip";
import { content, readingSuite, writingSuite } from "../support/store_suite.mjs";
import { equal, ok, rejects, test } from "./harness.mjs";

const kit = { zarr, test, equal, rejects };

async function fill(store, files) {
  for (const [key, bytes] of files) await store.set(key, bytes);
  return store;
}

let folders = 0;
/** A new, empty folder of OPFS. */
const newPath = () => {
  folders += 1;
  return `suite-${Date.now()}/${folders}`;
};
async function newHandle() {
  let folder = await navigator.storage.getDirectory();
  for (const name of newPath().split("/")) folder = await folder.getDirectoryHandle(name, { create: true });
  return folder;
}

/** A file as in `<input webkitdirectory>`. */
function chosenFile(key, bytes) {
  const file = new File([bytes], key.split("/").at(-1));
  Object.defineProperty(file, "webkitRelativePath", { value: `chosen.zarr${key}` });
  return file;
}

/** A fake of a dropped folder. `files` are by absolute key. */
function entryOf(files, path = "") {
  const name = path.split("/").at(-1);
  const fail = (failed) => setTimeout(() => failed(new DOMException("not found", "NotFoundError")));
  const isFolder = (at) => [...files.keys()].some((key) => key.startsWith(`${at}/`));
  const fileEntry = (key) => ({
    isFile: true,
    isDirectory: false,
    name: key.split("/").at(-1),
    // A file that does not change keeps its time of change.
    file: (done) => done(new File([files.get(key)], key, { lastModified: 1 })),
  });
  return {
    isFile: false,
    isDirectory: true,
    name,
    getFile(relative, _options, done, failed) {
      const key = `${path}/${relative}`;
      if (files.has(key)) setTimeout(() => done(fileEntry(key)));
      else fail(failed);
    },
    getDirectory(relative, _options, done, failed) {
      const at = `${path}/${relative}`;
      if (isFolder(at)) setTimeout(() => done(entryOf(files, at)));
      else fail(failed);
    },
    createReader() {
      const names = new Set();
      for (const key of files.keys()) {
        if (key.startsWith(`${path}/`)) names.add(key.slice(path.length + 1).split("/")[0]);
      }
      const entries = [...names].map((each) => {
        const at = `${path}/${each}`;
        return files.has(at) ? fileEntry(at) : entryOf(files, at);
      });
      // Browsers return 100 entries at a time; here it is two.
      return { readEntries: (done) => setTimeout(() => done(entries.splice(0, 2))) };
    },
  };
}

async function archiveOf(files) {
  return (await fill(new zarr.ZipWriter(), files)).toBlob();
}

readingSuite(kit, "OpfsStore", (files) => fill(new zarr.OpfsStore(newPath()), files));
readingSuite(kit, "DirectoryStore", async (files) => fill(new zarr.DirectoryStore(await newHandle()), files));
readingSuite(kit, "FileListStore", (files) => {
  return new zarr.FileListStore([...files].map(([key, bytes]) => chosenFile(key, bytes)));
});
readingSuite(kit, "EntryStore", (files) => new zarr.EntryStore(entryOf(files)), {});
readingSuite(kit, "ZipFileStore of a File", async (files) => {
  return zarr.ZipFileStore.fromBlob(new File([await archiveOf(files)], "a.zip"));
});
readingSuite(kit, "OverlayStore of OPFS over a Map", async (files) => {
  const entries = [...files];
  const first = await fill(new zarr.OpfsStore(newPath()), entries.slice(0, 3));
  return new zarr.OverlayStore(first, new Map(entries));
});

writingSuite(kit, "OpfsStore", () => new zarr.OpfsStore(newPath()));
writingSuite(kit, "DirectoryStore", async () => new zarr.DirectoryStore(await newHandle()));

test("OPFS: a value and a folder cannot have one name, and no temporary file remains", async () => {
  const handle = await newHandle();
  const store = new zarr.DirectoryStore(handle);
  await store.set("/a", Uint8Array.of(1));
  await rejects(store.set("/a/b", Uint8Array.of(1)), ({ code }) => code === "Store");
  await store.set("/d/e", Uint8Array.of(1));
  await rejects(store.set("/d", Uint8Array.of(1)), ({ code }) => code === "Store");
  equal(await store.delete("/d"), false);
  const names = [];
  for await (const name of handle.keys()) names.push(name);
  equal(names.sort(), ["a", "d"]);
  await store.deletePrefix("/d/");
  equal(await store.listDir("/"), { keys: ["/a"], prefixes: [] });
  await store.deletePrefix("/");
  equal(await store.listDir("/"), { keys: [], prefixes: [] });
});

test("OPFS: a failed write keeps the old value", async () => {
  const handle = await newHandle();
  const store = new zarr.DirectoryStore(handle);
  await store.set("/a", Uint8Array.of(1, 2, 3));
  const { createWritable } = FileSystemFileHandle.prototype;
  FileSystemFileHandle.prototype.createWritable = async function create() {
    const writer = await createWritable.call(this);
    writer.write = async () => Promise.reject(new Error("disk full"));
    return writer;
  };
  try {
    for (const key of ["/a", "/new"]) {
      await rejects(
        store.set(key, Uint8Array.of(9)),
        ({ code, cause }) => code === "Store" && /disk full/.test(cause),
      );
    }
  } finally {
    FileSystemFileHandle.prototype.createWritable = createWritable;
  }
  equal([...(await store.get("/a"))], [1, 2, 3]);
  equal(await store.get("/new"), undefined);
  equal(await store.listDir("/"), { keys: ["/a"], prefixes: [] });
});

test("open accepts folders, files, URLs of archives, and dropped items", async () => {
  const files = content();
  const handle = await newHandle();
  await fill(new zarr.DirectoryStore(handle), files);
  const file = new File([await archiveOf(files)], "a.zip");
  const byUrl = new URL("/stores/image.ozx", location.href);
  const path = { path: "g/a", kind: "array" };
  equal((await zarr.open(handle, path)).shape, [6, 8]);
  equal((await zarr.open(file, path)).shape, [6, 8]);
  equal((await zarr.open(byUrl, { path: "a", kind: "array" })).shape, [6, 8]);
  equal((await zarr.open(byUrl.href, { path: "a", kind: "array" })).shape, [6, 8]);
  const item = (handleOf, entry, blob) => ({
    kind: "file",
    ...(handleOf ? { getAsFileSystemHandle: async () => handleOf } : {}),
    webkitGetAsEntry: () => entry,
    getAsFile: () => blob,
  });
  const items = [
    item(handle, null, null),
    item(undefined, entryOf(files), null),
    item(undefined, { isDirectory: false }, file),
    { kind: "string" },
  ];
  const stores = await zarr.storesOfDrop({ items });
  const classes = [zarr.DirectoryStore, zarr.EntryStore, zarr.ZipFileStore];
  equal(
    stores.map((store) => classes.findIndex((each) => store instanceof each)),
    [0, 1, 2],
  );
  for (const store of stores) equal((await zarr.open(store, path)).shape, [6, 8]);
});

test("archives and references of other programs", async () => {
  const expected = await (await fetch("/stores/expected.json")).json();
  for (const [name, arrays] of Object.entries(expected)) {
    const url = new URL(`/stores/${name}`, location.href);
    const store = name.endsWith(".json")
      ? await zarr.ReferenceStore.fromUrl(url)
      : zarr.ZipFileStore.fromUrl(url);
    for (const [path, values] of Object.entries(arrays)) {
      const { data } = await (await zarr.open(store, { path, kind: "array" })).get();
      equal([...data].map(Number), values.flat(9), `${name} ${path}`);
    }
  }
});

test("archives through the readers of @zarrita/storage/zip", async () => {
  const expected = await (await fetch("/stores/expected.json")).json();
  const url = new URL("/stores/deflated.zip", location.href);
  const blob = await (await fetch(url)).blob();
  for (const reader of [new BlobReader(blob), new HTTPRangeReader(url)]) {
    equal(await reader.getLength(), blob.size);
    const array = await zarr.open(new zarr.ZipFileStore(reader), { path: "a", kind: "array" });
    equal([...(await array.get()).data].map(Number), expected["deflated.zip"].a.flat(9));
  }
});

test("a worker writes to OPFS and the page reads it", async () => {
  const path = newPath();
  const text = `import { OpfsStore } from "${new URL("/dist/index.js", location.href)}";
    const store = new OpfsStore(${JSON.stringify(path)});
    await store.set("/a/b", Uint8Array.of(7));
    await store.set("/a/b", Uint8Array.of(8));
    postMessage("done");`;
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" });
  await new Promise((done, failed) => {
    worker.onmessage = done;
    worker.onerror = (event) => failed(new Error(event.message));
  });
  worker.terminate();
  ok((await new zarr.OpfsStore(path).get("/a/b"))[0] === 8);
});
