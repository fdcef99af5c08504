/** Texts keep the address of a URL and lose its secrets. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CodecPipelineError, fieldsOfError, NotFoundError, UnsupportedError, ZarrError } from "./errors.ts";
import { causeWithoutSecrets, shownAddress, withoutSecrets } from "./secrets.ts";

const SECRET = "s3cr3t";

test("user, password, query values and fragment", () => {
  for (const [text, expected] of [
    ["GET https://user:s3cr3t@host:81/a/b failed", "GET https://host:81/a/b failed"],
    ["https://s3cr3t@host", "https://host"],
    ["https://u:s3cr3t@with@host/a@b", "https://host/a@b"],
    ["at https://h/a?X-Amz-Signature=s3cr3t&x=1.", "at https://h/a?X-Amz-Signature=…&x=…."],
    ["https://h/a?sig=s3cr3t=&s3cr3t", "https://h/a?sig=…&…"],
    [`${"x".repeat(30)}://u:s3cr3t@h/a`, `${"x".repeat(30)}://h/a`],
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

test("odd addresses, with what stays of them", () => {
  for (const [address, shown] of [
    ["https://h/it's?sig=s3cr3t", "https://h/it's?sig=…"],
    ['https://h/a"b?sig=s3cr3t', 'https://h/a"b?sig=…'],
    ["https://h/<a>?sig=s3cr3t", "https://h/<a>?sig=…"],
    ["https://h/a?sig='s3cr3t", "https://h/a?sig=…"],
    ['https://h/a?sig="s3cr3t"&x=<s3cr3t>', "https://h/a?sig=…&x=…>"],
    ["https://h/a#'s3cr3t", "https://h/a#…"],
    ["https://u:s3cr3t'x@h/a", "https://h/a"],
    ['https://u:"s3cr3t"@h/a', "https://h/a"],
    ["https://u:<s3cr3t>@h:80/a", "https://h:80/a"],
    ["https://u:s3cr3t@x@h/a@b", "https://h/a@b"],
    ["https://u:s3/cr3t@h/a", "https://h/a"],
    ["https://u:s3?cr3t@h/a", "https://h/a"],
    ["https://u:s3#cr3t@h/a", "https://h/a"],
    ["https://u:s3\\cr3t@h/a", "https://h/a"],
    ["https://u:s3/cr3t@x@h/a", "https://h/a"],
    ["https://u:s3 cr3t@h/a", "https://h/a"],
    ["http:/u:s3cr3t@h/a", "http:/h/a"],
    ["http:u:s3cr3t@h/a", "http:h/a"],
    ["http:///u:s3cr3t@h/a", "http:///h/a"],
    ["http:\\\\u:s3cr3t@h/a", "http:\\\\h/a"],
    ["http:/\\u:s3cr3t@h\\a", "http:/\\h\\a"],
    ["//u:s3cr3t@h/a?sig=s3cr3t", "//h/a?sig=…"],
    ["HTTPS://u:s3cr3t@H/a", "HTTPS://H/a"],
    ["s3:u:s3cr3t@bucket/a", "s3:bucket/a"],
    ["s3://u:s3cr3t@bucket/a?versionId=s3cr3t", "s3://bucket/a?versionId=…"],
    ["ftp:/s3cr3t@h/a", "ftp:/h/a"],
    ["blob:https://u:s3cr3t@h/a", "blob:https://h/a"],
    ["icechunk+https://u:s3cr3t@h/a", "icechunk+https://h/a"],
    ["https://h/https://u:s3cr3t@g/a", "https://h/https://g/a"],
    ["https://h/?u=https://x:s3cr3t@g/", "https://h/?u=…"],
    ["https://h/?https://x:s3cr3t@g/=1", "https://h/?…"],
    ["https://h/my file?sig=s3cr3t", "https://h/my file?sig=…"],
    ["https://h/a?b?sig=s3cr3t", "https://h/a?b?sig=…"],
    ["https://h/a?sig=s3cr3t#s3cr3t?s3cr3t", "https://h/a?sig=…#…"],
    ["https://h/a?s3cr3t", "https://h/a?…"],
    ["https://h/a?&&s3cr3t&=s3cr3t", "https://h/a?…&…&…&=…"],
    ["https://[::1]:80/a?sig=s3cr3t", "https://[::1]:80/a?sig=…"],
    ["https://u:s3cr3t@[::1]/a", "https://[::1]/a"],
    ["https://s3cr3t:@h", "https://h"],
    ["https://:s3cr3t@h", "https://h"],
    ["https://u%3As3cr3t@h/%40", "https://h/%40"],
    ["https://h/a;p=1?sig=s3cr3t", "https://h/a;p=1?sig=…"],
  ] as const) {
    assert.equal(withoutSecrets(address), shown);
    for (const text of [`"${address}"`, `(${address}).`, `<${address}>`, `at ${address}: no`, `${address}\n`])
      assert.doesNotMatch(withoutSecrets(text), /cr3t|s3(?!:)/, text);
    assert.equal(withoutSecrets(shown), shown, "once more");
  }
});

test("what is hardly an address: no scheme, a mistyped one, a part of the user alone", () => {
  for (const [text, shown] of [
    ["http//user:s3cr3t@h/a", "http//h/a"],
    ["https//s3cr3t@h/a?sig=s3cr3t", "https//h/a?sig=…"],
    ["user:s3cr3t@h/a", "h/a"],
    ["found user:s3@cr3t@h:80.", "found h:80."],
    ['"user:s3cr3t@localhost" is not a URL', '"localhost" is not a URL'],
    [":user:s3cr3t@h", "h"],
    ["htp:/user:s3cr3t@h/a", "h/a"],
    ["http ://user:s3cr3t@h/", "http h/"],
    // The `@` was taken for the beginning of a fragment's end, and cut off.
    ["parse URL from http://user:s3cr3t/zarr.json", "parse URL from http://user:…/zarr.json"],
    ["http://user:s3cr3t", "http://user:…"],
  ] as const) {
    assert.equal(withoutSecrets(text), shown);
    assert.equal(withoutSecrets(shown), shown, "once more");
  }
});

test("of a text that was to be an address, the scheme and the host are shown", () => {
  for (const [text, shown] of [
    ["http://user:a s3cr3t@h/a", "http://h/a"],
    ["http://h:99999/?a s3cr3t", "http://h:99999/…"],
    ["http//h/a?token=a s3cr3t", "http//h/a…"],
    ["  http//user:s3cr3t@h/a b", "h/a…"],
    ["user s3cr3t@h", "h"],
    ["s3cr3t@h/a", "h/a"],
    ["s3cr3t@127.0.0.1:1/a", "127.0.0.1:1/a"],
    ["a.zarr", "a.zarr"],
  ] as const)
    assert.equal(shownAddress(text), shown);
  const cause = new TypeError("Failed to parse URL from http://h:99999/?a=b s3cr3t");
  assert.equal((causeWithoutSecrets(cause) as Error).message, "Failed to parse URL from http://h:99999/?a=…");
});

test("what has no secret stays as it is", () => {
  for (const text of [
    "https://host:8080/a@b/c@d",
    "https://host:8080 of user@example.org",
    "expected: a@b, actual: c@d",
    "key a//b@c and a#1",
    "chunk #3 of https://h/a",
    "is https://h/a there? it is",
    "use https: it is safe",
    "C:\\data\\a@b",
  ])
    assert.equal(withoutSecrets(text), text);
});

test("long texts take linear time", () => {
  const began = performance.now();
  for (const piece of [
    "a.",
    "https://",
    "https:",
    "//",
    "a://@",
    "https://u:p/",
    "?a=b&",
    "?",
    "#",
    "x:",
    "@",
  ])
    withoutSecrets(`${piece.repeat(200_000)}://`);
  // Quadratic time would be minutes.
  assert.ok(performance.now() - began < 30_000);
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
