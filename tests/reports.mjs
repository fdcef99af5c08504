/**
 * What the programs of the lanes report: how many tests passed and failed, which failed and why,
 * and how long each took. The programs are libtest and the wasm runner, `node --test` and the lanes
 * of engines (TAP), Playwright's list, and our own with lines `ok` and `not ok`.
 */

/** Counts the tests in the last lines of libtest and of the wasm runner. */
export function countRust(output) {
  const totals = { passed: 0, failed: 0 };
  for (const [, passed, failed] of output.matchAll(/^test result: \S+ (\d+) passed; (\d+) failed/gm)) {
    totals.passed += Number(passed);
    totals.failed += Number(failed);
  }
  return totals;
}

/** Counts the tests in the last lines of TAP reports: `node --test`, the lane engines. */
export function countTap(output) {
  const total = (word) =>
    [...output.matchAll(new RegExp(`^# ${word} (\\d+)$`, "gm"))].reduce((sum, [, n]) => sum + Number(n), 0);
  return { passed: total("pass"), failed: total("fail") };
}

/**
 * Counts the tests in the last lines of Playwright's list, of which some are only there if there
 * are such tests. A flaky test failed, and passed when it was repeated.
 */
export function countPlaywright(output) {
  const total = (word) => Number(new RegExp(`^ +(\\d+) ${word}\\b`, "m").exec(output)?.[1] ?? 0);
  const [flaky, failed] = [total("flaky"), total("failed")];
  return { passed: total("passed") + flaky, failed: failed + total("did not run"), flaky };
}

/** Counts the lines `ok` and `not ok` of our own programs, such as tests/types.mjs. */
export function countOk(output) {
  return {
    passed: (output.match(/^ok /gm) ?? []).length,
    failed: (output.match(/^not ok /gm) ?? []).length,
  };
}

/** Counts the lines of the lane conformance, and its tests of the viewer's code by Playwright. */
export function countConformance(output) {
  const [own, ofViewer] = [countOk(output), countPlaywright(output)];
  return { passed: own.passed + ofViewer.passed, failed: own.failed + ofViewer.failed };
}

/** Lines of a report of `node --test` that do not tell why a test failed. */
const NO_REASON = /^\s*(---|\.\.\.|\d+\.\.\d+|(duration_ms|failureType|code|name|operator|stack): .*)?$/;
const MAX_REASONS = 5;

/** A failed test in the reports of libtest, of `node --test` and ours, and of Playwright. */
const FAILED = /^(test .* FAILED$|\s*not ok | +\d+\) \[)/;
const NEXT = /^\s*((not )?ok |\d+\) \[)/;

/** A test with its time in the reports of `node --test`, of the lane engines, and of Playwright. */
const TIMES = [
  /^ok \d+ - (?<name>.+)\n +---\n +duration_ms: (?<ms>[\d.]+)/gm,
  /^ok \d+ - (?<name>.+) # (?<ms>\d+) ms$/gm,
  /^ *✓ +\d+ (?<name>.+) \((?<ms>[\d.]+ms)\)$/gm,
  /^ *✓ +\d+ (?<name>.+) \((?<s>[\d.]+)s\)$/gm,
  /^ *✓ +\d+ (?<name>.+) \((?<minutes>[\d.]+)m\)$/gm,
];

/** The tests with their times in ms. */
export const durations = (output) =>
  TIMES.flatMap((pattern) => [...output.matchAll(pattern)]).map(({ groups }) => ({
    name: groups.name,
    ms: Number.parseFloat(groups.ms ?? 0) + 1000 * (groups.s ?? 0) + 60_000 * (groups.minutes ?? 0),
  }));

/** Where libtest tells why a test failed, and where that ends. */
const WHY = /^---- (.+) stdout ----$/;
const AFTER_WHY = /^(---- |stack backtrace:|failures:$)/;

/** Why the test failed whose report is line `at`. */
function reasons(lines, at) {
  const [, name] = /^test (.+) \.\.\. FAILED$/.exec(lines[at]) ?? [];
  const from = name === undefined ? at : lines.findIndex((line) => WHY.exec(line)?.[1] === name);
  const isEnd = (line) => (name === undefined ? NEXT : AFTER_WHY).test(line);
  const end = lines.findIndex((line, place) => place > from && isEnd(line));
  const told = lines.slice(from + 1, end < 0 ? undefined : end).filter((line) => !NO_REASON.test(line));
  return told.slice(0, MAX_REASONS);
}

/** The lines of failed tests with their reasons, which are repeated at the end of the report. */
export function failures(output) {
  const lines = output.split("\n");
  return lines.flatMap((line, at) =>
    FAILED.test(line) ? [line.trim(), ...reasons(lines, at).map((reason) => `  ${reason.trim()}`)] : [],
  );
}
