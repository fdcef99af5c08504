/**
 * Distributes parts to decoders. All messages of a part go to one decoder. A decoder has at most
 * two messages at a time. The others wait here, where they can be cancelled and are ordered by
 * priority.
 */
import type { CodecAnswer, CodecRequest } from "../../codec/site.ts";
import { type ErrorReport, INTERNAL, ZarrError } from "../../model/errors.ts";
import type { CodedArray } from "../../port/definitions.ts";
import { NOBODY } from "../../port/worker_start.ts";
import type { PageLink } from "../page.ts";
import type { EngineState } from "../state.ts";
import type { WasmBuilds } from "../wasm_builds.ts";
import { type Decoder, IdleClock } from "./decoder.ts";
import type { SharedTarget } from "./gate.ts";
import type {
  CodecWork,
  DecodeBuild,
  Failure,
  FromDecoder,
  Outcome,
  PartReduction,
  WorkMessage,
} from "./messages.ts";
import { dropSpares, takeSpare } from "./part_memory.ts";
import { CopyMemory, type OwnedSupply, type OwnedUpdate } from "./transfer.ts";

/** Messages in flight per decoder: one in progress and one ahead. */
const AHEAD = 2;

/** An array as decoders know it: under a number, and bound once from its metadata documents. */
export interface BoundArray extends CodedArray {
  readonly number: number;
  /** Receives warnings about its chunks. */
  readonly warn: (message: string) => void;
}

/** Bytes to store; null if the chunk is all fill value, undefined if it is unchanged. */
export type Updated = Uint8Array<ArrayBuffer> | null | undefined;

/** A part's elements, an update's bytes, or the engine's error as JSON text. */
type Settled = { elements: Updated } | Failure;

const failed = (code: ErrorReport["code"], message: string): Failure => ({
  report: JSON.stringify({ code, message }),
});

/** A part in flight. */
export class PartTask {
  readonly id: number;
  readonly array: BoundArray;
  readonly header: Uint32Array;
  readonly priority: number;
  /** Supplies that have arrived but were not posted yet. */
  arrived: OwnedSupply[] = [];
  /** In place of supplies: the part is a stored chunk to change and encode. */
  update: OwnedUpdate | undefined;
  /** Answers of user codecs that were not posted yet. */
  answers: CodecAnswer[] = [];
  isFinishing = false;
  /**
   * Takes the elements from borrowed memory, if the part is decoded on this thread. Then the answer
   * has no elements.
   */
  take: ((elements: Uint8Array) => void) | undefined;
  /**
   * The target that a worker writes to, if the result is in shared memory. Then the answer has no
   * elements.
   */
  target: SharedTarget | undefined;
  /** What is remembered of the elements becomes the answer. */
  reduction: PartReduction | undefined;
  isUpdate = false;
  /** In place of an array's codecs: a codec that takes the elements of `update`. */
  codec: CodecWork | undefined;
  /** User codecs that are modules run for it at its decoder. */
  isCoding = false;
  slot: WorkerSlot | undefined;
  isOver = false;
  readonly elements: Promise<Updated>;
  #settle: (settled: Settled) => void = () => {};

  constructor(id: number, array: BoundArray, header: Uint32Array, priority: number) {
    this.id = id;
    this.array = array;
    this.header = header;
    this.priority = priority;
    this.elements = new Promise((resolve, reject) => {
      this.#settle = (settled) => ("report" in settled ? reject(settled) : resolve(settled.elements));
    });
    // A part may fail before its elements are awaited. Then the error is handled later or dropped.
    this.elements.catch(() => {});
  }

  settle(settled: Settled): void {
    this.isOver = true;
    this.#settle(settled);
  }
}

/** A worker slot: a decoder and what has been posted to it. */
interface WorkerSlot {
  decoder: Decoder;
  builds: Set<DecodeBuild>;
  arrays: Set<number>;
  /** Parts in progress at this decoder. */
  parts: Map<number, PartTask>;
  /** Unanswered work messages, in order: 1 for work, 0 for a message that only ends a part. */
  unanswered: number[];
  /** The number of them that are work. */
  ahead: number;
  /** Time of its last work. */
  used: number;
}

