/**
 * Answers the messages of `messages.ts`, one after the other, with wasm instances. An instance that
 * trapped, or whose memory grew past a limit, is dropped. The next one is made from the same
 * module, and the arrays are bound again.
 *
 * The user's codecs that are modules run where their part is decoded, beside other parts. Their
 * answers are kept until the part goes on.
 */

import type { ErrorRecord } from "../../../../contract/contract.ts";
import { codecFailed } from "../../codec/fault.ts";
import { CodecRunner } from "../../codec/run.ts";
import { type CodecAnswer, type CodecEntry, type CodecRequest, entryOf } from "../../codec/site.ts";
import type { CodecsDefinition, CodedArray } from "../../port/definitions.ts";
import { ReportedError } from "../wasm_module.ts";
import { copyOf, DecodeHost } from "./decode_host.ts";
import { scatterShared } from "./gate.ts";
import type {
  DecodeBuild,
  FromDecoder,
  Outcome,
  PartTarget,
  ReadMessage,
  ToDecoder,
  Updated,
  UpdateMessage,
  WorkMessage,
} from "./messages.ts";
import { keepSpare } from "./part_memory.ts";
import { PartReducer } from "./reducer.ts";

/** Imports a codec's module. Bundlers must not rewrite the import. */
const importEntry = async (url: string): Promise<CodecEntry> =>
  entryOf(await import(/* webpackIgnore: true */ /* @vite-ignore */ url));

/** The record with a cause that can be posted. */
function postable(record: ErrorRecord): ErrorRecord {
  try {
    return structuredClone(record);
  } catch {
    return { ...record, cause: new Error(String(record.cause)) };
  }
}

/** The user's codecs of one part: those that are modules run here. */
class PartCodecs {
  readonly #id: number;
  readonly #modules: ReadonlyMap<string, string>;
  readonly #runner: CodecRunner;
  readonly #notify: () => void;
  #answers: CodecAnswer[] = [];
  #failure: ErrorRecord | undefined;
  #running = 0;

  /** `notify` is called when the codecs have answered or one has failed. */
  constructor(id: number, modules: ReadonlyMap<string, string>, runner: CodecRunner, notify: () => void) {
    this.#id = id;
    this.#modules = modules;
    this.#runner = runner;
    this.#notify = notify;
  }

