/**
 * The light build as the page's end sees it: it answers small reads on the caller's thread until
 * something needs the engine. The first call that it may answer loads it.
 */
import { loadLight } from "#source";
import { unlessAborted } from "../model/waiting.ts";
import { configuration } from "./configuration.ts";
import type { CallOptions, MakeArguments } from "./connection.ts";
import { knownDocuments } from "./definitions.ts";
import type { LightOperation, LightServer, LightStart } from "./light_server.ts";
import { Objects } from "./objects.ts";
import type { AnswerOf, ArgumentsOf, OperationName } from "./operations.ts";
import type { ToEngine } from "./protocol.ts";

let start: LightStart | undefined;
let loading: Promise<LightServer | undefined> | undefined;
let disposal = new AbortController();

/** The light build, if it has started. */
export let light: LightServer | undefined;

async function load(from: LightStart): Promise<LightServer | undefined> {
  // Where it does not start, the engine does.
  light = await (await loadLight?.())?.startLight(from).catch(() => undefined);
  return light;
}

/** Drops the light build and its memory. Its calls reject with this reason. */
export function dropLight(reason: Error): void {
  disposal.abort(reason);
  disposal = new AbortController();
  start = undefined;
  loading = undefined;
  light = undefined;
}

/**
 * Answers a call of `open` or `read`; undefined if the engine must. Rejects only if the caller
 * aborts, or at `dispose`.
 */
export async function answeredLightly<Name extends OperationName>(
  operation: Name,
  makeArguments: MakeArguments<Name>,
  options: CallOptions,
): Promise<AnswerOf<Name> | undefined> {
  if (!loadLight) return undefined;
  const posted: ToEngine[] = [];
  start ??= { objects: new Objects((message) => posted.push(message), true), posted, knownDocuments };
  const args = makeArguments(start.objects) as ArgumentsOf<LightOperation>;
  if (operation === "open" && !(args as ArgumentsOf<"open">).early) return undefined;
  loading ??= load(start).catch(() => undefined);
  const left = new AbortController();
  const { storeOptions, signal } = options;
  const how = { storeOptions, left: left.signal, isUnlimited: configuration.light === true };
  const answer = loading.then((server) => server?.answer(operation as LightOperation, args, how));
  const unlessDisposed = unlessAborted(answer, disposal.signal);
  // What the light build leaves to the engine is not aborted: the engine takes its early requests.
  return unlessAborted(unlessDisposed, signal).catch((reason) => {
    left.abort();
    throw reason;
  }) as Promise<AnswerOf<Name> | undefined>;
}
