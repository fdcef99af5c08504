/**
 * Answers the messages of `messages.ts`, one after the other, with wasm instances. An instance that
 * trapped, or whose memory grew past a limit, is dropped. The next one is made from the same
 * module, and the arrays are bound again.
 *
 * The user's codecs that are modules run where their part is decoded, beside other parts. Their
 * answers are kept until the part goes on.
 */
import { failureOf } from "../../codec/fault.ts";
import { CodecRunner } from "../../codec/run.ts";
import { type CodecAnswer, type CodecEntry, type CodecRequest, entryOf } from "../../codec/site.ts";
import type { CodecsDefinition, CodedArray } from "../../port/definitions.ts";
import { DecodeFailure, DecodeHost } from "./decode_host.ts";
import { placeShared } from "./gate.ts";
import type {
  DecodeBuild,
  Failure,
  FromDecoder,
  Outcome,
  ToDecoder,
  Unstored,
  Update,
  WorkMessage,
} from "./messages.ts";
import { keepSpare } from "./part_memory.ts";
import { PartReducer } from "./reducer.ts";

/** A user's codec failed. */
export class CodecFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.report);
    this.failure = failure;
  }
}

/** Imports a codec's module. Bundlers must not rewrite the import. */
export const importEntry = async (url: string): Promise<CodecEntry> =>
  entryOf(await import(/* webpackIgnore: true */ /* @vite-ignore */ url));

/** Makes a failure that can be posted: an unclonable cause becomes an `Error`. */
function postable({ report, cause }: Failure): Failure {
  try {
    return { report, cause: structuredClone(cause) };
  } catch {
    return { report, cause: new Error(String(cause)) };
  }
}

export class PartCodecs {
  readonly #part: number;
  readonly #modules: ReadonlyMap<string, string>;
  readonly #runner: CodecRunner;
  readonly #notify: () => void;
  #answers: CodecAnswer[] = [];
  #failure: Failure | undefined;
  #running = 0;
  #requests: CodecRequest[] = [];

  /** `notify` is called when the codecs have answered or one has failed. */
  constructor(part: number, modules: ReadonlyMap<string, string>, runner: CodecRunner, notify: () => void) {
    this.#part = part;
    this.#modules = modules;
    this.#runner = runner;
    this.#notify = notify;
  }

