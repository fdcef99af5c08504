/**
 * Answers the messages of `protocol.ts` with instances of the engine, one after the other. An
 * instance that trapped, or whose memory grew past a limit, is dropped; the next one is made from
 * the kept module and told of its arrays again.
 */
import { CodecRunner } from "../../codec/run.ts";
import { DecodeFailure, DecodeHost } from "./decode_host.ts";
import type {
  ArrayMessage,
  Failure,
  FromDecoder,
  Home,
  Outcome,
  ToDecoder,
  Unstored,
  Update,
  WorkMessage,
} from "./messages.ts";
import { CodecFailure, importEntry, PartCodecs } from "./part_codecs.ts";
import { keepSpare } from "./part_memory.ts";
import { placeShared } from "./place_shared.ts";

type Post = (answer: FromDecoder, transfer: ArrayBuffer[]) => void;

/** A build of the engine: its module, and its instance with what that instance was told. */
interface Seat {
  module: WebAssembly.Module;
  /** An instance with a larger memory starts anew when it has no part at hand. */
  recycleBytes: number;
  host: DecodeHost | undefined;
  bound: Set<number>;
  begun: Set<number>;
}

type Begin = NonNullable<WorkMessage["begin"]>;

/** The buffers that an outcome gives away. */
function buffersOf(outcome: Outcome): ArrayBuffer[] {
  if (outcome.type === "asks") return outcome.requests.map(({ bytes }) => bytes.buffer);
  return outcome.type === "done" && outcome.elements ? [outcome.elements.buffer] : [];
}

/** What copies of encoded bytes stood in. */
const memoryOf = ({ supplies }: WorkMessage): ArrayBuffer[] =>
  supplies.flatMap(({ isCopied, buffers }) =>
    isCopied ? buffers.map(({ buffer }) => buffer as ArrayBuffer) : [],
  );

const failureMessage = (error: DecodeFailure | CodecFailure): Failure =>
  error instanceof CodecFailure ? error.failure : { report: error.report };

/** Who takes the elements where they stand, if somebody does. */
const takerOf = ({ take, target }: WorkMessage): WorkMessage["take"] =>
  target ? (elements) => placeShared(target, elements) : take;

const doneWith = (part: number, result: Uint8Array<ArrayBuffer> | Unstored | undefined): Outcome =>
  typeof result === "string"
    ? { type: "done", part, unstored: result }
    : { type: "done", part, ...(result && { elements: result }) };

export class DecodeServer {
  readonly #post: Post;
  readonly #seats = new Map<Home, Seat>();
  readonly #arrays = new Map<number, ArrayMessage>();
  /** Where each begun part is. */
  readonly #parts = new Map<number, Home>();
  /** Runs the codecs of the user's that are modules, by array; and what they are doing, by part. */
  readonly #runners = new Map<number, CodecRunner>();
  readonly #codings = new Map<number, PartCodecs>();
  #last: Promise<void> = Promise.resolve();

  constructor(post: Post) {
    this.#post = post;
  }

  /** Takes a message; messages are answered in the order they came. */
  handle(message: ToDecoder): Promise<void> {
    const broken = (error: unknown) => this.#post({ type: "broken", reason: String(error) }, []);
    this.#last = this.#last.then(() => this.#handle(message)).catch(broken);
    return this.#last;
  }

