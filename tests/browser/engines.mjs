/**
 * The engines lane: runs the tests of the package and of the viewer's pixels in Firefox and
 * WebKitGTK, both at a time. They are started without a driver at a URL, and the page posts its
 * report. Prints a TAP report. An argument is a regular expression for test names. A missing engine
 * is reported and is not a failure.
 */
import { text } from "node:stream/consumers";
import { BROWSERS } from "../../benches/peers/browsers.mjs";
import { bundle, serveTests } from "./served.mjs";

/** Time limit for all tests of an engine, with the other engine and a lane beside it. */
const PATIENCE_MS = 1_500_000;

const totals = { pass: 0, fail: 0 };

function report(engine, { name, error, earlier, ms }) {
  totals[error ? "fail" : "pass"] += 1;
  const time = ms === undefined ? "" : ` # ${ms} ms`;
  console.log(`${error ? "not ok" : "ok"} ${totals.pass + totals.fail} - ${engine}: ${name}${time}`);
  if (earlier) console.log(`the first attempt failed:\n${earlier}`.replace(/^/gm, "  # "));
  if (error) console.log(error.replace(/^/gm, "  # "));
}

/**
 * Takes the reports of an engine's page. `ended` resolves when the page has reported its end, or
 * reports an engine that does not.
 */
function listenTo(engine) {
  let end;
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  const timer = setTimeout(() => {
    report(engine, { name: "the page runs its tests", error: `no end after ${PATIENCE_MS} ms` });
    end();
  }, PATIENCE_MS);
  const take = (told) => {
    if (told.lacks) return console.log(`# ${engine}: ${told.lacks}`);
    if (!told.end) return report(engine, told);
    clearTimeout(timer);
    end();
  };
  const answer = (request, response) => {
    if (request.url !== "/engines/report" || request.method !== "POST") return false;
    text(request).then((body) => {
      take(JSON.parse(body));
      response.writeHead(204).end();
    });
    return true;
  };
  return { answer, ended };
}

/** Runs the tests in an engine, with a server of its own. */
async function runEngine(browser) {
  const missing = browser.missing();
  if (missing) return console.log(`# ${browser.name}: ${missing}, its tests are not run`);
  console.log(`# ${browser.version()}`);
  const started = await browser.start({ webgl: true });
  const { answer, ended } = listenTo(browser.name);
  const server = await serveTests(answer);
  try {
    const page = started.open(`${server.url}/engines?tests=${encodeURIComponent(process.argv[2] ?? "")}`);
    await ended;
    await page.close();
  } finally {
    await server.close();
    await started.close();
  }
}

await bundle();
await Promise.all(BROWSERS.map(runEngine));
console.log(`# pass ${totals.pass}\n# fail ${totals.fail}`);
process.exitCode = totals.fail > 0 ? 1 : 0;
