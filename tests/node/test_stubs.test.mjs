/**
 * What users' tests put instead of the platform: a `fetch` that answers with no more than it must,
 * and environments that imitate a page in Node, such as jsdom and happy-dom, whose globals are
 * absent or of another program. Reads work there, and none hangs.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { ROOT } from "../../scripts/run_command.mjs";
import { madeStore } from "./made_stores.mjs";

const FILES = madeStore({ shape: [4], chunks: [2], dtype: "uint8", gzip: true }, ([at]) => at + 1, {
  has: ([chunk]) => chunk === 0,
});

/** Answers as a stub of a test does: without headers, and without a body where nothing is. */
function stubbed(answerOf) {
  return async (request) => {
    const bytes = FILES.get(new URL(request.url).pathname);
    return bytes ? answerOf(bytes) : { ok: false, status: 404 };
  };
}

const ANSWERS = {
  "{ ok, status, arrayBuffer }": (bytes) => ({
    ok: true,
    status: 200,
    arrayBuffer: async () => bytes.slice().buffer,
  }),
  "headers as an object, and a view of bytes": (bytes) => ({
    ok: true,
    status: 200,
    headers: { "Content-Length": String(bytes.length) },
    arrayBuffer: async () => bytes,
  }),
  "an ETag, as of a server, and has no clone": (bytes) => ({
    ok: true,
    status: 200,
    headers: new Headers({ ETag: '"1"', "Content-Length": String(bytes.length) }),
    arrayBuffer: async () => bytes.slice().buffer,
  }),
};

const URL_OF_STUB = "https://stub.invalid";

for (const [what, answerOf] of Object.entries(ANSWERS))
  for (const engine of ["caller", "worker"]) {
    test(`a fetch that answers ${what}, engine: ${engine}`, async (t) => {
      zarr.dispose();
      await zarr.init({ engine });
      t.after(() => zarr.dispose());
      const overrides = { cache: "no-cache" };
      const store = new zarr.FetchStore(URL_OF_STUB, { fetch: stubbed(answerOf), overrides });
      for (let times = 0; times < 2; times += 1) {
        const array = await zarr.open(store, { kind: "array" });
        assert.deepEqual([...(await array.get(null)).data], [1, 2, 0, 0]);
      }
    });
  }

test("the global fetch as a stub", async (t) => {
  zarr.dispose();
  await zarr.init({ engine: "caller" });
  const { fetch } = globalThis;
  t.after(() => {
    globalThis.fetch = fetch;
    zarr.dispose();
  });
  globalThis.fetch = stubbed(ANSWERS["{ ok, status, arrayBuffer }"]);
  const array = await zarr.open(URL_OF_STUB, { kind: "array" });
  assert.deepEqual([...(await array.get(null)).data], [1, 2, 0, 0]);
});

test("a fetch that answers with nothing of a response is an error", async () => {
  for (const answer of [undefined, null, "text", {}, { ok: true, status: 200 }]) {
    const store = new zarr.FetchStore(URL_OF_STUB, { fetch: async () => answer });
    await assert.rejects(zarr.open(store, { kind: "array" }), { code: "Store" });
  }
});

/** Globals of Node that jsdom has not. */
const ABSENT_IN_JSDOM = [
  ...["fetch", "Request", "Response", "Headers", "TextDecoder", "TextEncoder", "ReadableStream"],
  ...["DecompressionStream", "CompressionStream", "structuredClone", "MessageChannel"],
  ...["setImmediate", "clearImmediate", "BroadcastChannel", "Worker"],
];

const READ_AND_WRITE = `
  const zarr = await import("zarr-wasm");
  const shape = [1 << 20];
  const store = new Map();
  const array = await zarr.create(store, { shape, chunkShape: [1 << 17], dtype: "int32" });
  await array.set(null, Int32Array.from({ length: shape[0] }, (_, at) => at));
  await array.updateAttributes({ name: "Größe" });
  zarr.dispose();
  const again = await zarr.open(store, { kind: "array" });
  const { data } = await again.get(null);
  console.log(data.length, data.every((value, at) => value === at), again.attrs.name);
  process.exit(0);
`;

