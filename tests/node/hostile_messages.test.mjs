/**
 * Wrong messages between the page, the engine and its decode workers. The test records the messages
 * of real calls, and sends changed copies of them, in each direction, while other calls run. Reads
 * must give right elements. Writes must, too, or be rejected: a wrong call may trap the engine,
 * which then repeats reads, but no writes. Nothing may be left unhandled.
 * `src/engine/ts/port/protocol.ts` and `src/engine/ts/host/decode/messages.ts` describe the
 * messages.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Worker } from "node:worker_threads";
import * as zarr from "zarr-wasm";
import { store, verdict } from "../support/faults/dying_workers.mjs";
import { madeStore } from "../support/port_contract.mjs";

/** Wrong messages in each direction; for decode workers a quarter, because their reads are long. */
const COUNT = Number(process.env.HOSTILE_MESSAGES ?? 2000);

/** The numbers of calls, requests and objects in wrong messages begin here: none is real. */
const UNUSED = 1e6;

/** Pseudorandom numbers below 1 (xorshift). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const random = randomNumbers(20261123);
const anyOf = (list) => list[Math.floor(random() * list.length)];

const VALUES = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  Number.NaN,
  2 ** 53,
  10n ** 20n,
  "",
  "x".repeat(1000),
  "__proto__",
  [],
  [[], [[]]],
  {},
  { length: 2 ** 32 },
  new Uint8Array(3),
  new ArrayBuffer(0),
  new Date(0),
  new Map([["a", 1]]),
];

const isPlain = (value) =>
  Array.isArray(value) || (value !== null && Object.getPrototypeOf(value) === Object.prototype);

/** The places of all values of a message, as pairs of an object and a key. */
function placesOf(value) {
  if (typeof value !== "object" || !isPlain(value ?? null)) return [];
  return Object.keys(value).flatMap((key) => [[value, key], ...placesOf(value[key])]);
}

const bufferOf = (value) => (ArrayBuffer.isView(value) ? value.buffer : value);
/** Shared memory is not copied with its message, so it stays as it is. */
const isBytes = (value) => bufferOf(value) instanceof ArrayBuffer;

/** Transferred bytes that are cut off, or of which some are others. */
function damaged(bytes) {
  if (random() < 0.5) return bytes.slice(0, Math.floor(random() * (bytes.length ?? bytes.byteLength)));
  const all = new Uint8Array(bufferOf(bytes));
  for (let changes = 1 + Math.floor(random() * 8); changes > 0; changes -= 1)
    all[Math.floor(random() * all.length)] = Math.floor(random() * 256);
  return bytes;
}

/** Numbers that the other end looks up. */
const NUMBERED = ["call", "ask", "store", "array", "cache", "number", "id"];

let damagedCount = 0;

/** A copy of a message with one to three changes. Its numbers are of nothing that exists. */
function changed(message) {
  const copy = structuredClone(message);
  for (const name of NUMBERED) {
    if (typeof copy[name] === "number") copy[name] = UNUSED + Math.floor(random() * 100);
  }
  for (let changes = 1 + Math.floor(random() * 3); changes > 0; changes -= 1) {
    const [object, key] = anyOf(placesOf(copy)) ?? [];
    if (!object) continue;
    if (isBytes(object[key]) && random() < 0.7) {
      object[key] = damaged(object[key]);
      damagedCount += 1;
    } else if (random() < 0.3) delete object[key];
    else object[key] = anyOf(VALUES);
  }
  return copy;
}

/** Messages that end an engine, or change what all calls use. They are not sent changed. */
const RESERVED = ["start", "configure", "broken", "release", "module"];
/**
 * Operations of the engine and methods of stores that change stores. A changed copy would write
 * wrong bytes to a store of the test, which is no fault of the package.
 */
const WRITING = /write|append|resize|create|erase|update|consolidate|copy|^set|^delete/i;

const isKept = ({ type, operation = "", method = "" }) =>
  !RESERVED.includes(type) && !WRITING.test(operation) && !WRITING.test(method);

const recorded = { toEngine: [], toPage: [], toDecoder: [], fromDecoder: [] };
/** The worker of the engine, of which messages are lists, and a decode worker. */
let engine;
let decoder;
const { postMessage, emit } = Worker.prototype;

/** Keeps copies of messages, and the worker that they are for or from. */
function record(worker, message, [list, single]) {
  if (Array.isArray(message)) engine = worker;
  else decoder = worker;
  const kept = [message].flat().filter((one) => isKept(one ?? {}));
  recorded[Array.isArray(message) ? list : single].push(...structuredClone(kept));
}

