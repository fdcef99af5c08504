/**
 * Distributes work to decoders. All messages of a part go to one decoder. A decoder has at most two
 * messages at a time. The others wait here, where they can be cancelled and are ordered by
 * priority. `pool_decoders.ts` starts and ends the decoders.
 */
import type { CodecRequest } from "../../codec/site.ts";
import { INTERNAL, ZarrError } from "../../model/errors.ts";
import type { PageLink } from "../page.ts";
import type { EngineState } from "../state.ts";
import type { WasmBuilds } from "../wasm_builds.ts";
import { ReportedError } from "../wasm_module.ts";
import type { CodecWork, DecodeBuild, FromDecoder, Outcome, PartTarget, Updated } from "./messages.ts";
import { type PoolDecoder, PoolDecoders, type PoolOptions } from "./pool_decoders.ts";
import { CopyMemory, type OwnedSupply } from "./transfer.ts";
import {
  type BoundArray,
  type End,
  type ReadPart,
  resultOf,
  Task,
  type UpdateChunk,
  type Work,
} from "./work.ts";

/** Messages in flight per decoder: one in progress and one ahead. */
const AHEAD = 2;

/** What a pool uses of its engine. */
export interface PoolEngine {
  readonly state: EngineState;
  readonly page: PageLink;
  readonly builds: WasmBuilds;
}

export class DecodePool {
  readonly #engine: PoolEngine;
  readonly #waiting = new Set<Task>();
  readonly #modules = new Map<DecodeBuild, WebAssembly.Module>();
  readonly #copies = new CopyMemory();
  readonly #decoders: PoolDecoders;
  #isPumpDue = false;
  #nextId = 1;

