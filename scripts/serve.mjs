/**
 * A static file server with byte ranges, for `npm start` and the tests. It implements GET, HEAD,
 * single ranges, ETag, If-None-Match and If-Range of RFC 9110. A request for several ranges gets
 * the whole file, which RFC 9110 allows. It serves folders under prefixes and nothing outside of
 * them. It answers only requests for hosts of this machine, because a page of another site can
 * point its own name at 127.0.0.1. Only data get CORS headers, and only they may have dot files,
 * those of Zarr 2. It is not a server for a public network.
 *
 *   node scripts/serve.mjs <folder> [port] [--data <prefix>] [--host <name>]
 */
import { createReadStream, realpathSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, relative, resolve, sep } from "node:path";
import { pipeline } from "node:stream";
import { parseArgs } from "node:util";

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

/** Names that are hidden everywhere, and all other names with one dot before them. */
const SECRET_NAME = /^\.(git|env)/;
const DOT_NAME = /^\.[^.]/;

/** Whether a path has a name that must not be served. In data, names of nodes may have a dot. */
const isHidden = (path, isData) =>
  path.split(/[\\/]/).some((name) => (isData ? SECRET_NAME : DOT_NAME).test(name));

/** The real path of a file below a real folder. Throws if a link leads out of the folder. */
function realPathBelow(root, path) {
  const real = realpathSync(path);
  if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return real;
  throw new Error(`${path} is outside of ${root}`);
}

/**
 * The file of a decoded URL path; undefined if it does not exist, is hidden, or is outside of the
 * mount. Links are followed first, so that they are judged by the file that they lead to.
 */
function findFile(mounts, pathname, isData) {
  const mount = findMount(mounts, pathname);
  if (!mount || mount.rest.includes("\0") || isHidden(mount.rest, isData)) return undefined;
  try {
    const root = realpathSync(mount.folder);
    let path = realPathBelow(root, join(root, mount.rest));
    if (statSync(path).isDirectory()) path = realPathBelow(root, join(path, "index.html"));
    if (isHidden(relative(root, path), isData)) return undefined;
    const stat = statSync(path);
    return stat.isFile() ? { path, stat } : undefined;
  } catch {
    return undefined; // absent or not readable: both are 404
  }
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Whether a Host header names this machine, with any port, or one of `hosts`. */
function isOwnHost(header, hosts) {
  const [, name] = /^(\[[\da-f:]+\]|[^:]+)(?::\d+)?$/i.exec(header ?? "") ?? [];
  return name !== undefined && [...LOOPBACK, ...hosts].includes(name.toLowerCase());
}

const etagOf = (stat) => `"${stat.size.toString(16)}-${Math.floor(stat.mtimeMs).toString(16)}"`;

function sendEmpty(response, status, headers = {}) {
  response.writeHead(status, { "Content-Length": 0, ...headers });
  response.end();
}

/** The bytes to send, with regard to If-Range. */
function chooseRange(request, stat) {
  const condition = request.headers["if-range"];
  const current =
    condition === undefined || condition === etagOf(stat) || condition === stat.mtime.toUTCString();
  return current ? parseRange(request.headers.range, stat.size) : undefined;
}

function sendFile(request, response, { path, stat }, shared) {
  const etag = etagOf(stat);
  const headers = {
    ...shared,
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
    sendEmpty(response, 416, { ...shared, "Content-Range": `bytes */${stat.size}` });
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

function answer({ mounts, data }, request, response) {
  let pathname;
  try {
    pathname = decodeURIComponent(request.url.replace(/[?#].*$/s, ""));
  } catch {
    sendEmpty(response, 400); // a percent sign that encodes nothing
    return;
  }
  const isData = data.some((prefix) => pathname.startsWith(prefix));
  const shared = isData ? CORS : {};
  if (request.method === "OPTIONS") sendEmpty(response, 204, isData ? { ...CORS, ...PREFLIGHT } : {});
  else if (request.method !== "GET" && request.method !== "HEAD")
    sendEmpty(response, 405, { ...shared, Allow: "GET, HEAD, OPTIONS" });
  else {
    const file = findFile(mounts, pathname, isData);
    if (file) sendFile(request, response, file, shared);
    else sendEmpty(response, 404, shared);
  }
}

/**
 * Serves `mounts` (`{"/": folder, "/data/": folder}`) on loopback. Resolves to `{url, close}`.
 * Port 0 takes a free one. `data` lists the prefixes of URL paths with data, which pages of all
 * origins may read, and whose names may begin with a dot. `hosts` lists further names for
 * which requests are answered, without port. `intercept(request, response)` may answer a request
 * itself and return true, for servers that misbehave on purpose. `latency` delays each response by
 * milliseconds.
 */
export function serve(
  mounts,
  { data = [], hosts = [], port = 0, host = "127.0.0.1", intercept, latency = 0 } = {},
) {
  const names = [host, ...hosts].map((name) => name.toLowerCase());
  const respond = (request, response) => {
    if (!isOwnHost(request.headers.host, names)) sendEmpty(response, 421);
    else if (!intercept?.(request, response)) answer({ mounts, data }, request, response);
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
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: "string", multiple: true, default: [] },
      host: { type: "string", multiple: true, default: [] },
    },
  });
  const [folder = ".", port = "8080"] = positionals;
  const { url } = await serve({ "/": folder }, { data: values.data, hosts: values.host, port: Number(port) });
  console.log(`${resolve(folder)} is at ${url}/`);
}
