/**
 * Runs the code of README.md and docs/ in Node, a process a page, over a real server, and compares
 * results with what comments state. The browser lane runs blocks of the class `browser`, the types
 * lane compiles all of them. `tests/support/docs/snippets.mjs` has the classes.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { transform } from "esbuild";
import { checkClaim } from "../support/docs/claim_lines.mjs";
import { claim, rejects } from "../support/docs/claims.mjs";
import { serveExamples } from "../support/docs/example_server.mjs";
import { blocksOf, PAGES, programOf, readPage } from "../support/docs/snippets.mjs";

const ROOT = join(import.meta.dirname, "../..");
/** In the package's own folder, so that `import … from "zarr-wasm"` finds `exports`. */
const OUTPUT = join(ROOT, "target/docs-snippets/node");
const CONSUMERS = join(ROOT, "tests/consumers");
const CLAIMS = new URL("../support/docs/claims.mjs", import.meta.url).href;
const TIMEOUT_MS = 180_000;

let server;
before(async () => {
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT, { recursive: true });
  server = await serveExamples();
});
after(() => server.close());

/** Writes the program of a page, with a source map to the page's own lines. */
async function writeProgram(page, source) {
  const path = join(OUTPUT, page.replaceAll("/", "-").replace(/\.md$/, ".mjs"));
  const { code } = await transform(source, {
    loader: "ts",
    sourcefile: join(ROOT, page),
    sourcemap: "inline",
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  writeFileSync(path, code);
  return path;
}

/** Runs a program in a new process. Resolves to its output if it failed. */
function runProgram(path) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--enable-source-maps", path], { cwd: OUTPUT });
    const parts = [];
    child.stdout.on("data", (part) => parts.push(part));
    child.stderr.on("data", (part) => parts.push(part));
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      const output = Buffer.concat(parts).toString();
      resolve(status === 0 ? undefined : `${signal ?? `status ${status}`}\n${output}`);
    });
  });
}

for (const page of PAGES) {
  test(`the code of ${page} runs and gives what it says`, async (context) => {
    const source = programOf(page, "node", { host: server.url, claims: CLAIMS });
    if (source === undefined) {
      context.skip("no code that runs in Node");
      return;
    }
    const failure = await runProgram(await writeProgram(page, source));
    assert.equal(failure, undefined, failure);
  });
}

test("the pages have code to run", () => {
  const count = PAGES.flatMap((page) => blocksOf(page, readPage(page))).filter(
    ({ kind, isHidden }) => kind === "node" && !isHidden,
  ).length;
  assert.ok(count >= 30, `only ${count} blocks run in Node`);
});

test("a consumer builds the files of projects of each page that shows some", () => {
  const consumers = readdirSync(CONSUMERS).map((name) => readFileSync(join(CONSUMERS, name), "utf8"));
  const pages = PAGES.filter((page) => blocksOf(page, readPage(page)).some(({ kind }) => kind === "file"));
  assert.ok(pages.length > 5, `only ${pages.length} pages have files`);
  const unbuilt = pages.filter((page) => !consumers.some((text) => text.includes(`"${page}"`)));
  assert.deepEqual(unbuilt, []);
});

test("a comment that states a wrong result fails, and so does one that begins as a value and is none", () => {
  const program = (line) => checkClaim(line, "page.md:1");
  assert.match(program("array.shape; // [2, 3]"), /^__claim\("page.md:1", array.shape, "\[2, 3\]"\);$/);
  assert.equal(program("array.shape; // rows first"), "array.shape; // rows first");
  assert.throws(() => claim("page.md:1", [2, 4], "[2, 3]"), /page.md:1: the page says \[2, 3\]/);
  assert.throws(() => claim("page.md:1", [2, 3], "[2, 3: rows"), /begins as a value and is none/);
  assert.throws(() => claim("page.md:1", new Float32Array(2), "Float64Array(2)"), /Float32Array/);
  assert.throws(() => claim("page.md:1", new Float32Array(2), "Float32Array(2) [0, 1]"), /\[0,0\]/);
  assert.throws(() => claim("page.md:1", 1.26, "≈ 1.2"), /1.26/);
  assert.doesNotThrow(() => claim("page.md:1", 1.24, "≈ 1.2"));
});

test("a call that should reject and does not fails", async () => {
  await assert.rejects(
    rejects("page.md:1", async () => {}, "NotFoundError"),
    /nothing was thrown/,
  );
});

test("a class without a reason is refused", () => {
  assert.throws(() => blocksOf("page.md", "<!-- snippet: types -->\n```js\n```"), /class: reason/);
  assert.throws(() => blocksOf("page.md", "<!-- snippet: skip: it fails -->\n```js\n```"), /no class skip/);
});