  /** Continues with the answers so far. Returns what the page is asked if more are missing. */
  proceed(host: DecodeHost, answers: CodecAnswer[]): Outcome | undefined {
    if (this.#failure) throw new ReportedError(postable(this.#failure));
    const [id, all] = [this.#id, [...answers, ...this.#answers]];
    this.#answers = [];
    for (const answer of all) host.answer(id, answer);
    if (all.length > 0) host.resume(id);
    const asked = host.requests(id);
    const requests: CodecRequest[] = [];
    for (const request of asked.requests) {
      if (!this.#modules.has(request.site.registered)) requests.push(request);
      else void this.#run(request);
    }
    return asked.isWaiting ? { type: "asks", id, requests, isRunning: this.#running > 0 } : undefined;
  }

  async #run(request: CodecRequest): Promise<void> {
    this.#running += 1;
    try {
      const bytes = await this.#runner.run(request);
      // Read the list only now, because `proceed` may have replaced it meanwhile.
      this.#answers.push({ id: request.id, bytes });
    } catch (thrown) {
      this.#failure ??= codecFailed(request, thrown);
    }
    this.#running -= 1;
    if (this.#running === 0 || this.#failure) this.#notify();
  }
}

type Post = (answer: FromDecoder, transfer: ArrayBuffer[]) => void;

/** A build of the engine: its module, its instance, and the arrays that the instance has. */
interface BuildInstance {
  readonly module: WebAssembly.Module;
  /** An instance with more memory than this restarts when it has no part in progress. */
  readonly recycleBytes: number;
  host: DecodeHost | undefined;
  readonly bound: Set<number>;
}

/** A part or an update in progress, and the state of the user's codecs. */
interface Begun {
  readonly instance: BuildInstance;
  readonly coding: PartCodecs | undefined;
}

/** The buffers to transfer with an outcome. */
function buffersOf(outcome: Outcome): ArrayBuffer[] {
  if (outcome.type === "asks") return outcome.requests.map(({ bytes }) => bytes.buffer);
  return outcome.type === "done" && outcome.result ? [outcome.result.buffer] : [];
}

/** The memory of copies of encoded bytes, to be returned. */
const memoryOf = (message: WorkMessage): ArrayBuffer[] =>
  (message.type === "read" ? message.supplies : []).flatMap(({ isCopied, buffers }) =>
    isCopied ? buffers.map(({ buffer }) => buffer as ArrayBuffer) : [],
  );

export class DecodeServer {
  readonly #post: Post;
  readonly #instances = new Map<DecodeBuild, BuildInstance>();
  readonly #arrays = new Map<number, CodedArray>();
  readonly #begun = new Map<number, Begun>();
  /** Runs the user's codecs that are modules, by array. */
  readonly #runners = new Map<number, CodecRunner>();
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
        return this.#cancel(message.id);
      case "read":
      case "update":
      case "codec":
        return this.#answer(message);
    }
  }

  async #answer(message: WorkMessage): Promise<void> {
    const begun = performance.now();
    const outcome = await this.#work(message);
    const returned = memoryOf(message);
    const transfer = [...buffersOf(outcome), ...returned];
    this.#post({ ...outcome, ms: performance.now() - begun, returned }, transfer);
  }

  async #addBuild({ build, module, recycleBytes }: Extract<ToDecoder, { type: "module" }>): Promise<void> {
    try {
      const host = await DecodeHost.start(module);
      this.#instances.set(build, { module, recycleBytes, host, bound: new Set() });
      this.#post({ type: "ready", build }, []);
    } catch (error) {
      this.#post({ type: "broken", reason: String(error) }, []);
    }
  }

  #unbind(array: number): void {
    this.#arrays.delete(array);
    this.#runners.delete(array);
    for (const { bound, host } of this.#instances.values()) if (bound.delete(array)) host?.unbind(array);
  }

  #cancel(id: number): void {
    const begun = this.#begun.get(id);
    if (this.#begun.delete(id)) begun?.instance.host?.cancel(id);
  }

