/**
 * The light build. It answers `open` and `read` on the caller's thread, so that a page that reads a
 * few chunks over HTTP needs neither the engine nor a worker. It takes simple calls only. When it
 * cannot answer, for whatever reason, the engine repeats the whole call, so callers never see an
 * error of the light build. The wasm (`src/light/rust`) decides what the bytes mean.
 */
import wasm from "#light-text";
import {
  LIGHT_CALLS,
  type LightCalls,
  type NodeSummary,
  nodeSummaryShape,
  readRequestShape,
  smallReadShape,
  type ValueRequest,
  valueRequestsShape,
} from "../../contract/contract.ts";
import { inflated } from "../../engine/ts/host/wasm_builds.ts";
import { WasmModule } from "../../engine/ts/host/wasm_module.ts";
import { LARGE_BYTES } from "../../engine/ts/model/limits.ts";
import { addressesBelow } from "../../engine/ts/model/plain_address.ts";
import { readRecord, recordBytes } from "../../engine/ts/model/records.ts";
import type { ArrayDefinition, Callback, StoreDefinition } from "../../engine/ts/port/definitions.ts";
import type { LightOperation, LightServer, LightStart } from "../../engine/ts/port/light_server.ts";
import { compileResponse } from "../../engine/ts/port/loading.ts";
import type { Transferring } from "../../engine/ts/port/objects.ts";
import type {
  AnswerOf,
  ArgumentsOf,
  OpenCall,
  ReadCall,
  ReadTarget,
} from "../../engine/ts/port/operations.ts";
import type { ResponseParts } from "../../engine/ts/port/protocol.ts";
import { NotPlain } from "./not_plain.ts";
import { PlainRequests, Reader } from "./plain_requests.ts";

type Module = WasmModule<LightCalls>;
type Http = Extract<StoreDefinition, { kind: "http" }>;

/** Whether nothing but its URL decides how a store requests. */
function isPlain(store: StoreDefinition | undefined): store is Http {
  if (store?.kind !== "http") return false;
  const { fetch, headers, cache, reach, headerOrigins, passesCaches, init } = store.http;
  const isOwn = fetch ?? headers ?? cache ?? reach ?? headerOrigins;
  return isOwn === undefined && !passesCaches && !init.headers;
}

/** The body of a document; undefined where there is none. */
function documentOf({ status, redirected, unread, headers, body }: ResponseParts): Uint8Array | undefined {
  if (status === 404) return undefined;
  const type = headers.find(([name]) => name === "content-type")?.[1] ?? "";
  const isPlain = status === 200 && !redirected && !unread && body.byteLength < LARGE_BYTES;
  if (!isPlain || type.startsWith("text/html")) throw new NotPlain();
  return new Uint8Array(body);
}

const encoded = (text: string) => new TextEncoder().encode(text);
const NO_BYTES = new Uint8Array(0);

/** The most reads in flight, and in all: a page that reads more needs caches and workers. */
const MAX_IN_FLIGHT = 6;
const MAX_READS = 32;

class Light implements LightServer {
  readonly #module: Module;
  readonly #start: LightStart;
  readonly #stores = new Map<number, StoreDefinition>();
  readonly #arrays = new Map<number, ArrayDefinition>();
  readonly #requests = new PlainRequests();
  parts = 0;
  readonly decodeMsBy: Record<string, number> = {};
  #reads = 0;
  #inFlight = 0;
  #isBroken = false;

  constructor(module: Module, start: LightStart) {
    this.#module = module;
    this.#start = start;
  }

  get wire() {
    return this.#requests.counts;
  }