/** Whether only the end of a part is left to post. */
const isMereEnd = ({ isFinishing, arrived, update, answers }: PartTask) =>
  isFinishing && arrived.length === 0 && !update && answers.length === 0;

/** Closes a decoder and ignores its later answers. */
function closeDecoder(decoder: Decoder): void {
  decoder.listen(NOBODY);
  decoder.hold(false);
  decoder.close();
}

/** What a pool uses of its engine. */
export interface PoolEngine {
  readonly state: EngineState;
  readonly page: PageLink;
  readonly builds: WasmBuilds;
}

interface PoolOptions {
  /** Starts a decoder. */
  open: () => Promise<Decoder>;
  /** At most so many decoders run. */
  limit: () => number;
  /** A decoder that is idle for so many ms ends. */
  idleMs?: () => number;
  /** Makes a decoder on this thread, for when none can be started. */
  openAlone?: () => Promise<Decoder>;
  /** Hears once that a decoder did not start, until the pool is closed or idle. */
  onRefused?: (reason: string) => void;
}

export class DecodePool {
  readonly #engine: PoolEngine;
  readonly #options: PoolOptions;
  readonly #slots: WorkerSlot[] = [];
  readonly #waiting = new Set<PartTask>();
  readonly #modules = new Map<DecodeBuild, WebAssembly.Module>();
  /** The arrays to bind at the first decoder when it has started. */
  readonly #expected = new Map<number, BoundArray>();
  #opening = 0;
  #isPumpDue = false;
  /** At most so many decoders run after the start of another one failed. */
  #most = Number.POSITIVE_INFINITY;
  /** Number of calls of `close`. A decoder that was starting meanwhile is closed. */
  #closings = 0;
  readonly #idle: IdleClock;
  readonly #copies = new CopyMemory();
  #nextPart = 1;

  constructor(engine: PoolEngine, options: PoolOptions) {
    const { idleMs = () => Number.POSITIVE_INFINITY } = options;
    this.#engine = engine;
    this.#options = options;
    this.#idle = new IdleClock(idleMs, (since) => this.#endIdle(since));
  }

  get size(): number {
    return this.#slots.length;
  }

