/**
 * Tests errors across the port: an error that is thrown at one end is caught at the other.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode, ErrorContext } from "../../../contract/contract.ts";
import {
  CodecPipelineError,
  errorFromRecord,
  errorOfFields,
  fieldsOfError,
  InvalidMetadataError,
  InvalidSelectionError,
  NotFoundError,
  THROWN,
  TrapError,
  UnknownCodecError,
  UnsupportedError,
  ZarrError,
} from "./errors.ts";

/** An error as the other end receives it. `thrown` has the page's own objects by number. */
function crossed(error: unknown, thrown: Record<number, unknown> = {}): unknown {
  return errorOfFields(structuredClone(fieldsOfError(error)), (number) => thrown[number]);
}

for (const error of [
  new ZarrError("Limit", "too large", { path: "/a", expected: "1", actual: "2" }),
  new NotFoundError("an array at /a", { path: "/a", found: "group" }),
  new InvalidMetadataError("no shape", { key: "a/zarr.json", field: "shape" }),
  new UnknownCodecError("nobodys", { path: "/a" }),
  new CodecPipelineError({
    direction: "decode",
    chunkPath: "c/0",
    codec: "gzip",
    range: { offset: 5, length: 6 },
  }),
  new InvalidSelectionError("index 9 is outside", { actual: "9" }),
  new UnsupportedError("a data type", { path: "/a" }),
  new TrapError("Unsupported", "internal error", { path: "/a" }),
]) {
  test(`${error.constructor.name} keeps its class, its words and its fields`, () => {
    const other = crossed(error) as ZarrError;
    assert.equal(other.constructor, error.constructor);
    assert.equal(other.message, error.message);
    const own = (value: object) =>
      Object.fromEntries(Object.entries(value).filter(([name]) => name !== "stack"));
    assert.deepEqual(own(other), own(error));
  });
}

test("errors of JavaScript keep their class, others their name", () => {
  assert.ok(crossed(new TypeError("Failed to fetch")) instanceof TypeError);
  assert.ok(crossed(new RangeError("invalid length")) instanceof RangeError);
  const other = crossed(new DOMException("full", "QuotaExceededError")) as Error;
  assert.deepEqual([other.name, other.message], ["QuotaExceededError", "full"]);
});

test("a thrown value that is not an error becomes an error with its text", () => {
  assert.equal((crossed("just text") as Error).message, "just text");
  assert.equal((crossed(undefined) as Error).message, "undefined");
});

test("nested causes cross the port", () => {
  const inner = new TypeError("inner");
  const error = new ZarrError("Store", "outer", { cause: new Error("middle", { cause: inner }) });
  const middle = (crossed(error) as Error).cause as Error;
  assert.equal(middle.message, "middle");
  assert.ok(middle.cause instanceof TypeError);
});

test("a cause that the page threw is returned as the same object", () => {
  const own = { anything: "a user throws" };
  const standIn = Object.assign(new Error("stand-in"), { [THROWN]: 7 });
  const error = new ZarrError("Store", "the store failed", { cause: standIn });
  assert.equal((crossed(error, { 7: own }) as Error).cause, own);
});

test("every field can be cloned", () => {
  const error = Object.assign(new ZarrError("Store", "no"), { extra: () => 1 });
  assert.doesNotThrow(() => structuredClone(fieldsOfError(error)));
});

test("on one thread the error itself is passed", () => {
  const error = new Error("own");
  assert.equal(
    errorOfFields({ original: error }, () => undefined),
    error,
  );
});

test("records become error classes", () => {
  const cases: [ErrorCode, ErrorContext, new (...args: never[]) => ZarrError][] = [
    ["NotFound", {}, NotFoundError],
    ["Unsupported", { stage: "codec-name", codec: "x" }, UnknownCodecError],
    ["Unsupported", {}, UnsupportedError],
    ["Argument", { stage: "selection" }, InvalidSelectionError],
    ["Argument", {}, ZarrError],
    ["Format", { stage: "metadata" }, InvalidMetadataError],
    ["Format", { field: "codecs[0].configuration" }, InvalidMetadataError],
    ["Format", { stage: "decode", field: "level" }, CodecPipelineError],
    ["Format", {}, CodecPipelineError],
    ["Store", {}, ZarrError],
  ];
  for (const [code, context, kind] of cases) {
    const error = errorFromRecord({ code, message: "m", context });
    assert.equal(error.constructor, kind, `${code} ${JSON.stringify(context)}`);
    assert.equal("cause" in error, false);
  }
});

test("a record's text is the message, with what it is about", () => {
  const record = { code: "NotFound", message: "no array", text: "no array: found group" } as const;
  const error = errorFromRecord({ ...record, context: { actual: "group" }, cause: 7 });
  assert.equal(error.message, "Not found: no array: found group");
  assert.deepEqual([(error as NotFoundError).found, error.cause], ["group", 7]);
  const unsupported = errorFromRecord({ ...record, code: "Unsupported", context: {} }) as UnsupportedError;
  assert.deepEqual([unsupported.message, unsupported.feature], [record.text, record.text]);
});

test("a record's node, range and stage become path, range and direction", () => {
  const context: ErrorContext = { stage: "encode", node: "a/b", key: "a/b/c/0", range: [4, 8] };
  const error = errorFromRecord({ code: "Format", message: "bad bytes", context }) as CodecPipelineError;
  assert.equal(error.message, "bad bytes");
  assert.equal(error.path, "/a/b");
  assert.deepEqual(error.range, { offset: 4, length: 8 });
  assert.equal(error.direction, "encode");
  assert.equal(error.chunkPath, "a/b/c/0");
});
