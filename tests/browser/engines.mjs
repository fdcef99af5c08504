/**
 * The engines lane: runs the tests of the package and of the viewer's pixels in Firefox and
 * WebKitGTK. They are started without a driver at a URL, and the page posts its report. Prints a
 * TAP report. An argument is a regular expression for test names. A missing engine is reported and
 * is not a failure.
 */
import { text } from "node:stream/consumers";
import { BROWSERS } from "../../benches/peers/browsers.mjs";
import { bundle, serveTests } from "./served.mjs";

/** Time limit for all tests of an engine. */
const PATIENCE_MS = 600_000;

let listener = () => {};

function takeReport(request, response) {
  if (request.url !== "/engines/report" || request.method !== "POST") return false;
  text(request).then((body) => {
    listener(JSON.parse(body));
    response.writeHead(204).end();
  });
  return true;
}

const totals = { pass: 0, fail: 0 };

function report(engine, { name, error, earlier, ms }) {
  totals[error ? "fail" : "pass"] += 1;
  const time = ms === undefined ? "" : ` # ${ms} ms`;
  console.log(`${error ? "not ok" : "ok"} ${totals.pass + totals.fail} - ${engine}: ${name}${time}`);
  if (earlier) console.log(`the first attempt failed:\n${earlier}`.replace(/^/gm, "  # "));
  if (error) console.log(error.replace(/^/gm, "  # "));
}

/** Resolves when the page has reported its end. Reports an engine that does not. */
function hearOut(engine) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      report(engine, { name: "the page runs its tests", error: `no end after ${PATIENCE_MS} ms` });
      resolve();
    }, PATIENCE_MS);
    listener = (told) => {
      if (told.lacks) return console.log(`# ${engine}: ${told.lacks}`);
      if (!told.end) return report(engine, told);
      clearTimeout(timer);
      resolve();
    };
  });
}

async function runEngine(browser, url) {
  const missing = browser.missing();
  if (missing) return console.log(`# ${browser.name}: ${missing}, its tests are not run`);
  console.log(`# ${browser.version()}`);
  const started = await browser.start({ webgl: true });
  try {
    const heard = hearOut(browser.name);
    const page = started.open(`${url}/engines?tests=${encodeURIComponent(process.argv[2] ?? "")}`);
    await heard;
    await page.close();
  } finally {
    await started.close();
  }
}

await bundle();
const server = await serveTests(takeReport);
for (const browser of BROWSERS) await runEngine(browser, server.url);
await server.close();
console.log(`# pass ${totals.pass}\n# fail ${totals.fail}`);
process.exitCode = totals.fail > 0 ? 1 : 0;
