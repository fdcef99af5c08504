/**
 * Finds the user's codecs of an array. The engine names the registered ones one after the other.
 * Each is loaded and asked for its kind and its encoded metadata.
 */
import { CodecFault, codecFailed } from "../engine/ts/codec/fault.ts";
import { CodecRunner, metaOf } from "../engine/ts/codec/run.ts";
import type { CodecRequest, CodecSite } from "../engine/ts/codec/site.ts";
import { errorFromRecord } from "../engine/ts/model/errors.ts";
import { exactJson } from "../engine/ts/model/json.ts";
import { unlessAborted } from "../engine/ts/model/waiting.ts";
import type { Callback, ObjectIds } from "../engine/ts/port/definitions.ts";
import { call } from "../engine/ts/port/engine.ts";
import { Transferring } from "../engine/ts/port/objects.ts";
import type { CodecResult } from "../engine/ts/port/protocol.ts";
import { type CodecLoader, learnOwn, urlOf, userLoaders } from "./registry.ts";

/** The user's codecs of one array. */
export interface BoundCodecs {
  /** The codecs as JSON text; read by `src/core/format/codec/user/registered.rs`. */
  text: string;
  /** URLs of the codecs that are modules, by registered name. */
  modules: ReadonlyMap<string, string>;
  /** Runs the other codecs for the engine. */
  runner: Callback;
}

/** Limit for the number of user codecs in one array. */
const MAX_CODECS = 256;

interface EncodedMeta {
  dataType?: unknown;
  shape?: unknown;
  fillValue?: unknown;
}

const changed = (before: unknown, after: unknown) =>
  after === undefined || JSON.stringify(before) === JSON.stringify(after) ? undefined : after;

/** The JSON text of a fill value. Special floats become strings, bigints become integers. */
const fillText = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : exactJson(value, "fillValue");

async function know(site: CodecSite, runner: CodecRunner) {
  const { codec: name, configuration, dtype, shape } = site;
  const { kind, codec } = await runner.made(site);
  const known = { codec: name, configuration, dtype, shape, kind };
  if (kind !== "array_to_array" || typeof codec.getEncodedMeta !== "function") return known;
  const meta = metaOf(site);
  const after = (codec.getEncodedMeta(meta) ?? {}) as EncodedMeta;
  const dataType = changed(dtype, after.dataType);
  const encoded = {
    dataType: dataType === undefined ? undefined : JSON.stringify(dataType),
    shape: changed(shape, after.shape),
    fillValue: dataType === undefined ? undefined : fillText(after.fillValue),
  };
  return { ...known, encoded };
}

/** Asks the engine for the next user codec that is not among `codecs`. */
type Ask = (codecs: string) => Promise<string | undefined>;

/**
 * Resolves to the user's codecs of an array with these metadata documents; undefined if it has
 * none.
 */
export const boundCodecs = (document: string, signal?: AbortSignal) =>
  codecsAskedFor(
    (codecs) => call("codecQuestion", () => ({ document, codecs }), { signal }),
    "decode",
    signal,
  );

/**
 * Resolves to the user's codecs of a new array with these options. The array `like` provides the
 * missing options.
 */
export const codecsToCreate = (
  options: string,
  like: (objects: ObjectIds) => number | undefined,
  signal: AbortSignal | undefined,
) =>
  codecsAskedFor(
    (codecs) => call("newCodecQuestion", (objects) => ({ options, like: like(objects), codecs }), { signal }),
    "encode",
    signal,
  );

async function codecsAskedFor(
  ask: Ask,
  direction: CodecRequest["direction"],
  signal: AbortSignal | undefined,
): Promise<BoundCodecs | undefined> {
  const loaders = userLoaders();
  if (loaders.size === 0) return undefined;
  await learnOwn([...loaders.keys()]);
  const runner = new CodecRunner((registered) => (loaders.get(registered) as CodecLoader)());
  const known: Awaited<ReturnType<typeof know>>[] = [];
  const modules = new Map<string, string>();
  let names = [...loaders.keys()];
  for (let round = 0; round < MAX_CODECS; round += 1) {
    const question = await ask(JSON.stringify({ names, known }));
    if (question === undefined) break;
    const site = JSON.parse(question) as CodecSite;
    const loader = loaders.get(site.registered) as CodecLoader;
    try {
      known.push(await unlessAborted(know(site, runner), signal));
    } catch (thrown) {
      signal?.throwIfAborted();
      // Errors that the loader or `fromConfig` throws reach the caller as they are. Workers run
      // modules too, and their errors name the codec.
      if (!(thrown instanceof CodecFault) && urlOf(loader) === undefined) throw thrown;
      throw errorFromRecord(codecFailed({ site, direction }, thrown));
    }
    signal?.throwIfAborted();
    const url = urlOf(loader);
    if (url !== undefined) modules.set(site.registered, url);
  }
  if (known.length === 0) return undefined;
  const used = new Set(known.map(({ codec }) => codec));
  names = names.filter((name) => used.has(name) || used.has(name.replace(/^numcodecs\./, "")));
  return { text: JSON.stringify({ names, known }), modules, runner: callbackOf(runner) };
}

/**
 * The callback with which the engine runs a codec that is a function. An invalid result of the
 * codec is answered with a record.
 */
function callbackOf(runner: CodecRunner): Callback {
  return async (request: CodecRequest): Promise<Transferring | CodecResult> => {
    try {
      const bytes = await runner.run(request);
      return new Transferring(bytes, [bytes.buffer]);
    } catch (thrown) {
      if (thrown instanceof CodecFault) return codecFailed(request, thrown);
      throw thrown;
    }
  };
}
