/**
 * The page's end of the port. It sends calls, receives answers and events, and performs what the
 * engine asks of the page. It keeps the values that users' code threw. Messages of one microtask
 * turn are posted together. It does not start engines (`engine.ts` does).
 */
import { type ErrorFields, errorOfFields, isOurs, namesOfThrown, ZarrError } from "../model/errors.ts";
import { asked } from "../model/realms.ts";
import type { Performed } from "./answers.ts";
import type { Callback, ObjectIds } from "./definitions.ts";
import { Objects, perform } from "./objects.ts";
import type { AnswerOf, ArgumentsOf, OperationName } from "./operations.ts";
import { type Ask, type Channel, type EngineStatus, PAGE, type ToEngine, type ToPage } from "./protocol.ts";
import { loadWasm } from "./wasm.ts";
import { NOBODY } from "./worker_start.ts";

/** The engine crashed or does not answer. Its calls get no answer. */
export class EngineLost extends Error {}

export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal;
  /**
   * When an aborted call rejects: at once (the default), or when the engine no longer writes to the
   * caller's memory.
   */
  onAbort?: "now" | "settled";
  /** Receives the events of the call. A stream sends its next part after `taken()`. */
  onEvent?: ((event: never, taken: () => void) => void) | undefined;
  /** The caller's options for the methods of a user's store, besides the signal. */
  storeOptions?: object;
  /** Buffers in the arguments to transfer. The caller must not use them afterwards. */
  transfer?: ArrayBuffer[];
}

/**
 * Makes the arguments of a call. It gets the ids of one engine, so it runs again for each
 * engine.
 */
export type MakeArguments<Name extends OperationName> = (objects: ObjectIds) => ArgumentsOf<Name>;

/** Operations whose errors tell how many chunks were written. */
const COUNTING = new Set<OperationName>(["write", "append", "resize"]);

interface Call {
  operation: OperationName;
  options: CallOptions;
  settle(settled: { value: unknown } | { error: unknown }): void;
  /** The caller's promise is settled. The engine may still be working. */
  isSettled: boolean;
}

interface Listeners {
  onwarning(message: string, path: string, store: object | undefined): void;
  /** The engine crashed, or a message could not be read. */
  onlost(reason: string): void;
}

export class Connection {
  readonly channel: Channel;
  readonly objects: Objects;
  readonly #listeners: Listeners;
  readonly #calls = new Map<number, Call>();
  /** What the engine asks for, if it is told that the engine has left. */
  readonly #asks = new Map<number, AbortController>();
  readonly #thrown = new ThrownValues();
  #outbox: ToEngine[] = [];
  #transfer: ArrayBuffer[] = [];
  #status: EngineStatus | undefined;
  #nextCall = 1;
  #isOver = false;

  constructor(channel: Channel, listeners: Listeners) {
    this.channel = channel;
    this.#listeners = listeners;
    this.objects = new Objects((message) => this.post(message), channel.isLocal);
    channel.listen({
      heard: (messages) => {
        for (const message of messages) this.#take(message);
      },
      crashed: (reason) => listeners.onlost(reason),
    });
    channel.oncall = (target, args) => (this.objects.target(target) as Callback)(...args);
    this.objects.keepAs(PAGE, { wasm: loadWasm });
  }

  get status(): EngineStatus | undefined {
    return this.channel.status?.() ?? this.#status;
  }

