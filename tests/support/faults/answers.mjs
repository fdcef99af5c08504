/**
 * Faulty answers of an HTTP server, by name, for the campaign. Each is called as those of
 * `server.mjs`: with `{ request, response, bytes, status, search }`, and answers the request.
 */
import { gzipSync } from "node:zlib";
import { sendFile } from "../../node/scripted_server.mjs";

/** What every answer allows, so that pages of another origin can read it. */
export const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "*",
  "Cache-Control": "no-store",
};

/** The bytes that a right answer would have, and its headers. */
function right({ request, bytes = Buffer.alloc(0) }) {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  const [, suffix] = /^bytes=-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  if (first === undefined && suffix === undefined)
    return { status: 200, body: Buffer.from(bytes), headers: {} };
  const begin = suffix === undefined ? Number(first) : Math.max(0, bytes.length - Number(suffix));
  const end = Math.min(suffix === undefined ? Number(last) + 1 : bytes.length, bytes.length);
  return {
    status: 206,
    body: Buffer.from(bytes).subarray(begin, end),
    begin,
    headers: { "Content-Range": `bytes ${begin}-${end - 1}/${bytes.length}` },
  };
}

const send = ({ request, response }, { status, body, headers }) => {
  response.writeHead(status, { ...CORS, "Content-Length": body.length, ...headers });
  response.end(request.method === "HEAD" ? undefined : body);
};

/** Changes the right answer. A key without a file is answered with 404 as usual. */
const changed = (change) => (exchange) => {
  if (!exchange.bytes) return sendFile(exchange.request, exchange.response, undefined, CORS);
  const answer = right(exchange);
  return send(exchange, { ...answer, ...change(answer, exchange) });
};

const text =
  (status, body, headers = {}) =>
  (exchange) =>
    send(exchange, { status, body: Buffer.from(body), headers });

const PAGE = "<!doctype html><title>Sign in</title><p>Hello";

const status = (code, headers) => text(code, "no", headers);

/** Closes the connection after some bytes of the body. */
const cut = (share) => (exchange) => {
  if (!exchange.bytes) return sendFile(exchange.request, exchange.response, undefined, CORS);
  const { status: code, body, headers } = right(exchange);
  exchange.response.writeHead(code, { ...CORS, "Content-Length": body.length, ...headers });
  exchange.response.write(body.subarray(0, Math.floor(body.length * share)));
  return setTimeout(() => exchange.response.destroy(), 5);
};

/** Sends the body without its length, some bytes at a time. */
const dripping = (pieces, pauseMs) => async (exchange) => {
  if (!exchange.bytes) return sendFile(exchange.request, exchange.response, undefined, CORS);
  const { status: code, body, headers } = right(exchange);
  exchange.response.writeHead(code, { ...CORS, ...headers });
  const step = Math.max(1, Math.ceil(body.length / pieces));
  for (let at = 0; at < body.length && !exchange.response.destroyed; at += step) {
    exchange.response.write(body.subarray(at, at + step));
    await new Promise((done) => setTimeout(done, pauseMs));
  }
  return exchange.response.end();
};

const flipped = (bytes) => bytes.map((byte) => byte ^ 0x55);
const range = (begin, length, size) => ({ "Content-Range": `bytes ${begin}-${begin + length - 1}/${size}` });

/**
 * The faults by class. `codes`: the codes that an error may have; an error is never required,
 * because a client may ask again. `absent`: the answer says that the key does not exist, so its
 * elements are the fill value.
 */