before(() => {
  Worker.prototype.postMessage = function (message, transfer) {
    record(this, message, ["toEngine", "toDecoder"]);
    return postMessage.call(this, message, transfer);
  };
  Worker.prototype.emit = function (name, ...words) {
    if (name === "message") record(this, words[0], ["toPage", "fromDecoder"]);
    return emit.call(this, name, ...words);
  };
});
after(() => {
  Object.assign(Worker.prototype, { postMessage, emit });
  zarr.dispose();
});

/** Opens and reads in several ways. Throws for a wrong element. */
async function readRight() {
  const array = await zarr.open(madeStore(), { kind: "array" });
  assert.equal(array.attributes({ bigint: true }).big, 9007199254740993n);
  const { data } = await array.get();
  assert.ok(data.every((value, at) => value === 100 * Math.floor(at / 40) + (at % 40)));
  const part = await zarr.get(array, [zarr.slice(3, 9), 5]);
  assert.deepEqual([...part.data], [305, 405, 505, 605, 705, 805]);
  const failing = zarr.open(new Map(), { kind: "array" });
  await assert.rejects(failing, { code: "NotFound" });
  let seen = 0;
  for await (const box of array.stream()) seen += box.data.length;
  assert.equal(seen, 32 * 40);
}

async function writeRight() {
  const store = new Map();
  const array = await zarr.create(store, { shape: [6], chunkShape: [4], dtype: "int16" });
  await array.set(null, Int16Array.of(1, 2, 3, 4, 5, 6));
  await array.append(Int16Array.of(7, 8));
  const again = await zarr.open(store, { kind: "array" });
  assert.deepEqual([...(await again.get()).data], [1, 2, 3, 4, 5, 6, 7, 8]);
}

const unexpected = [];
for (const name of ["uncaughtException", "unhandledRejection"]) {
  process.on(name, (reason) => unexpected.push(reason));
}

/** Writes during a trap are rejected, with an error that says so. */
async function writeOrTrap() {
  try {
    await writeRight();
  } catch (error) {
    assert.match(String(error), /internal error of zarr-wasm/);
  }
}

const readAndWrite = () => Promise.all([readRight(), writeOrTrap()]);

/** Reads an array that is large enough for decode workers. */
async function readLarge() {
  assert.equal(await verdict(zarr, await store(), 30_000), "right");
}

async function withWrongMessages(send, messages, act = readAndWrite) {
  assert.ok(messages.length > 10, `${messages.length} messages`);
  const most = act === readLarge ? COUNT / 4 : COUNT;
  for (let sent = 0; sent < most; ) {
    const work = act();
    work.catch(() => {}); // The rejection counts when it is awaited.
    for (let batch = 0; batch < 50; batch += 1) {
      await new Promise(setImmediate);
      send(changed(anyOf(messages)));
      sent += 1;
    }
    await work;
  }
  assert.deepEqual(unexpected, []);
  await Promise.all([readRight(), writeRight()]);
}

const LIMITS = { timeout: 120_000 };

/** Starts an engine, and lets it work, so that there are messages to change. */
async function started(options, act = readAndWrite) {
  zarr.dispose();
  await zarr.init(options);
  for (let times = 0; times < 5; times += 1) await act();
}

test("wrong messages to the engine disturb no other call", LIMITS, async () => {
  await started({ engine: "worker" });
  const first = engine;
  const messages = [...recorded.toEngine];
  await withWrongMessages((wrong) => postMessage.call(engine, [wrong], []), messages);
  assert.equal(engine, first);
});

test("wrong messages to the page disturb no call", LIMITS, async () => {
  await started({ engine: "worker" });
  const messages = [...recorded.toPage];
  await withWrongMessages((wrong) => emit.call(engine, "message", [wrong]), messages);
});

test("wrong messages to decode workers disturb no call", LIMITS, async () => {
  await started({ engine: "caller", workers: 2 }, readLarge);
  const messages = [...recorded.toDecoder];
  await withWrongMessages((wrong) => postMessage.call(decoder, wrong, []), messages, readLarge);
});

test("wrong messages from decode workers disturb no call", LIMITS, async () => {
  await started({ engine: "caller", workers: 2 }, readLarge);
  const messages = [...recorded.fromDecoder];
  await withWrongMessages((wrong) => emit.call(decoder, "message", wrong), messages, readLarge);
});

test("bytes of messages were damaged, too", () => {
  assert.ok(damagedCount >= COUNT / 20, `${damagedCount} messages`);
});
