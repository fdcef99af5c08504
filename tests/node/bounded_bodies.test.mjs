/**
 * Bodies that do not end, or grow when they are decompressed: the package stops reading them at a
 * bound, whatever their headers say. `tests/faults/server.mjs` sends them.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import * as zarr from "zarr-wasm";
import { faultServer } from "../faults/server.mjs";
import { madeStore } from "./made_stores.mjs";

const MIB = 2 ** 20;
/** What may be on its way, in the buffers of both ends, when the client stops reading. */
const ON_THE_WAY = 24 * MIB;
/** The bound of metadata. `src/limits.rs` has it. */
const METADATA = 256 * MIB;
const LIMITS = { timeout: 25_000 };

const raw = madeStore({ shape: [64, 64], chunks: [32, 64], dtype: "uint8" }, ([i]) => i);
madeStore({ shape: [64, 64], chunks: [32, 64], dtype: "uint8", gzip: true }, ([i]) => i, {
  path: "zip",
  store: raw,
});

let server;
before(async () => {
  server = await faultServer(raw);
});
after(() => server.close());

/** The last request for a key. */
const last = (key) => server.requests.findLast((request) => request.key === key);

/** Opens an array whose metadata are sound, and whose chunk `c/0/0` has a fault. */
const opened = (fault, path = "", options = {}) =>
  zarr.open(new zarr.FetchStore(`${server.url}/${fault}${path}?on=c/0/0`, options), {
    kind: "array",
  });

/** Runs an action, and resolves to its result and by how much resident memory grew meanwhile. */
async function grown(act) {
  globalThis.gc?.();
  const start = process.memoryUsage().rss;
  let peak = start;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 5);
  try {
    const result = await act();
    return [result, Math.max(peak, process.memoryUsage().rss) - start];
  } finally {
    clearInterval(timer);
  }
}

test("a raw chunk without end is a Limit error after its own size", LIMITS, async () => {
  for (const fault of ["endless", "enormous"]) {
    const array = await opened(fault);
    await assert.rejects(array.get(), { code: "Limit", key: "c/0/0" }, fault);
    assert.ok(last("/c/0/0").sent < ON_THE_WAY, `${fault}: ${last("/c/0/0").sent} bytes`);
  }
});

test(
  "a compressed chunk without end is a Limit error after a small multiple of its size",
  LIMITS,
  async () => {
    const array = await opened("endless", "/zip");
    await assert.rejects(array.get(), { code: "Limit", key: "c/0/0" });
    assert.ok(last("/zip/c/0/0").sent < ON_THE_WAY);
  },
);

test("Content-Encoding is bounded by what comes out", LIMITS, async () => {
  for (const fault of ["gzip-endless", "br-endless", "gzip-bomb"]) {
    const array = await opened(fault);
    const [, memory] = await grown(() => assert.rejects(array.get(), { code: "Limit", key: "c/0/0" }, fault));
    assert.ok(memory < 128 * MIB, `${fault}: ${memory} bytes`);
  }
});

test("a range without end is a Limit error after the length of the range", LIMITS, async () => {
  const files = new Map();
  const writer = await zarr.create(files, {
    shape: [256, 256],
    chunkShape: [64, 64],
    shardShape: [256, 256],
    dtype: "uint32",
    codecs: [],
  });
  await writer.set(null, new Uint32Array(256 * 256).fill(7));
  for (const [key, bytes] of files) raw.set(`/shards${key}`, bytes);
  for (const fault of ["endless-part", "endless"]) {
    const url = `${server.url}/${fault}/shards?on=c/0/0`;
    const array = await zarr.open(url, { kind: "array" });
    await assert.rejects(array.get([zarr.slice(0, 4), zarr.slice(0, 4)]), { code: "Limit" }, fault);
    for (const { sent } of server.requests.filter(({ key }) => key === "/shards/c/0/0"))
      assert.ok(sent < ON_THE_WAY, `${fault}: ${sent} bytes`);
  }
});

test("the page of an error is read to a few kilobytes, and its status counts", LIMITS, async () => {
  const missing = await opened("endless-404");
  assert.deepEqual([...(await missing.get([0, null])).data], new Array(64).fill(0));
  const refused = await opened("endless-403", "", { headers: { "x-key": "1" } });
  await assert.rejects(refused.get(), { code: "Store" });
  for (const { sent } of server.requests.filter(({ fault }) => /-40/.test(fault)))
    assert.ok(sent < ON_THE_WAY, `${sent} bytes`);
  await assert.rejects(zarr.open(`${server.url}/endless-404`), { code: "NotFound" });
});

