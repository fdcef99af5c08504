/**
 * Tests how parts are distributed to decoders, with decoders that answer when the test says so.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PageLink } from "../page.ts";
import { EngineState } from "../state.ts";
import { WasmBuilds } from "../wasm_builds.ts";
import type { ReportedError } from "../wasm_module.ts";
import { DecodePool } from "./decode_pool.ts";
import type { Decoder } from "./decoder.ts";
import type { FromDecoder, ReadMessage, ToDecoder } from "./messages.ts";
import { keepSpare, takeSpare } from "./part_memory.ts";
import { type BoundArray, type End, resultOf } from "./work.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The entry at an index, which must exist. */
function at<T>(list: readonly T[], index: number): T {
  const entry = list[index < 0 ? list.length + index : index];
  assert.ok(entry !== undefined, `there is no entry ${index} of ${list.length}`);
  return entry;
}

type Posted<Message> = Message & { transfer: ArrayBuffer[] };

/** A decoder that records its messages. */
class FakeDecoder implements Decoder {
  readonly kind = "blob";
  readonly posted: Posted<ToDecoder>[] = [];
  readonly held: boolean[] = [];
  isClosed = false;
  onanswer: (answer: FromDecoder) => void = () => {};
  oncrash: (reason: string) => void = () => {};

  listen({ heard, crashed }: Parameters<Decoder["listen"]>[0]): void {
    [this.onanswer, this.oncrash] = [heard, crashed];
  }

  post(message: ToDecoder, transfer: ArrayBuffer[]): void {
    this.posted.push({ ...message, transfer });
  }

  hold(isBusy: boolean): void {
    this.held.push(isBusy);
  }

  close(): void {
    this.isClosed = true;
  }

  get work(): Posted<ReadMessage>[] {
    return this.posted.filter((message): message is Posted<ReadMessage> => message.type === "read");
  }

  finish(id: number, result = new Uint8Array(1)): void {
    this.onanswer({ type: "done", id, result });
  }
}

/** What a pool uses of its engine. No part of these tests needs the page. */
function newEngine() {
  const [state, page] = [new EngineState(), {} as PageLink];
  return { state, page, builds: new WasmBuilds(state, page) };
}

function fakePool(limit: number, idleMs?: () => number) {
  const ports: FakeDecoder[] = [];
  const open = async () => {
    const port = new FakeDecoder();
    ports.push(port);
    return port;
  };
  return { pool: new DecodePool(newEngine(), { open, limit: () => limit, idleMs }), ports };
}

const ARRAY: BoundArray = { id: 7, build: "engine", document: "{}", warn: () => {} };
const supply = (owned = true, bytes = new Uint8Array(4)) => ({
  table: new Uint32Array(2),
  buffers: [bytes],
  owned: [owned],
});

const lossOf = (end: End): string => ("lost" in end ? end.lost : "none");

function addPart(pool: DecodePool, priority = 0) {
  const part = pool.begin(ARRAY, new Uint32Array(1), priority);
  pool.supply(part, supply());
  const ended = pool.finish(part);
  const elements = ended.then(resultOf);
  elements.catch(() => {});
  return { part, ended, elements };
}

test("a decoder has at most two messages; cancelled parts are not posted", async () => {
  const { pool, ports } = fakePool(1);
  const parts = [0, 1, 2, 3].map(() => addPart(pool));
  await turn();
  const port = at(ports, 0);
  assert.deepEqual(
    port.work.map(({ id }) => id),
    [at(parts, 0).part.id, at(parts, 1).part.id],
  );
  pool.cancel(at(parts, 2).part);
  port.finish(at(parts, 0).part.id);
  assert.deepEqual(
    port.work.slice(2).map(({ id }) => id),
    [at(parts, 3).part.id],
  );
  assert.ok(!port.posted.some(({ type }) => type === "cancel"));
  assert.equal((await at(parts, 0).elements)?.length, 1);
});

test("a prepared pool starts one decoder before there is work", async () => {
  const { pool, ports } = fakePool(2);
  assert.equal(pool.prepared().prepared(), pool);
  await turn();
  assert.equal(ports.length, 1);
  pool.prepared();
  const { part } = addPart(pool);
  await turn();
  assert.equal(ports.length, 1);
  assert.ok(at(ports, 0).work.every((work) => work.id === part.id));
});

test("a prepared pool binds the array of the coming work, once", async () => {
  const { pool, ports } = fakePool(2);
  const bound = () => ports.flatMap(({ posted }) => posted.filter(({ type }) => type === "bind"));
  pool.prepared({ ...ARRAY, id: 8 }).prepared(ARRAY);
  pool.unbind(8);
  await turn();
  assert.deepEqual(
    bound().map((message) => message.type === "bind" && message.array),
    [ARRAY.id],
  );
  addPart(pool);
  await turn();
  assert.equal(bound().length, 1);
  pool.prepared({ ...ARRAY, id: 9 });
  assert.equal(bound().length, 2);
});

