/** Results in shared memory, which workers write, on a page with cross-origin isolation. */
import * as zarr from "zarr-wasm";
import { equal, ok, rejects, test } from "../harness.mjs";

const [ROWS, COLUMNS, CHUNK] = [2048, 600, 128];
const FILL = 42;
const isStored = (at) => at % 5 !== 3;

/** An array of int32 with gzip. Element [i, j] is 1000 i + j. Every fifth chunk is absent. */
async function madeStore() {
  const metadata = {
    zarr_format: 3,
    node_type: "array",
    shape: [ROWS, COLUMNS],
    data_type: "int32",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [CHUNK, COLUMNS] } },
    chunk_key_encoding: { name: "default" },
    codecs: [
      { name: "bytes", configuration: { endian: "little" } },
      { name: "gzip", configuration: { level: 1 } },
    ],
    fill_value: FILL,
  };
  const store = new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(metadata))]]);
  for (let at = 0; at * CHUNK < ROWS; at += 1) {
    if (!isStored(at)) continue;
    const element = (_, place) => (at * CHUNK + Math.floor(place / COLUMNS)) * 1000 + (place % COLUMNS);
    const elements = Int32Array.from({ length: CHUNK * COLUMNS }, element);
    const stream = new Blob([elements]).stream().pipeThrough(new CompressionStream("gzip"));
    store.set(`/c/${at}/0`, new Uint8Array(await new Response(stream).arrayBuffer()));
  }
  return store;
}

const expectedAt = (i, j) => (isStored(Math.floor(i / CHUNK)) ? i * 1000 + j : FILL);

/** The elements with wrong values in rows that start at `first` and have this step. */
const wrong = (data, columns, first = 0, step = 1) =>
  data.findIndex((value, at) => value !== expectedAt(first + step * Math.floor(at / columns), at % columns));

const shared = (length) => new Int32Array(new SharedArrayBuffer(4 * length));

test("isolated: a result in shared memory is written by workers", async () => {
  ok(crossOriginIsolated);
  zarr.init({ workers: 2 });
  const array = await zarr.open(await madeStore(), { kind: "array" });
  const out = shared(ROWS * COLUMNS).fill(7);
  const { parts } = zarr.info();
  const { data } = await array.get(null, { out });
  ok(data === out);
  equal(wrong(out, COLUMNS), -1);
  ok(zarr.info().parts.workers > parts.workers);
  const made = await zarr.get(array, null, { useSharedArrayBuffer: true });
  ok(made.data.buffer instanceof SharedArrayBuffer);
  equal(wrong(made.data, COLUMNS), -1);
});

test("isolated: a backward slice is read into a part of shared memory", async () => {
  const array = await zarr.open(await madeStore(), { kind: "array" });
  const rows = Math.ceil((ROWS - 1) / 2);
  const memory = shared(rows * COLUMNS + 8).fill(-1);
  const out = memory.subarray(4, memory.length - 4);
  await array.get([zarr.slice(ROWS - 1, 0, -2), null], { out });
  equal(wrong(out, COLUMNS, ROWS - 1, -2), -1);
  equal([...memory.subarray(0, 4), ...memory.subarray(-4)], new Array(8).fill(-1));
});

test("isolated: nothing is written to the caller's memory after an abort", async () => {
  const array = await zarr.open(await madeStore(), { kind: "array" });
  const out = shared(ROWS * COLUMNS);
  for (let round = 0; round < 12; round += 1) {
    const controller = new AbortController();
    const reading = array.get(null, { out, signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 2 * round));
    controller.abort();
    const outcome = await reading.then(
      () => "read",
      ({ name }) => name,
    );
    out.fill(0);
    await new Promise((resolve) => setTimeout(resolve, 40));
    if (outcome === "read") continue;
    equal(outcome, "AbortError");
    ok(
      out.every((value) => value === 0),
      `round ${round}`,
    );
  }
  const broken = await madeStore();
  broken.set("/c/9/0", new Uint8Array(50));
  await rejects((await zarr.open(broken, { kind: "array" })).get(null, { out }));
  out.fill(0);
  await new Promise((resolve) => setTimeout(resolve, 100));
  ok(out.every((value) => value === 0));
});

/** The time of a whole read in ms. */
async function msToRead(array) {
  const started = performance.now();
  await array.get(null, { out: shared(ROWS * COLUMNS) });
  return performance.now() - started;
}

/** The time from an abort until the engine releases the caller's memory; 0 if earlier. */
async function msToLetGo(array, msBefore) {
  const controller = new AbortController();
  const reading = array.get(null, { out: shared(ROWS * COLUMNS), signal: controller.signal });
  const ended = reading.then(
    () => undefined,
    () => performance.now(),
  );
  await new Promise((resolve) => setTimeout(resolve, msBefore));
  const aborted = performance.now();
  controller.abort();
  const end = await ended;
  return end === undefined ? undefined : end - aborted;
}

for (const workers of [0, 2]) {
  test(`isolated: an abort acts within 10 ms, with ${workers} decode workers`, async () => {
    zarr.dispose();
    await zarr.init({ workers });
    try {
      const array = await zarr.open(await madeStore(), { kind: "array" });
      await msToRead(array);
      const whole = await msToRead(array);
      const times = [];
      // After 20 to 60 per cent of the read chunks are being decoded.
      for (let round = 0; round < 15; round += 1)
        times.push(await msToLetGo(array, whole * (0.2 + 0.4 * (round / 14))));
      const told = times.filter((ms) => ms !== undefined).sort((one, other) => one - other);
      ok(told.length >= 3, `${told.length} reads were aborted on their way`);
      // On a busy machine most aborts take longer. An engine that does not yield always takes
      // longer.
      ok(told[0] <= 10, `at best after ${told[0]} ms, of ${told.map(Math.round)}`);
    } finally {
      zarr.dispose();
      await zarr.init({ workers: 2 });
    }
  });
}
