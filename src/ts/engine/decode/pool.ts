/**
 * Hands parts to decoders. All messages of a part go to one decoder. A decoder has at most two
 * messages at a time; the rest wait here, where they can still be cancelled and where the more
 * urgent go first.
 */

import type { CodecAnswer, CodecRequest } from "../../codec/site.ts";
import { type ErrorReport, INTERNAL } from "../../model/errors.ts";
import { engineModule } from "../compile.ts";
import { recycleBytes } from "../configuration.ts";
import { counters } from "../counters.ts";
import type { ArrayCodecs } from "../page_codecs.ts";
import { dropCopyMemory, keepCopyMemory } from "./copy_memory.ts";
import type { Decoder } from "./decoder.ts";
import { IdleClock } from "./idle.ts";
import type { Failure, FromDecoder, Home, Outcome, SharedTarget, WorkMessage } from "./messages.ts";
import { type OwnedSupply, type OwnedUpdate, packSupply, packUpdate } from "./pack.ts";
import { takeSpare } from "./part_memory.ts";

/** Messages a decoder is given ahead: one that it works on and one to go on with. */
const AHEAD = 2;

/** An array as decoders know it: by a number, bound once from its documents. */
export interface BoundArray {
  readonly number: number;
  readonly home: Home;
  readonly document: string;
  /** Hears what is odd about its chunks. */
  readonly warn: (message: string) => void;
  /** The user's codecs that it has. */
  readonly codecs?: ArrayCodecs | undefined;
}

/** Bytes to be stored; null where all is fill value, undefined where nothing has changed. */
export type Updated = Uint8Array<ArrayBuffer> | null | undefined;

/**
 * A part's elements (of an update its bytes), or the error as the engine reads it: its report in
 * JSON.
 */
type Settled = { elements: Updated } | Failure;

const failed = (code: ErrorReport["code"], message: string): Failure => ({
  report: JSON.stringify({ code, message }),
});

/** A part under way. */
export class PartTask {
  readonly id: number;
  readonly array: BoundArray;
  readonly header: Uint32Array;
  readonly priority: number;
  /** What has arrived and was not posted yet. */
  arrived: OwnedSupply[] = [];
  /** Instead: the part is a stored chunk to be changed and encoded. */
  update: OwnedUpdate | undefined;
  /** What codecs of the user's made and was not posted yet. */
  answers: CodecAnswer[] = [];
  isFinishing = false;
  /**
   * Takes the elements where they are decoded, if that is on the caller's thread; then they are not
   * answered with.
   */
  take: ((elements: Uint8Array) => void) | undefined;
  /**
   * Where a worker puts the elements, if that is memory that it shares; then they are not answered
   * with either.
   */
  target: SharedTarget | undefined;
  isUpdate = false;
  /** Modules of the user's are at work on it, at its decoder. */
  isCoding = false;
  seat: Seat | undefined;
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
    this.elements.catch(() => {}); // a part that fails before anyone waits for it is asked for later, or dropped
  }

  settle(settled: Settled): void {
    this.isOver = true;
    this.#settle(settled);
  }
}

/** A decoder with what it was given. */
interface Seat {
  port: Decoder;
  homes: Set<Home>;
  arrays: Set<number>;
  /** Parts that began here and are not over. */
  parts: Map<number, PartTask>;
  /**
   * Work messages that are not answered yet, in their order: 1 for each that is work, 0 for the
   * mere end of a part.
   */
  unanswered: number[];
  /** How many of them are work. */
  ahead: number;
  /** When it last had something to do. */
  used: number;
}

let nextPart = 1;

/** Whether there is nothing to be posted of a part but that it ends. */
const isMereEnd = ({ isFinishing, arrived, update, answers }: PartTask) =>
  isFinishing && arrived.length === 0 && !update && answers.length === 0;

/** Nothing of a decoder is heard any more. */
function closePort(port: Decoder): void {
  port.onanswer = () => {};
  port.oncrash = () => {};
  port.hold(false);
  port.close();
}