test("the part with the higher priority goes first", async () => {
  const { pool, ports } = fakePool(1);
  const parts = [0, 0, 0, 5].map((priority) => addPart(pool, priority));
  await turn();
  at(ports, 0).finish(at(at(ports, 0).work, 0).id);
  assert.deepEqual(
    at(ports, 0).work.map(({ id }) => id),
    [at(parts, 3).part.id, at(parts, 0).part.id, at(parts, 1).part.id],
  );
});

test("an array is bound once per decoder, and a part stays at its decoder", async () => {
  const { pool, ports } = fakePool(2);
  const [first, second] = [
    pool.begin(ARRAY, new Uint32Array(1), 0),
    pool.begin(ARRAY, new Uint32Array(1), 0),
  ];
  pool.supply(first, supply());
  pool.supply(second, supply());
  await turn();
  assert.equal(ports.length, 2);
  for (const { posted } of ports) assert.equal(posted.filter(({ type }) => type === "bind").length, 1);
  const home = at(
    ports.filter(({ work }) => work.some(({ id }) => id === first.id)),
    0,
  );
  home.onanswer({ type: "begun", id: first.id });
  for (let round = 0; round < 3; round += 1) {
    pool.supply(first, supply());
    home.onanswer({ type: "begun", id: first.id });
  }
  assert.equal(home.work.filter(({ id }) => id === first.id).length, 4);
  assert.equal(home.work.filter(({ begin }) => begin).length, 1);
});

test("supplies that arrive meanwhile are posted in one message", async () => {
  const { pool, ports } = fakePool(1);
  const part = pool.begin(ARRAY, new Uint32Array(1), 0);
  pool.supply(part, supply());
  pool.supply(part, supply());
  const elements = pool.finish(part);
  await turn();
  assert.equal(at(ports, 0).work.length, 1);
  assert.equal(at(at(ports, 0).work, 0).supplies.length, 2);
  assert.ok(at(at(ports, 0).work, 0).end);
  at(ports, 0).finish(part.id, Uint8Array.of(1, 2));
  assert.deepEqual(await elements, { result: Uint8Array.of(1, 2) });
  assert.deepEqual(at(ports, 0).held, [true, false]);
});

test("shared buffers are copied, owned whole buffers are transferred", async () => {
  const { pool, ports } = fakePool(1);
  const part = pool.begin(ARRAY, new Uint32Array(1), 0);
  const [mine, theirs, partly] = [new Uint8Array(4), new Uint8Array(4), new Uint8Array(8).subarray(2, 6)];
  pool.supply(part, supply(true, mine));
  pool.supply(part, supply(false, theirs));
  pool.supply(part, supply(true, partly));
  await turn();
  const { supplies, transfer } = at(at(ports, 0).work, 0);
  assert.equal(at(at(supplies, 0).buffers, 0).buffer, mine.buffer);
  assert.notEqual(at(at(supplies, 1).buffers, 0).buffer, theirs.buffer);
  assert.equal(at(at(supplies, 2).buffers, 0).buffer.byteLength, 4);
  assert.ok(transfer.includes(mine.buffer) && !transfer.includes(theirs.buffer));
});

test("the end of a part is posted at once and does not count as work", async () => {
  const { pool, ports } = fakePool(1);
  const begun = () => pool.begin(ARRAY, new Uint32Array(1), 0);
  const [first, second] = [begun(), begun()];
  pool.supply(first, supply());
  pool.supply(second, supply());
  await turn();
  const port = at(ports, 0);
  const elements = pool.finish(first).then(resultOf);
  const third = addPart(pool);
  await turn();
  const posted = () => port.work.map(({ id, end }) => [id, end !== undefined]);
  const before = [
    [first.id, false],
    [second.id, false],
    [first.id, true],
  ];
  assert.deepEqual(posted(), before);
  port.onanswer({ type: "begun", id: first.id });
  assert.deepEqual(posted(), [...before, [third.part.id, true]]);
  port.onanswer({ type: "begun", id: second.id });
  port.finish(first.id);
  assert.equal((await elements)?.length, 1);
});

test("a busy decoder gets a part as one message", async () => {
  const { pool, ports } = fakePool(1);
  addPart(pool);
  await turn();
  addPart(pool);
  await turn();
  assert.deepEqual(
    at(ports, 0).work.map(({ supplies, end }) => [supplies.length, end !== undefined]),
    [
      [1, true],
      [1, true],
    ],
  );
});