  /** Continues the part with the answers so far. Returns whether more are missing. */
  proceed(host: DecodeHost, answers: CodecAnswer[]): boolean {
    if (this.#failure) throw new CodecFailure(postable(this.#failure));
    const all = [...answers, ...this.#answers];
    this.#answers = [];
    for (const answer of all) host.answer(this.#part, answer);
    if (all.length > 0) host.resume(this.#part);
    for (const request of host.requests(this.#part)) {
      if (!this.#modules.has(request.site.registered)) this.#requests.push(request);
      else void this.#run(request);
    }
    return host.isWaiting(this.#part);
  }

  /** Whether a codec runs here. */
  get isRunning(): boolean {
    return this.#running > 0;
  }

  /** The requests for codecs that run on the page. */
  takeRequests(): CodecRequest[] {
    return this.#requests.splice(0);
  }

  async #run(request: CodecRequest): Promise<void> {
    this.#running += 1;
    try {
      const bytes = await this.#runner.run(request);
      // Read the list only now, because `proceed` may have replaced it meanwhile.
      this.#answers.push({ id: request.id, bytes });
    } catch (thrown) {
      this.#failure ??= failureOf(request, thrown);
    }
    this.#running -= 1;
    if (this.#running === 0 || this.#failure) this.#notify();
  }
}

type Post = (answer: FromDecoder, transfer: ArrayBuffer[]) => void;

/**
 * A build of the engine: its module, its instance, and the arrays and parts that the instance has.
 */
interface BuildInstance {
  build: DecodeBuild;
  module: WebAssembly.Module;
  /** An instance with more memory than this restarts when it has no part in progress. */
  recycleBytes: number;
  host: DecodeHost | undefined;
  bound: Set<number>;
  begun: Set<number>;
}

type Begin = NonNullable<WorkMessage["begin"]>;

/** The buffers to transfer with an outcome. */
function buffersOf(outcome: Outcome): ArrayBuffer[] {
  if (outcome.type === "asks") return outcome.requests.map(({ bytes }) => bytes.buffer);
  return outcome.type === "done" && outcome.elements ? [outcome.elements.buffer] : [];
}

/** The memory of copies of encoded bytes, to be returned. */
const memoryOf = ({ supplies }: WorkMessage): ArrayBuffer[] =>
  supplies.flatMap(({ isCopied, buffers }) =>
    isCopied ? buffers.map(({ buffer }) => buffer as ArrayBuffer) : [],
  );

const failureMessage = (error: DecodeFailure | CodecFailure): Failure =>
  error instanceof CodecFailure ? error.failure : { report: error.report };

/** The function that takes the elements in borrowed memory, if there is one. */
const takerOf = ({ take, target }: WorkMessage): WorkMessage["take"] =>
  target ? (elements) => placeShared(target, elements) : take;

const doneWith = (part: number, result: Uint8Array<ArrayBuffer> | Unstored | undefined): Outcome =>
  typeof result === "string"
    ? { type: "done", part, unstored: result }
    : { type: "done", part, elements: result };

export class DecodeServer {
  readonly #post: Post;
  readonly #instances = new Map<DecodeBuild, BuildInstance>();
  readonly #arrays = new Map<number, CodedArray>();
  /** The build of each part in progress. */
  readonly #parts = new Map<number, DecodeBuild>();
  /** Runs the user's codecs that are modules, by array; and their state, by part. */
  readonly #runners = new Map<number, CodecRunner>();
  readonly #codings = new Map<number, PartCodecs>();
  readonly #reducer = new PartReducer();
  #last: Promise<void> = Promise.resolve();

  constructor(post: Post) {
    this.#post = post;
  }

  /** Handles a message. Messages are answered in order. */
  handle(message: ToDecoder): Promise<void> {
    if (message.type === "ping") {
      this.#post({ type: "pong" }, []);
      return this.#last;
    }
    const broken = (error: unknown) => this.#post({ type: "broken", reason: String(error) }, []);
    this.#last = this.#last.then(() => this.#handle(message)).catch(broken);
    return this.#last;
  }

  async #handle(message: ToDecoder): Promise<void> {
    switch (message.type) {
      case "module":
        return this.#addBuild(message);
      case "bind":
        this.#arrays.set(message.array, message);
        return this.#bindEarly(message);
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

  async #addBuild({ build, module, recycleBytes }: Extract<ToDecoder, { type: "module" }>): Promise<void> {
    const instance: BuildInstance = {
      build,
      module,
      recycleBytes,
      host: undefined,
      bound: new Set(),
      begun: new Set(),
    };
    try {
      instance.host = await DecodeHost.start(module);
      this.#instances.set(build, instance);
      this.#post({ type: "ready", build }, []);
    } catch (error) {
      this.#post({ type: "broken", reason: String(error) }, []);
    }
  }

  #unbind(array: number): void {
    const instance = this.#instanceOf(array);
    this.#arrays.delete(array);
    this.#runners.delete(array);
    if (instance?.bound.delete(array)) instance.host?.unbind(array);
  }

  #cancel(part: number): void {
    const instance = this.#leave(part);
    if (instance?.begun.delete(part)) instance.host?.cancel(part);
  }

  async #work(message: WorkMessage): Promise<Outcome> {
    const { part, begin, codec } = message;
    const known = begin ? this.#arrays.get(begin.array)?.build : this.#parts.get(part);
    const build = codec?.build ?? known;
    const instance = build && this.#instances.get(build);
    if (!instance) return { type: "trapped", part, trap: "the part's decoder was replaced" };
    try {
      instance.host ??= await DecodeHost.start(instance.module);
    } catch (error) {
      return this.#failed(instance, part, error);
    }
    const { host } = instance;
    const outcome = this.#run(instance, host, message);
    // Nothing else was decoded meanwhile, so the warnings concern this part.
    const warnings = outcome.type === "trapped" ? [] : host.takeWarnings();
    return warnings.length > 0 ? { ...outcome, warnings } : outcome;
  }

  #run(instance: BuildInstance, host: DecodeHost, message: WorkMessage): Outcome {
    const { part, begin, supplies, update, codec, finish } = message;
    try {
      if (codec && update) {
        const output = host.runCodec(codec, update.elements);
        this.#recycle(instance);
        return { type: "done", part, elements: output };
      }
      if (update && begin) {
        const updated = this.#update(instance, part, begin, update);
        if (updated) return updated;
      } else if (begin) this.#begin(instance, part, begin);
      for (const supply of supplies) host.supply(part, supply);
      const coding = this.#codings.get(part);
      if (coding?.proceed(host, message.answers ?? [])) {
        return { type: "asks", part, requests: coding.takeRequests(), isRunning: coding.isRunning };
      }
      if (!finish) return { type: "done", part };
      if (message.spare) keepSpare(message.spare);
      let reduced: Uint8Array<ArrayBuffer> | undefined;
      const { reduction } = message;
      const take = reduction
        ? (elements: Uint8Array) => {
            reduced = this.#reducer.reduced(reduction, elements);
          }
        : takerOf(message);
      const finished = host.finish(part, take);
      this.#end(instance, part);
      if (reduced) return doneWith(part, reduced);
      return take ? { type: "done", part, isTaken: true } : doneWith(part, finished);
    } catch (error) {
      return this.#failed(instance, part, error);
    }
  }

  /** Updates a chunk. Undefined if user codecs must run first. */
  #update(instance: BuildInstance, part: number, begin: Begin, update: Update): Outcome | undefined {
    const { array, header } = begin;
    this.#bind(instance, array);
    const updated = instance.host?.update(part, array, header, update);
    if (updated === "waiting") {
      this.#register(instance, part, array);
      return undefined;
    }
    this.#recycle(instance);
    return doneWith(part, updated);
  }

  #bind(instance: BuildInstance, array: number): void {
    if (instance.bound.has(array)) return;
    const { document = "", codecs } = this.#arrays.get(array) ?? {};
    instance.host?.bind(array, document, codecs?.text);
    instance.bound.add(array);
  }

  /** Binds an array before its first work, which reports an error. */
  #bindEarly({ build, array }: Extract<ToDecoder, { type: "bind" }>): void {
    const instance = this.#instances.get(build);
    if (!instance?.host) return;
    try {
      this.#bind(instance, array);
    } catch (error) {
      if (!(error instanceof DecodeFailure)) this.#drop(instance);
    }
  }

