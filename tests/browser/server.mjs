/**
 * The server of the browser tests, for Chromium (`fixtures.mjs`) and the other engines
 * (`engines.mjs`). It serves the bundled test pages, the viewer with its samples, the fixtures, and
 * responses that tests configure.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "../../scripts/serve.mjs";
import { unpackFixtures } from "../support/fixture_archives.mjs";
import { growingObjects } from "../support/growing_objects.mjs";
import { OUTPUT, ROOT, VIEWER, VITE } from "./places.mjs";
import {
  ANY_ORIGIN,
  faultAnswers,
  hiddenAnswers,
  reachAnswers,
  repositoryAnswers,
} from "./recorded_answers.mjs";

/** The headers of cross-origin isolation, with which a page may share memory with workers. */
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};
/** The header by which Chromium gives the same to the page alone. */
const OWN_ISOLATION = { "Document-Isolation-Policy": "isolate-and-credentialless" };

/** The pages and their headers. */
const PAGES = {
  "/": { script: "page.js" },
  "/isolated": { script: "isolated.js", headers: ISOLATION },
  "/isolated_alone": { script: "isolated.js", headers: OWN_ISOLATION },
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
  "/stores/": join(ROOT, "tests/fixtures/containers"),
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

/** `answer(request, response)` may answer a request itself and return true. */
export async function serveTests(answer = () => false) {
  const faults = faultAnswers();
  const answers = [
    answer,
    reachAnswers(),
    hiddenAnswers(),
    repositoryAnswers(),
    faults.answer,
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
    await faults.close();
    await server.close();
  };
  return { ...server, close };
}