test("metadata without end are a Limit error after 256 MiB", LIMITS, async () => {
  await assert.rejects(zarr.open(`${server.url}/endless`, { kind: "array", format: 3 }), { code: "Limit" });
  assert.ok(last("/zarr.json").sent < METADATA + ON_THE_WAY, `${last("/zarr.json").sent} bytes`);
});

/** A body without end, as a custom `fetch` may make one. */
const without_end = (state) =>
  new ReadableStream({
    pull(controller) {
      state.sent += MIB;
      controller.enqueue(new Uint8Array(MIB));
    },
    cancel() {
      state.isCancelled = true;
    },
  });

test("the same for a custom fetch", LIMITS, async () => {
  const state = { sent: 0, isCancelled: false };
  const fetch = async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/c/0/0") return new Response(without_end(state));
    const bytes = raw.get(pathname);
    return new Response(bytes ?? null, { status: bytes ? 200 : 404 });
  };
  const array = await zarr.open(new zarr.FetchStore("http://host.example", { fetch }), { kind: "array" });
  await assert.rejects(array.get(), { code: "Limit", key: "c/0/0" });
  assert.ok(state.sent <= 4 * MIB, `${state.sent} bytes`);
  assert.ok(state.isCancelled);
});

test("a value of a user's store that no chunk can have is a Limit error", LIMITS, async () => {
  const files = new Map(raw);
  files.set("/c/0/0", new Uint8Array(64 * MIB));
  const array = await zarr.open(files, { kind: "array" });
  await assert.rejects(array.get(), { code: "Limit", key: "c/0/0" });
});

/**
 * Opens a group in a process of its own, after a small one. Resolves to the growth of its largest
 * resident memory in bytes.
 */
async function peakOfOpening(small, large) {
  const program = `
    import * as zarr from "zarr-wasm";
    await zarr.open(${JSON.stringify(small)}, { format: 3 });
    globalThis.gc();
    const before = process.memoryUsage().rss;
    const node = await zarr.open(${JSON.stringify(large)}, { format: 3 });
    if (node.kind !== "group") throw new Error(node.kind);
    console.log(process.resourceUsage().maxRSS * 1024 - before);
    process.exit();`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--expose-gc", "--input-type=module", "-e", program],
    { cwd: join(import.meta.dirname, "../..") },
  );
  return Number(stdout);
}

test("opening consolidated metadata takes at most four times their length", {
  timeout: 40_000,
}, async (context) => {
  const group = new TextEncoder().encode('{"zarr_format":3,"node_type":"group"}');
  for (const isConsolidated of [false, true]) {
    const text = largeDocument(isConsolidated);
    server.files = new Map([
      ["/large/zarr.json", text],
      ["/small/zarr.json", group],
    ]);
    const peak = await peakOfOpening(`${server.url}/none/small`, `${server.url}/none/large`);
    context.diagnostic(
      `${isConsolidated ? "consolidated" : "attributes"}: ${(peak / text.length).toFixed(2)} ×`,
    );
    // Attributes are copied more often: out of the document, and to the page.
    const most = isConsolidated ? 4 : 9;
    assert.ok(peak <= most * text.length, `${peak} bytes for ${text.length}`);
  }
  server.files = raw;
});

/** The document of a group with 48 MiB of attributes, or of consolidated nodes. */
function largeDocument(isConsolidated) {
  const array = {
    ...JSON.parse(new TextDecoder().decode(raw.get("/zarr.json"))),
    attributes: { about: "x".repeat(1000) },
  };
  const entries = {};
  const count = isConsolidated ? 32_000 : 24_000;
  for (let at = 0; at < count; at++) entries[`n${at}`] = isConsolidated ? array : { about: "x".repeat(2000) };
  const members = isConsolidated
    ? { consolidated_metadata: { kind: "inline", must_understand: false, metadata: entries } }
    : { attributes: entries };
  return new TextEncoder().encode(JSON.stringify({ zarr_format: 3, node_type: "group", ...members }));
}