  async answer(
    operation: LightOperation,
    args: ArgumentsOf<LightOperation>,
    signals: readonly (AbortSignal | undefined)[],
  ): Promise<AnswerOf<LightOperation> | undefined> {
    this.#take();
    const isUnlimited = this.#start.configuration.light === true;
    const isTooMuch = this.#inFlight >= MAX_IN_FLIGHT || (this.#reads >= MAX_READS && !isUnlimited);
    if (this.#isBroken || isTooMuch) return undefined;
    const [left, done] = [new AbortController(), new AbortController()];
    const how = { once: true, signal: done.signal };
    try {
      for (const signal of signals) signal?.addEventListener("abort", () => left.abort(), how);
      if (operation === "open") return await this.#open(args as OpenCall, left.signal);
      return await this.#read(args as ReadCall & ReadTarget, left.signal);
    } catch (error) {
      // A trap leaves the instance in any state.
      if (error instanceof WebAssembly.RuntimeError) this.#isBroken = true;
      // The engine does the call, and its error names the cause.
      return undefined;
    } finally {
      done.abort();
    }
  }

  /** Takes the definitions of stores and arrays that the page has posted. */
  #take(): void {
    for (const message of this.#start.posted.splice(0)) {
      if (message.type === "store") this.#stores.set(message.store, message.definition);
      else if (message.type === "array") this.#arrays.set(message.array, message.definition);
      else if (message.type === "release")
        (message.kind === "store" ? this.#stores : this.#arrays).delete(message.id);
    }
  }

  /** Opens a node by the documents that the page requests while the module starts. */
  async #open({ store, path, kind, early, attrs }: OpenCall, signal: AbortSignal): Promise<NodeSummary> {
    if (!early || !attrs || !isPlain(this.#stores.get(store))) throw new NotPlain();
    const callback = this.#start.objects.target(early.callback) as Callback;
    let known: string | undefined;
    const document = async (name: string) => {
      const url = early.urls.find((each) => new URL(each).pathname.endsWith(`/${name}`));
      if (url === undefined) return undefined;
      const { value } = (await callback(url, signal)) as Transferring;
      const found = documentOf(value as ResponseParts);
      if (found) known ??= url;
      return found;
    };
    const summary = await this.#described(path, document);
    if (known) this.#start.knownDocuments.set(this.#start.objects.target(store), known);
    // What to do about a fallback is an option of the call.
    if ((kind && kind !== summary.kind) || summary.array?.fallback) throw new NotPlain();
    return summary;
  }

  async #described(
    path: string,
    document: (name: string) => Promise<Uint8Array | undefined>,
  ): Promise<NodeSummary> {
    const at = encoded(path);
    const summary = (result: Uint8Array<ArrayBuffer>) => readRecord(nodeSummaryShape, result.slice());
    const v3 = await document("zarr.json");
    if (v3) return this.#module.call("describeV3", { blocks: [at, v3] }, summary);
    const [array, group, attributes] = await Promise.all([".zarray", ".zgroup", ".zattrs"].map(document));
    const own = array ?? group;
    if (!own) throw new NotPlain();
    const words: [number, number] = [array ? 1 : 0, attributes ? 1 : 0];
    return this.#module.call("describeV2", { words, blocks: [at, own, attributes ?? NO_BYTES] }, summary);
  }

  async #read(args: ReadCall & ReadTarget, signal: AbortSignal): Promise<AnswerOf<"read">> {
    const { store, addressOf, document, chain } = this.#plainArray(args);
    const read = ++this.#reads;
    const blocks: [Uint8Array, Uint8Array] = [encoded(document), recordBytes(readRequestShape, args.request)];
    const { requests, chunks, ...layout } = this.#module.call("begin", { words: [read], blocks }, (result) =>
      readRecord(smallReadShape, result.slice()),
    );
    const reader = new Reader(this.#requests, store.http, addressOf);
    const leave = () => reader.leave();
    signal.addEventListener("abort", leave, { once: true });
    this.#inFlight += 1;
    try {
      await this.#answered(read, requests, reader, chain);
      const bytes = this.#timed(chain, () => this.#module.bytes("finish", { words: [read] }));
      this.parts += 1;
      const progress = { chunks, bytes: reader.bytes, parts: 1, totalParts: 1, totalChunks: chunks };
      return { ...layout, bytes, progress };
    } finally {
      this.#inFlight -= 1;
      signal.removeEventListener("abort", leave);
      leave();
      if (!this.#isBroken) this.#module.bytes("cancel", { words: [read] });
    }
  }

  /** The array of a read, if the read needs nothing but chunks over HTTP. */
  #plainArray({ array, type, wantsProgress, out, useSharedArrayBuffer }: ReadCall & ReadTarget) {
    const definition = this.#arrays.get(array);
    const store = this.#stores.get(definition?.store ?? 0);
    if (!definition || !isPlain(store)) throw new NotPlain();
    const { document, path, build, codecs, transformers, chain = "" } = definition;
    const addressOf = addressesBelow(store.url, path);
    const isMore = wantsProgress || out || useSharedArrayBuffer || codecs || transformers;
    if (isMore || !addressOf || build !== "engine" || !(type ?? definition.type)) throw new NotPlain();
    return { store, addressOf, document, chain };
  }

  /** Sends the requests of a read, and those to which their answers lead. */
  async #answered(read: number, requests: ValueRequest[], reader: Reader, chain: string): Promise<void> {
    let count = 0;
    const answer = async (wanted: readonly ValueRequest[]): Promise<void> => {
      const first = count;
      count += wanted.length;
      const isAlone = (key: string) => wanted.filter((each) => each.key === key).length === 1;
      const one = async (request: ValueRequest, at: number) => {
        const { bytes, size } = await reader.get(request, isAlone(request.key));
        const words: [number, number, number] = [read, first + at, bytes ? 0 : 1];
        await answer(this.#timed(chain, () => this.#supply(words, size, bytes ?? NO_BYTES)));
      };
      await Promise.all(wanted.map(one));
    };
    await answer(requests);
  }

  /** Counts the time of decoding. */
  #timed<T>(chain: string, decode: () => T): T {
    const began = performance.now();
    try {
      return decode();
    } finally {
      this.decodeMsBy[chain] = (this.decodeMsBy[chain] ?? 0) + performance.now() - began;
    }
  }

  #supply(words: [read: number, request: number, isAbsent: number], size: number, bytes: Uint8Array) {
    const blocks: [Float64Array, Uint8Array] = [new Float64Array([size]), bytes];
    return this.#module.call(
      "supply",
      { words, blocks },
      (result) => readRecord(valueRequestsShape, result.slice()).requests,
    );
  }
}

/** Starts the light build. */
export async function startLight(start: LightStart): Promise<LightServer> {
  const source = await inflated(wasm);
  const compiled = "arrayBuffer" in source ? compileResponse(source) : WebAssembly.compile(source);
  const instance = await WasmModule.instance(await compiled);
  return new Light(new WasmModule<LightCalls>(instance, "light_call", LIGHT_CALLS), start);
}