/** Runs a program in a new process of Node, and returns what it prints. */
function run(program) {
  const options = { encoding: "utf8", cwd: ROOT, timeout: 60_000 };
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], options);
  assert.equal(stderr, "");
  return stdout.trim();
}

test("an environment without the globals that jsdom lacks reads and writes", () => {
  const out = run(`
    globalThis.document = {};
    globalThis.window = globalThis;
    for (const name of ${JSON.stringify(ABSENT_IN_JSDOM)}) delete globalThis[name];
    ${READ_AND_WRITE}`);
  assert.equal(out, "1048576 true Größe");
});

/** Reads an array of the files through a `fetch` that is a stub, in each place for it. */
const READ_BY_STUBS = `
  const zarr = await import("zarr-wasm");
  const files = new Map(FILES);
  const answerOf = (url) => {
    const bytes = files.get(new URL(url).pathname);
    if (!bytes) return { ok: false, status: 404 };
    return { ok: true, status: 200, arrayBuffer: async () => Uint8Array.from(bytes).buffer };
  };
  const read = async (store) => {
    const { data } = await (await zarr.open(store, { kind: "array" })).get(null);
    return data.join();
  };
  const told = [];
  const own = async ({ url, method, headers, signal }) => {
    if (method !== "GET" || headers.get("x-token") !== "1" || !signal) return { status: 400 };
    return answerOf(url);
  };
  const headers = async () => ({ "X-Token": "1" });
  told.push(await read(new zarr.FetchStore("${URL_OF_STUB}", { fetch: own, headers })));
  zarr.dispose();
  const failed = await read("${URL_OF_STUB}").catch((error) => error);
  told.push(failed.code, failed.message);
  zarr.dispose();
  globalThis.fetch = async (url, { method }) => (method === "GET" ? answerOf(url) : { status: 400 });
  told.push(await read("${URL_OF_STUB}"));
  const overrides = { signal: new AbortController().signal };
  told.push(await read(new zarr.FetchStore("${URL_OF_STUB}", { overrides })));
  console.log(told.join("\\n"));
  process.exit(0);
`;

test("where there are no requests, as in jsdom, stubs of fetch are read, and its absence is told", () => {
  const files = JSON.stringify([...FILES].map(([key, bytes]) => [key, [...bytes]]));
  const out = run(`
    globalThis.document = {};
    globalThis.window = globalThis;
    new Headers(); // Node loads them at their first use, by what is deleted here.
    for (const name of ${JSON.stringify(ABSENT_IN_JSDOM.filter((name) => name !== "Headers"))})
      delete globalThis[name];
    const FILES = ${files};
    ${READ_BY_STUBS}`);
  const [own, code, message, ...others] = out.split("\n");
  assert.deepEqual([own, ...others], ["1,2,0,0", "1,2,0,0", "1,2,0,0"]);
  assert.equal(code, "Unsupported");
  assert.match(message, /no fetch: pass the option `fetch`/);
});

test("an environment whose responses and streams are another program's reads and writes", () => {
  const out = run(`
    globalThis.document = {};
    globalThis.window = globalThis;
    const forever = new Promise(() => {});
    // A stream that no stream of the platform takes, and a body that never comes.
    class ForeignStream {
      getReader() {
        return { read: () => forever, cancel: () => forever };
      }
      pipeThrough() {
        return this;
      }
    }
    class ForeignResponse {
      headers = new Headers();
      ok = true;
      status = 200;
      body = new ForeignStream();
      arrayBuffer() {
        return forever;
      }
    }
    globalThis.Response = ForeignResponse;
    globalThis.ReadableStream = ForeignStream;
    ${READ_AND_WRITE}`);
  assert.equal(out, "1048576 true Größe");
});
