/** The full build replaces the engine in a page: during reads, and under a strict policy. */
import * as zarr from "zarr-wasm";
import { equal, ok, test } from "./harness.mjs";

const ROWS = 256;

/** An array of uint16 whose element [i, j] is 4 i + j. The store is slow and counts requests. */
function slowStore(counts = new Map()) {
  const metadata = {
    zarr_format: 3,
    node_type: "array",
    shape: [ROWS, 4],
    data_type: "uint16",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [1, 4] } },
    chunk_key_encoding: { name: "default" },
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    fill_value: 0,
  };
  return {
    async get(key) {
      if (key === "/zarr.json") return new TextEncoder().encode(JSON.stringify(metadata));
      const row = /^\/c\/(\d+)\/0$/.exec(key)?.[1];
      if (row === undefined) return undefined;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return new Uint8Array(Uint16Array.from([0, 1, 2, 3], (column) => 4 * row + column).buffer);
    },
  };
}

const rows = Array.from({ length: ROWS }, (_, row) => row);

async function checkUpgrade(from) {
  const counts = new Map();
  // Other tests of the page may have ended workers.
  const { panics } = from.info();
  const array = await from.open(slowStore(counts), { kind: "array" });
  const reads = rows.map((row) => array.get([row]));
  const store = new Map();
  await from.create(store, { shape: [3], dtype: "uint8", fillValue: 7 });
  equal(from.info().build, "full");
  for (const [row, { data }] of (await Promise.all(reads)).entries()) {
    equal(
      data,
      Uint16Array.from([0, 1, 2, 3], (column) => 4 * row + column),
    );
  }
  ok([...counts.values()].every((count) => count === 1));
  equal((await (await from.open(store, { kind: "array" })).get()).data, new Uint8Array([7, 7, 7]));
  equal((await array.get([9])).data[0], 36);
  equal(from.info().panics, panics);
}

test("reads in progress continue when the full build replaces the engine", () => checkUpgrade(zarr));

test("the full build is loaded under a strict policy", async () => {
  const policy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'; connect-src 'self'";
  const frame = document.createElement("iframe");
  const violated = [];
  const loaded = new Promise((resolve) => {
    window.onStrictFrame = (inner) => {
      inner.addEventListener("securitypolicyviolation", (event) => violated.push(event.violatedDirective));
      resolve(inner.zarr);
    };
  });
  frame.src = `/frame?${new URLSearchParams({ policy, script: "/frames/strict.mjs" })}`;
  document.documentElement.append(frame);
  try {
    const inner = await loaded;
    ok(inner !== zarr);
    const { build } = inner.info();
    equal(build, undefined);
    const array = await inner.open(slowStore(), { kind: "array" });
    equal(inner.info().build, "engine");
    equal((await array.get([1])).data[0], 4);
    await checkUpgrade(inner);
    // Workers cannot start, so the engine runs without them.
    equal(
      violated.filter((directive) => directive !== "worker-src"),
      [],
    );
  } finally {
    window.onStrictFrame = undefined;
    frame.remove();
  }
});
