/**
 * The consumers lane: the packed package in fresh projects of users, each with a real tool, browser
 * or runtime, which reads an array over HTTP. Prints one line per check, and the matrix. It needs
 * Chromium, and npm's registry at the first run.
 *
 *   node tests/consumers/run.mjs                 all
 *   node tests/consumers/run.mjs "^Vite|Deno"    consumers with a matching name
 *   node tests/consumers/run.mjs --write         writes the matrix into docs/works_with.md, too
 */

import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { ROOT, say, seconds } from "../../scripts/run_command.mjs";
import { serve } from "../../scripts/serve.mjs";
import { serveExamples } from "../support/docs/example_server.mjs";
import { closeBrowser } from "./page.mjs";
import { Project, packPackage } from "./project.mjs";
import { ARRAY, STORE } from "./reading.mjs";
import { TABLE } from "./table.mjs";

const PAGE = join(ROOT, "docs/works_with.md");

/** Serves a folder to `use`, which gets the URL. `headers` are added to pages. */
async function servingFolder(folder, use, headers = {}) {
  const intercept = (_request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    return false;
  };
  const server = await serve({ "/": folder }, { intercept });
  try {
    return await use(`${server.url}/`);
  } finally {
    await server.close();
  }
}

let lastPort = 0;

/** Finds a port that no program listens on. */
async function findPort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  lastPort = server.address().port;
  await new Promise((resolve) => server.close(resolve));
}

/** Runs one check. Resolves to its error; undefined if it passed. */
async function attempt(run) {
  try {
    await findPort();
    await run();
    return undefined;
  } catch (error) {
    return String(error.stack ?? error);
  }
}

function report(results, { name, what, error, since }) {
  results.push({ name, what, ok: error === undefined });
  say(`${error ? "not ok" : "ok"} ${name}: ${what} (${seconds(since)})`);
  if (error) say(error.slice(0, 4000).replace(/^/gm, "  # "));
}

/** Runs the checks of one consumer. */
async function runConsumer(consumer, at, results) {
  const project = new Project(consumer.folder, consumer, at);
  const since = performance.now();
  const error = await attempt(() => project.prepare());
  if (error) return report(results, { name: consumer.name, what: "the project", error, since });
  for (const [what, check] of Object.entries(consumer.checks)) {
    const since = performance.now();
    report(results, { name: consumer.name, what, error: await attempt(() => check(project)), since });
  }
}

/** Returns the matrix as rows of Markdown. */
function matrix(results) {
  const rows = results.map(({ name, what, ok }) => `| ${name} | ${what} | ${ok ? "yes" : "**no**"} |`);
  return ["| consumer | what | works |", "|---|---|---|", ...rows].join("\n");
}

function writeMatrix(text) {
  const place = /(<!-- consumers: [^\n]*-->\n)[\s\S]*?(<!-- \/consumers -->)/;
  const page = readFileSync(PAGE, "utf8");
  if (!place.test(page)) throw new Error(`${PAGE} has no place for the matrix`);
  writeFileSync(
    PAGE,
    page.replace(place, (_all, begin, end) => `${begin}${text}\n${end}`),
  );
}

const [words, isWriting] = [
  process.argv.slice(2).filter((word) => word !== "--write"),
  process.argv.includes("--write"),
];
const pattern = new RegExp(words[0] ?? "");
const { size, unpackedSize } = packPackage();
say(`· the package: ${size} bytes packed, ${unpackedSize} unpacked`);
const data = await serve({ "/data/": STORE }, { data: ["/data/"] });
const samples = await serveExamples();
const at = { data: data.url + ARRAY, samples: samples.url, servingFolder, freePort: () => lastPort };
const results = [];
for (const consumer of TABLE.filter(({ name }) => pattern.test(name)))
  await runConsumer(consumer, at, results);
await closeBrowser();
await Promise.all([data.close(), samples.close()]);
const text = matrix(results);
say(`\n${text}`);
if (isWriting && results.every(({ ok }) => ok)) writeMatrix(text);
process.exitCode = results.length > 0 && results.every(({ ok }) => ok) ? 0 : 1;
