/**
 * Bodies that do not end, or grow when they are decompressed: the package stops reading them at a
 * bound, whatever their headers say. `tests/support/faults/server.mjs` sends them.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import * as zarr from "zarr-wasm";
import { faultServer } from "../support/faults/server.mjs";
import { madeStore } from "./made_stores.mjs";

const MIB = 2 ** 20;
/** What may be on its way, in the buffers of both ends, when the client stops reading. */
const ON_THE_WAY = 24 * MIB;
/** The bound of metadata. `src/core/limits.rs` has it. */
const METADATA = 256 * MIB;
const LIMITS = { timeout: 240_000 };

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
  await assert.rejects(zarr.open(`${server.url}/endless`, { kind: "array" }), { code: "Limit" });
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
 * Opens a node in a process of its own, after a small one. Resolves to the growth of its largest
 * resident memory in bytes.
 */
async function peakOfOpening(name, { kind }) {
  const options = JSON.stringify({ kind });
  const program = `
    import * as zarr from "zarr-wasm";
    await zarr.open("${server.url}/none/small", ${options});
    globalThis.gc();
    const before = process.memoryUsage().rss;
    await zarr.open("${server.url}/none/${name}", ${options});
    console.log(process.resourceUsage().maxRSS * 1024 - before);
    process.exit();`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--expose-gc", "--input-type=module", "-e", program],
    { cwd: join(import.meta.dirname, "../..") },
  );
  return Number(stdout);
}

/** JSON, in which strings such as "NaN?" become bare tokens. */
const text = (value) => new TextEncoder().encode(JSON.stringify(value).replaceAll(/"(NaN|\d+)\?"/g, "$1"));
const NODES = {
  "zarr.json": { group: { zarr_format: 3, node_type: "group" }, array: metadataOf("/zarr.json") },
  ".zattrs": {
    group: { zarr_format: 2 },
    array: {
      ...{ zarr_format: 2, shape: [1], chunks: [1], dtype: "|u1", compressor: null, fill_value: 0 },
      ...{ order: "C", filters: null },
    },
  },
};

function metadataOf(key) {
  return JSON.parse(new TextDecoder().decode(raw.get(key)));
}

/** The documents of a node with these members, or with these attributes, below a path. */
function documentsOf(path, { kind, format }, { attributes, ...members }) {
  const node = NODES[format === 3 ? "zarr.json" : ".zattrs"][kind];
  if (format === 3) return [[`${path}/zarr.json`, text({ ...node, ...members, attributes })]];
  const own = [`${path}/${kind === "array" ? ".zarray" : ".zgroup"}`, text(node)];
  return attributes ? [own, [`${path}/.zattrs`, text(attributes)]] : [own];
}

/** An object of entries of about 2 kB, with as many bytes in all. */
function entries(bytes, entry = { about: "x".repeat(2000) }) {
  const count = Math.round(bytes / JSON.stringify(entry).length);
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, entry]));
}

/** Checks that opening a node takes at most this many times the length of its large document. */
async function checkPeak(context, node, members, most) {
  const large = documentsOf("/large", node, members);
  server.files = new Map([...documentsOf("/small", node, {}), ...large]);
  const { length } = large.at(-1)[1];
  const peak = await peakOfOpening("large", node);
  const name = `v${node.format} ${node.kind}, ${Math.round(length / MIB)} MiB`;
  context.diagnostic(`${name}: ${(peak / length).toFixed(2)} ×`);
  server.files = raw;
  assert.ok(peak <= most * length, `${name}: ${peak} bytes for ${length}`);
}

test("opening consolidated metadata takes at most four times their length", {
  timeout: 90_000,
}, async (context) => {
  const metadata = entries(48 * MIB, {
    ...metadataOf("/zarr.json"),
    attributes: { about: "x".repeat(1000) },
  });
  const consolidated = { kind: "inline", must_understand: false, metadata };
  await checkPeak(context, { kind: "group", format: 3 }, { consolidated_metadata: consolidated }, 4);
});

test("opening large attributes takes at most four times their length", {
  timeout: 120_000,
}, async (context) => {
  const plain = entries(48 * MIB);
  // `JSON.stringify` has no such numbers.
  const odd = { ...plain, nan: "NaN?", integer: "1234567890123456789?" };
  for (const attributes of [plain, odd]) {
    for (const format of [3, 2]) {
      for (const kind of ["group", "array"]) await checkPeak(context, { kind, format }, { attributes }, 4);
    }
  }
});
