/**
 * An engine's end of the port. It takes the page's messages, runs operations of its engine, and
 * answers. It reports the engine's counters. A worker has one server; the caller's thread has one
 * for each page's end.
 */
import { type ErrorFields, fieldsOfError, localFieldsOfError } from "../model/errors.ts";
import type { OperationName } from "../port/operations.ts";
import { type EngineStatus, PROTOCOL_VERSION, type ToEngine, type ToPage } from "../port/protocol.ts";
import { Engine } from "./engine.ts";
import { type OpenCall, openCall } from "./open_call.ts";
import { readOperations, writeOperations } from "./operations/elements.ts";
import { codecOperations, storeOperations } from "./operations/keys_and_codecs.ts";
import { nodeOperations } from "./operations/nodes.ts";
import { type Operation, type OperationTable, perform } from "./operations/operation.ts";
import type { PageLink } from "./page.ts";

const OPERATIONS: OperationTable = {
  ...nodeOperations,
  ...readOperations,
  ...writeOperations,
  ...codecOperations,
  ...storeOperations,
};

/** The tables of an engine by what the page releases. */
const TABLE = { store: "stores", array: "arrays", cache: "caches" } as const;

type Post = (message: ToPage, transfer: ArrayBuffer[]) => void;

export class EngineServer {
  readonly #post: Post;
  readonly #engine: Engine;
  readonly #calls = new Map<number, OpenCall>();
  /** The counters at the last call of `changedStatus`, as JSON. */
  #lastStatus = "";

  constructor(post: Post, page: PageLink) {
    this.#post = post;
    this.#engine = new Engine(page);
  }

  /** Takes a message. One that cannot be read is a warning, and disturbs no call. */
  receive(message: ToEngine): void {
    try {
      this.#take(message);
    } catch (error) {
      this.#post(
        { type: "warning", message: `a message of the page cannot be read: ${error}`, path: "" },
        [],
      );
    }
  }

  #take(message: ToEngine): void {
    switch (message.type) {
      case "start":
        this.#start(message);
        break;
      case "configure":
        this.#engine.state.configure(message.options);
        this.#engine.instances.setCaches();
        break;
      case "store":
        this.#engine.stores.define(message.store, message.definition);
        break;
      case "array":
        this.#engine.arrays.define(message.array, message.definition);
        break;
      case "cache":
        this.#engine.caches.define(message.cache, message.definition);
        break;
      case "release":
        this.#engine[TABLE[message.kind]].release(message.id);
        break;
      case "call":
        void this.#call(message);
        break;
      case "abort":
        this.#calls.get(message.call)?.controller?.abort();
        break;
      case "taken":
        this.#calls.get(message.call)?.taken();
        break;
      case "reply":
      case "threw":
        this.#engine.page.answered(message);
        break;
      case "ping":
        this.#post({ type: "pong" }, []);
    }
  }

  #start({ version, options, wasm }: Extract<ToEngine, { type: "start" }>): void {
    if (version !== PROTOCOL_VERSION) {
      const reason = `the worker's script and the page are from different releases: protocol ${PROTOCOL_VERSION} and ${version}`;
      this.#post({ type: "broken", reason, field: "protocol" }, []);
      return;
    }
    const { state, instances } = this.#engine;
    state.wasm = wasm;
    state.configure(options);
    this.#post({ type: "started" }, []);
    // Starts early. An error is ignored here, because the first call starts again and reports it.
    // That call also asks the page for the wasm if none was sent.
    if (wasm) instances.start().catch(() => {});
  }

  async #call({ call, operation, args, isAbortable }: Extract<ToEngine, { type: "call" }>): Promise<void> {
    const open = openCall(call, { post: this.#post, isAbortable, engine: this.#engine });
    this.#calls.set(call, open);
    if (open.controller) this.#engine.page.know(open.controller.signal, call);
    try {
      const value = await perform(
        operation,
        OPERATIONS[operation] as Operation<OperationName> | undefined,
        args as never,
        open.context,
      );
      open.flush();
      this.#post({ type: "done", call, value }, open.transfer);
    } catch (error) {
      open.flush();
      this.#post({ type: "failed", call, error: this.#fieldsOf(error) }, []);
    } finally {
      this.#calls.delete(call);
    }
  }

  #fieldsOf(error: unknown): ErrorFields {
    return this.#engine.page.isLocal ? localFieldsOfError(error) : fieldsOfError(error);
  }

  status(): EngineStatus {
    return this.#engine.status();
  }

  /** The counters; undefined if they have not changed since the last call. */
  changedStatus(): EngineStatus | undefined {
    const status = this.status();
    const text = JSON.stringify(status);
    if (text === this.#lastStatus) return undefined;
    this.#lastStatus = text;
    return status;
  }

  /**
   * Ends all calls in flight on the caller's thread and frees the memory. A worker is terminated
   * instead.
   */
  close(): void {
    this.#engine.close();
  }
}