test("the memory of copies is returned and reused", async () => {
  const { pool, ports } = fakePool(1);
  const theirs = (fill: number) => new Uint8Array(100_000).fill(fill);
  const post = (bytes: Uint8Array<ArrayBuffer>) => {
    const part = pool.begin(ARRAY, new Uint32Array(1), 0);
    pool.supply(part, supply(false, bytes));
    void pool.finish(part);
    return part.id;
  };
  const first = post(theirs(1));
  await turn();
  const port = at(ports, 0);
  const copied = () =>
    at(
      port.work.flatMap(({ supplies }) => supplies),
      -1,
    );
  const firstCopy = () => at(copied().buffers, 0);
  const buffer = firstCopy().buffer as ArrayBuffer;
  assert.equal(copied().isCopied, true);
  port.onanswer({ type: "done", id: first, result: new Uint8Array(1), returned: [buffer] });
  post(theirs(2).subarray(0, 99_000));
  await turn();
  assert.equal(firstCopy().buffer, buffer);
  assert.deepEqual(firstCopy(), new Uint8Array(99_000).fill(2));
  post(theirs(3));
  await turn();
  assert.notEqual(firstCopy().buffer, buffer);
  assert.deepEqual(firstCopy(), theirs(3));
});

test("small buffers are posted as one buffer", async () => {
  const { pool, ports } = fakePool(1);
  const part = pool.begin(ARRAY, new Uint32Array(1), 0);
  const others = new Uint8Array([0, 1, 2, 3, 4, 5]);
  const buffers = [others.subarray(1, 3), new Uint8Array(0), others.subarray(5), new Uint8Array([9])];
  pool.supply(part, { table: new Uint32Array(2), buffers, owned: [false, true, false, true] });
  await turn();
  const { supplies, transfer } = at(at(ports, 0).work, 0);
  assert.deepEqual(
    at(supplies, 0).buffers.map((buffer) => [...buffer]),
    [[1, 2, 5, 9]],
  );
  assert.deepEqual([...(at(supplies, 0).ends ?? [])], [2, 2, 3, 4]);
  assert.equal(transfer.length, 2, "the table, and all of them");
  assert.equal(others.length, 6);
});

test("a posted part is cancelled at its decoder", async () => {
  const { pool, ports } = fakePool(1);
  const { part } = addPart(pool);
  await turn();
  pool.cancel(part);
  assert.deepEqual(
    at(ports, 0)
      .posted.filter(({ type }) => type === "cancel")
      .map((message) => (message as { id: number }).id),
    [part.id],
  );
  at(ports, 0).finish(part.id);
});

test("failures name their cause; a crashed decoder is replaced", async () => {
  const { pool, ports } = fakePool(1);
  const [refused, trapped, lost, later] = [addPart(pool), addPart(pool), addPart(pool), addPart(pool)];
  await turn();
  at(ports, 0).onanswer({
    type: "failed",
    id: refused.part.id,
    record: { code: "Format", message: "bad", context: {} },
  });
  await assert.rejects(refused.elements, ({ record }: ReportedError) => record.code === "Format");
  at(ports, 0).onanswer({ type: "trapped", id: trapped.part.id, trap: "index out of bounds" });
  await assert.rejects(trapped.elements, ({ record }: ReportedError) =>
    /internal error.*index out of bounds/.test(record.message),
  );
  at(ports, 0).oncrash("out of memory");
  for (const { ended } of [lost, later]) assert.match(lossOf(await ended), /a worker failed: out of memory/);
  const next = addPart(pool);
  await turn();
  assert.equal(ports.length, 2);
  at(ports, 1).finish(next.part.id);
  assert.equal((await next.elements)?.length, 1);
});

test("updates and codecs are one message each, and fail with their decoder", async () => {
  const { pool, ports } = fakePool(1);
  const bytes = Uint8Array.of(1, 2);
  const header = new Uint32Array(1);
  const updated = pool.update({ array: ARRAY, header, elements: { bytes, ours: false } }, 0);
  const ran = pool.runCodec({ text: "{}", build: "engine", encodes: true }, bytes);
  await turn();
  const { posted, onanswer } = at(ports, 0);
  const [update, codec] = [at(posted, -2), at(posted, -1)];
  assert.ok(update.type === "update" && codec.type === "codec");
  assert.deepEqual(update.begin, { array: 7, build: "engine", header, old: undefined, elements: bytes });
  assert.deepEqual(codec.input, bytes);
  onanswer({ type: "done", id: update.id, result: null });
  assert.equal(await updated, null);
  at(ports, 0).oncrash("out of memory");
  await assert.rejects(ran, /a worker failed: out of memory/);
});

test("a codec that is aborted is cancelled at its decoder", async () => {
  const { pool, ports } = fakePool(1);
  const abort = new AbortController();
  const codec = { text: "{}", build: "engine", encodes: true } as const;
  void pool.runCodec(codec, new Uint8Array(1), abort.signal);
  await turn();
  abort.abort();
  assert.equal(at(at(ports, 0).posted, -1).type, "cancel");
});

