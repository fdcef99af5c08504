/**
 * Answers the messages of `protocol.ts` with instances of the engine, one after the other. An instance that trapped, or
 * whose memory grew past a limit, is dropped; the next one is made from the kept module and told of its arrays again.
 */
import { DecodeFailure, DecodeHost } from "./decode_host.ts";
import type { FromDecoder, Home, Outcome, ToDecoder, Update, WorkMessage } from "./protocol.ts";

/** Linear memory never shrinks: an instance with more than this starts anew when it has no part at hand. */
const RECYCLE_BYTES = 256 << 20;

type Post = (answer: FromDecoder, transfer: ArrayBuffer[]) => void;

/** A build of the engine: its module, and its instance with what that instance was told. */
interface Seat {
  module: WebAssembly.Module;
  host: DecodeHost | undefined;
  bound: Set<number>;
  begun: Set<number>;
}

type Begin = NonNullable<WorkMessage["begin"]>;

export class DecodeServer {
  readonly #post: Post;
  readonly #seats = new Map<Home, Seat>();
  readonly #arrays = new Map<number, { home: Home; document: string }>();
  /** Where each begun part is. */
  readonly #parts = new Map<number, Home>();
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
        return this.#seat(message.home, message.module);
      case "bind":
        this.#arrays.set(message.array, { home: message.home, document: message.document });
        return;
      case "unbind":
        return this.#unbind(message.array);
      case "cancel":
        return this.#cancel(message.part);
      case "work": {
        const outcome = await this.#work(message);
        const elements = outcome.type === "done" ? outcome.elements : undefined;
        this.#post(outcome, elements ? [elements.buffer] : []);
      }
    }
  }

  async #seat(home: Home, module: WebAssembly.Module): Promise<void> {
    const seat: Seat = { module, host: undefined, bound: new Set(), begun: new Set() };
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
    if (seat?.bound.delete(array)) seat.host?.unbind(array);
  }

  #cancel(part: number): void {
    const seat = this.#leave(part);
    if (seat?.begun.delete(part)) seat.host?.cancel(part);
  }

  async #work(message: WorkMessage): Promise<Outcome> {
    const { part, begin, supplies, update, finish } = message;
    const home = begin ? this.#arrays.get(begin.array)?.home : this.#parts.get(part);
    const seat = home && this.#seats.get(home);
    if (!home || !seat) return { type: "trapped", part, trap: "the part's decoder was replaced" };
    try {
      seat.host ??= await DecodeHost.start(seat.module);
      if (update && begin) return this.#update(seat, part, begin, update);
      if (begin) this.#begin(seat, home, part, begin);
      for (const supply of supplies) seat.host.supply(part, supply);
      if (!finish) return { type: "done", part };
      const elements = seat.host.finish(part);
      this.#end(seat, part);
      return { type: "done", part, elements };
    } catch (error) {
      return this.#failed(seat, part, error);
    }
  }

  #update(seat: Seat, part: number, { array, header }: Begin, update: Update): Outcome {
    this.#bind(seat, array);
    const updated = seat.host?.update(array, header, update);
    if (seat.begun.size === 0 && (seat.host?.memoryBytes ?? 0) > RECYCLE_BYTES) this.#drop(seat);
    return typeof updated === "string"
      ? { type: "done", part, unstored: updated }
      : { type: "done", part, elements: updated };
  }

  #bind(seat: Seat, array: number): void {
    if (seat.bound.has(array)) return;
    seat.host?.bind(array, this.#arrays.get(array)?.document ?? "");
    seat.bound.add(array);
  }

  #begin(seat: Seat, home: Home, part: number, { array, header }: Begin): void {
    this.#bind(seat, array);
    seat.host?.begin(part, array, header);
    seat.begun.add(part);
    this.#parts.set(part, home);
  }

  #failed(seat: Seat, part: number, error: unknown): Outcome {
    if (error instanceof DecodeFailure) {
      if (seat.begun.has(part)) seat.host?.cancel(part);
      this.#end(seat, part);
      return { type: "failed", part, report: error.report };
    }
    const trap = seat.host?.panicMessage() || String(error);
    this.#drop(seat);
    return { type: "trapped", part, trap };
  }

  #end(seat: Seat, part: number): void {
    seat.begun.delete(part);
    this.#leave(part);
    if (seat.begun.size === 0 && (seat.host?.memoryBytes ?? 0) > RECYCLE_BYTES) this.#drop(seat);
  }

  /** Forgets the instance and everything it was told; its other parts are answered when they are next named. */
  #drop(seat: Seat): void {
    seat.host = undefined;
    seat.bound.clear();
    for (const part of seat.begun) this.#leave(part);
    seat.begun.clear();
  }

  #leave(part: number): Seat | undefined {
    const home = this.#parts.get(part);
    this.#parts.delete(part);
    return home && this.#seats.get(home);
  }

  #seatOf(array: number): Seat | undefined {
    const home = this.#arrays.get(array)?.home;
    return home && this.#seats.get(home);
  }
}