  /** Posts a message: at once to an engine on this thread, else at the end of the turn. */
  post(message: ToEngine, transfer: readonly ArrayBuffer[] = []): void {
    if (this.#isOver) return;
    if (this.channel.isLocal) {
      this.channel.post([message], []);
      return;
    }
    if (this.#outbox.length === 0) queueMicrotask(() => this.#flush());
    this.#outbox.push(message);
    this.#transfer.push(...transfer);
  }

  #flush(): void {
    const [messages, transfer] = [this.#outbox, this.#transfer];
    [this.#outbox, this.#transfer] = [[], []];
    if (this.#isOver || messages.length === 0) return;
    try {
      this.channel.post(messages, transfer);
    } catch (error) {
      this.#postOneByOne(messages, transfer, error);
    }
  }

  /**
   * One message of a batch cannot be cloned. Its call or reply fails; the others are posted alone.
   */
  #postOneByOne(messages: readonly ToEngine[], transfer: readonly ArrayBuffer[], first: unknown): void {
    if (messages.length === 1) {
      const [message] = messages as [ToEngine];
      if (message.type === "call") this.#finish(message.call, { error: notCloneable(first) });
      else if (message.type === "reply") this.#threw(message.ask, notCloneable(first));
      return;
    }
    for (const message of messages) {
      const buffers = transfer.filter((buffer) => buffer.byteLength !== 0);
      try {
        this.channel.post([message], message.type === "call" || message.type === "reply" ? buffers : []);
      } catch (error) {
        this.#postOneByOne([message], [], error);
      }
    }
  }

  /**
   * Calls an operation of the engine. Rejects with the signal's reason, with the engine's error, or
   * with `EngineLost`.
   */
  call<Name extends OperationName>(
    operation: Name,
    makeArguments: MakeArguments<Name>,
    options: CallOptions = {},
  ): Promise<AnswerOf<Name>> {
    const { signal, storeOptions } = options;
    return new Promise<AnswerOf<Name>>((resolve, reject) => {
      if (signal?.aborted) throw signal.reason;
      const args = makeArguments(this.objects);
      const id = this.#nextCall++;
      const abort = () => this.#abort(id);
      const settle: Call["settle"] = (settled) => {
        if ("error" in settled) reject(settled.error);
        else resolve(settled.value as AnswerOf<Name>);
        asked(() => signal?.removeEventListener("abort", abort));
      };
      // First, because the user's signal may throw.
      signal?.addEventListener("abort", abort, { once: true });
      this.#calls.set(id, { operation, options, settle, isSettled: false });
      if (this.#calls.size === 1) this.channel.hold(true);
      // The engine names the call that it asks for, if it is one of these.
      const isAbortable = signal !== undefined || storeOptions !== undefined;
      this.post({ type: "call", call: id, operation, args, isAbortable }, options.transfer);
    });
  }

  #abort(id: number): void {
    const call = this.#calls.get(id);
    if (!call || call.isSettled) return;
    if (call.options.onAbort !== "settled") this.#settle(call, { error: call.options.signal?.reason });
    this.post({ type: "abort", call: id });
  }

  #settle(call: Call, settled: { value: unknown } | { error: unknown }): void {
    if (call.isSettled) return;
    call.isSettled = true;
    call.settle(settled);
  }

  #finish(id: number, settled: { value: unknown } | { error: unknown }): void {
    const call = this.#calls.get(id);
    if (!call) return;
    this.#calls.delete(id);
    if (this.#calls.size === 0) this.channel.hold(false);
    const { signal } = call.options;
    const isAborted = "error" in settled && asked(() => signal?.aborted);
    this.#settle(call, isAborted ? { error: asked(() => signal?.reason) } : settled);
  }

  /** Takes a message. One that cannot be read ends its own call, and no other. */
  #take(message: ToPage): void {
    try {
      this.#receive(message);
    } catch (cause) {
      const error = new ZarrError("Unsupported", "a message of the engine cannot be read", { cause });
      this.#finish((message as { call?: number } | null)?.call ?? 0, { error });
    }
  }

  #receive(message: ToPage): void {
    switch (message.type) {
      case "done":
        this.#finish(message.call, { value: message.value });
        break;
      case "failed":
        this.#failed(message.call, message.error);
        break;
      case "event":
        this.#event(message.call, message.event);
        break;
      case "ask":
        this.#answer(message);
        break;
      case "leave":
        this.#asks.get(message.ask)?.abort();
        break;
      case "warning":
        this.#listeners.onwarning(message.message, message.path, this.objects.storeOf(message.store));
        break;
      case "chunkWarning":
        this.objects.warnArray(message.array, message.message);
        break;
      case "status":
        this.#status = message.status;
    }
  }

