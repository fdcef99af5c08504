/**
 * The decoders of a pool: what has been posted to each, their start and their end. They start while
 * work waits for one, and end when they crash, when they are idle, or when the pool is closed.
 * Which work they get is in `decode_pool.ts`.
 */
import { INTERNAL } from "../../model/errors.ts";
import { NOBODY } from "../../port/worker_start.ts";
import { ReportedError } from "../wasm_module.ts";
import { type Decoder, idleClock } from "./decoder.ts";
import type { DecodeBuild, FromDecoder } from "./messages.ts";
import { dropSpares } from "./part_memory.ts";
import type { CopyMemory } from "./transfer.ts";
import type { BoundArray, End, Task } from "./work.ts";

/** A decoder, and what has been posted to it. */
export class PoolDecoder {
  readonly #decoder: Decoder;
  readonly #copies: CopyMemory;
  readonly #builds = new Set<DecodeBuild>(["engine"]);
  readonly #arrays = new Set<number>();
  /** Work in progress here, by id. */
  readonly tasks = new Map<number, Task>();
  /** The unanswered messages, in order: whether each is work, and not only the end of a part. */
  readonly #unanswered: boolean[] = [];
  /** Time of its last work. */
  #used = performance.now();

  constructor(decoder: Decoder, copies: CopyMemory) {
    this.#decoder = decoder;
    this.#copies = copies;
  }

  /** Whether it is on this thread. */
  get isHere(): boolean {
    return this.#decoder.kind === "caller";
  }

  /** The number of unanswered messages that are work. */
  get ahead(): number {
    return this.#unanswered.filter((isWork) => isWork).length;
  }

  isIdleSince(time: number): boolean {
    return this.#unanswered.length === 0 && this.tasks.size === 0 && this.#used <= time;
  }

