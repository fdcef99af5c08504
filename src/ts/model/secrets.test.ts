/** Texts keep the place of a URL and lose its secrets. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CodecPipelineError, fieldsOfError, NotFoundError, UnsupportedError, ZarrError } from "./errors.ts";
import { withoutSecrets } from "./secrets.ts";

const SECRET = "s3cr3t";

test("user, password, query values and fragment", () => {
  for (const [text, expected] of [
    ["GET https://user:s3cr3t@host:81/a/b failed", "GET https://host:81/a/b failed"],
    ["https://s3cr3t@host", "https://host"],
    ["https://u:s3cr3t@with@host/a@b", "https://host/a@b"],
    ["at https://h/a?X-Amz-Signature=s3cr3t&x=1.", "at https://h/a?X-Amz-Signature=…&x=…"],
    ["https://h/a?sig=s3cr3t=&s3cr3t", "https://h/a?sig=…&…"],
    ["s3://h/a?token=s3cr3t#s3cr3t end", "s3://h/a?token=…#… end"],
    ['"https://h/?a=s3cr3t" and https://x:s3cr3t@g/', '"https://h/?a=…" and https://g/'],
    ["blob:https://h/a?s3cr3t", "blob:https://h/a?…"],
    ["https://h/a?…", "https://h/a?…"],
    ["no address: a?b=c", "no address: a?b=c"],
  ]) {
    assert.equal(withoutSecrets(text as string), expected);
    assert.equal(withoutSecrets(expected as string), expected, "once more");
  }
});

test("long texts take linear time", () => {
  const began = performance.now();
  for (const piece of ["a.", "https://", "a://@", "?a=b&", "x:"])
    withoutSecrets(`${piece.repeat(200_000)}://`);
  assert.ok(performance.now() - began < 2000);
});

test("no field of an error has a secret", () => {
  const url = `https://user:${SECRET}@host/a?sig=${SECRET}`;
  const details = {
    ...{ path: url, key: url, codec: url, field: url, expected: url, actual: url, chunkPath: url },
    cause: new TypeError(`Failed to parse URL from ${url}`),
  };
  for (const error of [
    new ZarrError("Store", url, details),
    new NotFoundError(url, details),
    new UnsupportedError(url, details),
    new CodecPipelineError({ ...details, direction: "decode" }),
  ]) {
    const { cause, ...fields } = error;
    assert.ok(!JSON.stringify(fields).includes(SECRET));
    assert.ok(!`${error.message}${error.stack}`.includes(SECRET));
    assert.ok(error.cause instanceof TypeError);
    assert.ok(!`${error.cause.message}${error.cause.stack}`.includes(SECRET));
    assert.ok(!JSON.stringify(fieldsOfError(error)).includes(SECRET));
  }
});

test("Node's error about an address loses its input, and a user's own error stays", () => {
  const inner = Object.assign(new TypeError("Invalid URL"), { input: `http://h:${SECRET}@` });
  const outer = new TypeError("Failed to parse URL", { cause: inner });
  assert.equal((new ZarrError("Store", "x", { cause: outer }).cause as Error).cause, undefined);
  const own = new Error(SECRET);
  assert.equal(new ZarrError("Store", "x", { cause: own }).cause, own);
});
