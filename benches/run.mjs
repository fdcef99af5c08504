/**
 * `npm run bench`: compares the built package (`npm run build`) with its peers and with lower
 * bounds ("floors") in one run. Prints each row when it is measured, and writes RESULTS.md.
 *
 *   npm run bench -- codecs http     only these groups
 *   npm run bench -- --quick         few rounds, to try it
 *   npm run bench -- main_thread --rows 'whole|64'   only some rows of this group
 *   npm run bench -- --compare DIST  another build of this package, with the rows of main_thread
 *   npm run bench -- cold --compare DIST   the same with first tiles
 *
 * With any of these options RESULTS.md is not written.
 */
import { existsSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isBuilt } from "../scripts/build.mjs";
import { command, ROOT, StepFailed, say, seconds } from "../scripts/run_command.mjs";
import { buildViewer } from "../scripts/www.mjs";
import { launchChromium } from "../tests/browser/chromium.mjs";
import { ensureData, interpreter, load } from "./data/datasets.mjs";
import { needsOf } from "./data/needs.mjs";
import { Line } from "./line/line.mjs";
import { compare } from "./measure/compare.mjs";
import { describeMachine } from "./measure/machine.mjs";
import { bundlePages, pageFile } from "./page/bundle.mjs";
import { Native } from "./peers/native.mjs";
import { linesOf, resultsOf } from "./report.mjs";

const RESULTS = join(import.meta.dirname, "RESULTS.md");

/**
 * The runtimes of each group: this Node process, or a page. `undefined`: the group starts its
 * own processes and pages. Groups that wait for the network take long and vary little, so they have
 * fewer rounds.
 */
const GROUPS = {
  codecs: { runtimes: ["node", "chromium"] },
  whole: { runtimes: ["node", "chromium"] },
  workers: { runtimes: ["node", "chromium"] },
  http: { runtimes: ["chromium"], waits: true },
  planes: { runtimes: ["chromium"], waits: true },
  open: { runtimes: ["chromium"], waits: true },
  pan: { runtimes: ["chromium"] },
  big: { runtimes: ["chromium"], waits: true },
  cold: { runtimes: [undefined] },
  main_thread: { runtimes: [undefined], waits: true },
  viewer: { runtimes: [undefined], waits: true },
  warp: { runtimes: ["chromium"] },
  reduce: { runtimes: [undefined], waits: true },
  memory: { runtimes: [undefined] },
  sizes: { runtimes: [undefined] },
};

const FULL = { rounds: 11, waitingRounds: 5, pans: 500, steps: 1024 };
const QUICK = { rounds: 3, waitingRounds: 2, pans: 60, steps: 256 };

async function inNode(group, env, keep) {
  const { measure } = await import(`./groups/${group}.mjs`);
  for await (const record of measure(env)) keep(record);
}

async function inChromium(group, { browser, base, rounds, pans, native, needs }, keep) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => say(`  the page: ${error.stack}`));
  await page.exposeFunction("reportRecord", keep);
  await page.exposeFunction("decodeNatively", native);
  await page.exposeFunction("needsOf", needs);
  await page.goto(`${base}/page/groups/index.html`);
  await page.waitForFunction(() => window.measureGroup !== undefined);
  await page.evaluate(
    ([name, options]) => window.measureGroup(name, options),
    [group, { base, rounds, pans }],
  );
  await page.close();
}

/** The environment of the groups: server, browser and native decoder. `close` ends them. */
async function environment(options) {
  const python = interpreter();
  await ensureData(python);
  await bundlePages(options);
  const line = new Line({ load, files: pageFile });
  const [base, browser, native] = [await line.listen(), await launchChromium(), new Native(python)];
  const env = {
    ...options,
    base,
    browser,
    jobs: line.jobs,
    store: (name) => line.store(name),
    load: async (name) => new Map(line.store(name)),
    native: (...args) => native.decode(...args),
    needs: async (store, path, ...selections) => needsOf(line.store(store), path, selections),
    compare: (contestants) => compare(contestants, options),
  };
  const close = async () => {
    native.close();
    await browser.close();
    await line.close();
  };
  return { env, close };
}

function chosen(words) {
  const unknown = words.find((word) => !(word in GROUPS));
  if (unknown) throw new StepFailed(`no group ${unknown}: there are ${Object.keys(GROUPS).join(", ")}`);
  return words.length ? words : Object.keys(GROUPS);
}

/** Measures all groups, also after one has failed. Resolves to the records and the failures. */
async function measureAll(groups, env) {
  const records = [];
  const failed = [];
  for (const group of groups) {
    const { runtimes, waits } = GROUPS[group];
    const rounds = waits ? env.waitingRounds : env.rounds;
    for (const where of runtimes) {
      const keep = (record) => {
        records.push({ group, where, ...record });
        linesOf(records.at(-1)).forEach(say);
      };
      try {
        await (where === "chromium" ? inChromium : inNode)(group, { ...env, where, rounds }, keep);
      } catch (error) {
        say(`✗ ${group}: ${error.stack}`);
        failed.push(group);
      }
    }
  }
  return { records, failed };
}

/** Parses the command line: `{groups, isAll, options}`. */
function understood(args) {
  const { values, positionals } = parseArgs({
    args,
    options: { quick: { type: "boolean" }, rows: { type: "string" }, compare: { type: "string" } },
    allowPositionals: true,
  });
  const { quick, rows, compare: other } = values;
  const options = { ...(quick ? QUICK : FULL), rows };
  if (other !== undefined)
    return {
      groups: chosen(positionals.length ? positionals : ["main_thread"]),
      isWhole: false,
      options: { ...options, before: entryOf(other) },
    };
  const isWhole = positionals.length === 0 && !quick && rows === undefined;
  return { groups: chosen(positionals), isWhole, options };
}

function entryOf(dist) {
  const entry = resolve(dist, "index.js");
  if (!existsSync(entry)) throw new StepFailed(`there is no ${entry}`);
  return entry;
}

await command(async (args) => {
  const { groups, isWhole, options } = understood(args);
  if (!isBuilt({ quick: false }))
    throw new StepFailed("dist/ is no release build of these sources: npm run build");
  const [load] = loadavg(); // before this program's own work
  if (groups.includes("viewer")) await buildViewer({ compressed: true });
  const started = performance.now();
  const { env, close } = await environment(options);
  try {
    const machine = describeMachine({ chromium: env.browser.version(), load });
    const { records, failed } = await measureAll(groups, env);
    const results = resultsOf(records, { ...machine, failed }, options);
    writeFileSync(isWhole ? RESULTS : join(ROOT, "target/bench/results.md"), results);
    say(
      `\n✓ ${records.length} rows in ${seconds(started)}${isWhole ? ", written to benches/RESULTS.md" : ""}`,
    );
  } finally {
    await close();
  }
});