  #event(id: number, event: unknown): void {
    const call = this.#calls.get(id);
    if (!call || call.isSettled) return;
    const taken = () => this.post({ type: "taken", call: id });
    try {
      call.options.onEvent?.(event as never, taken);
    } catch (error) {
      // An error that a listener throws ends the call and rejects it.
      this.#settle(call, { error });
      this.post({ type: "abort", call: id });
    }
  }

  #failed(id: number, fields: ErrorFields): void {
    const error = errorOfFields(fields, (thrown) => this.#thrown.get(thrown));
    const operation = this.#calls.get(id)?.operation;
    const isCounting = operation !== undefined && COUNTING.has(operation);
    this.#finish(id, { error: isCounting ? error : this.#thrown.ofCaller(error) });
  }

  /** Performs what the engine asks. A value that is not a promise is answered in the same turn. */
  #answer(ask: Ask): void {
    const { signal, storeOptions } = this.#calls.get(ask.call ?? 0)?.options ?? {};
    // Made only for those who look at it, because it costs more than the rest of a small request.
    const left = () => {
      const controller = new AbortController();
      this.#asks.set(ask.ask, controller);
      return controller.signal;
    };
    try {
      const value = perform(this.objects, ask, {
        signal,
        storeOptions,
        left,
        isLocal: this.channel.isLocal,
      });
      if (!(value instanceof Promise)) this.#reply(ask.ask, value);
      else
        value.then(
          (settled) => this.#reply(ask.ask, settled),
          (thrown) => this.#threw(ask.ask, thrown),
        );
    } catch (thrown) {
      this.#threw(ask.ask, thrown);
    }
  }

  #reply(ask: number, { transfer, ...answer }: Performed): void {
    this.#asks.delete(ask);
    this.post({ type: "reply", ask, ...answer }, transfer);
  }

  #threw(ask: number, value: unknown): void {
    this.#asks.delete(ask);
    const original = this.channel.isLocal ? { original: value } : {};
    const names = namesOfThrown(value);
    this.post({ type: "threw", ask, thrown: this.#thrown.keep(value), ...names, ...original });
  }

  /** Closes the connection. Every call in flight rejects with this error. */
  close(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.channel.listen(NOBODY);
    this.channel.hold(false);
    this.channel.close();
    for (const controller of this.#asks.values()) controller.abort();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) this.#settle(call, { error });
  }
}

const notCloneable = (cause: unknown) =>
  new ZarrError(
    "Argument",
    "an argument cannot be sent to the engine's worker, because it cannot be cloned",
    {
      expected: "plain values, typed arrays or files",
      cause,
    },
  );

/** Number of values kept. An error that arrives after more of them were thrown loses its cause. */
const MAX_KEPT_VALUES = 1024;

class ThrownValues {
  readonly #values = new Map<number, unknown>();
  #next = 1;

  keep(value: unknown): number {
    const id = this.#next++;
    this.#values.set(id, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > MAX_KEPT_VALUES && oldest !== undefined) this.#values.delete(oldest);
    return id;
  }

  get(id: number): unknown {
    return this.#values.get(id);
  }

  /**
   * The error that the caller of an operation gets. Where a store or a `fetch` of the user failed,
   * it is what the user's code threw. This package's own errors stay, because they tell more, and
   * so do those of the network.
   */
  ofCaller(error: unknown): unknown {
    if (!(error instanceof ZarrError) || error.code !== "Store" || !("cause" in error)) return error;
    const { cause, field } = error;
    // An error of a storage transformer names its field of the metadata.
    const isOwn = isOurs(cause) || isNetwork(error) || field !== undefined;
    return !isOwn && [...this.#values.values()].includes(cause) ? cause : error;
  }
}

/** Whether a request got no answer. `fetch` throws a `TypeError` then. */
const isNetwork = ({ cause, message }: ZarrError) =>
  /^(network|CORS)\b/.test(message) && asked(() => cause instanceof TypeError);
