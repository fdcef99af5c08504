/**
 * A static file server with byte ranges and CORS, for `npm start` and the tests. It implements GET,
 * HEAD, single ranges, ETag, If-None-Match and If-Range of RFC 9110. A request for several ranges
 * gets the whole file, which RFC 9110 allows. It serves folders under prefixes, including dot files
 * (Zarr's `.zarray`), and nothing outside of them.
 *
 *   node scripts/serve.mjs <folder> [port]
 */
import { createReadStream, realpathSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { pipeline } from "node:stream";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".zip": "application/zip",
};

const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Accept-Ranges, Content-Length, Content-Range, ETag, Last-Modified",
  "Cross-Origin-Resource-Policy": "cross-origin",
};

const PREFLIGHT = {
  "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
  "Access-Control-Allow-Headers": "*, Authorization, Range, If-Match, If-None-Match, If-Range",
  "Access-Control-Max-Age": "600",
};

/**
 * The byte range that a Range header requests: `{first, last}`, "unsatisfiable", or undefined if
 * there is none to serve (no header, a malformed one, or several ranges).
 */
export function parseRange(header, size) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  if (match[1] === "") {
    const length = Math.min(Number(match[2]), size);
    return length === 0 ? "unsatisfiable" : { first: size - length, last: size - 1 };
  }
  const first = Number(match[1]);
  const asked = match[2] === "" ? Number.POSITIVE_INFINITY : Number(match[2]);
  if (asked < first) return undefined;
  return first >= size ? "unsatisfiable" : { first, last: Math.min(asked, size - 1) };
}

/** The mount with the longest matching prefix, and the rest of the path. */
function findMount(mounts, pathname) {
  const prefixes = Object.keys(mounts).sort((a, b) => b.length - a.length);
  const prefix = prefixes.find((candidate) => pathname.startsWith(candidate));
  return prefix && { folder: mounts[prefix], rest: pathname.slice(prefix.length) };
}

/** The file of a URL path; undefined if it does not exist or is outside of the mount. */
function findFile(mounts, pathname) {
  const mount = findMount(mounts, decodeURIComponent(pathname));
  if (!mount || mount.rest.includes("\0")) return undefined;
  try {
    const root = realpathSync(mount.folder);
    let path = realpathSync(join(root, mount.rest));
    if (path !== root && !path.startsWith(root + sep)) return undefined;
    if (statSync(path).isDirectory()) path = join(path, "index.html");
    const stat = statSync(path);
    return stat.isFile() ? { path, stat } : undefined;
  } catch {
    return undefined; // absent or not readable: both are 404
  }
}

const etagOf = (stat) => `"${stat.size.toString(16)}-${Math.floor(stat.mtimeMs).toString(16)}"`;

function sendEmpty(response, status, headers = {}) {
  response.writeHead(status, { "Content-Length": 0, ...CORS, ...headers });
  response.end();
}

/** The bytes to send, with regard to If-Range. */
function chooseRange(request, stat) {
  const condition = request.headers["if-range"];
  const current =
    condition === undefined || condition === etagOf(stat) || condition === stat.mtime.toUTCString();
  return current ? parseRange(request.headers.range, stat.size) : undefined;
}

function sendFile(request, response, { path, stat }) {
  const etag = etagOf(stat);
  const headers = {
    ...CORS,
    "Accept-Ranges": "bytes",
    "Cache-Control": "no-cache", // revalidate, so that a rebuilt file is used at once
    "Content-Type": TYPES[extname(path)] ?? "application/octet-stream",
    ETag: etag,
    "Last-Modified": stat.mtime.toUTCString(),
  };
  if (request.headers["if-none-match"]?.split(/\s*,\s*/).some((tag) => tag === etag || tag === "*")) {
    response.writeHead(304, headers);
    response.end();
    return;
  }
  const range = chooseRange(request, stat);
  if (range === "unsatisfiable") {
    sendEmpty(response, 416, { "Content-Range": `bytes */${stat.size}` });
    return;
  }
  const { first, last } = range ?? { first: 0, last: stat.size - 1 };
  headers["Content-Length"] = last - first + 1;
  if (range) headers["Content-Range"] = `bytes ${first}-${last}/${stat.size}`;
  response.writeHead(range ? 206 : 200, headers);
  if (request.method === "HEAD" || last < first) response.end();
  // An error means that the client closed the connection.
  else pipeline(createReadStream(path, { start: first, end: last }), response, () => {});
}

function answer(mounts, request, response) {
  if (request.method === "OPTIONS") {
    sendEmpty(response, 204, PREFLIGHT);
    return;
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    sendEmpty(response, 405, { Allow: "GET, HEAD, OPTIONS" });
    return;
  }
  let file;
  try {
    file = findFile(mounts, request.url.replace(/[?#].*$/s, ""));
  } catch {
    sendEmpty(response, 400); // a percent sign that encodes nothing
    return;
  }
  if (file) sendFile(request, response, file);
  else sendEmpty(response, 404);
}

/**
 * Serves `mounts` (`{"/": folder, "/data/": folder}`) on loopback. Resolves to `{url, close}`.
 * Port 0 takes a free one. `intercept(request, response)` may answer a request itself and return
 * true, for servers that misbehave on purpose. `latency` delays each response by milliseconds.
 */
export function serve(mounts, { port = 0, host = "127.0.0.1", intercept, latency = 0 } = {}) {
  const respond = (request, response) => {
    if (!intercept?.(request, response)) answer(mounts, request, response);
  };
  const server = createServer(
    latency > 0 ? (...exchange) => setTimeout(respond, latency, ...exchange) : respond,
  );
  return new Promise((done, failed) => {
    server.once("error", failed);
    server.listen(port, host, () => {
      const close = () => {
        server.closeAllConnections();
        return new Promise((closed) => server.close(closed));
      };
      done({ url: `http://${host}:${server.address().port}`, close });
    });
  });
}

if (import.meta.filename === process.argv[1]) {
  const [folder = ".", port = "8080"] = process.argv.slice(2);
  const { url } = await serve({ "/": folder }, { port: Number(port) });
  console.log(`${resolve(folder)} is at ${url}/`);
}
