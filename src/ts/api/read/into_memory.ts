/**
 * Reads into the caller's memory (`out`).
 */
import { packedOf } from "../../elements/elements.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { ZarrError } from "../../model/errors.ts";
import { viewBytes } from "../../model/view_bytes.ts";
import { call, connect } from "../../port/engine.ts";
import type { ObjectNumbers } from "../../port/object_numbers.ts";
import type { ReadArguments, ReadEvent } from "../../port/operations.ts";
import { arrayNumber, typeOf } from "../arrays.ts";
import type { ArrayNode } from "../node_facts.ts";
import {
  type Options,
  observeRead,
  progressListener,
  type ReadRequest,
  readArguments,
  storeOptionsOf,
} from "./arguments.ts";
import { checkForm, type Form, formedIn, isDirect, type ReadResult } from "./form.ts";
import { PartPlacer } from "./part_placer.ts";
import { progressOf } from "./progress.ts";

/** Whether a buffer is shared, also if it is from another realm. */
const isSharedMemory = (buffer: ArrayBufferLike) =>
  Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";

/**
 * Whether shared memory can be posted. A page without cross-origin isolation can create it through
 * wasm, but not post it.
 */
const canShare = () => (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated !== false;

/** The name of a typed array's class, also if it is from another realm. */
const classOf = (view: object): string => Object.prototype.toString.call(view).slice(8, -1);

/** Throws an `Argument` error unless the memory is of the class that `data` would have. */
function checkClass(
  out: ArrayBufferView,
  { conversion }: ReadRequest,
  type: TypeDescription,
  form: Form,
): void {
  const empty = { shape: [0], stride: [1] };
  const usual = () => classOf(packedOf(type, new Uint8Array(0), empty).data);
  const expected = conversion?.pixel?.view ?? (form === "bytes" ? "Uint8Array" : usual());
  const actual = classOf(Object(out));
  const isBytes = /^Uint8/.test(expected) && /^Uint8/.test(actual);
  if (actual === expected || isBytes) return;
  const details = { field: "out", expected, actual };
  throw new ZarrError("Argument", "`out` is not of the class that the elements need", details);
}

type IntoMemory = Options & { out: ArrayBufferView };

/** Makes the arguments of the engine's operation, once the array has a number there. */
type EngineArguments = (objects: ObjectNumbers) => ReadArguments;

/** Reads into the caller's memory. */
export async function readIntoMemory(
  array: ArrayNode,
  request: ReadRequest,
  options: IntoMemory,
): Promise<ReadResult> {
  const { out, form, signal } = options;
  const type = request.conversion?.type ?? (await typeOf(array, signal));
  checkForm(type, form, out);
  checkClass(out, request, type, form);
  const { isLocal } = (await connect()).channel;
  const isWritable = isLocal || (isSharedMemory(out.buffer) && canShare());
  const { arrayNode, ...args } = readArguments(array, request, options);
  const engineArguments = (objects: ObjectNumbers) => ({ ...args, array: arrayNumber(objects, arrayNode) });
  const read = isDirect(type, form) && isWritable ? readInPlace : readParts;
  return read(array, engineArguments, options, type);
}

/** Reads into memory that the engine can write. */
async function readInPlace(
  array: ArrayNode,
  engineArguments: EngineArguments,
  options: IntoMemory,
  type: TypeDescription,
): Promise<ReadResult> {
  const { out, signal, form } = options;
  const answer = await call("read", (objects) => ({ ...engineArguments(objects), out: viewBytes(out) }), {
    signal,
    onAbort: "settled",
    onEvent: progressListener(options),
    storeOptions: storeOptionsOf(options),
  });
  observeRead(array, answer.progress);
  signal?.throwIfAborted();
  return formedIn(out, type, form, { ...answer, bytes: viewBytes(out) });
}

/**
 * Reads into memory that the engine cannot write because it is not shared. The engine sends the
 * parts of the result, and this thread copies them. Elements that need conversion are converted at
 * the end.
 */
async function readParts(
  array: ArrayNode,
  engineArguments: EngineArguments,
  options: IntoMemory,
  type: TypeDescription,
): Promise<ReadResult> {
  const { out, signal, form } = options;
  const placing = new PartPlacer(out, type, form, signal);
  const onEvent = (event: ReadEvent, credit: () => void) => {
    if (event.type === "progress") options.onProgress?.(progressOf(event.numbers));
    else if (event.type === "layout") placing.begin(event);
    else placing.place(event, credit);
  };
  const storeOptions = storeOptionsOf(options);
  const numbers = await call("stream", engineArguments, { signal, onEvent, storeOptions });
  observeRead(array, numbers);
  const placed = await placing.finish();
  signal?.throwIfAborted();
  return formedIn(out, type, form, placed);
}
