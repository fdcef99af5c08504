/**
 * Bodies that break off after their headers: the error says how much came, and blames neither CORS
 * nor a missing server. The engine sends the request, or a `fetch` of the user's.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import * as zarr from "zarr-wasm";
import { HTTPRangeReader } from "zarr-wasm/zip";

let server;
let root;
let announces = true;
let encoding;

before(async () => {
  server = createServer((_request, response) => {
    const headers = {
      ...(announces && { "Content-Length": 1000 }),
      ...(encoding && { "Content-Encoding": encoding }),
    };
    response.writeHead(200, headers);
    response.write(Buffer.alloc(100, 32));
    setTimeout(() => response.socket.destroy(), 50);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  root = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
  zarr.dispose();
});

/** The message of the error of a call that must fail. */
async function messageOf(run) {
  const error = await run().then(
    () => assert.fail("it did not fail"),
    (reason) => reason,
  );
  assert.ok(error instanceof zarr.ZarrError, String(error));
  assert.equal(error.code, "Store");
  assert.doesNotMatch(error.message, /CORS|no such server|no answer/);
  return error.message;
}

for (const engine of ["caller", "worker"]) {
  describe(`the engine with ${engine === "caller" ? "the caller" : "a worker"}`, () => {
    test("it starts", async () => {
      zarr.dispose();
      await zarr.init({ engine });
    });

    test("a body of a known length", async () => {
      const cut = /^network: the answer to GET .* was cut off after 100 of 1000 bytes/;
      assert.match(await messageOf(() => new zarr.FetchStore(root).get("/a")), cut);
      assert.match(await messageOf(() => zarr.open.v3(root)), cut);
      const store = new zarr.FetchStore(root, { fetch: (request) => fetch(request) });
      assert.match(await messageOf(() => store.get("/a")), cut);
      assert.match(await messageOf(() => zarr.ReferenceStore.fromUrl(root)), cut);
    });

    test("a body of an unknown length", async () => {
      announces = false;
      const message = await messageOf(() => new zarr.FetchStore(root).get("/a"));
      assert.match(message, /cut off after 100 bytes/);
      announces = true;
    });

    test("a stream of the user's that fails with an error of its own passes that on", async () => {
      const own = new Error("mine");
      const body = () => new ReadableStream({ pull: (controller) => controller.error(own) });
      const store = new zarr.FetchStore(root, { fetch: async () => new Response(body()) });
      await assert.rejects(store.get("/a"), (error) => error === own || error.cause === own);
    });
  });
}

test("a reader of archives says it, too", async () => {
  const message = await messageOf(() => new HTTPRangeReader(root).read(0, 500));
  assert.match(message, /cut off/);
});
