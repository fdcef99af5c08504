/**
 * The engine's end of the port. It takes the page's messages, runs operations, and answers. A
 * worker has one server; so has the caller's thread. It reports the engine's counters.
 */
import { type ErrorFields, fieldsOfError, localFieldsOfError } from "../model/errors.ts";
import type { OperationName } from "../port/operations.ts";
import { type EngineStatus, PROTOCOL_VERSION, type ToEngine, type ToPage } from "../port/protocol.ts";
import { defineArray, forgetArrays, releaseArray } from "./arrays.ts";
import { closePools, workerCount } from "./decode/pools.ts";
import { defineCache, releaseCache } from "./http/persistent_cache.ts";
import { cacheCounters, currentBuild, setCaches, startEngine, stopEngine } from "./instances.ts";
import { type OpenCall, openCall } from "./open_call.ts";
import { readOperations, writeOperations } from "./operations/elements.ts";
import { codecOperations, storeOperations } from "./operations/keys_and_codecs.ts";
import { nodeOperations } from "./operations/nodes.ts";
import { type Operation, type OperationTable, perform } from "./operations/operation.ts";
import { type PageLink, setPage } from "./page.ts";
import { configuration, configure, counters } from "./state.ts";
import { defineStore, forgetStores, releaseStore } from "./stores.ts";
import { forgetConventions, forgetModules } from "./wasm_builds.ts";

const OPERATIONS: OperationTable = {
  ...nodeOperations,
  ...readOperations,
  ...writeOperations,
  ...codecOperations,
  ...storeOperations,
};

const RELEASE = { store: releaseStore, array: releaseArray, cache: releaseCache };

type Post = (message: ToPage, transfer: ArrayBuffer[]) => void;

export class EngineServer {
  readonly #post: Post;
  readonly #page: PageLink;
  readonly #calls = new Map<number, OpenCall>();

  constructor(post: Post, page: PageLink) {
    this.#post = post;
    this.#page = page;
    setPage(page);
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
        configure(message.options);
        setCaches();
        break;
      case "store":
        defineStore(message.store, message.definition);
        break;
      case "array":
        defineArray(message.array, message.definition);
        break;
      case "cache":
        defineCache(message.cache, message.definition);
        break;
      case "release":
        RELEASE[message.kind](message.number);
        break;
      case "call":
        void this.#call(message);
        break;
      case "abort":
        this.#calls.get(message.call)?.controller?.abort();
        break;
      case "credit":
        this.#calls.get(message.call)?.credit();
        break;
      case "reply":
      case "threw":
        this.#page.answered(message);
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
    configuration.wasm = wasm;
    configure(options);
    this.#post({ type: "started" }, []);
    // Starts early. An error is ignored here, because the first call starts again and reports it.
    // That call also asks the page for the wasm if none was sent.
    if (wasm) startEngine().catch(() => {});
  }

  async #call({ call, operation, args, isAbortable }: Extract<ToEngine, { type: "call" }>): Promise<void> {
    const { isLocal } = this.#page;
    const open = openCall(call, { post: this.#post, isAbortable, isLocal });
    this.#calls.set(call, open);
    if (open.controller) this.#page.know(open.controller.signal, call);
    try {
      const value = await perform(
        OPERATIONS[operation] as Operation<OperationName>,
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
    return this.#page.isLocal ? localFieldsOfError(error) : fieldsOfError(error);
  }

  status(): EngineStatus {
    return engineStatus();
  }

  /**
   * Ends all calls in flight on the caller's thread and frees the memory. A worker is terminated
   * instead.
   */
  close(): void {
    this.#page.close(new Error("the engine was closed"));
    closePools();
    stopEngine();
    forgetArrays();
    forgetStores();
    forgetConventions();
    forgetModules();
  }
}

function engineStatus(): EngineStatus {
  const workers = counters.decoder === "caller" ? 0 : workerCount();
  return { ...counters, build: currentBuild(), workers, caches: cacheCounters() };
}

let last = "";

/** The counters; undefined if they have not changed since the last call. */
export function changedStatus(): EngineStatus | undefined {
  const status = engineStatus();
  const text = JSON.stringify(status);
  if (text === last) return undefined;
  last = text;
  return status;
}
