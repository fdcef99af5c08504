/**
 * The server of the browser tests, for Chromium (run.mjs) and the other engines (engines.mjs). It
 * serves the bundled test pages, the viewer with its samples, the fixtures, and responses that
 * tests configure.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import webpack from "webpack";
import { buildEmbed } from "../../scripts/embed.mjs";
import { buildExamples } from "../../scripts/examples.mjs";
import { serve } from "../../scripts/serve.mjs";
import { addSamples } from "../../scripts/www.mjs";
import viewer from "../../webpack.config.js";
import { campaignServer, classes } from "../faults/campaign_server.mjs";
import { unpackArchive, unpackFixtures } from "../fixture_archives.mjs";
import { growingObjects } from "../growing_objects.mjs";
import { sendFile } from "../node/scripted_server.mjs";

export const ROOT = join(import.meta.dirname, "../..");
export const OUTPUT = join(ROOT, "target/browser-tests");
export const VIEWER = join(ROOT, "target/browser-viewer");
export const VITE = join(ROOT, "target/browser-vite");

const TEST_PAGE = {
  mode: "development",
  devtool: "inline-source-map",
  context: ROOT,
  entry: {
    page: "./tests/browser/page.mjs",
    isolated: "./tests/browser/isolated/page.mjs",
    engines: "./tests/browser/engines/page.mjs",
  },
  output: { path: OUTPUT, filename: "[name].js", clean: true },
  performance: { hints: false },
};

/** Bundles the test pages, the viewer and the examples. Rejects with webpack's message. */
export async function bundle() {
  const viewerHere = { ...viewer, context: ROOT, output: { ...viewer.output, path: VIEWER } };
  await new Promise((resolve, reject) => {
    webpack([TEST_PAGE, viewerHere], (error, stats) => {
      if (error || stats.hasErrors()) reject(error ?? new Error(stats.toString("errors-only")));
      else resolve();
    });
  });
  addSamples(VIEWER);
  await buildExamples(join(VIEWER, "examples"));
  await buildEmbed(VIEWER);
}

/** The headers of cross-origin isolation, with which a page may share memory with workers. */
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** The pages and their headers. */
export const PAGES = {
  "/": { script: "page.js" },
  "/isolated": { script: "isolated.js", headers: ISOLATION },
  "/engines": { script: "engines.js" },
};