  /**
   * Prepares for work that will come: starts a decoder if none runs, and binds the array while its
   * chunks are being fetched.
   */
  prepared(array?: BoundArray): this {
    if (this.#slots.length + this.#opening === 0) this.#openSlot();
    if (array?.build !== "engine") return this;
    const [slot] = this.#slots;
    if (slot) this.#sendArray(slot, array);
    else this.#expected.set(array.number, array);
    return this;
  }

  begin(array: BoundArray, header: Uint32Array, priority: number): PartTask {
    return new PartTask(this.#nextPart++, array, header, priority);
  }

  /** Begins the work of a codec on its own. `update` gives it its input. */
  beginCodec(codec: CodecWork): PartTask {
    const noArray: BoundArray = { number: 0, build: codec.build, document: "", warn: () => {} };
    const part = this.begin(noArray, new Uint32Array(0), 0);
    part.codec = codec;
    return part;
  }

  supply(part: PartTask, supply: OwnedSupply): void {
    if (part.isOver) return;
    part.arrived.push(supply);
    this.#queue(part);
  }

  finish(part: PartTask): Promise<Uint8Array<ArrayBuffer> | undefined> {
    part.isFinishing = true;
    if (!part.isOver) this.#queue(part);
    return part.elements as Promise<Uint8Array<ArrayBuffer> | undefined>;
  }

  /** Changes and encodes a stored chunk. */
  update(part: PartTask, update: OwnedUpdate): Promise<Updated> {
    part.update = update;
    part.isUpdate = true;
    part.isFinishing = true;
    this.#queue(part);
    return part.elements;
  }

  /** Cancels a part. Its waiting messages are dropped and its answers ignored. */
  cancel(part: PartTask): void {
    this.#waiting.delete(part);
    part.isOver = true;
    part.arrived = [];
    part.answers = [];
    if (!part.slot?.parts.delete(part.id)) return;
    part.slot.decoder.post({ type: "cancel", part: part.id }, []);
    this.#rest(part.slot);
  }

  /** Removes an array from every decoder. */
  unbind(array: number): void {
    this.#expected.delete(array);
    for (const { decoder, arrays } of this.#slots)
      if (arrays.delete(array)) decoder.post({ type: "unbind", array }, []);
  }

  /** Ends all decoders and rejects their parts. New ones start when needed. */
  close(): void {
    const failure = failed("Aborted", "the decode workers were closed");
    this.#closings += 1;
    this.#most = Number.POSITIVE_INFINITY;
    for (const part of [...this.#waiting]) this.#fail(part, failure);
    for (const { decoder, parts } of this.#slots.splice(0)) {
      for (const part of [...parts.values()]) this.#fail(part, failure);
      closeDecoder(decoder);
    }
    this.#modules.clear();
    this.#expected.clear();
    this.#copies.drop();
  }

  /** Ends the decoders that have been idle since then. Returns whether any are left. */
  #endIdle(since: number): boolean {
    const isIdle = ({ unanswered, parts, used }: WorkerSlot) =>
      unanswered.length === 0 && parts.size === 0 && used <= since;
    for (const slot of this.#slots.filter(isIdle)) {
      this.#slots.splice(this.#slots.indexOf(slot), 1);
      closeDecoder(slot.decoder);
    }
    if (this.#slots.length === 0) {
      this.#copies.drop();
      dropSpares();
      // There may be memory again.
      this.#most = Number.POSITIVE_INFINITY;
    }
    return this.#slots.length > 0;
  }

  #queue(part: PartTask): void {
    // A message that only ends a part is no work, so it does not wait. Nothing waits for an idle
    // decoder either.
    if (part.slot && isMereEnd(part)) {
      this.#post(part.slot, part);
      return;
    }
    this.#waiting.add(part);
    const { build } = part.array;
    if (build !== "engine" && !this.#modules.has(build)) this.#loadModule(part, build);
    else if (this.#slots.some(({ ahead }) => ahead === 0)) this.#pump();
    else this.#pumpSoon();
  }

  /** Posts at the end of the turn, so that a part's supplies and its end become one message. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #loadModule(part: PartTask, build: DecodeBuild): void {
    this.#engine.builds.module(build).then(
      (module) => {
        this.#modules.set(build, module);
        this.#pump();
      },
      (error) => {
        const code = error instanceof ZarrError ? error.code : "Store";
        this.#fail(part, failed(code, `a build of the engine could not be loaded: ${error}`));
      },
    );
  }

  /** Posts what can be posted, by priority, and starts decoders while parts wait for one. */
  #pump(): void {
    // While a decoder is starting, no work queues at a running one, because the new one can begin
    // it at once.
    const most = this.#opening > 0 ? 1 : AHEAD;
    for (;;) {
      const slot = this.#slots.reduce<WorkerSlot | undefined>(
        (best, other) => (other.ahead < (best?.ahead ?? most) && this.#next(other) ? other : best),
        undefined,
      );
      const part = slot && this.#next(slot);
      if (!slot || !part) break;
      this.#waiting.delete(part);
      this.#post(slot, part);
    }
    const unassigned = [...this.#waiting].filter(({ slot }) => !slot).length;
    const limit = Math.min(this.#options.limit(), this.#most);
    while (this.#opening < unassigned && this.#slots.length + this.#opening < limit) this.#openSlot();
  }

  /** The part with the highest priority that may go to this decoder. */
  #next(slot: WorkerSlot): PartTask | undefined {
    let best: PartTask | undefined;
    for (const part of this.#waiting) {
      const { build } = part.array;
      const possible = (part.slot ?? slot) === slot && (build === "engine" || this.#modules.has(build));
      if (possible && part.priority > (best?.priority ?? Number.NEGATIVE_INFINITY)) best = part;
    }
    return best;
  }

  #post(slot: WorkerSlot, part: PartTask): void {
    const work = isMereEnd(part) ? 0 : 1;
    const message: WorkMessage = { type: "work", part: part.id, supplies: [], finish: part.isFinishing };
    const transfer: ArrayBuffer[] = [];
    if (part.slot === undefined) {
      this.#introduce(slot, part);
      if (part.codec) message.codec = part.codec;
      else message.begin = { array: part.array.number, header: part.header };
    }
    const { place } = slot.decoder;
    message.supplies =
      place === "caller"
        ? part.arrived
        : part.arrived.map((supply) => this.#copies.packSupply(supply, transfer));
    part.arrived = [];
    if (part.update)
      message.update = place === "caller" ? part.update : this.#copies.packUpdate(part.update, transfer);
    part.update = undefined;
    if (part.isFinishing && !part.isUpdate) this.#finishAt(slot, part, message, transfer);
    if (part.answers.length > 0) {
      message.answers = part.answers;
      transfer.push(...part.answers.map(({ bytes }) => bytes.buffer));
      part.answers = [];
    }
    if (slot.unanswered.length === 0) slot.decoder.hold(true);
    slot.unanswered.push(work);
    slot.ahead += work;
    slot.decoder.post(message, transfer);
  }

  /**
   * Sets where the elements go: directly into the result, into shared memory, or into reused
   * memory.
   */
  #finishAt(
    { decoder }: WorkerSlot,
    { take, target, reduction }: PartTask,
    message: WorkMessage,
    transfer: ArrayBuffer[],
  ): void {
    if (reduction) {
      message.reduction = reduction;
      return;
    }
    if (decoder.place === "caller") {
      message.take = take;
      return;
    }
    if (target) {
      message.target = target;
      return;
    }
    const spare = takeSpare();
    if (!spare) return;
    message.spare = spare;
    transfer.push(spare.buffer);
  }

  /** Sends a decoder the array and the wasm build that a part needs. */
  #introduce(slot: WorkerSlot, part: PartTask): void {
    const { build } = part.array;
    const module = this.#modules.get(build);
    if (!slot.builds.has(build) && module) {
      slot.builds.add(build);
      slot.decoder.post(
        { type: "module", build, module, recycleBytes: this.#engine.state.recycleBytes() },
        [],
      );
    }
    if (!part.codec) this.#sendArray(slot, part.array);
    part.slot = slot;
    slot.parts.set(part.id, part);
  }

  #sendArray({ decoder, arrays }: WorkerSlot, { number, build, document, codecs }: BoundArray): void {
    if (arrays.has(number)) return;
    arrays.add(number);
    decoder.post({ type: "bind", array: number, build, document, codecs }, []);
  }

  #openSlot(open = this.#options.open): void {
    this.#opening += 1;
    const closings = this.#closings;
    open().then(
      (decoder) => {
        if (closings !== this.#closings) {
          this.#opening -= 1;
          decoder.close();
          return this.#pump();
        }
        const slot: WorkerSlot = {
          decoder,
          builds: new Set(["engine"]),
          arrays: new Set(),
          parts: new Map(),
          unanswered: [],
          ahead: 0,
          used: performance.now(),
        };
        decoder.listen({
          heard: (answer) => this.#heard(slot, answer),
          // In a turn of its own: a worker may crash while a part is being given to it.
          crashed: (reason) => queueMicrotask(() => this.#crashed(slot, reason)),
        });
        this.#opening -= 1;
        this.#slots.push(slot);
        for (const array of this.#expected.values()) this.#sendArray(slot, array);
        this.#expected.clear();
        this.#pump();
        this.#idle.watch();
      },
      (error) => this.#refused(open, error),
    );
  }

  /**
   * The start of a decoder failed, perhaps for lack of memory or threads. The decoders that run do
   * the waiting parts. If none run, one on this thread does. Only if that fails, too, the parts do.
   */
  #refused(open: () => Promise<Decoder>, error: unknown): void {
    this.#opening -= 1;
    const left = this.#slots.length + this.#opening;
    const { openAlone: alone, onRefused } = this.#options;
    if (alone && open !== alone) {
      if (this.#most === Number.POSITIVE_INFINITY) onRefused?.(String(error));
      this.#most = Math.max(1, left);
    }
    if (left > 0) this.#pump();
    else if (alone && open !== alone) this.#openSlot(alone);
    else for (const part of [...this.#waiting]) this.#fail(part, failed("Unsupported", String(error)));
  }

  /** Takes an answer. A decoder whose answer cannot be read is given up. */
  #heard(slot: WorkerSlot, answer: FromDecoder): void {
    try {
      this.#answered(slot, answer);
    } catch (error) {
      closeDecoder(slot.decoder);
      this.#crashed(slot, `an answer cannot be read: ${error}`);
    }
  }

  #answered(slot: WorkerSlot, answer: FromDecoder): void {
    if (answer.type === "ready" || answer.type === "broken" || answer.type === "pong") return;
    if ("ms" in answer) this.#count(answer.ms ?? 0, slot.parts.get(answer.part)?.array.chain);
    if ("returned" in answer) for (const memory of answer.returned ?? []) this.#copies.keep(memory);
    if (answer.type === "answered") {
      const waiting = slot.parts.get(answer.part);
      if (waiting) this.#queue(waiting);
      return;
    }
    slot.ahead -= slot.unanswered.shift() ?? 0;
    const part = slot.parts.get(answer.part);
    if (part) this.#settle(slot, part, answer);
    this.#rest(slot);
    this.#pump();
  }

  /** The codecs of a part that was cancelled meanwhile are not known. */
  #count(ms: number, chain = ""): void {
    const { counters } = this.#engine.state;
    counters.decodeMs += ms;
    counters.decodeMsBy[chain] = (counters.decodeMsBy[chain] ?? 0) + ms;
  }

  /** Lets Node's process exit while the slot has no work. */
  #rest(slot: WorkerSlot): void {
    slot.used = performance.now();
    this.#idle.watch();
    const isCoding = [...slot.parts.values()].some((part) => part.isCoding);
    if (slot.unanswered.length === 0 && !isCoding) slot.decoder.hold(false);
  }

  #settle(slot: WorkerSlot, part: PartTask, outcome: Outcome): void {
    const { counters } = this.#engine.state;
    outcome.warnings?.forEach(part.array.warn);
    if (outcome.type === "done" && !outcome.elements && !outcome.unstored && !outcome.isTaken) return;
    if (outcome.type === "asks") {
      part.isCoding = outcome.isRunning;
      this.#runCodecs(slot, part, outcome.requests);
      return;
    }
    slot.parts.delete(part.id);
    if (outcome.type === "done") {
      const counter = part.isUpdate ? counters.encoded : counters.parts;
      counter[slot.decoder.place === "caller" ? "caller" : "workers"] += 1;
      part.settle({ elements: outcome.unstored === "empty" ? null : outcome.elements });
    } else if (outcome.type === "failed") {
      this.#fail(part, outcome);
    } else {
      counters.panics += 1;
      this.#fail(part, failed("Unsupported", `${INTERNAL}: ${outcome.trap}`));
    }
  }

  /** Runs user codecs on the page. When all have answered, the part continues at its decoder. */
  #runCodecs(slot: WorkerSlot, part: PartTask, requests: CodecRequest[]): void {
    const { codecs } = part.array;
    if (requests.length === 0 || !codecs) return;
    const runs = requests.map(async (request) => ({
      id: request.id,
      bytes: await this.#engine.page.runCodec(codecs, request),
    }));
    Promise.all(runs).then(
      (answers) => {
        if (part.isOver) return;
        part.answers.push(...answers);
        this.#queue(part);
      },
      (failure: Failure) => {
        if (part.isOver) return;
        slot.decoder.post({ type: "cancel", part: part.id }, []);
        this.#fail(part, failure);
        this.#rest(slot);
      },
    );
  }

  #fail(part: PartTask, { report, cause }: Failure): void {
    this.#waiting.delete(part);
    part.slot?.parts.delete(part.id);
    part.arrived = [];
    part.settle(cause === undefined ? { report } : { report, cause });
  }

  /**
   * Handles a crashed decoder. Its parts fail, and their reads begin them again. A new decoder
   * starts when needed.
   */
  #crashed(slot: WorkerSlot, reason: string): void {
    const at = this.#slots.indexOf(slot);
    if (at < 0) return;
    this.#slots.splice(at, 1);
    const message = `${INTERNAL}: a worker failed: ${reason}`;
    const failure = { report: JSON.stringify({ code: "Unsupported", stage: "worker", message }) };
    for (const part of [...slot.parts.values()]) this.#fail(part, failure);
    this.#pump();
  }
}
