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
import type { AnswerOf, ArgumentsOf, OpenCall, OperationName } from "./operations.ts";
import type { ToEngine } from "./protocol.ts";

let start: (LightStart & { objects: Objects }) | undefined;
let loading: Promise<LightServer | undefined> | undefined;
let end = new AbortController();

/** The light build, if it has started. */
export let light: LightServer | undefined;

function newStart(): LightStart & { objects: Objects } {
  const posted: ToEngine[] = [];
  const objects = new Objects((message) => posted.push(message), true);
  return { objects, posted, knownDocuments, configuration };
}

async function load(from: LightStart): Promise<LightServer | undefined> {
  // Where it does not start, the engine does.
  light = await loadLight?.()
    .then(({ startLight }) => startLight(from))
    .catch(() => undefined);
  return light;
}

/** Drops the light build and its memory. Its calls reject with this reason. */
export function dropLight(reason: Error): void {
  end.abort(reason);
  end = new AbortController();
  start = loading = light = undefined;
}

/**
 * Answers a call of `open` or `read`; undefined if the engine must. Rejects only if the caller
 * aborts, or at `dispose`.
 */
export async function answeredLightly<Name extends OperationName>(
  operation: Name,
  makeArguments: MakeArguments<Name>,
  { signal, storeOptions }: CallOptions,
): Promise<AnswerOf<Name> | undefined> {
  start ??= newStart();
  const args = makeArguments(start.objects) as ArgumentsOf<LightOperation>;
  if (storeOptions || (operation === "open" && !(args as OpenCall).early)) return undefined;
  loading ??= load(start);
  const signals = [end.signal, signal];
  const answer = loading.then((server) => server?.answer(operation as LightOperation, args, signals));
  return unlessAborted(unlessAborted(answer, signals[0]), signal) as Promise<AnswerOf<Name> | undefined>;
}
