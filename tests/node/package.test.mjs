/** The package: its names, its entries, its dependencies, and that it lets a process end. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { LIGHT, moduleOf, VARIANTS, withoutPaths } from "../../scripts/wasm.mjs";
import { FIXTURES } from "./fixture_files.mjs";

const ROOT = join(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** The public names. A change of this list is a change of the public interface. */
const NAMES = [
  "Array",
  "AtValue",
  "BetweenValues",
  "BoolArray",
  "ByteStringArray",
  "CodecPipelineError",
  "Coordinates",
  "DirectoryStore",
  "EntryStore",
  "FetchStore",
  "FileListStore",
  "FileSystemStore",
  "Group",
  "Histogram",
  "IcechunkStore",
  "InvalidMetadataError",
  "InvalidSelectionError",
  "Location",
  "NotFoundError",
  "OpfsStore",
  "OverlayStore",
  "PersistentCache",
  "Pyramid",
  "ReadPlan",
  "ReferenceStore",
  "TimeUnits",
  "UnicodeStringArray",
  "UnknownCodecError",
  "UnreadableNode",
  "UnsupportedError",
  "ZarrError",
  "ZipFileStore",
  "ZipWriter",
  "_zarrita_internal_get",
  "_zarrita_internal_getStrides",
  "_zarrita_internal_set",
  "_zarrita_internal_sliceIndices",
  "addConvention",
  "addLight",
  "assetsOf",
  "at",
  "between",
  "channelLook",
  "consolidate",
  "conventionAttributes",
  "conventions",
  "coords",
  "copy",
  "create",
  "createDataset",
  "createPyramid",
  "defineArrayExtension",
  "defineStoreExtension",
  "dispose",
  "erase",
  "exists",
  "extendArray",
  "extendStore",
  "get",
  "histogram",
  "info",
  "init",
  "isZarritaError",
  "levelIndices",
  "locate",
  "open",
  "placement",
  "planReduction",
  "points",
  "preload",
  "projOfGridMapping",
  "pyramid",
  "reduce",
  "reduceAlong",
  "registerConvention",
  "registry",
  "root",
  "select",
  "set",
  "shownChannels",
  "slice",
  "statistics",
  "storageTransformers",
  "storesOfDrop",
  "timeUnits",
  "validate",
  "warp",
  "watch",
  "withByteCaching",
  "withConsolidatedMetadata",
  "withMaybeConsolidatedMetadata",
  "withRangeCoalescing",
];

test("public names", async () => {
  assert.deepEqual(Object.keys(await import("zarr-wasm")).sort(), NAMES);
  assert.deepEqual(Object.keys(await import("zarr-wasm/slim")).sort(), NAMES);
  assert.deepEqual(Object.keys(await import("zarr-wasm/fs")), ["FileSystemStore", "default"]);
});

test("no dependencies, only modules, and no side effects but those of programs and the element", () => {
  assert.equal(manifest.dependencies, undefined);
  const optional = Object.keys(manifest.peerDependencies).map((name) => [name, { optional: true }]);
  assert.deepEqual(manifest.peerDependenciesMeta, Object.fromEntries(optional));
  assert.equal(manifest.exports["./view"].default, "./dist/view.js");
  // A bundler drops other entries that are imported for their effect: programs, and the element.
  const effective = ["./dist/script.js", "./dist/view*.js", "./dist/worker.js"];
  assert.deepEqual(manifest.sideEffects, effective);
  assert.equal(manifest.type, "module");
});

test("the element can be imported where there are no elements", () => {
  const out = run(`
    const { ZarrViewElement, ...others } = await import("zarr-wasm/view");
    console.log(typeof ZarrViewElement, Object.keys(others).length);
  `);
  assert.equal(out, "function 0");
});

test("every file in exports exists, and types come first", () => {
  for (const [entry, target] of Object.entries(manifest.exports)) {
    const files = typeof target === "string" ? [target] : Object.values(target);
    for (const file of files) assert.ok(existsSync(join(ROOT, file)), `${entry}: ${file}`);
    if (typeof target !== "string") assert.equal(Object.keys(target)[0], "types", entry);
  }
});

test("every entry has types for moduleResolution node", () => {
  assert.equal(manifest.main, manifest.exports["."].default);
  assert.equal(manifest.types, manifest.exports["."].types);
  const [pattern] = manifest.typesVersions["*"]["*"];
  for (const [entry, { types }] of Object.entries(manifest.exports).slice(1)) {
    if (types) assert.equal(`./${pattern.replace("*", entry.slice(2))}`, types);
  }
});

