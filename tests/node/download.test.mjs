/**
 * The download of a page before its first call, with users' bundlers: one file of 36 kB gzip for
 * `open`, `get` and `slice`. The light build and the engine are in separate chunks.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { build as viteBuild } from "vite";
import webpack from "webpack";

const ROOT = join(import.meta.dirname, "../..");
const MAX_BYTES = 36_200;
const PROGRAM = `import { get, open, slice } from "zarr-wasm"; globalThis.used = [get, open, slice];`;

const gzipped = (bytes) => gzipSync(bytes, { level: 9 }).length;

/** The files that an output of esbuild imports statically, with itself. */
function atOnce(outputs, path, seen = new Set()) {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const { path: next, kind } of outputs[path].imports) {
    if (kind === "import-statement") atOnce(outputs, next, seen);
  }
  return seen;
}

test("esbuild: the first download", async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: PROGRAM, resolveDir: ROOT },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    write: false,
    metafile: true,
    outdir: "out",
    absWorkingDir: ROOT,
    logLevel: "error",
  });
  const { outputs } = metafile;
  const first = Object.keys(outputs).find((path) => outputs[path].entryPoint === "<stdin>");
  const files = [...atOnce(outputs, first)].map((path) =>
    outputFiles.find((file) => file.path === join(ROOT, path)),
  );
  const bytes = files.reduce((sum, { contents }) => sum + gzipped(contents), 0);
  assert.ok(bytes <= MAX_BYTES, `${bytes} bytes gzip`);
  // A second file would be a round trip more before the first call.
  assert.equal(files.length, 1);
  assert.ok(
    outputFiles.some(({ contents }) => contents.length > 500_000),
    "the engine is a chunk",
  );
});

test("webpack: the first download", async () => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-download-"));
  try {
    const entry = join(folder, "page.mjs");
    writeFileSync(entry, PROGRAM);
    const stats = await new Promise((resolve, reject) => {
      webpack(
        {
          mode: "production",
          context: ROOT,
          entry,
          resolve: {
            modules: [join(ROOT, "node_modules")],
            alias: { "zarr-wasm": join(ROOT, "dist/index.js") },
          },
          output: { path: join(folder, "out"), filename: "first.js", chunkFilename: "later-[id].js" },
          performance: { hints: false },
        },
        (error, result) => (error ? reject(error) : resolve(result)),
      );
    });
    assert.equal(stats.hasErrors(), false, stats.toString("errors-warnings"));
    assert.equal(stats.hasWarnings(), false, stats.toString("errors-warnings"));
    const bytes = gzipped(readFileSync(join(folder, "out/first.js")));
    assert.ok(bytes <= MAX_BYTES, `${bytes} bytes gzip`);
    assert.ok(readdirSync(join(folder, "out")).length > 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The files that a chunk of Vite imports statically, with itself. */
function atOnceOfVite(chunks, name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const next of chunks.get(name).imports) atOnceOfVite(chunks, next, seen);
  return seen;
}

test("Vite: the first download", async () => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-download-"));
  try {
    const entry = join(folder, "page.mjs");
    writeFileSync(entry, PROGRAM);
    const { output } = await viteBuild({
      configFile: false,
      root: folder,
      logLevel: "error",
      resolve: { alias: { "zarr-wasm": join(ROOT, "dist/index.js") } },
      build: { write: false, modulePreload: false, rolldownOptions: { input: entry } },
    });
    const chunks = new Map(
      output.filter(({ type }) => type === "chunk").map((chunk) => [chunk.fileName, chunk]),
    );
    const first = output.find(({ isEntry }) => isEntry);
    const files = [...atOnceOfVite(chunks, first.fileName)];
    const bytes = files.reduce((sum, name) => sum + gzipped(chunks.get(name).code), 0);
    assert.ok(bytes <= MAX_BYTES, `${bytes} bytes gzip`);
    assert.equal(files.length, 1);
    assert.ok(
      [...chunks.values()].some(({ code }) => code.length > 500_000),
      "the engine is a chunk",
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the inline entry has no import(), and imports only the engine and its texts", () => {
  const text = readFileSync(join(ROOT, "dist/inline.js"), "utf8");
  assert.deepEqual(
    [...text.matchAll(/\bimport\(\s*"/g)].map(({ index }) => text.slice(index, index + 60)),
    [],
  );
  const imported = [...text.matchAll(/^import\s[^"]*"([^"]+)"/gm)].map(([, path]) => path);
  assert.ok(imported.length >= 5);
  for (const path of imported)
    assert.match(path, /^\.\/modules\/(engine\/ts\/host\/caller|\w+-(wasm|texts))\.js$/);
});
