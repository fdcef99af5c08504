/**
 * An exchange over HTTP, with a `fetch` that is this test. The numbers of outcomes are those of
 * `fetch.rs`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { exchange } from "./exchange.js";

const [ANSWERED, REFUSED, BROKEN_OFF, TOO_LARGE, NO_RESPONSE] = [0, 1, 2, 3, 4];
const [GET, HEAD, PUT] = [0, 1, 2];
const URL_ASKED = "https://example.org/data";
const NAMES = ["content-length", "etag"];

/**
 * How: method, cache mode, whether in the background, whether past all caches, the longest body of
 * use, and that of a part.
 */
const how = ({ method = GET, cache = 0, background = 0, reload = 0, most = 1e9, mostOfPart = most } = {}) =>
  Float64Array.of(method, cache, background, reload, most, mostOfPart);

function begin(send, { overrides, url = URL_ASKED, range, body, ...rest } = {}) {
  return exchange(send, overrides, how(rest), url, range, body, NAMES);
}

/** A custom `fetch` that keeps its request. */
function answering(response) {
  const requests = [];
  const send = async (request) => {
    requests.push(request);
    return typeof response === "function" ? response(request) : response;
  };
  return { send, requests };
}

const bytes = (...values) => new Response(Uint8Array.from(values));

test("an answer: status, address, headers by line, and bytes", async () => {
  const response = new Response(Uint8Array.of(1, 2, 3), {
    status: 206,
    headers: { etag: '"v1"', "content-length": "3" },
  });
  Object.defineProperty(response, "url", { value: URL_ASKED });
  const { send } = answering(response);
  assert.deepEqual(await begin(send).answer, [ANSWERED, 206, "", false, '3\n"v1"\n', Uint8Array.of(1, 2, 3)]);
});

test("another address is told, and a header that is not there is an empty line", async () => {
  const response = new Response("");
  Object.defineProperty(response, "url", { value: "https://example.org/elsewhere" });
  Object.defineProperty(response, "redirected", { value: true });
  const [, , url, redirected, headers] = await begin(answering(response).send).answer;
  assert.deepEqual([url, redirected, headers], ["https://example.org/elsewhere", true, "\n\n"]);
});

test("what a user's fetch is given: one Request with the range and the overrides", async () => {
  const { send, requests } = answering(bytes());
  const overrides = { headers: { "x-own": "1" }, credentials: "omit" };
  await begin(send, { range: "bytes=0-9", overrides, cache: 1 }).answer;
  const [request] = requests;
  assert.ok(request instanceof Request);
  assert.equal(request.url, URL_ASKED);
  assert.equal(request.method, "GET");
  assert.equal(request.headers.get("range"), "bytes=0-9");
  assert.equal(request.headers.get("x-own"), "1");
  assert.equal(request.credentials, "omit");
  assert.equal(request.cache, "no-store");
  assert.equal(request[Symbol.for("zarr-wasm.reload")], undefined);
});

test("a request past all caches says so to caches of ours", async () => {
  const { send, requests } = answering(bytes());
  await begin(send, { cache: 2, reload: 1 }).answer;
  assert.equal(requests[0].cache, "reload");
  assert.equal(requests[0][Symbol.for("zarr-wasm.reload")], true);
});

test("overrides are not changed by what one request adds", async () => {
  const overrides = { headers: { "x-own": "1" } };
  await begin(answering(bytes()).send, { range: "bytes=0-9", overrides }).answer;
  assert.deepEqual(overrides, { headers: { "x-own": "1" } });
});

test("a body goes with a PUT", async () => {
  const { send, requests } = answering(new Response("", { status: 201 }));
  await begin(send, { method: PUT, body: Uint8Array.of(7, 8) }).answer;
  assert.equal(requests[0].method, "PUT");
  assert.deepEqual(new Uint8Array(await requests[0].arrayBuffer()), Uint8Array.of(7, 8));
});