export const FAULT_CLASSES = {
  "status: absent": {
    codes: ["NotFound", "Store"],
    absent: true,
    faults: { 404: status(404), 410: status(410), 403: status(403) },
  },
  "status: refused": {
    codes: ["Store", "NotFound", "Argument"],
    faults: Object.fromEntries(
      [400, 401, 405, 406, 407, 409, 418, 451, 204, 205, 300, 201].map((code) => [
        code,
        code === 204 || code === 205 ? ({ response }) => response.writeHead(code, CORS).end() : status(code),
      ]),
    ),
  },
  "status: try again": {
    codes: ["Store"],
    faults: {
      ...Object.fromEntries([408, 425, 429, 500, 502, 503, 504, 599].map((code) => [code, status(code)])),
      "429 after 0": status(429, { "Retry-After": "0" }),
      "503 after 1 hour": status(503, { "Retry-After": "3600" }),
      "503 after a date": status(503, { "Retry-After": "Wed, 21 Oct 2065 07:28:00 GMT" }),
      "503 after nonsense": status(503, { "Retry-After": "soon" }),
      "503 after -1": status(503, { "Retry-After": "-1" }),
    },
  },
  "connection closed": {
    codes: ["Store"],
    faults: {
      "before the head": ({ response }) => response.destroy(),
      "after no byte": cut(0),
      "after half": cut(0.5),
      "before the last byte": cut(0.99),
      "a head that is none": ({ response }) => response.socket.end("HELLO\r\n\r\n"),
    },
  },
  "body length": {
    codes: ["Store", "Format", "Limit"],
    faults: {
      short: changed(({ body }) => ({ body: body.subarray(0, Math.floor(body.length / 2)) })),
      "one byte short": changed(({ body }) => ({ body: body.subarray(0, Math.max(0, body.length - 1)) })),
      empty: changed(() => ({ body: Buffer.alloc(0) })),
      long: changed(({ body }) => ({ body: Buffer.concat([body, Buffer.alloc(7)]) })),
      double: changed(({ body }) => ({ body: Buffer.concat([body, body]) })),
      "length too small": (exchange) => {
        if (!exchange.bytes) return sendFile(exchange.request, exchange.response, undefined, CORS);
        const { status: code, body, headers } = right(exchange);
        const lines = Object.entries({ ...CORS, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
        const head = `HTTP/1.1 ${code} OK\r\n${lines.join("")}Content-Length: ${Math.floor(body.length / 2)}\r\nConnection: close\r\n\r\n`;
        return exchange.response.socket.end(Buffer.concat([Buffer.from(head), body]));
      },
    },
  },
  "range answers": {
    codes: ["Store", "Format", "Limit"],
    faults: {
      "200 to a range": changed((_, { bytes }) => ({ status: 200, body: Buffer.from(bytes), headers: {} })),
      "another range": changed(({ status: code, body, begin = 0 }, { bytes }) =>
        code === 200 ? {} : { body: flipped(body), headers: range(begin + 1, body.length, bytes.length + 9) },
      ),
      "another size": changed(({ status: code, body, begin = 0 }, { bytes }) =>
        code === 200 ? {} : { headers: range(begin, body.length, bytes.length + 1000) },
      ),
      "no Content-Range": changed(({ status: code, body }) => (code === 200 ? {} : { body, headers: {} })),
      "nonsense in Content-Range": changed(({ status: code }) =>
        code === 200 ? {} : { headers: { "Content-Range": "bytes x-y/z" } },
      ),
      416: (exchange) =>
        send(exchange, { status: 416, body: Buffer.alloc(0), headers: { "Content-Range": "bytes */3" } }),
      "206 without a request for it": changed(({ body, status: code }, { bytes }) =>
        code === 206 ? {} : { status: 206, body: body.subarray(0, 5), headers: range(0, 5, bytes.length) },
      ),
      multipart: changed(({ status: code, body }) =>
        code === 200
          ? {}
          : {
              body: Buffer.concat([Buffer.from("--x\r\n\r\n"), body, Buffer.from("\r\n--x--")]),
              headers: { "Content-Type": "multipart/byteranges; boundary=x" },
            },
      ),
    },
  },
  "content coding": {
    codes: ["Store", "Format"],
    faults: {
      "gzip that is none": changed(() => ({ headers: { "Content-Encoding": "gzip" } })),
      "gzip cut off": changed(({ body, headers }) => ({
        body: gzipSync(body).subarray(0, -9),
        headers: { ...headers, "Content-Encoding": "gzip" },
      })),
      "right gzip of a whole": changed(({ body, status: code }) =>
        code === 206 ? {} : { body: gzipSync(body), headers: { "Content-Encoding": "gzip" } },
      ),
      "an unknown coding": changed(({ headers }) => ({
        headers: { ...headers, "Content-Encoding": "zarr" },
      })),
    },
  },
  /** All files exist, so no page means that a file is absent. */
  "web pages": {
    codes: ["NotFound", "Store", "Format"],
    faults: {
      "a page with 200": text(200, PAGE, { "Content-Type": "text/html" }),
      "a redirect to a page": ({ response }) =>
        response.writeHead(301, { ...CORS, Location: "/page/" }).end(),
    },
  },
  "other documents": {
    codes: ["Store", "Format", "NotFound"],
    faults: {
      "a page without a type": text(200, PAGE),
      "an empty object": text(200, "{}", { "Content-Type": "application/json" }),
      "304 without a request for it": ({ response }) => response.writeHead(304, CORS).end(),
      "a redirect to itself": ({ request, response }) =>
        response.writeHead(302, { ...CORS, Location: request.url }).end(),
      "a redirect to nowhere": ({ response }) =>
        response.writeHead(302, { ...CORS, Location: "http://[" }).end(),
      "a redirect without a place": ({ response }) => response.writeHead(302, CORS).end(),
    },
  },
  time: {
    codes: ["Store", "Limit", "Format"],
    faults: {
      "a slow drip": dripping(6, 15),
      "no length": dripping(1, 0),
      "a pause": (exchange) =>
        setTimeout(() => sendFile(exchange.request, exchange.response, exchange.bytes, CORS), 120),
    },
  },
  validators: {
    codes: ["Store", "Format"],
    faults: {
      "an ETag that changes": changed(({ headers }) => ({
        headers: { ...headers, ETag: `"${Math.random()}"` },
      })),
      "a weak ETag": changed(({ headers }) => ({ headers: { ...headers, ETag: 'W/"1"' } })),
      "a date that changes": changed(({ headers }) => ({
        headers: { ...headers, "Last-Modified": new Date(1e12 * Math.random()).toUTCString() },
      })),
      "an Age of years": changed(({ headers }) => ({
        headers: { ...headers, Age: "99999999", "Cache-Control": "max-age=1" },
      })),
      "stored for ever": changed(({ headers }) => ({
        headers: { ...headers, "Cache-Control": "max-age=31536000, immutable" },
      })),
      "nonsense in Cache-Control": changed(({ headers }) => ({
        headers: { ...headers, "Cache-Control": 'max-age=-1, =, "' },
      })),
    },
  },
};