/** The declarations that the entries import, by their names in the folder. */
function reachable(folder) {
  const found = new Set();
  const follow = (name) => {
    if (found.has(name)) return;
    found.add(name);
    const text = readFileSync(join(folder, name), "utf8");
    for (const [, path] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.ts"/g))
      follow(join(name, "..", `${path}.d.ts`));
  };
  for (const { types } of Object.values(manifest.exports))
    if (types) follow(types.replace("./dist/types/", ""));
  return found;
}

test("declarations of users import published files, have no aliases, and no syntax after TypeScript 5.0", () => {
  const folder = join(ROOT, "dist/types");
  const names = reachable(folder);
  assert.ok(names.size > 50);
  const peers = [...Object.keys(manifest.peerDependencies), "geotiff"];
  for (const name of names) {
    const text = readFileSync(join(folder, name), "utf8");
    for (const [, path] of text.matchAll(/(?:from |import\()"([^"]+)"/g)) {
      const isPeer = peers.some((peer) => path === peer || path.startsWith(`${peer}/`));
      assert.ok(isPeer || /^\.{1,2}\/.*\.ts$/.test(path), `${name}: ${path}`);
    }
    assert.doesNotMatch(text, /\b(Big)?(Int|Uint|Float)\w+Array<|<const /, name);
  }
});

/** Runs a module in a new process. */
function run(program) {
  const args = ["--input-type=module", "--eval", program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.equal(stderr, "");
  assert.equal(status, 0);
  return stdout.trim();
}

const WASM = pathToFileURL(join(ROOT, "dist/zarr_wasm.wasm")).href;
const STORE = join(FIXTURES, "zarr-python-3/blosc-large-v3/store");

test("every entry can be imported alone: no circle of modules needs what is not loaded", () => {
  const entries = Object.values(manifest.exports).filter((files) => files.default);
  assert.ok(entries.length >= 20);
  for (const { default: file } of entries) {
    // It is the program of workers, and listens to the page.
    if (file === "./dist/worker.js") continue;
    run(`await import(${JSON.stringify(pathToFileURL(join(ROOT, file)).href)})`);
  }
});

test("a process that has used workers ends by itself", () => {
  const made = join(import.meta.dirname, "made_stores.mjs");
  const out = run(`
    import * as zarr from "zarr-wasm";
    import { madeStore } from ${JSON.stringify(made)};
    const description = { shape: [400, 400], chunks: [100, 100], dtype: "float64", gzip: true };
    const array = await zarr.open(madeStore(description, ([i, j]) => i * 1000 + j), { kind: "array" });
    const { data } = await array.get();
    console.log(zarr.info().workers > 0, data[399 * 400 + 399]);
  `);
  assert.equal(out, "true 399399");
});

test("importing has no effect: no wasm is compiled, no global is set", () => {
  const out = run(`
    const before = Object.keys(globalThis).length;
    for (const name of ["compile", "instantiate"]) WebAssembly[name] = () => console.log("compiled");
    const zarr = await import("zarr-wasm");
    zarr.root().resolve("a");
    zarr.slice(3);
    console.log(zarr.info().isStarted, Object.keys(globalThis).length - before);
  `);
  assert.equal(out, "false 0");
});

test("workers: 0 decodes on the caller's thread", () => {
  const made = join(import.meta.dirname, "made_stores.mjs");
  const out = run(`
    import * as zarr from "zarr-wasm";
    import { madeStore } from ${JSON.stringify(made)};
    await zarr.init({ workers: 0 });
    const description = { shape: [400, 400], chunks: [100, 100], dtype: "float64", gzip: true };
    const array = await zarr.open(madeStore(description, ([i, j]) => i * 1000 + j), { kind: "array" });
    const { data } = await array.get();
    const { workers, parts } = zarr.info();
    console.log(workers, parts.workers, parts.caller > 0, data[399 * 400 + 399]);
  `);
  assert.equal(out, "0 0 true 399399");
});

test("without Node's threads the caller's thread decodes, and info says why", () => {
  const made = join(import.meta.dirname, "made_stores.mjs");
  const out = run(`
    import * as zarr from "zarr-wasm";
    import { madeStore } from ${JSON.stringify(made)};
    process.getBuiltinModule = undefined;
    const description = { shape: [400, 400], chunks: [100, 100], dtype: "float64", gzip: true };
    const array = await zarr.open(madeStore(description, ([i, j]) => i * 1000 + j), { kind: "array" });
    const { data } = await array.get();
    const { workers, decoder, refused } = zarr.info();
    console.log(workers, decoder, refused.length, data[399 * 400 + 399]);
  `);
  assert.equal(out, "0 caller 3 399399");
});

test("slim requires the URL of the wasm", () => {
  const out = run(`
    import * as zarr from "zarr-wasm/slim";
    const before = await zarr.open(new Map()).catch((error) => error);
    console.log(before.code, /init\\({ wasm }\\)/.test(before.message));
    await zarr.init({ wasm: ${JSON.stringify(WASM)}, workerUrl: new URL(import.meta.resolve("zarr-wasm/worker")) });
    const after = await zarr.open(new Map()).catch((error) => error);
    console.log(after.code);
  `);
  assert.equal(out, "Argument true\nNotFound");
});

test("the command writes the files of slim, as they were built", () => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-files-"));
  try {
    const command = join(ROOT, manifest.bin["zarr-wasm"]);
    const { status, stderr } = spawnSync(process.execPath, [command, folder], { encoding: "utf8" });
    assert.equal(stderr, "");
    assert.equal(status, 0);
    const builds = VARIANTS.map(({ file }) => file).sort();
    assert.equal(builds[0], "zarr_wasm.wasm");
    assert.deepEqual(readdirSync(folder).sort(), ["worker.js", ...builds]);
    for (const name of readdirSync(folder)) {
      const built = readFileSync(join(ROOT, "dist", name));
      assert.ok(readFileSync(join(folder, name)).equals(built), name);
    }
    assert.equal(spawnSync(process.execPath, [command]).status, 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("slim names no text of wasm or of a program", () => {
  const slim = readFileSync(join(ROOT, "dist/slim.js"), "utf8");
  assert.deepEqual(slim.match(/\bimport\("[^"]+"\)/g), ['import("./modules/engine/ts/host/caller.js")']);
});

/** Files that no bundler changes: the script for pages, and the texts of the workers' programs. */
const UNBUNDLED = /^(script|modules.engine-(texts|programs))\.js$/;

test("no bundler rewrites the import of a user's module by its URL", () => {
  const files = readdirSync(join(ROOT, "dist"), { recursive: true });
  for (const file of files.filter((name) => name.endsWith(".js") && !UNBUNDLED.test(name))) {
    const text = readFileSync(join(ROOT, "dist", file), "utf8");
    assert.doesNotMatch(text, /\bimport\(\s*[\w$]+\s*\)/, file);
  }
});

/** What the package may be, packed, in bytes. */
const MAX_PACKED_BYTES = 3_800_000;

test("the package has the engine as a text and as a file, no maps, and a bounded size", () => {
  const { status, stdout } = spawnSync("npm", ["pack", "--dry-run", "--json"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  assert.equal(status, 0);
  const [{ files, size }] = JSON.parse(stdout);
  const names = files.map(({ path }) => path);
  assert.deepEqual(
    names.filter((name) => /\.(wasm|map)$/.test(name)),
    ["dist/modules/engine.wasm"],
  );
  // The engine, the other builds, and the light build.
  const hasBase64 = (path) => /[A-Za-z0-9+/]{40000}/.test(readFileSync(join(ROOT, path), "utf8"));
  const large = names.filter((path) => /\.js$/.test(path) && hasBase64(path));
  const texts = VARIANTS.map(({ name }) => `${name}-${name === "engine" ? "texts" : "wasm"}`);
  const expected = [...texts, "light/ts/light"].map((name) => `dist/modules/${name}.js`);
  assert.deepEqual(large.sort(), expected.sort());
  const isRelease = JSON.parse(readFileSync(join(ROOT, "target/finished/dist"), "utf8")).quick === false;
  if (isRelease) assert.ok(size <= MAX_PACKED_BYTES, `${size} bytes`);
});

/**
 * What a path of a machine that builds begins with. Keys of the first draft of v3 begin with
 * `meta/root`.
 */
const FOLDERS = /(?<!meta)\/(root|home|Users|work|tmp|usr|opt|builds?|runner)\/[\w.@+/-]+|[A-Z]:\\[\w\\.-]+/g;

test("published wasm has no paths of the machine that built it", () => {
  const { quick } = JSON.parse(readFileSync(join(ROOT, "target/finished/dist"), "utf8"));
  for (const { name } of [...VARIANTS, LIGHT]) {
    const text = readFileSync(moduleOf(name), "latin1");
    // Panics have the paths of their source files, so the search finds something.
    if (name === "engine") assert.match(text, /[\w/]+\.rs/);
    if (!quick) assert.deepEqual([...new Set(text.match(FOLDERS))], [], name);
  }
});

test("the release build renames each folder that compilers read from", () => {
  assert.deepEqual(withoutPaths("quick"), []);
  const [option, value] = withoutPaths("release");
  assert.equal(option, "--config");
  const flags = JSON.parse(value.replace(/^[^=]+=/, ""));
  const sources = [process.env.CARGO_HOME || join(homedir(), ".cargo"), ROOT];
  for (const folder of sources)
    assert.ok(
      flags.some((flag) => flag.startsWith(`--remap-path-prefix=${folder}=/`)),
      folder,
    );
  assert.equal(flags.length, 3);
});

test("slim takes bytes and modules, and starts the worker from its file", () => {
  const made = join(import.meta.dirname, "made_stores.mjs");
  for (const source of ["bytes", "new WebAssembly.Module(bytes)", "Promise.resolve(new Response(bytes))"]) {
    const out = run(`
      import { readFileSync } from "node:fs";
      import * as zarr from "zarr-wasm/slim";
      import { madeStore } from ${JSON.stringify(made)};
      const bytes = readFileSync(new URL(${JSON.stringify(WASM)}));
      await zarr.init({ wasm: ${source}, workerUrl: new URL(import.meta.resolve("zarr-wasm/worker")) });
      const description = { shape: [400, 400], chunks: [100, 100], dtype: "float64", gzip: true };
      const array = await zarr.open(madeStore(description, ([i, j]) => i * 1000 + j), { kind: "array" });
      const { data } = await array.get();
      console.log(zarr.info().decoder, data[399 * 400 + 399]);
    `);
    assert.equal(out, "node 399399", source);
  }
});

test("a file-system store reads only within its folder", async () => {
  const { FileSystemStore } = await import("zarr-wasm/fs");
  const store = new FileSystemStore(STORE);
  assert.equal(await store.has("/zarr.json"), true);
  assert.equal(await store.has("/nothing"), false);
  assert.equal(await store.get("/nothing/here"), undefined);
  assert.equal(await store.get("/zarr.json/below-a-file"), undefined);
  const whole = await store.get("/zarr.json");
  assert.deepEqual(
    await store.getRange("/zarr.json", { offset: 2, length: 3 }),
    new Uint8Array(whole.subarray(2, 5)),
  );
  assert.deepEqual(
    await store.getRange("/zarr.json", { suffixLength: 2 }),
    new Uint8Array(whole.subarray(-2)),
  );
  for (const key of ["/../expected.json", "/a/../../expected.json", "/", ""]) {
    await assert.rejects(async () => store.get(key), { code: "Argument" }, key);
  }
});

test("a file-system store writes and deletes", async () => {
  const { FileSystemStore } = await import("zarr-wasm/fs");
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-files-"));
  try {
    const store = new FileSystemStore(folder);
    await store.set("/a/b/c", Uint8Array.of(1, 2, 3));
    assert.deepEqual(new Uint8Array(await store.get("/a/b/c")), Uint8Array.of(1, 2, 3));
    assert.equal(await store.get("/a/b"), undefined);
    assert.equal(await store.delete("/a/b/c"), true);
    assert.equal(await store.delete("/a/b/c"), false);
    await assert.rejects(async () => store.set("/../escaped", Uint8Array.of(1)), { code: "Argument" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the script finds its files, and the engine of the caller's thread, beside itself", async () => {
  const script = join(ROOT, "dist/script.js");
  globalThis.location = { href: pathToFileURL(script).href };
  try {
    const zarr = new Function(`${readFileSync(script, "utf8")}; return zarr;`)();
    const folder = pathToFileURL(join(FIXTURES, "zarrita-0.7/create-v3/store"));
    const read = (key) => readFileSync(join(folder.pathname, key));
    const array = await zarr.open(zarr.root({ get: async (key) => read(key) }).resolve("uint32"));
    assert.equal((await array.get()).data.length, 35);
    assert.equal(zarr.info().engine, "caller");
    zarr.dispose();
  } finally {
    delete globalThis.location;
  }
});