  #begin(instance: BuildInstance, part: number, { array, header }: Begin): void {
    this.#bind(instance, array);
    instance.host?.begin(part, array, header);
    this.#register(instance, part, array);
  }

  #register(instance: BuildInstance, part: number, array: number): void {
    instance.begun.add(part);
    this.#parts.set(part, instance.build);
    const { codecs } = this.#arrays.get(array) ?? {};
    if (codecs) this.#codings.set(part, this.#codecsOf(part, array, codecs));
  }

  #codecsOf(part: number, array: number, { modules }: CodecsDefinition): PartCodecs {
    const known = this.#runners.get(array);
    const runner = known ?? new CodecRunner((name) => importEntry(modules.get(name) ?? ""));
    this.#runners.set(array, runner);
    return new PartCodecs(part, modules, runner, () => this.#post({ type: "answered", part }, []));
  }

  #failed(instance: BuildInstance, part: number, error: unknown): Outcome {
    if (error instanceof DecodeFailure || error instanceof CodecFailure) {
      if (instance.begun.has(part)) instance.host?.cancel(part);
      this.#end(instance, part);
      return { type: "failed", part, ...failureMessage(error) };
    }
    const trap = instance.host?.panicMessage() || String(error);
    this.#drop(instance);
    return { type: "trapped", part, trap };
  }

  #end(instance: BuildInstance, part: number): void {
    instance.begun.delete(part);
    this.#leave(part);
    this.#recycle(instance);
  }

  /** Drops an instance without parts if its memory has grown past the limit. */
  #recycle(instance: BuildInstance): void {
    if (instance.begun.size === 0 && (instance.host?.memoryBytes ?? 0) > instance.recycleBytes)
      this.#drop(instance);
  }

  /** Drops the instance with its arrays and parts. Each lost part fails at its next message. */
  #drop(instance: BuildInstance): void {
    instance.host = undefined;
    instance.bound.clear();
    for (const part of instance.begun) this.#leave(part);
    instance.begun.clear();
  }

  #leave(part: number): BuildInstance | undefined {
    const build = this.#parts.get(part);
    this.#parts.delete(part);
    this.#codings.delete(part);
    return build && this.#instances.get(build);
  }

  #instanceOf(array: number): BuildInstance | undefined {
    const build = this.#arrays.get(array)?.build;
    return build && this.#instances.get(build);
  }
}