  async #handle(message: ToDecoder): Promise<void> {
    switch (message.type) {
      case "module":
        return this.#seat(message);
      case "bind":
        this.#arrays.set(message.array, message);
        return;
      case "unbind":
        return this.#unbind(message.array);
      case "cancel":
        return this.#cancel(message.part);
      case "work": {
        const begun = performance.now();
        const outcome = await this.#work(message);
        const returned = memoryOf(message);
        const transfer = [...buffersOf(outcome), ...returned];
        this.#post({ ...outcome, ms: performance.now() - begun, returned }, transfer);
      }
    }
  }

  async #seat({ home, module, recycleBytes }: Extract<ToDecoder, { type: "module" }>): Promise<void> {
    const seat: Seat = { module, recycleBytes, host: undefined, bound: new Set(), begun: new Set() };
    try {
      seat.host = await DecodeHost.start(module);
      this.#seats.set(home, seat);
      this.#post({ type: "ready", home }, []);
    } catch (error) {
      this.#post({ type: "broken", reason: String(error) }, []);
    }
  }

  #unbind(array: number): void {
    const seat = this.#seatOf(array);
    this.#arrays.delete(array);
    this.#runners.delete(array);
    if (seat?.bound.delete(array)) seat.host?.unbind(array);
  }

  #cancel(part: number): void {
    const seat = this.#leave(part);
    if (seat?.begun.delete(part)) seat.host?.cancel(part);
  }

  async #work(message: WorkMessage): Promise<Outcome> {
    const { part, begin } = message;
    const home = begin ? this.#arrays.get(begin.array)?.home : this.#parts.get(part);
    const seat = home && this.#seats.get(home);
    if (!home || !seat) return { type: "trapped", part, trap: "the part's decoder was replaced" };
    try {
      seat.host ??= await DecodeHost.start(seat.module);
    } catch (error) {
      return this.#failed(seat, part, error);
    }
    const { host } = seat;
    const outcome = this.#run(seat, host, home, message);
    // Nothing else was decoded since: what is odd is this part's.
    const warnings = outcome.type === "trapped" ? [] : host.takeWarnings();
    return warnings.length > 0 ? { ...outcome, warnings } : outcome;
  }

  #run(seat: Seat, host: DecodeHost, home: Home, message: WorkMessage): Outcome {
    const { part, begin, supplies, update, finish } = message;
    try {
      if (update && begin) {
        const updated = this.#update(seat, home, part, begin, update);
        if (updated) return updated;
      } else if (begin) this.#begin(seat, home, part, begin);
      for (const supply of supplies) host.supply(part, supply);
      const coding = this.#codings.get(part);
      if (coding?.proceed(host, message.answers ?? [])) {
        return { type: "asks", part, requests: coding.takeRequests(), isRunning: coding.isRunning };
      }
      if (!finish) return { type: "done", part };
      if (message.spare) keepSpare(message.spare);
      const take = takerOf(message);
      const finished = host.finish(part, take);
      this.#end(seat, part);
      return take ? { type: "done", part, isTaken: true } : doneWith(part, finished);
    } catch (error) {
      return this.#failed(seat, part, error);
    }
  }

  /** Has a chunk changed; undefined while codecs of the user's have to be run for it. */
  #update(seat: Seat, home: Home, part: number, begin: Begin, update: Update): Outcome | undefined {
    const { array, header } = begin;
    this.#bind(seat, array);
    const updated = seat.host?.update(part, array, header, update);
    if (updated === "waiting") {
      this.#register(seat, home, part, array);
      return undefined;
    }
    if (seat.begun.size === 0 && (seat.host?.memoryBytes ?? 0) > seat.recycleBytes) this.#drop(seat);
    return doneWith(part, updated);
  }

  #bind(seat: Seat, array: number): void {
    if (seat.bound.has(array)) return;
    const { document = "", users } = this.#arrays.get(array) ?? {};
    seat.host?.bind(array, document, users);
    seat.bound.add(array);
  }

  #begin(seat: Seat, home: Home, part: number, { array, header }: Begin): void {
    this.#bind(seat, array);
    seat.host?.begin(part, array, header);
    this.#register(seat, home, part, array);
  }

  #register(seat: Seat, home: Home, part: number, array: number): void {
    seat.begun.add(part);
    this.#parts.set(part, home);
    const known = this.#arrays.get(array);
    if (known?.users) this.#codings.set(part, this.#codecsOf(part, array, known));
  }

  #codecsOf(part: number, array: number, { modules = {} }: ArrayMessage): PartCodecs {
    const known = this.#runners.get(array);
    const runner = known ?? new CodecRunner((name) => importEntry(modules[name] ?? ""));
    this.#runners.set(array, runner);
    return new PartCodecs(part, modules, runner, () => this.#post({ type: "answered", part }, []));
  }

  #failed(seat: Seat, part: number, error: unknown): Outcome {
    if (error instanceof DecodeFailure || error instanceof CodecFailure) {
      if (seat.begun.has(part)) seat.host?.cancel(part);
      this.#end(seat, part);
      return { type: "failed", part, ...failureMessage(error) };
    }
    const trap = seat.host?.panicMessage() || String(error);
    this.#drop(seat);
    return { type: "trapped", part, trap };
  }

  #end(seat: Seat, part: number): void {
    seat.begun.delete(part);
    this.#leave(part);
    if (seat.begun.size === 0 && (seat.host?.memoryBytes ?? 0) > seat.recycleBytes) this.#drop(seat);
  }

  /**
   * Forgets the instance and everything it was told; its other parts are answered when they are
   * next named.
   */
  #drop(seat: Seat): void {
    seat.host = undefined;
    seat.bound.clear();
    for (const part of seat.begun) this.#leave(part);
    seat.begun.clear();
  }

  #leave(part: number): Seat | undefined {
    const home = this.#parts.get(part);
    this.#parts.delete(part);
    this.#codings.delete(part);
    return home && this.#seats.get(home);
  }

  #seatOf(array: number): Seat | undefined {
    const home = this.#arrays.get(array)?.home;
    return home && this.#seats.get(home);
  }
}
