/**
 * The lane `lighthouse`: measures five pages of the built site on a phone and a desktop, as
 * Lighthouse imitates them, and fails below 95 in a category. Files are compressed as hosts do.
 * It prints a line for each page and device. It is no part of CI's everyday lanes, because the
 * category `performance` depends on what else the machine does.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { command, ROOT } from "../../scripts/run_command.mjs";
import { buildSite, isSiteBuilt } from "../../site/build.mjs";
import lighthouse, { desktopConfig } from "../../site/node_modules/lighthouse/core/index.js";
import { ARGS, EXECUTABLE } from "../browser/chromium.mjs";
import { FOLDER, serveSite } from "./serve_site.mjs";

const PAGES = ["", "guide.html", "tutorial/2-slice.html", "gallery.html", "reference/"];
const LEAST = 95;
const PORT = 9333;

const TEXT_TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
};

/** Answers requests for texts with their compressed forms. */
function compressed(request, response) {
  const path = decodeURIComponent(new URL(request.url, "http://host").pathname).slice(FOLDER.length);
  const file = join(ROOT, "dist-site", path.endsWith("/") || path === "" ? `${path}index.html` : path);
  const type = TEXT_TYPES[extname(file)];
  if (!type || !statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
  const headers = {
    "Content-Type": `${type}; charset=utf-8`,
    "Content-Encoding": "gzip",
    "Cache-Control": "max-age=600",
  };
  response.writeHead(200, headers).end(gzipSync(readFileSync(file)));
  return true;
}

/** Starts Chromium for Lighthouse. Resolves to what ends it. */
async function startChromium() {
  const profile = mkdtempSync(join(tmpdir(), "zarr-wasm-lighthouse-"));
  const args = [...ARGS, "--headless", `--remote-debugging-port=${PORT}`, `--user-data-dir=${profile}`];
  const chromium = spawn(EXECUTABLE, [...args, "about:blank"], { stdio: "ignore" });
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answer = await fetch(`http://127.0.0.1:${PORT}/json/version`).catch(() => undefined);
    if (answer?.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return () => {
    chromium.once("exit", () => rmSync(profile, { recursive: true, force: true }));
    chromium.kill();
  };
}

const REPORT = { port: PORT, output: "json", logLevel: "error" };

/** The categories of a page below the least, as texts; prints the line of the page. */
async function measure(url, page, [device, config]) {
  const { lhr } = await lighthouse(url, REPORT, config);
  const scores = Object.values(lhr.categories).map(({ id, score }) => [id, Math.round(score * 100)]);
  const low = scores.filter(([, score]) => score < LEAST);
  const all = scores.map(([id, score]) => `${id} ${score}`).join(", ");
  console.log(`${low.length === 0 ? "ok" : "not ok"} /${page} on a ${device}: ${all}`);
  for (const audit of Object.values(lhr.audits))
    if (low.length > 0 && audit.score !== null && audit.score < 0.9)
      console.log(`#   ${audit.id}: ${audit.displayValue ?? audit.title}`);
  return low.length;
}

await command(async () => {
  if (!isSiteBuilt()) await buildSite();
  const server = await serveSite(compressed);
  const stop = await startChromium();
  try {
    for (const page of PAGES)
      for (const device of [
        ["phone", undefined],
        ["desktop", desktopConfig],
      ])
        if ((await measure(server.url + page, page, device)) > 0) process.exitCode = 1;
  } finally {
    stop();
    await server.close();
  }
});