/** A page with nothing but the bundle. */
function answerPage(request, response) {
  const page = PAGES[request.url.replace(/[?#].*$/s, "")];
  if (!page) return false;
  response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", ...page.headers });
  response.end(
    `<!doctype html><title>zarr-wasm tests</title><link rel="icon" href="data:,"><script src="${page.script}"></script>`,
  );
  return true;
}

/** Allows pages of all origins to send any header. */
const ANY_ORIGIN = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "*, Authorization, X-Token",
};

/**
 * Responses with the headers of their request, redirects to them, and a service worker with its own
 * responses.
 */
function answerEcho(request, response) {
  if (request.url.startsWith("/lost/modules/engine-texts.js")) {
    response.writeHead(404);
    response.end();
    return true;
  }
  if (!request.url.startsWith("/echo/")) return false;
  const send = (type, body, headers = {}) => {
    response.writeHead(200, { "Content-Type": type, "Cache-Control": "no-store", ...headers });
    response.end(body);
  };
  const { host } = request.headers;
  const [, place] = /^\/echo\/(away|near)\/zarr\.json$/.exec(request.url) ?? [];
  if (place) {
    // The name and the address of this machine are two origins.
    const other = place === "away" ? `http://${host.replace("127.0.0.1", "localhost")}` : "";
    response.writeHead(302, { ...ANY_ORIGIN, Location: `${other}/echo/seen/zarr.json` });
    response.end();
  } else if (request.method === "OPTIONS") {
    response.writeHead(204, ANY_ORIGIN);
    response.end();
  } else if (request.url === "/echo/seen/zarr.json") {
    const { authorization = "", "x-token": token = "" } = request.headers;
    const attributes = { host, authorization, token };
    const document = { zarr_format: 3, node_type: "group", attributes };
    send("application/json", JSON.stringify(document), ANY_ORIGIN);
  } else if (request.url === "/echo/cookie") send("text/plain", "", { "Set-Cookie": "zarr=1; Path=/" });
  else if (request.url === "/echo/service_worker.js") {
    send("text/javascript", SERVICE_WORKER, { "Service-Worker-Allowed": "/" });
  } else if (request.url.endsWith("/zarr.json")) {
    const { referer = "", cookie = "" } = request.headers;
    send(
      "application/json",
      JSON.stringify({ zarr_format: 3, node_type: "group", attributes: { referer, cookie } }),
    );
  } else {
    response.writeHead(404);
    response.end();
  }
  return true;
}

/** What was asked below `/reach/`, as `host path`. */
const reached = [];

/**
 * A file and a redirect to it at another name of this machine, for documents of references. The
 * requests for them are recorded, and `/reached` tells and forgets them.
 */
function answerReach(request, response) {
  const { host } = request.headers;
  if (request.url === "/reached") {
    response.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
    response.end(JSON.stringify(reached.splice(0)));
    return true;
  }
  if (!request.url.startsWith("/reach/")) return false;
  reached.push(`${host} ${request.url}`);
  const headers = { ...ANY_ORIGIN, "Cache-Control": "no-store" };
  const other = host.replace("127.0.0.1", "localhost");
  if (request.url === "/reach/away")
    response.writeHead(302, { ...headers, Location: `http://${other}/reach/data` });
  else if (request.url === "/reach/near") response.writeHead(302, { ...headers, Location: "/reach/data" });
  else response.writeHead(request.url === "/reach/data" || request.method === "OPTIONS" ? 200 : 404, headers);
  response.end(request.url === "/reach/data" ? "0123456789" : undefined);
  return true;
}

/** What was asked below `/hidden/`. */
const hiddenRequests = [];

const HIDDEN_ARRAY = {
  zarr_format: 3,
  node_type: "array",
  shape: [4],
  data_type: "uint8",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [4] } },
  chunk_key_encoding: { name: "default" },
  fill_value: 0,
  codecs: [{ name: "bytes" }],
};

/**
 * Answers that pages of other origins may not read. The document of `some.zarr` can be read, and
 * its chunks are missing. HEAD of `slow.zarr` has no answer. The requests are recorded, and
 * `/hidden-requests` tells and forgets them.
 */
function answerHidden(request, response) {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  if (request.url === "/hidden-requests") {
    response.writeHead(200, headers).end(JSON.stringify(hiddenRequests.splice(0)));
    return true;
  }
  if (!request.url.startsWith("/hidden/")) return false;
  hiddenRequests.push(`${request.method} ${request.url}`);
  const document = JSON.stringify(HIDDEN_ARRAY);
  if (request.url === "/hidden/some.zarr/zarr.json")
    response.writeHead(200, { ...headers, ...ANY_ORIGIN }).end(document);
  else if (request.url.startsWith("/hidden/some.zarr/")) response.writeHead(404, headers).end();
  else if (!(request.method === "HEAD" && request.url.startsWith("/hidden/slow.zarr/")))
    response.writeHead(200, headers).end(document);
  return true;
}

/** What was asked below `/icechunk/`. */
const repositoryRequests = [];

/** A folder with a repository of icechunk. */
const unpackRepository = () => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-repository-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  unpackArchive(join(ROOT, "tests/icechunk/v2.tar.gz"), join(folder, "v2"));
  return folder;
};

/**
 * A repository for pages of other origins, which shows them no headers and allows none. The
 * requests are recorded, and `/icechunk-requests` tells and forgets them.
 */