export class DecodePool {
  readonly #open: () => Promise<Decoder>;
  readonly #limit: () => number;
  readonly #seats: Seat[] = [];
  readonly #waiting = new Set<PartTask>();
  readonly #modules = new Map<Home, WebAssembly.Module>();
  #opening = 0;
  #isPumpDue = false;
  /** How often it was closed: a decoder that was on its way then is not wanted. */
  #closings = 0;
  readonly #idle: IdleClock;

  /**
   * `open` starts a decoder; never more than `limit()` of them. One that had nothing to do for
   * `idleMs()` ends.
   */
  constructor(
    open: () => Promise<Decoder>,
    limit: () => number,
    idleMs: () => number = () => Number.POSITIVE_INFINITY,
  ) {
    this.#open = open;
    this.#limit = limit;
    this.#idle = new IdleClock(idleMs, (since) => this.#endIdle(since));
  }

  get size(): number {
    return this.#seats.length;
  }

  /** Starts a first decoder, unless there is one: work for it is on its way. */
  prepared(): this {
    if (this.#seats.length + this.#opening === 0) this.#openSeat();
    return this;
  }

  begin(array: BoundArray, header: Uint32Array, priority: number): PartTask {
    return new PartTask(nextPart++, array, header, priority);
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

  /** Has a stored chunk changed and encoded. */
  update(part: PartTask, update: OwnedUpdate): Promise<Updated> {
    part.update = update;
    part.isUpdate = true;
    part.isFinishing = true;
    this.#queue(part);
    return part.elements;
  }

  /** Forgets a part: what was not posted never is, what was is not waited for. */
  cancel(part: PartTask): void {
    this.#waiting.delete(part);
    part.isOver = true;
    part.arrived = [];
    part.answers = [];
    if (!part.seat?.parts.delete(part.id)) return;
    part.seat.port.post({ type: "cancel", part: part.id }, []);
    this.#rest(part.seat);
  }

  /** Forgets an array everywhere. */
  unbind(array: number): void {
    for (const { port, arrays } of this.#seats)
      if (arrays.delete(array)) port.post({ type: "unbind", array }, []);
  }

  /** Ends all decoders and what they work on; others are opened when there is need. */
  close(): void {
    const failure = failed("Aborted", "the workers were told to end");
    this.#closings += 1;
    for (const part of [...this.#waiting]) this.#fail(part, failure);
    for (const { port, parts } of this.#seats.splice(0)) {
      for (const part of [...parts.values()]) this.#fail(part, failure);
      closePort(port);
    }
    this.#modules.clear();
  }

  /** Ends the decoders that have had nothing to do since then; whether there are others. */
  #endIdle(since: number): boolean {
    const isIdle = ({ unanswered, parts, used }: Seat) =>
      unanswered.length === 0 && parts.size === 0 && used <= since;
    for (const seat of this.#seats.filter(isIdle)) {
      this.#seats.splice(this.#seats.indexOf(seat), 1);
      closePort(seat.port);
    }
    if (this.#seats.length === 0) dropCopyMemory();
    return this.#seats.length > 0;
  }

  #queue(part: PartTask): void {
    // The mere end of a part is no work, and waits for nothing; a decoder that has nothing to do
    // does not wait either.
    if (part.seat && isMereEnd(part)) {
      this.#post(part.seat, part);
      return;
    }
    this.#waiting.add(part);
    const { home } = part.array;
    if (home !== "engine" && !this.#modules.has(home)) this.#loadModule(part, home);
    else if (this.#seats.some(({ ahead }) => ahead === 0)) this.#pump();
    else this.#pumpSoon();
  }

  /**
   * Posts when whoever queues is done: what a part is given at once, and its end, are one message.
   */
  #pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #loadModule(part: PartTask, home: Home): void {
    engineModule(home).then(
      (module) => {
        this.#modules.set(home, module);
        this.#pump();
      },
      (error) => this.#fail(part, failed("Store", `a build of the engine could not be loaded: ${error}`)),
    );
  }

  /**
   * Posts what can be posted, the most urgent first, and opens decoders while parts wait for one.
   */
  #pump(): void {
    // What a decoder on its way could begin at once does not queue up at one that is there.
    const most = this.#opening > 0 ? 1 : AHEAD;
    for (;;) {
      const seat = this.#seats.reduce<Seat | undefined>(
        (best, other) => (other.ahead < (best?.ahead ?? most) && this.#next(other) ? other : best),
        undefined,
      );
      const part = seat && this.#next(seat);
      if (!seat || !part) break;
      this.#waiting.delete(part);
      this.#post(seat, part);
    }
    const unseated = [...this.#waiting].filter(({ seat }) => !seat).length;
    while (this.#opening < unseated && this.#seats.length + this.#opening < this.#limit()) this.#openSeat();
  }

  /** The most urgent part that may go to this decoder. */
  #next(seat: Seat): PartTask | undefined {
    let best: PartTask | undefined;
    for (const part of this.#waiting) {
      const { home } = part.array;
      const possible = (part.seat ?? seat) === seat && (home === "engine" || this.#modules.has(home));
      if (possible && part.priority > (best?.priority ?? Number.NEGATIVE_INFINITY)) best = part;
    }
    return best;
  }

  #post(seat: Seat, part: PartTask): void {
    const work = isMereEnd(part) ? 0 : 1;
    const message: WorkMessage = { type: "work", part: part.id, supplies: [], finish: part.isFinishing };
    const transfer: ArrayBuffer[] = [];
    if (part.seat === undefined) {
      this.#introduce(seat, part);
      message.begin = { array: part.array.number, header: part.header };
    }
    const { rung } = seat.port;
    message.supplies =
      rung === "caller" ? part.arrived : part.arrived.map((supply) => packSupply(supply, transfer));
    part.arrived = [];
    if (part.update) message.update = rung === "caller" ? part.update : packUpdate(part.update, transfer);
    part.update = undefined;
    if (part.isFinishing && !part.isUpdate) this.#finishAt(seat, part, message, transfer);
    if (part.answers.length > 0) {
      message.answers = part.answers;
      transfer.push(...part.answers.map(({ bytes }) => bytes.buffer));
      part.answers = [];
    }
    if (seat.unanswered.length === 0) seat.port.hold(true);
    seat.unanswered.push(work);
    seat.ahead += work;
    seat.port.post(message, transfer);
  }

  /**
   * Says where the elements go: to the result at once, into memory that is shared, or into some
   * that comes back.
   */
  #finishAt({ port }: Seat, { take, target }: PartTask, message: WorkMessage, transfer: ArrayBuffer[]): void {
    if (port.rung === "caller") {
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

  /** Makes a decoder know the array and the build of the engine that a part needs. */
  #introduce(seat: Seat, part: PartTask): void {
    const { number, home, document, codecs } = part.array;
    const module = this.#modules.get(home);
    if (!seat.homes.has(home) && module) {
      seat.homes.add(home);
      seat.port.post({ type: "module", home, module, recycleBytes: recycleBytes() }, []);
    }
    if (!seat.arrays.has(number)) {
      seat.arrays.add(number);
      const users = codecs && { users: codecs.text, modules: codecs.modules };
      seat.port.post({ type: "bind", array: number, home, document, ...users }, []);
    }
    part.seat = seat;
    seat.parts.set(part.id, part);
  }

  #openSeat(): void {
    this.#opening += 1;
    const closings = this.#closings;
    this.#open().then(
      (port) => {
        if (closings !== this.#closings) {
          this.#opening -= 1;
          port.close();
          return this.#pump();
        }
        const seat: Seat = {
          port,
          homes: new Set(["engine"]),
          arrays: new Set(),
          parts: new Map(),
          unanswered: [],
          ahead: 0,
          used: performance.now(),
        };
        port.onanswer = (answer) => this.#answered(seat, answer);
        port.oncrash = (reason) => this.#crashed(seat, reason);
        this.#opening -= 1;
        this.#seats.push(seat);
        this.#pump();
        this.#idle.watch();
      },
      (error) => {
        this.#opening -= 1;
        // Decoders that did start will get to the waiting parts; without any, nobody will.
        if (this.#seats.length === 0)
          for (const part of [...this.#waiting]) this.#fail(part, failed("Unsupported", String(error)));
      },
    );
  }

  #answered(seat: Seat, answer: FromDecoder): void {
    if (answer.type === "ready" || answer.type === "broken") return;
    if ("ms" in answer) counters.decodeMs += answer.ms ?? 0;
    if ("returned" in answer) answer.returned?.forEach(keepCopyMemory);
    if (answer.type === "answered") {
      const waiting = seat.parts.get(answer.part);
      if (waiting) this.#queue(waiting);
      return;
    }
    seat.ahead -= seat.unanswered.shift() ?? 0;
    const part = seat.parts.get(answer.part);
    if (part) this.#settle(seat, part, answer);
    this.#rest(seat);
    this.#pump();
  }

  /** Lets Node's process end while nothing is under way. */
  #rest(seat: Seat): void {
    seat.used = performance.now();
    this.#idle.watch();
    const isCoding = [...seat.parts.values()].some((part) => part.isCoding);
    if (seat.unanswered.length === 0 && !isCoding) seat.port.hold(false);
  }

  #settle(seat: Seat, part: PartTask, outcome: Outcome): void {
    outcome.warnings?.forEach(part.array.warn);
    if (outcome.type === "done" && !outcome.elements && !outcome.unstored && !outcome.isTaken) return;
    if (outcome.type === "asks") {
      part.isCoding = outcome.isRunning;
      this.#runCodecs(seat, part, outcome.requests);
      return;
    }
    seat.parts.delete(part.id);
    if (outcome.type === "done") {
      const counter = part.isUpdate ? counters.encoded : counters.parts;
      counter[seat.port.rung === "caller" ? "caller" : "workers"] += 1;
      part.settle({ elements: outcome.unstored === "empty" ? null : outcome.elements });
    } else if (outcome.type === "failed") {
      this.#fail(part, outcome);
    } else {
      counters.panics += 1;
      this.#fail(part, failed("Unsupported", `${INTERNAL}: ${outcome.trap}`));
    }
  }

  /**
   * Has the page run codecs of the user's; the part goes on, where it is, when all have answered.
   */
  #runCodecs(seat: Seat, part: PartTask, requests: CodecRequest[]): void {
    const { codecs } = part.array;
    if (requests.length === 0 || !codecs) return;
    const runs = requests.map(async (request) => ({ id: request.id, bytes: await codecs.run(request) }));
    Promise.all(runs).then(
      (answers) => {
        if (part.isOver) return;
        part.answers.push(...answers);
        this.#queue(part);
      },
      (failure: Failure) => {
        if (part.isOver) return;
        seat.port.post({ type: "cancel", part: part.id }, []);
        this.#fail(part, failure);
        this.#rest(seat);
      },
    );
  }

  #fail(part: PartTask, { report, cause }: Failure): void {
    this.#waiting.delete(part);
    part.seat?.parts.delete(part.id);
    part.arrived = [];
    part.settle(cause === undefined ? { report } : { report, cause });
  }

  /**
   * A decoder is gone: its parts fail, and are begun again by whoever reads them; another takes its
   * place when one is needed.
   */
  #crashed(seat: Seat, reason: string): void {
    const at = this.#seats.indexOf(seat);
    if (at < 0) return;
    this.#seats.splice(at, 1);
    const message = `${INTERNAL}: a worker failed: ${reason}`;
    const failure = { report: JSON.stringify({ code: "Unsupported", stage: "worker", message }) };
    for (const part of [...seat.parts.values()]) this.#fail(part, failure);
    this.#pump();
  }
}