  async #work(message: WorkMessage): Promise<Outcome> {
    const { id } = message;
    const instance = this.#instanceFor(message);
    if (!instance) return { type: "trapped", id, trap: "the part's decoder was replaced" };
    let host: DecodeHost | undefined;
    let outcome: Outcome;
    try {
      host = instance.host ??= await DecodeHost.start(instance.module);
      outcome = this.#run(instance, host, message);
    } catch (error) {
      outcome = this.#failed(instance, id, error);
    }
    // Nothing else was decoded meanwhile, so the warnings concern this part.
    const warnings = outcome.type === "trapped" ? [] : (host?.takeWarnings() ?? []);
    return warnings.length > 0 ? { ...outcome, warnings } : outcome;
  }

  #instanceFor(message: WorkMessage): BuildInstance | undefined {
    if (message.type === "codec") return this.#instances.get(message.codec.build);
    const { id, begin } = message;
    return begin ? this.#instances.get(begin.build) : this.#begun.get(id)?.instance;
  }

  #run(instance: BuildInstance, host: DecodeHost, message: WorkMessage): Outcome {
    switch (message.type) {
      case "read":
        return this.#read(instance, host, message);
      case "update":
        return this.#update(instance, host, message);
      case "codec": {
        const result = host.runCodec(message.codec, message.input);
        this.#recycle(instance);
        return { type: "done", id: message.id, result };
      }
    }
  }

  #read(instance: BuildInstance, host: DecodeHost, message: ReadMessage): Outcome {
    const { id, begin, supplies, answers, end, spare } = message;
    if (begin) {
      this.#bind(instance, begin.array);
      host.begin(id, begin.array, begin.header);
      this.#register(instance, id, begin.array);
    }
    for (const supply of supplies) host.supply(id, supply);
    const asks = this.#begun.get(id)?.coding?.proceed(host, answers);
    if (asks) return asks;
    if (!end) return { type: "begun", id };
    if (spare) keepSpare(spare);
    const result = this.#deliver(host, id, end);
    this.#end(instance, id);
    return { type: "done", id, result };
  }

  /** Ends a part. Returns its result. */
  #deliver(host: DecodeHost, id: number, { reduction, shared, take }: PartTarget): Updated {
    if (reduction) return host.finish(id, (elements) => this.#reducer.reduced(reduction, elements));
    if (shared) return host.finish(id, (elements) => void scatterShared(shared, elements));
    return host.finish(id, take ? (elements) => void take(elements) : copyOf);
  }

  #update(instance: BuildInstance, host: DecodeHost, message: UpdateMessage): Outcome {
    const { id, begin, answers } = message;
    if (begin) {
      this.#bind(instance, begin.array);
      const result = host.update(id, begin);
      if (result !== "waiting") {
        this.#recycle(instance);
        return { type: "done", id, result };
      }
      this.#register(instance, id, begin.array);
    }
    const asks = this.#begun.get(id)?.coding?.proceed(host, answers);
    if (asks) return asks;
    const result = host.finishUpdate(id);
    this.#end(instance, id);
    return { type: "done", id, result };
  }

  #bind(instance: BuildInstance, array: number): void {
    if (instance.bound.has(array)) return;
    const { document = "", codecs } = this.#arrays.get(array) ?? {};
    instance.host?.bind(array, document, codecs?.text);
    instance.bound.add(array);
  }

  /** Binds an array before its first work, which reports an error. */
  #bindEarly({ array, build }: Extract<ToDecoder, { type: "bind" }>): void {
    const instance = this.#instances.get(build);
    if (!instance?.host) return;
    try {
      this.#bind(instance, array);
    } catch (error) {
      if (!(error instanceof ReportedError)) this.#drop(instance);
    }
  }

  #register(instance: BuildInstance, id: number, array: number): void {
    const { codecs } = this.#arrays.get(array) ?? {};
    this.#begun.set(id, { instance, coding: codecs && this.#codecsOf(id, array, codecs) });
  }

  #codecsOf(id: number, array: number, { modules }: CodecsDefinition): PartCodecs {
    const known = this.#runners.get(array);
    const runner = known ?? new CodecRunner((name) => importEntry(modules.get(name) ?? ""));
    this.#runners.set(array, runner);
    return new PartCodecs(id, modules, runner, () => this.#post({ type: "answered", id }, []));
  }

  #failed(instance: BuildInstance, id: number, error: unknown): Outcome {
    if (error instanceof ReportedError) {
      this.#cancel(id);
      this.#recycle(instance);
      return { type: "failed", id, record: error.record };
    }
    const trap = instance.host?.panicMessage() || String(error);
    this.#drop(instance);
    return { type: "trapped", id, trap };
  }

  #end(instance: BuildInstance, id: number): void {
    this.#begun.delete(id);
    this.#recycle(instance);
  }

  /** Drops an instance without parts if its memory has grown past the limit. */
  #recycle(instance: BuildInstance): void {
    const isBusy = [...this.#begun.values()].some((begun) => begun.instance === instance);
    if (!isBusy && (instance.host?.memoryBytes ?? 0) > instance.recycleBytes) this.#drop(instance);
  }

  /** Drops the instance with its arrays and parts. Each lost part fails at its next message. */
  #drop(instance: BuildInstance): void {
    instance.host = undefined;
    instance.bound.clear();
    for (const [id, begun] of this.#begun) if (begun.instance === instance) this.#begun.delete(id);
  }
}
