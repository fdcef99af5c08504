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
 *   npm test -- --verbose     prints all output
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { buildUnlessFinished } from "../scripts/build.mjs";
import { command, run, StepFailed, say, seconds } from "../scripts/run_command.mjs";
import { setUp } from "../scripts/setup.mjs";
import { LANES } from "./lanes.mjs";

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

const listLane = ({ name, what, minutes, everyday }) =>
  say(
    `${name.padEnd(12)} ≤ ${String(minutes).padStart(2)} min  ${everyday ? "npm test" : "test:all"}  ${what}`,
  );

/** The command of a lane for the tests with matching names, or for all. */
function commandOf(lane, only) {
  if (only === undefined) return lane.command;
  if (lane.only) return lane.only(only);
  throw new StepFailed(`the lane ${lane.name} runs all its tests: it has no --only`);
}

/** Lines of a report of `node --test` that do not tell why a test failed. */
const NO_REASON = /^\s*(---|\.\.\.|\d+\.\.\d+|(duration_ms|failureType|code|name|operator|stack): .*)?$/;
const MAX_REASONS = 5;

/** A failed test in the reports of libtest, of `node --test` and ours, and of Playwright. */
const FAILED = /^(test .* FAILED$|\s*not ok | +\d+\) \[)/;
const NEXT = /^\s*((not )?ok |\d+\) \[)/;

/** The lines of failed tests with their reasons, which are repeated at the end of the report. */
function failures(output) {
  const lines = output.split("\n");
  return lines.flatMap((line, at) => {
    if (!FAILED.test(line)) return [];
    const end = lines.findIndex((later, place) => place > at && NEXT.test(later));
    const reasons = lines.slice(at + 1, end < 0 ? undefined : end).filter((later) => !NO_REASON.test(later));
    return [line.trim(), ...reasons.slice(0, MAX_REASONS).map((reason) => `  ${reason.trim()}`)];
  });
}

/** Time limit for compiling. The fuzz targets have taken 16 minutes beside one other lane. */
const PREPARE_MINUTES = 35;
/** The same beside all other lanes, which go first. */
const AHEAD_MINUTES = 75;

/** Runs a program with a time limit. Resolves to its output and whether it failed. */
async function attempt(title, [program, ...args], minutes, options) {
  try {
    return {
      output: await run(title, program, args, { ...options, timeoutMs: minutes * 60_000 }),
      broken: false,
    };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    say(`  ${error.message}`);
    return { output: error.output ?? "", broken: true };
  }
}

/** Compiles what a lane needs, with a lower priority if other lanes have their turn. */
function compile(lane, { only: _only, ...running }, isAhead = false) {
  const options = { ...running, name: lane.name };
  const title = `${lane.name}: compiling`;
  if (!isAhead) return attempt(title, lane.prepare, PREPARE_MINUTES, options);
  return attempt(title, ["nice", "-n", "10", ...lane.prepare], AHEAD_MINUTES, options);
}

/**
 * Runs one lane. Resolves to its counts. A lane that breaks or runs no test counts as at least one
 * failure. `compiled` is there if compiling has begun already.
 */
async function runLane(lane, { only, ...running }, compiled) {
  const options = { ...running, name: lane.name };
  const started = performance.now();
  let result = { output: "", broken: false };
  if (lane.prepare) result = await (compiled ?? compile(lane, options));
  if (!result.broken) {
    result = await attempt(
      `${lane.name}: ${lane.what} (at most ${lane.minutes} min)`,
      commandOf(lane, only),
      lane.minutes,
      options,
    );
  }
  const { passed, failed, flaky = 0 } = lane.counts(result.output);
  const ranNothing = passed + failed === 0;
  if (ranNothing) say(`  ${lane.name}: no test ran, and that is a failure`);
  const failedCount = Math.max(failed, result.broken || ranNothing ? 1 : 0);
  const repeated = flaky > 0 ? `, ${flaky} of them when repeated` : "";
  say(`  ${lane.name}: ${passed} passed${repeated}, ${failedCount} failed`);
  return {
    name: lane.name,
    passed,
    failed: failedCount,
    time: seconds(started),
    failures: failures(result.output),
  };
}

/**
 * Compiles before pages open, because a browser's processes have a higher priority than compilers.
 * What takes longest to compile gets the time that the lanes leave. Resolves to what `compile`
 * promises for each lane.
 */
async function compileFirst(lanes, options) {
  const compiling = new Map();
  for (const lane of lanes.filter(({ prepare }) => prepare)) {
    const result = compile(lane, options, lane.compilesAhead);
    compiling.set(lane, result);
    if (!lane.compilesAhead) await result;
  }
  return compiling;
}

/**
 * Runs lanes one after the other, but with two cores those with pages beside the others: each waits
 * now and then. Resolves to their results in the order of the lanes.
 */
async function runLanes(lanes, options) {
  const results = new Map();
  const beside = availableParallelism() < 2 ? [] : lanes.filter((lane) => lane.isBeside);
  const compiling = beside.length > 0 ? await compileFirst(lanes, options) : new Map();
  const runInTurn = async (these) => {
    for (const lane of these) results.set(lane, await runLane(lane, options, compiling.get(lane)));
  };
  await Promise.all([runInTurn(beside), runInTurn(lanes.filter((lane) => !beside.includes(lane)))]);
  return lanes.map((lane) => results.get(lane));
}

function summarise(results) {
  say("\nlane         passed  failed      time");
  for (const { name, passed, failed, time } of results) {
    say(`${name.padEnd(12)} ${String(passed).padStart(6)} ${String(failed).padStart(7)} ${time.padStart(9)}`);
  }
  for (const { name, failures: lines } of results) for (const line of lines) say(`  ${name}: ${line}`);
  const total = (key) => results.reduce((sum, result) => sum + result[key], 0);
  say(`\n${total("passed")} passed, ${total("failed")} failed`);
  return total("failed");
}

const OPTIONS = {
  list: { type: "boolean", default: false },
  verbose: { type: "boolean", default: false },
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
  const needs = (tool) => lanes.some((lane) => lane[tool]);
  const tools = await setUp({
    rust: true,
    browser: needs("browser"),
    nginx: needs("nginx"),
    servers: needs("servers"),
    engines: needs("engines"),
  });
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
  const { list, verbose, only, times, lanes } = parsed(args);
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
  if (summarise(results) > 0) process.exitCode = 1;
});