function answerRepository(request, response) {
  const headers = { "Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=60" };
  if (request.url === "/icechunk-requests") {
    response.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
    response.end(JSON.stringify(repositoryRequests.splice(0)));
    return true;
  }
  const [, path] = /^\/icechunk\/([\w/.-]+)$/.exec(request.url) ?? [];
  if (path === undefined) return false;
  repositoryRequests.push(`${request.method} ${path.replace(/\/[0-9A-Z]{20}$/, "/ID")}`);
  repository ??= unpackRepository();
  const file = join(repository, path);
  const isThere = existsSync(file) && statSync(file).isFile();
  if (isThere) sendFile(request, response, readFileSync(file), headers);
  else response.writeHead(404, headers).end();
  return true;
}
let repository;

const SERVICE_WORKER = `
  self.addEventListener("install", () => self.skipWaiting());
  self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
  self.addEventListener("fetch", (event) => {
    if (!new URL(event.request.url).pathname.startsWith("/by-service-worker/")) return;
    const isDocument = event.request.url.endsWith("/zarr.json");
    const body = JSON.stringify({ zarr_format: 3, node_type: "group", attributes: { from: "service worker" } });
    event.respondWith(isDocument ? new Response(body) : new Response("", { status: 404 }));
  });`;

/** A frame with the policy in its URL. */
function answerFrame(request, response) {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname !== "/frame") return false;
  const [policy, script] = [searchParams.get("policy"), searchParams.get("script")];
  response.writeHead(200, {
    "Content-Type": "text/html; charset=utf-8",
    ...(policy && { "Content-Security-Policy": policy }),
  });
  response.end(
    `<!doctype html><title>frame</title><link rel="icon" href="data:,"><script type="module" crossorigin src="${script}"></script>`,
  );
  return true;
}

/**
 * A script that calls `prepareFrame` of the parent page, so that a test can change the viewer's
 * window before its scripts run.
 */
const PREPARE = `if (parent !== window) parent.prepareFrame?.(window);`;

/** The viewer's page with that script before all others. */
function answerViewer(request, response) {
  const path = request.url.replace(/[?#].*$/s, "");
  if (path !== "/viewer/" && path !== "/viewer/prepare.js") return false;
  const isScript = path !== "/viewer/";
  const page = () => readFileSync(join(VIEWER, "index.html"), "utf8");
  const type = isScript ? "text/javascript" : "text/html; charset=utf-8";
  response.writeHead(200, { "Content-Type": type, "Cache-Control": "no-store" });
  response.end(isScript ? PREPARE : page().replace(/<head[^>]*>/, `$&<script src="prepare.js"></script>`));
  return true;
}

const FOLDERS = {
  "/": OUTPUT,
  "/dist/": join(ROOT, "dist"),
  "/lost/": join(ROOT, "dist"),
  "/frames/": join(ROOT, "tests/browser/frames"),
  "/fixtures/": unpackFixtures(),
  "/stores/": join(ROOT, "tests/stores"),
  "/whole/": join(ROOT, "www/samples"),
  "/vite/": VITE,
  "/viewer/": VIEWER,
  "/maplibre/": join(ROOT, "node_modules/maplibre-gl/dist"),
};

/** A server that ignores ranges and sends whole files. */
function forgetRange(request) {
  if (request.url.startsWith("/whole/")) delete request.headers.range;
  return false;
}

/** The server of the campaign of faults, which starts when a page asks for it. */
let faults;

/** Tells the address of the faulty server, and its faults by class. */
function answerFaults(request, response) {
  if (request.url !== "/faults") return false;
  faults ??= campaignServer();
  faults.then(({ url }) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ url, classes: classes() }));
  });
  return true;
}

/** `answer(request, response)` may answer a request itself and return true. */
export async function serveTests(answer = () => false) {
  const answers = [
    answer,
    answerReach,
    answerHidden,
    answerRepository,
    answerFaults,
    growingObjects("/growing"),
    forgetRange,
    answerPage,
    answerEcho,
    answerFrame,
    answerViewer,
  ];
  const server = await serve(FOLDERS, {
    data: ["/"], // pages and data are on several origins
    intercept: (...exchange) => answers.some((own) => own(...exchange)),
  });
  const close = async () => {
    await (await faults)?.close();
    await server.close();
  };
  return { ...server, close };
}
