/**
 * Which codecs of the user's an array has: the engine names those whose names are registered, one after the other, and each is
 * loaded and asked what it is.
 */
import { callNow, startEngine } from "../engine/engine.ts";
import { type ErrorReport, errorFromReport } from "../errors.ts";
import { type CodecLoader, registry, urlOf } from "../registry.ts";
import { failureOf } from "./fault.ts";
import { CodecRunner, metaOf } from "./run.ts";
import type { CodecSite } from "./site.ts";

/** The user's codecs of one array. */
export interface BoundCodecs {
  /** As the engine and its workers read it: `src/format/codec/user/registered.rs`. */
  text: string;
  /** URLs of those that are modules, by their name in the registry. */
  modules: Record<string, string>;
  /** Runs the others. */
  runner: CodecRunner;
}

/** A chain has fewer codecs of the user's than this. */
const MOST_CODECS = 256;

interface EncodedMeta {
  dataType?: unknown;
  shape?: unknown;
  fillValue?: unknown;
}

const changed = (before: unknown, after: unknown) =>
  after === undefined || JSON.stringify(before) === JSON.stringify(after) ? undefined : after;

/** JSON of a fill value: special floats are strings there, and bigints digits. */
function fillText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "bigint") return String(value);
  return JSON.stringify(typeof value === "number" && !Number.isFinite(value) ? String(value) : value);
}

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

/** The user's codecs of an array that has these documents; undefined where it has none. */
export async function boundCodecs(document: string): Promise<BoundCodecs | undefined> {
  await startEngine();
  const loaders = new Map<string, CodecLoader>(registry);
  const runner = new CodecRunner((registered) => (loaders.get(registered) as CodecLoader)());
  const known: Awaited<ReturnType<typeof know>>[] = [];
  const modules: Record<string, string> = {};
  let names = [...loaders.keys()];
  for (let round = 0; round < MOST_CODECS; round += 1) {
    const text = JSON.stringify({ names, known });
    const question = callNow((glue) => glue.codecQuestion(document, text));
    if (question === undefined) break;
    const site = JSON.parse(question) as CodecSite;
    try {
      known.push(await know(site, runner));
    } catch (thrown) {
      const { report, cause } = failureOf({ site, direction: "decode" }, thrown);
      throw errorFromReport({ ...(JSON.parse(report) as ErrorReport), cause });
    }
    const url = urlOf(loaders.get(site.registered) as CodecLoader);
    if (url !== undefined) modules[site.registered] = url;
  }
  if (known.length === 0) return undefined;
  const used = new Set(known.map(({ codec }) => codec));
  names = names.filter((name) => used.has(name) || used.has(name.replace(/^numcodecs\./, "")));
  return { text: JSON.stringify({ names, known }), modules, runner };
}

/** A promise, unless the signal is aborted before: then its reason. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
