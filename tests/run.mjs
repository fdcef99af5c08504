/**
 * `npm test`: installs what is missing, builds the package (quick profile), runs the everyday lanes
 * of tests/lanes.mjs, and prints the totals.
 *
 *   npm run test:all          all lanes
 *   npm test -- slow          the lanes that `npm test` omits
 *   npm test -- wasm node     these lanes
 *   npm test -- everyday fuzz the lanes of `npm test`, and this one
 *   npm test -- --list        lists the lanes
 *   npm test -- browser --only 'two scripts'
 *                             the tests of these lanes whose names match
 *   npm test -- node --repeat 20
 *                             these lanes 20 times, to find tests that fail now and then
 *   npm test -- --durations   lists the slowest tests
 *   npm test -- --verbose     prints all output
 */
import { parseArgs } from "node:util";
import { buildUnlessFinished } from "../scripts/build.mjs";
import { command, run, StepFailed, say, seconds } from "../scripts/run_command.mjs";
import { setUp } from "../scripts/setup.mjs";
import { LANES } from "./lanes.mjs";
import { durations, failures } from "./reports.mjs";

/** The words for several lanes. */
const GROUPS = {
  all: () => true,
  everyday: (lane) => lane.everyday,
  slow: (lane) => !lane.everyday,
};

function chooseLanes(words) {
  const unknown = words.find((word) => !(word in GROUPS || LANES.some((lane) => lane.name === word)));
  if (unknown)
    throw new StepFailed(`no lane ${unknown}: there are ${LANES.map((lane) => lane.name).join(", ")}`);
  const chosen = words.length > 0 ? words : ["everyday"];
  return LANES.filter((lane) => chosen.some((word) => GROUPS[word]?.(lane) ?? lane.name === word));
}

const listLane = ({ name, what, everyday }) =>
  say(`${name.padEnd(14)} ${everyday ? "npm test" : "test:all"}  ${what}`);

/** The command of a lane for the tests with matching names, or for all. */
function commandOf(lane, only) {
  if (only === undefined) return lane.command;
  if (lane.only) return lane.only(only);
  throw new StepFailed(`the lane ${lane.name} runs all its tests: it has no --only`);
}

/** Longer than any program is silent: the longest compiles one crate on a busy machine. */
const SILENT_MINUTES = 15;

/** Runs the command of a lane. Resolves to its output and whether it failed. */
async function attempt({ name, what }, [program, ...args], running) {
  const options = { ...running, name, silentMs: SILENT_MINUTES * 60_000 };
  try {
    return { output: await run(`${name}: ${what}`, program, args, options), broken: false };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    say(`  ${error.message}`);
    return { output: error.output ?? "", broken: true };
  }
}

/** Runs one lane. Resolves to its counts. A lane that breaks or runs no test counts as a failure. */
async function runLane(lane, { only, ...running }) {
  const started = performance.now();
  const { output, broken } = await attempt(lane, commandOf(lane, only), running);
  const { passed, failed, flaky = 0 } = lane.counts(output);
  const ranNothing = passed + failed === 0;
  if (ranNothing) say(`  ${lane.name}: no test ran, and that is a failure`);
  const failedCount = Math.max(failed, broken || ranNothing ? 1 : 0);
  const repeated = flaky > 0 ? `, ${flaky} of them when repeated` : "";
  say(`  ${lane.name}: ${passed} passed${repeated}, ${failedCount} failed`);
  return {
    name: lane.name,
    passed,
    failed: failedCount,
    time: seconds(started),
    failures: failures(output),
    durations: durations(output),
  };
}

/** Runs lanes one after the other: each keeps two cores busy. Resolves to their results. */
async function runLanes(lanes, options) {
  const results = [];
  for (const lane of lanes) results.push(await runLane(lane, options));
  return results;
}

const MAX_SLOWEST = 30;

function listSlowest(results) {
  const all = results.flatMap(({ name, durations: tests }) => tests.map((test) => ({ lane: name, ...test })));
  say(`\nThe slowest of ${all.length} tests whose reports have times:`);
  for (const { lane, name, ms } of all.sort((one, other) => other.ms - one.ms).slice(0, MAX_SLOWEST))
    say(`${(ms / 1000).toFixed(1).padStart(7)} s  ${lane}: ${name}`);
}

function summarise(results) {
  say("\nlane           passed  failed      time");
  for (const { name, passed, failed, time } of results) {
    say(`${name.padEnd(14)} ${String(passed).padStart(6)} ${String(failed).padStart(7)} ${time.padStart(9)}`);
  }
  for (const { name, failures: lines } of results) for (const line of lines) say(`  ${name}: ${line}`);
  const total = (key) => results.reduce((sum, result) => sum + result[key], 0);
  say(`\n${total("passed")} passed, ${total("failed")} failed`);
  return total("failed");
}

const OPTIONS = {
  list: { type: "boolean", default: false },
  verbose: { type: "boolean", default: false },
  durations: { type: "boolean", default: false },
  only: { type: "string" },
  repeat: { type: "string", default: "1" },
};

function parsed(args) {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const times = Number(values.repeat);
  if (!Number.isInteger(times) || times < 1)
    throw new StepFailed(`--repeat ${values.repeat}: no number of times`);
  return { ...values, times, lanes: chooseLanes(positionals) };
}

/** Installs what the lanes need, builds the package, and resolves to the lanes' environment. */
async function prepare(lanes) {
  const needs = lanes.flatMap((lane) => lane.needs ?? []);
  const tools = await setUp({ rust: true, ...Object.fromEntries(needs.map((tool) => [tool, true])) });
  const { unpackFixtures } = await import("./support/fixture_archives.mjs"); // needs npm's packages
  await buildUnlessFinished({ quick: true });
  const { buildXtask, wasmEnvironment } = await import("../scripts/wasm.mjs");
  const started = performance.now();
  unpackFixtures();
  say(`· the fixtures are unpacked (${seconds(started)})`);
  return {
    ...wasmEnvironment(tools.clang),
    ZARR_XTASK: await buildXtask(),
    CHROMIUM: tools.chromium,
    NGINX: tools.nginx,
  };
}

await command(async (args) => {
  const { list, verbose, only, times, lanes, durations: tellsSlowest } = parsed(args);
  if (list) {
    LANES.forEach(listLane);
    return;
  }
  for (const lane of lanes) commandOf(lane, only);
  const env = await prepare(lanes);
  say("");
  const results = [];
  for (let time = 1; time <= times; time += 1) {
    results.push(...(await runLanes(lanes, { env, verbose, only })));
  }
  if (tellsSlowest) listSlowest(results);
  if (summarise(results) > 0) process.exitCode = 1;
});
