/** Tests what the error for a chunk that cannot be loaded tells to do, by its cause. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ZarrError } from "../model/errors.ts";
import { chunkFailed } from "./loading.ts";

/** The message where the global object has these members. */
function messageWhere(t: TestContext, members: Record<string, unknown>): string {
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
    t.after(() => Reflect.deleteProperty(globalThis, name));
  }
  let message = "";
  const cause = new TypeError("import() is disallowed");
  assert.throws(
    () => chunkFailed(cause),
    (error: ZarrError) => {
      message = error.message;
      return error instanceof ZarrError && error.code === "Store" && error.cause === cause;
    },
  );
  assert.match(message, /import\(\) is disallowed/);
  return message;
}

test("in a service worker the error names the entry that works there", (t) => {
  const message = messageWhere(t, {
    ServiceWorkerGlobalScope: class {},
    location: { protocol: "https:" },
  });
  assert.match(message, /service workers.*zarr-wasm\/inline/);
  assert.doesNotMatch(message, /reload/);
});

test("on file:// the error says that browsers forbid it, and what to do", (t) => {
  const message = messageWhere(t, { location: { protocol: "file:" } });
  assert.match(message, /browsers forbid.*file:.*serve the folder.*zarr-wasm\/inline/);
  assert.doesNotMatch(message, /reload/);
});

test("elsewhere the files may be missing or old", (t) => {
  assert.match(messageWhere(t, { location: { protocol: "https:" } }), /reload the page/);
});
