/**
 * `npm test`: installs what is missing, builds the package (quick profile), runs the everyday lanes
 * of tests/lanes.mjs, and prints the totals.
 *
 *   npm run test:all          all lanes
 *   npm test -- slow          the lanes that `npm test` omits
 *   npm test -- wasm node     these lanes
 *   npm test -- --list        lists the lanes
 *   npm test -- --verbose     prints all output
 */
import { build } from "../scripts/build.mjs";
import { command, run, StepFailed, say, seconds } from "../scripts/run_command.mjs";
import { setUp } from "../scripts/setup.mjs";
import { LANES } from "./lanes.mjs";

function chooseLanes(words) {
  if (words.includes("all")) return LANES;
  if (words.includes("slow")) return LANES.filter((lane) => !lane.everyday);
  if (words.length === 0) return LANES.filter((lane) => lane.everyday);
  const unknown = words.find((word) => !LANES.some((lane) => lane.name === word));
  if (unknown)
    throw new StepFailed(`no lane ${unknown}: there are ${LANES.map((lane) => lane.name).join(", ")}`);
  return LANES.filter((lane) => words.includes(lane.name));
}

const listLane = ({ name, what, minutes, everyday }) =>
  say(
    `${name.padEnd(12)} ≤ ${String(minutes).padStart(2)} min  ${everyday ? "npm test" : "test:all"}  ${what}`,
  );

/** Lines of a report of `node --test` that do not tell why a test failed. */
const NO_REASON = /^\s*(---|\.\.\.|\d+\.\.\d+|(duration_ms|failureType|code|name|operator|stack): .*)?$/;
const MOST_REASONS = 5;

/** The lines of failed tests with their reasons, which are repeated at the end of the report. */
function failures(output) {
  const lines = output.split("\n");
  return lines.flatMap((line, at) => {
    if (!/^(test .* FAILED$|\s*not ok )/.test(line)) return [];
    const end = lines.findIndex((later, place) => place > at && /^\s*(not )?ok /.test(later));
    const reasons = lines.slice(at + 1, end < 0 ? undefined : end).filter((later) => !NO_REASON.test(later));
    return [line.trim(), ...reasons.slice(0, MOST_REASONS).map((reason) => `  ${reason.trim()}`)];
  });
}

/** Time limit for compiling. The fuzz targets have taken nine minutes on a new machine. */
const PREPARE_MINUTES = 20;

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

/**
 * Runs one lane. Resolves to its counts. A lane that breaks or runs no test counts as at least one
 * failure.
 */
async function runLane(lane, options) {
  const started = performance.now();
  let result = { output: "", broken: false };
  if (lane.prepare) result = await attempt(`${lane.name}: compiling`, lane.prepare, PREPARE_MINUTES, options);
  if (!result.broken) {
    result = await attempt(
      `${lane.name}: ${lane.what} (at most ${lane.minutes} min)`,
      lane.command,
      lane.minutes,
      options,
    );
  }
  const { passed, failed } = lane.counts(result.output);
  const ranNothing = passed + failed === 0;
  if (ranNothing) say("  no test ran: that is a failure");
  const failedCount = Math.max(failed, result.broken || ranNothing ? 1 : 0);
  say(`  ${passed} passed, ${failedCount} failed`);
  return {
    name: lane.name,
    passed,
    failed: failedCount,
    time: seconds(started),
    failures: failures(result.output),
  };
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

await command(async (args) => {
  const lanes = chooseLanes(args.filter((argument) => !argument.startsWith("--")));
  if (args.includes("--list")) {
    lanes.forEach(listLane);
    return;
  }
  const needs = (tool) => lanes.some((lane) => lane[tool]);
  const tools = await setUp({
    rust: true,
    browser: needs("browser"),
    nginx: needs("nginx"),
    servers: needs("servers"),
    engines: needs("engines"),
  });
  const { unpackFixtures } = await import("./fixture_archives.mjs"); // needs npm's packages
  await build({ quick: true });
  const { buildXtask, wasmEnvironment } = await import("../scripts/wasm.mjs");
  const env = {
    ...wasmEnvironment(tools.clang),
    ZARR_XTASK: await buildXtask(),
    CHROMIUM: tools.chromium,
    NGINX: tools.nginx,
  };
  const started = performance.now();
  unpackFixtures();
  say(`· the fixtures are unpacked (${seconds(started)})`);
  say("");
  const results = [];
  for (const lane of lanes) results.push(await runLane(lane, { env, verbose: args.includes("--verbose") }));
  if (summarise(results) > 0) process.exitCode = 1;
});