test("parts fail when no decoder can be started", async () => {
  const open = () => Promise.reject(new Error("forbidden"));
  for (const openAlone of [undefined, open]) {
    const pool = new DecodePool(newEngine(), { open, limit: () => 1, ...(openAlone && { openAlone }) });
    const { elements } = addPart(pool);
    await assert.rejects(elements, /forbidden/);
  }
});

/** A pool of which the first `starts` decoders start, and the others lack memory. */
function starvedPool(starts: number, limit: number) {
  const [ports, reasons]: [FakeDecoder[], string[]] = [[], []];
  let [asked, alone] = [0, 0];
  const openAlone = async () => {
    alone += 1;
    const port = new FakeDecoder();
    ports.push(port);
    return port;
  };
  const open = async () => {
    asked += 1;
    if (asked > starts) throw new Error("out of memory");
    const port = new FakeDecoder();
    ports.push(port);
    return port;
  };
  const onRefused = (reason: string) => reasons.push(reason);
  const pool = new DecodePool(newEngine(), { open, limit: () => limit, openAlone, onRefused });
  return { pool, ports, reasons, counts: () => ({ asked, alone }) };
}

/** Answers all work until the parts are done. */
async function decodeAll(ports: FakeDecoder[], parts: ReturnType<typeof addPart>[]) {
  const done = Promise.all(parts.map(({ elements }) => elements));
  const answered = new Set<number>();
  for (let left = parts.length + 1; left > 0; left -= 1) {
    await turn();
    for (const port of ports)
      for (const { id } of port.work)
        if (!answered.has(id)) {
          answered.add(id);
          port.finish(id);
        }
  }
  return done;
}

test("where further decoders do not start, those that run do the work", async () => {
  const { pool, ports, reasons, counts } = starvedPool(1, 4);
  const parts = Array.from({ length: 8 }, () => addPart(pool));
  assert.equal((await decodeAll(ports, parts)).length, 8);
  assert.equal(counts().alone, 0);
  assert.deepEqual(reasons, ["Error: out of memory"]);
  const before = counts().asked;
  const more = Array.from({ length: 8 }, () => addPart(pool));
  await decodeAll(ports, more);
  assert.equal(counts().asked, before, "starts that failed are not tried for each part again");
});

test("where no decoder starts, one on this thread does the work", async () => {
  const { pool, ports, reasons, counts } = starvedPool(0, 4);
  const parts = Array.from({ length: 8 }, () => addPart(pool));
  assert.equal((await decodeAll(ports, parts)).length, 8);
  assert.deepEqual([counts().alone, pool.size, reasons.length], [1, 1, 1]);
});

/** Waits until something is so, for five seconds at most. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; turns < 500 && !isSo(); turns += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

test("the memory that is kept for the next parts goes with the last idle decoder", async () => {
  const { pool, ports } = fakePool(1, () => 40);
  const { elements } = addPart(pool);
  await turn();
  at(ports, 0).finish(at(at(ports, 0).work, 0).id);
  await elements;
  keepSpare(new Uint8Array(1 << 20));
  await until(() => pool.size === 0);
  assert.equal(pool.size, 0);
  assert.equal(takeSpare(), undefined);
});

test("idle decoders end after a while, busy ones do not", async () => {
  const { pool, ports } = fakePool(2, () => 40);
  const parts = [addPart(pool), addPart(pool)];
  // The part has begun and waits for bytes, so its decoder is not idle.
  await turn();
  const [first, second] = [at(ports, 0), at(ports, 1)];
  first.finish(at(first.work, 0).id);
  await until(() => first.isClosed);
  assert.deepEqual([first.isClosed, second.isClosed, pool.size], [true, false, 1]);
  second.finish(at(second.work, 0).id);
  await Promise.all(parts.map(({ elements }) => elements));
  await until(() => second.isClosed);
  assert.deepEqual([second.isClosed, pool.size], [true, 0]);
  const later = addPart(pool);
  await turn();
  assert.equal(ports.length, 3, "another is started when there is need");
  at(ports, 2).finish(later.part.id);
  assert.equal((await later.elements)?.length, 1);
});

test("a part whose decoder crashes while it gets the part's array fails", async () => {
  const { pool, ports } = fakePool(1);
  pool.prepared();
  await turn();
  const port = at(ports, 0);
  port.post = () => port.oncrash("it is gone");
  const { ended } = addPart(pool);
  const late = new Promise<End>((_, reject) => setTimeout(reject, 1000, new Error("the part hangs")));
  assert.match(lossOf(await Promise.race([ended, late])), /it is gone/);
});