  bind({ id, build, document, codecs }: BoundArray): void {
    if (this.#arrays.has(id)) return;
    this.#arrays.add(id);
    this.#decoder.post({ type: "bind", array: id, build, document, codecs }, []);
  }

  unbind(array: number): void {
    if (this.#arrays.delete(array)) this.#decoder.post({ type: "unbind", array }, []);
  }

  /** Sends a wasm build, before the first work that needs it. */
  load(build: DecodeBuild, module: WebAssembly.Module, recycleBytes: number): void {
    if (this.#builds.has(build)) return;
    this.#builds.add(build);
    this.#decoder.post({ type: "module", build, module, recycleBytes }, []);
  }

  /** Posts what has not been posted yet of some work. */
  post(task: Task): void {
    const isWork = !task.isMereEnd;
    if (task.array && !task.isBegun) this.bind(task.array);
    const transfer: ArrayBuffer[] = [];
    const message = task.message(this.isHere ? undefined : this.#copies, transfer);
    task.isBegun = true;
    this.tasks.set(task.id, task);
    if (this.#unanswered.length === 0) this.#decoder.hold(true);
    this.#unanswered.push(isWork);
    this.#decoder.post(message, transfer);
  }

  /** The next message has been answered. */
  answered(): void {
    this.#unanswered.shift();
  }

  cancel({ id }: Task): void {
    this.#decoder.post({ type: "cancel", id }, []);
  }

  /** Lets Node's process exit while there is no work. */
  rest(): void {
    this.#used = performance.now();
    const isCoding = [...this.tasks.values()].some((task) => task.isCoding);
    if (this.#unanswered.length === 0 && !isCoding) this.#decoder.hold(false);
  }

  /** Closes the decoder, and ignores its later answers. */
  close(): void {
    this.#decoder.listen(NOBODY);
    this.#decoder.hold(false);
    this.#decoder.close();
  }
}

export interface PoolOptions {
  /** Starts a decoder. */
  open: () => Promise<Decoder>;
  /** At most so many decoders run. */
  limit: () => number;
  /** A decoder that is idle for so many ms ends. */
  idleMs?: () => number;
  /** Makes a decoder on this thread, for when none can be started. */
  openAlone?: () => Promise<Decoder>;
  /** Called once when a decoder did not start, until the pool is closed or idle. */
  onRefused?: (reason: string) => void;
}

/** What a pool does when its decoders change. */
interface PoolListener {
  /** Work that waits may go on. */
  changed(): void;
  heard(decoder: PoolDecoder, answer: FromDecoder): void;
  /** Work, or all that waits, has ended. */
  ended(end: End | ReportedError, tasks?: Task[]): void;
}

export class PoolDecoders {
  readonly running: PoolDecoder[] = [];
  readonly #options: PoolOptions;
  readonly #copies: CopyMemory;
  readonly #listener: PoolListener;
  /** The arrays to bind at the first decoder when it has started. */
  readonly #expected = new Map<number, BoundArray>();
  readonly #watchIdle: () => void;
  #opening = 0;
  /** At most so many decoders run after the start of another one failed. */
  #most = Number.POSITIVE_INFINITY;
  /** Number of calls of `close`. A decoder that was starting meanwhile is closed. */
  #closings = 0;

  constructor(options: PoolOptions, copies: CopyMemory, listener: PoolListener) {
    const { idleMs = () => Number.POSITIVE_INFINITY } = options;
    this.#options = options;
    this.#copies = copies;
    this.#listener = listener;
    this.#watchIdle = idleClock(idleMs, (since) => this.#endIdle(since));
  }

  get isStarting(): boolean {
    return this.#opening > 0;
  }

  /** Starts a decoder if none runs, and binds the array of coming work. */
  prepare(array: BoundArray | undefined): void {
    if (this.running.length + this.#opening === 0) this.#start();
    if (array?.build !== "engine") return;
    const [first] = this.running;
    if (first) first.bind(array);
    else this.#expected.set(array.id, array);
  }

  /** Starts decoders while so much work waits for one. */
  startFor(waiting: number): void {
    const limit = Math.min(this.#options.limit(), this.#most);
    while (this.#opening < waiting && this.running.length + this.#opening < limit) this.#start();
  }

  unbind(array: number): void {
    this.#expected.delete(array);
    for (const decoder of this.running) decoder.unbind(array);
  }

  /** A decoder may be idle from now on. */
  rest(decoder: PoolDecoder): void {
    decoder.rest();
    this.#watchIdle();
  }

  /** Ends all decoders, and their work so. */
  close(failure: ReportedError): void {
    this.#closings += 1;
    this.#most = Number.POSITIVE_INFINITY;
    this.#expected.clear();
    this.#copies.drop();
    for (const decoder of this.running.splice(0)) {
      this.#listener.ended(failure, [...decoder.tasks.values()]);
      decoder.close();
    }
  }

  #start(open = this.#options.open): void {
    this.#opening += 1;
    const closings = this.#closings;
    open().then(
      (decoder) => {
        this.#opening -= 1;
        if (closings === this.#closings) this.#started(decoder);
        else decoder.close();
        this.#listener.changed();
      },
      (error) => this.#refused(open, error),
    );
  }

  #started(decoder: Decoder): void {
    const started = new PoolDecoder(decoder, this.#copies);
    decoder.listen({
      heard: (answer) => this.#heard(started, answer),
      // In a turn of its own: a worker may crash while a part is being given to it.
      crashed: (reason) => queueMicrotask(() => this.#crashed(started, reason)),
    });
    this.running.push(started);
    for (const array of this.#expected.values()) started.bind(array);
    this.#expected.clear();
    this.#watchIdle();
  }

  /**
   * The start of a decoder failed, perhaps for lack of memory or threads. The decoders that run do
   * the waiting parts. If none run, one on this thread does. Only if that fails, too, the parts do.
   */
  #refused(open: () => Promise<Decoder>, error: unknown): void {
    this.#opening -= 1;
    const left = this.running.length + this.#opening;
    const { openAlone: alone, onRefused } = this.#options;
    const mayStartAlone = alone !== undefined && open !== alone;
    if (mayStartAlone) {
      if (this.#most === Number.POSITIVE_INFINITY) onRefused?.(String(error));
      this.#most = Math.max(1, left);
    }
    if (left > 0) this.#listener.changed();
    else if (mayStartAlone) this.#start(alone);
    else this.#listener.ended(ReportedError.of("Unsupported", String(error)));
  }

  /** Takes an answer. A decoder whose answer cannot be read is given up. */
  #heard(decoder: PoolDecoder, answer: FromDecoder): void {
    try {
      this.#listener.heard(decoder, answer);
    } catch (error) {
      decoder.close();
      this.#crashed(decoder, `an answer cannot be read: ${error}`);
    }
  }

  /** Drops a decoder that crashed. A new one starts when needed. */
  #crashed(decoder: PoolDecoder, reason: string): void {
    const at = this.running.indexOf(decoder);
    if (at < 0) return;
    this.running.splice(at, 1);
    const lost = `${INTERNAL}: a worker failed: ${reason}`;
    this.#listener.ended({ lost }, [...decoder.tasks.values()]);
    this.#listener.changed();
  }

  /** Ends the decoders that have been idle since then. Returns whether any are left. */
  #endIdle(since: number): boolean {
    for (const decoder of this.running.filter((each) => each.isIdleSince(since))) {
      this.running.splice(this.running.indexOf(decoder), 1);
      decoder.close();
    }
    if (this.running.length > 0) return true;
    this.#copies.drop();
    dropSpares();
    // There may be memory again.
    this.#most = Number.POSITIVE_INFINITY;
    return false;
  }
}
