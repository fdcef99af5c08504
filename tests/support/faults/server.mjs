/**
 * An HTTP server with faults. The first name of a path names the fault, and the rest is the key of
 * a file: `/endless/a/zarr.json`. A fault concerns every key, or those that the query `on` names:
 * `/endless/a/c/0?on=c/0`. Other keys are answered as they should be. It is not a place for
 * expectations: tests look at what a client made of an answer, and at `sent` and `requests`.
 */
import { createServer } from "node:http";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import { sendFile } from "../../node/scripted_server.mjs";

/** Bytes after which an endless answer falls silent, so that a test that fails ends. */
const ENOUGH = 640 * 2 ** 20;
const PIECE = Buffer.alloc(2 ** 18, " ");

/** Waits until a stream takes more, or the client has left. */
const ready = (stream, response) =>
  new Promise((done) => {
    const both = () => {
      stream.off("drain", both);
      response.off("close", both);
      done();
    };
    stream.on("drain", both);
    response.on("close", both);
  });

/** Writes pieces for as long as the client takes them. */
async function pour(response, record) {
  while (!response.destroyed && record.sent < ENOUGH) {
    record.sent += PIECE.length;
    if (!response.write(PIECE)) await ready(response, response);
  }
}

/** A compressed answer of `size` bytes, or an endless one. */
function bomb(coding, size = Number.POSITIVE_INFINITY) {
  return async ({ response, record, status }) => {
    response.writeHead(status, { "Content-Encoding": coding });
    const compressor =
      coding === "br"
        ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
        : createGzip({ level: 1 });
    compressor.on("error", () => {});
    compressor.pipe(response);
    response.once("close", () => compressor.destroy());
    for (let made = 0; made < size && made < ENOUGH && !response.destroyed; made += PIECE.length) {
      record.inflated = made + PIECE.length;
      if (!compressor.write(PIECE)) await ready(compressor, response);
    }
    if (Number.isFinite(size)) compressor.end();
  };
}

const endless =
  (status, headers = {}) =>
  ({ response, record, bytes }) => {
    response.writeHead(status, headers);
    if (bytes) response.write(bytes);
    return pour(response, record);
  };

/**
 * The faults by name. Each is called with `{ request, response, record, bytes, search, status }`;
 * `status` is 206 for a request for a range, else 200.
 */
const FAULTS = {
  none: undefined,
  /** 200, without Content-Length: the file, and then spaces without end. */
  endless: endless(200),
  /** 206 to a range, with a Content-Range that fits it, and a body without end. */
  "endless-part": (exchange) => {
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(exchange.request.headers.range ?? "") ?? [];
    if (first === undefined) return endless(200)(exchange);
    return endless(206, { "Content-Range": `bytes ${first}-${last}/*` })({ ...exchange, bytes: undefined });
  },
  "endless-403": endless(403),
  "endless-404": endless(404),
  "endless-500": endless(500),
  /** Announces more than any buffer holds. */
  enormous: ({ response, record, status }) => {
    response.writeHead(status, { "Content-Length": 2 ** 50 });
    return pour(response, record);
  },
  "gzip-endless": bomb("gzip"),
  "br-endless": bomb("br"),
  /** Few bytes, of which the browser makes 512 MiB. */
  "gzip-bomb": bomb("gzip", 2 ** 29),
};

/**
 * Starts the server. Resolves to `{ url, requests, files, faults, close }`. `files` is a `Map` from
 * keys, which begin with a slash, to bytes. A record of `requests` has `fault`, `key`, `method`,
 * `range`, `sent` (bytes of an endless body) and `inflated` (the same before compression). Tests
 * may add to `faults`.
 */
export async function faultServer(files) {
  const state = { files, requests: [], faults: { ...FAULTS } };
  const server = createServer((request, response) => {
    const { pathname, searchParams: search } = new URL(request.url, "http://host");
    const [, fault = "none", name = ""] = /^\/([^/]*)(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
    const { range } = request.headers;
    const record = { fault, key: name, method: request.method, range, search, sent: 0, inflated: 0 };
    state.requests.push(record);
    response.on("error", () => {});
    const bytes = state.files.get(name);
    const isOn = search.getAll("on").every((suffix) => name.endsWith(suffix));
    const act = isOn ? state.faults[fault] : undefined;
    if (!act) return sendFile(request, response, bytes, { "Access-Control-Allow-Origin": "*" });
    return act({ request, response, record, bytes, search, status: range ? 206 : 200 });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return Object.assign(state, {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  });
}