test("of a HEAD no body is read", async () => {
  const response = new Response(null, { headers: { "content-length": "77" } });
  const answer = await begin(answering(response).send, { method: HEAD }).answer;
  assert.equal(answer.length, 5);
  assert.equal(answer[4], "77\n\n");
});

test("nothing is sent while Rust is on the stack", async () => {
  let isSent = false;
  const begun = begin(async () => {
    isSent = true;
    return bytes();
  });
  assert.equal(isSent, false);
  await begun.answer;
  assert.equal(isSent, true);
});

test("the global fetch takes a URL and an init", async (t) => {
  const given = [];
  t.mock.method(globalThis, "fetch", async (...args) => {
    given.push(args);
    return bytes(9);
  });
  const answer = await begin(undefined, { background: 1 }).answer;
  assert.deepEqual(answer[5], Uint8Array.of(9));
  const [[url, init]] = given;
  assert.equal(url, URL_ASKED);
  assert.equal(init.priority, "low");
  assert.ok(init.signal instanceof AbortSignal);
});

test("what fetch throws is told as it is", async () => {
  const thrown = { own: true };
  const answer = await begin(async () => {
    throw thrown;
  }).answer;
  assert.equal(answer[0], REFUSED);
  assert.equal(answer[1], thrown);
});

test("a body that breaks off", async () => {
  const thrown = new TypeError("terminated");
  const body = new ReadableStream({ start: (controller) => controller.error(thrown) });
  assert.deepEqual(await begin(answering(new Response(body)).send).answer, [BROKEN_OFF, thrown]);
});

/** As `src/engine/ts/model/body.ts` makes it. */
const tooLarge = (announced) =>
  Object.assign(new Error("too large"), { [Symbol.for("zarr-wasm.limits")]: { announced, limit: 1000 } });

test("who sends a request knows how long a body may be", async () => {
  const { send, requests } = answering(bytes());
  await begin(send, { most: 1000, mostOfPart: 10 }).answer;
  assert.deepEqual(requests[0][Symbol.for("zarr-wasm.limits")], [1000, 10]);
});

test("a body that is too long aborts the request, before or while it is read", async () => {
  const before = answering(() => {
    throw tooLarge(1001);
  });
  assert.deepEqual(await begin(before.send).answer, [TOO_LARGE, 1001, 1000]);
  assert.equal(before.requests[0].signal.aborted, true);
  const arrayBuffer = async () => {
    throw tooLarge();
  };
  const { send, requests } = answering({ status: 200, headers: new Headers(), arrayBuffer });
  assert.deepEqual(await begin(send).answer, [TOO_LARGE, 0, 1000]);
  assert.equal(requests[0].signal.aborted, true);
});

for (const [what, response] of [
  ["nothing", undefined],
  ["text", "hello"],
  ["an object without headers", { status: 200 }],
  ["an object without a body", { status: 200, headers: new Headers() }],
  ["a body that is text", { status: 200, headers: new Headers(), arrayBuffer: async () => "text" }],
]) {
  test(`${what} is no response`, async () => {
    assert.deepEqual(await begin(answering(response).send).answer, [NO_RESPONSE]);
  });
}

test("what only looks like a response is read as one", async () => {
  const response = { status: 200, headers: new Map(), arrayBuffer: async () => Uint8Array.of(5) };
  const [outcome, status, url, redirected, , body] = await begin(answering(response).send).answer;
  assert.deepEqual(
    [outcome, status, url, redirected, body],
    [ANSWERED, 200, undefined, undefined, Uint8Array.of(5)],
  );
});

test("an abort reaches the request", async () => {
  const { send, requests } = answering(
    (request) =>
      new Promise((_resolve, reject) => {
        request.signal.addEventListener("abort", () => reject(request.signal.reason));
      }),
  );
  const begun = begin(send);
  while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  begun.abort();
  const [outcome, reason] = await begun.answer;
  assert.deepEqual([outcome, reason.name], [REFUSED, "AbortError"]);
});

test("where no such request can be made, the answer rejects", async () => {
  await assert.rejects(begin(answering(bytes()).send, { url: "no address" }).answer, TypeError);
});