  constructor(engine: PoolEngine, options: PoolOptions) {
    this.#engine = engine;
    this.#decoders = new PoolDecoders(options, this.#copies, {
      changed: () => this.#pump(),
      heard: (decoder, answer) => this.#heard(decoder, answer),
      ended: (end, tasks = [...this.#waiting]) => {
        for (const task of tasks) this.#remove(task).settle(end);
      },
    });
  }

  get size(): number {
    return this.#decoders.running.length;
  }

  /**
   * Prepares for work that will come: starts a decoder if none runs, and binds the array while its
   * chunks are being fetched.
   */
  prepared(array?: BoundArray): this {
    this.#decoders.prepare(array);
    return this;
  }

  /** Begins to read a part. Its supplies and its end follow. */
  begin(array: BoundArray, header: Uint32Array, priority: number): Task<ReadPart> {
    return this.#task(
      { kind: "read", array, header, supplies: [], answers: [], target: undefined },
      priority,
    );
  }

  supply(task: Task<ReadPart>, supply: OwnedSupply): void {
    if (task.isOver) return;
    task.work.supplies.push(supply);
    this.#queue(task);
  }

  finish(task: Task<ReadPart>, target: PartTarget = {}): Promise<End> {
    task.work.target = target;
    if (!task.isOver) this.#queue(task);
    return task.ended;
  }

  /** Changes and encodes a stored chunk. */
  async update(chunk: Omit<UpdateChunk, "kind" | "answers">, priority: number): Promise<Updated> {
    const task = this.#task({ ...chunk, kind: "update", answers: [] }, priority);
    this.#queue(task);
    return resultOf(await task.ended);
  }

  /** Runs a codec on its own. An abort drops the work, and the promise never settles. */
  async runCodec(codec: CodecWork, input: Uint8Array, signal?: AbortSignal): Promise<Updated> {
    const task = this.#task({ kind: "codec", codec, input }, 0);
    const cancel = () => this.cancel(task);
    signal?.addEventListener("abort", cancel, { once: true });
    this.#queue(task);
    const settled = task.ended.finally(() => signal?.removeEventListener("abort", cancel));
    return resultOf(await settled);
  }

  #task<Kind extends Work>(work: Kind, priority: number): Task<Kind> {
    return new Task(this.#nextId++, work, priority);
  }

  /** Cancels work. Its waiting messages are dropped and its answers ignored. */
  cancel(task: Task): void {
    const decoder = this.#decoderOf(task);
    this.#remove(task);
    if (!decoder) return;
    decoder.cancel(task);
    this.#decoders.rest(decoder);
  }

  /** Removes an array from every decoder. */
  unbind(array: number): void {
    this.#decoders.unbind(array);
  }

  /** Ends all decoders and rejects their work. New ones start when needed. */
  close(): void {
    const failure = ReportedError.of("Aborted", "the decode workers were closed");
    for (const task of [...this.#waiting]) this.#remove(task).settle(failure);
    this.#decoders.close(failure);
    this.#modules.clear();
  }

  #queue(task: Task): void {
    // A message that only ends a part is no work, so it does not wait. Nothing waits for an idle
    // decoder either.
    if (task.isBegun && task.isMereEnd) {
      this.#decoderOf(task)?.post(task);
      return;
    }
    this.#waiting.add(task);
    if (!this.#hasBuild(task)) this.#loadModule(task);
    else if (this.#decoders.running.some(({ ahead }) => ahead === 0)) this.#pump();
    else this.#pumpSoon();
  }

  #decoderOf({ id }: Task): PoolDecoder | undefined {
    return this.#decoders.running.find(({ tasks }) => tasks.has(id));
  }

  #hasBuild({ build }: Task): boolean {
    return build === "engine" || this.#modules.has(build);
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

  #loadModule(task: Task): void {
    this.#engine.builds.module(task.build).then(
      (module) => {
        this.#modules.set(task.build, module);
        this.#pump();
      },
      (error) => {
        const code = error instanceof ZarrError ? error.code : "Store";
        const failure = ReportedError.of(code, `a build of the engine could not be loaded: ${error}`);
        this.#remove(task).settle(failure);
      },
    );
  }

  /** Posts what can be posted, by priority, and starts decoders while work waits for one. */
  #pump(): void {
    // While a decoder is starting, no work queues at a running one, because the new one can begin
    // it at once.
    const most = this.#decoders.isStarting ? 1 : AHEAD;
    for (;;) {
      const decoder = this.#decoders.running.reduce<PoolDecoder | undefined>(
        (best, other) => (other.ahead < (best?.ahead ?? most) && this.#next(other) ? other : best),
        undefined,
      );
      const task = decoder && this.#next(decoder);
      if (!decoder || !task) break;
      this.#waiting.delete(task);
      const module = this.#modules.get(task.build);
      if (module) decoder.load(task.build, module, this.#engine.state.recycleBytes());
      decoder.post(task);
    }
    this.#decoders.startFor([...this.#waiting].filter(({ isBegun }) => !isBegun).length);
  }

  /** The work with the highest priority that may go to this decoder. */
  #next({ tasks }: PoolDecoder): Task | undefined {
    let best: Task | undefined;
    for (const task of this.#waiting) {
      const isPossible = (!task.isBegun || tasks.has(task.id)) && this.#hasBuild(task);
      if (isPossible && task.priority > (best?.priority ?? Number.NEGATIVE_INFINITY)) best = task;
    }
    return best;
  }

  #heard(decoder: PoolDecoder, answer: FromDecoder): void {
    if (answer.type === "ready" || answer.type === "broken" || answer.type === "pong") return;
    const task = decoder.tasks.get(answer.id);
    if (answer.type === "answered") {
      if (task) this.#queue(task);
      return;
    }
    const { counters } = this.#engine.state;
    const { ms = 0 } = answer;
    // The codecs of a part that was cancelled meanwhile are not known.
    const { chain = "" } = task?.array ?? {};
    counters.decodeMs += ms;
    counters.decodeMsBy[chain] = (counters.decodeMsBy[chain] ?? 0) + ms;
    for (const memory of answer.returned ?? []) this.#copies.keep(memory);
    decoder.answered();
    if (task) this.#settle(decoder, task, answer);
    this.#decoders.rest(decoder);
    this.#pump();
  }

  #settle(decoder: PoolDecoder, task: Task, outcome: Outcome): void {
    const { counters } = this.#engine.state;
    if (task.array) outcome.warnings?.forEach(task.array.warn);
    if (outcome.type === "asks") {
      task.isCoding = outcome.isRunning;
      this.#runUserCodecs(task, outcome.requests);
    } else if (outcome.type === "done") {
      const counter = task.work.kind === "read" ? counters.parts : counters.encoded;
      counter[decoder.isHere ? "caller" : "workers"] += 1;
      this.#remove(task).settle({ result: outcome.result });
    } else if (outcome.type === "failed") {
      this.#remove(task).settle(new ReportedError(outcome.record));
    } else if (outcome.type === "trapped") {
      counters.panics += 1;
      this.#remove(task).settle(ReportedError.of("Unsupported", `${INTERNAL}: ${outcome.trap}`));
    }
  }

  /** Runs user codecs on the page. When all have answered, the work continues at its decoder. */
  #runUserCodecs(task: Task, requests: CodecRequest[]): void {
    const { work } = task;
    if (requests.length === 0 || work.kind === "codec" || !work.array.codecs) return;
    const { codecs } = work.array;
    const runs = requests.map(async (request) => ({
      id: request.id,
      bytes: await this.#engine.page.runCodec(codecs, request),
    }));
    Promise.all(runs).then(
      (answers) => {
        if (task.isOver) return;
        work.answers.push(...answers);
        this.#queue(task);
      },
      (failure: ReportedError) => {
        if (task.isOver) return;
        this.cancel(task);
        task.settle(failure);
      },
    );
  }

  /** Removes work that has ended, and returns it. */
  #remove(task: Task): Task {
    this.#waiting.delete(task);
    this.#decoderOf(task)?.tasks.delete(task.id);
    task.isOver = true;
    return task;
  }
}
